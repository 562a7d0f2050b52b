//! The library `specjvm2008`: the original SPECjvm2008, for users who own it (`--specjvm JAR`), with its own clock. It
//! returns no output, so results are unverified and never ranked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::super::{
    Job, JobError, Library, LibraryDescription, LibraryEntry, Opening, OwnTiming, PreparedJob, Result, Switch,
    Unavailable, Unsupported,
};
use super::super::{command, install, remove_switches};
use super::{runtime, switch};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::{Algorithm, Suite};
use kasoku_model::library::{self, Role};
use kasoku_model::workload::Workload;

pub const SPECJVM: LibraryEntry = LibraryEntry::new(
    library::SPECJVM,
    "the benchmark SPECjvm2008 itself, by its own clock; given with --specjvm",
    open,
    switch::sunjce,
)
.unlisted(Role::OwnClock);

/// Default warm-up, by the benchmark's own rules.
const WARM_UP: Duration = Duration::from_secs(120);
/// Time allowed for the benchmark's own check and report.
const BESIDE: Duration = Duration::from_secs(120);
/// Number of operations that a sample reports. SPECjvm2008 prints only a score with three decimal places, from which
/// the time for these operations is computed.
const OPERATIONS: u64 = 1000;
const NOTE: &str = "SPECjvm2008's own clock, unverified";

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let jar = opening.library_file.clone();
    let jar = jar.ok_or_else(|| Unavailable::new("SPECjvm2008 is in no registry; --specjvm names it"))?;
    let found = opening.jvm.java.clone().or_else(runtime::first);
    let java = found.ok_or_else(|| Unavailable {
        why: "there is no java to run it with".to_owned(),
        install: Some(install::JDK.to_owned()),
    })?;
    // The benchmark writes its results to the current folder and reads its resources from there.
    let folder = jar.parent().map(Path::to_owned).filter(|folder| folder.is_dir());
    let folder = folder.ok_or_else(|| Unavailable::new("it must lie in the folder it was installed in"))?;
    let flags = opening.acceleration.map(switch::sunjce).map(Switch::into_flags).unwrap_or_default();
    let flags = flags.iter().chain(&opening.jvm.flags).cloned().collect();
    Ok(Box::new(SpecJvm { java, jar, folder, flags, warm_up: opening.jvm.warm_up.unwrap_or(WARM_UP) }))
}

#[derive(Clone)]
struct SpecJvm {
    java: PathBuf,
    jar: PathBuf,
    folder: PathBuf,
    flags: Vec<String>,
    warm_up: Duration,
}

impl Library for SpecJvm {
    fn description(&self) -> LibraryDescription {
        LibraryDescription::new("SPECjvm2008")
    }

    fn prepare_primitive(&self, workload: &Workload, _fixtures: &Fixtures) -> PreparedJob {
        if workload.algorithm != Algorithm::Suite(Suite::CryptoAes) {
            return Err(Unsupported::new("only crypto.aes of SPECjvm2008 is run"));
        }
        Ok(Box::new(self.clone()))
    }
}

impl SpecJvm {
    fn measure(&self, seconds: f64) -> Result<OwnTiming> {
        let length = Duration::from_secs((seconds.round() as u64).clamp(1, 3600)); // NaN becomes 1
        let mut benchmark = Command::new(&self.java);
        benchmark.arg("-XX:+UnlockDiagnosticVMOptions").args(&self.flags).arg("-jar").arg(&self.jar);
        // -ikv: accept JDKs unknown to the benchmark. -ict: skip its start-up check.
        benchmark.args(["-ikv", "-ict", "-i", "1"]);
        benchmark.args(["-wt", &seconds_of(self.warm_up), "-it", &seconds_of(length), "crypto.aes"]);
        benchmark.current_dir(&self.folder);
        remove_switches(&mut benchmark);
        let limit = self.warm_up + length + BESIDE;
        let printed = command::run_to_end(&mut benchmark, limit).map_err(JobError::new)?;
        let score = score(&printed.out).or_else(|| score(&printed.err));
        let score = score.ok_or_else(|| JobError::new("SPECjvm2008 printed no score on crypto.aes"))?;
        Ok(OwnTiming { iterations: OPERATIONS, nanoseconds: (OPERATIONS as f64 * 60e9 / score) as u64 })
    }
}

impl Job for SpecJvm {
    fn run(&mut self, _iterations: u64) -> Result<()> {
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn note(&self) -> Option<&'static str> {
        Some(NOTE)
    }

    fn own_clock(&mut self, seconds: f64) -> Option<Result<OwnTiming>> {
        Some(self.measure(seconds))
    }
}

fn seconds_of(duration: Duration) -> String {
    format!("{}s", duration.as_secs().max(1))
}

/// Parses the score in operations per minute, from the line `Score on crypto.aes: 42.73 ops/m`.
fn score(printed: &str) -> Option<f64> {
    let line = printed.lines().rev().find_map(|line| line.trim().strip_prefix("Score on crypto.aes:"))?;
    let score = line.trim().strip_suffix("ops/m")?.trim().parse::<f64>().ok()?;
    (score.is_finite() && (1e-6..1e12).contains(&score)).then_some(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specjvm_score_rejects_malformed_lines() {
        let report = "Iteration 1 (240s) result: 41.2 ops/m\n\nValid run!\nScore on crypto.aes: 42.73 ops/m\n\n";
        assert_eq!(score(report), Some(42.73));
        for nonsense in
            ["", "Score on crypto.aes: NaN ops/m", "Score on crypto.aes: -1 ops/m", "Score on crypto.rsa: 1 ops/m"]
        {
            assert_eq!(score(nonsense), None, "{nonsense}");
        }
    }
}
