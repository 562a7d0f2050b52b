//! Claims about Java.

use crate::claim::{Claim, ClaimEffect, Figure, Subject};
use crate::quantity::points;
use crate::selection::{Contender, ContenderIndex, Selection, SeriesKey, Task};
use crate::text::Text;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series};
use kasoku_model::level::Level;
use kasoku_model::library::{LIBRARIES, SUNJCE};
use kasoku_model::statistics::Comparison;
use kasoku_model::workload::Operation;

use super::https;
use super::name::JvmNames;
use super::score::{Score, scores};

/// The tasks that claims are about, where they were measured.
const TASKS: [Task; 3] = [
    Task { algorithm: Algorithm::Aes128Gcm, operation: Operation::Seal },
    Task { algorithm: Algorithm::Aes128Cbc, operation: Operation::Encrypt },
    Task { algorithm: Algorithm::Aes128Cbc, operation: Operation::Decrypt },
];

/// Returns what `document` shows of Java; nothing if the run was interrupted.
pub(super) fn claims(document: &Document) -> Vec<Claim> {
    if !document.run.complete || !document.series.iter().any(|series| series.level == Level::Jvm) {
        return Vec::new();
    }
    let selection = Selection::of_level(document, Level::Jvm);
    let names = JvmNames::new(&selection);
    let mut claims = Vec::new();
    for task in TASKS {
        let Some(bytes) = selection.yardstick(task.kind()) else { continue };
        let task = TaskClaims { selection: &selection, names: &names, task, bytes };
        claims.extend(task.accelerated());
        claims.extend(task.faster());
        claims.extend(task.flags());
    }
    claims.extend(https::servers(&selection).iter().flat_map(|servers| servers.claims(&selection, &names)));
    claims.extend(scores(&selection).into_iter().filter_map(score));
    claims
}

/// Returns the score of crypto.aes, with what it hides: the ratio of AES by itself, and its share of an operation's time.
fn score(score: Score<'_>) -> Option<Claim> {
    let improvement = Figure::Text(points(score.improvement()?).into());
    let subject = Subject { library: score.who.clone(), ..Subject::default() };
    let share = score.on.seconds().map(|seconds| seconds.aes / seconds.whole * 100.0);
    let claim = match score.aes_ratio().zip(share) {
        Some((ratio, share)) => Claim::new("jvm-score", subject)
            .with_figure("times", Figure::Times(ratio, None))
            .with_figure("share", Figure::Percent(share)),
        None => Claim::new("jvm-score-alone", subject),
    };
    let claim = claim.with_figure("improvement", improvement);
    Some(if score.is_of_java { claim.leading() } else { claim })
}

/// Makes the claims about one task at one size, with acceleration.
struct TaskClaims<'a> {
    selection: &'a Selection<'a>,
    names: &'a JvmNames<'a>,
    task: Task,
    bytes: usize,
}

impl TaskClaims<'_> {
    fn subject(&self, library: Text, next: Text) -> Subject {
        let Task { algorithm, operation } = self.task;
        Subject { operation: Some(operation), next, ..Subject::new(algorithm, library, self.bytes) }
    }

    /// Lists how many times as fast each virtual machine or provider is with acceleration.
    fn accelerated(&self) -> Option<Claim> {
        let gain = |who: ContenderIndex| {
            let gain = self.selection.gain(self.key(who)).filter(|gain| gain.is_shown && gain.ratio > 1.0)?;
            let figures = vec![("times", Figure::Times(gain.ratio, Some(gain.ci95)))];
            Some(ClaimEffect { of: self.names.of(who), figures, ..ClaimEffect::default() })
        };
        let gains: Vec<ClaimEffect> = self.without_flags().filter_map(gain).collect();
        let claim = Claim::new("jvm-accelerated", self.subject(Text::EMPTY, Text::EMPTY)).listing(gains);
        let claim = if self.task.algorithm == Algorithm::Aes128Gcm { claim.leading() } else { claim };
        Some(claim).filter(|claim| !claim.effects.is_empty())
    }

    /// Compares the newest virtual machine with the oldest, and with every other provider.
    fn faster(&self) -> Vec<Claim> {
        let of = |library: &'static str| {
            let is_of = move |who: &ContenderIndex| self.contender(*who).library == library;
            self.without_flags().filter(|who| self.ranked(*who).is_some()).filter(is_of)
        };
        let mut own: Vec<ContenderIndex> = of(SUNJCE).collect();
        own.sort_by_key(|who| release(&self.contender(*who).version));
        let [Some(oldest), Some(newest)] = [own.first(), own.last()] else { return Vec::new() };
        let others = LIBRARIES.iter().filter(|library| library.java_title.is_some() && library.name != SUNJCE);
        let others = others.filter_map(|library| of(library.name).next());
        [*oldest].into_iter().chain(others).filter_map(|other| self.compared(*newest, other)).collect()
    }

    fn compared(&self, first: ContenderIndex, second: ContenderIndex) -> Option<Claim> {
        let is_faster = self.ratio(first, second)?.ratio > 1.0;
        let [faster, slower] = if is_faster { [first, second] } else { [second, first] };
        let subject = self.subject(self.names.of(faster), self.names.of(slower));
        let Comparison { ratio, ci95, .. } = self.ratio(faster, slower)?;
        Some(Claim::new("jvm-faster", subject).with_figure("times", Figure::Times(ratio, Some(ci95))))
    }

    /// Lists the flags with which the same build is slower.
    fn flags(&self) -> impl Iterator<Item = Claim> {
        let slower = |who: ContenderIndex| {
            let without = self.without_flags().find(|one| self.contender(*one).is_build_of(self.contender(who)))?;
            let Comparison { ratio, ci95, .. } = self.ratio(without, who).filter(|one| one.ratio > 1.0)?;
            let claim = Claim::new("jvm-flag", self.subject(self.names.of(who), Text::EMPTY));
            Some(claim.with_figure("times", Figure::Times(ratio, Some(ci95))))
        };
        self.selection.contenders().filter(|who| self.contender(*who).flags().is_some()).filter_map(slower)
    }

    /// Returns how many times as fast `first` is as `second`, if a difference is shown.
    fn ratio(&self, first: ContenderIndex, second: ContenderIndex) -> Option<Comparison> {
        self.selection.compare(self.ranked(first), self.ranked(second)).filter(|comparison| comparison.is_shown)
    }

    fn without_flags(&self) -> impl Iterator<Item = ContenderIndex> {
        self.selection.contenders().filter(|who| self.contender(*who).flags().is_none())
    }

    fn contender(&self, who: ContenderIndex) -> &Contender {
        self.selection.contender(who)
    }

    fn ranked(&self, who: ContenderIndex) -> Option<&Series> {
        self.selection.ranked(self.key(who))
    }

    fn key(&self, who: ContenderIndex) -> SeriesKey {
        SeriesKey::new(who, Acceleration::On, self.task, self.bytes)
    }
}

/// Returns the numbers that a version begins with, so that 9 comes before 17.
fn release(version: &str) -> Vec<u32> {
    version.split(|one: char| !one.is_ascii_digit()).map_while(|part| part.parse().ok()).collect()
}
