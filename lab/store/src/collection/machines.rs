//! Every machine of the collection, every run, those included that count nowhere, and every workload that has a figure.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Collection, Device, RankingQuestion};
use crate::{KnownRun, MachineIdentity, StoreError};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::level::Level;
use kasoku_model::workload::Operation;

/// A machine with all that is known of it: runs, a publication, or both.
#[derive(Clone, Debug)]
pub struct KnownMachine<'c> {
    /// What its runs say it is; absent of a device that is known from a publication alone.
    pub identity: Option<&'c MachineIdentity>,
    /// What was published of it.
    pub published: Option<&'static Document>,
    /// Its runs, the newest first: measured ones, or imported ones.
    pub runs: Vec<&'c KnownRun>,
}

impl KnownMachine<'_> {
    /// What it is listed as.
    pub fn label(&self) -> &str {
        match (self.published, self.identity) {
            (Some(document), _) => document.machine.label(),
            (None, Some(identity)) => identity.label(),
            (None, None) => "",
        }
    }

    /// Whether Kasoku measured it.
    pub fn is_measured(&self) -> bool {
        self.runs.iter().any(|run| run.origin.is_none())
    }
}

/// How many runs are left out, each for its first reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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

/// The libraries of each workload.
pub type Workloads = BTreeMap<(Algorithm, Operation), BTreeSet<String>>;

impl Collection<'_> {
    /// Every machine: those that Kasoku measured, the one with the newest run first, then devices from elsewhere.
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
        let runs: Vec<&KnownRun> = imports.iter().map(|import| &self.known.runs[import.place]).collect();
        // The oldest: what is imported later changes neither its name nor its address.
        let identity = runs.last().map(|run| &self.known.machines[run.machine]);
        KnownMachine { identity, published: *published, runs }
    }

    /// Every workload of the level `primitives` that has a figure, here or published, at whatever size and in whatever
    /// state.
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

    /// All runs, those that count nowhere included.
    pub fn runs(&self) -> &[KnownRun] {
        &self.known.runs
    }

    /// The runs that have a figure of a question and are in no ranking, because they are not complete.
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
