//! Runs that are left out, and why.

use super::{Collection, RankingQuestion};
use crate::{KnownRun, StoreError};

/// How many runs are left out, each for its first reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunsLeftOut {
    /// An emulator or Wine made them.
    pub not_genuine: usize,
    /// They come from elsewhere and are not complete.
    pub incomplete_imports: usize,
    /// They were measured and are not complete.
    pub incomplete: usize,
    /// They cannot be read.
    pub unread: usize,
}

impl Collection<'_> {
    /// All runs, those that count nowhere included.
    pub fn runs(&self) -> &[KnownRun] {
        &self.known.runs
    }

    /// The runs that have a figure of a question and are in no ranking, because they are not complete.
    ///
    /// # Errors
    /// The store's own.
    pub fn runs_left_out(&self, question: &RankingQuestion) -> Result<RunsLeftOut, StoreError> {
        let mut left_out = RunsLeftOut::default();
        let Some(store) = self.store else { return Ok(left_out) };
        let bytes = question.has_sizes().then_some(question.bytes);
        let mut places: Vec<usize> = self.figures(question, bytes)?.into_iter().map(|(place, _)| place).collect();
        places.dedup();
        for run in places.into_iter().map(|place| &self.known.runs[place]).filter(|run| !run.complete) {
            *match store.machine_of(run) {
                Err(_) => &mut left_out.unread,
                Ok(machine) if !machine.is_genuine() => &mut left_out.not_genuine,
                Ok(_) if run.origin.is_some() => &mut left_out.incomplete_imports,
                Ok(_) => &mut left_out.incomplete,
            } += 1;
        }
        Ok(left_out)
    }
}
