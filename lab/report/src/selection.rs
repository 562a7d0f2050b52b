//! What to pick from a document: who took part, on which tasks and sizes, and what may be compared with what.

mod contender;
mod standing;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Kind};
use kasoku_model::document::{Document, Series};
use kasoku_model::statistics::{self, Comparison};
use kasoku_model::workload::Operation;

use super::language::{Messages, Words};
use super::level::PRIMITIVES;
use super::visible::short;
use super::way::Way;
use contender::aad;
pub(crate) use contender::{Contender, join};
pub(crate) use standing::{Standing, Wrong, is_copy, is_drawn, sound_figure};
use standing::{is_comparable, what_is_wrong};

/// The size at which one figure stands for an algorithm, where it was measured: `openssl speed`'s largest.
const YARDSTICK: usize = 16_384;

/// What acceleration is worth for a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Worth {
    /// How many times as fast with it on.
    pub(crate) ratio: f64,
    /// The 95 % interval; `None` of figures that were printed by others.
    pub(crate) interval: Option<[f64; 2]>,
    /// Whether a difference may be claimed, or is that of the figures as they were printed.
    pub(crate) is_shown: bool,
}

/// An operation with an algorithm: a row before the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Task {
    /// With which algorithm.
    pub(crate) algorithm: Algorithm,
    /// What is done.
    pub(crate) operation: Operation,
}

impl Task {
    /// The task that stands for an algorithm: encrypt, seal, hash, sign….
    pub(crate) fn main(algorithm: Algorithm) -> Self {
        let operation = Operation::of(algorithm.kind()).first().copied().unwrap_or(Operation::Hash);
        Task { algorithm, operation }
    }

    /// `AES-256-CBC`, `AES-256-CBC decrypt`, `Ed25519 sign`.
    pub(crate) fn title(self, words: &Words) -> String {
        let title = self.algorithm.title();
        let is_plain = self == Task::main(self.algorithm) && self.algorithm.kind() != Kind::Signature;
        if is_plain && self.algorithm.kind() != Kind::Kem {
            title.to_owned()
        } else {
            format!("{title} {}", (words.operation)(self.operation))
        }
    }

    /// What the algorithm is for.
    pub(crate) fn kind(self) -> Kind {
        self.algorithm.kind()
    }
}

/// Series that have the same reason not to be ranked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// Library and state.
    pub(crate) who: String,
    /// What is wrong.
    pub(crate) what: Wrong,
    /// Why.
    pub(crate) reason: String,
    /// The tasks with their sizes.
    pub(crate) tasks: Vec<String>,
}

type Key = (usize, Acceleration, Task, usize);

/// One level of a document, by contender, state, task and size.
pub(crate) struct Selection<'a> {
    /// The document.
    pub(crate) document: &'a Document,
    /// What things are called.
    pub(crate) messages: &'static Messages,
    contenders: Vec<Contender>,
    versions: HashMap<String, usize>,
    index: HashMap<Key, &'a Series>,
    tasks: BTreeMap<Task, Known>,
    repeated: Vec<&'a Series>,
}

/// What is known of a task: who did it in which states, and at which sizes.
#[derive(Default)]
struct Known {
    who: BTreeMap<usize, BTreeSet<Acceleration>>,
    sizes: BTreeSet<usize>,
}

impl<'a> Selection<'a> {
    /// The primitives of `document`.
    pub(crate) fn new(document: &'a Document, messages: &'static Messages) -> Self {
        Self::of_level(document, PRIMITIVES, messages)
    }

    /// One level of `document`.
    pub(crate) fn of_level(document: &'a Document, level: &str, messages: &'static Messages) -> Self {
        // A control is there for the noise floor; its figures are those of its original once more.
        let at_level = || document.series.iter().filter(move |series| series.level == level && !series.is_control());
        let mut aads: BTreeMap<String, usize> = BTreeMap::new();
        for aad in at_level().filter_map(aad) {
            *aads.entry(aad).or_default() += 1;
        }
        let usual = aads.into_iter().max_by_key(|(_, count)| *count).map(|(aad, _)| aad);
        let name = |series: &Series| Contender::of(series, usual.as_deref());

        let contenders: Vec<Contender> = at_level().map(name).collect::<BTreeSet<_>>().into_iter().collect();
        let mut versions: HashMap<String, BTreeSet<&str>> = HashMap::new();
        let mut index = HashMap::new();
        let mut tasks: BTreeMap<Task, Known> = BTreeMap::new();
        let mut repeated = Vec::new();
        for series in at_level() {
            versions.entry(series.library.clone()).or_default().insert(&series.library_version);
            let Ok(who) = contenders.binary_search(&name(series)) else { continue };
            let task = Task { algorithm: series.algorithm, operation: series.operation };
            let known = tasks.entry(task).or_default();
            known.who.entry(who).or_default().insert(series.acceleration);
            known.sizes.insert(series.bytes);
            match index.entry((who, series.acceleration, task, series.bytes)) {
                std::collections::hash_map::Entry::Vacant(entry) => _ = entry.insert(series),
                std::collections::hash_map::Entry::Occupied(_) => repeated.push(series),
            }
        }
        let versions = versions.into_iter().map(|(library, versions)| (library, versions.len())).collect();
        Selection { document, messages, contenders, versions, index, tasks, repeated }
    }

    /// Who took part, in the order tables show them.
    pub(crate) fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    /// A contender's name where space is short: with the version only if there are several of that library.
    pub(crate) fn label(&self, who: &Contender) -> String {
        let several = self.versions.get(&who.library).is_some_and(|count| *count > 1);
        who.label(several, self.messages)
    }

    /// A contender's name with its version.
    pub(crate) fn full_label(&self, who: &Contender) -> String {
        who.label(true, self.messages)
    }

    /// The series, with or without a figure.
    pub(crate) fn series(&self, who: &Contender, state: Acceleration, task: Task, bytes: usize) -> Option<&'a Series> {
        let who = self.contenders.binary_search(who).ok()?;
        self.index.get(&(who, state, task, bytes)).copied()
    }

    /// The series, if it may be ranked and compared: verified, with a sensible figure, in a run that reached its end.
    pub(crate) fn ranked(&self, who: &Contender, state: Acceleration, task: Task, bytes: usize) -> Option<&'a Series> {
        self.series(who, state, task, bytes).filter(|series| self.document.run.complete && is_comparable(series))
    }

    /// The tasks of one kind that anything is known about, in the order of the algorithms.
    pub(crate) fn tasks(&self, kind: Kind) -> Vec<Task> {
        self.tasks.keys().filter(|task| task.kind() == kind).copied().collect()
    }

    /// The sizes at which tasks of that kind were asked for.
    pub(crate) fn sizes(&self, kind: Kind) -> Vec<usize> {
        let of_kind = self.tasks.iter().filter(|(task, _)| task.kind() == kind);
        let sizes: BTreeSet<usize> = of_kind.flat_map(|(_, known)| &known.sizes).copied().collect();
        sizes.into_iter().collect()
    }

    /// The sizes of one task.
    pub(crate) fn sizes_of(&self, task: Task) -> Vec<usize> {
        self.tasks.get(&task).map(|known| known.sizes.iter().copied().collect()).unwrap_or_default()
    }

    /// Who has series of `task`, each with the states, `on` first.
    pub(crate) fn parties(&self, task: Task) -> impl Iterator<Item = (&Contender, &BTreeSet<Acceleration>)> {
        let known = self.tasks.get(&task).into_iter().flat_map(|known| &known.who);
        known.filter_map(|(who, states)| Some((self.contenders.get(*who)?, states)))
    }

    /// The size at which one figure stands for the kind: 16 KiB if it was measured, or the nearest below, or the
    /// smallest.
    pub(crate) fn yardstick(&self, kind: Kind) -> Option<usize> {
        yardstick(&self.sizes(kind))
    }

    /// The library that the story is told with: the one with most algorithms both on and off, then with most at all. In how
    /// many masks in between it was measured says nothing for it.
    pub(crate) fn primary(&self) -> Option<&Contender> {
        let mut both: BTreeMap<usize, BTreeSet<(Task, usize)>> = BTreeMap::new();
        let mut all: BTreeMap<usize, BTreeSet<(Task, usize)>> = BTreeMap::new();
        for ((who, state, task, bytes), series) in &self.index {
            if !is_drawn(self.document, series) {
                continue;
            }
            all.entry(*who).or_default().insert((*task, *bytes));
            if *state == Acceleration::On && self.index.contains_key(&(*who, Acceleration::Off, *task, *bytes)) {
                both.entry(*who).or_default().insert((*task, *bytes));
            }
        }
        let weight = |who: usize| (both.get(&who).map_or(0, BTreeSet::len), all.get(&who).map_or(0, BTreeSet::len));
        let best = (0..self.contenders.len()).max_by_key(|who| (weight(*who), std::cmp::Reverse(*who)))?;
        (weight(best).1 > 0).then(|| self.contenders.get(best)).flatten()
    }

    /// Those that may stand beside `who`: with as many threads and as much AAD.
    pub(crate) fn peers(&self, who: &Contender) -> impl Iterator<Item = &Contender> {
        let like = who.clone();
        self.contenders.iter().filter(move |other| other.is_peer_of(&like))
    }

    /// How many times as fast `first` is as `second`, if both may be compared.
    pub(crate) fn compare(&self, first: Option<&Series>, second: Option<&Series>) -> Option<Comparison> {
        let (first, second) = (first?, second?);
        let method = &self.document.run.method;
        let floor = method.floor(first.algorithm).max(method.floor(second.algorithm));
        let comparison = statistics::compare(first, second, floor)?;
        let is_sound = comparison.ratio.is_finite() && comparison.ratio > 0.0;
        is_sound.then_some(comparison)
    }

    /// What the instructions bring `who`: `on` over `off`.
    pub(crate) fn gain(&self, who: &Contender, task: Task, bytes: usize) -> Option<Comparison> {
        self.compare(self.ranked(who, Acceleration::On, task, bytes), self.ranked(who, Acceleration::Off, task, bytes))
    }

    /// The same as it is shown: of figures that others printed, the ratio of what they printed.
    pub(crate) fn worth(&self, who: &Contender, task: Task, bytes: usize) -> Option<Worth> {
        if !self.is_quoted() {
            let Comparison { ratio, ci95, is_shown, .. } = self.gain(who, task, bytes)?;
            return Some(Worth { ratio, interval: Some(ci95), is_shown });
        }
        let [on, off] = [Acceleration::On, Acceleration::Off].map(|state| self.series(who, state, task, bytes));
        let (on, off) = on.zip(off).filter(|(on, off)| on.unit == off.unit)?;
        let ratio = sound_figure(on)? / sound_figure(off)?;
        (ratio.is_finite() && ratio > 0.0).then_some(Worth { ratio, interval: None, is_shown: true })
    }

    /// Whether the figures are those of somebody else.
    pub(crate) fn is_quoted(&self) -> bool {
        self.document.run.origin.is_some()
    }

    /// The contenders at one task and size with acceleration on, fastest first.
    pub(crate) fn ranking(&self, like: &Contender, task: Task, bytes: usize) -> Vec<(&Contender, &'a Series)> {
        let mut ranking: Vec<(&Contender, &Series)> =
            self.peers(like).filter_map(|who| Some((who, self.ranked(who, Acceleration::On, task, bytes)?))).collect();
        ranking.sort_by(|a, b| b.1.median.unwrap_or(0.0).total_cmp(&a.1.median.unwrap_or(0.0)));
        ranking
    }

    /// The series that failed, were not verified or came twice, by reason.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let tables = &self.messages.tables;
        let mut groups: BTreeMap<(String, Wrong, String), BTreeMap<Task, BTreeSet<usize>>> = BTreeMap::new();
        let measured = self.index.values().filter_map(|series| Some((*series, what_is_wrong(self.document, series)?)));
        let repeated = self.repeated.iter().map(|series| (*series, Wrong::Repeated));
        for (series, what) in measured.chain(repeated) {
            let state = series.acceleration;
            let mut who = join(&series.library, &series.library_version, "");
            if let Some(way) = Way::of(series) {
                who = format!("{who}{}{}", self.messages.words.comma, (self.messages.packets.way)(way));
            }
            let who = (tables.with_state)(&who, state.name());
            let reason = match (&series.note, what) {
                (_, Wrong::Repeated) => tables.first_is_shown.to_owned(),
                (Some(note), _) => short(note, 400),
                (None, Wrong::Failed) => tables.no_reason.to_owned(),
                (None, Wrong::Unverified) => tables.not_checked.to_owned(),
            };
            let task = Task { algorithm: series.algorithm, operation: series.operation };
            groups.entry((who, what, reason)).or_default().entry(task).or_default().insert(series.bytes);
        }
        let problem = |((who, what, reason), tasks): ((String, Wrong, String), BTreeMap<Task, BTreeSet<usize>>)| {
            let tasks = tasks.into_iter().map(|(task, sizes)| self.describe(task, &sizes)).collect();
            Problem { who, what, reason, tasks }
        };
        groups.into_iter().map(problem).collect()
    }

    fn describe(&self, task: Task, sizes: &BTreeSet<usize>) -> String {
        if !task.kind().is_bulk() || sizes.len() == self.sizes_of(task).len() {
            return task.title(&self.messages.words);
        }
        let sizes: Vec<String> = sizes.iter().map(|bytes| super::quantity::size(*bytes)).collect();
        (self.messages.tables.with_state)(&task.title(&self.messages.words), &sizes.join(self.messages.words.comma))
    }
}

/// The levels that a document has series of, in their own order of appearance.
pub(crate) fn levels(document: &Document) -> Vec<&str> {
    let mut levels: Vec<&str> = Vec::new();
    for series in &document.series {
        if !levels.contains(&series.level.as_str()) {
            levels.push(&series.level);
        }
    }
    levels
}

/// The size that stands for all of `sizes`, which rise.
pub(crate) fn yardstick(sizes: &[usize]) -> Option<usize> {
    sizes.iter().rev().find(|bytes| **bytes <= YARDSTICK).or(sizes.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::messages;
    use kasoku_model::language::Language;

    #[test]
    fn the_yardstick_is_16_kib_or_what_is_nearest_below() {
        assert_eq!(yardstick(&[16, 8192, 16_384, 1 << 20]), Some(16_384));
        assert_eq!(yardstick(&[16, 8192, 1 << 20]), Some(8192));
        assert_eq!(yardstick(&[1 << 20, 2 << 20]), Some(1 << 20));
        assert_eq!(yardstick(&[]), None);
    }

    #[test]
    fn tasks_are_titled_by_what_is_not_obvious() {
        let words = &messages(Language::English).words;
        let decrypting = Task { algorithm: Algorithm::Aes256Cbc, operation: Operation::Decrypt };
        assert_eq!(Task::main(Algorithm::Aes256Cbc).title(words), "AES-256-CBC");
        assert_eq!(decrypting.title(words), "AES-256-CBC decrypt");
        assert_eq!(decrypting.title(&messages(Language::Japanese).words), "AES-256-CBC 復号");
        assert_eq!(Task::main(Algorithm::Ed25519).title(words), "Ed25519 sign");
        assert_eq!(Task::main(Algorithm::X25519).title(words), "X25519");
    }
}
