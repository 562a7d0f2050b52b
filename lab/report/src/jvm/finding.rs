//! What a run shows about Java: claims with their numbers, from which the sentences are made.

use crate::effect::Effect;
use crate::language::Messages;
use crate::selection::{Contender, ContenderIndex, Selection, SeriesKey, Task};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::document::Document;
use kasoku_model::level::Level;
use kasoku_model::library::{LIBRARIES, SUNJCE};
use kasoku_model::workload::Operation;

use super::https;
use super::name::JvmNames;
use super::score::scores;

/// The ciphers that sentences are about, where they were measured.
const TOLD: [(Algorithm, Operation); 3] = [
    (Algorithm::Aes128Gcm, Operation::Seal),
    (Algorithm::Aes128Cbc, Operation::Encrypt),
    (Algorithm::Aes128Cbc, Operation::Decrypt),
];

/// Something a run shows about Java.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // fields are called what they are
pub enum JvmFinding {
    /// A cipher is faster with acceleration: by how much each virtual machine or provider gains by it.
    Accelerated {
        algorithm: Algorithm,
        operation: Operation,
        bytes: usize,
        /// Who, and how many times as fast.
        gains: Vec<(String, f64)>,
    },
    /// One virtual machine or provider is faster than another, with acceleration.
    Faster { algorithm: Algorithm, operation: Operation, bytes: usize, faster: String, slower: String, ratio: f64 },
    /// A cipher is slower with a flag.
    Flag {
        algorithm: Algorithm,
        operation: Operation,
        bytes: usize,
        with_flag: String,
        /// How many times as fast without the flag.
        ratio: f64,
    },
    /// What another provider is worth to an HTTPS server.
    Serves {
        suite: Algorithm,
        who: String,
        own: String,
        /// How many times as much it sends, if a difference is shown.
        sends: Option<f64>,
        /// How much more CPU time it takes for a byte.
        cpu: Effect,
    },
    /// The score of crypto.aes, and what it hides.
    Score {
        library: String,
        /// Whether it is Java's own provider's.
        is_of_java: bool,
        /// (on − off) / off, in per cent.
        improvement: f64,
        /// How many times as fast AES by itself is, and its share of an operation's time in per cent, with
        /// acceleration.
        aes: Option<(f64, f64)>,
    },
}

impl JvmFinding {
    /// Whether it stands for the others where there is no room for all.
    pub(crate) fn leads(&self) -> bool {
        match self {
            JvmFinding::Accelerated { algorithm, .. } => *algorithm == Algorithm::Aes128Gcm,
            JvmFinding::Score { is_of_java, .. } => *is_of_java,
            JvmFinding::Faster { .. } | JvmFinding::Flag { .. } | JvmFinding::Serves { .. } => false,
        }
    }
}

/// What `document` shows about Java; nothing if it did not reach its end.
pub(crate) fn findings(document: &Document, messages: &'static Messages) -> Vec<JvmFinding> {
    if !document.run.complete || !document.series.iter().any(|series| series.level == Level::Jvm) {
        return Vec::new();
    }
    let selection = Selection::of_level(document, Level::Jvm, messages);
    let names = JvmNames::new(&selection);
    let mut findings = Vec::new();
    for (algorithm, operation) in TOLD {
        let kind = algorithm.kind();
        let Some(bytes) =
            selection.yardstick(if kind == AlgorithmKind::Aead { AlgorithmKind::Aead } else { AlgorithmKind::Cipher })
        else {
            continue;
        };
        let case = TaskFindings { selection: &selection, names: &names, task: Task { algorithm, operation }, bytes };
        findings.extend(case.gains());
        findings.extend(case.faster());
        findings.extend(case.flags());
    }
    findings.extend(https::servers(&selection).iter().flat_map(|servers| servers.findings(&selection, &names)));
    for score in scores(&selection) {
        let Some(improvement) = score.improvement() else { continue };
        let share = score.on.seconds().map(|seconds| seconds.aes / seconds.whole * 100.0);
        let aes = score.aes_ratio().zip(share);
        findings.push(JvmFinding::Score { library: score.who, is_of_java: score.is_of_java, improvement, aes });
    }
    findings
}

struct TaskFindings<'a> {
    selection: &'a Selection<'a>,
    names: &'a JvmNames<'a>,
    task: Task,
    bytes: usize,
}

impl TaskFindings<'_> {
    fn gains(&self) -> Option<JvmFinding> {
        let gain = |who: ContenderIndex| {
            let gain = self.selection.gain(self.key(who))?;
            (gain.is_shown && gain.ratio > 1.0).then(|| (self.names.of(who), gain.ratio))
        };
        let gains: Vec<_> = self.plain().into_iter().filter_map(gain).collect();
        let Task { algorithm, operation } = self.task;
        (!gains.is_empty()).then_some(JvmFinding::Accelerated { algorithm, operation, bytes: self.bytes, gains })
    }

    /// The newest virtual machine over the oldest, and each other provider against Java's own.
    fn faster(&self) -> Vec<JvmFinding> {
        let has_it = |who: &ContenderIndex| self.selection.ranked(self.key(*who)).is_some();
        let of = |library: &str| {
            self.plain()
                .into_iter()
                .filter(has_it)
                .filter(|who| self.contender(*who).library == library)
                .collect::<Vec<_>>()
        };
        let mut own = of(SUNJCE);
        own.sort_by_key(|who| release(&self.contender(*who).version));
        let (oldest, newest) = (own.first().copied(), own.last().copied());
        let others = LIBRARIES.iter().filter(|library| library.java_title.is_some() && library.name != SUNJCE);
        let others = others.map(|library| of(library.name).first().copied());
        [oldest].into_iter().chain(others).filter_map(|other| self.compared(newest?, other?)).collect()
    }

    fn compared(&self, first: ContenderIndex, second: ContenderIndex) -> Option<JvmFinding> {
        let ranked = |who| self.selection.ranked(self.key(who));
        let comparison = self.selection.compare(ranked(first), ranked(second)).filter(|one| one.is_shown)?;
        let is_first = comparison.ratio > 1.0;
        let (faster, slower) = if is_first { (first, second) } else { (second, first) };
        let Task { algorithm, operation } = self.task;
        Some(JvmFinding::Faster {
            algorithm,
            operation,
            bytes: self.bytes,
            faster: self.names.of(faster),
            slower: self.names.of(slower),
            ratio: if is_first { comparison.ratio } else { 1.0 / comparison.ratio },
        })
    }

    fn flags(&self) -> Vec<JvmFinding> {
        let ranked = |who: ContenderIndex| self.selection.ranked(self.key(who));
        let finding = |who: ContenderIndex| {
            let without = self.plain().into_iter().find(|one| self.contender(*one).is_build_of(self.contender(who)))?;
            let comparison = self.selection.compare(ranked(without), ranked(who))?;
            let Task { algorithm, operation } = self.task;
            (comparison.is_shown && comparison.ratio > 1.0).then(|| JvmFinding::Flag {
                algorithm,
                operation,
                bytes: self.bytes,
                with_flag: self.names.of(who),
                ratio: comparison.ratio,
            })
        };
        self.selection.contenders().filter(|who| self.contender(*who).flags().is_some()).filter_map(finding).collect()
    }

    /// Who has no flags of its own.
    fn plain(&self) -> Vec<ContenderIndex> {
        self.selection.contenders().filter(|who| self.contender(*who).flags().is_none()).collect()
    }

    fn contender(&self, who: ContenderIndex) -> &Contender {
        self.selection.contender(who)
    }

    fn key(&self, who: ContenderIndex) -> SeriesKey {
        SeriesKey::new(who, Acceleration::On, self.task, self.bytes)
    }
}

/// The numbers that a version begins with, so that 9 comes before 17.
fn release(version: &str) -> Vec<u32> {
    version.split(|one: char| !one.is_ascii_digit()).map_while(|part| part.parse().ok()).collect()
}
