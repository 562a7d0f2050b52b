//! `kasoku cpu`: shows the CPU's instructions for cryptography, and which of them each library uses.

use serde::Serialize;
use serde_json::Value;

use super::selfcheck::SummaryFormat;
use super::{CommandOutcome, Failure, Format};
use kasoku_libraries::{LIBRARIES, find, switch_variables};
use kasoku_measure::cpu::{self, Cpu, Feature, Status};
use kasoku_measure::machine;
use kasoku_measure::plan::OBSERVATION;
use kasoku_measure::protocol::Slice;
use kasoku_measure::worker::{Worker, WorkerName};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::code_path::{
    UNKNOWN, uses_aes_instructions, uses_clmul_instructions, uses_sha_instructions, uses_vaes_instructions,
};
use kasoku_model::document::Machine;
use kasoku_model::library::Role;
use kasoku_model::printable::printable;
use kasoku_model::workload::{Operation, Workload};
use kasoku_report::render;

/// Show this CPU's acceleration and which libraries use it
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku cpu                    what the CPU has, and what each library uses of it
  kasoku cpu --format json")]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: SummaryFormat,
}

/// Describes the CPU, and runs each library briefly to see which instructions it uses.
pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let cpu = cpu::detect();
    let observed = observe();
    let report = CpuReport {
        machine: machine::this(),
        features: &cpu.features,
        libraries: observed.iter().map(|library| LibraryUse::of(&cpu, library)).collect(),
        notes: observed.iter().filter_map(|library| slow_gcm(library, &cpu)).chain(set_variables()).collect(),
    };
    args.format.print(&report, || report.text(&cpu))?;
    Ok(CommandOutcome::Done)
}

/// Workloads that together show AES, carry-less multiplication, their vector forms and SHA.
const OBSERVED: [(Operation, Algorithm); 3] = [
    (Operation::Seal, Algorithm::Aes128Gcm),
    (Operation::Encrypt, Algorithm::Aes128Ctr),
    (Operation::Hash, Algorithm::Sha256),
];

/// Code paths of one library, observed in a worker.
#[derive(Debug, Default)]
struct ObservedLibrary {
    name: &'static str,
    version: String,
    /// CPU features as the library reports them.
    settings: Option<String>,
    code_paths: Vec<(Algorithm, String)>,
}

/// Runs [`OBSERVED`] in a worker of each available library. Libraries in a virtual machine cannot be observed.
fn observe() -> Vec<ObservedLibrary> {
    let libraries = LIBRARIES.iter().filter(|entry| entry.role == Role::Library && entry.program.is_none());
    let started = libraries.filter_map(|entry| Worker::start(WorkerName::new(entry, Acceleration::On)).ok());
    let observe = |mut worker: Worker| ObservedLibrary {
        name: worker.name.entry.name,
        version: worker.library.version.clone(),
        settings: worker.library.cpu_features.clone(),
        code_paths: OBSERVED
            .iter()
            .filter_map(|&(operation, algorithm)| {
                let slice = Slice::new(Workload::new(operation, algorithm, 16_384), 1);
                let slice = Slice { observe_ms: OBSERVATION.as_millis() as u64, ..slice };
                Some((algorithm, worker.time(slice).ok()?.code_path?))
            })
            .collect(),
    };
    started.map(observe).collect()
}

struct InstructionFamily {
    name: &'static str,
    /// Required CPU features, by x86 and Arm names.
    features: &'static [&'static str],
    /// Algorithms of [`OBSERVED`] whose code paths show the use of the family.
    algorithms: &'static [Algorithm],
    is_in: fn(&str) -> bool,
}

const AES_MODES: &[Algorithm] = &[Algorithm::Aes128Gcm, Algorithm::Aes128Ctr];
const FAMILIES: [InstructionFamily; 4] = [
    InstructionFamily { name: "aes", features: &["aes"], algorithms: AES_MODES, is_in: uses_aes_instructions },
    InstructionFamily {
        name: "clmul",
        features: &["pclmulqdq", "pmull"],
        algorithms: &[Algorithm::Aes128Gcm],
        is_in: uses_clmul_instructions,
    },
    InstructionFamily {
        name: "vaes",
        features: &["vaes", "vpclmulqdq"],
        algorithms: AES_MODES,
        is_in: uses_vaes_instructions,
    },
    InstructionFamily {
        name: "sha",
        features: &["sha_ni", "sha2"],
        algorithms: &[Algorithm::Sha256],
        is_in: uses_sha_instructions,
    },
];

#[derive(Debug, Serialize)]
struct CpuReport<'a> {
    machine: Machine,
    features: &'a [Feature],
    libraries: Vec<LibraryUse>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct LibraryUse {
    library: &'static str,
    version: String,
    uses: Vec<FamilyUse>,
}

/// Whether, and why not, a library uses one family of instructions.
#[derive(Debug, PartialEq, Serialize)]
struct FamilyUse {
    family: &'static str,
    /// Whether the library uses the family; `None` if no code path was observed.
    uses: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_path: Option<String>,
    /// Reason why the library does not use the family.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl LibraryUse {
    fn of(cpu: &Cpu, library: &ObservedLibrary) -> Self {
        let uses = FAMILIES.iter().map(|family| FamilyUse::of(cpu, library, family)).collect();
        LibraryUse { library: library.name, version: printable(&library.version), uses }
    }
}

impl FamilyUse {
    fn of(cpu: &Cpu, library: &ObservedLibrary, family: &InstructionFamily) -> Self {
        let shown = library.code_paths.iter().filter(|(algorithm, _)| family.algorithms.contains(algorithm));
        let shown: Vec<&str> = shown.map(|(_, path)| &path[..]).collect();
        let known: Vec<&str> = shown.iter().copied().filter(|path| *path != UNKNOWN).collect();
        let used = known.iter().find(|path| (family.is_in)(path));
        let mut features = family.features.iter().filter_map(|name| cpu.feature(name));
        let missing = features.find(|feature| feature.status != Status::Usable);
        let (uses, why) = match (used, missing) {
            (Some(_), _) => (Some(true), None),
            (None, _) if shown.is_empty() => (None, None),
            (None, Some(feature)) => (Some(false), cpu.explanation(feature.status)),
            (None, None) if known.is_empty() => (None, Some("its code path could not be observed".to_owned())),
            (None, None) => (Some(false), Some(known_reason(library, family, cpu).to_owned())),
        };
        let code_path = used.or(known.first()).map(|path| printable(path));
        FamilyUse { family: family.name, uses, code_path, why }
    }
}

fn known_reason(library: &ObservedLibrary, family: &InstructionFamily, cpu: &Cpu) -> &'static str {
    let has_avx512 = ["avx512f", "avx512bw", "avx512vl"].iter().all(|name| cpu.can_use(name));
    let entry = find(library.name).filter(|_| family.name == "vaes");
    let reason = entry.and_then(|entry| (entry.why_no_vaes)(&library.version, has_avx512));
    reason.unwrap_or("the library does not use it here")
}

/// Returns a note if libcrypto uses its slower AES-GCM on this Arm core. The note names the setting that selects the
/// faster code, which uses EOR3.
///
/// libcrypto sets the bit for EOR3 in its settings (`OPENSSL_armcap`) only on the cores in its list (crypto/arm_arch.h
/// of OpenSSL). On a newer core the bit is missing, although the core may have a fast EOR3.
fn slow_gcm(library: &ObservedLibrary, cpu: &Cpu) -> Option<String> {
    const PMULL: u32 = 1 << 5;
    const SHA3: u32 = 1 << 11;
    const UNROLL8_EOR3: u32 = 1 << 12;
    let settings = library.settings.as_deref()?.strip_prefix("OPENSSL_armcap=0x")?;
    let settings = u32::from_str_radix(settings.split_whitespace().next()?, 16).ok()?;
    let is_slow = settings & (PMULL | SHA3 | UNROLL8_EOR3) == PMULL | SHA3 && cpu.can_use("sha3");
    is_slow.then(|| {
        format!(
            "{} uses its slower AES-GCM: this core is not in its list of cores with a fast EOR3. A newer version may \
             know it; OPENSSL_armcap={:#x} enables the faster one now (compare them with `kasoku ab`)",
            library.name,
            settings | UNROLL8_EOR3
        )
    })
}

/// Returns notes on environment variables that switch acceleration off.
fn set_variables() -> impl Iterator<Item = String> {
    let values = switch_variables().filter_map(|name| Some((name, std::env::var_os(name)?)));
    values.map(|(name, value)| {
        let value = printable(&value.to_string_lossy());
        format!("{name}={value} is set; it affects programs started from this shell, but not this output")
    })
}

impl CpuReport<'_> {
    fn text(&self, cpu: &Cpu) -> String {
        let machine = &self.machine;
        let lines = [
            ("CPU", Some(machine.cpu.clone())),
            ("Microarchitecture", machine.microarchitecture.clone()),
            ("Emulated", machine.emulated_on.as_ref().map(|kernel| format!("yes, on {kernel}: no figure is a CPU's"))),
            ("Wine", machine.wine.as_ref().map(|version| format!("{version}: no figure is one under Windows"))),
            ("Hypervisor", machine.hypervisor.clone()),
        ];
        let lines = lines.into_iter().filter_map(|(name, value)| Some(format!("{name:<17}  {}\n", value?)));
        let mut text: String = lines.collect();

        let status = |feature: &Feature| match feature.status {
            Status::Usable => "yes",
            Status::NotEnabled => "not enabled",
            Status::Hidden => "hidden",
            Status::Absent => "no",
        };
        let rows: Vec<_> =
            self.features.iter().map(|one| [one.name, status(one), one.purpose].map(str::to_owned).to_vec()).collect();
        if !rows.is_empty() {
            text +=
                &format!("\n{}", render::list(&["feature", "here", "good for"], &rows, &Value::Null, Format::Table));
        }
        for status in [Status::Hidden, Status::NotEnabled] {
            let names = self.features.iter().filter(|feature| feature.status == status).map(|feature| feature.name);
            if let Some(why) = cpu.explanation(status).filter(|_| names.clone().next().is_some()) {
                text += &format!("{}: {why}\n", names.collect::<Vec<_>>().join(", "));
            }
        }

        let cell = |(one, family): (&FamilyUse, &InstructionFamily)| {
            let parts = one.code_path.iter().flat_map(|path| path.split('+')).filter(|part| (family.is_in)(part));
            match one.uses {
                Some(true) => parts.collect::<Vec<_>>().join("+"),
                Some(false) => "no".to_owned(),
                None => "?".to_owned(),
            }
        };
        let rows: Vec<Vec<String>> = self
            .libraries
            .iter()
            .map(|one| {
                let cells = one.uses.iter().zip(&FAMILIES).map(cell);
                [one.library, &one.version].map(str::to_owned).into_iter().chain(cells).collect()
            })
            .collect();
        let headings = ["library", "version", "uses AES", "CLMUL", "VAES", "SHA"];
        text += &format!("\n{}", render::list(&headings, &rows, &Value::Null, Format::Table));
        for library in &self.libraries {
            for FamilyUse { family, why, .. } in &library.uses {
                if let Some(why) = why {
                    text += &format!("{}, {family}: {why}\n", library.library);
                }
            }
        }
        for note in &self.notes {
            text += &format!("\n{note}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu_with(statuses: &[(&'static str, Status)]) -> Cpu {
        let feature = |&(name, status)| Feature { name, status, purpose: "tests" };
        let features = statuses.iter().map(feature).collect();
        Cpu { name: "Test CPU".to_owned(), hypervisor: Some("KVM".to_owned()), features, ..Cpu::default() }
    }

    fn cpu_with_all() -> Cpu {
        let names = ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "avx512f", "avx512bw", "avx512vl"];
        cpu_with(&names.map(|name| (name, Status::Usable)))
    }

    fn library(name: &'static str, version: &str, code_paths: &[(Algorithm, &str)]) -> ObservedLibrary {
        let code_paths = code_paths.iter().map(|&(algorithm, path)| (algorithm, path.to_owned())).collect();
        ObservedLibrary { name, version: version.to_owned(), code_paths, ..ObservedLibrary::default() }
    }

    fn vaes(cpu: &Cpu, library: &ObservedLibrary) -> FamilyUse {
        FamilyUse::of(cpu, library, &FAMILIES[2])
    }

    #[test]
    fn observed_instructions_count_as_used() {
        let paths = [(Algorithm::Aes128Gcm, "vaes512+vclmul512"), (Algorithm::Sha256, "sha-ni")];
        for one in LibraryUse::of(&cpu_with_all(), &library("aws-lc", "5.3", &paths)).uses {
            assert_eq!((one.uses, one.why), (Some(true), None), "{}", one.family);
        }
    }

    #[test]
    fn unused_instructions_have_a_reason() {
        let old = library("openssl", "OpenSSL 3.0.19 27 Jan 2026", &[(Algorithm::Aes128Gcm, "aesni+clmul")]);
        let new = ObservedLibrary { version: "OpenSSL 3.5.1".to_owned(), ..library("openssl", "", &[]) };
        let new = ObservedLibrary { code_paths: old.code_paths.clone(), ..new };
        let usable = [("vaes", Status::Usable), ("vpclmulqdq", Status::Usable)];
        for (cpu, library, why) in [
            (cpu_with_all(), &old, "OpenSSL before 3.1 has no VAES path"),
            (cpu_with_all(), &new, "does not use it"),
            (cpu_with(&usable), &new, "AVX-512"),
            (cpu_with(&[("vaes", Status::Absent)]), &old, "the CPU lacks it"),
            (cpu_with(&[("vaes", Status::Hidden)]), &old, "hypervisor (KVM)"),
            (cpu_with(&[usable[0], ("vpclmulqdq", Status::NotEnabled)]), &old, "operating system"),
        ] {
            let seen = vaes(&cpu, library);
            assert_eq!((seen.uses, seen.code_path.as_deref()), (Some(false), Some("aesni+clmul")));
            assert!(seen.why.as_deref().unwrap().contains(why), "{seen:?}");
        }
        for nothing in [library("ring", "0.17", &[]), library("ring", "0.17", &[(Algorithm::Aes128Gcm, UNKNOWN)])] {
            assert_eq!(vaes(&cpu_with_all(), &nothing).uses, None);
        }
    }

    #[test]
    fn slow_gcm_note_names_the_openssl_setting_to_change() {
        let note = |settings: Option<&str>, sha3| {
            let seen = ObservedLibrary { settings: settings.map(str::to_owned), ..library("openssl", "", &[]) };
            slow_gcm(&seen, &cpu_with(&[("sha3", sha3)]))
        };
        let slow = note(Some("OPENSSL_armcap=0x87d"), Status::Usable).unwrap();
        assert!(slow.contains("not in its list") && slow.contains("OPENSSL_armcap=0x187d"), "{slow}");
        assert_eq!(note(Some("OPENSSL_armcap=0x187d"), Status::Usable), None);
        assert_eq!(note(Some("OPENSSL_armcap=0x87d"), Status::Absent), None);
        for unknown in [None, Some(""), Some("OPENSSL_ia32cap=0x87d"), Some("OPENSSL_armcap=0xg")] {
            assert_eq!(note(unknown, Status::Usable), None);
        }
    }

    #[test]
    fn report_shows_features_libraries_and_no_control_characters() {
        let cpu = cpu_with(&[("aes", Status::Usable), ("vaes", Status::Hidden), ("sha_ni", Status::Absent)]);
        let paths = [(Algorithm::Aes128Gcm, "aesni+clmul")];
        let report = CpuReport {
            machine: Machine { cpu: cpu.name.clone(), hypervisor: cpu.hypervisor.clone(), ..Machine::default() },
            features: &cpu.features,
            libraries: vec![LibraryUse::of(&cpu, &library("ring", "0.17\u{1b}[31m", &paths))],
            notes: Vec::new(),
        };
        let text = report.text(&cpu);
        for expected in ["Test CPU", "KVM", "hidden", "vaes: this CPU model has it", "aesni", "?"] {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
        assert!(!text.contains('\u{1b}') && !kasoku_report::export::json::text(&report).contains('\u{1b}'), "{text}");
    }
}
