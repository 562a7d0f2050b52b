//! Which workloads there are: a plan asks every worker for everything, and each says what it does not have.

use std::collections::BTreeMap;

use super::plan::{Experiment, Plan};
use super::protocol::{ReadyWorkload, WorkerRequest};
use super::worker::Worker;
use super::worker_process::WorkerError;
use kasoku_model::document::{Omission, Reason};
use kasoku_model::workload::Workload;

/// Takes out of `plan` what its workers do not have, and says why each of it is not there.
pub fn keep_what_there_is(plan: &mut Plan, workers: &mut [Worker]) -> Vec<Omission> {
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
                // What goes wrong otherwise goes wrong again when it is measured, and is told there.
                let Err(WorkerError::Unsupported(why)) = answer else { return true };
                omissions.push(Omission {
                    level,
                    library: worker.name.entry.name.to_owned(),
                    acceleration: Some(worker.name.acceleration),
                    algorithm: Some(workload.algorithm.name().to_owned()),
                    why,
                    reason: Some(Reason::Unsupported),
                    ..Omission::default()
                });
                false
            })
        });
    }
    plan.items.retain(|item| !item.workers.is_empty());
    own_clock.take_if(|item| item.workers.is_empty());
    omissions
}

/// What is left out for the same reason in several states, or at several sizes, is told once.
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
