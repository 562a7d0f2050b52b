//! One library's encryption of a file, and the decryption of what it made.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::time::{Duration, Instant};

use super::cache::{self, drop_from_cache};
use super::place::{Scratch, ScratchFiles};
use super::places::Places;
use super::{serving, size_name};
use crate::plan::{Item, OBSERVATION, Plan};
use crate::preparation::new_series;
use crate::protocol::{FileConversion, FileSlice, Observed, ReadyWorkload, TimedWorkload, WorkerRequest};
use crate::record::is_same_series;
use crate::worker::{Worker, limit};
use crate::worker_process::WorkerError;
use kasoku_libraries::files::reference;
use kasoku_libraries::fixtures::Fixtures;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::code_path::{UNKNOWN, contradiction};
use kasoku_model::document::{Experiment, FileDetails, Outcome, Sample, Series};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::files::{BUFFER, Cache, Form};
use kasoku_model::workload::{Files, Operation, Workload};

/// What a visit gave: for each series that it has a sample of, that or why not.
pub(super) type Visited = Vec<(usize, Result<Sample, WorkerError>)>;

/// Algorithms in the order in which they are made ready.
const IN_ORDER: [Algorithm; 3] = [Algorithm::Aes256Gcm, Algorithm::Aes256Cbc, Algorithm::Aes128Cbc];

/// What really runs, by worker, operation and algorithm: whatever the size, that is the same.
pub(super) type CodePaths = HashMap<(usize, Operation, Algorithm), String>;

/// Parts of a file that are looked at after each visit: so many, of so many bytes.
const WINDOWS: u64 = 16;
const WINDOW: usize = 4096;

/// Encryption and decryption by one library in one state at one size.
pub(super) struct FilePair {
    /// Where the files are.
    pub(super) files: Files,
    /// How long one visit takes, with all that is around it.
    pub(super) cost: Duration,
    /// How often it takes part in a test run.
    pub(super) turns: u32,
    worker: usize,
    workload: Workload,
    threads: usize,
    fixtures: Fixtures,
    form: Form,
    operations: Vec<Kept>,
    is_given_up: bool,
    /// How the worker died of operations that a fresh one then did.
    deaths: Vec<(Operation, WorkerError)>,
    /// The series that were made ready and are not begun yet.
    series: Vec<Series>,
}

/// An operation whose samples are kept.
struct Kept {
    operation: Operation,
    series: Option<usize>,
    is_stopped: bool,
}

/// The pairs of `plan`, by the size of their files.
pub(super) fn by_size(plan: &Plan, workers: &[Worker]) -> BTreeMap<usize, Vec<FilePair>> {
    let mut sizes: BTreeMap<usize, Vec<FilePair>> = BTreeMap::new();
    for pair in of_items(plan.level, &plan.items, workers) {
        sizes.entry(pair.workload.bytes).or_default().push(pair);
    }
    sizes
}

/// The pairs that `items` stand for.
pub(super) fn of_items(level: Level, items: &[Item], workers: &[Worker]) -> Vec<FilePair> {
    let mut pairs: Vec<FilePair> = Vec::new();
    for item in items {
        let Some(files) = item.workload.files() else { continue };
        for &worker in &item.workers {
            let encrypting = Workload { operation: Operation::Encrypt, ..item.workload };
            let kept = Kept { operation: item.workload.operation, series: None, is_stopped: false };
            let is_same =
                |pair: &&mut FilePair| (pair.worker, pair.workload, pair.threads) == (worker, encrypting, item.threads);
            let series = new_series(level, item, &workers[worker]);
            if let Some(pair) = pairs.iter_mut().find(is_same) {
                pair.operations.push(kept);
                pair.series.push(series);
                continue;
            }
            pairs.push(FilePair {
                files,
                cost: Duration::ZERO,
                turns: 0,
                worker,
                workload: encrypting,
                threads: item.threads,
                fixtures: serving::fixtures_of(&encrypting),
                form: Form::default(),
                operations: vec![kept],
                is_given_up: false,
                deaths: Vec::new(),
                series: vec![series],
            });
        }
    }
    // Where the time does not suffice, memory is the first to be left out, and the copy and GCM-256 the last.
    pairs.sort_by_key(|pair| {
        let is_copy = pair.series.iter().any(|series| series.role == Role::Bound);
        let place = IN_ORDER.iter().position(|algorithm| *algorithm == pair.workload.algorithm);
        (pair.files.storage, !is_copy, place.unwrap_or(IN_ORDER.len()))
    });
    pairs
}

impl FilePair {
    /// For whoever watches: `openssl (on) aes-128-cbc 50 MiB`.
    pub(super) fn title(&self) -> String {
        let (library, state) =
            self.series.first().map_or(("", Acceleration::On), |one| (&one.library, one.acceleration));
        format!("{library} ({state}) {} {} in {}", self.workload.algorithm, size_name(self.workload.bytes), self.files)
    }

    pub(super) fn library(&self, workers: &[Worker]) -> &'static str {
        workers[self.worker].name.entry.name
    }

    /// What tells it from all others: its worker, what is encrypted, in how many threads.
    pub(super) fn identity(&self) -> (usize, Workload, usize) {
        (self.worker, self.workload, self.threads)
    }

    /// Takes no further part.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// Whether it takes no further part.
    pub(super) fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Encrypts and decrypts once, finds out what runs, and has another library look at all of what came out.
    pub(super) fn prepare(&mut self, workers: &mut [Worker], places: &Places, code_paths: &CodePaths) {
        let Some(place) = places.get(self.files.storage) else { return self.give_up() };
        let worker = &mut workers[self.worker];
        let described: ReadyWorkload = match worker.ask(&WorkerRequest::Ready(self.workload, self.threads)) {
            Ok(described) => described,
            Err(error) => return self.fail_all(&error),
        };
        self.form = described.form.unwrap_or_default();
        for series in &mut self.series {
            let buffer = described.buffer.or((self.form == Form::Stream).then_some(BUFFER));
            let details = FileDetails { files: self.files, form: Some(self.form), buffer };
            series.details.experiment = Experiment::Files(details);
            series.note.clone_from(&described.note);
        }
        let start = Instant::now();
        let results = self.both(worker, place);
        self.cost = start.elapsed();
        if let Some((Operation::Encrypt, Err(error))) = results.first() {
            // There is nothing to decrypt then.
            place.clear_results();
            return self.fail_all(error);
        }
        for (operation, result) in results {
            let verdict = match &result {
                Err(error) => Err(error.to_string()),
                Ok(_) if operation == Operation::Encrypt => self.encrypted_is_right(place),
                Ok(_) => self.decrypted_is_right(place),
            };
            let Some(series) = self.series.iter_mut().find(|series| series.operation == operation) else { continue };
            match (result, verdict) {
                (Err(error), _) => series.fail(error),
                (Ok(_), Ok(())) => {
                    series.outcome = if series.role == Role::Bound { Outcome::Unverified } else { Outcome::Measured }
                }
                (Ok(_), Err(why)) => series.add_note(&format!("not verified: {why}")),
            }
        }
        for (operation, death) in std::mem::take(&mut self.deaths) {
            let series = self.series.iter_mut().filter(|series| series.operation == operation && !series.has_failed());
            series.for_each(|series| series.restarted(&death));
        }
        if self.series.iter().any(Series::has_failed) {
            place.clear_results();
        }
        self.judge_code_paths(code_paths);
    }

    /// Finds out what really runs, in each direction, on the small text that is there, unless it is known.
    pub(super) fn observe(&self, workers: &mut [Worker], places: &Places, code_paths: &mut CodePaths) {
        let Some(place) = places.get(self.files.storage) else { return };
        for operation in [Operation::Encrypt, Operation::Decrypt] {
            let key = (self.worker, operation, self.workload.algorithm);
            if code_paths.contains_key(&key) || self.series.iter().any(|series| series.role == Role::Bound) {
                continue;
            }
            let _ = target(operation, place).empty(); // what cannot be done fails when it is measured, too
            let observe_ms = OBSERVATION.as_millis() as u64;
            let request = WorkerRequest::File(FileSlice { observe_ms, ..self.slice(operation, place) });
            let observed = workers[self.worker].ask(&request);
            code_paths.insert(key, observed.map_or_else(|_| UNKNOWN.to_owned(), |Observed { code_path }| code_path));
        }
    }

    /// Notes what really runs, and whether the state forbids it.
    fn judge_code_paths(&mut self, code_paths: &CodePaths) {
        for series in self.series.iter_mut().filter(|series| !series.has_failed()) {
            let key = (self.worker, series.operation, self.workload.algorithm);
            let Some(code_path) = code_paths.get(&key).cloned() else { continue };
            if let Some(contradiction) = contradiction(&code_path, series.acceleration) {
                series.outcome = Outcome::Unverified;
                series.add_note(&format!("not verified: {contradiction}"));
            }
            series.code_path = code_path;
        }
    }

    /// Hands over the series that are ready, with the samples they had `before` the run was interrupted.
    pub(super) fn take_series(&mut self, before: &[Series]) -> Vec<Series> {
        let mut series = std::mem::take(&mut self.series);
        for one in &mut series {
            if let Some(known) = before.iter().find(|known| is_same_series(known, one)) {
                one.samples.clone_from(&known.samples);
            }
        }
        if series.iter().all(Series::has_failed) {
            self.give_up();
        }
        for failed in series.iter().filter(|one| one.has_failed()) {
            self.stop(failed.operation);
        }
        series
    }

    /// The series of `operation` has this number from now on.
    pub(super) fn begun(&mut self, operation: Operation, index: usize) {
        for kept in self.operations.iter_mut().filter(|kept| kept.operation == operation) {
            kept.series = Some(index);
        }
    }

    /// No more samples of `operation`; without encryption there is nothing to decrypt.
    pub(super) fn stop(&mut self, operation: Operation) {
        for kept in self.operations.iter_mut().filter(|kept| kept.operation == operation) {
            kept.is_stopped = true;
        }
        if operation == Operation::Encrypt || self.operations.iter().all(|kept| kept.is_stopped) {
            self.give_up();
        }
    }

    /// Whether the samples of this round are there already, from before the run was interrupted; or those of any round
    /// of the process, if none is named.
    pub(super) fn has(&self, series: &[Series], process: u32, round: Option<u32>) -> bool {
        let is_one = |sample: &Sample| sample.process == process && round.is_none_or(|round| sample.round == round);
        let is_there = |index: usize| series[index].samples.iter().any(is_one);
        self.operations.iter().filter_map(|kept| kept.series).all(is_there)
    }

    /// Encrypts and decrypts once.
    pub(super) fn visit(&mut self, workers: &mut [Worker], places: &Places) -> Visited {
        let Some(place) = places.get(self.files.storage) else { return Visited::new() };
        let results = self.both(&mut workers[self.worker], place);
        if results.iter().any(|(_, result)| result.is_err()) {
            place.clear_results();
        }
        let mut timed = Visited::new();
        for (operation, result) in results {
            if operation == Operation::Encrypt
                && let Err(error) = &result
            {
                // Decryption fails with what it would have had to decrypt.
                let others = self.operations.iter().filter(|kept| kept.operation != operation && !kept.is_stopped);
                timed.extend(others.filter_map(|kept| kept.series).map(|series| (series, Err(error.clone()))));
                self.is_given_up = true;
            }
            let kept = self.operations.iter().find(|kept| kept.operation == operation && !kept.is_stopped);
            timed.extend(kept.and_then(|kept| kept.series).map(|series| (series, result)));
        }
        timed
    }

    /// The series whose operations a fresh worker did after the first died of them, and how it died.
    pub(super) fn take_deaths(&mut self) -> Vec<(usize, WorkerError)> {
        let deaths = std::mem::take(&mut self.deaths).into_iter();
        let of = |operation: Operation| self.operations.iter().find(|kept| kept.operation == operation)?.series;
        deaths.filter_map(|(operation, death)| Some((of(operation)?, death))).collect()
    }

    /// The encryption, and if that went well the decryption.
    fn both(&mut self, worker: &mut Worker, place: &ScratchFiles) -> Vec<(Operation, Result<Sample, WorkerError>)> {
        let mut results = Vec::new();
        for operation in [Operation::Encrypt, Operation::Decrypt] {
            let is_wanted = self.operations.iter().any(|kept| kept.operation == operation && !kept.is_stopped);
            if operation == Operation::Decrypt && !is_wanted {
                continue;
            }
            let result = self.one(operation, worker, place);
            self.deaths.extend(worker.take_death().map(|death| (operation, death)));
            let has_failed = result.is_err();
            results.push((operation, result));
            if has_failed {
                break;
            }
        }
        results
    }

    fn one(&self, operation: Operation, worker: &mut Worker, place: &ScratchFiles) -> Result<Sample, WorkerError> {
        let failed = |error: std::io::Error| WorkerError::Failed(format!("the files: {error}"));
        let request = WorkerRequest::File(self.slice(operation, place));
        let limit = limit(&request) + worker.name.warm_up();
        let timed: TimedWorkload = worker.with(|process| {
            target(operation, place).empty().map_err(failed)?;
            if self.files.cache == Cache::Cold
                && let left = drop_from_cache(&source(operation, place).file).map_err(failed)?
                && left != Some(true)
            {
                let why = match left {
                    Some(_) => "the page cache did not let go of the file",
                    None => "this file system does not show whether the page cache let go of the file",
                };
                return Err(WorkerError::Failed(why.to_owned()));
            }
            process.ask(&request, limit)
        })?;
        if timed.nanoseconds == 0 {
            return Err(WorkerError::Failed("answered without a time".to_owned()));
        }
        self.looks_right(operation, place).map_err(WorkerError::Failed)?;
        Ok(Sample { iterations: 1, ns: timed.nanoseconds, cpu_ns: timed.cpu_nanoseconds, ..Sample::default() })
    }

    fn slice(&self, operation: Operation, place: &ScratchFiles) -> FileSlice {
        let (input, output) = (source(operation, place).path.clone(), target(operation, place).path.clone());
        FileSlice {
            workload: Workload { operation, ..self.workload },
            threads: self.threads,
            file: FileConversion { input, output, buffer: BUFFER },
            observe_ms: 0,
        }
    }

    /// After every visit: as long as it must be, and what was decrypted is the text where one looks.
    fn looks_right(&self, operation: Operation, place: &ScratchFiles) -> Result<(), String> {
        let text = self.workload.bytes as u64;
        let (found, expected) = match operation {
            Operation::Encrypt => (place.encrypted.bytes(), encrypted_bytes(self.form, &self.workload)),
            _ => (place.decrypted.bytes(), text),
        };
        if found != expected {
            return Err(format!("it wrote {found} bytes instead of {expected}"));
        }
        if operation == Operation::Encrypt {
            return Ok(());
        }
        for window in 0..=WINDOWS {
            let offset = text.saturating_sub(WINDOW as u64) * window / WINDOWS;
            if window_of(&place.decrypted.file, offset)? != window_of(&place.text.file, offset)? {
                return Err(format!("what it decrypted differs from the plaintext after byte {offset}"));
            }
        }
        Ok(())
    }

    fn encrypted_is_right(&self, place: &ScratchFiles) -> Result<(), String> {
        let file = |scratch: &Scratch| scratch.file.try_clone().map_err(|error| error.to_string());
        let (mut encrypted, mut text) = (file(&place.encrypted)?, file(&place.text)?);
        let algorithm = self.workload.algorithm;
        reference::is_encrypted_form(&mut encrypted, &mut text, self.form, algorithm, &self.fixtures)
    }

    fn decrypted_is_right(&self, place: &ScratchFiles) -> Result<(), String> {
        cache::rewind(&place.decrypted.file)
            .and_then(|()| cache::rewind(&place.text.file))
            .map_err(|e| e.to_string())?;
        reference::same(&mut &place.decrypted.file, &mut &place.text.file)
    }

    fn fail_all(&mut self, error: &WorkerError) {
        self.series.iter_mut().for_each(|series| series.fail(error));
    }
}

/// What an operation reads.
fn source(operation: Operation, place: &ScratchFiles) -> &Scratch {
    if operation == Operation::Encrypt { &place.text } else { &place.encrypted }
}

/// What it writes.
fn target(operation: Operation, place: &ScratchFiles) -> &Scratch {
    if operation == Operation::Encrypt { &place.encrypted } else { &place.decrypted }
}

/// How long the encrypted form is.
fn encrypted_bytes(form: Form, workload: &Workload) -> u64 {
    let text = workload.bytes as u64;
    match form {
        Form::Copy => text,
        Form::Cobblestone => text + (text / 16_384 + 1) * 16 + 56,
        Form::Stream if workload.algorithm.kind() == kasoku_model::algorithm::AlgorithmKind::Aead => text + 16,
        Form::Stream if workload.algorithm.name().ends_with("-cbc") => (text / 16 + 1) * 16,
        Form::Stream => text,
    }
}

fn window_of(file: &File, offset: u64) -> Result<Vec<u8>, String> {
    let mut window = vec![0; WINDOW];
    let read = cache::read_at(file, &mut window, offset).map_err(|error| error.to_string())?;
    window.truncate(read);
    Ok(window)
}
