//! Measures a pair: one library's encryption of a file, and the decryption of its output.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::time::{Duration, Instant};

use super::scratch::{ScratchFile, ScratchFiles, ScratchSet, drop_from_cache, read_at, rewind};
use super::{serving, size_name};
use crate::plan::{Item, OBSERVATION, Plan};
use crate::preparation::{new_series, note_code_path};
use crate::procedure::SampleSlot;
use crate::protocol::{FileConversion, ReadyWorkload, Slice, TimedWorkload, WorkerRequest};
use crate::record::{PlanRecord, is_same_series};
use crate::worker::{Worker, WorkerError, answer_limit};
use kasoku_libraries::files::reference;
use kasoku_libraries::fixtures::Fixtures;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::code_path::UNKNOWN;
use kasoku_model::document::{Experiment, FileDetails, Outcome, Sample, Series};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::files::{BUFFER, Cache, Form};
use kasoku_model::workload::{Files, Operation, Workload};

/// Algorithms that are prepared before all others, in this order.
const IN_ORDER: [Algorithm; 3] = [Algorithm::Aes256Gcm, Algorithm::Aes256Cbc, Algorithm::Aes128Cbc];

/// Observed code paths by worker, operation and algorithm. They do not depend on the size of the file.
pub(super) type CodePaths = HashMap<(usize, Operation, Algorithm), String>;

/// Number of parts of an output file that are compared with the expected content after each sample.
const WINDOWS: u64 = 16;
/// Length in bytes of each compared part.
const WINDOW: u64 = 4096;

/// Encryption and decryption of a file of one size, by one library in one acceleration state.
pub(super) struct FilePair {
    pub(super) files: Files,
    /// Duration of one encryption and decryption, with everything around them.
    pub(super) cost: Duration,
    pub(super) turns: u32,
    pub(super) is_given_up: bool,
    worker: usize,
    workload: Workload,
    threads: usize,
    fixtures: Fixtures,
    form: Form,
    operations: Vec<PairSeries>,
}

struct PairSeries {
    /// Series with the results of the preparation, without samples.
    series: Series,
    /// Number of the series in the record; `None` before the series has begun.
    index: Option<usize>,
    is_stopped: bool,
}

/// Result of one encryption or decryption.
pub(super) struct Conversion {
    operation: Operation,
    result: Result<Sample, WorkerError>,
    /// Death of the worker's process on a request that a new process then answered.
    death: Option<WorkerError>,
}

pub(super) fn by_size(plan: &Plan, workers: &[Worker]) -> BTreeMap<usize, Vec<FilePair>> {
    let mut sizes: BTreeMap<usize, Vec<FilePair>> = BTreeMap::new();
    for pair in of_items(plan.level, &plan.items, workers) {
        sizes.entry(pair.workload.bytes).or_default().push(pair);
    }
    sizes
}

pub(super) fn of_items(level: Level, items: &[Item], workers: &[Worker]) -> Vec<FilePair> {
    let mut pairs: Vec<FilePair> = Vec::new();
    for item in items {
        let Some(files) = item.workload.files() else { continue };
        for &worker in &item.workers {
            let series = new_series(level, item, &workers[worker]);
            let kept = PairSeries { series, index: None, is_stopped: false };
            let identity = (worker, Workload { operation: Operation::Encrypt, ..item.workload }, item.threads);
            match pairs.iter_mut().find(|pair| pair.identity() == identity) {
                Some(pair) => pair.operations.push(kept),
                None => pairs.push(FilePair {
                    files,
                    cost: Duration::ZERO,
                    turns: 0,
                    is_given_up: false,
                    worker,
                    workload: identity.1,
                    threads: item.threads,
                    fixtures: serving::fixtures_of(&identity.1),
                    form: Form::default(),
                    operations: vec![kept],
                }),
            }
        }
    }
    // If time is short, the end is left out: files in memory first; copying and AES-256-GCM last.
    pairs.sort_by_key(|pair| {
        let position = IN_ORDER.iter().position(|algorithm| *algorithm == pair.workload.algorithm);
        (pair.files.storage, !pair.is_copy(), position.unwrap_or(IN_ORDER.len()))
    });
    pairs
}

impl FilePair {
    /// Returns the name for the progress bar: `openssl (on) aes-128-cbc 50 MiB`.
    pub(super) fn title(&self, workers: &[Worker]) -> String {
        let name = &workers[self.worker].name;
        let (library, state) = (name.entry.name, name.acceleration);
        format!("{library} ({state}) {} {} in {}", self.workload.algorithm, size_name(self.workload.bytes), self.files)
    }

    pub(super) fn library(&self, workers: &[Worker]) -> &'static str {
        workers[self.worker].name.entry.name
    }

    pub(super) fn identity(&self) -> (usize, Workload, usize) {
        (self.worker, self.workload, self.threads)
    }

    fn is_copy(&self) -> bool {
        self.operations.iter().any(|kept| kept.series.role == Role::Bound)
    }

    /// Encrypts and decrypts the file once, notes the code path, and lets another library verify the output.
    pub(super) fn prepare(&mut self, workers: &mut [Worker], scratch_set: &ScratchSet, code_paths: &CodePaths) {
        let Some(scratch) = scratch_set.get(self.files.storage) else {
            self.is_given_up = true;
            return;
        };
        let worker = &mut workers[self.worker];
        let described: ReadyWorkload = match worker.ask(&WorkerRequest::Ready(self.workload, self.threads)) {
            Ok(described) => described,
            Err(error) => return self.fail_all(&error),
        };
        self.form = described.form.unwrap_or_default();
        for PairSeries { series, .. } in &mut self.operations {
            let buffer = described.buffer.or((self.form == Form::Stream).then_some(BUFFER));
            let details = FileDetails { files: self.files, form: Some(self.form), buffer };
            series.details.experiment = Experiment::Files(details);
            series.note.clone_from(&described.note);
        }
        let start = Instant::now();
        let conversions = self.encrypt_and_decrypt(worker, scratch);
        self.cost = start.elapsed();
        if let Some(Conversion { operation: Operation::Encrypt, result: Err(error), .. }) = conversions.first() {
            // Without an encrypted file there is nothing to decrypt.
            scratch.clear_results();
            return self.fail_all(error);
        }
        for Conversion { operation, result, death } in conversions {
            let verdict = match &result {
                Err(error) => Err(error.to_string()),
                Ok(_) if operation == Operation::Encrypt => self.encrypted_is_right(scratch),
                Ok(_) => self.decrypted_is_right(scratch),
            };
            let Some(PairSeries { series, .. }) = self.series_of(operation) else { continue };
            match (result, verdict) {
                (Err(error), _) => {
                    series.fail(error);
                    scratch.clear_results();
                    continue;
                }
                (Ok(_), Ok(())) if series.role != Role::Bound => series.outcome = Outcome::Measured,
                (Ok(_), Ok(())) => {}
                (Ok(_), Err(why)) => series.add_note(&format!("not verified: {why}")),
            }
            death.into_iter().for_each(|death| series.restarted(death));
        }
        let (worker, algorithm) = (self.worker, self.workload.algorithm);
        for PairSeries { series, .. } in self.operations.iter_mut().filter(|kept| !kept.series.has_failed()) {
            if let Some(code_path) = code_paths.get(&(worker, series.operation, algorithm)) {
                note_code_path(series, code_path);
            }
        }
    }

    /// Observes the code path of each direction on the small file in `scratch_set`, unless the path is known.
    pub(super) fn observe(&self, workers: &mut [Worker], scratch_set: &ScratchSet, code_paths: &mut CodePaths) {
        let Some(scratch) = scratch_set.get(self.files.storage).filter(|_| !self.is_copy()) else { return };
        for operation in [Operation::Encrypt, Operation::Decrypt] {
            let key = (self.worker, operation, self.workload.algorithm);
            if code_paths.contains_key(&key) {
                continue;
            }
            let _ = scratch.target(operation).empty(); // an error recurs in the measurement, which reports it
            let observe_ms = OBSERVATION.as_millis() as u64;
            let request = WorkerRequest::Slice(Slice { observe_ms, ..self.slice(operation, scratch) });
            let observed = workers[self.worker].ask::<TimedWorkload>(&request).ok().and_then(|timed| timed.code_path);
            code_paths.insert(key, observed.unwrap_or_else(|| UNKNOWN.to_owned()));
        }
    }

    /// Begins the series of the pair. `before` holds the series of the interrupted run if this run resumes it; each
    /// series then starts with its samples from that run.
    pub(super) fn begin(&mut self, before: &[Series], record: &mut PlanRecord<'_>) -> Result<(), String> {
        for kept in &mut self.operations {
            let mut series = kept.series.clone();
            if let Some(known) = before.iter().find(|known| is_same_series(known, &series)) {
                series.samples.clone_from(&known.samples);
            }
            kept.index = Some(record.begin(series)?);
        }
        let failed = self.operations.iter().map(|kept| &kept.series).filter(|series| series.has_failed());
        let failed: Vec<Operation> = failed.map(|series| series.operation).collect();
        failed.into_iter().for_each(|operation| self.stop(operation));
        Ok(())
    }

    /// Takes no further samples of `operation`. Without encryption, nothing is left to decrypt, so decryption ends too.
    fn stop(&mut self, operation: Operation) {
        if let Some(kept) = self.series_of(operation) {
            kept.is_stopped = true;
        }
        self.is_given_up |= operation == Operation::Encrypt || self.operations.iter().all(|kept| kept.is_stopped);
    }

    fn series_of(&mut self, operation: Operation) -> Option<&mut PairSeries> {
        self.operations.iter_mut().find(|kept| kept.series.operation == operation)
    }

    /// Whether every series has a sample of `round` from before an interruption. If `round` is `None`, a sample of any
    /// round of this start suffices.
    pub(super) fn has(&self, series: &[Series], process: u32, round: Option<u32>) -> bool {
        let is_one = |sample: &Sample| sample.process == process && round.is_none_or(|round| sample.round == round);
        let is_there = |index: usize| series[index].samples.iter().any(is_one);
        self.operations.iter().filter_map(|kept| kept.index).all(is_there)
    }

    /// Encrypts and decrypts the file once, and records the samples or the failure.
    pub(super) fn visit(
        &mut self,
        workers: &mut [Worker],
        scratch_set: &ScratchSet,
        slot: SampleSlot,
        record: &mut PlanRecord<'_>,
    ) -> Result<(), String> {
        let SampleSlot { process, round, .. } = slot;
        let mut samples = Vec::new();
        for Conversion { operation, result, death } in self.try_once(workers, scratch_set) {
            let Some(PairSeries { index: Some(index), is_stopped, .. }) = self.series_of(operation) else { continue };
            let (index, series) = (*index, record.series(*index));
            match result {
                _ if *is_stopped => {}
                Ok(sample) => samples.push((index, Sample { process, round, ..sample })),
                Err(error) => {
                    series.fail(&error);
                    self.stop(operation);
                }
            }
            death.into_iter().for_each(|death| series.restarted(death));
        }
        samples.iter().for_each(|(index, sample)| record.series(*index).samples.push(*sample));
        record.observer.sampled(&samples)
    }

    /// Encrypts and decrypts the file once. A failed encryption also fails the decryption.
    pub(super) fn try_once(&mut self, workers: &mut [Worker], scratch_set: &ScratchSet) -> Vec<Conversion> {
        let Some(scratch) = scratch_set.get(self.files.storage) else { return Vec::new() };
        let mut conversions = self.encrypt_and_decrypt(&mut workers[self.worker], scratch);
        if conversions.iter().any(|conversion| conversion.result.is_err()) {
            scratch.clear_results();
        }
        if let Some(Conversion { operation: Operation::Encrypt, result: Err(error), .. }) = conversions.first() {
            let result = Err(error.clone());
            conversions.push(Conversion { operation: Operation::Decrypt, result, death: None });
            self.is_given_up = true;
        }
        conversions
    }

    fn encrypt_and_decrypt(&mut self, worker: &mut Worker, scratch: &ScratchFiles) -> Vec<Conversion> {
        let mut conversions = Vec::new();
        for operation in [Operation::Encrypt, Operation::Decrypt] {
            if operation == Operation::Decrypt && self.series_of(operation).is_none_or(|kept| kept.is_stopped) {
                continue;
            }
            let result = self.convert(operation, worker, scratch);
            let has_failed = result.is_err();
            conversions.push(Conversion { operation, result, death: worker.take_death() });
            if has_failed {
                break;
            }
        }
        conversions
    }

    fn convert(
        &self,
        operation: Operation,
        worker: &mut Worker,
        scratch: &ScratchFiles,
    ) -> Result<Sample, WorkerError> {
        let failed = |error: std::io::Error| WorkerError::Failed(format!("the files: {error}"));
        let request = WorkerRequest::Slice(self.slice(operation, scratch));
        let limit = answer_limit(&request) + worker.name.warm_up();
        let timed: TimedWorkload = worker.with_process(|process| {
            scratch.target(operation).empty().map_err(failed)?;
            if self.files.cache == Cache::Cold
                && let left = drop_from_cache(&scratch.source(operation).file).map_err(failed)?
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
        self.looks_right(operation, scratch).map_err(WorkerError::Failed)?;
        Ok(Sample { iterations: 1, ns: timed.nanoseconds, cpu_ns: timed.cpu_nanoseconds, ..Sample::default() })
    }

    fn slice(&self, operation: Operation, scratch: &ScratchFiles) -> Slice {
        let (input, output) = (scratch.source(operation).path.clone(), scratch.target(operation).path.clone());
        let file = Some(FileConversion { input, output, buffer: BUFFER });
        Slice { file, threads: self.threads, ..Slice::new(Workload { operation, ..self.workload }, 1) }
    }

    /// Checks the length of the output file. For decryption, also compares some parts of its content with the
    /// plaintext.
    fn looks_right(&self, operation: Operation, scratch: &ScratchFiles) -> Result<(), String> {
        let text = self.workload.bytes as u64;
        let expected = if operation == Operation::Encrypt { self.encrypted_bytes() } else { text };
        let found = scratch.target(operation).bytes();
        if found != expected {
            return Err(format!("it wrote {found} bytes instead of {expected}"));
        }
        if operation == Operation::Encrypt {
            return Ok(());
        }
        for window in 0..=WINDOWS {
            let offset = text.saturating_sub(WINDOW) * window / WINDOWS;
            let window_of = |file: &File| read_at(file, offset, WINDOW).map_err(|error| error.to_string());
            if window_of(&scratch.decrypted.file)? != window_of(&scratch.text.file)? {
                return Err(format!("what it decrypted differs from the plaintext after byte {offset}"));
            }
        }
        Ok(())
    }

    fn encrypted_bytes(&self) -> u64 {
        let (text, algorithm) = (self.workload.bytes as u64, self.workload.algorithm);
        match self.form {
            Form::Copy => text,
            Form::Cobblestone => text + (text / 16_384 + 1) * 16 + 56,
            Form::Stream if algorithm.kind() == AlgorithmKind::Aead => text + 16,
            Form::Stream if algorithm.name().ends_with("-cbc") => (text / 16 + 1) * 16,
            Form::Stream => text,
        }
    }

    fn encrypted_is_right(&self, scratch: &ScratchFiles) -> Result<(), String> {
        let file = |scratch: &ScratchFile| scratch.file.try_clone().map_err(|error| error.to_string());
        let (mut encrypted, mut text) = (file(&scratch.encrypted)?, file(&scratch.text)?);
        let algorithm = self.workload.algorithm;
        reference::is_encrypted_form(&mut encrypted, &mut text, self.form, algorithm, &self.fixtures)
    }

    fn decrypted_is_right(&self, scratch: &ScratchFiles) -> Result<(), String> {
        let [mut decrypted, mut text] = [&scratch.decrypted.file, &scratch.text.file];
        rewind(decrypted).and_then(|()| rewind(text)).map_err(|error| error.to_string())?;
        reference::same(&mut decrypted, &mut text)
    }

    fn fail_all(&mut self, error: &WorkerError) {
        self.operations.iter_mut().for_each(|kept| kept.series.fail(error));
    }
}
