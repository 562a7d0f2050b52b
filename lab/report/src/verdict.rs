//! The verdict: what a run shows, derived from its figures alone.
//!
//! A [`Finding`] is a claim with its numbers; a language's messages turn it into a sentence. A finding that claims a
//! difference exists only where the comparison shows one, and nothing is said about an acceleration state that was not
//! measured.

mod sentence;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind, Instructions};
use kasoku_model::document::{Document, OriginKind};
use kasoku_model::statistics::Comparison;

pub(crate) use sentence::headline;

use super::files::FileFinding;
use super::jvm::finding::JvmFinding;
use super::language::Messages;
use super::level_report::LEVEL_REPORTS;
use super::packets::finding::PacketFinding;
use super::selection::{ContenderIndex, Selection, SeriesKey, Task, yardstick};
use super::tls::TlsFinding;
use super::transfer::TransferFinding;

/// A verdict in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The one line that stands for all.
    pub headline: String,
    /// The findings in full.
    pub sentences: Vec<String>,
}

/// A ratio with what it was measured on.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// How many times as fast, above 1.
    pub ratio: f64,
    /// The 95 % interval of that.
    pub ci95: [f64; 2],
    /// At which size.
    pub bytes: usize,
    /// On which library.
    pub library: String,
}

/// The CPU instructions that `off` takes away from an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    /// AES.
    Aes,
    /// AES and carry-less multiplication.
    AesAndClmul,
    /// AES and SHA.
    AesAndSha,
    /// SHA.
    Sha,
}

/// Something a run shows.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // fields are called what they are
pub enum Finding {
    /// An emulator did the work, so nothing is claimed.
    Emulated,
    /// Wine stood in for Windows, so nothing is claimed.
    UnderWine,
    /// The run did not reach its end, so nothing is claimed.
    Incomplete,
    /// The figures are those of somebody else: they have no intervals, so nothing is claimed.
    Quoted(OriginKind),
    /// Nothing in the run was verified and has a figure.
    NothingRanked,
    /// An algorithm is faster with the instructions made for it.
    Accelerated { algorithm: Algorithm, help: Help, claim: Claim },
    /// An algorithm is slower with the instructions made for it.
    Hindered {
        algorithm: Algorithm,
        help: Help,
        /// How many times as fast without.
        claim: Claim,
    },
    /// An algorithm shows no difference with the instructions made for it.
    NoGain { algorithm: Algorithm, help: Help, bytes: usize, library: String },
    /// AES beats Blowfish at every size that was measured.
    AesAlwaysBeatsBlowfish {
        aes: Algorithm,
        least: f64,
        /// Whether that holds without the AES instructions; otherwise those were on.
        even_without: bool,
        library: String,
    },
    /// Blowfish beats AES at some size.
    BlowfishBeatsAes {
        aes: Algorithm,
        claim: Claim,
        /// Whether the AES instructions were off.
        without: bool,
    },
    /// One of the two AEADs of TLS 1.3 is faster.
    FasterAead {
        winner: Algorithm,
        loser: Algorithm,
        claim: Claim,
        state: Acceleration,
        /// The sizes at which the other is shown to be faster.
        exceptions: Vec<usize>,
    },
    /// The two AEADs of TLS 1.3 show no difference.
    EqualAeads { first: Algorithm, second: Algorithm, bytes: usize, state: Acceleration, library: String },
    /// A hash is faster than every other one that is fit for use.
    FastestHash { winner: Algorithm, next: Algorithm, claim: Claim },
    /// The fastest hashes: the first, and those that are not shown to be slower than it.
    FastestHashes { hashes: Vec<Algorithm>, bytes: usize, library: String },
    /// A library is faster than every other one.
    FastestLibrary {
        algorithm: Algorithm,
        next: String,
        /// The fastest, and its lead over the next.
        claim: Claim,
    },
    /// The fastest libraries: the first, and those that are not shown to be slower than it.
    FastestLibraries { algorithm: Algorithm, libraries: Vec<String>, bytes: usize },
    /// Something about packets.
    Packets(PacketFinding),
    /// Something about encrypted files.
    Files(FileFinding),
    /// Something about Java.
    Java(JvmFinding),
    /// Something about a web server.
    Tls(TlsFinding),
    /// Something about data from end to end.
    Transfer(TransferFinding),
}

/// The verdict on `document`.
pub fn verdict(document: &Document, messages: &'static Messages) -> Verdict {
    let findings = findings(document, messages);
    let sentences = findings.iter().map(|finding| finding.sentence(messages.language)).collect();
    Verdict { headline: headline(&findings, messages.language), sentences }
}

/// What `document` shows; libraries are called what `messages` call them.
pub fn findings(document: &Document, messages: &'static Messages) -> Vec<Finding> {
    if document.machine.emulated_on.is_some() {
        return vec![Finding::Emulated];
    }
    if document.machine.wine.is_some() {
        return vec![Finding::UnderWine];
    }
    if !document.run.complete {
        return vec![Finding::Incomplete];
    }
    if let Some(origin) = &document.run.origin {
        return vec![Finding::Quoted(origin.kind)];
    }
    let mut of_levels: Vec<Finding> =
        LEVEL_REPORTS.iter().flat_map(|level| (level.findings)(document, messages)).collect();
    // What is said of Java stands last.
    of_levels.sort_by_key(|finding| matches!(finding, Finding::Java(_)));
    let selection = Selection::new(document, messages);
    let Some(primary) = selection.primary() else {
        return if of_levels.is_empty() { vec![Finding::NothingRanked] } else { of_levels };
    };
    let case = PrimaryFindings { selection: &selection, primary };
    let mut findings = case.gains();
    findings.extend(case.blowfish());
    findings.extend([Acceleration::On, Acceleration::Off].into_iter().filter_map(|state| case.aeads(state)));
    findings.extend(case.hashes());
    findings.extend([Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305].into_iter().filter_map(|a| case.libraries(a)));
    of_levels.retain(|finding| !matches!(finding, Finding::Java(finding) if !finding.leads()));
    findings.extend(of_levels);
    findings
}

/// The instructions that `off` takes away from `algorithm`, if any are made for it.
pub(crate) fn help(algorithm: Algorithm) -> Option<Help> {
    match (algorithm, algorithm.instructions()) {
        (Algorithm::Aes128Gcm | Algorithm::Aes256Gcm, _) => Some(Help::AesAndClmul),
        (Algorithm::Aes128CbcHmacSha1, _) => Some(Help::AesAndSha),
        (_, Instructions::Aes) => Some(Help::Aes),
        (_, Instructions::Sha) => Some(Help::Sha),
        (_, Instructions::None) => None,
    }
}

struct PrimaryFindings<'a> {
    selection: &'a Selection<'a>,
    primary: ContenderIndex,
}

impl PrimaryFindings<'_> {
    fn library(&self) -> String {
        self.selection.full_label(self.primary)
    }

    /// The primary library at a task and size.
    fn key(&self, state: Acceleration, task: Task, bytes: usize) -> SeriesKey {
        SeriesKey::new(self.primary, state, task, bytes)
    }

    fn claim(&self, comparison: Comparison, bytes: usize) -> Claim {
        Claim { ratio: comparison.ratio, ci95: comparison.ci95, bytes, library: self.library() }
    }

    /// How two algorithms compare in one state on the primary library. An algorithm without instructions of its own is
    /// the same in both states, so where its `off` is missing its `on` stands in for it.
    fn comparison(&self, first: Algorithm, second: Algorithm, state: Acceleration, bytes: usize) -> Option<Comparison> {
        let series = |algorithm: Algorithm| {
            let task = Task::main(algorithm);
            let measured = self.selection.ranked(self.key(state, task, bytes));
            match algorithm.instructions() {
                Instructions::None => {
                    measured.or_else(|| self.selection.ranked(self.key(Acceleration::On, task, bytes)))
                }
                _ => measured,
            }
        };
        self.selection.compare(series(first), series(second))
    }

    fn gains(&self) -> Vec<Finding> {
        use Algorithm::{Aes128Cbc, Aes128Gcm, Aes256Cbc, Aes256Gcm, Sha1, Sha256, Sha512};
        // One for each thing that is accelerated; the second name only if the first was not measured.
        let wanted: [&[Algorithm]; 4] = [&[Aes256Cbc, Aes128Cbc], &[Aes128Gcm, Aes256Gcm], &[Sha256, Sha1], &[Sha512]];
        wanted.iter().filter_map(|names| names.iter().find_map(|algorithm| self.gain(*algorithm))).collect()
    }

    fn gain(&self, algorithm: Algorithm) -> Option<Finding> {
        let help = help(algorithm)?;
        let task = Task::main(algorithm);
        let (bytes, comparison) =
            self.at_yardstick(task, |bytes| self.selection.gain(self.key(Acceleration::On, task, bytes)))?;
        Some(if !comparison.is_shown {
            Finding::NoGain { algorithm, help, bytes, library: self.library() }
        } else if comparison.ratio > 1.0 {
            Finding::Accelerated { algorithm, help, claim: self.claim(comparison, bytes) }
        } else {
            Finding::Hindered { algorithm, help, claim: self.claim(inverse(comparison), bytes) }
        })
    }

    fn blowfish(&self) -> Vec<Finding> {
        let comparisons = |aes: Algorithm, state: Acceleration| -> Vec<(usize, Comparison)> {
            let sizes = self.selection.sizes_of(Task::main(aes));
            let at = |bytes| Some((bytes, self.comparison(aes, Algorithm::BlowfishCbc, state, bytes)?));
            sizes.into_iter().filter_map(at).collect()
        };
        let measured = [Algorithm::Aes128Cbc, Algorithm::Aes256Cbc]
            .into_iter()
            .map(|aes| (aes, comparisons(aes, Acceleration::Off), comparisons(aes, Acceleration::On)))
            .find(|(_, off, on)| !off.is_empty() || !on.is_empty());
        let Some((aes, off, on)) = measured else { return Vec::new() };

        if let Some(least) = always_faster(&off) {
            // What holds without the instructions is worth saying only if it holds with them too.
            if on.is_empty() || always_faster(&on).is_some() {
                return vec![Finding::AesAlwaysBeatsBlowfish {
                    aes,
                    least,
                    even_without: true,
                    library: self.library(),
                }];
            }
        }
        let always = always_faster(&on).map(|least| Finding::AesAlwaysBeatsBlowfish {
            aes,
            least,
            even_without: false,
            library: self.library(),
        });
        let beaten = |comparisons: &[(usize, Comparison)], without| {
            let slower = |(_, comparison): &&(usize, Comparison)| comparison.is_shown && comparison.ratio < 1.0;
            let sizes: Vec<usize> = comparisons.iter().filter(slower).map(|(bytes, _)| *bytes).collect();
            let (bytes, comparison) = comparisons.iter().find(|(bytes, _)| Some(*bytes) == yardstick(&sizes))?;
            Some(Finding::BlowfishBeatsAes { aes, claim: self.claim(inverse(*comparison), *bytes), without })
        };
        always.into_iter().chain(beaten(&on, false)).chain(beaten(&off, true)).collect()
    }

    fn aeads(&self, state: Acceleration) -> Option<Finding> {
        // Equal key lengths; AES-128 stands in where AES-256 was not measured.
        [Algorithm::Aes256Gcm, Algorithm::Aes128Gcm].into_iter().find_map(|gcm| self.aead(gcm, state))
    }

    fn aead(&self, gcm: Algorithm, state: Acceleration) -> Option<Finding> {
        let chacha = Algorithm::ChaCha20Poly1305;
        let compare = |bytes| self.comparison(gcm, chacha, state, bytes);
        let (bytes, comparison) = self.at_yardstick(Task::main(gcm), compare)?;
        if !comparison.is_shown {
            return Some(Finding::EqualAeads { first: gcm, second: chacha, bytes, state, library: self.library() });
        }
        let gcm_wins = comparison.ratio > 1.0;
        let (winner, loser) = if gcm_wins { (gcm, chacha) } else { (chacha, gcm) };
        let is_exception = |bytes: &usize| {
            compare(*bytes).is_some_and(|comparison| comparison.is_shown && (comparison.ratio > 1.0) != gcm_wins)
        };
        let exceptions = self.selection.sizes_of(Task::main(gcm)).into_iter().filter(is_exception).collect();
        let comparison = if gcm_wins { comparison } else { inverse(comparison) };
        Some(Finding::FasterAead { winner, loser, claim: self.claim(comparison, bytes), state, exceptions })
    }

    fn hashes(&self) -> Option<Finding> {
        let bytes = self.selection.yardstick(AlgorithmKind::Hash)?;
        let series = |algorithm| self.selection.ranked(self.key(Acceleration::On, Task::main(algorithm), bytes));
        // SHA-1 is broken: it is measured because protocols still carry it, and is no choice.
        let hashes = Algorithm::ALL.iter().filter(|a| a.kind() == AlgorithmKind::Hash && **a != Algorithm::Sha1);
        let mut ranking: Vec<_> = hashes.filter_map(|algorithm| Some((*algorithm, series(*algorithm)?))).collect();
        ranking.sort_by(|a, b| b.1.median.unwrap_or(0.0).total_cmp(&a.1.median.unwrap_or(0.0)));
        let Leaders { equals, next } = leaders(self.selection, &ranking)?;
        Some(match (equals.as_slice(), next) {
            ([winner], Some((next, lead))) => {
                Finding::FastestHash { winner: *winner, next, claim: self.claim(lead, bytes) }
            }
            _ => Finding::FastestHashes { hashes: equals, bytes, library: self.library() },
        })
    }

    fn libraries(&self, algorithm: Algorithm) -> Option<Finding> {
        let bytes = self.selection.yardstick(algorithm.kind())?;
        let ranking = self.selection.ranking(self.primary, Task::main(algorithm), bytes);
        let Leaders { equals, next } = leaders(self.selection, &ranking)?;
        let label = |who: ContenderIndex| self.selection.full_label(who);
        Some(match (equals.as_slice(), next) {
            ([winner], Some((next, lead))) => {
                let claim = Claim { library: label(*winner), ..self.claim(lead, bytes) };
                Finding::FastestLibrary { algorithm, next: label(next), claim }
            }
            _ => Finding::FastestLibraries { algorithm, libraries: equals.into_iter().map(label).collect(), bytes },
        })
    }

    /// A comparison at the size that stands for the task, among those at which it can be made.
    fn at_yardstick(&self, task: Task, compare: impl Fn(usize) -> Option<Comparison>) -> Option<(usize, Comparison)> {
        let mut sizes = self.selection.sizes_of(task);
        sizes.retain(|bytes| compare(*bytes).is_some());
        let bytes = yardstick(&sizes)?;
        Some((bytes, compare(bytes)?))
    }
}

/// Who leads a ranking.
struct Leaders<T> {
    /// The first, and all that are not shown to be slower than it. They were not compared with each other.
    equals: Vec<T>,
    /// The first that is shown to be slower, and the lead over it.
    next: Option<(T, Comparison)>,
}

/// Who leads a ranking of at least two, fastest first. One that cannot be compared with the first is no equal and no
/// next.
fn leaders<T: Copy>(selection: &Selection<'_>, ranking: &[(T, &kasoku_model::document::Series)]) -> Option<Leaders<T>> {
    let ((first, best), others) = ranking.split_first()?;
    let mut leaders = Leaders { equals: vec![*first], next: None };
    for (other, series) in others {
        match selection.compare(Some(best), Some(series)) {
            Some(lead) if lead.is_shown && lead.ratio > 1.0 => {
                leaders.next = leaders.next.or(Some((*other, lead)));
            }
            Some(_) => leaders.equals.push(*other),
            None => {}
        }
    }
    (leaders.equals.len() > 1 || leaders.next.is_some()).then_some(leaders)
}

/// The smallest lead, if there is one at every size.
fn always_faster(comparisons: &[(usize, Comparison)]) -> Option<f64> {
    let is_faster = |(_, comparison): &(usize, Comparison)| comparison.is_shown && comparison.ratio > 1.0;
    let least = comparisons.iter().map(|(_, comparison)| comparison.ratio).fold(f64::INFINITY, f64::min);
    (!comparisons.is_empty() && comparisons.iter().all(is_faster)).then_some(least)
}

fn inverse(comparison: Comparison) -> Comparison {
    let [low, high] = comparison.ci95;
    Comparison { ratio: 1.0 / comparison.ratio, ci95: [1.0 / high, 1.0 / low], ..comparison }
}
