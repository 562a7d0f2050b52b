//! Starts and controls the process of a worker, which holds one library in one acceleration state.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::child::{ChildProcess, excerpt};
use super::protocol::{MAX_LINE, Refusal, WorkerAnswer};
use crate::own_program;
use kasoku_libraries::command::refusal;
use kasoku_libraries::interruption::{self, Silence};
use kasoku_libraries::jvm::{self, JvmSetting};
use kasoku_libraries::{LibraryEntry, Switch, remove_switches};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Omission, Reason};
use kasoku_model::level::Level;

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
    /// acceleration state. `options` are further arguments.
    pub(crate) fn start(name: &WorkerName, options: &[&str]) -> Result<WorkerProcess, WorkerError> {
        let mut command = WorkerProcess::command()?;
        command.args(arguments(name)).args(options).stderr(Stdio::piped());
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
        // An unsolicited line taken for an answer would shift all later ones.
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
                Refusal::Unavailable { unavailable: why, install } => WorkerError::Unavailable { why, install },
                Refusal::Unsupported { unsupported } => WorkerError::Unsupported(unsupported),
                Refusal::Error { error } => WorkerError::Failed(error),
            }),
            Err(_) => Err(self.stopped(WorkerError::Nonsense(excerpt(&line)))),
        }
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

fn arguments(name: &WorkerName) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        vec!["worker".into(), name.entry.name.into(), "--acceleration".into(), name.acceleration.name().into()];
    if let Some(library) = &name.library_file {
        arguments.push("--library-file".into());
        arguments.push(library.into());
    }
    if let Some(jvm) = &name.jvm {
        arguments.extend(["--java".into(), jvm.runtime.java.clone().into()]);
        arguments.extend(["--classes".into(), jvm.classes.folder().into()]);
        arguments.extend(["--warm-up".into(), jvm.warm_up.as_millis().to_string().into()]);
        arguments.extend(jvm.flags.iter().map(|flag| format!("--jvm-flag={flag}").into()));
    }
    arguments
}
