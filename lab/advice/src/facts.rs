//! What the rules ask of a document.

use std::collections::{BTreeMap, BTreeSet};

use super::figure::{Figure, FigureComparison, QUOTED_MARGIN};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Instructions};
use kasoku_model::code_path::uses_aes_instructions;
use kasoku_model::document::{Document, Series};
use kasoku_model::level::Level;
use kasoku_model::library::{OPENSSL, Role, VersionNumber, version_in};
use kasoku_model::workload::{NonceForm, Operation};

/// The size whose figure represents an algorithm, where it was measured: `openssl speed`'s largest.
const YARDSTICK: usize = 16_384;

/// What a QUIC packet carries, over Ethernet and in published measurements.
pub const PACKET: [usize; 3] = [1350, 1440, 1420];

/// A library in one version.
type Who<'a> = (&'a str, &'a str);

/// The library, state, operation and algorithm of series.
type Key<'a> = (Who<'a>, Acceleration, Operation, Algorithm);

/// Series by size.
type BySize<'a> = BTreeMap<usize, &'a Series>;

/// A document as the rules see it.
pub struct Facts<'a> {
    pub(super) document: &'a Document,
    index: BTreeMap<Key<'a>, BySize<'a>>,
    /// The library whose figures choose: OpenSSL, which the programs use that are advised on, or the one with most.
    library: Option<Who<'a>>,
}

/// Which of the two AEADs of TLS 1.3 comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aead {
    /// AES-GCM.
    AesGcm,
    /// ChaCha20-Poly1305.
    ChaCha20,
}

/// Whether AES runs on instructions made for it.
#[derive(Clone, Debug, PartialEq)]
pub enum AesInstructions {
    /// The CPU lists them, they were seen running, or the figures cannot be explained without.
    Present,
    /// The CPU says what it has, and they are not among it.
    NotListed,
    /// The figures show no sign of them: ChaCha20-Poly1305 is far faster than AES-GCM.
    NoSign(Box<FigureComparison>),
    /// Nothing tells.
    Unknown,
}

impl AesInstructions {
    /// Whether they are there.
    pub fn are_there(&self) -> bool {
        *self == AesInstructions::Present
    }

    /// Whether they are missing, as far as anything tells.
    pub fn are_missing(&self) -> bool {
        matches!(self, AesInstructions::NotListed | AesInstructions::NoSign(_))
    }
}

/// From this many times as fast as ChaCha20-Poly1305, AES-GCM does not run in software.
const SIGN: f64 = 1.1;
/// Where ChaCha20-Poly1305 is this many times as fast as AES-GCM, there are no AES instructions.
const NO_SIGN: f64 = 1.5;
/// No other instruction makes AES this many times as fast with acceleration on.
const GAIN: f64 = 1.5;

impl<'a> Facts<'a> {
    /// The facts of `document`. Of a run that did not reach its end, only what it says of the machine.
    pub fn new(document: &'a Document) -> Self {
        let may_be_quoted = document.run.origin.is_some();
        let mut index: BTreeMap<_, BySize<'_>> = BTreeMap::new();
        let mut tasks: BTreeMap<Who<'_>, BTreeSet<(Operation, Algorithm)>> = BTreeMap::new();
        for series in document.series.iter().filter(|series| document.run.complete && is_plain(series)) {
            if Figure::of(series, may_be_quoted).is_some() {
                let who = (series.library.as_str(), series.library_version.as_str());
                let key = (who, series.acceleration, series.operation, series.algorithm);
                index.entry(key).or_default().entry(series.bytes).or_insert(series);
                tasks.entry(who).or_default().insert((series.operation, series.algorithm));
            }
        }
        let weight = |who: &Who<'_>, tasks: &BTreeSet<_>| (who.0 == OPENSSL, tasks.len(), version_in(who.1));
        let library = tasks.iter().max_by_key(|(who, tasks)| (weight(who, tasks), **who)).map(|(who, _)| *who);
        Facts { document, index, library }
    }

    /// The library whose figures choose, and its version.
    pub fn library(&self) -> Option<Who<'a>> {
        self.library
    }

    /// The version of the library that chooses, if that is OpenSSL and says it.
    pub fn openssl_version(&self) -> Option<VersionNumber> {
        let (_, version) = self.library.filter(|(library, _)| *library == OPENSSL)?;
        version_in(version)
    }

    /// The figure of an algorithm, in what it is mainly for, at 16 KiB or the nearest size that was measured.
    pub fn figure(&self, algorithm: Algorithm) -> Option<Figure> {
        self.figure_of(algorithm, main_operation(algorithm))
    }

    /// Like [`Facts::figure`], for one of its operations.
    pub fn figure_of(&self, algorithm: Algorithm, operation: Operation) -> Option<Figure> {
        let series = nearest(&self.as_the_machine_is(algorithm, operation))?;
        Figure::of(series, self.document.run.origin.is_some())
    }

    /// Compares two algorithms in what they are mainly for, at the size nearest to 16 KiB that both have.
    pub fn comparison(&self, first: Algorithm, second: Algorithm) -> Option<FigureComparison> {
        self.comparison_of(first, second, main_operation(first))
    }

    /// Like [`Facts::comparison`], for one operation; if the second algorithm does not have it, for the second's own.
    pub fn comparison_of(&self, first: Algorithm, second: Algorithm, operation: Operation) -> Option<FigureComparison> {
        let mut others = self.as_the_machine_is(second, operation);
        if others.is_empty() {
            others = self.as_the_machine_is(second, main_operation(second));
        }
        self.hold_nearest(&self.as_the_machine_is(first, operation), &others)
    }

    /// Compares two algorithms at the size of a QUIC packet, if both were measured at one.
    pub fn comparison_on_packets(&self, first: Algorithm, second: Algorithm) -> Option<FigureComparison> {
        let [first, second] = [first, second].map(|one| self.as_the_machine_is(one, main_operation(one)));
        PACKET.iter().find_map(|bytes| self.hold(first.get(bytes)?, second.get(bytes)?))
    }

    /// Compares an algorithm with the CPU's instructions to the same without.
    pub fn gain(&self, algorithm: Algorithm) -> Option<FigureComparison> {
        let series = |state| self.by_size(algorithm, main_operation(algorithm), state);
        self.hold_nearest(&series(Acceleration::On), &series(Acceleration::Off))
    }

    /// Compares the other libraries of the run at an algorithm to the one that chooses, the fastest first.
    pub fn elsewhere(&self, algorithm: Algorithm) -> Vec<FigureComparison> {
        let operation = main_operation(algorithm);
        let Some(own) = nearest(&self.as_the_machine_is(algorithm, operation)) else { return Vec::new() };
        let is_other = |(who, state, of, with): &Key<'_>| {
            (*state, *of, *with) == (Acceleration::On, operation, algorithm) && Some(*who) != self.library
        };
        let others = self.index.iter().filter(|(key, _)| is_other(key));
        let mut comparisons: Vec<FigureComparison> =
            others.filter_map(|(_, by_size)| self.hold(by_size.get(&own.bytes)?, own)).collect();
        comparisons.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        comparisons
    }

    /// AES-GCM against ChaCha20-Poly1305: with 128-bit keys, as published tables are read; with 256 where only that was
    /// measured.
    pub fn aead_comparison(&self) -> Option<FigureComparison> {
        [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm]
            .into_iter()
            .find_map(|gcm| self.comparison(gcm, Algorithm::ChaCha20Poly1305))
    }

    /// Which AEAD comes first: the faster. Where neither is shown to be faster, ChaCha20-Poly1305 if AES runs without
    /// instructions of its own, since only then its software may leak through time; else AES-GCM.
    pub fn aead(&self) -> Option<Aead> {
        let comparison = self.aead_comparison()?;
        let is_slower = || comparison.is_second_faster() || self.aes_instructions().are_missing();
        Some(if !comparison.is_first_faster() && is_slower() { Aead::ChaCha20 } else { Aead::AesGcm })
    }

    /// Whether 256-bit AES keys cost so little that they may as well be the first choice.
    pub fn is_256_cheap(&self) -> bool {
        let comparison = self.comparison(Algorithm::Aes128Gcm, Algorithm::Aes256Gcm);
        comparison.is_some_and(|one| !one.is_first_faster() || one.ratio < 1.0 + QUOTED_MARGIN)
    }

    /// Whether AES runs on instructions made for it, and how that is known.
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

    /// Whether the CPU has a feature; `None` if that is not known. Features that were read under a mask are there, but
    /// others may be as well.
    pub fn has(&self, feature: &str) -> Option<bool> {
        let features = &self.document.machine.features;
        let is_listed = features.iter().any(|name| name == feature);
        (is_listed || !features.is_empty() && !self.is_read_under_mask()).then_some(is_listed)
    }

    /// Whether the features may be what a mask left, as in a transcript that somebody made under one.
    fn is_read_under_mask(&self) -> bool {
        let run = &self.document.run;
        let mut settings = run.libraries.iter().filter_map(|found| found.cpu_features.as_deref());
        run.origin.is_some() && settings.any(masked_by_environment)
    }

    /// The code paths seen with an algorithm on the library that chooses, acceleration on, where any was seen.
    pub fn code_paths(&self, algorithm: Algorithm) -> BTreeSet<&'a str> {
        let is_meant = |key: &Key<'_>| (Some(key.0), key.1, key.3) == (self.library, Acceleration::On, algorithm);
        let series = self.index.iter().filter(|(key, _)| is_meant(key)).flat_map(|(_, by_size)| by_size.values());
        let paths = series.map(|series| series.code_path.as_str());
        paths.filter(|path| !path.is_empty() && *path != kasoku_model::code_path::UNKNOWN).collect()
    }

    /// Two series of the run against each other.
    pub(super) fn hold(&self, first: &Series, second: &Series) -> Option<FigureComparison> {
        FigureComparison::of(first, second, &self.document.run.method, self.document.run.origin.is_some())
    }

    /// Compares two algorithms or states at the size nearest to 16 KiB that both have.
    fn hold_nearest(&self, first: &BySize<'_>, second: &BySize<'_>) -> Option<FigureComparison> {
        let pairs = first.iter().filter_map(|(bytes, one)| Some((*bytes, (*one, *second.get(bytes)?))));
        let (one, other) = nearest(&pairs.collect())?;
        self.hold(one, other)
    }

    /// Series with acceleration on; for an algorithm that no instruction is made for, off is the same.
    fn as_the_machine_is(&self, algorithm: Algorithm, operation: Operation) -> BySize<'a> {
        let mut series = match algorithm.instructions() {
            Instructions::None => self.by_size(algorithm, operation, Acceleration::Off),
            _ => BySize::new(),
        };
        series.extend(self.by_size(algorithm, operation, Acceleration::On));
        series
    }

    /// Series of the library that chooses.
    fn by_size(&self, algorithm: Algorithm, operation: Operation, state: Acceleration) -> BySize<'a> {
        let series = self.library.and_then(|who| self.index.get(&(who, state, operation, algorithm)));
        series.cloned().unwrap_or_default()
    }
}

/// Whether OpenSSL says that its settings are from the environment: `OPENSSL_ia32cap=0x…:0x… env:~0x…`.
pub(super) fn masked_by_environment(settings: &str) -> bool {
    settings.split_once(" env:").is_some_and(|(_, value)| !value.trim().is_empty())
}

/// One thread, one key, nonces made ahead: what figures of different algorithms have in common.
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

/// 16 KiB, or the nearest size below, or the smallest.
fn nearest<T: Copy>(by_size: &BTreeMap<usize, T>) -> Option<T> {
    by_size.range(..=YARDSTICK).next_back().or(by_size.first_key_value()).map(|(_, one)| *one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_size_is_one_that_was_measured() {
        let nearest = |sizes: &[usize]| nearest(&sizes.iter().map(|size| (*size, *size)).collect());
        assert_eq!(nearest(&[16, 8192, 1 << 20]), Some(8192));
        assert_eq!(nearest(&[1 << 20]), Some(1 << 20));
        assert_eq!(nearest(&[]), None);
    }
}
