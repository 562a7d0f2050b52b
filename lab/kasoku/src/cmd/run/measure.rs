//! Measurement of one level after the other. Every sample goes to the store at once.

use std::time::Instant;

use super::super::progress::StoringObserver;
use super::super::{Failure, measuring_lock, tell};
use super::planned_levels::{self, PlannedLevels, check_extent, plan_levels};
use super::request::RunRequest;
use super::results::RunStore;
use super::resume;
use kasoku_libraries::interruption;
use kasoku_measure::level::options::LevelOptions;
use kasoku_measure::level::without_repetition;
use kasoku_measure::plan::Plan;
use kasoku_measure::record::{Observer, PlanResults};
use kasoku_measure::worker::Worker;
use kasoku_measure::{clock, conclusion, machine, steal};
use kasoku_model::document::{Document, Method, Omission, Run, SCHEMA};

/// Function that executes the plan of one level.
pub(super) type Runner<'a> = dyn FnMut(&Plan, Vec<Worker>, &mut dyn Observer) -> Result<PlanResults, String> + 'a;

pub(super) struct CompletedRun {
    pub(super) document: Document,
    /// Whether a library failed before it had a series, so that no series shows the failure.
    pub(super) has_failed: bool,
}

/// Measures and stores a run. A stopped run keeps its samples.
pub(super) fn measure(
    request: &RunRequest,
    options: &mut LevelOptions,
    store: &mut RunStore,
    execute: &mut Runner<'_>,
) -> Result<CompletedRun, Failure> {
    // While this run waits for another one, signals end it at once.
    let _lock = measuring_lock(request.common.wait)?;
    let _listening =
        interruption::listen().map_err(|error| Failure::new(format!("cannot install signal handlers: {error}")))?;
    let mut begun = None;
    let finished = measure_all(request, options, store, execute, &mut begun);
    match interruption::signal() {
        Some(signal) if finished.is_err() => Err(stopped(signal, store, begun.as_deref())),
        _ => finished,
    }
}

/// Returns the failure for a run that `signal` stopped. `run` is its name if the store has it.
fn stopped(signal: u8, store: &mut RunStore, run: Option<&str>) -> Failure {
    let Some(run) = run else {
        return Failure::stopped(signal, "Stopped before anything was measured; nothing is kept");
    };
    // If the run cannot be read, it is assumed to have samples.
    let has_samples = |document: Document| document.series.iter().any(|series| !series.samples.is_empty());
    if store.open().and_then(|store| store.load(run)).map_or(true, has_samples) {
        return Failure::stopped(
            signal,
            format!("Stopped. The results so far are kept as {run}, marked incomplete: kasoku show {run}"),
        );
    }
    Failure::stopped(
        signal,
        format!("Stopped before anything was measured; {run} is kept without figures, marked incomplete"),
    )
}

/// Measures all levels. Sets `begun` to the name of the run once the store has it.
fn measure_all(
    request: &RunRequest,
    options: &mut LevelOptions,
    store: &mut RunStore,
    execute: &mut Runner<'_>,
    begun: &mut Option<String>,
) -> Result<CompletedRun, Failure> {
    let started = Instant::now();
    let ticks = steal::ticks();
    let resumed = match request.resume()? {
        Some(name) => Some(resume::Resumed::load(store.existing()?, name, &command_line())?),
        None => None,
    };
    options.before = resumed.as_ref().map(|resumed| resumed.document.series.clone()).unwrap_or_default();
    let PlannedLevels { mut levels, omissions, has_failed } = plan_levels(request, options)?;
    check_extent(&levels)?;
    levels.iter_mut().filter_map(|(plan, workers)| planned_levels::time(plan, workers)).for_each(|line| tell(&line));
    if interruption::is_wanted() {
        return Err(Failure::new("stopped before it began"));
    }
    let store = store.open()?;
    let mut document = header(&levels, omissions);
    document.run.label.clone_from(&request.common.label);
    match &resumed {
        Some(resumed) => resumed.apply_to(&mut document),
        None => {
            resume::tell_of_interrupted(store, &command_line())?;
            store.begin_run(&document).map(drop)?;
        }
    }
    let run = document.run.id.clone();
    *begun = Some(run.clone());
    let (mut method, several) = (Method::default(), levels.len() > 1);
    for (plan, workers) in levels {
        let known = resumed.as_ref().map(resume::Resumed::known).unwrap_or_default();
        if let Some(tls) = plan.tls() {
            method.limits = tls.limits();
            planned_levels::remarks(&plan).into_iter().for_each(|remark| document.run.note(Some(plan.level), remark));
        }
        let mut progress = StoringObserver::new(store, &run, plan.level.name(), known);
        let executed = execute(&plan, workers, &mut progress);
        let ids = progress.finish();
        let ended =
            |error| Failure::new(format!("the run was interrupted: {error}; its results so far are kept as {run}"));
        // A stopped level may end without an error, but with failed series.
        if interruption::is_wanted() {
            document.run.seconds = Some(started.elapsed().as_secs_f64());
            store.end_run(&document.run)?;
            return Err(ended("stopped".to_owned()));
        }
        let mut measured = executed.map_err(ended)?;
        let conclusion = conclusion::conclude(&plan, &mut measured.series);
        for (id, series) in ids.into_iter().zip(&measured.series) {
            store.update_series(id, series, true)?;
        }
        if plan.slices().is_some() || !several {
            conclusion.add_to(&mut method, &plan, measured.slice);
        }
        document.series.extend(measured.series);
        document.run.omissions.extend(measured.omissions);
        measured.libraries.retain(|one| !document.run.libraries.contains(one));
        document.run.libraries.extend(measured.libraries);
        for remark in conclusion.remarks {
            document.run.note(several.then_some(plan.level), remark);
        }
    }
    document.run.omissions = without_repetition(std::mem::take(&mut document.run.omissions));
    if let Some(remark) = steal::remark(ticks) {
        document.run.note(None, remark);
    }
    method.remarks = std::mem::take(&mut document.run.method.remarks);
    method.core_clock = clock::core_clock_source().map(str::to_owned);
    method.loop_ns = Some(clock::empty_loop_ns());
    document.run.method = method;
    document.run.complete = document.machine.is_genuine();
    document.run.seconds = Some(started.elapsed().as_secs_f64());
    store.end_run(&document.run)?;
    Ok(CompletedRun { document, has_failed })
}

fn header(levels: &[(Plan, Vec<Worker>)], omissions: Vec<Omission>) -> Document {
    // The levels files and tls have no rounds of slices, so their counts appear only if such a level runs alone.
    let of_rounds = || levels.iter().filter(|(plan, _)| plan.slices().is_some() || levels.len() == 1);
    let fewest = |count: fn(&Plan) -> u32| of_rounds().map(|(plan, _)| count(plan)).min().unwrap_or(0);
    Document {
        schema: SCHEMA,
        run: Run {
            id: kasoku_model::run_name::new(),
            started: kasoku_model::run_name::now(),
            kasoku: env!("CARGO_PKG_VERSION").to_owned(),
            command: command_line(),
            method: Method {
                processes: fewest(|plan| plan.processes),
                rounds: fewest(Plan::all_rounds),
                ..Method::default()
            },
            omissions,
            ..Run::default()
        },
        machine: machine::this(),
        series: Vec::new(),
    }
}

/// Returns the command line as it was typed, without the program's folder, which may name a person.
fn command_line() -> String {
    let is_plain = |character: char| !character.is_whitespace() && !"'\"\\".contains(character);
    let quoted = |argument: String| match argument.chars().all(is_plain) {
        true => argument,
        false => shell_words::quote(&argument).into_owned(),
    };
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("kasoku".to_owned()).chain(arguments.map(quoted)).collect::<Vec<_>>().join(" ")
}
