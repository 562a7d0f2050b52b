//! Claims about primitives, based on the primary library.
//!
//! A claim needs a comparison that proves a difference. Acceleration states that were not measured have no claims.

use crate::prelude::*;
use crate::quantity::times;
use crate::selection::{by_speed, yardstick};
use kasoku_model::algorithm::Instructions;
use kasoku_model::statistics::Comparison;

/// Returns the claims about the primitives of `document`; `None` if none of its series may be ranked.
pub(crate) fn claims(document: &Document) -> Option<Vec<Claim>> {
    let selection = Selection::new(document);
    let case = PrimaryClaims { selection: &selection, primary: selection.primary()? };
    let mut claims = case.gains();
    claims.extend(case.blowfish());
    // Compare AEADs with 256-bit keys. If AES-256-GCM was not measured, use AES-128-GCM.
    let gcm = |state| [Algorithm::Aes256Gcm, Algorithm::Aes128Gcm].into_iter().find_map(|gcm| case.aead(gcm, state));
    claims.extend([Acceleration::On, Acceleration::Off].into_iter().filter_map(gcm));
    claims.extend(case.hashes());
    claims.extend([Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305].into_iter().filter_map(|a| case.libraries(a)));
    Some(claims)
}

/// Returns the name of the CPU instructions that acceleration `off` disables for `algorithm`, if any.
fn instructions(algorithm: Algorithm) -> Option<&'static str> {
    match (algorithm, algorithm.instructions()) {
        (Algorithm::Aes128Gcm | Algorithm::Aes256Gcm, _) => Some("aes-and-clmul"),
        (Algorithm::Aes128CbcHmacSha1, _) => Some("aes-and-sha"),
        (_, Instructions::Aes) => Some("aes"),
        (_, Instructions::Sha) => Some("sha"),
        (_, Instructions::None) => None,
    }
}

struct PrimaryClaims<'a> {
    selection: &'a Selection<'a>,
    primary: ContenderIndex,
}

impl PrimaryClaims<'_> {
    fn library(&self) -> Text {
        self.selection.full_label(self.primary)
    }

    fn key(&self, state: Acceleration, task: Task, bytes: usize) -> SeriesKey {
        SeriesKey::new(self.primary, state, task, bytes)
    }

    fn subject(&self, algorithm: Algorithm, bytes: usize) -> Subject {
        Subject::new(algorithm, self.library(), bytes)
    }

    /// Compares two algorithms in one acceleration state on the primary library. An algorithm without instructions of
    /// its own has the same speed with acceleration on and off, so its series with `on` replaces a missing `off`.
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

    fn gains(&self) -> Vec<Claim> {
        use Algorithm::{Aes128Cbc, Aes128Gcm, Aes256Cbc, Aes256Gcm, Sha1, Sha256, Sha512};
        // One claim for each accelerated function; the second algorithm only if the first was not measured.
        let wanted: [&[Algorithm]; 4] = [&[Aes256Cbc, Aes128Cbc], &[Aes128Gcm, Aes256Gcm], &[Sha256, Sha1], &[Sha512]];
        wanted.iter().filter_map(|names| names.iter().find_map(|algorithm| self.gain(*algorithm))).collect()
    }

    fn gain(&self, algorithm: Algorithm) -> Option<Claim> {
        let instructions = instructions(algorithm)?;
        let task = Task::main(algorithm);
        let (bytes, gain) =
            self.at_yardstick(task, |bytes| self.selection.gain(self.key(Acceleration::On, task, bytes)))?;
        let claim = |kind| Claim::new(kind, self.subject(algorithm, bytes)).with("instructions", instructions);
        Some(match (gain.is_shown, gain.ratio > 1.0) {
            (false, _) => claim("no-gain"),
            (true, true) => claim("accelerated").with("times", times(gain.ratio)),
            (true, false) => claim("hindered").with("times", times(1.0 / gain.ratio)),
        })
    }

    fn blowfish(&self) -> Vec<Claim> {
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
        let always = |least: f64, even_without: bool| {
            let subject = Subject { algorithm: Some(aes), library: self.library(), ..Subject::default() };
            Claim::new("aes-beats-blowfish", subject).with("times", times(least)).with("even_without", even_without)
        };
        if let Some(least) = always_faster(&off) {
            // Claim it for acceleration off only if it also holds with acceleration on.
            if on.is_empty() || always_faster(&on).is_some() {
                return vec![always(least, true)];
            }
        }
        let beaten = |comparisons: &[(usize, Comparison)], without| {
            let slower = |(_, comparison): &&(usize, Comparison)| comparison.is_shown && comparison.ratio < 1.0;
            let sizes: Vec<usize> = comparisons.iter().filter(slower).map(|(bytes, _)| *bytes).collect();
            let (bytes, lag) = comparisons.iter().find(|(bytes, _)| Some(*bytes) == yardstick(&sizes))?;
            let claim = Claim::new("blowfish-beats-aes", self.subject(aes, *bytes));
            Some(claim.with("times", times(1.0 / lag.ratio)).with("without", without))
        };
        let always = always_faster(&on).map(|least| always(least, false));
        always.into_iter().chain(beaten(&on, false)).chain(beaten(&off, true)).collect()
    }

    fn aead(&self, gcm: Algorithm, state: Acceleration) -> Option<Claim> {
        let chacha = Algorithm::ChaCha20Poly1305;
        let compare = |bytes| self.comparison(gcm, chacha, state, bytes);
        let (bytes, lead) = self.at_yardstick(Task::main(gcm), compare)?;
        let subject = |winner: Algorithm, loser| Subject {
            other: Some(loser),
            state: Some(state),
            ..self.subject(winner, bytes)
        };
        if !lead.is_shown {
            return Some(Claim::new("equal-aeads", subject(gcm, chacha)));
        }
        let gcm_wins = lead.ratio > 1.0;
        let (winner, loser) = if gcm_wins { (gcm, chacha) } else { (chacha, gcm) };
        let is_exception =
            |bytes: &usize| compare(*bytes).is_some_and(|one| one.is_shown && (one.ratio > 1.0) != gcm_wins);
        let exceptions = self.selection.sizes_of(Task::main(gcm)).into_iter().filter(is_exception).map(size);
        let exceptions = Text::list(Separator::And, exceptions);
        let kind = if exceptions.is_empty() { "faster-aead" } else { "faster-aead-with-exceptions" };
        let times = times(if gcm_wins { lead.ratio } else { 1.0 / lead.ratio });
        let claim = Claim::new(kind, subject(winner, loser)).with("times", times);
        Some(if exceptions.is_empty() { claim } else { claim.with("exceptions", exceptions) })
    }

    fn hashes(&self) -> Option<Claim> {
        let bytes = self.selection.yardstick(AlgorithmKind::Hash)?;
        let series = |algorithm| self.selection.ranked(self.key(Acceleration::On, Task::main(algorithm), bytes));
        // SHA-1 is broken: it is measured because protocols still use it, and never recommended.
        let hashes = Algorithm::ALL.iter().filter(|a| a.kind() == AlgorithmKind::Hash && **a != Algorithm::Sha1);
        let mut ranking: Vec<_> = hashes.filter_map(|algorithm| Some((*algorithm, series(*algorithm)?))).collect();
        ranking.sort_by(|(_, one), (_, other)| by_speed(one, other));
        let (equals, next) = leaders(self.selection, &ranking)?;
        Some(match (equals.as_slice(), next) {
            ([winner], Some((next, lead))) => {
                let subject = Subject { other: Some(next), ..self.subject(*winner, bytes) };
                Claim::new("fastest-hash", subject).with("times", times(lead.ratio))
            }
            _ => {
                let hashes = Text::list(Separator::And, equals.iter().map(|hash| hash.title()));
                let subject = Subject { bytes: Some(bytes), library: self.library(), ..Subject::default() };
                Claim::new("fastest-hashes", subject).with("hashes", hashes)
            }
        })
    }

    fn libraries(&self, algorithm: Algorithm) -> Option<Claim> {
        let bytes = self.selection.yardstick(algorithm.kind())?;
        let ranking = self.selection.ranking(self.primary, Task::main(algorithm), bytes);
        let (equals, next) = leaders(self.selection, &ranking)?;
        let label = |who: ContenderIndex| self.selection.full_label(who);
        Some(match (equals.as_slice(), next) {
            ([winner], Some((next, lead))) => {
                let subject = Subject { next: label(next), ..Subject::new(algorithm, label(*winner), bytes) };
                Claim::new("fastest-library", subject).with("times", times(lead.ratio))
            }
            _ => {
                let libraries = Text::list(Separator::And, equals.into_iter().map(label));
                let claim = Claim::new("fastest-libraries", Subject::new(algorithm, Text::EMPTY, bytes));
                claim.with("libraries", libraries)
            }
        })
    }

    /// Returns a comparison and its size: the representative size among the sizes at which `compare` succeeds.
    fn at_yardstick(&self, task: Task, compare: impl Fn(usize) -> Option<Comparison>) -> Option<(usize, Comparison)> {
        let mut sizes = self.selection.sizes_of(task);
        sizes.retain(|bytes| compare(*bytes).is_some());
        let bytes = yardstick(&sizes)?;
        Some((bytes, compare(bytes)?))
    }
}

/// Contenders that are not proven slower than the first; and the first contender that is proven slower, with the
/// comparison.
type Leaders<T> = (Vec<T>, Option<(T, Comparison)>);

/// Returns the leaders of a ranking, which is sorted fastest first; `None` unless two contenders are comparable. Skips
/// contenders that cannot be compared with the first.
fn leaders<T: Copy>(selection: &Selection<'_>, ranking: &[(T, &Series)]) -> Option<Leaders<T>> {
    let ((first, best), others) = ranking.split_first()?;
    let (mut equals, mut next) = (vec![*first], None);
    for (other, series) in others {
        match selection.compare(Some(best), Some(series)) {
            Some(lead) if lead.is_shown && lead.ratio > 1.0 => next = next.or(Some((*other, lead))),
            Some(_) => equals.push(*other),
            None => {}
        }
    }
    (equals.len() > 1 || next.is_some()).then_some((equals, next))
}

/// Returns the smallest ratio, if every comparison proves that the first algorithm is faster.
fn always_faster(comparisons: &[(usize, Comparison)]) -> Option<f64> {
    let is_faster = |(_, comparison): &(usize, Comparison)| comparison.is_shown && comparison.ratio > 1.0;
    let least = comparisons.iter().map(|(_, comparison)| comparison.ratio).fold(f64::INFINITY, f64::min);
    (!comparisons.is_empty() && comparisons.iter().all(is_faster)).then_some(least)
}
