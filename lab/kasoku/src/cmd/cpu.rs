//! `kasoku cpu`: what acceleration this CPU has, and whether each library can use it, and why not.

mod libcrypto;
mod render;

use std::io::Write as _;

use clap::Args as ClapArgs;
use serde::Serialize;

use super::{CommandOutcome, Failure, Format};
use kasoku_libraries::{LIBRARIES, SWITCH_VARIABLES};
use kasoku_measure::cpu::remedy::{self, Remedy};
use kasoku_measure::cpu::{self, Cpu, Feature, RawLeaf};
use kasoku_measure::machine;
use kasoku_measure::plan::OBSERVATION;
use kasoku_measure::protocol::{Slice, TimedWorkload, WorkerRequest};
use kasoku_measure::worker::Worker;
use kasoku_measure::worker_process::WorkerName;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind, Instructions};
use kasoku_model::code_path::{
    UNKNOWN, uses_aes_instructions, uses_clmul_instructions, uses_sha_instructions, uses_vaes_instructions,
};
use kasoku_model::document::Machine;
use kasoku_model::library::Role;
use kasoku_model::printable::printable;
use kasoku_model::workload::{Operation, Workload};

/// Show this CPU's acceleration and which libraries can use it
#[derive(Clone, Debug, ClapArgs)]
#[command(after_help = "Examples:
  kasoku cpu                    what the CPU has, what each library uses, and how to enable the rest
  kasoku cpu --leaves           with raw CPUID values, to compare with other tools
  kasoku cpu --format json")]
pub struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Show raw CPUID values
    #[arg(long)]
    pub leaves: bool,
}

/// What was seen of a library as the machine is: which code paths ran for which algorithms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Evidence {
    /// The library's name.
    library: String,
    /// Its version as it states it.
    version: String,
    /// What it says of the CPU.
    settings: Option<String>,
    /// The algorithms it was seen with, and the code path of each. AES-GCM, AES-CTR and SHA-256 over 16 KiB tell most.
    observed: Vec<(Algorithm, String)>,
}

/// Tells about the CPU, and what each library was seen using on it.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    tell(args, &evidence())
}

/// What is tried: the workloads that tell most about AES, carry-less multiplication, their vector forms and SHA.
const TRIED: [(Operation, Algorithm); 3] = [
    (Operation::Seal, Algorithm::Aes128Gcm),
    (Operation::Encrypt, Algorithm::Aes128Ctr),
    (Operation::Hash, Algorithm::Sha256),
];

/// Lets a worker of each library that is here do a little of each workload, and sees which code path it takes.
fn evidence() -> Vec<Evidence> {
    // What a virtual machine runs is not seen from outside of it.
    let libraries = LIBRARIES.iter().filter(|entry| entry.role == Role::Library && entry.program.is_none());
    let started = libraries.filter_map(|entry| Worker::start(WorkerName::new(entry, Acceleration::On)).ok());
    started
        .map(|mut worker| {
            let observed = TRIED.iter().filter_map(|&(operation, algorithm)| {
                let slice = Slice::of(Workload::new(operation, algorithm, 16_384), 1);
                let slice = Slice { observe_ms: OBSERVATION.as_millis() as u64, ..slice };
                Some((algorithm, worker.ask::<TimedWorkload>(&WorkerRequest::Slice(slice)).ok()?.code_path?))
            });
            let observed = observed.collect();
            let settings = worker.cpu_features.clone();
            Evidence { library: worker.name.entry.name.to_owned(), version: worker.version.clone(), settings, observed }
        })
        .collect()
}

fn tell(args: &Args, evidence: &[Evidence]) -> Result<CommandOutcome, Failure> {
    let cpu = cpu::detect();
    let mut report = Report::of(&cpu, machine::this(), evidence);
    for variable in SWITCH_VARIABLES {
        if let Some(value) = std::env::var_os(variable) {
            let value = printable(&value.to_string_lossy());
            report.notes.push(format!(
                "{variable}={value} is set; it affects programs started from this shell, but not workers"
            ));
        }
    }
    // Other programs get them always; people only if they ask.
    if !args.leaves && args.format != Format::Json {
        report.leaves.clear();
    }
    let text = render::text(&report, args.format, width());
    let mut output = anstream::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(CommandOutcome::Done),
    }
}

/// Everything the command tells.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Report {
    machine: Machine,
    features: Vec<FeatureReport>,
    libraries: Vec<LibraryReport>,
    notes: Vec<String>,
    /// What can be done about what the CPU has and programs cannot use.
    remedies: Vec<Remedy>,
    leaves: Vec<RawLeaf>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct FeatureReport {
    #[serde(flatten)]
    feature: Feature,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct LibraryReport {
    library: String,
    version: String,
    uses: Vec<Use>,
}

/// Whether a library uses one family of instructions here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Use {
    family: Family,
    /// `None`: nothing was seen that could tell.
    uses: Option<bool>,
    /// The code path that tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_path: Option<String>,
    /// The algorithm it was seen with.
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<Algorithm>,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Family {
    Aes,
    Clmul,
    Vaes,
    Sha,
}

impl Family {
    const ALL: [Family; 4] = [Family::Aes, Family::Clmul, Family::Vaes, Family::Sha];

    fn title(self) -> &'static str {
        match self {
            Family::Aes => "AES",
            Family::Clmul => "CLMUL",
            Family::Vaes => "VAES",
            Family::Sha => "SHA",
        }
    }

    /// The features it takes, by x86 and Arm names; those that this architecture does not know are left out.
    fn features(self, cpu: &Cpu) -> Vec<&Feature> {
        let names: &[&str] = match self {
            Family::Aes => &["aes"],
            Family::Clmul => &["pclmulqdq", "pmull"],
            Family::Vaes => &["vaes", "vpclmulqdq"],
            Family::Sha => &["sha_ni", "sha2"],
        };
        names.iter().filter_map(|name| cpu.feature(name)).collect()
    }

    /// Whether an algorithm's code path can tell of it.
    fn is_told_by(self, algorithm: Algorithm) -> bool {
        let is_gcm = matches!(algorithm, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm);
        match self {
            Family::Aes => algorithm.instructions() == Instructions::Aes,
            Family::Clmul => is_gcm,
            // Only modes whose blocks do not wait for each other.
            Family::Vaes => {
                is_gcm || matches!(algorithm, Algorithm::Aes128Ctr | Algorithm::Aes256Ctr | Algorithm::Aes256Xts)
            }
            // SHA-512 has instructions of its own.
            Family::Sha => {
                algorithm.kind() == AlgorithmKind::Hash
                    && algorithm.instructions() == Instructions::Sha
                    && algorithm != Algorithm::Sha512
            }
        }
    }

    fn is_in(self, code_path: &str) -> bool {
        match self {
            Family::Aes => uses_aes_instructions(code_path),
            Family::Clmul => uses_clmul_instructions(code_path),
            Family::Vaes => uses_vaes_instructions(code_path),
            Family::Sha => uses_sha_instructions(code_path),
        }
    }
}

impl Report {
    fn of(cpu: &Cpu, machine: Machine, evidence: &[Evidence]) -> Report {
        // Vector AES is x86's; no column of a thing an architecture does not know.
        let families = Family::ALL
            .into_iter()
            .filter(|family| *family != Family::Vaes || cpu.features.is_empty() || !family.features(cpu).is_empty());
        let families: Vec<Family> = families.collect();
        Report {
            machine,
            features: cpu
                .features
                .iter()
                .map(|feature| FeatureReport { feature: feature.clone(), explanation: cpu.explanation(feature) })
                .collect(),
            libraries: evidence
                .iter()
                .map(|seen| LibraryReport {
                    library: printable(&seen.library),
                    version: printable(&seen.version),
                    uses: families.iter().map(|&family| Use::of(cpu, seen, family)).collect(),
                })
                .collect(),
            notes: evidence.iter().filter_map(|seen| libcrypto::slow_path(seen, cpu)).collect(),
            remedies: remedy::remedies(cpu),
            leaves: cpu.leaves.clone(),
        }
    }
}

impl Use {
    fn of(cpu: &Cpu, seen: &Evidence, family: Family) -> Use {
        let telling = || seen.observed.iter().filter(|(algorithm, _)| family.is_told_by(*algorithm));
        let known = || telling().filter(|(_, code_path)| code_path != UNKNOWN && !code_path.is_empty());
        let answer = |uses, shown: Option<&(Algorithm, String)>, why: Option<String>| Use {
            family,
            uses,
            code_path: shown.map(|(_, code_path)| printable(code_path)),
            algorithm: shown.map(|&(algorithm, _)| algorithm),
            why,
        };
        if let Some(shown) = known().find(|(_, code_path)| family.is_in(code_path)) {
            return answer(Some(true), Some(shown), None);
        }
        if let Some(missing) = family.features(cpu).into_iter().find(|feature| !feature.is_usable()) {
            return answer(Some(false), known().next(), cpu.explanation(missing));
        }
        match (known().next(), telling().next()) {
            (Some(shown), _) => {
                let why = missing_path(&seen.library, &seen.version, family, cpu)
                    .map_or_else(|| "the library does not use it here".to_owned(), str::to_owned);
                answer(Some(false), Some(shown), Some(why))
            }
            (None, Some(_)) => answer(None, None, Some("its code path could not be observed".to_owned())),
            (None, None) => answer(None, None, Some("not observed".to_owned())),
        }
    }
}

/// What is known of a library that was seen not to use what the CPU has.
fn missing_path(library: &str, version: &str, family: Family, cpu: &Cpu) -> Option<&'static str> {
    let has_avx512 = cpu.can_use("avx512f") && cpu.can_use("avx512bw") && cpu.can_use("avx512vl");
    match (library, family) {
        ("openssl", Family::Vaes) if major_minor(version)? < (3, 1) => Some("OpenSSL before 3.1 has no VAES path"),
        ("openssl" | "aws-lc" | "graviola", Family::Vaes) if !has_avx512 => Some("its VAES path also needs AVX-512"),
        ("openssl", Family::Aes | Family::Clmul) if major_minor(version)? < (1, 0) => {
            Some("OpenSSL before 1.0.1 does not implement it")
        }
        _ => None,
    }
}

/// The first two numbers of a version, wherever in the text it begins.
fn major_minor(version: &str) -> Option<(u32, u32)> {
    version.split_ascii_whitespace().find_map(|word| {
        let mut numbers = word.trim_start_matches('v').split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    })
}

/// Columns of the terminal, or what fits a page where there is none.
fn width() -> u16 {
    const PAGE: u16 = 100;
    super::columns().map_or(PAGE, |columns| columns.clamp(60, 160))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_measure::cpu::Status;

    pub(super) fn cpu_with(statuses: &[(&'static str, Status)]) -> Cpu {
        Cpu {
            name: "Test CPU".to_owned(),
            microarchitecture: Some("Test family 1 model 2 stepping 3".to_owned()),
            hypervisor: Some("KVM".to_owned()),
            features: statuses
                .iter()
                .map(|&(name, status)| Feature {
                    name,
                    status,
                    listed: None,
                    purpose: "tests | of tables",
                    place: None,
                })
                .collect(),
            leaves: Vec::new(),
        }
    }

    fn everything() -> Cpu {
        let names = ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "avx512f", "avx512bw", "avx512vl"];
        cpu_with(&names.map(|name| (name, Status::Usable)))
    }

    fn seen(library: &str, version: &str, observed: &[(Algorithm, &str)]) -> Evidence {
        Evidence {
            library: library.to_owned(),
            version: version.to_owned(),
            observed: observed.iter().map(|&(algorithm, path)| (algorithm, path.to_owned())).collect(),
            ..Evidence::default()
        }
    }

    #[test]
    fn what_ran_is_what_a_library_can_use() {
        let evidence =
            seen("aws-lc", "5.3", &[(Algorithm::Aes128Gcm, "vaes512+vclmul512"), (Algorithm::Sha256, "sha-ni")]);
        for family in Family::ALL {
            let verdict = Use::of(&everything(), &evidence, family);
            assert_eq!(verdict.uses, Some(true), "{family:?}");
            assert_eq!(verdict.why, None);
        }
    }

    #[test]
    fn a_library_without_the_code_is_told_from_a_cpu_without_the_instructions() {
        let old = seen("openssl", "OpenSSL 3.0.19 27 Jan 2026", &[(Algorithm::Aes128Gcm, "aesni+clmul")]);
        let verdict = Use::of(&everything(), &old, Family::Vaes);
        assert_eq!(verdict.uses, Some(false));
        assert_eq!(verdict.why.as_deref(), Some("OpenSSL before 3.1 has no VAES path"));
        assert_eq!(verdict.code_path.as_deref(), Some("aesni+clmul"));

        let poor = cpu_with(&[("aes", Status::Usable), ("pclmulqdq", Status::Usable), ("vaes", Status::Absent)]);
        assert_eq!(Use::of(&poor, &old, Family::Vaes).why.as_deref(), Some("the CPU lacks it"));

        let masked = cpu_with(&[("aes", Status::Usable), ("vaes", Status::Hidden)]);
        assert!(Use::of(&masked, &old, Family::Vaes).why.unwrap().contains("hypervisor (KVM)"));

        let half = cpu_with(&[("vaes", Status::Usable), ("vpclmulqdq", Status::NotEnabled)]);
        assert!(Use::of(&half, &old, Family::Vaes).why.unwrap().contains("operating system"));

        let without_avx512 = cpu_with(&[("vaes", Status::Usable), ("vpclmulqdq", Status::Usable)]);
        let newer = seen("openssl", "OpenSSL 3.5.1 1 Jul 2025", &[(Algorithm::Aes128Gcm, "aesni+clmul")]);
        assert!(Use::of(&without_avx512, &newer, Family::Vaes).why.unwrap().contains("AVX-512"));
        assert!(Use::of(&everything(), &newer, Family::Vaes).why.unwrap().contains("does not use it"));
    }

    #[test]
    fn nothing_is_said_without_evidence() {
        let nothing = seen("ring", "0.17", &[]);
        let verdict = Use::of(&everything(), &nothing, Family::Aes);
        assert_eq!((verdict.uses, verdict.why.as_deref()), (None, Some("not observed")));
        let unknown = seen("ring", "0.17", &[(Algorithm::Aes128Gcm, UNKNOWN)]);
        let verdict = Use::of(&everything(), &unknown, Family::Aes);
        assert_eq!((verdict.uses, verdict.why.as_deref()), (None, Some("its code path could not be observed")));
        // A hash says nothing about AES, a chained mode nothing about its vector form, SHA-512 nothing about SHA-NI.
        let others = [(Algorithm::Sha512, "avx2"), (Algorithm::Aes128Cbc, "aesni")];
        let others = seen("ring", "0.17", &others);
        assert_eq!(Use::of(&everything(), &others, Family::Sha).uses, None);
        assert_eq!(Use::of(&everything(), &others, Family::Vaes).uses, None);
        assert_eq!(Use::of(&everything(), &others, Family::Clmul).uses, None);
        assert_eq!(Use::of(&everything(), &others, Family::Aes).uses, Some(true));
    }

    #[test]
    fn arm_has_no_column_for_vector_aes() {
        let arm = cpu_with(&[("aes", Status::Usable), ("pmull", Status::Usable), ("sha2", Status::Absent)]);
        let evidence = seen("ring", "0.17", &[(Algorithm::Aes128Gcm, "armv8-aes+pmull"), (Algorithm::Sha256, "neon")]);
        let report = Report::of(&arm, Machine::default(), &[evidence]);
        let uses: Vec<_> = report.libraries[0].uses.iter().map(|verdict| (verdict.family, verdict.uses)).collect();
        assert_eq!(uses, [(Family::Aes, Some(true)), (Family::Clmul, Some(true)), (Family::Sha, Some(false))]);
    }

    #[test]
    fn versions_are_read_wherever_they_stand() {
        assert_eq!(major_minor("OpenSSL 3.0.19 27 Jan 2026"), Some((3, 0)));
        assert_eq!(major_minor("1.19.0"), Some((1, 19)));
        assert_eq!(major_minor("v5.3"), Some((5, 3)));
        assert_eq!(major_minor("unknown"), None);
        assert_eq!(major_minor("99999999999.1"), None);
    }
}
