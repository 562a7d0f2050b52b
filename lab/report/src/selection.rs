//! Selects series of a document by task, library, variant, state and size, and decides which series may be compared.

mod contender;
mod trust;

use std::cmp::{Ordering, Reverse};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use crate::prelude::*;
use kasoku_model::document::Outcome;
use kasoku_model::statistics::{self, Comparison};
use kasoku_model::workload::{PacketOperation, Setting};

pub(crate) use contender::{Contender, USUAL_FILES, join, packet_operation_name};
use contender::{aad, condition};
pub use trust::Trust;
pub(crate) use trust::{
    CODE_PATH, ExclusionReason, code_path, is_copy, is_drawn, lowest_trust, server_cpu_seconds, sound_figure, widest,
};
use trust::{exclusion_reason, is_comparable};

/// Preferred size in bytes at which one figure represents an algorithm. It is the largest size that `openssl speed`
/// measures.
const YARDSTICK: usize = 16_384;

/// Key of a series within its level. To get the key of a related series, use struct update syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SeriesKey {
    pub(crate) task: Task,
    pub(crate) who: ContenderIndex,
    pub(crate) setting: Setting,
    pub(crate) state: Acceleration,
    pub(crate) bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContenderIndex(usize);

impl SeriesKey {
    pub(crate) fn new(who: ContenderIndex, state: Acceleration, task: Task, bytes: usize) -> Self {
        SeriesKey { task, who, setting: Setting::Memory, state, bytes }
    }

    pub(crate) fn in_state(self, state: Acceleration) -> Self {
        SeriesKey { state, ..self }
    }

    pub(crate) fn at_size(self, bytes: usize) -> Self {
        SeriesKey { bytes, ..self }
    }

    /// Returns the operation on packets; `None` for other series.
    pub(crate) fn packet_operation(&self) -> Option<PacketOperation> {
        match self.setting {
            Setting::Packets(packets) => Some(PacketOperation { operation: self.task.operation, packets }),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Worth {
    /// Speed with acceleration over speed without.
    pub(crate) ratio: f64,
    /// 95 % interval of `ratio`; `None` for published figures.
    pub(crate) interval: Option<[f64; 2]>,
    /// Whether the samples prove a difference. Always true for published figures, which have no samples to check.
    pub(crate) is_shown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Task {
    pub(crate) algorithm: Algorithm,
    pub(crate) operation: Operation,
}

impl Task {
    /// Returns the main task of an algorithm, such as encrypt, seal, hash or sign.
    pub(crate) fn main(algorithm: Algorithm) -> Self {
        let operation = Operation::of(algorithm.kind()).first().copied().unwrap_or(Operation::Hash);
        Task { algorithm, operation }
    }

    /// Formats the task: `AES-256-CBC`, `AES-256-CBC decrypt` or `Ed25519 sign`.
    pub(crate) fn title(self) -> Text {
        let title = self.algorithm.title();
        let is_plain = self == Task::main(self.algorithm) && self.algorithm.kind() != AlgorithmKind::Signature;
        if is_plain && self.algorithm.kind() != AlgorithmKind::Kem {
            title.into()
        } else {
            Text::list(Separator::Space, [Text::from(title), operation(self.operation)])
        }
    }

    pub(crate) fn kind(self) -> AlgorithmKind {
        self.algorithm.kind()
    }
}

/// Series of a library and acceleration state that rankings exclude for the same reason.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) who: Text,
    pub(crate) what: ExclusionReason,
    pub(crate) reason: Text,
    pub(crate) tasks: Text,
}

pub(crate) struct Selection<'a> {
    pub(crate) document: &'a Document,
    contenders: Vec<Contender>,
    index: BTreeMap<SeriesKey, &'a Series>,
    tasks: BTreeMap<Task, BTreeSet<usize>>,
    repeated: Vec<(SeriesKey, &'a Series)>,
    controls: Vec<(SeriesKey, &'a Series)>,
}

impl<'a> Selection<'a> {
    /// Selects the primitives of `document`.
    pub(crate) fn new(document: &'a Document) -> Self {
        Self::of_level(document, Level::Primitives)
    }

    pub(crate) fn of_level(document: &'a Document, level: Level) -> Self {
        // Controls repeat other series and serve the noise floor only.
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

    /// Returns all contenders, in the order of tables.
    pub(crate) fn contenders(&self) -> impl Iterator<Item = ContenderIndex> + use<> {
        (0..self.contenders.len()).map(ContenderIndex)
    }

    pub(crate) fn contender(&self, who: ContenderIndex) -> &Contender {
        &self.contenders[who.0]
    }

    /// Returns the short name of a contender. Adds the version only if several versions of the library were measured.
    pub(crate) fn label(&self, who: ContenderIndex) -> Text {
        let own = self.contender(who);
        let has_several =
            self.contenders.iter().any(|other| other.library == own.library && other.version != own.version);
        own.label(has_several, Text::EMPTY)
    }

    pub(crate) fn full_label(&self, who: ContenderIndex) -> Text {
        self.contender(who).label(true, Text::EMPTY)
    }

    /// Returns the name of the key's contender, with its version and unusual settings.
    pub(crate) fn name(&self, key: SeriesKey) -> Text {
        self.contender(key.who).label(true, condition(key))
    }

    /// Returns the series whose keys `is_meant` selects, ordered by key.
    pub(crate) fn select(
        &self,
        is_meant: impl Fn(&SeriesKey) -> bool,
    ) -> impl Iterator<Item = (SeriesKey, &'a Series)> {
        self.index.iter().filter(move |(key, _)| is_meant(key)).map(|(key, series)| (*key, *series))
    }

    /// Returns the A/A controls, ordered by the key of the series that each control repeats.
    pub(crate) fn controls(&self) -> impl Iterator<Item = (SeriesKey, &'a Series)> {
        self.controls.iter().copied()
    }

    /// Returns the series of a task by one contender. Faster than [`select`](Self::select), which visits all series.
    pub(crate) fn done(&self, task: Task, who: ContenderIndex) -> impl Iterator<Item = (SeriesKey, &'a Series)> {
        // The smallest possible keys of both contenders.
        let [first, next] = [who, ContenderIndex(who.0 + 1)].map(|who| SeriesKey::new(who, Acceleration::On, task, 0));
        self.index.range(first..next).map(|(key, series)| (*key, *series))
    }

    /// Returns the distinct values of `part` over all series, sorted.
    pub(crate) fn distinct<T: Ord>(&self, part: impl Fn(&SeriesKey) -> Option<T>) -> Vec<T> {
        self.index.keys().filter_map(part).collect::<BTreeSet<T>>().into_iter().collect()
    }

    /// Returns the series with this key, even if it has no figure.
    pub(crate) fn series(&self, key: SeriesKey) -> Option<&'a Series> {
        self.index.get(&key).copied()
    }

    /// Returns the series with this key if charts may show it, even if its run was interrupted.
    pub(crate) fn drawn(&self, key: SeriesKey) -> Option<&'a Series> {
        self.series(key).filter(|series| is_drawn(self.document, series))
    }

    /// Returns the series with this key if it may be ranked and compared: verified, with a valid figure, in a complete
    /// run.
    pub(crate) fn ranked(&self, key: SeriesKey) -> Option<&'a Series> {
        self.series(key).filter(|series| self.document.run.complete && is_comparable(series))
    }

    pub(crate) fn tasks(&self, kind: AlgorithmKind) -> Vec<Task> {
        self.tasks.keys().filter(|task| task.kind() == kind).copied().collect()
    }

    pub(crate) fn sizes(&self, kind: AlgorithmKind) -> Vec<usize> {
        let of_kind = self.tasks.iter().filter(|(task, _)| task.kind() == kind);
        let sizes: BTreeSet<usize> = of_kind.flat_map(|(_, sizes)| sizes).copied().collect();
        sizes.into_iter().collect()
    }

    pub(crate) fn sizes_of(&self, task: Task) -> Vec<usize> {
        self.tasks.get(&task).into_iter().flatten().copied().collect()
    }

    /// Returns the keys for the rows of a task's table. The keys have size 0, since the table has a column for each
    /// size.
    pub(crate) fn rows(&self, task: Task) -> Vec<SeriesKey> {
        self.distinct(|key| (key.task == task).then(|| key.at_size(0)))
    }

    pub(crate) fn yardstick(&self, kind: AlgorithmKind) -> Option<usize> {
        yardstick(&self.sizes(kind))
    }

    /// Returns the primary contender: the one with the most workloads that were measured with acceleration both fully
    /// on and fully off. Among contenders with equally many such workloads, prefers the one with the most workloads in
    /// all.
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

    /// Returns the contenders that are comparable with `who`, because they have the same settings.
    pub(crate) fn peers(&self, who: ContenderIndex) -> impl Iterator<Item = ContenderIndex> {
        self.contenders().filter(move |other| self.contender(*other).is_peer_of(self.contender(who)))
    }

    /// Compares the speed of `first` with that of `second`; `None` if a series is missing or their samples are too few.
    pub(crate) fn compare(&self, first: Option<&Series>, second: Option<&Series>) -> Option<Comparison> {
        let (first, second) = (first?, second?);
        let method = &self.document.run.method;
        let floor = method.floor(first.algorithm).max(method.floor(second.algorithm));
        let comparison = statistics::compare(first, second, floor)?;
        let is_sound = comparison.ratio.is_finite() && comparison.ratio > 0.0;
        is_sound.then_some(comparison)
    }

    /// Compares the speed with acceleration with the speed without acceleration.
    pub(crate) fn gain(&self, key: SeriesKey) -> Option<Comparison> {
        self.compare(self.ranked(key.in_state(Acceleration::On)), self.ranked(key.in_state(Acceleration::Off)))
    }

    /// Returns the gain from acceleration. For published figures, the gain is the ratio of the printed figures.
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

    /// Whether the figures of the document were published or imported.
    pub(crate) fn is_quoted(&self) -> bool {
        self.document.run.origin.is_some()
    }

    /// Returns the series of a task at one size with acceleration on, for the contenders comparable with `like`. The
    /// fastest comes first.
    pub(crate) fn ranking(&self, like: ContenderIndex, task: Task, bytes: usize) -> Vec<(ContenderIndex, &'a Series)> {
        let ranked = |who| Some((who, self.ranked(SeriesKey::new(who, Acceleration::On, task, bytes))?));
        let mut ranking: Vec<(ContenderIndex, &Series)> = self.peers(like).filter_map(ranked).collect();
        ranking.sort_by(|(_, one), (_, other)| by_speed(one, other));
        ranking
    }

    /// Returns the series that rankings exclude, grouped by reason.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        type Group = (Text, ExclusionReason, Text);
        let mut groups: BTreeMap<Group, BTreeMap<Task, BTreeSet<usize>>> = BTreeMap::new();
        let excluded =
            |(key, series): (&SeriesKey, &&'a Series)| Some((*key, *series, exclusion_reason(self.document, series)?));
        let repeated = self.repeated.iter().map(|(key, series)| (*key, *series, ExclusionReason::Repeated));
        // A failed control leaves no noise floor, and changes the exit status.
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

/// Formats a name with its acceleration state: `name (state)`.
pub(crate) fn with_state(name: impl Into<Text>, state: Acceleration) -> Text {
    say!("tables-with-state", library = name.into(), state = state.name())
}

pub(crate) fn operation(operation: Operation) -> Text {
    say!("words-operation", operation = operation.name())
}

pub(crate) fn kind_title(kind: AlgorithmKind) -> Text {
    say!("words-kind", kind = kind.name())
}

/// Formats a ratio: `6.4×`.
pub(crate) fn times(ratio: f64) -> Text {
    say!("words-times", ratio = super::quantity::times(ratio))
}

pub(crate) fn by_speed(one: &Series, other: &Series) -> Ordering {
    other.median.unwrap_or(0.0).total_cmp(&one.median.unwrap_or(0.0))
}

/// Whether `is_shown` holds for the first item and every other item: the first is proven to differ from all others.
pub(crate) fn is_ahead<T>(ranked: &[T], is_shown: impl Fn(&T, &T) -> bool) -> bool {
    ranked
        .split_first()
        .is_some_and(|(best, others)| !others.is_empty() && others.iter().all(|one| is_shown(best, one)))
}

/// Returns the levels of a document in the order of first appearance.
pub(crate) fn levels(document: &Document) -> Vec<Level> {
    unique(document.series.iter().map(|series| series.level))
}

/// Returns the distinct `items` in the order of first appearance.
pub(crate) fn unique<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}

/// Groups values by key; keys are ordered by first appearance.
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

/// Returns the size at which one figure represents an algorithm: 16 KiB, or the nearest below it, or the smallest.
/// `sizes` must ascend.
pub(crate) fn yardstick(sizes: &[usize]) -> Option<usize> {
    sizes.iter().rev().find(|bytes| **bytes <= YARDSTICK).or(sizes.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::render::catalogue;

    #[test]
    fn representative_size_is_16_kib_or_the_nearest_size_below() {
        assert_eq!(yardstick(&[16, 8192, 16_384, 1 << 20]), Some(16_384));
        assert_eq!(yardstick(&[16, 8192, 1 << 20]), Some(8192));
        assert_eq!(yardstick(&[1 << 20, 2 << 20]), Some(1 << 20));
        assert_eq!(yardstick(&[]), None);
    }

    #[test]
    fn series_keys_sort_primitives_and_acceleration_on_first() {
        let least = SeriesKey::new(ContenderIndex(0), Acceleration::On, Task::main(Algorithm::Aes128Gcm), 0);
        assert!(Acceleration::ALL.iter().all(|state| least <= least.in_state(*state)));
        assert!(
            least < SeriesKey { setting: Setting::Packets(PacketOperation::CIPHER.packets), ..least }
                && least < least.at_size(1)
        );
    }

    #[test]
    fn task_title_omits_the_main_operation() {
        let [words, japanese] = [Language::ENGLISH, Language::from_tag("ja").unwrap()].map(catalogue);
        let decrypting = Task { algorithm: Algorithm::Aes256Cbc, operation: Operation::Decrypt };
        assert_eq!(words.write(&Task::main(Algorithm::Aes256Cbc).title()), "AES-256-CBC");
        assert_eq!(words.write(&decrypting.title()), "AES-256-CBC decrypt");
        assert_eq!(japanese.write(&decrypting.title()), "AES-256-CBC 復号");
        assert_eq!(words.write(&Task::main(Algorithm::Ed25519).title()), "Ed25519 sign");
        assert_eq!(words.write(&Task::main(Algorithm::X25519).title()), "X25519");
    }
}
