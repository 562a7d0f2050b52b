//! The library `openssl-speed`: the command `openssl speed`, with its own clock. A cross-check of the library `openssl`
//! and of this laboratory's clock, and what figures elsewhere were taken with.
//!
//! Its jobs do work in [`Job::own_clock`] only. They give no output, so nothing of this library is ever verified, and
//! nothing of it is ranked: [`Job::run`] does nothing and [`Job::output`] is empty.

mod report;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::{
    Job, JobError, Library, LibraryDescription, LibraryEntry, Opening, OwnTiming, PreparedJob, Result, Unavailable,
    Unsupported, command, openssl_switch,
};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library::{self, Role};
use kasoku_model::openssl_speed::AeadRow;
use kasoku_model::workload::{Operation, Workload};

/// How the laboratory finds it.
pub const ENTRY: LibraryEntry = LibraryEntry {
    role: Role::OwnClock,
    ..LibraryEntry::new(
        library::OPENSSL_SPEED,
        "the command openssl speed, a cross-check by its own clock",
        open,
        openssl_switch,
    )
};

/// The longest single measurement that is asked for.
const MAX_SECONDS: u64 = 3600;

fn open(_opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    Ok(Box::new(OpenSslSpeed::find()?))
}

struct OpenSslSpeed {
    program: PathBuf,
    version: String,
    /// Major, minor, fix.
    release: (u32, u32, u32),
    cpu_features: Option<String>,
}

impl OpenSslSpeed {
    fn find() -> Result<OpenSslSpeed, Unavailable> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = command::find("openssl", &path).ok_or_else(|| Unavailable {
            why: "openssl is not in PATH".to_owned(),
            install: Some(crate::install::OPENSSL.to_owned()),
        })?;
        OpenSslSpeed::of(program)
    }

    fn of(program: PathBuf) -> Result<OpenSslSpeed, Unavailable> {
        const LIMIT: Duration = Duration::from_secs(10);
        let refused = |why| Unavailable { why, install: None };
        let printed = command::run(&program, &["version"], LIMIT).map_err(refused)?;
        let Some((version, release)) = report::version(&printed.out) else {
            let said: String = printed.out.chars().filter(|character| !character.is_control()).take(60).collect();
            return Err(refused(format!("{} is \"{said}\", not OpenSSL", program.display())));
        };
        let version = version.to_owned();
        // Versions before 3.0 refuse the flag.
        let cpu = command::run(&program, &["version", "-c"], LIMIT).ok();
        let cpu_features = cpu.and_then(|printed| report::cpu_info(&printed.out).map(str::to_owned));
        Ok(OpenSslSpeed { program, version, release, cpu_features })
    }
}

impl Library for OpenSslSpeed {
    fn description(&self) -> LibraryDescription {
        LibraryDescription {
            version: self.version.clone(),
            cpu_features: self.cpu_features.clone(),
            loaded_from: Some(self.program.display().to_string()),
        }
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let Workload { operation, algorithm, .. } = *workload;
        if self.release < (1, 1, 1) {
            let version = &self.version;
            return Err(Unsupported::new(format!(
                "-seconds and -bytes need OpenSSL 1.1.1 or later; this is {version}"
            )));
        }
        if !Operation::of(algorithm.kind()).contains(&operation) {
            return Err(Unsupported::new(format!("{algorithm} cannot {operation}")));
        }
        let (name, mark) = measurement(algorithm, operation)
            .ok_or_else(|| Unsupported::new(format!("openssl speed does not measure {algorithm} {operation}")))?;
        let mut arguments = Vec::new();
        if algorithm == Algorithm::BlowfishCbc && self.release >= (3, 0, 0) {
            arguments.extend(["-provider", "legacy", "-provider", "default"]);
        }
        if operation == Operation::Decrypt {
            arguments.push("-decrypt");
        }
        if algorithm.kind().is_bulk() {
            arguments.push("-evp");
        }
        arguments.push(name);
        Ok(Box::new(SpeedJob {
            program: self.program.clone(),
            arguments,
            // CBC as the others are given it: padded to whole blocks.
            bytes: algorithm.kind().is_bulk().then(|| fixtures.text.len().max(1).to_string()),
            mark,
            note: match AeadRow::printed_by(&self.version, algorithm) {
                _ if algorithm.kind() != AlgorithmKind::Aead => "openssl speed's own clock, unverified",
                AeadRow::KeyedMessages => {
                    "openssl speed's own clock, unverified; this version sets up the key for each message, without \
                     associated data"
                }
                AeadRow::Updates => {
                    "openssl speed's own clock, unverified; this version updates one message that runs on, without \
                     nonce, associated data and tag"
                }
                AeadRow::Messages | AeadRow::Unknown => {
                    "openssl speed's own clock, unverified; without associated data"
                }
            },
        }))
    }
}

/// What `openssl speed` calls it, and how it marks the line with the count and the time. Opening is left out: it is
/// decryption of what has no tag there.
fn measurement(algorithm: Algorithm, operation: Operation) -> Option<(&'static str, &'static str)> {
    const BULK: &str = "+R";
    let either = |sign, verify| if operation == Operation::Sign { sign } else { verify };
    Some(match algorithm {
        _ if operation == Operation::Open => return None,
        Algorithm::DesEde3Cbc => ("des-ede3-cbc", BULK),
        Algorithm::BlowfishCbc => ("bf-cbc", BULK),
        Algorithm::Camellia128Cbc => ("camellia-128-cbc", BULK),
        Algorithm::Camellia256Cbc => ("camellia-256-cbc", BULK),
        Algorithm::Aes128Cbc => ("aes-128-cbc", BULK),
        Algorithm::Aes256Cbc => ("aes-256-cbc", BULK),
        Algorithm::Aes128Ctr => ("aes-128-ctr", BULK),
        Algorithm::Aes256Ctr => ("aes-256-ctr", BULK),
        Algorithm::Aes256Xts => ("aes-256-xts", BULK),
        Algorithm::Aes128Gcm => ("aes-128-gcm", BULK),
        Algorithm::Aes256Gcm => ("aes-256-gcm", BULK),
        Algorithm::Aes128GcmSiv => ("aes-128-gcm-siv", BULK),
        Algorithm::Aes256GcmSiv => ("aes-256-gcm-siv", BULK),
        Algorithm::Aes128Ccm => ("aes-128-ccm", BULK),
        Algorithm::Aes128Ocb => ("aes-128-ocb", BULK),
        Algorithm::ChaCha20Poly1305 => ("chacha20-poly1305", BULK),
        Algorithm::Aes128CbcHmacSha1 => ("aes-128-cbc-hmac-sha1", BULK),
        Algorithm::Sha1 => ("sha1", BULK),
        Algorithm::Sha256 => ("sha256", BULK),
        Algorithm::Sha512 => ("sha512", BULK),
        Algorithm::Sha3_256 => ("sha3-256", BULK),
        Algorithm::Blake2s256 => ("blake2s256", BULK),
        Algorithm::Blake2b512 => ("blake2b512", BULK),
        Algorithm::X25519 => ("ecdhx25519", "+R7"),
        Algorithm::X448 => ("ecdhx448", "+R7"),
        Algorithm::EcdhP256 => ("ecdhp256", "+R7"),
        Algorithm::Ed25519 => ("ed25519", either("+R8", "+R9")),
        Algorithm::Ed448 => ("ed448", either("+R8", "+R9")),
        Algorithm::EcdsaP256 => ("ecdsap256", either("+R5", "+R6")),
        Algorithm::Rsa2048 => ("rsa2048", either("+R1", "+R2")),
        Algorithm::Rsa4096 => ("rsa4096", either("+R1", "+R2")),
        Algorithm::Xaes256Gcm
        | Algorithm::MlDsa65
        | Algorithm::MlKem768
        | Algorithm::Suite(_)
        | Algorithm::CipherSuite(_)
        | Algorithm::Quoted(_) => return None,
    })
}

struct SpeedJob {
    program: PathBuf,
    arguments: Vec<&'static str>,
    /// The buffer's length, for what works on one.
    bytes: Option<String>,
    mark: &'static str,
    note: &'static str,
}

impl SpeedJob {
    fn measure(&self, seconds: f64) -> Result<OwnTiming> {
        let whole_seconds = (seconds.round() as u64).clamp(1, MAX_SECONDS); // NaN becomes 1
        let for_seconds = whole_seconds.to_string();
        let mut arguments = vec!["speed", "-elapsed", "-mr", "-seconds", &for_seconds];
        if let Some(bytes) = &self.bytes {
            arguments.extend(["-bytes", bytes]);
        }
        arguments.extend(&self.arguments);
        // A signature's two operations take their seconds one after the other.
        let limit = Duration::from_secs(whole_seconds * 3 + 10);
        let mut speed = Command::new(&self.program);
        // What the machine's configuration loads (Kasoku's provider, for one) would be measured under OpenSSL's name.
        speed.args(&arguments).env("OPENSSL_CONF", if cfg!(windows) { "NUL" } else { "/dev/null" });
        let printed = command::run_to_end(&mut speed, limit).map_err(JobError::new)?;
        report::timing(&printed.err, self.mark)
            .or_else(|| report::timing(&printed.out, self.mark))
            .ok_or_else(|| JobError::new(format!("openssl {} printed no line {}", arguments.join(" "), self.mark)))
    }
}

impl Job for SpeedJob {
    fn run(&mut self, _iterations: u64) -> Result<()> {
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn note(&self) -> Option<&'static str> {
        Some(self.note)
    }

    fn own_clock(&mut self, seconds: f64) -> Option<Result<OwnTiming>> {
        Some(self.measure(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The machine's command; without it a test fails where CI says it runs there, and says so elsewhere.
    fn library() -> Option<OpenSslSpeed> {
        match OpenSslSpeed::find() {
            Ok(library) => Some(library),
            Err(missing) => {
                assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{missing}; {:?}", missing.install);
                eprintln!("not tested: {missing}; {:?}", missing.install);
                None
            }
        }
    }

    fn job(library: &OpenSslSpeed, operation: Operation, algorithm: Algorithm, bytes: usize) -> Box<dyn Job> {
        let workload = Workload::new(operation, algorithm, bytes);
        let fixtures = Fixtures { text: vec![0; workload.bytes], ..Fixtures::default() };
        library.prepare(&workload, &fixtures).unwrap()
    }

    #[test]
    fn it_measures_with_its_own_clock() {
        let Some(library) = library() else { return };
        for (operation, algorithm) in [
            (Operation::Decrypt, Algorithm::Aes128Cbc),
            (Operation::Hash, Algorithm::Sha256),
            (Operation::Derive, Algorithm::X25519),
            (Operation::Verify, Algorithm::Ed25519),
        ] {
            let mut job = job(&library, operation, algorithm, 1360);
            job.run(1).unwrap();
            assert!(job.output().is_empty());
            let timing = job.own_clock(0.2).unwrap().unwrap();
            assert!((900_000_000..2_000_000_000).contains(&timing.nanoseconds), "{timing:?}");
            let each = timing.nanoseconds as f64 / timing.iterations as f64;
            assert!((1.0..10_000_000.0).contains(&each), "{algorithm}: {each} ns an operation");
        }
    }

    #[test]
    fn it_says_what_it_is() {
        let Some(library) = library() else { return };
        let description = library.description();
        assert!(description.version.starts_with(|first: char| first.is_ascii_digit()), "{description:?}");
        assert!(description.loaded_from.unwrap().contains("openssl"));
        let note = |library: &OpenSslSpeed, algorithm| job(library, Operation::Seal, algorithm, 16).note().unwrap();
        let of = |version: &str, algorithm| {
            let (version, release) = report::version(version).unwrap();
            note(
                &OpenSslSpeed { version: version.into(), release, program: PathBuf::new(), cpu_features: None },
                algorithm,
            )
        };
        for (version, says) in [("OpenSSL 3.0.15", "runs on"), ("OpenSSL 3.0.16", "sets up the key")] {
            assert!(of(version, Algorithm::Aes128Gcm).contains(says), "{version}");
            assert!(of(version, Algorithm::ChaCha20Poly1305).contains("runs on"), "{version}");
        }
    }

    #[test]
    fn what_it_cannot_measure_is_refused() {
        let Some(mut library) = library() else { return };
        let why = |library: &OpenSslSpeed, operation, algorithm| {
            let workload = Workload::new(operation, algorithm, 16);
            library.prepare(&workload, &Fixtures::default()).map(|_| ()).unwrap_err().why
        };
        assert!(why(&library, Operation::Open, Algorithm::Aes128Gcm).contains("does not measure"));
        assert!(why(&library, Operation::Encapsulate, Algorithm::MlKem768).contains("does not measure"));
        assert!(why(&library, Operation::Sign, Algorithm::Sha256).contains("cannot sign"));
        library.release = (1, 0, 2);
        assert!(why(&library, Operation::Hash, Algorithm::Sha256).contains("1.1.1 or later"));
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_lies_or_fails_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        // Written by another process: a file that this one holds open for writing, even in a child that another test
        // is just starting, cannot be run.
        let write = |name: &str, script: &str| {
            let program = folder.path().join(name);
            let status = std::process::Command::new("/bin/sh")
                .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$0\" && chmod 755 \"$0\""])
                .arg(&program)
                .arg(script)
                .status();
            assert!(status.unwrap().success());
            program
        };
        let libre = write("libre", "echo LibreSSL 3.8.2");
        let why = OpenSslSpeed::of(libre).map(|_| ()).unwrap_err().why;
        assert!(why.contains("LibreSSL 3.8.2") && why.contains("not OpenSSL"), "{why}");

        let broken =
            "case $1 in version) echo OpenSSL 3.0.19 27 Jan 2026;; *) echo +R:NaN:x:1; echo +R:2400 >&2;; esac";
        let broken = OpenSslSpeed::of(write("broken", broken)).unwrap();
        assert_eq!((broken.version.as_str(), broken.release, &broken.cpu_features), ("3.0.19", (3, 0, 19), &None));
        let error = job(&broken, Operation::Hash, Algorithm::Sha256, 16).own_clock(1.0).unwrap().unwrap_err();
        assert!(error.what.contains("printed no line +R"), "{error}");

        let listing = "case $1 in version) echo OpenSSL 3.0.19;; *) for each; do test \"$each\" = bf-cbc && exit 7; \
            done; echo \"$*\" | sed 's/ /_/g; s/.*/+R:5:&:1.5/' >&2;; esac";
        let listing = OpenSslSpeed::of(write("listing", listing)).unwrap();
        let error = job(&listing, Operation::Encrypt, Algorithm::BlowfishCbc, 16).own_clock(1.0).unwrap().unwrap_err();
        assert!(error.what.contains("-provider legacy -provider default -evp bf-cbc failed"), "{error}");
        for seconds in [f64::NAN, -5.0, 0.0, 1.2] {
            let timing = job(&listing, Operation::Hash, Algorithm::Sha256, 16).own_clock(seconds).unwrap().unwrap();
            assert_eq!(timing, OwnTiming { iterations: 5, nanoseconds: 1_500_000_000 });
        }
    }
}
