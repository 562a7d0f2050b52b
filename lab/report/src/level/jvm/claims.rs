//! Claims of the level jvm.

use crate::prelude::*;
use crate::quantity::{points, times};
use crate::selection::Contender;
use kasoku_model::library::{LIBRARIES, SUNJCE};

use super::JvmSelection;
use super::score::{Score, scores};

const TASKS: [Task; 3] = [
    Task { algorithm: Algorithm::Aes128Gcm, operation: Operation::Seal },
    Task { algorithm: Algorithm::Aes128Cbc, operation: Operation::Encrypt },
    Task { algorithm: Algorithm::Aes128Cbc, operation: Operation::Decrypt },
];

pub(super) fn claims(java: &JvmSelection<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    for task in TASKS {
        let Some(bytes) = java.selection.yardstick(task.kind()) else { continue };
        let task = TaskClaims { java, task, bytes };
        claims.extend(task.accelerated());
        claims.extend(task.faster());
        claims.extend(task.flags());
    }
    claims.extend(java.servers().iter().flat_map(|servers| servers.claims()));
    claims.extend(scores(java).into_iter().filter_map(score));
    claims
}

/// Claims the score of crypto.aes. Adds the ratio for AES alone, and the percentage of the time that AES takes, which
/// the score hides.
fn score(score: Score<'_>) -> Option<Claim> {
    let improvement = points(score.improvement()?);
    let subject = Subject { library: score.who.clone(), ..Subject::default() };
    let share = score.on.seconds().map(|seconds| seconds.aes / seconds.whole * 100.0);
    let claim = match score.aes_ratio().zip(share) {
        Some((ratio, share)) => {
            Claim::new("jvm-score", subject).with("times", times(ratio)).with("share", percent(share))
        }
        None => Claim::new("jvm-score-alone", subject),
    };
    let claim = claim.with("improvement", improvement);
    Some(if score.is_of_java { claim.leading() } else { claim })
}

struct TaskClaims<'a> {
    java: &'a JvmSelection<'a>,
    task: Task,
    bytes: usize,
}

impl TaskClaims<'_> {
    fn subject(&self, library: Text, next: Text) -> Subject {
        let Task { algorithm, operation } = self.task;
        Subject { operation: Some(operation), next, ..Subject::new(algorithm, library, self.bytes) }
    }

    /// Claims the gain of each virtual machine or provider from acceleration.
    fn accelerated(&self) -> Option<Claim> {
        let gain = |who: ContenderIndex| {
            let gain = self.java.selection.gain(self.key(who)).filter(|gain| gain.is_shown && gain.ratio > 1.0)?;
            let figures = vec![("times", times(gain.ratio).into())];
            Some(ClaimEffect { of: self.java.name(who), figures, ..ClaimEffect::default() })
        };
        let claim = Claim::new("jvm-accelerated", self.subject(Text::EMPTY, Text::EMPTY));
        let claim = if self.task.algorithm == Algorithm::Aes128Gcm { claim.leading() } else { claim };
        claim.listing(self.without_flags().filter_map(gain))
    }

    /// Compares the newest JDK with the oldest JDK, and with every other provider.
    fn faster(&self) -> Vec<Claim> {
        let contenders_of = |library: &'static str| {
            let is_of = move |who: &ContenderIndex| self.contender(*who).library == library;
            self.without_flags().filter(|who| self.ranked(*who).is_some()).filter(is_of)
        };
        let mut own: Vec<ContenderIndex> = contenders_of(SUNJCE).collect();
        own.sort_by_key(|who| release(&self.contender(*who).version));
        let [Some(oldest), Some(newest)] = [own.first(), own.last()] else { return Vec::new() };
        let others = LIBRARIES.iter().filter(|library| library.java_title.is_some() && library.name != SUNJCE);
        let others = others.filter_map(|library| contenders_of(library.name).next());
        [*oldest].into_iter().chain(others).filter_map(|other| self.compared(*newest, other)).collect()
    }

    fn compared(&self, first: ContenderIndex, second: ContenderIndex) -> Option<Claim> {
        let is_faster = self.ratio(first, second)? > 1.0;
        let [faster, slower] = if is_faster { [first, second] } else { [second, first] };
        let subject = self.subject(self.java.name(faster), self.java.name(slower));
        Some(Claim::new("jvm-faster", subject).with("times", times(self.ratio(faster, slower)?)))
    }

    fn flags(&self) -> impl Iterator<Item = Claim> {
        let slower = |who: ContenderIndex| {
            let without = self.without_flags().find(|one| self.contender(*one).is_build_of(self.contender(who)))?;
            let times = times(self.ratio(without, who).filter(|ratio| *ratio > 1.0)?);
            Some(Claim::new("jvm-flag", self.subject(self.java.name(who), Text::EMPTY)).with("times", times))
        };
        self.java.selection.contenders().filter(|who| self.contender(*who).flags().is_some()).filter_map(slower)
    }

    /// Returns the ratio of speeds, if the samples prove a difference.
    fn ratio(&self, first: ContenderIndex, second: ContenderIndex) -> Option<f64> {
        let comparison = self.java.selection.compare(self.ranked(first), self.ranked(second))?;
        comparison.is_shown.then_some(comparison.ratio)
    }

    fn without_flags(&self) -> impl Iterator<Item = ContenderIndex> {
        self.java.selection.contenders().filter(|who| self.contender(*who).flags().is_none())
    }

    fn contender(&self, who: ContenderIndex) -> &Contender {
        self.java.selection.contender(who)
    }

    fn ranked(&self, who: ContenderIndex) -> Option<&Series> {
        self.java.selection.ranked(self.key(who))
    }

    fn key(&self, who: ContenderIndex) -> SeriesKey {
        SeriesKey::new(who, Acceleration::On, self.task, self.bytes)
    }
}

/// Returns the leading numbers of a version, so that 9 sorts before 17.
fn release(version: &str) -> Vec<u32> {
    version.split(|one: char| !one.is_ascii_digit()).map_while(|part| part.parse().ok()).collect()
}
