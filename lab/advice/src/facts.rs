//! Answers the rules' questions about a run document: which figures, which comparisons, which CPU features.

use std::collections::{BTreeMap, BTreeSet};

use super::figure::{Figure, FigureComparison, QUOTED_MARGIN};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Instructions};
use kasoku_model::code_path::uses_aes_instructions;
use kasoku_model::document::{Document, Series};
use kasoku_model::level::Level;
use kasoku_model::library::{OPENSSL, Role, VersionNumber, version_in};
use kasoku_model::workload::{NonceForm, Operation};

/// Size in bytes at which one figure stands for an algorithm: the largest size that `openssl speed` measures.
const YARDSTICK: usize = 16_384;
/// Sizes of QUIC payloads, in bytes, over Ethernet and in published measurements.
const PACKET: [usize; 3] = [1350, 1440, 1420];

type Library<'a> = (&'a str, &'a str);
type Key<'a> = (Library<'a>, Acceleration, Operation, Algorithm);
type BySize<'a> = BTreeMap<usize, &'a Series>;

pub struct Facts<'a> {
    pub(super) document: &'a Document,
    index: BTreeMap<Key<'a>, BySize<'a>>,
    /// The library whose figures advice is based on, with its version: OpenSSL, which most programs use, or else the
    /// one with the most algorithms.
    pub library: Option<Library<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aead {
    AesGcm,
    ChaCha20,
}

/// Evidence that the CPU has, or lacks, AES instructions.
#[derive(Clone, Debug, PartialEq)]
pub enum AesInstructions {
    /// The CPU lists AES instructions, they were seen running, or no other explanation fits the figures.
    Present,
    /// The CPU's list of features has no AES instructions.
    NotListed,
    /// ChaCha20-Poly1305 is so much faster than AES-GCM that there cannot be AES instructions.
    NoSign(Box<FigureComparison>),
    Unknown,
}

impl AesInstructions {
    pub(super) fn are_missing(&self) -> bool {
        matches!(self, AesInstructions::NotListed | AesInstructions::NoSign(_))
    }
}

/// Ratio of AES-GCM's speed to ChaCha20-Poly1305's, above which the CPU must have AES instructions.
const SIGN: f64 = 1.1;
/// Ratio of ChaCha20-Poly1305's speed to AES-GCM's, above which the CPU cannot have AES instructions.
const NO_SIGN: f64 = 1.5;
/// Ratio of AES's speed with acceleration on to off, above which the CPU must have AES instructions.
const GAIN: f64 = 1.5;

impl<'a> Facts<'a> {
    /// Reads a document. For interrupted runs there are no figures, only facts about the machine.
    pub fn new(document: &'a Document) -> Self {
        let may_be_quoted = document.run.origin.is_some();
        let mut index: BTreeMap<_, BySize<'_>> = BTreeMap::new();
        let mut tasks: BTreeMap<Library<'_>, BTreeSet<(Operation, Algorithm)>> = BTreeMap::new();
        for series in document.series.iter().filter(|series| document.run.complete && is_plain(series)) {
            if Figure::of(series, may_be_quoted).is_some() {
                let library = (series.library.as_str(), series.library_version.as_str());
                let key = (library, series.acceleration, series.operation, series.algorithm);
                index.entry(key).or_default().entry(series.bytes).or_insert(series);
                tasks.entry(library).or_default().insert((series.operation, series.algorithm));
            }
        }
        let weight = |(name, version): Library<'_>, tasks: usize| (name == OPENSSL, tasks, version_in(version));
        let libraries = tasks.into_iter().map(|(library, tasks)| (weight(library, tasks.len()), library));
        Facts { document, index, library: libraries.max().map(|(_, library)| library) }
    }

    /// Returns the version of OpenSSL if advice is based on it and the version is known.
    pub fn openssl_version(&self) -> Option<VersionNumber> {
        let (_, version) = self.library.filter(|(library, _)| *library == OPENSSL)?;
        version_in(version)
    }

    /// Returns the figure of an algorithm's main operation at 16 KiB or the nearest size.
    pub fn figure(&self, algorithm: Algorithm) -> Option<Figure> {
        self.figure_of(algorithm, main_operation(algorithm))
    }

    pub fn figure_of(&self, algorithm: Algorithm, operation: Operation) -> Option<Figure> {
        let series = nearest(&self.as_the_machine_is(algorithm, operation))?;
        Figure::of(series, self.document.run.origin.is_some())
    }

    /// Compares the main operations of two algorithms at the size nearest to 16 KiB that both have.
    pub fn comparison(&self, first: Algorithm, second: Algorithm) -> Option<FigureComparison> {
        self.comparison_of(first, second, main_operation(first))
    }

    /// Compares `operation` of two algorithms like [`Facts::comparison`]. If `second` does not have it, its main
    /// operation is compared.
    pub fn comparison_of(&self, first: Algorithm, second: Algorithm, operation: Operation) -> Option<FigureComparison> {
        let mut others = self.as_the_machine_is(second, operation);
        if others.is_empty() {
            others = self.as_the_machine_is(second, main_operation(second));
        }
        self.compare_nearest(&self.as_the_machine_is(first, operation), &others)
    }

    /// Compares two algorithms at the first size of QUIC packets at which both were measured.
    pub fn comparison_on_packets(&self, first: Algorithm, second: Algorithm) -> Option<FigureComparison> {
        let [first, second] = [first, second].map(|one| self.as_the_machine_is(one, main_operation(one)));
        PACKET.iter().find_map(|bytes| self.compare(first.get(bytes)?, second.get(bytes)?))
    }

    /// Compares the speed of an algorithm with acceleration on to its speed with acceleration off.
    pub fn gain(&self, algorithm: Algorithm) -> Option<FigureComparison> {
        let series = |state| self.by_size(algorithm, main_operation(algorithm), state);
        self.compare_nearest(&series(Acceleration::On), &series(Acceleration::Off))
    }

    /// Compares the run's other libraries with [`Facts::library`] at an algorithm; the fastest come first.
    pub fn elsewhere(&self, algorithm: Algorithm) -> Vec<FigureComparison> {
        let operation = main_operation(algorithm);
        let Some(own) = nearest(&self.as_the_machine_is(algorithm, operation)) else { return Vec::new() };
        let is_other = |(who, state, of, with): &Key<'_>| {
            (*state, *of, *with) == (Acceleration::On, operation, algorithm) && Some(*who) != self.library
        };
        let others = self.index.iter().filter(|(key, _)| is_other(key));
        let mut comparisons: Vec<FigureComparison> =
            others.filter_map(|(_, by_size)| self.compare(by_size.get(&own.bytes)?, own)).collect();
        comparisons.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        comparisons
    }

    /// Compares AES-GCM with ChaCha20-Poly1305: AES-128-GCM if it was measured, as in published tables.
    pub fn aead_comparison(&self) -> Option<FigureComparison> {
        [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm]
            .into_iter()
            .find_map(|gcm| self.comparison(gcm, Algorithm::ChaCha20Poly1305))
    }

    /// Returns the preferred AEAD: the faster one. If no difference is shown, prefers ChaCha20-Poly1305 on CPUs without
    /// AES instructions, whose AES software may leak keys through timing, and AES-GCM on other CPUs.
    pub fn aead(&self) -> Option<Aead> {
        let comparison = self.aead_comparison()?;
        let is_slower = || comparison.is_second_faster() || self.aes_instructions().are_missing();
        Some(if !comparison.is_first_faster() && is_slower() { Aead::ChaCha20 } else { Aead::AesGcm })
    }

    /// Whether AES-256-GCM costs too little throughput to prefer AES-128-GCM.
    pub fn is_256_cheap(&self) -> bool {
        let comparison = self.comparison(Algorithm::Aes128Gcm, Algorithm::Aes256Gcm);
        comparison.is_some_and(|one| !one.is_first_faster() || one.ratio < 1.0 + QUOTED_MARGIN)
    }

    pub fn aes_instructions(&self) -> AesInstructions {
        let uses_aes = |algorithm: &&Algorithm| algorithm.instructions() == Instructions::Aes;
        let mut seen = Algorithm::ALL.iter().filter(uses_aes).flat_map(|algorithm| self.code_paths(*algorithm));
        let is_gain = |algorithm| self.gain(algorithm).is_some_and(|gain| gain.ratio > GAIN);
        match (self.has("aes"), self.aead_comparison()) {
            (Some(true), _) => AesInstructions::Present,
            (Some(false), _) => AesInstructions::NotListed,
            _ if seen.any(uses_aes_instructions) => AesInstructions::Present,
            (_, Some(aeads)) if aeads.ratio > SIGN => AesInstructions::Present,
            (_, Some(aeads)) if aeads.ratio < 1.0 / NO_SIGN => AesInstructions::NoSign(Box::new(aeads.turned())),
            _ if [Algorithm::Aes256Cbc, Algorithm::Aes128Cbc, Algorithm::Aes128Gcm].into_iter().any(is_gain) => {
                AesInstructions::Present
            }
            _ => AesInstructions::Unknown,
        }
    }

    /// Whether the CPU has a feature; `None` if that is not known. The list of a transcript may lack features that a
    /// capability mask hid.
    pub fn has(&self, feature: &str) -> Option<bool> {
        let Document { machine, run, .. } = self.document;
        let mut settings = run.libraries.iter().filter_map(|found| found.cpu_features.as_deref());
        let is_masked = run.origin.is_some() && settings.any(masked_by_environment);
        let is_listed = machine.features.iter().any(|name| name == feature);
        (is_listed || !machine.features.is_empty() && !is_masked).then_some(is_listed)
    }

    /// Returns the code paths of an algorithm in [`Facts::library`] with acceleration on; empty if none was observed.
    pub fn code_paths(&self, algorithm: Algorithm) -> BTreeSet<&'a str> {
        let is_meant = |key: &Key<'_>| (Some(key.0), key.1, key.3) == (self.library, Acceleration::On, algorithm);
        let series = self.index.iter().filter(|(key, _)| is_meant(key)).flat_map(|(_, by_size)| by_size.values());
        let paths = series.map(|series| series.code_path.as_str());
        paths.filter(|path| !path.is_empty() && *path != kasoku_model::code_path::UNKNOWN).collect()
    }

    pub(super) fn compare(&self, first: &Series, second: &Series) -> Option<FigureComparison> {
        FigureComparison::of(first, second, &self.document.run.method, self.document.run.origin.is_some())
    }

    /// Compares series at the size nearest to 16 KiB that both maps have.
    fn compare_nearest(&self, first: &BySize<'_>, second: &BySize<'_>) -> Option<FigureComparison> {
        let pairs = first.iter().filter_map(|(bytes, one)| Some((*bytes, (*one, *second.get(bytes)?))));
        let (one, other) = nearest(&pairs.collect())?;
        self.compare(one, other)
    }

    /// Returns the series with acceleration on. For algorithms without instructions of their own, adds the series with
    /// acceleration off, because acceleration makes no difference to these algorithms.
    fn as_the_machine_is(&self, algorithm: Algorithm, operation: Operation) -> BySize<'a> {
        let mut series = match algorithm.instructions() {
            Instructions::None => self.by_size(algorithm, operation, Acceleration::Off),
            _ => BySize::new(),
        };
        series.extend(self.by_size(algorithm, operation, Acceleration::On));
        series
    }

    fn by_size(&self, algorithm: Algorithm, operation: Operation, state: Acceleration) -> BySize<'a> {
        let series = self.library.and_then(|who| self.index.get(&(who, state, operation, algorithm)));
        series.cloned().unwrap_or_default()
    }
}

/// Whether OpenSSL reports a mask from its environment: `OPENSSL_ia32cap=0x…:0x… env:~0x…`.
pub(super) fn masked_by_environment(settings: &str) -> bool {
    settings.split_once(" env:").is_some_and(|(_, value)| !value.trim().is_empty())
}

/// Whether a series was measured under the conditions in which algorithms are compared: one thread, one key, nonces
/// made ahead.
fn is_plain(series: &Series) -> bool {
    let workload = series.workload();
    series.level == Level::Primitives
        && !series.details.control
        && series.role != Role::TestDouble
        && series.is_representative()
        && workload.keys == 1
        && workload.nonces == NonceForm::Ahead
}

fn main_operation(algorithm: Algorithm) -> Operation {
    Operation::of(algorithm.kind()).first().copied().unwrap_or(Operation::Hash)
}

/// Returns the value at 16 KiB, or at the nearest size below, or at the smallest.
fn nearest<T: Copy>(by_size: &BTreeMap<usize, T>) -> Option<T> {
    by_size.range(..=YARDSTICK).next_back().or(by_size.first_key_value()).map(|(_, one)| *one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_prefers_the_largest_size_up_to_16_kib() {
        let nearest = |sizes: &[usize]| nearest(&sizes.iter().map(|size| (*size, *size)).collect());
        assert_eq!(nearest(&[16, 8192, 1 << 20]), Some(8192));
        assert_eq!(nearest(&[1 << 20]), Some(1 << 20));
        assert_eq!(nearest(&[]), None);
    }
}
