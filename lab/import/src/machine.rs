//! A machine in a transcript while it is read, and the run that comes of it.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::ImportedMachine;
use super::build_information::BuildInformation;
use super::collected::Collected;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{
    Document, FoundLibrary, Machine, Omission, Origin, OriginKind, Run, SCHEMA, Series, Unit,
};
use kasoku_model::openssl_speed::{self, AeadRow};
use kasoku_model::printable::printable;
use kasoku_model::workload::{Operation, Workload};

/// The most that is kept of what openssl says it does not have.
const MAX_MISSING: usize = 200;
/// What a version is called that no line states.
const NOT_STATED: &str = "version not stated";

/// One figure and what it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ImportedFigure {
    pub(super) operation: Operation,
    pub(super) algorithm: Algorithm,
    /// The size of a message; nothing where the operation has none.
    pub(super) bytes: Option<usize>,
    pub(super) acceleration: Acceleration,
    /// Whether the cipher's own function was called, and not EVP.
    pub(super) is_low_level: bool,
    /// What it is of, where that does not follow from the version.
    pub(super) aead_row: Option<AeadRow>,
    /// How many processes worked at once.
    pub(super) processes: u64,
    pub(super) figure: f64,
}

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It is new.
    New,
    /// It is above already.
    Repeated,
    /// Another figure of the same workload is on that line.
    Second(usize),
}

type Key = (Operation, Algorithm, Option<usize>, Acceleration, bool, u64);

/// A machine while its lines are read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) build: BuildInformation,
    pub(super) collected: Collected,
    /// The first and the last line that say something of it.
    pub(super) lines: (usize, usize),
    /// The commands, where they are known.
    pub(super) commands: Vec<String>,
    seen: HashMap<Key, (f64, usize)>,
    order: Vec<ImportedFigure>,
    missing: Vec<(String, String)>,
}

impl Reading {
    /// One without figures yet.
    pub(super) fn new(build: BuildInformation, collected: Collected, lines: (usize, usize)) -> Reading {
        Reading { build, collected, lines, ..Reading::default() }
    }

    /// Notes that a line says something of it.
    pub(super) fn extend_to(&mut self, line: usize) {
        self.lines.1 = self.lines.1.max(line);
    }

    /// Adds a figure on `line`.
    pub(super) fn add(&mut self, measured: ImportedFigure, line: usize) -> Added {
        let ImportedFigure { operation, algorithm, bytes, acceleration, is_low_level, processes, figure, .. } =
            measured;
        let key = (operation, algorithm, bytes, acceleration, is_low_level, processes);
        match self.seen.get(&key) {
            Some((known, _)) if *known == figure => Added::Repeated,
            Some((_, line)) => Added::Second(*line),
            None => {
                self.seen.insert(key, (figure, line));
                self.order.push(measured);
                Added::New
            }
        }
    }

    /// Notes what openssl says it does not have.
    pub(super) fn lacks(&mut self, name: &str, algorithm: Option<Algorithm>, line: &str) {
        let name = algorithm.map_or_else(|| printable(name), |algorithm| algorithm.name().to_owned());
        if self.missing.len() < MAX_MISSING && !self.missing.iter().any(|(known, _)| *known == name) {
            self.missing.push((name, printable(line)));
        }
    }

    /// Whether it has any figure.
    pub(super) fn has_figures(&self) -> bool {
        !self.order.is_empty()
    }

    /// The run.
    pub(super) fn finish(self, source: &str) -> ImportedMachine {
        let version = self.build.version.as_ref();
        let library = version.map_or("openssl", |version| version.library());
        let library_version = version.map_or_else(|| NOT_STATED.to_owned(), ToString::to_string);
        let series: Vec<Series> =
            self.order.iter().map(|measured| series(measured, library, &library_version)).collect();
        let states: BTreeSet<Acceleration> = self.order.iter().map(|measured| measured.acceleration).collect();
        let cpu_features = self.build.cpu_info.as_ref().map(|info| printable(&info.text));
        let libraries = states.into_iter().map(|state| FoundLibrary {
            library: library.to_owned(),
            version: library_version.clone(),
            acceleration: Some(state),
            cpu_features: cpu_features.clone(),
            loaded_from: None,
        });
        let omissions = self.missing.iter().map(|(name, why)| Omission {
            level: LEVEL.to_owned(),
            library: library.to_owned(),
            algorithm: Some(name.clone()),
            why: why.clone(),
            ..Omission::default()
        });
        let run = Run {
            id: format!("imported-{}", identity(&self.build, &series)),
            started: self.collected.date.clone().unwrap_or_default(),
            command: self.commands.iter().map(|command| printable(command)).collect::<Vec<_>>().join("; "),
            complete: true,
            libraries: libraries.collect(),
            omissions: omissions.collect(),
            notes: openssl_speed::explained(&series).into_iter().collect(),
            origin: Some(Origin { kind: OriginKind::Transcript, source: printable(source), address: None, note: None }),
            ..Run::default()
        };
        let architecture = self.build.architecture().or_else(|| self.collected.architecture());
        let features = self.build.cpu_info.as_ref().map(|info| info.features()).unwrap_or_default();
        let machine = Machine {
            name: self.collected.name.clone(),
            cpu: self.collected.cpu.clone().unwrap_or_default(),
            arch: architecture.unwrap_or_default().to_owned(),
            features: features.into_iter().map(str::to_owned).collect(),
            kernel: self.collected.kernel.clone().unwrap_or_default(),
            os: self.collected.os.clone(),
            ..Machine::default()
        };
        ImportedMachine { document: Document { schema: SCHEMA, run, machine, series }, lines: self.lines }
    }
}

const LEVEL: &str = "primitives";
/// Bytes of associated data that `-aead` sets.
const AAD: usize = 13;

fn series(measured: &ImportedFigure, library: &str, library_version: &str) -> Series {
    let mut parameters = Map::new();
    if measured.processes > 1 {
        parameters.insert("threads".to_owned(), Value::from(measured.processes));
    }
    if measured.is_low_level {
        parameters.insert("interface".to_owned(), Value::from("low-level"));
    }
    if let Some(row) = measured.aead_row {
        parameters.insert(openssl_speed::PARAMETER.to_owned(), Value::from(row.name()));
        if row != AeadRow::Updates {
            parameters.insert("aad".to_owned(), Value::from(AAD));
        }
    }
    let ImportedFigure { operation, algorithm, bytes, acceleration, figure, .. } = *measured;
    let mut workload = Workload::new(operation, algorithm, 0);
    workload.bytes = bytes.unwrap_or(workload.bytes);
    let unit = if bytes.is_some() { Unit::BytesPerSecond } else { Unit::OperationsPerSecond };
    let version = library_version.to_owned();
    Series { median: Some(figure), parameters, ..Series::empty(LEVEL, &workload, library, version, acceleration, unit) }
}

/// What is the same for the same figures of the same build, whatever the file or the machine is called: so that nothing
/// is stored twice.
fn identity(build: &BuildInformation, series: &[Series]) -> String {
    let words =
        |text: &Option<String>| text.as_deref().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = series
        .iter()
        .map(|series| {
            let Series { operation, algorithm, bytes, acceleration, parameters, median, .. } = series;
            let figure = median.unwrap_or_default().to_bits();
            let parameters = Value::Object(parameters.clone());
            format!("{operation} {algorithm} {bytes} {acceleration} {parameters} {figure:016x}")
        })
        .collect();
    lines.sort_unstable();
    let version = build.version.as_ref().map(ToString::to_string);
    let mut hash = Sha256::new();
    for line in [words(&version), words(&build.built), words(&build.compiler)].iter().chain(&lines) {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
