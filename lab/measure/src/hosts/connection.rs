//! Connects the leader of a run to `kasoku host` on another host.
//!
//! A host is lost if it cannot be reached, ends, does not answer in time or sends an invalid answer. It stays lost for
//! the rest of the run.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::launcher::Launcher;
use super::protocol::{HostAnswer, HostDescription, HostRequest, MAX_ANSWER, shown};
use crate::child::ChildProcess;
use crate::own_program;
use kasoku_libraries::command::refusal;
use kasoku_libraries::interruption::{self, Silence};

/// Maximum time from starting a launcher until `kasoku host` sends its first line.
const REACHING: Duration = Duration::from_secs(60);
/// Maximum time for an answer to a request that needs no work.
pub const SOON: Duration = Duration::from_secs(10);
/// Maximum number of lines that a login shell may print before `kasoku host` answers; these lines are skipped.
const MAX_GREETING: usize = 200;

/// A connection to a host on which `kasoku host` runs. Dropping it ends all processes of Kasoku there. Errors are
/// sentences that name the host.
pub struct HostConnection {
    pub name: String,
    pub description: HostDescription,
    child: ChildProcess,
    answers: Receiver<String>,
    lost: Option<String>,
}

impl HostConnection {
    /// Starts `kasoku host` on the host `name` through `launcher`. `program` is the path of `kasoku` on that host.
    pub fn open(launcher: &Launcher, name: &str, program: Option<&Path>) -> Result<HostConnection, String> {
        let command = launcher.command(name, program).map_err(|error| format!("{name}: {error}"))?;
        HostConnection::start(name, command)
    }

    /// Starts `kasoku host` on this host, without a launcher.
    pub fn open_here() -> Result<HostConnection, String> {
        let mut command = own_program::command().map_err(|error| error.to_string())?;
        command.arg("host");
        HostConnection::start("this host", command)
    }

    fn start(name: &str, mut command: Command) -> Result<HostConnection, String> {
        let program = command.get_program().to_string_lossy().into_owned();
        let failed = |error: std::io::Error| format!("{name}: cannot start {program}: {}", refusal(&error));
        command.stderr(Stdio::piped());
        kasoku_libraries::remove_switches(&mut command);
        let (child, answers) = ChildProcess::start_with_lines(&mut command, MAX_ANSWER).map_err(failed)?;
        let description = HostDescription::default();
        let mut host = HostConnection { name: name.to_owned(), description, child, answers, lost: None };
        host.description = host.hear_hello()?;
        Ok(host)
    }

    fn hear_hello(&mut self) -> Result<HostDescription, String> {
        let end = Instant::now() + REACHING;
        for _ in 0..MAX_GREETING {
            let line = self.line(end.saturating_duration_since(Instant::now()))?;
            if let Ok(HostAnswer::<()>::Hello(description)) = serde_json::from_str(&line) {
                return description.check().map(|()| description).map_err(|why| format!("{} {why}", self.name));
            }
        }
        Err(self.lose("did not start kasoku host"))
    }

    pub(crate) fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    pub(crate) fn ask<T: DeserializeOwned>(&mut self, request: &HostRequest, limit: Duration) -> Result<T, String> {
        self.send(request)?;
        self.receive(limit)
    }

    pub fn send(&mut self, request: &HostRequest) -> Result<(), String> {
        if let Some(why) = &self.lost {
            return Err(why.clone());
        }
        if self.answers.try_recv().is_ok() {
            return Err(self.lose("answered without being asked"));
        }
        self.child.say(request).map_err(|_| self.ended())
    }

    pub(crate) fn receive<T: DeserializeOwned>(&mut self, limit: Duration) -> Result<T, String> {
        match self.hear(limit)? {
            HostAnswer::Done(done) => Ok(done),
            _ => Err(self.lose("sent an invalid answer")),
        }
    }

    /// Waits at most `limit` for an answer or a progress report.
    pub fn hear<T: DeserializeOwned>(&mut self, limit: Duration) -> Result<HostAnswer<T>, String> {
        if let Some(why) = &self.lost {
            return Err(why.clone());
        }
        let line = self.line(limit)?;
        match serde_json::from_str(&line) {
            Ok(HostAnswer::Failed(why)) => Err(format!("{}: {}", self.name, shown(&why))),
            Ok(answer) => Ok(answer),
            Err(_) => Err(self.lose("sent an invalid answer")),
        }
    }

    /// Marks the host as lost for the reason `why`, which follows the host's name. Returns the sentence that says so.
    pub fn lose(&mut self, why: &str) -> String {
        self.child.end();
        let why = format!("{} {why}", self.name);
        self.lost.get_or_insert(why).clone()
    }

    fn line(&mut self, limit: Duration) -> Result<String, String> {
        match interruption::receive(&self.answers, limit) {
            Ok(line) if line.ends_with('\n') => Ok(line),
            Ok(line) if line.len() >= MAX_ANSWER => Err(self.lose("sent a line that is too long")),
            Ok(_) | Err(Silence::Ended) => Err(self.ended()),
            Err(Silence::TimedOut) => Err(self.lose(&format!("did not answer within {} s", limit.as_secs().max(1)))),
            Err(Silence::Interrupted) => Err("stopped".to_owned()),
        }
    }

    fn ended(&mut self) -> String {
        let how = self.child.ended();
        self.lose(&how)
    }
}
