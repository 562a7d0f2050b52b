//! A workload with acceleration on and off: what acceleration is worth, machine by machine.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Collection;
use super::question::{DEFAULT_BYTES, RankingQuestion};
use super::ranking::{FigureSource, RankingRow, row};
use crate::{KnownFigure, StoreError};
use kasoku_model::acceleration::Acceleration;

/// A workload with acceleration on and off, once for each machine.
#[derive(Clone, Debug, PartialEq)]
pub struct StatePairs {
    /// What was asked, with acceleration on.
    pub question: RankingQuestion,
    /// In no order.
    pub pairs: Vec<StatePair>,
}

/// One library in one run or publication, with acceleration on and off.
#[derive(Clone, Debug, PartialEq)]
pub struct StatePair {
    /// With acceleration on.
    pub on: RankingRow,
    /// With acceleration off.
    pub off: RankingRow,
}

impl Collection<'_> {
    /// Of each machine the newest complete run that has a library's workload in both states, verified; and each device
    /// from elsewhere with both in one import or publication.
    ///
    /// # Errors
    /// The store's own.
    pub fn pairs(&self, question: &RankingQuestion) -> Result<StatePairs, StoreError> {
        let [on, off] = in_both(question);
        let bytes = question.has_sizes().then_some(question.bytes);
        let (of_on, of_off) = (self.figures(&on, bytes)?, self.figures(&off, bytes)?);
        let mut pairs = self.measured_pairs(&of_on, &of_off)?;
        let without = self.elsewhere(&off, &of_off)?;
        for row in self.elsewhere(&on, &of_on)? {
            let is_partner = |other: &&RankingRow| other.sources.iter().any(|source| row.sources.contains(source));
            if let Some(off) = without.iter().find(is_partner).cloned() {
                pairs.push(StatePair { on: row, off });
            }
        }
        Ok(StatePairs { question: on, pairs })
    }

    /// The size at which most machines have a library's workload in both states; of several the usual one, else the
    /// largest.
    ///
    /// # Errors
    /// The store's own.
    pub fn usual_bytes_of_pairs(&self, question: &RankingQuestion) -> Result<usize, StoreError> {
        if !question.has_sizes() {
            return Ok(question.bytes);
        }
        let [on, off] = in_both(question);
        let without: HashSet<_> =
            self.candidates(&off)?.into_iter().map(|one| (one.within, one.library, one.bytes)).collect();
        let mut machines: BTreeMap<usize, BTreeSet<_>> = BTreeMap::new();
        for one in self.candidates(&on)? {
            let key = (one.within, one.library, one.bytes);
            if without.contains(&key) {
                machines.entry(one.bytes).or_default().insert((one.whose, key.1));
            }
        }
        let counted = machines.into_iter().map(|(bytes, machines)| (bytes, machines.len()));
        let most = counted.max_by_key(|(bytes, count)| (*count, *bytes == DEFAULT_BYTES, *bytes));
        Ok(most.map_or(question.bytes, |(bytes, _)| bytes))
    }

    fn measured_pairs(
        &self,
        on: &[(usize, KnownFigure)],
        off: &[(usize, KnownFigure)],
    ) -> Result<Vec<StatePair>, StoreError> {
        let mut pairs = Vec::new();
        let mut done: BTreeSet<usize> = BTreeSet::new();
        let mut off = off.chunk_by(|left, right| left.0 == right.0).peekable();
        for on in on.chunk_by(|left, right| left.0 == right.0) {
            let Some((place, _)) = on.first() else { continue };
            // Both are in the order of their runs.
            while off.next_if(|off| off[0].0 < *place).is_some() {}
            let Some(off) = off.next_if(|off| off[0].0 == *place) else { continue };
            let run = &self.known.runs[*place];
            if run.origin.is_some() || !run.complete || done.contains(&run.machine) {
                continue;
            }
            let (Some(on), Some(off)) = (self.best(on)?, self.best(off)?) else { continue };
            done.insert(run.machine);
            let source = || FigureSource::Measured { run: run.id.clone(), started: run.started.clone() };
            let of = |series| row(self.machine(*place), series, source());
            pairs.extend(of(&on).zip(of(&off)).map(|(on, off)| StatePair { on, off }));
        }
        Ok(pairs)
    }
}

/// The question with acceleration on and off.
fn in_both(question: &RankingQuestion) -> [RankingQuestion; 2] {
    [Acceleration::On, Acceleration::Off].map(|acceleration| RankingQuestion { acceleration, ..question.clone() })
}
