//! The laboratory's side: a child process that holds one library in one acceleration state.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::line::Line;
use super::protocol::{Answer, MAX_LINE, Request};
use crate::own_program;
use kasoku_libraries::interruption::{self, Silence};
use kasoku_libraries::jvm::{self, Setting};
use kasoku_libraries::{Entry, SWITCH_VARIABLES, Switch};
use kasoku_model::acceleration::Acceleration;

/// How much of what a worker prints on standard error is kept.
const KEPT_ERROR_TEXT: usize = 4096;

/// Which worker: a library, a library file for it, an acceleration state.
#[derive(Clone)]
pub struct WorkerName {
    /// The library.
    pub entry: &'static Entry,
    /// The library file, if not the system's.
    pub library_file: Option<PathBuf>,
    /// The state.
    pub acceleration: Acceleration,
    /// The virtual machine it runs in, for libraries that need one; absent, and the first that is found is taken.
    pub jvm: Option<Setting>,
}

impl WorkerName {
    /// The system's own build of the library `entry` in that state.
    pub fn new(entry: &'static Entry, acceleration: Acceleration) -> WorkerName {
        WorkerName { entry, library_file: None, acceleration, jvm: None }
    }

    /// For messages: `openssl (off)`, `sunjce in JDK 17.0.15 (on)`.
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

    /// How long a workload may be warmed up there before it is timed.
    pub fn warm_up(&self) -> Duration {
        let longest = self.jvm.as_ref().map(|jvm| jvm.warm_up);
        longest.unwrap_or(if self.entry.program.is_some() { jvm::WARM_UP } else { Duration::ZERO })
    }
}

/// Why a worker gave no figure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorkerError {
    /// It could not be started.
    #[error("the worker could not be started: {0}")]
    Start(String),
    /// It ended.
    #[error("the worker {0}")]
    Ended(String),
    /// It gave no answer in time and was ended.
    #[error("no answer within {0} seconds; the worker was ended")]
    TimedOut(u64),
    /// The laboratory was asked to stop while it waited for an answer.
    #[error("it was stopped")]
    Interrupted,
    /// It answered something else than an answer, and was ended.
    #[error("the worker answered nonsense: {0}")]
    Nonsense(String),
    /// It said that the work failed.
    #[error("{0}")]
    Failed(String),
    /// It has no such workload.
    #[error("{0}")]
    Unsupported(String),
    /// The library cannot be opened here.
    #[error("{why}")]
    Unavailable {
        /// Why.
        why: String,
        /// What would install it.
        install: Option<String>,
    },
}

impl WorkerError {
    /// Whether the process is gone, so that a new one is needed.
    pub fn is_fatal(&self) -> bool {
        matches!(
            self,
            WorkerError::Start(_)
                | WorkerError::Ended(_)
                | WorkerError::TimedOut(_)
                | WorkerError::Interrupted
                | WorkerError::Nonsense(_)
        )
    }
}

/// A running worker. Dropped, its process is ended.
pub struct WorkerProcess {
    child: Child,
    input: ChildStdin,
    lines: Receiver<std::io::Result<String>>,
    error_text: Arc<Mutex<Vec<u8>>>,
    /// Reads standard error until its end.
    error_reader: JoinHandle<()>,
}

impl WorkerProcess {
    /// Starts the worker `name`: this program again, as `kasoku worker LIBRARY`, in the environment of the state.
    ///
    /// # Errors
    /// [`WorkerError::Start`] if the process cannot be started.
    pub fn start(name: &WorkerName) -> Result<WorkerProcess, WorkerError> {
        if interruption::is_wanted() {
            return Err(WorkerError::Interrupted);
        }
        let failed = |error: std::io::Error| WorkerError::Start(error.to_string());
        let mut command = own_program::again().map_err(failed)?;
        command.args(arguments(name)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for variable in SWITCH_VARIABLES {
            command.env_remove(variable);
        }
        if let Switch::Environment(variables) = (name.entry.switch)(name.acceleration) {
            command.envs(variables);
        }
        // A group of its own: Ctrl-C reaches the laboratory alone; its workers die with it (see `cmd::worker`).
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(WorkerError::Start("its pipes are missing".to_owned()));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = String::new();
                let read = (&mut output).take(MAX_LINE as u64).read_line(&mut line);
                let is_last = !matches!(read, Ok(1..)) || !line.ends_with('\n');
                if sender.send(read.map(|_| line)).is_err() || is_last {
                    return;
                }
            }
        });
        let error_text = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&error_text);
        let error_reader = std::thread::spawn(move || keep_last(errors, &kept));
        Ok(WorkerProcess { child, input, lines, error_text, error_reader })
    }

    /// Asks `request` and waits at most `limit` for the answer, which must be a `T`.
    ///
    /// # Errors
    /// Any [`WorkerError`] but `Start`. After one that [is fatal](WorkerError::is_fatal) the process has been ended.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &Request, limit: Duration) -> Result<T, WorkerError> {
        let mut line =
            serde_json::to_vec(&Line::from(request)).map_err(|error| WorkerError::Failed(error.to_string()))?;
        line.push(b'\n');
        if self.input.write_all(&line).and_then(|()| self.input.flush()).is_err() {
            return Err(self.ended());
        }
        let line = match interruption::receive(&self.lines, limit) {
            Ok(Ok(line)) if line.ends_with('\n') => line,
            Ok(Ok(line)) if line.len() >= MAX_LINE => {
                self.end();
                return Err(WorkerError::Nonsense("a line without an end".to_owned()));
            }
            Ok(_) | Err(Silence::Ended) => return Err(self.ended()),
            Err(Silence::TimedOut) => {
                self.end();
                return Err(WorkerError::TimedOut(limit.as_secs()));
            }
            Err(Silence::Interrupted) => {
                self.end();
                return Err(WorkerError::Interrupted);
            }
        };
        match serde_json::from_str(&line) {
            Ok(Answer::Done(done)) => Ok(done),
            Ok(Answer::Unavailable { unavailable: why, install }) => Err(WorkerError::Unavailable { why, install }),
            Ok(Answer::Unsupported { unsupported }) => Err(WorkerError::Unsupported(unsupported)),
            Ok(Answer::Error { error }) => Err(WorkerError::Failed(error)),
            Err(_) => {
                self.end();
                Err(WorkerError::Nonsense(excerpt(&line)))
            }
        }
    }

    fn ended(&mut self) -> WorkerError {
        // Its output has ended, so it is ending; one that closed its output and lives on is ended.
        let deadline = std::time::Instant::now() + Duration::from_secs(1);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if std::time::Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
                _ => break None,
            }
        };
        self.end();
        // What it said last is read by another thread, unless a child of its own keeps its standard error open.
        while !self.error_reader.is_finished() && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        let how = status.map_or_else(|| "closed its output".to_owned(), |status| ending(&status));
        let text = self.error_text.lock().unwrap_or_else(PoisonError::into_inner);
        let last = String::from_utf8_lossy(&text).lines().rfind(|line| !line.trim().is_empty()).map(excerpt);
        WorkerError::Ended(match last {
            Some(line) => format!("{how}: {line}"),
            None => how,
        })
    }

    fn end(&mut self) {
        // With what it started itself; while it was not waited for, nobody else has its number.
        #[cfg(unix)]
        if let (Ok(None), Some(group)) = (self.child.try_wait(), group_of(&self.child)) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL); // gone meanwhile
        }
        let _ = self.child.kill(); // fails only if it is gone already
        let _ = self.child.wait();
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// Its group, which it leads.
#[cfg(unix)]
fn group_of(child: &Child) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
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

fn keep_last(mut errors: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 1024];
    while let Ok(read @ 1..) = errors.read(&mut chunk) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&chunk[..read]);
        let excess = kept.len().saturating_sub(KEPT_ERROR_TEXT);
        kept.drain(..excess);
    }
}

/// A line of somebody else's, short and without control characters.
fn excerpt(line: &str) -> String {
    line.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(160).collect()
}

#[cfg(unix)]
pub(crate) fn ending(status: &ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(libc::SIGILL), _) => "was ended by SIGILL: it ran an instruction this CPU does not have".to_owned(),
        (Some(libc::SIGSEGV), _) => "was ended by SIGSEGV".to_owned(),
        (Some(libc::SIGABRT), _) => "aborted".to_owned(),
        (Some(libc::SIGKILL), _) => "was killed (SIGKILL)".to_owned(),
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, Some(code)) => format!("ended with exit status {code}"),
        (None, None) => "ended".to_owned(),
    }
}

#[cfg(not(unix))]
pub(crate) fn ending(status: &ExitStatus) -> String {
    format!("ended with {status}")
}
