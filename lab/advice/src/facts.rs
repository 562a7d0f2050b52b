//! What the rules ask of a document.

use std::collections::{BTreeSet, HashMap};

use super::figure::{Figure, FigureComparison};
use super::instructions::{self, AesInstructions};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Instructions};
use kasoku_model::document::{Document, Machine, Series};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::{NonceForm, Operation};

/// The size whose figure represents an algorithm, where it was measured: `openssl speed`'s largest.
const YARDSTICK: usize = 16_384;

/// What a QUIC packet carries, over Ethernet and in published measurements.
pub const PACKET: [usize; 3] = [1350, 1440, 1420];

/// A library in one version.
type Who<'a> = (&'a str, &'a str);

/// Series by library, state, operation, algorithm and size.
type Key<'a> = (Who<'a>, Acceleration, Operation, Algorithm, usize);

/// A document as the rules see it.
pub struct Facts<'a> {
    document: &'a Document,
    index: HashMap<Key<'a>, &'a Series>,
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

impl<'a> Facts<'a> {
    /// The facts of `document`. Of a run that did not reach its end, only what it says of the machine.
    pub fn new(document: &'a Document) -> Self {
        let may_be_quoted = document.run.origin.is_some();
        let mut index = HashMap::new();
        for series in document.series.iter().filter(|series| document.run.complete && is_plain(series)) {
            if Figure::of(series, may_be_quoted).is_some() {
                let who = (series.library.as_str(), series.library_version.as_str());
                let key = (who, series.acceleration, series.operation, series.algorithm, series.bytes);
                index.entry(key).or_insert(series);
            }
        }
        let mut tasks: HashMap<Who<'_>, BTreeSet<(Operation, Algorithm)>> = HashMap::new();
        for (who, _, operation, algorithm, _) in index.keys() {
            tasks.entry(*who).or_default().insert((*operation, *algorithm));
        }
        let weight = |who: &Who<'_>, tasks: &BTreeSet<_>| (who.0 == "openssl", tasks.len(), version_in(who.1));
        let library = tasks.iter().max_by_key(|(who, tasks)| (weight(who, tasks), **who)).map(|(who, _)| *who);
        Facts { document, index, library }
    }

    /// The machine.
    pub fn machine(&self) -> &'a Machine {
        &self.document.machine
    }

    /// The document.
    pub fn document(&self) -> &'a Document {
        self.document
    }

    /// The library whose figures choose, and its version.
    pub fn library(&self) -> Option<Who<'a>> {
        self.library
    }

    /// The version of the library that chooses, if that is OpenSSL and says it.
    pub fn openssl_version(&self) -> Option<VersionNumber> {
        let (_, version) = self.library.filter(|(library, _)| *library == "openssl")?;
        version_in(version)
    }

    /// The figure of an algorithm, in what it is mainly for, at 16 KiB or the nearest size that was measured.
    pub fn figure(&self, algorithm: Algorithm) -> Option<Figure> {
        self.figure_of(algorithm, main_operation(algorithm))
    }

    /// The same for one of its operations.
    pub fn figure_of(&self, algorithm: Algorithm, operation: Operation) -> Option<Figure> {
        let bytes = nearest(self.sizes(algorithm, operation, Acceleration::On))?;
        self.quote(self.as_the_machine_is(algorithm, operation, bytes)?)
    }

    /// Two algorithms in what they are mainly for, at the size nearest to 16 KiB that both have.
    pub fn comparison(&self, first: Algorithm, second: Algorithm) -> Option<FigureComparison> {
        self.comparison_of(first, second, main_operation(first))
    }

    /// The same for one operation; where the second has it not, for the second's own.
    pub fn comparison_of(&self, first: Algorithm, second: Algorithm, operation: Operation) -> Option<FigureComparison> {
        let own = main_operation(second);
        let others = if self.sizes(second, operation, Acceleration::On).is_empty() { own } else { operation };
        let ours = self.sizes(first, operation, Acceleration::On);
        let theirs = self.sizes(second, others, Acceleration::On);
        let bytes = nearest(ours.intersection(&theirs).copied().collect())?;
        self.hold(self.as_the_machine_is(first, operation, bytes)?, self.as_the_machine_is(second, others, bytes)?)
    }

    /// Two algorithms at the size of a QUIC packet, where both were measured at one.
    pub fn comparison_on_packets(&self, first: Algorithm, second: Algorithm) -> Option<FigureComparison> {
        PACKET.into_iter().find_map(|bytes| {
            let series = |algorithm| self.as_the_machine_is(algorithm, main_operation(algorithm), bytes);
            self.hold(series(first)?, series(second)?)
        })
    }

    /// An algorithm with the CPU's instructions against the same without.
    pub fn gain(&self, algorithm: Algorithm) -> Option<FigureComparison> {
        let operation = main_operation(algorithm);
        let on = self.sizes_in(algorithm, operation, Acceleration::On);
        let off = self.sizes_in(algorithm, operation, Acceleration::Off);
        let bytes = nearest(on.intersection(&off).copied().collect())?;
        let series = |state| self.series(self.library?, state, operation, algorithm, bytes);
        self.hold(series(Acceleration::On)?, series(Acceleration::Off)?)
    }

    /// The other libraries of the run at an algorithm against the one that chooses, the fastest first.
    pub fn elsewhere(&self, algorithm: Algorithm) -> Vec<FigureComparison> {
        let Some(ours) = self.figure(algorithm) else { return Vec::new() };
        let Some(own) = self.as_the_machine_is(algorithm, ours.operation, ours.bytes) else { return Vec::new() };
        let is_same = |key: &Key<'_>| {
            (key.1, key.2, key.3, key.4) == (Acceleration::On, ours.operation, algorithm, ours.bytes)
                && Some(key.0) != self.library
        };
        let others = self.index.iter().filter(|(key, _)| is_same(key));
        let mut comparisons: Vec<FigureComparison> = others.filter_map(|(_, series)| self.hold(series, own)).collect();
        // By name where they are equal, so that the order does not change from run to run.
        comparisons.sort_by(|a, b| b.ratio.total_cmp(&a.ratio).then_with(|| a.first.library.cmp(&b.first.library)));
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
        Some(if comparison.is_first_faster() {
            Aead::AesGcm
        } else if comparison.is_second_faster() || self.aes_instructions().are_missing() {
            Aead::ChaCha20
        } else {
            Aead::AesGcm
        })
    }

    /// AES-128-GCM against AES-256-GCM.
    pub fn key_size_comparison(&self) -> Option<FigureComparison> {
        self.comparison(Algorithm::Aes128Gcm, Algorithm::Aes256Gcm)
    }

    /// Whether 256-bit AES keys cost so little that they may as well be the first choice.
    pub fn is_256_cheap(&self) -> bool {
        let is_cheap = |comparison: &FigureComparison| {
            !comparison.is_first_faster() || comparison.ratio < 1.0 + super::figure::QUOTED_MARGIN
        };
        self.key_size_comparison().as_ref().is_some_and(is_cheap)
    }

    /// Whether AES runs on instructions made for it, and how that is known.
    pub fn aes_instructions(&self) -> AesInstructions {
        instructions::aes(self)
    }

    /// Whether the CPU has a feature; `None` if that is not known. Features that were read under a mask are there, but
    /// others may be as well.
    pub fn has(&self, feature: &str) -> Option<bool> {
        let features = &self.machine().features;
        let is_listed = features.iter().any(|name| name == feature);
        (is_listed || !features.is_empty() && !self.is_read_under_mask()).then_some(is_listed)
    }

    /// Whether the features may be what a mask left, as in a transcript that somebody made under one.
    fn is_read_under_mask(&self) -> bool {
        let libraries = &self.document.run.libraries;
        let is_masked = |settings: &str| instructions::masked_by_environment(settings);
        self.document.run.origin.is_some()
            && libraries.iter().filter_map(|found| found.cpu_features.as_deref()).any(is_masked)
    }

    /// The code paths seen with an algorithm on the library that chooses, acceleration on, where any was seen.
    pub fn code_paths(&self, algorithm: Algorithm) -> BTreeSet<&'a str> {
        let on_it = self
            .index
            .iter()
            .filter(|(key, _)| Some(key.0) == self.library && key.1 == Acceleration::On && key.3 == algorithm);
        let paths = on_it.map(|(_, series)| series.code_path.as_str());
        paths.filter(|path| !path.is_empty() && *path != kasoku_model::code_path::UNKNOWN).collect()
    }

    fn quote(&self, series: &Series) -> Option<Figure> {
        Figure::of(series, self.document.run.origin.is_some())
    }

    /// Two series of the run against each other.
    pub(super) fn hold(&self, first: &Series, second: &Series) -> Option<FigureComparison> {
        FigureComparison::of(first, second, &self.document.run.method, self.document.run.origin.is_some())
    }

    fn series(
        &self,
        who: Who<'a>,
        state: Acceleration,
        operation: Operation,
        algorithm: Algorithm,
        bytes: usize,
    ) -> Option<&'a Series> {
        self.index.get(&(who, state, operation, algorithm, bytes)).copied()
    }

    /// With acceleration on; of an algorithm that no instruction is made for, off is the same.
    fn as_the_machine_is(&self, algorithm: Algorithm, operation: Operation, bytes: usize) -> Option<&'a Series> {
        let at = |state| self.series(self.library?, state, operation, algorithm, bytes);
        at(Acceleration::On).or_else(|| is_the_same_off(algorithm).then(|| at(Acceleration::Off))?)
    }

    fn sizes(&self, algorithm: Algorithm, operation: Operation, state: Acceleration) -> BTreeSet<usize> {
        let mut sizes = self.sizes_in(algorithm, operation, state);
        if is_the_same_off(algorithm) {
            sizes.extend(self.sizes_in(algorithm, operation, Acceleration::Off));
        }
        sizes
    }

    fn sizes_in(&self, algorithm: Algorithm, operation: Operation, state: Acceleration) -> BTreeSet<usize> {
        let wanted =
            |key: &&Key<'_>| Some(key.0) == self.library && (key.1, key.2, key.3) == (state, operation, algorithm);
        self.index.keys().filter(wanted).map(|key| key.4).collect()
    }
}

/// Major, minor and patch of a version.
pub type VersionNumber = (u32, u32, u32);

/// The version in a text like `OpenSSL 3.0.19 27 Jan 2026` or `OpenSSL 1.1.1u`.
pub fn version_in(text: &str) -> Option<VersionNumber> {
    text.split_ascii_whitespace().find_map(|word| {
        let mut numbers = word.trim_start_matches('v').splitn(3, '.').map(|part| {
            let digits = part.split(|character: char| !character.is_ascii_digit()).next().unwrap_or_default();
            digits.parse::<u32>().ok()
        });
        let (major, minor) = (numbers.next()??, numbers.next()??);
        Some((major, minor, numbers.next().flatten().unwrap_or(0)))
    })
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

fn is_the_same_off(algorithm: Algorithm) -> bool {
    algorithm.instructions() == Instructions::None
}

fn main_operation(algorithm: Algorithm) -> Operation {
    Operation::of(algorithm.kind()).first().copied().unwrap_or(Operation::Hash)
}

/// 16 KiB, or the nearest size below, or the smallest.
fn nearest(sizes: BTreeSet<usize>) -> Option<usize> {
    sizes.range(..=YARDSTICK).next_back().or(sizes.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_anywhere_in_a_text() {
        assert_eq!(version_in("OpenSSL 3.0.19 27 Jan 2026"), Some((3, 0, 19)));
        assert_eq!(version_in("OpenSSL 1.1.1u"), Some((1, 1, 1)));
        assert_eq!(version_in("1.0.1e-fips"), Some((1, 0, 1)));
        assert_eq!(version_in("3.5"), Some((3, 5, 0)));
        assert_eq!(version_in("unknown"), None);
        assert_eq!(version_in("99999999999.1"), None);
    }

    #[test]
    fn the_nearest_size_is_one_that_was_measured() {
        assert_eq!(nearest(BTreeSet::from([16, 8192, 1 << 20])), Some(8192));
        assert_eq!(nearest(BTreeSet::from([1 << 20])), Some(1 << 20));
        assert_eq!(nearest(BTreeSet::new()), None);
    }
}
