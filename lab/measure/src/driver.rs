//! Carries out a plan with the procedure for its kind of experiment.

use super::plan::{EndToEnd, Experiment, Plan};
use super::record::{Observer, PlanRecord, PlanResults};
use super::worker::Worker;
use super::{files, rounds, tls, transfer};

/// Carries out `plan` with `workers`, which have the order of [`Plan::workers`]. Fails only if the observer ends the
/// run. Failures of a worker go into its series.
pub fn run(plan: &Plan, workers: Vec<Worker>, observer: &mut dyn Observer) -> Result<PlanResults, String> {
    let mut record = PlanRecord::new(observer);
    match &plan.experiment {
        Experiment::Files(files) => files::run(plan, files, workers, &mut record)?,
        Experiment::Tls(tls) => return tls::run(plan, tls, observer),
        Experiment::Slices(slices) => {
            rounds::run(plan, slices, workers, &mut record)?;
            match &slices.end_to_end {
                Some(EndToEnd::Transfer(transfer)) => transfer::run(plan.level, transfer, &mut record)?,
                #[cfg(target_os = "linux")]
                Some(EndToEnd::Https(https)) => tls::java::run(plan, https, &mut record)?,
                #[cfg(not(target_os = "linux"))]
                Some(EndToEnd::Https(_)) => {}
                None => {}
            }
        }
    }
    Ok(record.measured)
}
