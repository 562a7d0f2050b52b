//! Lists the machines, runs and workloads of the collection.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Collection, Device, RankingQuestion};
use crate::{KnownRun, MachineIdentity, StoreError};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::level::Level;
use kasoku_model::workload::Operation;

#[derive(Clone, Debug)]
pub struct KnownMachine<'c> {
    /// Name and hardware of the machine, from its measured or imported runs. `None` if only a publication has the
    /// machine.
    pub identity: Option<&'c MachineIdentity>,
    pub published: Option<&'static Document>,
    /// Measured or imported runs, the newest first.
    pub runs: Vec<&'c KnownRun>,
}

impl KnownMachine<'_> {
    pub fn label(&self) -> &str {
        match (self.published, self.identity) {
            (Some(document), _) => document.machine.label(),
            (None, Some(identity)) => identity.label(),
            (None, None) => "",
        }
    }

    pub fn is_measured(&self) -> bool {
        self.runs.iter().any(|run| run.origin.is_none())
    }
}

/// Numbers of runs that a ranking leaves out, by reason. A run with several reasons counts only under the first that
/// applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunsLeftOut {
    pub not_genuine: usize,
    pub incomplete_imports: usize,
    pub incomplete: usize,
    pub unread: usize,
}

pub type Workloads = BTreeMap<(Algorithm, Operation), BTreeSet<String>>;

impl Collection<'_> {
    /// Returns the machines that Kasoku measured, the one with the newest run first, then devices whose figures were
    /// imported or published.
    pub fn machines(&self) -> Vec<KnownMachine<'_>> {
        let mut machines: Vec<KnownMachine<'_>> = Vec::new();
        let mut place_of: BTreeMap<usize, usize> = BTreeMap::new();
        for run in self.known.runs.iter().filter(|run| run.origin.is_none()) {
            let place = *place_of.entry(run.machine).or_insert_with(|| {
                let identity = Some(&self.known.machines[run.machine]);
                machines.push(KnownMachine { identity, published: None, runs: Vec::new() });
                machines.len() - 1
            });
            machines[place].runs.push(run);
        }
        machines.extend(self.devices.iter().map(|device| self.device(device)));
        machines
    }

    fn device(&self, Device { published, imports }: &Device) -> KnownMachine<'_> {
        let runs: Vec<&KnownRun> = imports.iter().map(|place| &self.known.runs[*place]).collect();
        // The oldest import: later ones change neither the device's name nor its address.
        let identity = runs.last().map(|run| &self.known.machines[run.machine]);
        KnownMachine { identity, published: *published, runs }
    }

    /// Returns the workloads of the level `primitives` that have a stored or published figure of any size or state.
    pub fn workloads(&self) -> Result<Workloads, StoreError> {
        let mut workloads = Workloads::new();
        let stored = self.store.map_or_else(|| Ok(Vec::new()), crate::Store::workloads)?;
        let published = crate::published::documents().iter().flat_map(|document| &document.series);
        let published = published
            .filter(|series| series.level == Level::Primitives && series.median.is_some())
            .map(|series| (series.algorithm, series.operation, series.library.clone()));
        for (algorithm, operation, library) in stored.into_iter().chain(published) {
            workloads.entry((algorithm, operation)).or_default().insert(library);
        }
        Ok(workloads)
    }

    /// Returns all runs, including those that are never ranked.
    pub fn runs(&self) -> &[KnownRun] {
        &self.known.runs
    }

    /// Counts the runs that have a figure for the question but are not ranked because they are incomplete.
    pub(super) fn runs_left_out(&self, question: &RankingQuestion) -> Result<RunsLeftOut, StoreError> {
        let mut left_out = RunsLeftOut::default();
        let Some(store) = self.store else { return Ok(left_out) };
        let mut places: Vec<usize> = self.figures(question)?.into_iter().map(|(place, _)| place).collect();
        places.dedup();
        for run in places.into_iter().map(|place| &self.known.runs[place]).filter(|run| !run.complete) {
            *match store.machine_of(run)? {
                None => &mut left_out.unread,
                Some(machine) if !machine.is_genuine() => &mut left_out.not_genuine,
                Some(_) if run.origin.is_some() => &mut left_out.incomplete_imports,
                Some(_) => &mut left_out.incomplete,
            } += 1;
        }
        Ok(left_out)
    }
}
