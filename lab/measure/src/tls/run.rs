//! The run: size after size, each case looked at and searched, and then all of them round after round.

use std::time::{Duration, Instant};

use super::before;
use super::case::TlsMeasurement;
use super::search::Search;
use super::testbed::{LocalTestbed, StepRequest, Testbed};
use super::version::library_version;
use crate::files::size_name;
use crate::observer::Observer;
use crate::plan::tls::{OF_A_TRIAL, TRIALS};
use crate::plan::{Plan, TlsCase, TlsPlan};
use crate::procedure::{Procedure, SamplePosition, carry_out};
use crate::record::{PlanRecord, PlanResults};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{FoundLibrary, Omission, Series};
use kasoku_model::level::Level;
use kasoku_model::library::KASOKU;

/// The part of a case's time that goes by around its steps.
const AROUND: f64 = 0.25;
/// No step is shorter or, unless it was asked for, longer.
const MIN: Duration = Duration::from_millis(60);
const MAX: Duration = Duration::from_secs(5);
/// This many times a step's time may be in flight at its end.
const IN_FLIGHT: f64 = 1.0;
/// Rounds that are made whatever time they take.
const MIN_ROUNDS: u32 = 2;
/// Connections for each worker that are tried however much they put in flight: the kernel shares few of them out
/// unevenly.
const MIN_TRIED: usize = 4;
/// The factor by which a search grows.
const GROWTH: usize = 4;

/// Carries out `plan` on this host, with servers of its own.
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong otherwise stands in the series or the omissions.
pub fn run(plan: &Plan, tls: &TlsPlan, observer: &mut dyn Observer) -> Result<PlanResults, String> {
    observer.progress("starting nginx", 0, 1);
    let started = Instant::now();
    match LocalTestbed::start(tls) {
        Ok(mut here) => run_since(started, plan, tls, &mut here, observer),
        Err(why) => Ok(PlanResults { omissions: vec![omission(why)], ..PlanResults::default() }),
    }
}

/// Carries out `plan` on servers and hosts that are there already.
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong otherwise stands in the series or the omissions.
pub fn run_on(
    plan: &Plan,
    tls: &TlsPlan,
    testbed: &mut dyn Testbed,
    observer: &mut dyn Observer,
) -> Result<PlanResults, String> {
    run_since(Instant::now(), plan, tls, testbed, observer)
}

/// On `testbed`; the plan's time has begun when it was `started`.
fn run_since(
    started: Instant,
    plan: &Plan,
    tls: &TlsPlan,
    testbed: &mut dyn Testbed,
    observer: &mut dyn Observer,
) -> Result<PlanResults, String> {
    let mut record = PlanRecord::new(observer);
    record.measured.libraries = libraries(tls);
    for library in &record.measured.libraries {
        if let Some(other) = before::other_version(&tls.before, &library.library, &library.version) {
            return Err(format!("{} was {other} before and is {} now", library.library, library.version));
        }
    }
    let (deadline, cases_left) = (started + plan.budget, tls.cases.len());
    let (step, until) = (Duration::ZERO, None);
    let mut run = Run { plan, tls, testbed, deadline, cases_left, step, until, done: 0 };
    let mut sizes: Vec<usize> = tls.cases.iter().map(|case| case.workload.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for bytes in sizes {
        run.size(bytes, &mut record)?;
    }
    run.testbed.remove_files();
    Ok(record.measured)
}

struct Run<'a> {
    plan: &'a Plan,
    tls: &'a TlsPlan,
    testbed: &'a mut dyn Testbed,
    deadline: Instant,
    cases_left: usize,
    /// How long a step takes at this size, and until when the size may take.
    step: Duration,
    until: Option<Instant>,
    /// Steps that are done, for whoever watches.
    done: u64,
}

impl Procedure for Run<'_> {
    type Case = TlsMeasurement;

    fn extent(&self) -> (u32, u32) {
        (1, self.plan.rounds)
    }

    /// Large files take longer than a step is meant to: what is in flight is brought to its end.
    fn has_round(&mut self, round: u32, _cases: &mut Vec<TlsMeasurement>, _record: &mut PlanRecord<'_>) -> bool {
        round < MIN_ROUNDS || self.until.is_none_or(|until| Instant::now() < until)
    }

    /// One step of a case that counts; whether it takes part in the next round. If somebody waits too long, fewer
    /// connections are tried until nobody does, and what was measured with more is forgotten: a series is of one number
    /// of connections.
    fn visit(
        &mut self,
        case: &mut TlsMeasurement,
        moment: SamplePosition,
        record: &mut PlanRecord<'_>,
    ) -> Result<bool, String> {
        let round = moment.round;
        let size = size_name(case.wanted.workload.bytes);
        self.progress(&format!("round {} of {}, files of {size}", round + 1, self.plan.rounds), record);
        loop {
            let asked = StepRequest { connections: case.connections, duration: self.step, round: Some(round) };
            let step = self.testbed.step(&case.wanted, asked);
            let step = match step {
                Ok(step) => step,
                Err(why) => {
                    record.series(case.series).fail(why);
                    record.described(case.series)?;
                    return Ok(false);
                }
            };
            let longest = case.longest(&step);
            if longest <= self.tls.max_latency.as_secs_f64() {
                let sample = case.sample(&step, round);
                case.take(&step);
                case.describe(record.series(case.series));
                record.sample(case.series, sample)?;
                record.described(case.series)?;
                return Ok(true);
            }
            let before = case.connections;
            let Some(fewer) = case.search.below(before).filter(|_| self.tls.concurrency.is_none()) else {
                let why = format!("with {before} connections the longest wait was {longest:.1} s");
                record.series(case.series).fail(why);
                record.described(case.series)?;
                return Ok(false);
            };
            case.fall_back(fewer);
            let series = record.series(case.series);
            series.samples.clear();
            let round = round + 1;
            series.note = Some(format!(
                "with {before} connections the longest wait was {longest:.1} s; {fewer} are used from round {round} on"
            ));
            record.observer.forgotten(&[case.series])?;
        }
    }
}

impl Run<'_> {
    fn size(&mut self, bytes: usize, record: &mut PlanRecord<'_>) -> Result<(), String> {
        let of_size = self.tls.cases.iter().filter(|case| case.workload.bytes == bytes);
        let wanted: Vec<TlsCase> = of_size.copied().collect();
        if let Some(known) = before::of_size(&self.tls.before, bytes, &wanted, self.plan.rounds) {
            return self.keep(&wanted, &known, record);
        }
        self.progress(&format!("making files of {}", size_name(bytes)), record);
        if let Err(why) = self.testbed.make_file(bytes) {
            record.omit(omission(why));
            self.cases_left -= wanted.len();
            return Ok(());
        }
        let count = wanted.len();
        self.step = self.step_time(count);
        self.until = self.share_of_time(count);
        let mut cases = Vec::new();
        for wanted in wanted {
            cases.extend(self.prepare(wanted, record)?);
        }
        carry_out(self, cases, record)?;
        self.cases_left -= count;
        Ok(())
    }

    /// Keeps what the run has of a size from before it was interrupted.
    fn keep(
        &mut self,
        cases: &[TlsCase],
        known: &[Option<&Series>],
        record: &mut PlanRecord<'_>,
    ) -> Result<(), String> {
        for (case, known) in cases.iter().zip(known) {
            match known {
                Some(series) => {
                    record.begin((*series).clone())?;
                }
                None => {
                    let size = size_name(case.workload.bytes);
                    let why = format!("files of {size}: left out before the run was interrupted");
                    record.omit(of_case(*case, why));
                }
            }
        }
        self.cases_left -= cases.len();
        Ok(())
    }

    /// Until when `count` cases that come next may take: their share of what is left; for ever if steps have a fixed
    /// length.
    fn share_of_time(&self, count: usize) -> Option<Instant> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let share = left.mul_f64(count as f64 / self.cases_left.max(1) as f64);
        self.tls.duration.is_none().then(|| Instant::now() + share)
    }

    /// How long a step may take if `count` cases come next.
    fn step_time(&self, count: usize) -> Duration {
        if let Some(duration) = self.tls.duration {
            return duration;
        }
        let share =
            self.share_of_time(count).map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
        let share = share / count.max(1) as u32;
        let trials = if self.tls.concurrency.is_some() { 0.0 } else { TRIALS as f64 * OF_A_TRIAL };
        share.mul_f64((1.0 - AROUND) / (trials + f64::from(self.plan.rounds))).clamp(MIN, MAX)
    }

    /// Looks at a case and searches its number of connections; `None` if it is over with it.
    fn prepare(&mut self, wanted: TlsCase, record: &mut PlanRecord<'_>) -> Result<Option<TlsMeasurement>, String> {
        let TlsCase { workload, library, acceleration } = wanted;
        let Some(how) = workload.served() else { return Ok(None) };
        self.progress(&format!("searching {library} ({acceleration}) {workload}"), record);
        let capacity = match self.testbed.capacity(&wanted) {
            Ok(capacity) => capacity,
            Err(why) => {
                record.omit(of_case(wanted, why));
                return Ok(None);
            }
        };
        // So that every worker and every host has something to do.
        let least = how.workers.max(capacity.hosts).min(capacity.most);
        let search_space = Search::new(least, capacity.most, GROWTH, TRIALS);
        let mut case = TlsMeasurement::new(wanted, how, capacity, search_space);
        let version = library_version(library, &self.tls.nginx.openssl);
        let mut series = case.empty_series(self.plan.level, version, self.tls);
        let mut is_over = true;
        match self.testbed.look(&wanted) {
            Err(why) => series.fail(why),
            Ok(()) => match search(self.tls, &mut case, self.step, |asked| self.testbed.step(&wanted, asked)) {
                Ok(Some(connections)) => {
                    case.connections = connections;
                    is_over = false;
                }
                Ok(None) => {
                    let why = format!(
                        "files of {}: with any number of connections a {} takes longer than {} s",
                        size_name(workload.bytes),
                        how.latency_of.name(),
                        self.tls.max_latency.as_secs_f64()
                    );
                    record.omit(of_case(wanted, why));
                    return Ok(None);
                }
                Err(why) => series.fail(why),
            },
        }
        case.series = record.begin(series)?;
        record.described(case.series)?;
        Ok((!is_over).then_some(case))
    }

    fn progress(&mut self, what: &str, record: &mut PlanRecord<'_>) {
        self.done += 1;
        let steps_of_a_case = u64::from(self.plan.rounds) + 1;
        record.progress(what, self.done - 1, self.tls.cases.len() as u64 * steps_of_a_case + 1);
    }
}

/// The best number of connections; `None` if none is within the limit.
fn search(
    tls: &TlsPlan,
    case: &mut TlsMeasurement,
    step: Duration,
    mut try_it: impl FnMut(StepRequest) -> Result<super::load::LoadStep, String>,
) -> Result<Option<usize>, String> {
    let most = case.capacity.most;
    if let Some(connections) = tls.concurrency {
        return if connections <= most {
            Ok(Some(connections))
        } else {
            Err(format!("--concurrency {connections}: the limits of this system allow {most} (see its limits)"))
        };
    }
    let duration = TlsPlan::trial(step);
    while let Some(connections) = case.search.next() {
        // More would only make the end longer, at which they are brought to theirs.
        let in_flight = IN_FLIGHT * step.as_secs_f64() * case.rate / case.wanted.workload.bytes as f64;
        if case.search.best().is_some() && connections as f64 > in_flight.max((case.how.workers * MIN_TRIED) as f64) {
            break;
        }
        let step = try_it(StepRequest { connections, duration, round: None })?;
        let trial = case.trial(&step, tls.max_latency);
        case.search.note(connections, trial);
        if let Some((_, rate)) = case.search.best() {
            case.rate = rate;
        }
    }
    Ok(case.search.best().map(|(connections, _)| connections))
}

fn libraries(tls: &TlsPlan) -> Vec<FoundLibrary> {
    let mut names: Vec<(&str, Acceleration)> = tls.cases.iter().map(|case| (case.library, case.acceleration)).collect();
    names.sort_unstable();
    names.dedup();
    let found = |(library, acceleration): (&str, Acceleration)| FoundLibrary {
        library: library.to_owned(),
        version: library_version(library, &tls.nginx.openssl),
        acceleration: Some(acceleration),
        cpu_features: None,
        loaded_from: match library {
            KASOKU => tls.module.as_ref().map(|module| module.display().to_string()),
            // Of servers elsewhere no file is known.
            _ => Some(&tls.nginx.program).filter(|file| file.is_absolute()).map(|file| file.display().to_string()),
        },
    };
    names.into_iter().map(found).collect()
}

fn omission(why: String) -> Omission {
    Omission { level: Level::Tls, why, ..Omission::default() }
}

fn of_case(case: TlsCase, why: String) -> Omission {
    let algorithm = Some(case.workload.algorithm.name().to_owned());
    Omission { library: case.library.to_owned(), acceleration: Some(case.acceleration), algorithm, ..omission(why) }
}

#[cfg(test)]
mod tests;
