//! The run document: results of one run, in the form that is stored, exported and imported.
//!
//! Optional fields may be added within a [`SCHEMA`]. Any other change of the form increases its number. The importer
//! refuses documents of another schema.

mod details;
pub mod extent;
mod remark;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::code_path::UNKNOWN;
use crate::level::Level;
use crate::library::Role;
use crate::name::named;
use crate::workload::{Operation, Workload};
pub use details::{
    Condition, Details, Experiment, FileDetails, HttpsDetails, MemoryDetails, QuotedDetails, ServerDetails, ServerLoad,
    TransferDetails,
};
pub use remark::{Reason, Remark};

/// Version of the document's form.
pub const SCHEMA: u32 = 1;

/// The noise floor where none was measured: 3 %, above what any machine we measured on showed.
pub const FLOOR_IF_UNKNOWN: f64 = 0.03;

/// All series of one start, with the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Version of the form: [`SCHEMA`].
    pub schema: u32,
    /// The start.
    pub run: Run,
    /// The machine.
    pub machine: Machine,
    /// What was measured.
    pub series: Vec<Series>,
}

/// One start of `kasoku run`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// Its name, unique, rising with time.
    pub id: String,
    /// When it started, RFC 3339 in UTC.
    pub started: String,
    /// The version of Kasoku.
    pub kasoku: String,
    /// The command as it was typed.
    pub command: String,
    /// Whether it reached its end, on a CPU. An incomplete run is never ranked, and nobody completes one on an emulator
    /// ([`Machine::emulated_on`]).
    pub complete: bool,
    /// How long it took, in seconds; absent while incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// How it measured.
    pub method: Method,
    /// What the machine did meanwhile that a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What was measured: each library in each state, as it describes itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<FoundLibrary>,
    /// What was left out, and why: libraries, states and algorithms that cannot be had here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub omissions: Vec<Omission>,
    /// Where the figures come from, if Kasoku did not measure them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What somebody calls it (see [`label`](crate::run_name::label)).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::run_name::read_label")]
    pub label: Option<String>,
}

/// Where figures come from that Kasoku did not measure. They have no samples, so no intervals, and nobody verified the
/// output; but they are figures, and are shown beside measured ones as what they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// What they were found in.
    pub kind: OriginKind,
    /// The file, or the title of the publication.
    pub source: String,
    /// Where the publication is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What whoever brought them wants to be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

named! {
    /// What figures were found in that Kasoku did not measure.
    pub enum OriginKind {
        /// What another program printed: `openssl speed`, say.
        Transcript = "transcript",
        /// A publication whose figures stand in `published/`.
        Published = "published",
    }
}

/// A library in one acceleration state, as it describes itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FoundLibrary {
    /// Its name.
    pub library: String,
    /// Its version.
    pub version: String,
    /// The state.
    pub acceleration: Option<Acceleration>,
    /// The CPU features that the library reports to use, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_features: Option<String>,
    /// The file it was loaded from, where it was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded_from: Option<String>,
}

/// How a run measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Method {
    /// Starts of each worker.
    pub processes: u32,
    /// Rounds over all processes.
    pub rounds: u32,
    /// The aimed length of a slice, in milliseconds.
    pub slice_ms: f64,
    /// Where the core clock was taken from; absent if it could not be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_clock: Option<String>,
    /// The median core clock over the run, in Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_hz: Option<f64>,
    /// The smallest relative difference the run can tell from noise (0.005 is 0.5 %), from measuring one library
    /// against itself; absent if that was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_floor: Option<f64>,
    /// The same by algorithm, which is what claims are held against: code that fills the CPU's ports suffers more from
    /// neighbours than code that waits for its own results.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub noise_floors: BTreeMap<String, f64>,
    /// The library that was measured against itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_floor_library: Option<String>,
    /// The cost of the measuring loop itself, in nanoseconds a call. It is not subtracted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_ns: Option<f64>,
    /// The limits of the system that may bind a web server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Notes of the run whose kind is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
}

/// A limit of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limit {
    /// As the system names it.
    pub name: String,
    /// What it is, as the system writes it.
    pub value: String,
    /// What the published measurement set it to; absent where that says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// How many connections at once it allows, where that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<u64>,
}

impl Method {
    /// The smallest relative difference that may be claimed of `algorithm`: its own floor, else that of the whole run,
    /// else [`FLOOR_IF_UNKNOWN`].
    pub fn floor(&self, algorithm: Algorithm) -> f64 {
        let is_sound = |floor: &f64| floor.is_finite() && *floor >= 0.0;
        let own = self.noise_floors.get(algorithm.name()).copied().filter(is_sound);
        own.or(self.noise_floor.filter(is_sound)).unwrap_or(FLOOR_IF_UNKNOWN)
    }
}

/// Something that was not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Omission {
    /// The level it belongs to.
    pub level: Level,
    /// The library; empty if a whole level.
    pub library: String,
    /// The state, where only one is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<Acceleration>,
    /// The algorithm, where only one is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// The reason, in words.
    pub why: String,
    /// What would install it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    /// What kind of reason it is, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// What people call it, where that is not its CPU's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The CPU's name.
    pub cpu: String,
    /// The architecture as Rust names it: `x86_64`, `aarch64`….
    pub arch: String,
    /// The features that matter here, as the CPU names them: `aes`, `pclmulqdq`, `vaes`….
    pub features: Vec<String>,
    /// Logical CPUs this process may use.
    pub cores: usize,
    /// Logical CPUs that the machine has, whatever of them this process may use; absent where the system does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_cpus: Option<usize>,
    /// The kernel's name and release.
    pub kernel: String,
    /// The hypervisor, if the CPU says there is one.
    pub hypervisor: Option<String>,
    /// The operating system's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// Memory in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The frequency governor, where the kernel tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// Whether the kernel lets the clock boost, where it tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boost: Option<bool>,
    /// Family, model and stepping, or the Arm part: what names the microarchitecture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microarchitecture: Option<String>,
    /// Where there is no such CPU: the architecture of the one on which an emulator does its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emulated_on: Option<String>,
    /// The version of Wine, if that stands in for Windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wine: Option<String>,
}

named! {
    /// What a series' figures are.
    #[derive(Default)]
    pub enum Unit {
        /// Bytes per second.
        #[default]
        BytesPerSecond = "bytes/s",
        /// Operations per second.
        OperationsPerSecond = "ops/s",
        /// Operations per minute.
        OperationsPerMinute = "ops/min",
        /// Seconds.
        Seconds = "s",
    }
}

/// The samples of one workload on one library in one state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The level.
    pub level: Level,
    /// What was done.
    pub operation: Operation,
    /// With which algorithm.
    pub algorithm: Algorithm,
    /// On how many bytes.
    pub bytes: usize,
    /// By what.
    pub library: String,
    /// In which version.
    pub library_version: String,
    /// What that is to the laboratory.
    #[serde(default)]
    pub role: Role,
    /// In which state.
    pub acceleration: Acceleration,
    /// What really ran; `unknown` is an honest answer.
    pub code_path: String,
    /// What `median` and `ci95` are in.
    pub unit: Unit,
    /// The timed slices.
    pub samples: Vec<Sample>,
    /// The median over the samples that were kept; absent if the series failed.
    pub median: Option<f64>,
    /// The 95 % interval of the median, low and high; absent where the samples do not support one.
    pub ci95: Option<[f64; 2]>,
    /// Median cycles of the core clock per byte (per operation where there are no bytes).
    pub cycles_per_byte: Option<f64>,
    /// What came of it.
    pub outcome: Outcome,
    /// What a reader must know, or why the series failed.
    #[serde(default)]
    pub note: Option<String>,
    /// Conditions and observations that only its kind of experiment has.
    #[serde(default)]
    pub details: Details,
}

/// Outcome of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The output agreed with an independent implementation or published vectors. Only then it is ranked.
    Measured,
    /// It could not be measured, and why.
    Failed(String),
    /// Nobody checked the output, or it was not what it must be.
    #[default]
    Unverified,
}

/// Beginning of the note of a failed series.
const FAILED: &str = "failed: ";

/// One timed slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// Which start of the worker, from 0.
    pub process: u32,
    /// Which round of the run, from 0.
    pub round: u32,
    /// Operations in the slice, over all threads.
    pub iterations: u64,
    /// Wall time in nanoseconds.
    pub ns: u64,
    /// CPU time of the thread in nanoseconds; with several threads, of all together; of a transfer, of both sides.
    pub cpu_ns: u64,
    /// Whether the slice does not count: the thread did not have its core to itself.
    pub dropped: bool,
    /// Whether it counts although it had not: too few of its series would be left without it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disturbed: bool,
    /// The core clock around the slice in Hz, where it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_hz: Option<f64>,
    /// Of a transfer, what it took on both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<Sides>,
}

impl Sample {
    /// Whether it counts.
    pub fn counts(&self) -> bool {
        !self.dropped && self.ns > 0 && self.iterations > 0
    }
}

/// What a transfer took on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sides {
    /// Who sent the data.
    pub sender: Side,
    /// Who received it.
    pub receiver: Side,
    /// Packets that the sender sent; of TCP nobody counts them here.
    #[serde(skip_serializing_if = "is_zero")]
    pub packets: u64,
    /// Calls of the system in which it sent them.
    #[serde(skip_serializing_if = "is_zero")]
    pub calls: u64,
    /// Packets that it took for lost.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// Whether something else had one of the two cores for more than 5 % of the time. The sample counts all the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disturbed: bool,
}

/// What a process of one side had of the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Side {
    /// CPU time in nanoseconds.
    pub cpu_ns: u64,
    /// Of it, in the kernel.
    pub kernel_ns: u64,
    /// Time it could have run and something else had its core, where the kernel tells.
    #[serde(skip_serializing_if = "is_zero")]
    pub waited_ns: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Run {
    /// Notes `remark`, of one level or of all.
    pub fn note(&mut self, level: Option<Level>, remark: Remark) {
        self.notes.push(level.map_or_else(|| remark.to_string(), |level| format!("{level}: {remark}")));
        self.method.remarks.push(remark);
    }
}

impl Machine {
    /// What it is listed as: its name, else its CPU's; empty if neither is known.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.cpu)
    }

    /// The name of its microarchitecture, where that is known: `Zen 4`.
    pub fn generation(&self) -> Option<&str> {
        let (_, name) = self.microarchitecture.as_deref()?.split_once('(')?;
        Some(name.split_once(')')?.0)
    }

    /// Whether the figures are this CPU's, under the system that is named. If not, they are never ranked.
    pub fn is_genuine(&self) -> bool {
        self.emulated_on.is_none() && self.wine.is_none()
    }
}

impl Series {
    /// A series of `workload` without samples, not verified, its code path unknown.
    pub fn empty(
        level: Level,
        workload: &Workload,
        library: &str,
        library_version: String,
        acceleration: Acceleration,
        unit: Unit,
    ) -> Series {
        Series {
            level,
            operation: workload.operation,
            algorithm: workload.algorithm,
            bytes: workload.bytes,
            library: library.to_owned(),
            library_version,
            role: Role::Library,
            acceleration,
            code_path: UNKNOWN.to_owned(),
            unit,
            samples: Vec::new(),
            median: None,
            ci95: None,
            cycles_per_byte: None,
            outcome: Outcome::Unverified,
            note: None,
            details: Details { experiment: workload.into(), ..Details::default() },
        }
    }

    /// Whether the figure stands for the library on this machine: one thread of the fastest core, and no engine,
    /// provider or option that replaces the library's own work.
    pub fn is_representative(&self) -> bool {
        self.details.threads == 1 && self.apart().is_none()
    }

    /// Adds to what a reader must know.
    pub fn add_note(&mut self, what: &str) {
        self.note = Some(match self.note.take() {
            Some(note) => format!("{note}; {what}"),
            None => what.to_owned(),
        });
    }

    /// Notes that its worker died in the middle, how, and that a fresh one did again what was lost.
    pub fn restarted(&mut self, death: impl std::fmt::Display) {
        self.add_note(&format!("{death}; it was started again and did once more what was lost"));
        self.details.restarts += 1;
    }

    /// Notes why it failed. What was sampled before stays, but no figure is made of it.
    pub fn fail(&mut self, why: impl std::fmt::Display) {
        let why = why.to_string();
        self.note = Some(format!("{FAILED}{why}"));
        self.outcome = Outcome::Failed(why);
        self.median = None;
        self.ci95 = None;
        self.cycles_per_byte = None;
    }

    /// Whether it failed.
    pub fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    /// Whether the output agreed with an independent implementation or published vectors.
    pub fn is_verified(&self) -> bool {
        self.outcome == Outcome::Measured
    }

    /// Whether it may stand in a ranking: verified, with a figure, by a library that is no test double, and no control.
    pub fn is_ranked(&self) -> bool {
        self.is_verified() && self.median.is_some() && self.role != Role::TestDouble && !self.details.control
    }

    /// The figure that `sample` stands for, in this series' unit.
    pub fn figure(&self, sample: &Sample) -> f64 {
        let seconds = sample.ns as f64 * 1e-9;
        let operations = sample.iterations as f64;
        match self.unit {
            Unit::BytesPerSecond => operations * self.bytes as f64 / seconds,
            Unit::OperationsPerSecond => operations / seconds,
            Unit::OperationsPerMinute => operations * 60.0 / seconds,
            Unit::Seconds => seconds / operations,
        }
    }

    /// The seconds that 10⁹ bytes take, if `sample` took so many nanoseconds: of its CPU time, for instance.
    pub fn seconds_a_gigabyte(&self, sample: &Sample, ns: f64) -> Option<f64> {
        let seconds = ns / (sample.iterations as f64 * self.bytes as f64);
        (seconds.is_finite() && seconds > 0.0).then_some(seconds)
    }

    /// Whether it is a figure that somebody else measured and printed: there are no samples to compute it from.
    pub fn is_quoted(&self) -> bool {
        self.samples.is_empty() && self.median.is_some()
    }

    /// The samples that count.
    pub fn kept(&self) -> impl Iterator<Item = &Sample> {
        self.samples.iter().filter(|sample| sample.counts())
    }
}
