//! What to pick from a document: the series of a level by task, library, variant, acceleration and size, and what may
//! be compared with what.

mod contender;
mod trust;

use std::cmp::{Ordering, Reverse};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::document::{Document, Outcome, Series};
use kasoku_model::level::Level;
use kasoku_model::statistics::{self, Comparison};
use kasoku_model::workload::{Operation, PacketOperation, Setting};

use super::text::{Separator, Text, say};
pub(crate) use contender::{Contender, join, packet_operation_name};
use contender::{aad, condition};
pub use trust::Trust;
pub(crate) use trust::{
    CODE_PATH, ExclusionReason, code_path, is_copy, is_drawn, lowest_trust, server_cpu_seconds, sound_figure, widest,
};
use trust::{exclusion_reason, is_comparable};

/// The size at which one figure stands for an algorithm, where it was measured: `openssl speed`'s largest.
const YARDSTICK: usize = 16_384;

/// Key of a series within its level. Use struct update syntax for a neighbouring key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SeriesKey {
    pub(crate) task: Task,
    pub(crate) who: ContenderIndex,
    pub(crate) setting: Setting,
    pub(crate) state: Acceleration,
    pub(crate) bytes: usize,
}

/// One of the contenders of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContenderIndex(usize);

impl SeriesKey {
    /// A task on texts in memory.
    pub(crate) fn new(who: ContenderIndex, state: Acceleration, task: Task, bytes: usize) -> Self {
        SeriesKey { task, who, setting: Setting::Memory, state, bytes }
    }

    pub(crate) fn in_state(self, state: Acceleration) -> Self {
        SeriesKey { state, ..self }
    }

    pub(crate) fn at_size(self, bytes: usize) -> Self {
        SeriesKey { bytes, ..self }
    }

    /// The operation on packets; `None` for series that are no packets.
    pub(crate) fn packet_operation(&self) -> Option<PacketOperation> {
        match self.setting {
            Setting::Packets(packets) => Some(PacketOperation { operation: self.task.operation, packets }),
            _ => None,
        }
    }
}

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

    /// Returns `AES-256-CBC`, `AES-256-CBC decrypt` or `Ed25519 sign`.
    pub(crate) fn title(self) -> Text {
        let title = self.algorithm.title();
        let is_plain = self == Task::main(self.algorithm) && self.algorithm.kind() != AlgorithmKind::Signature;
        if is_plain && self.algorithm.kind() != AlgorithmKind::Kem {
            title.into()
        } else {
            Text::list(Separator::Space, [Text::from(title), operation(self.operation)])
        }
    }

    /// What the algorithm is for.
    pub(crate) fn kind(self) -> AlgorithmKind {
        self.algorithm.kind()
    }
}

/// Series that have the same reason not to be ranked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// Library and state.
    pub(crate) who: Text,
    pub(crate) what: ExclusionReason,
    pub(crate) reason: Text,
    /// The tasks with their sizes.
    pub(crate) tasks: Text,
}

/// One level of a document, by key.
pub(crate) struct Selection<'a> {
    pub(crate) document: &'a Document,
    contenders: Vec<Contender>,
    index: BTreeMap<SeriesKey, &'a Series>,
    tasks: BTreeMap<Task, BTreeSet<usize>>,
    repeated: Vec<(SeriesKey, &'a Series)>,
    controls: Vec<(SeriesKey, &'a Series)>,
}

impl<'a> Selection<'a> {
    /// The primitives of `document`.
    pub(crate) fn new(document: &'a Document) -> Self {
        Self::of_level(document, Level::Primitives)
    }

    /// One level of `document`.
    pub(crate) fn of_level(document: &'a Document, level: Level) -> Self {
        // A control is there for the noise floor; its figures are those of its original once more.
        let with_controls = || document.series.iter().filter(move |series| series.level == level);
        let at_level = || with_controls().filter(|series| !series.details.control);
        let mut aads: BTreeMap<usize, usize> = BTreeMap::new();
        for aad in at_level().filter_map(aad) {
            *aads.entry(aad).or_default() += 1;
        }
        let usual = aads.into_iter().max_by_key(|(_, count)| *count).map(|(aad, _)| aad);
        let name = |series: &Series| Contender::new(series, usual);
        let contenders: Vec<Contender> = at_level().map(name).collect::<BTreeSet<_>>().into_iter().collect();
        let mut selection = Selection {
            document,
            contenders,
            index: BTreeMap::new(),
            tasks: BTreeMap::new(),
            repeated: Vec::new(),
            controls: Vec::new(),
        };
        for series in with_controls() {
            let Ok(who) = selection.contenders.binary_search(&name(series)) else { continue };
            let key = SeriesKey {
                task: Task { algorithm: series.algorithm, operation: series.operation },
                who: ContenderIndex(who),
                setting: series.workload().setting,
                state: series.acceleration,
                bytes: series.bytes,
            };
            if series.details.control {
                selection.controls.push((key, series));
                continue;
            }
            selection.tasks.entry(key.task).or_default().insert(key.bytes);
            match selection.index.entry(key) {
                Entry::Vacant(entry) => _ = entry.insert(series),
                Entry::Occupied(_) => selection.repeated.push((key, series)),
            }
        }
        selection.controls.sort_by_key(|(key, _)| *key);
        selection
    }

    /// Who took part, in the order tables show them.
    pub(crate) fn contenders(&self) -> impl Iterator<Item = ContenderIndex> + use<> {
        (0..self.contenders.len()).map(ContenderIndex)
    }

    /// Returns the contender at `who`.
    pub(crate) fn contender(&self, who: ContenderIndex) -> &Contender {
        &self.contenders[who.0]
    }

    /// Its name where space is short: with the version only if there are several of that library.
    pub(crate) fn label(&self, who: ContenderIndex) -> Text {
        let own = self.contender(who);
        let has_several =
            self.contenders.iter().any(|other| other.library == own.library && other.version != own.version);
        own.label(has_several, Text::EMPTY)
    }

    /// Its name with its version.
    pub(crate) fn full_label(&self, who: ContenderIndex) -> Text {
        self.contender(who).label(true, Text::EMPTY)
    }

    /// Returns the name of the contender with version and unusual settings.
    pub(crate) fn name(&self, key: SeriesKey) -> Text {
        self.contender(key.who).label(true, condition(key))
    }

    /// The series that `is_meant`, in the order of their keys.
    pub(crate) fn select(
        &self,
        is_meant: impl Fn(&SeriesKey) -> bool,
    ) -> impl Iterator<Item = (SeriesKey, &'a Series)> {
        self.index.iter().filter(move |(key, _)| is_meant(key)).map(|(key, series)| (*key, *series))
    }

    /// What was measured once more, in the order of the keys of what it repeats.
    pub(crate) fn controls(&self) -> impl Iterator<Item = (SeriesKey, &'a Series)> {
        self.controls.iter().copied()
    }

    /// The series of a task by one of the contenders. It looks at no others.
    pub(crate) fn done(&self, task: Task, who: ContenderIndex) -> impl Iterator<Item = (SeriesKey, &'a Series)> {
        // The least key that there can be of either.
        let [first, next] = [who, ContenderIndex(who.0 + 1)].map(|who| SeriesKey::new(who, Acceleration::On, task, 0));
        self.index.range(first..next).map(|(key, series)| (*key, *series))
    }

    /// Returns the distinct values of `part` over all series, sorted.
    pub(crate) fn distinct<T: Ord>(&self, part: impl Fn(&SeriesKey) -> Option<T>) -> Vec<T> {
        self.index.keys().filter_map(part).collect::<BTreeSet<T>>().into_iter().collect()
    }

    /// The series, with or without a figure.
    pub(crate) fn series(&self, key: SeriesKey) -> Option<&'a Series> {
        self.index.get(&key).copied()
    }

    /// The series, if it may be drawn, whether or not the run reached its end.
    pub(crate) fn drawn(&self, key: SeriesKey) -> Option<&'a Series> {
        self.series(key).filter(|series| is_drawn(self.document, series))
    }

    /// The series, if it may be ranked and compared: verified, with a sensible figure, in a run that reached its end.
    pub(crate) fn ranked(&self, key: SeriesKey) -> Option<&'a Series> {
        self.series(key).filter(|series| self.document.run.complete && is_comparable(series))
    }

    /// The tasks of one kind that anything is known about, in the order of the algorithms.
    pub(crate) fn tasks(&self, kind: AlgorithmKind) -> Vec<Task> {
        self.tasks.keys().filter(|task| task.kind() == kind).copied().collect()
    }

    /// The sizes at which tasks of that kind were asked for.
    pub(crate) fn sizes(&self, kind: AlgorithmKind) -> Vec<usize> {
        let of_kind = self.tasks.iter().filter(|(task, _)| task.kind() == kind);
        let sizes: BTreeSet<usize> = of_kind.flat_map(|(_, sizes)| sizes).copied().collect();
        sizes.into_iter().collect()
    }

    /// The sizes of one task.
    pub(crate) fn sizes_of(&self, task: Task) -> Vec<usize> {
        self.tasks.get(&task).into_iter().flatten().copied().collect()
    }

    /// The rows of a table of one task: who, in which variant and state; their keys are those of no size.
    pub(crate) fn rows(&self, task: Task) -> Vec<SeriesKey> {
        self.distinct(|key| (key.task == task).then(|| key.at_size(0)))
    }

    /// The size at which one figure stands for the kind: 16 KiB if it was measured, or the nearest below, or the
    /// smallest.
    pub(crate) fn yardstick(&self, kind: AlgorithmKind) -> Option<usize> {
        yardstick(&self.sizes(kind))
    }

    /// The library that the story is told with: the one with most algorithms both on and off, then with most at all. In
    /// how many masks in between it was measured says nothing for it.
    pub(crate) fn primary(&self) -> Option<ContenderIndex> {
        let mut weights: BTreeMap<ContenderIndex, [BTreeSet<(Task, usize)>; 2]> = BTreeMap::new();
        for (key, series) in &self.index {
            if !is_drawn(self.document, series) {
                continue;
            }
            let [both, all] = weights.entry(key.who).or_default();
            all.insert((key.task, key.bytes));
            if key.state == Acceleration::On && self.index.contains_key(&key.in_state(Acceleration::Off)) {
                both.insert((key.task, key.bytes));
            }
        }
        let weight = |(who, sets): &(ContenderIndex, [BTreeSet<(Task, usize)>; 2])| {
            (sets.each_ref().map(BTreeSet::len), Reverse(*who))
        };
        weights.into_iter().max_by_key(weight).map(|(who, _)| who)
    }

    /// Those that may stand beside `who`: with as many threads and as much AAD.
    pub(crate) fn peers(&self, who: ContenderIndex) -> impl Iterator<Item = ContenderIndex> {
        self.contenders().filter(move |other| self.contender(*other).is_peer_of(self.contender(who)))
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

    /// What the instructions bring: `on` over `off`.
    pub(crate) fn gain(&self, key: SeriesKey) -> Option<Comparison> {
        self.compare(self.ranked(key.in_state(Acceleration::On)), self.ranked(key.in_state(Acceleration::Off)))
    }

    /// Returns the gain from acceleration as shown; for quoted figures the ratio of the printed figures.
    pub(crate) fn worth(&self, key: SeriesKey) -> Option<Worth> {
        if !self.is_quoted() {
            let Comparison { ratio, ci95, is_shown, .. } = self.gain(key)?;
            return Some(Worth { ratio, interval: Some(ci95), is_shown });
        }
        let [on, off] = [Acceleration::On, Acceleration::Off].map(|state| self.series(key.in_state(state)));
        let (on, off) = on.zip(off).filter(|(on, off)| on.unit == off.unit)?;
        let ratio = sound_figure(on)? / sound_figure(off)?;
        (ratio.is_finite() && ratio > 0.0).then_some(Worth { ratio, interval: None, is_shown: true })
    }

    /// Whether the figures are those of somebody else.
    pub(crate) fn is_quoted(&self) -> bool {
        self.document.run.origin.is_some()
    }

    /// The peers of `like` at one task and size with acceleration on, fastest first.
    pub(crate) fn ranking(&self, like: ContenderIndex, task: Task, bytes: usize) -> Vec<(ContenderIndex, &'a Series)> {
        let ranked = |who| Some((who, self.ranked(SeriesKey::new(who, Acceleration::On, task, bytes))?));
        let mut ranking: Vec<(ContenderIndex, &Series)> = self.peers(like).filter_map(ranked).collect();
        ranking.sort_by(|(_, one), (_, other)| by_speed(one, other));
        ranking
    }

    /// The series that failed, were not verified or came twice, by reason.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        type Group = (Text, ExclusionReason, Text);
        let mut groups: BTreeMap<Group, BTreeMap<Task, BTreeSet<usize>>> = BTreeMap::new();
        let excluded =
            |(key, series): (&SeriesKey, &&'a Series)| Some((*key, *series, exclusion_reason(self.document, series)?));
        let repeated = self.repeated.iter().map(|(key, series)| (*key, *series, ExclusionReason::Repeated));
        // A failed control has no noise floor, and changes the exit status.
        let failed = self.controls.iter().filter(|(_, series)| series.has_failed());
        let failed = failed.map(|(key, series)| (*key, *series, ExclusionReason::Failed));
        for (key, series, what) in self.index.iter().filter_map(excluded).chain(repeated).chain(failed) {
            let library = join(&series.library, &series.library_version);
            let operation = key.packet_operation().map(packet_operation_name);
            let who = with_state(Text::list(Separator::Comma, [Text::from(library), operation.into()]), key.state);
            let reason = match (&series.outcome, &series.note, what) {
                (_, _, ExclusionReason::Repeated) => say!("tables-first-is-shown"),
                (Outcome::Failed(why), _, ExclusionReason::Failed) => Text::stored(why, 400),
                (_, Some(note), _) => Text::stored(note, 400),
                (_, None, ExclusionReason::Failed) => say!("tables-no-reason"),
                (_, None, ExclusionReason::Unverified) => say!("tables-not-checked"),
            };
            groups.entry((who, what, reason)).or_default().entry(key.task).or_default().insert(key.bytes);
        }
        let problem = |((who, what, reason), tasks): (Group, BTreeMap<Task, BTreeSet<usize>>)| {
            let tasks = tasks.into_iter().map(|(task, sizes)| self.describe(task, &sizes));
            Problem { who, what, reason, tasks: Text::list(Separator::Comma, tasks) }
        };
        groups.into_iter().map(problem).collect()
    }

    fn describe(&self, task: Task, sizes: &BTreeSet<usize>) -> Text {
        if !task.kind().is_bulk() || sizes.len() == self.sizes_of(task).len() {
            return task.title();
        }
        let sizes = Text::list(Separator::Comma, sizes.iter().map(|bytes| super::quantity::size(*bytes)));
        say!("tables-with-state", library = task.title(), state = sizes)
    }
}

/// Returns `name (state)`.
pub(crate) fn with_state(name: impl Into<Text>, state: Acceleration) -> Text {
    say!("tables-with-state", library = name.into(), state = state.name())
}

/// Returns the name of an operation.
pub(crate) fn operation(operation: Operation) -> Text {
    say!("words-operation", operation = operation.name())
}

/// Returns the title of a table of algorithms of a kind.
pub(crate) fn kind_title(kind: AlgorithmKind) -> Text {
    let name = match kind {
        AlgorithmKind::Cipher => "cipher",
        AlgorithmKind::Aead => "aead",
        AlgorithmKind::Hash => "hash",
        AlgorithmKind::KeyAgreement => "key-agreement",
        AlgorithmKind::Signature => "signature",
        AlgorithmKind::Kem => "kem",
        AlgorithmKind::Suite => "suite",
        AlgorithmKind::CipherSuite => "cipher-suite",
    };
    say!("words-kind", kind = name)
}

/// Returns how many times as fast: `6.4×`.
pub(crate) fn times(ratio: f64) -> Text {
    say!("words-times", ratio = super::quantity::times(ratio))
}

/// The order of series that has the fastest first.
pub(crate) fn by_speed(one: &Series, other: &Series) -> Ordering {
    other.median.unwrap_or(0.0).total_cmp(&one.median.unwrap_or(0.0))
}

/// Whether the best is shown to differ from every other; not where there is no other.
pub(crate) fn is_ahead<T>(ranked: &[T], is_shown: impl Fn(&T, &T) -> bool) -> bool {
    ranked
        .split_first()
        .is_some_and(|(best, others)| !others.is_empty() && others.iter().all(|one| is_shown(best, one)))
}

/// The levels that a document has series of, in their own order of appearance.
pub(crate) fn levels(document: &Document) -> Vec<Level> {
    unique(document.series.iter().map(|series| series.level))
}

/// Returns the different `items` in the order in which they come first.
pub(crate) fn unique<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}

/// Returns the values of each key, in the order in which the keys come first.
pub(crate) fn grouped<K: Clone + Eq + Hash, V>(items: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    let mut places: HashMap<K, usize> = HashMap::new();
    for (key, value) in items {
        let place = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// The size that stands for all of `sizes`, which rise.
pub(crate) fn yardstick(sizes: &[usize]) -> Option<usize> {
    sizes.iter().rev().find(|bytes| **bytes <= YARDSTICK).or(sizes.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::render::catalogue;

    #[test]
    fn the_yardstick_is_16_kib_or_what_is_nearest_below() {
        assert_eq!(yardstick(&[16, 8192, 16_384, 1 << 20]), Some(16_384));
        assert_eq!(yardstick(&[16, 8192, 1 << 20]), Some(8192));
        assert_eq!(yardstick(&[1 << 20, 2 << 20]), Some(1 << 20));
        assert_eq!(yardstick(&[]), None);
    }

    #[test]
    fn the_least_key_is_plain_and_on() {
        let least = SeriesKey::new(ContenderIndex(0), Acceleration::On, Task::main(Algorithm::Aes128Gcm), 0);
        assert!(Acceleration::ALL.iter().all(|state| least <= least.in_state(*state)));
        assert!(
            least < SeriesKey { setting: Setting::Packets(PacketOperation::CIPHER.packets), ..least }
                && least < least.at_size(1)
        );
    }

    #[test]
    fn tasks_are_titled_by_what_is_not_obvious() {
        let [words, japanese] = [Language::ENGLISH, Language::from_tag("ja").unwrap()].map(catalogue);
        let decrypting = Task { algorithm: Algorithm::Aes256Cbc, operation: Operation::Decrypt };
        assert_eq!(words.write(&Task::main(Algorithm::Aes256Cbc).title()), "AES-256-CBC");
        assert_eq!(words.write(&decrypting.title()), "AES-256-CBC decrypt");
        assert_eq!(japanese.write(&decrypting.title()), "AES-256-CBC 復号");
        assert_eq!(words.write(&Task::main(Algorithm::Ed25519).title()), "Ed25519 sign");
        assert_eq!(words.write(&Task::main(Algorithm::X25519).title()), "X25519");
    }
}
