//! Figures of a workload with acceleration on and off, machine by machine.

use std::collections::{BTreeSet, HashSet};

use super::question::RankingQuestion;
use super::ranking::{Candidate, RankingRow};
use super::{Collection, PlacedFigure, most_frequent, of_run};
use crate::StoreError;
use kasoku_model::acceleration::Acceleration;

#[derive(Clone, Debug, PartialEq)]
pub struct StatePairs {
    pub question: RankingQuestion,
    pub pairs: Vec<StatePair>,
}

/// Figures of one library in one run or publication, with acceleration on and off.
#[derive(Clone, Debug, PartialEq)]
pub struct StatePair {
    pub on: RankingRow,
    pub off: RankingRow,
}

impl Collection<'_> {
    /// Returns each machine's figures with acceleration on and off, from its newest complete run in which both are
    /// verified. For imported and published devices, both figures are from one import or publication.
    pub fn pairs(&self, question: &RankingQuestion) -> Result<StatePairs, StoreError> {
        let [on, off] = in_both(question);
        let (of_on, of_off) = (self.figures(&on)?, self.figures(&off)?);
        let pair = |place, of_run_on: &[PlacedFigure]| {
            let on = self.measured_row(place, of_run_on)?;
            let off = self.measured_row(place, of_run(&of_off, place))?;
            Ok(on.zip(off).map(|(on, off)| StatePair { on, off }))
        };
        let mut pairs: Vec<StatePair> = self.newest(&of_on, pair)?.into_iter().map(|(_, pair)| pair).collect();
        let without = self.elsewhere(&off, &of_off)?;
        for row in self.elsewhere(&on, &of_on)? {
            let is_partner = |other: &&RankingRow| other.sources.iter().any(|source| row.sources.contains(source));
            if let Some(off) = without.iter().find(is_partner).cloned() {
                pairs.push(StatePair { on: row, off });
            }
        }
        Ok(StatePairs { question: on, pairs })
    }

    /// Returns the size in bytes at which most machines have figures with acceleration both on and off. If several
    /// sizes have equally many machines, returns [`DEFAULT_BYTES`](super::DEFAULT_BYTES) if it is one of them, else the
    /// largest.
    pub fn usual_bytes_of_pairs(&self, question: &RankingQuestion) -> Result<usize, StoreError> {
        if !question.has_sizes() {
            return Ok(question.bytes);
        }
        let [on, off] = in_both(question);
        let key = |one: Candidate| (one.whose, one.run, one.library, one.bytes);
        let without: HashSet<_> = self.candidates(&off)?.into_iter().map(key).collect();
        let both = self.candidates(&on)?.into_iter().map(key).filter(|key| without.contains(key));
        let machines: BTreeSet<_> = both.map(|(whose, _, library, bytes)| (bytes, whose, library)).collect();
        Ok(most_frequent(machines.into_iter().map(|(bytes, ..)| bytes)).unwrap_or(question.bytes))
    }
}

fn in_both(question: &RankingQuestion) -> [RankingQuestion; 2] {
    [Acceleration::On, Acceleration::Off].map(|acceleration| RankingQuestion { acceleration, ..question.clone() })
}
