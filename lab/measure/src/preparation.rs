//! Prepares a plan before anything is timed: each worker sets up each workload. The laboratory verifies the workload's
//! output, observes its code path, and finds the number of operations per slice.

use std::collections::HashMap;

use super::plan::{Item, OBSERVATION, Plan};
use super::protocol::{Slice, TimedWorkload, WorkerRequest};
use super::record::PlanRecord;
use super::scheduled_sample::ScheduledSample;
use super::verification::{self, Verdict, WorkerResult};
use super::worker::{Worker, WorkerError, WorkerName, WorkerProcess, answer_limit};
use kasoku_libraries as libraries;
use kasoku_libraries::fixtures::{AAD_BYTES, deterministic};
use kasoku_libraries::jvm;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::code_path::{UNKNOWN, contradiction};
use kasoku_model::document::{Experiment, Omission, Outcome, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::library::{AWS_LC, RUSTCRYPTO, Role, family};
use kasoku_model::workload::{Operation, Packets, Setting, Workload};

/// Libraries that are compiled into the laboratory. They verify other libraries even if they are not measured
/// themselves.
const REFERENCES: [&str; 2] = [RUSTCRYPTO, AWS_LC];
/// Nanoseconds of the trial that finds how long an operation takes.
const TRIAL_NS: u64 = 200_000;

/// Prepares `plan` on `workers`, which have the order of [`Plan::workers`], and begins its series, even those that
/// fail. Returns the scheduled samples of each workload. The caller must still set their numbers of operations.
pub(super) fn prepare(
    plan: &Plan,
    workers: &mut Vec<Worker>,
    record: &mut PlanRecord<'_>,
) -> Result<Vec<Vec<ScheduledSample>>, String> {
    workers.extend(references(plan));
    let mut preparer = Preparer {
        plan,
        workers,
        series: Vec::new(),
        omissions: Vec::new(),
        vectors: HashMap::new(),
        code_paths: HashMap::new(),
        deadly: HashMap::new(),
    };
    let mut lines = Vec::new();
    for (done, item) in plan.items.iter().enumerate() {
        record.observer.progress(&format!("verifying {}", item.workload), done as u64, plan.items.len() as u64);
        lines.push(preparer.prepare_item(item));
    }
    let Preparer { series, omissions, .. } = preparer;
    workers.truncate(plan.workers.len());
    record.measured.omissions = omissions;
    for one in series {
        record.begin(one)?;
    }
    Ok(lines)
}

pub(super) fn new_series(level: Level, item: &Item, worker: &Worker) -> Series {
    let (kind, is_of_files) = (item.workload.algorithm.kind(), item.workload.files().is_some());
    let unit = match kind {
        _ if is_of_files => Unit::Seconds,
        AlgorithmKind::Suite => Unit::OperationsPerMinute,
        kind if kind.is_bulk() => Unit::BytesPerSecond,
        _ => Unit::OperationsPerSecond,
    };
    let WorkerName { entry, acceleration, .. } = &worker.name;
    let mut series =
        Series::empty(level, &item.workload, entry.name, worker.library.version.clone(), *acceleration, unit);
    series.role = entry.role;
    series.details.threads = item.threads as u64;
    if let Experiment::Memory(details) = &mut series.details.experiment {
        let aad = item.workload.packets().map_or(AAD_BYTES, Packets::header_bytes);
        details.aad = (kind == AlgorithmKind::Aead).then_some(aad);
    }
    if let Some(setting) = &worker.name.jvm {
        let flags = jvm::flags(worker.name.entry, worker.name.acceleration, setting).join(" ");
        series.details.jdk = Some(setting.runtime.version.clone());
        series.details.flags = Some(flags);
    }
    series
}

/// Stores the observed code path (names of instructions) in `series`. If the acceleration state of `series` switches
/// these instructions off, marks `series` as unverified, so that it is never ranked.
pub(super) fn note_code_path(series: &mut Series, code_path: &str) {
    code_path.clone_into(&mut series.code_path);
    if let Some(contradiction) = contradiction(code_path, series.acceleration) {
        series.outcome = Outcome::Unverified;
        series.add_note(&format!("not verified: {contradiction}"));
    }
}

fn references(plan: &Plan) -> Vec<Worker> {
    let is_there = |name: &str| {
        plan.workers.iter().any(|worker| worker.entry.name == name && worker.acceleration == Acceleration::On)
    };
    REFERENCES
        .iter()
        .filter(|name| !is_there(name))
        .filter_map(|name| libraries::find(name))
        .filter_map(|entry| Worker::start(WorkerName::new(entry, Acceleration::On)).ok())
        .collect()
}

struct Preparer<'a> {
    plan: &'a Plan,
    workers: &'a mut Vec<Worker>,
    series: Vec<Series>,
    omissions: Vec<Omission>,
    vectors: HashMap<(usize, Algorithm, Operation), Option<bool>>,
    code_paths: HashMap<(usize, Workload), String>,
    /// Requests that killed a worker, with the error. Such a request is not repeated at the other sizes, since it would
    /// kill the worker again.
    deadly: HashMap<(usize, Algorithm, Operation), WorkerError>,
}

impl Preparer<'_> {
    /// Returns a scheduled sample for each worker of `item` that can run its workload.
    fn prepare_item(&mut self, item: &Item) -> Vec<ScheduledSample> {
        let mut line = Vec::new();
        let first: Vec<(usize, Result<TimedWorkload, WorkerError>)> =
            item.workers.iter().map(|&index| (index, self.first_operation(index, &item.workload))).collect();
        let verdicts = self.verify(item, &first);
        for ((index, answer), verdict) in first.into_iter().zip(verdicts) {
            let mut series = new_series(self.plan.level, item, &self.workers[index]);
            series.details.control = self.plan.control().is_some_and(|(control, _)| control == index);
            match answer {
                Ok(answer) => {
                    self.judge(&mut series, index, item, &answer, verdict);
                    match self.trial(index, item, &answer) {
                        Ok(operation_ns) => line.push(ScheduledSample {
                            series: self.series.len(),
                            worker: index,
                            slice: Slice { threads: item.threads, ..Slice::new(item.workload, 1) },
                            expected: answer.check,
                            operation_ns,
                            every: 1,
                            fastest: None,
                            additions: Vec::new(),
                        }),
                        Err(error) => series.fail(&error),
                    }
                    if let Some(death) = self.workers[index].take_death().filter(|_| !series.has_failed()) {
                        series.restarted(death);
                    }
                }
                Err(WorkerError::Unsupported(why)) => {
                    let omission = self.workers[index].name.lacks(self.plan.level, item.workload.algorithm, why);
                    self.omissions.push(omission);
                    continue;
                }
                Err(error) => series.fail(&error),
            }
            self.series.push(series);
        }
        line
    }

    fn judge(&self, series: &mut Series, index: usize, item: &Item, first: &TimedWorkload, verdict: Verdict) {
        if let Experiment::Memory(details) = &mut series.details.experiment {
            details.allocated_bytes = first.allocated_bytes;
        }
        series.note.clone_from(&first.note);
        match verdict {
            Ok(note) => {
                series.outcome = Outcome::Measured;
                note.into_iter().for_each(|note| series.add_note(&note));
            }
            // Bounds of the bare CPU compute no output to compare, and say so in their own note.
            Err(_) if series.role == Role::Bound => {}
            Err(why) => series.add_note(&format!("not verified: {why}")),
        }
        if let Some(code_path) = self.code_paths.get(&(index, item.workload)) {
            note_code_path(series, code_path);
            if series.acceleration != Acceleration::On && code_path == UNKNOWN {
                series.add_note("what ran could not be seen, so it is not shown that the switch took effect");
            }
        }
    }

    /// Runs the first operation of a workload on a worker, and observes its code path once.
    fn first_operation(&mut self, index: usize, workload: &Workload) -> Result<TimedWorkload, WorkerError> {
        let key = (index, workload.algorithm, workload.operation);
        if let Some(error) = self.deadly.get(&key) {
            return Err(error.clone());
        }
        let is_measured = index < self.plan.workers.len();
        let is_new = !self.code_paths.contains_key(&(index, *workload));
        let answer = self.workers[index].time(Slice {
            observe_ms: if is_measured && is_new { OBSERVATION.as_millis() as u64 } else { 0 },
            output: !deterministic(workload),
            ..Slice::new(*workload, 1)
        });
        if let Err(error) = &answer
            && error.is_fatal()
        {
            self.deadly.insert(key, error.clone());
        }
        if let Ok(TimedWorkload { code_path: Some(code_path), .. }) = &answer {
            self.code_paths.insert((index, *workload), code_path.clone());
        }
        answer
    }

    fn verify(&mut self, item: &Item, first: &[(usize, Result<TimedWorkload, WorkerError>)]) -> Vec<Verdict> {
        if !deterministic(&item.workload) {
            return first.iter().map(|(index, answer)| self.verify_by_use(item, *index, answer)).collect();
        }
        let mut given: Vec<WorkerResult> = Vec::new();
        for (index, answer) in first {
            given.push(self.output_of(*index, &item.workload, answer));
        }
        let whole = whole_packet(&item.workload);
        for index in self.references(item) {
            let answer = self.first_operation(index, &whole);
            given.push(self.output_of(index, &whole, &answer));
        }
        given[..first.len()].iter().map(|own| verification::judge(own, &given)).collect()
    }

    /// Returns the indices of the workers whose output verifies that of `item`, but which are not measured on `item`:
    /// workers that were started only as references. For packets, also the workers of reference libraries
    /// ([`REFERENCES`]) that are measured on other items only, for example not on batches or on the cipher alone.
    fn references(&self, item: &Item) -> Vec<usize> {
        let measured = 0..self.plan.workers.len();
        let is_of_packets = item.workload.packets().is_some();
        let is_reference = |index: &usize| {
            let name = &self.workers[*index].name;
            let is_one = REFERENCES.contains(&name.entry.name) && name.acceleration == Acceleration::On;
            !measured.contains(index) || (is_of_packets && is_one && !item.workers.contains(index))
        };
        (0..self.workers.len()).filter(is_reference).collect()
    }

    fn output_of(
        &mut self,
        index: usize,
        workload: &Workload,
        answer: &Result<TimedWorkload, WorkerError>,
    ) -> WorkerResult {
        let entry = self.workers[index].name.entry;
        let (library, is_foreign) = (entry.name.to_owned(), entry.is_foreign());
        let Ok(TimedWorkload { check: Some(check), .. }) = answer else {
            return WorkerResult { library, check: None, met_vectors: None, is_foreign };
        };
        WorkerResult { library, check: Some(check.clone()), met_vectors: self.met_vectors(index, workload), is_foreign }
    }

    /// Whether a worker computed the published test vectors. For a benchmark suite, these are the vectors of every
    /// cipher in its mix, in both directions.
    fn met_vectors(&mut self, index: usize, workload: &Workload) -> Option<bool> {
        let parts = workload.algorithm.parts();
        if !parts.is_empty() {
            let directions = Operation::of(AlgorithmKind::Cipher);
            let mut all = parts.iter().flat_map(|&part| directions.iter().map(move |&one| Workload::new(one, part, 0)));
            return all.try_fold(true, |met, part| Some(met && self.met_vectors(index, &part)?));
        }
        let key = (index, workload.algorithm, workload.operation);
        if let Some(known) = self.vectors.get(&key) {
            return *known;
        }
        // Published vectors for packets are those of their AEAD.
        let operation = workload.operation.of_aead();
        let met = |worker: &mut WorkerProcess| verification::check_vectors(worker, workload.algorithm, operation);
        let outcome = self.workers[index].with_process(met).unwrap_or(Some(false));
        self.vectors.insert(key, outcome);
        outcome
    }

    /// Verifies a random output: a library of another family must accept it. If only one library has the algorithm,
    /// that library must accept its own output. It must also have met the published vectors of the inverse operation.
    fn verify_by_use(&mut self, item: &Item, index: usize, answer: &Result<TimedWorkload, WorkerError>) -> Verdict {
        let answer = answer.as_ref().map_err(|_| "it failed".to_owned())?;
        let own = self.workers[index].name.entry.name;
        let inverse = match item.workload.operation {
            Operation::Sign => Operation::Verify,
            _ => Operation::Decapsulate,
        };
        let inverse = Workload { operation: inverse, ..item.workload };
        let mut judges: Vec<usize> = (0..self.workers.len()).collect();
        judges.sort_by_key(|&judge| judge == index);
        for judge in judges {
            let entry = self.workers[judge].name.entry;
            let is_independent = family(entry.name) != family(own) && !entry.is_foreign();
            if !is_independent && judge != index || self.met_vectors(judge, &inverse) != Some(true) {
                continue;
            }
            let limit = answer_limit(&WorkerRequest::Slice(Slice::new(item.workload, 1)));
            match self.workers[judge]
                .with_process(|worker| verification::verify_with(worker, &item.workload, answer, limit))
            {
                Ok(()) => {
                    let note =
                        "verified by its own inverse, which meets the published vectors: no other library here has it";
                    return Ok((!is_independent).then(|| note.to_owned()));
                }
                Err(WorkerError::Unsupported(_)) => {}
                // If the verifying worker dies, that says nothing about the output.
                Err(error) if error.is_fatal() => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Err("nobody here can verify it".to_owned())
    }

    /// Returns the duration of an operation in nanoseconds. Times a short operation again, since the first one ran with
    /// cold caches.
    fn trial(&mut self, index: usize, item: &Item, first: &TimedWorkload) -> Result<f64, WorkerError> {
        let of_one = |timed: &TimedWorkload| timed.nanoseconds.max(1) as f64 / timed.iterations.max(1) as f64;
        if first.nanoseconds >= TRIAL_NS {
            return Ok(of_one(first));
        }
        let iterations = (TRIAL_NS / first.nanoseconds.max(1)).clamp(1, 10_000);
        let slice = Slice { threads: item.threads, ..Slice::new(item.workload, iterations) };
        // The answer counts the operations of all threads.
        self.workers[index].time(slice).map(|timed| item.threads as f64 * of_one(&timed))
    }
}

/// Returns the workload for whole packets that corresponds to `workload`. (A workload that only encrypts the packets'
/// payloads gives the first payload the same ciphertext.)
fn whole_packet(workload: &Workload) -> Workload {
    workload
        .packets()
        .map_or(*workload, |packets| workload.with_setting(Setting::Packets(Packets { setup: true, ..packets })))
}
