//! The measuring itself, each plan in the way of its experiment.

use super::observer::Observer;
use super::plan::{Experiment, Plan};
use super::rounds::{self, Measured};
use super::worker::Worker;
use super::{files, tls, transfer};

/// Carries out `plan` with `workers`, which stand in the order of [`Plan::workers`].
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong with a worker stands in its series.
pub fn run(plan: &Plan, workers: Vec<Worker>, observer: &mut dyn Observer) -> Result<Measured, String> {
    let slices = match &plan.experiment {
        Experiment::Files(files) => return files::run(plan, files, workers, observer),
        Experiment::Tls(tls) => return tls::run(plan, tls, observer),
        Experiment::Slices(slices) => slices,
    };
    let mut measured = rounds::run(plan, slices, workers, observer)?;
    if let Some(transfer) = &slices.transfer {
        transfer::run(plan.level, transfer, &mut measured, observer)?;
    }
    Ok(measured)
}
