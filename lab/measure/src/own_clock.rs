//! Measures benchmarks that bring their own clock: SPECjvm2008.

use super::observer::Observer;
use super::plan::{Item, Plan};
use super::preparation::new_series;
use super::protocol::{OwnTimed, WorkerRequest};
use super::resumption::is_same_series;
use super::worker::Worker;
use super::worker_process::WorkerError;
use kasoku_model::document::{Experiment, Sample, Series};

/// Takes one sample from each worker of `item`. The first sample of a worker begins its series.
///
/// # Errors
/// If the observer ends the run. Errors of a worker are recorded in its series.
pub(super) fn measure(
    plan: &Plan,
    item: &Item,
    process: u32,
    workers: &mut [Worker],
    series: &mut Vec<Series>,
    observer: &mut dyn Observer,
) -> Result<(), String> {
    for &index in &item.workers {
        let worker = &mut workers[index];
        let what = format!("measuring with the own clock of {}", worker.name.entry.name);
        observer.progress(
            &what,
            u64::from(process),
            u64::from(plan.slices().map_or(0, |slices| slices.own_clock_processes)),
        );
        let mut template = new_series(plan.level, item, worker);
        if let Experiment::Memory(details) = &mut template.details.experiment {
            details.has_own_clock = true;
        }
        let found = series.iter().position(|one| is_same_series(one, &template));
        if found.is_some_and(|found| series[found].has_failed()) {
            continue;
        }
        let seconds = worker.name.jvm.as_ref().map_or(0.0, |jvm| jvm.score.as_secs_f64());
        let answer = worker.ask(&WorkerRequest::OwnClock(item.workload, seconds));
        let number = found.unwrap_or(series.len());
        if found.is_none() {
            if let Err(WorkerError::Unsupported(_)) = &answer {
                continue;
            }
            observer.begins(number, &template)?;
            series.push(template);
        }
        let one = &mut series[number];
        match answer {
            Ok(OwnTimed { nanoseconds: ns, iterations, note: own }) => {
                let note = "measured by its own clock: its output cannot be verified, so it is never ranked";
                one.note = Some(own.map_or(note.to_owned(), |own| format!("{note}; {own}")));
                let round = (process + 1) * plan.rounds - 1;
                let sample = Sample { process, round, iterations, ns, ..Sample::default() };
                one.samples.push(sample);
                observer.sampled(&[(number, sample)])?;
                if let Some(death) = worker.take_death() {
                    one.restarted(death);
                }
            }
            Err(error) => one.fail(&error),
        }
    }
    Ok(())
}
