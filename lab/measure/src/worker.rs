//! Workers: child processes that hold one library in one acceleration state.
//!
//! A worker's process is restarted when it dies. The worker repeats the lost request once, so a single death costs
//! nothing. Two deaths in a row fail the series of that request, but no other series.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::child::{ChildProcess, excerpt};
use super::protocol::{
    MAX_LINE, PROTOCOL, Refusal, Slice, TimedWorkload, WorkerAnswer, WorkerDescription, WorkerRequest,
};
use crate::own_program;
use kasoku_libraries::command::refusal;
use kasoku_libraries::fixtures::Fixtures;
use kasoku_libraries::interruption::{self, Silence};
use kasoku_libraries::jvm::{self, JvmSetting};
use kasoku_libraries::{LibraryDescription, LibraryEntry, Switch, remove_switches};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::document::{FoundLibrary, Omission, Reason};
use kasoku_model::level::Level;
use kasoku_model::printable::printable;

/// Maximum number of times that a worker's process may die in a run.
const MAX_DEATHS: u32 = 24;
/// Maximum time to answer a request, in addition to the time for its bytes.
const LIMIT: Duration = Duration::from_secs(8);
/// Lower bound for the speed of a cipher, in bytes per second.
const SLOWEST: f64 = 500_000.0;
/// Upper bound for the duration of one operation of a benchmark suite, in seconds.
const SLOWEST_SUITE: f64 = 60.0;

/// Identifies a worker by its library, the library's file and an acceleration state.
#[derive(Clone)]
pub struct WorkerName {
    pub entry: &'static LibraryEntry,
    /// Path of the library file; `None` for the system's library.
    pub library_file: Option<PathBuf>,
    pub acceleration: Acceleration,
    /// Java virtual machine for libraries that need one; `None` takes the first that is found.
    pub jvm: Option<JvmSetting>,
}

impl WorkerName {
    /// Names the worker for the system's build of the library `entry` in an acceleration state.
    pub fn new(entry: &'static LibraryEntry, acceleration: Acceleration) -> WorkerName {
        WorkerName { entry, library_file: None, acceleration, jvm: None }
    }

    /// Returns the omission that says why this worker is not measured at `level`.
    pub(crate) fn left_out(&self, level: Level, why: String) -> Omission {
        let (library, acceleration) = (self.entry.name.to_owned(), Some(self.acceleration));
        Omission { library, acceleration, ..Omission::new(level, why) }
    }

    /// Returns the omission that says why the library does not have `algorithm`.
    pub(crate) fn lacks(&self, level: Level, algorithm: Algorithm, why: String) -> Omission {
        let (algorithm, reason) = (Some(algorithm.name().to_owned()), Some(Reason::Unsupported));
        Omission { algorithm, reason, ..self.left_out(level, why) }
    }

    /// Returns the worker's name in messages: `openssl (off)`, `sunjce in JDK 17.0.15 (on)`.
    pub fn label(&self) -> String {
        let mut label = self.entry.name.to_owned();
        if let Some(path) = &self.library_file {
            label.push_str(&format!(" {}", path.display()));
        }
        if let Some(jvm) = &self.jvm {
            label.push_str(&format!(" in JDK {}", jvm.runtime.version));
        }
        let flags = self.jvm.iter().flat_map(|jvm| &jvm.flags).map(|flag| format!(" {flag}"));
        format!("{label} ({}){}", self.acceleration, flags.collect::<String>())
    }

    /// Maximum duration of the warm-up of a workload.
    pub fn warm_up(&self) -> Duration {
        let longest = self.jvm.as_ref().map(|jvm| jvm.warm_up);
        longest.unwrap_or(if self.entry.program.is_some() { jvm::WARM_UP } else { Duration::ZERO })
    }
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorkerError {
    #[error("cannot start the worker: {0}")]
    Start(String),
    #[error("the worker {0}")]
    Ended(String),
    /// No answer came within this many seconds, and the process was ended.
    #[error("no answer within {0} seconds; the worker was stopped")]
    TimedOut(u64),
    /// The user stopped the laboratory during the wait.
    #[error("stopped")]
    Interrupted,
    /// The answer was invalid, and the process was ended.
    #[error("the worker sent an invalid answer: {0}")]
    Nonsense(String),
    /// The worker reports that the work failed.
    #[error("{0}")]
    Failed(String),
    #[error("{0}")]
    Unsupported(String),
    #[error("{why}")]
    Unavailable { why: String, install: Option<String> },
}

impl WorkerError {
    /// Whether the process is gone, so that a new one is needed.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, WorkerError::Failed(_) | WorkerError::Unsupported(_) | WorkerError::Unavailable { .. })
    }

    /// Whether the process died of the request: it ended, or its answer was invalid. Another attempt may succeed.
    pub fn is_death(&self) -> bool {
        matches!(self, WorkerError::Ended(_) | WorkerError::Nonsense(_))
    }

    /// Describes the error of a process that is no worker but `what`: a client or a server.
    #[cfg(target_os = "linux")]
    pub(crate) fn sentence(self, what: &str) -> String {
        match self {
            WorkerError::Start(why) => format!("cannot start the {what}: {why}"),
            WorkerError::Ended(how) => format!("the {what} {how}"),
            WorkerError::TimedOut(_) => format!("the {what} did not answer and was stopped"),
            WorkerError::Nonsense(_) => format!("the {what} sent an invalid answer"),
            other => other.to_string(),
        }
    }
}

/// A running worker. Dropping it ends the process.
pub(crate) struct WorkerProcess {
    child: ChildProcess,
    lines: Receiver<String>,
}

impl WorkerProcess {
    /// Starts the worker `name`, as the command `kasoku worker LIBRARY` of this program, with the environment of its
    /// acceleration state. `options` are further arguments. A user-written worker replaces that command.
    pub(crate) fn start(name: &WorkerName, options: &[&str]) -> Result<WorkerProcess, WorkerError> {
        let mut command = WorkerProcess::command()?;
        command.args(["worker", name.entry.name, "--acceleration", name.acceleration.name()]).stderr(Stdio::piped());
        if let Some(library) = &name.library_file {
            command.arg("--library-file").arg(library);
        }
        if let Some(jvm) = &name.jvm {
            command.arg("--java").arg(&jvm.runtime.java).arg("--classes").arg(jvm.classes.folder());
            command.args(["--warm-up", &jvm.warm_up.as_millis().to_string()]);
            command.args(jvm.flags.iter().map(|flag| format!("--jvm-flag={flag}")));
        }
        command.args(options);
        if name.entry.is_foreign() {
            command.arg("--").args(name.entry.command);
        }
        if let Switch::Environment(variables) = (name.entry.switch)(name.acceleration) {
            command.envs(variables);
        }
        WorkerProcess::spawn(command)
    }

    /// Returns a command that starts this program without the environment of any acceleration state.
    pub(crate) fn command() -> Result<Command, WorkerError> {
        let mut command = own_program::command().map_err(|error| WorkerError::Start(refusal(&error)))?;
        remove_switches(&mut command);
        Ok(command)
    }

    pub(crate) fn spawn(mut command: Command) -> Result<WorkerProcess, WorkerError> {
        if interruption::is_wanted() {
            return Err(WorkerError::Interrupted);
        }
        let started = ChildProcess::start_with_lines(&mut command, MAX_LINE);
        let (child, lines) = started.map_err(|error| WorkerError::Start(refusal(&error)))?;
        Ok(WorkerProcess { child, lines })
    }

    /// Sends `request` and waits at most `limit` for the answer, which must be a `T`. If the error [is
    /// fatal](WorkerError::is_fatal), the process has ended.
    pub(crate) fn ask<T: DeserializeOwned>(
        &mut self,
        request: &impl Serialize,
        limit: Duration,
    ) -> Result<T, WorkerError> {
        self.send(request)?;
        self.receive(limit, limit, &mut || ())
    }

    pub(crate) fn send(&mut self, request: &impl Serialize) -> Result<(), WorkerError> {
        // If an unsolicited line were taken for an answer, all later answers would be off by one.
        if let Ok(line) = self.lines.try_recv() {
            return Err(self.stopped(WorkerError::Nonsense(excerpt(&line))));
        }
        self.child.say(request).map_err(|_| WorkerError::Ended(self.child.ended()))
    }

    /// Waits at most `limit` for an answer. During the wait, calls `meanwhile` after each `interval`.
    pub(crate) fn receive<T: DeserializeOwned>(
        &mut self,
        limit: Duration,
        interval: Duration,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<T, WorkerError> {
        let until = Instant::now() + limit;
        let received = loop {
            let left = until.saturating_duration_since(Instant::now());
            match interruption::receive(&self.lines, left.min(interval)) {
                Err(Silence::TimedOut) if Instant::now() < until => meanwhile(),
                received => break received,
            }
        };
        let line = match received {
            Ok(line) if line.ends_with('\n') => line,
            Ok(line) if line.len() >= MAX_LINE => {
                return Err(self.stopped(WorkerError::Nonsense("line too long".to_owned())));
            }
            Ok(_) | Err(Silence::Ended) => return Err(WorkerError::Ended(self.child.ended())),
            Err(Silence::TimedOut) => return Err(self.stopped(WorkerError::TimedOut(limit.as_secs()))),
            Err(Silence::Interrupted) => return Err(self.stopped(WorkerError::Interrupted)),
        };
        match serde_json::from_str(&line) {
            Ok(WorkerAnswer::Done(done)) => Ok(done),
            Ok(WorkerAnswer::Refused(refusal)) => Err(match refusal {
                Refusal::Unavailable { unavailable, install } => WorkerError::Unavailable {
                    why: printable(&unavailable),
                    install: install.as_deref().map(printable),
                },
                Refusal::Unsupported { unsupported } => WorkerError::Unsupported(printable(&unsupported)),
                Refusal::Error { error } => WorkerError::Failed(printable(&error)),
            }),
            Err(_) => Err(self.stopped(WorkerError::Nonsense(excerpt(&line)))),
        }
    }

    /// Returns a line that the worker wrote without a request within `limit`.
    pub(crate) fn unsolicited_line(&self, limit: Duration) -> Option<String> {
        self.lines.recv_timeout(limit).ok().filter(|line| !line.is_empty()).map(|line| excerpt(&line))
    }

    /// Closes the worker's input. Returns whether the process ends by itself.
    pub(crate) fn ends_with_its_input(&mut self) -> bool {
        self.child.ends_with_its_input()
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn stopped(&mut self, why: WorkerError) -> WorkerError {
        self.child.end();
        why
    }
}

/// A worker whose process is restarted when it dies.
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

/// Starts a worker for each of `names`. Returns the workers, and the reasons why workers are missing. The last value
/// tells whether a worker failed for another reason than a missing library file.
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
        let WorkerDescription { protocol, library } = worker.ask(&WorkerRequest::Describe, LIMIT * 2)?;
        if protocol != PROTOCOL {
            let own = format!("the worker has version {protocol} of the protocol, and this command version {PROTOCOL}");
            return Err(WorkerError::Failed(own));
        }
        let LibraryDescription { version, cpu_features, loaded_from } = library;
        let [cpu_features, loaded_from] = [cpu_features, loaded_from].map(|text| text.as_deref().map(printable));
        let mut version = printable(&version);
        if name.entry.is_foreign() {
            version.push_str(", by a worker of its own");
        }
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

    /// Runs and times a slice of a workload in memory. Fails if the answer is impossible: more operations than
    /// requested, or more time than the laboratory waited for it.
    pub fn time(&mut self, mut slice: Slice) -> Result<TimedWorkload, WorkerError> {
        if self.name.entry.is_foreign() {
            slice.fixtures.get_or_insert_with(|| Box::new(Fixtures::of(&slice.workload)));
        }
        let begun = Instant::now();
        let timed: TimedWorkload = self.ask(&WorkerRequest::Slice(slice.clone()))?;
        timed.checked(&slice, begun.elapsed()).map_err(WorkerError::Failed)
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
        WorkerRequest::OwnClock(workload, seconds) => (workload, 1, seconds.clamp(0.0, 3600.0)),
    };
    // Warm-up, timing and check together take at most three times the requested operations.
    let bytes = workload.bytes as f64 * iterations as f64;
    let is_suite = workload.algorithm.kind() == AlgorithmKind::Suite;
    let suite = if is_suite { SLOWEST_SUITE * iterations as f64 } else { 0.0 };
    let work = 3.0 * bytes / SLOWEST;
    // File sizes are unbounded. All other requests are limited in length.
    let is_file = matches!(request, WorkerRequest::Slice(Slice { file: Some(_), .. }));
    let work = if is_file { work } else { work.min(600.0) };
    LIMIT + Duration::from_secs_f64((3.0 * seconds) + work + suite.min(1200.0))
}
