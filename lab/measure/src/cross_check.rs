//! Libraries that bring their own clock, as a check on ours: `openssl speed`.

use std::time::Duration;

use serde_json::Value;

use super::observer::Observer;
use super::plan::{CROSS_CHECK, Item, Plan};
use super::preparation::new_series;
use super::protocol::{OwnTimed, WorkerRequest};
use super::resumption::is_same_series;
use super::worker::Worker;
use super::worker_process::WorkerError;
use kasoku_model::document::{Sample, Series};

/// One sample of each library that brings its own clock. Its series are made at the first one.
///
/// # Errors
/// Only what the observer ends it with.
pub fn cross_check(
    plan: &Plan,
    item: &Item,
    process: u32,
    workers: &mut [Worker],
    series: &mut Vec<Series>,
    observer: &mut dyn Observer,
) -> Result<(), String> {
    for &index in &item.workers {
        let worker = &mut workers[index];
        let what = format!("cross-checking with {}", worker.name.entry.name);
        observer.progress(
            &what,
            u64::from(process),
            u64::from(plan.slices().map_or(0, |slices| slices.cross_checked_processes)),
        );
        let mut template = new_series(plan.level, item, worker);
        template.parameters.remove("aad");
        template.parameters.remove("nonces");
        template.parameters.insert("clock".to_owned(), Value::from("its own"));
        let found = series.iter().position(|one| is_same_series(one, &template));
        if found.is_some_and(|found| series[found].has_failed()) {
            continue;
        }
        let answer = worker.ask(&WorkerRequest::OwnClock(item.workload, seconds(worker).as_secs_f64()));
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
                let note = "a cross-check by another program's clock: its output cannot be seen, so it is never ranked";
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

/// How long a library measures by its own clock: a suite as long as its score is to be measured.
fn seconds(worker: &Worker) -> Duration {
    worker.name.jvm.as_ref().map_or(CROSS_CHECK, |jvm| jvm.score.max(CROSS_CHECK))
}
