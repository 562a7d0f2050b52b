//! Plans the levels: which workloads are measured on which workers. Each level has a file of its own.

mod candidates;
pub mod description;
pub mod files;
mod https;
mod jvm;
pub mod options;
mod packets;
mod primitives;
pub mod reproduction;
pub mod tls;
mod transfer;

use std::collections::BTreeMap;

use crate::plan::{Experiment, Plan};
use crate::protocol::{ReadyWorkload, WorkerRequest};
use crate::worker::{Worker, WorkerError, WorkerName, start_all};
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::workload::Workload;
use options::LevelOptions;

pub struct MeasuredLevel {
    pub level: Level,
    /// Function that returns the workers to try, and the reasons for omitting acceleration states.
    pub candidates: fn(&LevelOptions) -> (Vec<WorkerName>, Vec<Omission>),
    pub plan: fn(&LevelOptions, Vec<WorkerName>) -> Plan,
}

pub struct OpenedLevel {
    /// Plan, reduced to the workloads that its workers support.
    pub plan: Plan,
    /// Running workers, in the order of the plan's worker names.
    pub workers: Vec<Worker>,
    pub omissions: Vec<Omission>,
    /// Whether a library failed for another reason than a missing library file.
    pub has_failed: bool,
    /// Whether the worker of the A/A control is running.
    pub is_whole: bool,
}

impl OpenedLevel {
    /// Returns why no worker is running for the A/A control; `None` if one is.
    pub fn missing_control(&self) -> Option<String> {
        let why = self.omissions.last().filter(|_| !self.is_whole);
        why.map(|omission| format!("cannot start a second copy of a library for the A/A control: {}", omission.why))
    }
}

impl MeasuredLevel {
    pub fn open(&self, options: &LevelOptions) -> OpenedLevel {
        let (names, mut omissions) = (self.candidates)(options);
        let (mut workers, unavailable, mut has_failed) = start_all(self.level, &names);
        omissions.extend(unavailable);
        let mut plan = (self.plan)(options, workers.iter().map(|worker| worker.name.clone()).collect());
        let (controls, unavailable, has_control_failed) = start_all(self.level, &plan.workers[workers.len()..]);
        workers.extend(controls);
        omissions.extend(unavailable);
        has_failed |= has_control_failed;
        let is_whole = workers.len() == plan.workers.len();
        if is_whole {
            omissions.extend(retain_supported(&mut plan, &mut workers));
        }
        OpenedLevel { plan, workers, omissions, has_failed, is_whole }
    }
}

/// All levels, in the order in which they are measured.
pub const LEVELS: &[MeasuredLevel] = &[
    MeasuredLevel { level: Level::Primitives, candidates: primitives::candidates, plan: primitives::plan },
    MeasuredLevel { level: Level::Packets, candidates: packets::candidates, plan: packets::plan },
    MeasuredLevel { level: Level::Files, candidates: files::candidates, plan: files::plan },
    MeasuredLevel { level: Level::Jvm, candidates: jvm::candidates, plan: jvm::plan },
    MeasuredLevel { level: Level::Tls, candidates: tls::candidates, plan: tls::plan },
];

/// Removes the workloads from `plan` that its workers do not support, and returns the reasons. Before, a plan lists
/// every workload for every worker.
fn retain_supported(plan: &mut Plan, workers: &mut [Worker]) -> Vec<Omission> {
    let mut asked: BTreeMap<(usize, Workload), bool> = BTreeMap::new();
    let mut omissions = Vec::new();
    let level = plan.level;
    let own_clock = match &mut plan.experiment {
        Experiment::Slices(slices) => &mut slices.own_clock,
        Experiment::Files(_) | Experiment::Tls(_) => &mut None,
    };
    for item in plan.items.iter_mut().chain(&mut *own_clock) {
        let workload = item.workload;
        item.workers.retain(|&index| {
            *asked.entry((index, workload)).or_insert_with(|| {
                let worker = &mut workers[index];
                let answer = worker.ask::<ReadyWorkload>(&WorkerRequest::Ready(workload, 1));
                // The measurement meets any other error again, and reports it.
                let Err(WorkerError::Unsupported(why)) = answer else { return true };
                omissions.push(worker.name.lacks(level, workload.algorithm, why));
                false
            })
        });
    }
    plan.items.retain(|item| !item.workers.is_empty());
    own_clock.take_if(|item| item.workers.is_empty());
    omissions
}

/// Merges omissions that give the same reason for several acceleration states or sizes.
pub fn without_repetition(omissions: Vec<Omission>) -> Vec<Omission> {
    let mut once: Vec<Omission> = Vec::new();
    for omission in omissions {
        let is_same = |one: &&mut Omission| {
            (&one.library, &one.algorithm, &one.why) == (&omission.library, &omission.algorithm, &omission.why)
        };
        match once.iter_mut().find(is_same) {
            Some(one) if one.acceleration != omission.acceleration => one.acceleration = None,
            Some(_) => {}
            None => once.push(omission),
        }
    }
    once
}
