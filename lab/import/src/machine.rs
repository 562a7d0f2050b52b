//! Collects the figures of one machine in a transcript and makes its run document.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use super::ImportedMachine;
use super::build_information::{BuildInformation, NOT_STATED};
use super::collected::Collected;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{
    Details, Document, Experiment, FoundLibrary, Machine, Omission, Origin, OriginKind, QuotedDetails, Run, SCHEMA,
    Series, Unit,
};
use kasoku_model::level::Level;
use kasoku_model::library::{AWS_LC, OPENSSL};
use kasoku_model::openssl_speed::{self, AeadRow};
use kasoku_model::printable::printable;
use kasoku_model::workload::{Operation, Workload};

const MAX_MISSING: usize = 200;

/// Conditions under which a figure was measured. Of two figures of one machine under equal conditions, one repeats or
/// contradicts the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Measured {
    pub(super) operation: Operation,
    pub(super) algorithm: Algorithm,
    /// Size of a message; `None` for operations without a size.
    pub(super) bytes: Option<usize>,
    pub(super) acceleration: Acceleration,
    /// Whether openssl called the cipher's own function and not EVP.
    pub(super) is_low_level: bool,
    /// Meaning of an AEAD's figure, unless the version determines it.
    pub(super) aead_row: Option<AeadRow>,
    pub(super) processes: u64,
    /// The CPU core, on boards with several kinds.
    pub(super) core: Option<String>,
    /// Reason why the figure does not represent OpenSSL's own throughput, if there is one.
    pub(super) apart: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    New,
    Repeated,
    /// Another figure under equal conditions is on the line with this number.
    Second(usize),
}

#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) build: BuildInformation,
    pub(super) collected: Collected,
    pub(super) lines: (usize, usize),
    pub(super) commands: Vec<String>,
    /// Figures with their line numbers.
    pub(super) seen: HashMap<Measured, (f64, usize)>,
    /// Figures in the order of the transcript.
    pub(super) figures: Vec<(Measured, f64)>,
    /// Algorithms that openssl reports as unknown, each with its message.
    pub(super) missing: Vec<(String, String)>,
}

impl Reading {
    pub(super) fn add(&mut self, measured: Measured, figure: f64, line: usize) -> Added {
        match self.seen.get(&measured) {
            Some((known, _)) if *known == figure => Added::Repeated,
            Some((_, line)) => Added::Second(*line),
            None => {
                self.figures.push((measured.clone(), figure));
                self.seen.insert(measured, (figure, line));
                Added::New
            }
        }
    }

    /// Whether a different figure under equal conditions is below line `since`.
    pub(super) fn contradicts(&self, measured: &Measured, figure: f64, since: usize) -> bool {
        self.seen.get(measured).is_some_and(|(known, line)| figure != 0.0 && *known != figure && *line > since)
    }

    /// Records an algorithm that openssl reports as unknown in `line`.
    pub(super) fn lacks(&mut self, name: &str, algorithm: Option<Algorithm>, line: &str) {
        let name = algorithm.map_or_else(|| printable(name), |algorithm| algorithm.name().to_owned());
        if self.missing.len() < MAX_MISSING && !self.missing.iter().any(|(known, _)| *known == name) {
            self.missing.push((name, printable(line)));
        }
    }

    /// Marks the figures of slower cores as not representative: the fastest core represents the board.
    fn set_slower_cores_apart(&mut self) {
        let mut fastest: HashMap<Measured, f64> = HashMap::new();
        let of_board = |measured: &Measured| Measured { core: None, ..measured.clone() };
        for (measured, figure) in self.figures.iter().filter(|(measured, _)| measured.core.is_some()) {
            let known = fastest.entry(of_board(measured)).or_default();
            *known = known.max(*figure);
        }
        for (measured, figure) in &mut self.figures {
            if let (Some(core), None) = (&measured.core, &measured.apart)
                && fastest.get(&of_board(measured)).is_some_and(|fastest| *figure < *fastest)
            {
                measured.apart = Some(format!("core {core}"));
            }
        }
    }

    pub(super) fn finish(mut self, source: &str) -> ImportedMachine {
        self.set_slower_cores_apart();
        let version = self.build.version.as_ref();
        let library = version.map_or(OPENSSL, |version| version.library());
        let library_version = version.map_or_else(|| NOT_STATED.to_owned(), ToString::to_string);
        let is_openssl = library != AWS_LC && library != "boringssl";
        let series = |(measured, figure): &_| series(measured, *figure, library, &library_version);
        let series: Vec<Series> = self.figures.iter().map(series).collect();
        let states: BTreeSet<Acceleration> = self.figures.iter().map(|(measured, _)| measured.acceleration).collect();
        let cpu_features = self.build.cpu_info.as_ref().map(|info| printable(&info.text));
        let libraries = states.into_iter().map(|state| FoundLibrary {
            library: library.to_owned(),
            version: library_version.clone(),
            acceleration: Some(state),
            cpu_features: cpu_features.clone(),
            loaded_from: None,
        });
        let omissions = self.missing.iter().map(|(name, why)| Omission {
            level: Level::Primitives,
            library: library.to_owned(),
            algorithm: Some(name.clone()),
            why: why.clone(),
            ..Omission::default()
        });
        let run = Run {
            id: format!("imported-{}", identity(&self.build, &series)),
            started: self.collected.get("date").cloned().unwrap_or_default(),
            command: self.commands.iter().map(|command| printable(command)).collect::<Vec<_>>().join("; "),
            complete: true,
            libraries: libraries.collect(),
            omissions: omissions.collect(),
            notes: openssl_speed::explained(&series).into_iter().filter(|_| is_openssl).collect(),
            origin: Some(Origin { kind: OriginKind::Transcript, source: printable(source), address: None, note: None }),
            ..Run::default()
        };
        let architecture = self.build.architecture().or_else(|| self.collected.architecture());
        let features = self.build.cpu_info.as_ref().map(|info| info.features()).unwrap_or_default();
        let collected = |key| self.collected.get(key).cloned();
        let machine = Machine {
            name: collected("name"),
            cpu: collected("cpu").unwrap_or_default(),
            arch: architecture.unwrap_or_default().to_owned(),
            features: features.into_iter().map(str::to_owned).collect(),
            kernel: collected("kernel").unwrap_or_default(),
            os: collected("os"),
            ..Machine::default()
        };
        ImportedMachine { document: Document { schema: SCHEMA, run, machine, series }, lines: self.lines }
    }
}

/// Number of bytes of AAD with `-aead`.
const AAD: usize = 13;

fn series(measured: &Measured, figure: f64, library: &str, library_version: &str) -> Series {
    let details = Details {
        threads: measured.processes.max(1),
        experiment: Experiment::Quoted(QuotedDetails {
            aad: measured.aead_row.filter(|row| *row != AeadRow::Updates).map(|_| AAD),
            aead_row: measured.aead_row,
            is_low_level: measured.is_low_level,
            core: measured.core.clone(),
            apart: measured.apart.clone(),
        }),
        ..Details::default()
    };
    let &Measured { operation, algorithm, bytes, acceleration, .. } = measured;
    let mut workload = Workload::new(operation, algorithm, 0);
    workload.bytes = bytes.unwrap_or(workload.bytes);
    let unit = if bytes.is_some() { Unit::BytesPerSecond } else { Unit::OperationsPerSecond };
    let version = library_version.to_owned();
    Series {
        median: Some(figure),
        details,
        ..Series::empty(Level::Primitives, &workload, library, version, acceleration, unit)
    }
}

/// Hashes the build and the figures without names of files or machines, so that equal runs are stored once.
fn identity(build: &BuildInformation, series: &[Series]) -> String {
    let line = |series: &Series| {
        let Series { operation, algorithm, bytes, acceleration, details, median, .. } = series;
        let figure = median.unwrap_or_default().to_bits();
        let details = serde_json::to_string(details).unwrap_or_default();
        format!("{operation} {algorithm} {bytes} {acceleration} {details} {figure:016x}")
    };
    let mut lines: Vec<String> = series.iter().map(line).collect();
    lines.sort_unstable();
    let version = build.version.as_ref().map(ToString::to_string);
    let build = [version, build.built.clone(), build.compiler.clone()].map(Option::unwrap_or_default);
    let mut hash = Sha256::new();
    for line in build.iter().chain(&lines) {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
