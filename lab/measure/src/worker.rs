//! A worker whose process is restarted when it dies.
//!
//! The worker repeats the lost request once, so a single death costs nothing. Two deaths in a row fail the series of
//! that request, but no other series.

use std::time::Duration;

use serde::de::DeserializeOwned;

use super::protocol::{Slice, WorkerRequest};
use super::worker_process::{WorkerError, WorkerName, WorkerProcess};
use kasoku_libraries::LibraryDescription;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::document::{FoundLibrary, Omission, Reason};
use kasoku_model::level::Level;

/// Maximum number of times that a worker's process may die in a run.
const MAX_DEATHS: u32 = 24;
/// Maximum time to answer a request, in addition to the time for its bytes.
const LIMIT: Duration = Duration::from_secs(8);
/// Lower bound for the speed of a cipher, in bytes per second.
const SLOWEST: f64 = 500_000.0;
/// Upper bound for the duration of one operation of a benchmark suite, in seconds.
const SLOWEST_SUITE: f64 = 60.0;

pub struct Worker {
    pub name: WorkerName,
    /// Library that the worker holds, as it describes itself.
    pub library: FoundLibrary,
    /// The running process, or the reason why there is none.
    process: Result<WorkerProcess, WorkerError>,
    deaths: u32,
    /// Error of a process that died on a request which a new process then answered. [`Worker::take_death`] takes it.
    survived_death: Option<WorkerError>,
}

/// Starts a worker for each of `names`. Returns the workers and the reasons why others are missing. The last value
/// tells whether one failed for another reason than a missing library file.
pub fn start_all(level: Level, names: &[WorkerName]) -> (Vec<Worker>, Vec<Omission>, bool) {
    let mut omissions: Vec<Omission> = Vec::new();
    let mut workers = Vec::new();
    let mut has_failed = false;
    for name in names {
        let error = match Worker::start(name.clone()) {
            Ok(worker) => {
                workers.push(worker);
                continue;
            }
            Err(error) => error,
        };
        let mut omission = name.left_out(level, error.to_string());
        if let WorkerError::Unavailable { install, .. } = error {
            omission.reason = install.is_some().then_some(Reason::NotInstalled);
            omission.install = install;
        } else {
            has_failed = true;
        }
        if !omissions.contains(&omission) {
            omissions.push(omission);
        }
    }
    (workers, omissions, has_failed)
}

impl Worker {
    /// Starts the worker and lets it describe its library. If the process dies during that, tries once more.
    pub fn start(name: WorkerName) -> Result<Worker, WorkerError> {
        match Worker::start_once(name.clone()) {
            Err(death) if death.is_death() => Ok(Worker { survived_death: Some(death), ..Worker::start_once(name)? }),
            started => started,
        }
    }

    fn start_once(name: WorkerName) -> Result<Worker, WorkerError> {
        let mut worker = WorkerProcess::start(&name, &[])?;
        let LibraryDescription { mut version, cpu_features, loaded_from } =
            worker.ask(&WorkerRequest::Describe, LIMIT * 2)?;
        // Builds of one version from different files are different libraries.
        if let Some(library) = &name.library_file {
            version.push_str(&format!(" from {}", library.display()));
        }
        let (library, acceleration) = (name.entry.name.to_owned(), Some(name.acceleration));
        let library = FoundLibrary { library, version, acceleration, cpu_features, loaded_from };
        Ok(Worker { name, library, process: Ok(worker), deaths: 0, survived_death: None })
    }

    /// Ends the process and starts a new one, unless the process has died too often.
    pub(crate) fn renew(&mut self) {
        if self.deaths < MAX_DEATHS {
            // Ends the old process before the new one starts.
            self.process = Err(WorkerError::Ended("is being restarted".to_owned()));
            self.process = WorkerProcess::start(&self.name, &[]);
        }
    }

    /// Sends `request`. If the process dies of it, sends it once more to a new process.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &WorkerRequest) -> Result<T, WorkerError> {
        let limit = answer_limit(request) + self.name.warm_up();
        self.with_process(|worker| worker.ask(request, limit))
    }

    /// Calls `work` with the process. If the process dies during that, calls it once more with a new process.
    pub(crate) fn with_process<T>(
        &mut self,
        mut work: impl FnMut(&mut WorkerProcess) -> Result<T, WorkerError>,
    ) -> Result<T, WorkerError> {
        match self.try_with_process(&mut work) {
            Err(death) if death.is_death() && self.process.is_ok() => {
                let again = self.try_with_process(&mut work);
                if !again.as_ref().is_err_and(WorkerError::is_fatal) {
                    self.survived_death = Some(death);
                }
                again
            }
            result => result,
        }
    }

    /// Takes the error of the last process that died on a request, if a new process then answered that request.
    pub(crate) fn take_death(&mut self) -> Option<WorkerError> {
        self.survived_death.take()
    }

    fn try_with_process<T>(
        &mut self,
        work: &mut impl FnMut(&mut WorkerProcess) -> Result<T, WorkerError>,
    ) -> Result<T, WorkerError> {
        let worker = self.process.as_mut().map_err(|reason| reason.clone())?;
        let result = work(worker);
        if let Err(error) = &result
            && error.is_fatal()
        {
            self.deaths += 1;
            self.process = Err(WorkerError::Ended(format!("died too often, the last time with \"{error}\"")));
            self.renew();
        }
        result
    }
}

pub(crate) fn answer_limit(request: &WorkerRequest) -> Duration {
    let (workload, iterations, seconds) = match request {
        WorkerRequest::Describe => return LIMIT,
        WorkerRequest::Ready(workload, _) => (workload, 1, 0.0),
        WorkerRequest::Slice(Slice { workload, iterations, .. }) => (workload, (*iterations).clamp(1, 1000), 0.0),
        WorkerRequest::Once(workload, _) => (workload, 1, 0.0),
        WorkerRequest::OwnClock(workload, seconds) => (workload, 1, seconds.clamp(0.0, 3600.0)),
    };
    // Warm-up, timing and check together take at most three times the requested operations.
    let bytes = workload.bytes as f64 * iterations as f64;
    let is_suite = workload.algorithm.kind() == AlgorithmKind::Suite;
    let suite = if is_suite { SLOWEST_SUITE * iterations as f64 } else { 0.0 };
    let work = 3.0 * bytes / SLOWEST;
    // File sizes are unbounded; all other work comes in pieces of bounded length.
    let is_file = matches!(request, WorkerRequest::Slice(Slice { file: Some(_), .. }));
    let work = if is_file { work } else { work.min(600.0) };
    LIMIT + Duration::from_secs_f64((3.0 * seconds) + work + suite.min(1200.0))
}
