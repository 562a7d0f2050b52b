//! The run document: the results of one run in the form in which they are stored, exported and imported.
//!
//! Optional fields may be added without changing [`SCHEMA`]. Any other change increases that number, and importers
//! reject documents with another number.

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
    TransferDetails, WITH_OPENSSL,
};
pub use remark::{Reason, Remark};

pub const SCHEMA: u32 = 1;

/// Assumed noise floor if a run measured none: 3 %, more than any machine has shown.
pub const FLOOR_IF_UNKNOWN: f64 = 0.03;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub schema: u32,
    pub run: Run,
    pub machine: Machine,
    pub series: Vec<Series>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// Unique name of the run. Names sort by time.
    pub id: String,
    /// Start time, RFC 3339 in UTC.
    pub started: String,
    /// Version of Kasoku that measured; empty for figures of other origin.
    pub kasoku: String,
    pub command: String,
    /// Whether the run ended normally on a real CPU. Incomplete runs are never ranked.
    pub complete: bool,
    /// Duration in seconds; `None` while incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    pub method: Method,
    /// Observations during the run that its readers should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Each measured library in each acceleration state, as the library describes itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<FoundLibrary>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub omissions: Vec<Omission>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Label that a user gave the run (see [`label`](crate::run_name::label)).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::run_name::read_label")]
    pub label: Option<String>,
}

/// Origin of figures that Kasoku did not measure. Such figures have no samples, no intervals and no verified output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub kind: OriginKind,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Remark of the person who imported or published the figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

named! {
    pub enum OriginKind {
        /// Output of another program, such as `openssl speed`.
        Transcript = "transcript",
        Published = "published",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FoundLibrary {
    pub library: String,
    pub version: String,
    pub acceleration: Option<Acceleration>,
    /// CPU features that the library reports to use; `None` if it reports none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_features: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded_from: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Method {
    pub processes: u32,
    /// Number of rounds over all processes.
    pub rounds: u32,
    /// Intended length of a slice, in milliseconds.
    pub slice_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_clock: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_hz: Option<f64>,
    /// Smallest relative difference above noise (0.005 is 0.5 %), from measuring one library against itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_floor: Option<f64>,
    /// Noise floor of each algorithm, by name, which a claimed difference must exceed. Floors differ because code that
    /// fills the CPU's ports suffers more from busy neighbours than code that waits for its own results.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub noise_floors: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_floor_library: Option<String>,
    /// Cost in nanoseconds per call of the loop that measures. It is not subtracted from figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_ns: Option<f64>,
    /// System limits that may bound a web server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limit {
    pub name: String,
    pub value: String,
    /// Value that the published measurement set; `None` if it does not state one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Number of simultaneous connections that the limit allows, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<u64>,
}

impl Method {
    /// Returns the noise floor of `algorithm`. If it is unknown, returns that of the whole run, or else
    /// [`FLOOR_IF_UNKNOWN`].
    pub fn floor(&self, algorithm: Algorithm) -> f64 {
        let is_sound = |floor: &f64| floor.is_finite() && *floor >= 0.0;
        let own = self.noise_floors.get(algorithm.name()).copied().filter(is_sound);
        own.or(self.noise_floor.filter(is_sound)).unwrap_or(FLOOR_IF_UNKNOWN)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Omission {
    pub level: Level,
    /// Name of the omitted library; empty if a whole level is omitted.
    pub library: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<Acceleration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    pub why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

impl Omission {
    /// Creates an omission of a whole level, or of a part that `why` names.
    pub fn new(level: Level, why: String) -> Omission {
        Omission { level, why, ..Omission::default() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// Name by which people know the machine, if it differs from the CPU's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub cpu: String,
    /// Architecture as Rust names it, such as `x86_64`.
    pub arch: String,
    /// CPU features that matter for cryptography, such as `pclmulqdq`.
    pub features: Vec<String>,
    /// Number of logical CPUs that this process may use.
    pub cores: usize,
    /// Number of logical CPUs of the machine, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_cpus: Option<usize>,
    pub kernel: String,
    pub hypervisor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boost: Option<bool>,
    /// Family, model and stepping, or the Arm part, with the name of the microarchitecture in parentheses if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microarchitecture: Option<String>,
    /// Architecture of the real CPU; `None` unless an emulator runs this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emulated_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wine: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microcode: Option<String>,
    /// Linux's words on each vulnerability of the CPU, by the vulnerability's name. Leaves out those that do not affect
    /// the CPU.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mitigations: BTreeMap<String, String>,
    /// Version of the compiler that built Kasoku and the libraries that are Rust crates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolchain: Option<String>,
    /// Beginning of the SHA-256 hash of the program that measured, which differs between two builds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

named! {
    #[derive(Default)]
    pub enum Unit {
        #[default]
        BytesPerSecond = "bytes/s",
        OperationsPerSecond = "ops/s",
        OperationsPerMinute = "ops/min",
        Seconds = "s",
    }
}

/// The samples of one workload on one library in one acceleration state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub level: Level,
    pub operation: Operation,
    pub algorithm: Algorithm,
    pub bytes: usize,
    pub library: String,
    pub library_version: String,
    #[serde(default)]
    pub role: Role,
    pub acceleration: Acceleration,
    /// Names of the instructions that the library was observed to run, or `unknown`.
    pub code_path: String,
    pub unit: Unit,
    pub samples: Vec<Sample>,
    /// Median of the samples that count; `None` if the series failed.
    pub median: Option<f64>,
    /// 95 % interval of the median; `None` if there are too few samples.
    pub ci95: Option<[f64; 2]>,
    /// Median core cycles per byte, or per operation if the operation has no bytes.
    pub cycles_per_byte: Option<f64>,
    pub outcome: Outcome,
    /// Remark for readers, or the reason for failure.
    #[serde(default)]
    pub note: Option<String>,
    #[serde(default)]
    pub details: Details,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The output agreed with an independent implementation or with published vectors. Only such series are ranked.
    Measured,
    Failed(String),
    #[default]
    Unverified,
}

const FAILED: &str = "failed: ";

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    pub process: u32,
    pub round: u32,
    /// Number of operations in the slice over all threads.
    pub iterations: u64,
    pub ns: u64,
    /// CPU time of all threads in nanoseconds. For a transfer, CPU time of the sender and the receiver.
    pub cpu_ns: u64,
    /// Whether the slice does not count, because other programs used its core.
    pub dropped: bool,
    /// Whether the slice counts although other programs used its core, because too few undisturbed slices are left.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disturbed: bool,
    /// Core clock around the slice in Hz, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_hz: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<Sides>,
}

impl Sample {
    pub fn counts(&self) -> bool {
        !self.dropped && self.ns > 0 && self.iterations > 0
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sides {
    pub sender: Side,
    pub receiver: Side,
    /// Number of packets that the sender sent; 0 for TCP, whose packets are not counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub packets: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub calls: u64,
    /// Number of packets that the sender declared lost.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// Whether other programs or the hypervisor used the sender's or the receiver's core for more than 5 % of a
    /// transfer. The sample counts nevertheless.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disturbed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Side {
    pub cpu_ns: u64,
    /// Part of the CPU time that was spent in the kernel, in nanoseconds.
    pub kernel_ns: u64,
    /// Nanoseconds for which the process was ready while other programs had its core; 0 if unknown.
    #[serde(skip_serializing_if = "is_zero")]
    pub waited_ns: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Run {
    pub fn note(&mut self, level: Option<Level>, remark: Remark) {
        self.notes.push(level.map_or_else(|| remark.to_string(), |level| format!("{level}: {remark}")));
        self.method.remarks.push(remark);
    }
}

impl Machine {
    /// Returns the name of the machine, or else the name of its CPU; empty if neither is known.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.cpu)
    }

    /// Returns the name of the microarchitecture, such as `Zen 4`, if known.
    pub fn generation(&self) -> Option<&str> {
        let (_, name) = self.microarchitecture.as_deref()?.split_once('(')?;
        Some(name.split_once(')')?.0)
    }

    /// Whether the run used a real CPU and system, without an emulator or Wine. Other runs are never ranked.
    pub fn is_genuine(&self) -> bool {
        self.emulated_on.is_none() && self.wine.is_none()
    }
}

impl Series {
    /// Creates an unverified series of `workload` without samples.
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

    /// Whether the figure represents the library on this machine. It then uses one thread on the fastest core, and no
    /// engine, provider or option that replaces the library's own code.
    pub fn is_representative(&self) -> bool {
        self.details.threads == 1 && self.apart().is_none()
    }

    pub fn add_note(&mut self, what: &str) {
        self.note = Some(match self.note.take() {
            Some(note) => format!("{note}; {what}"),
            None => what.to_owned(),
        });
    }

    /// Records that the worker died and that a new one repeated the lost samples.
    pub fn restarted(&mut self, death: impl std::fmt::Display) {
        self.add_note(&format!("{death}; it was started again and did once more what was lost"));
        self.details.restarts += 1;
    }

    /// Marks the series as failed. Its samples stay, but no figure is computed from them.
    pub fn fail(&mut self, why: impl std::fmt::Display) {
        let why = why.to_string();
        self.note = Some(format!("{FAILED}{why}"));
        self.outcome = Outcome::Failed(why);
        self.median = None;
        self.ci95 = None;
        self.cycles_per_byte = None;
    }

    pub fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    pub fn is_verified(&self) -> bool {
        self.outcome == Outcome::Measured
    }

    /// Whether the series may be ranked: it is verified, has a figure, and is neither a test double nor a control.
    pub fn is_ranked(&self) -> bool {
        self.is_verified() && self.median.is_some() && self.role != Role::TestDouble && !self.details.control
    }

    /// Returns the figure of `sample` in the series' unit.
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

    /// Returns the seconds per 10⁹ bytes if `ns` nanoseconds of wall or CPU time passed during `sample`.
    pub fn seconds_a_gigabyte(&self, sample: &Sample, ns: f64) -> Option<f64> {
        let seconds = ns / (sample.iterations as f64 * self.bytes as f64);
        (seconds.is_finite() && seconds > 0.0).then_some(seconds)
    }

    /// Whether the figure is imported or published, and so has no samples.
    pub fn is_quoted(&self) -> bool {
        self.samples.is_empty() && self.median.is_some()
    }

    pub fn kept(&self) -> impl Iterator<Item = &Sample> {
        self.samples.iter().filter(|sample| sample.counts())
    }
}
