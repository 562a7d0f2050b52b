//! The leader's end of the connection to `kasoku host` on another host.
//!
//! A host that cannot be reached, ends, does not answer in time or answers nonsense is lost, and stays lost.

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

/// How long a launcher may take until `kasoku host` says hello.
const REACHING: Duration = Duration::from_secs(60);
/// How long an answer without work may take.
pub const SOON: Duration = Duration::from_secs(10);
/// Maximum number of lines that a login shell may print before the first answer.
const MAX_GREETING: usize = 200;

/// A host on which `kasoku host` runs. Dropping it ends everything there. Errors are sentences that name the host.
pub struct HostConnection {
    pub name: String,
    pub description: HostDescription,
    child: ChildProcess,
    answers: Receiver<String>,
    lost: Option<String>,
}

impl HostConnection {
    /// Reaches the host `name` through `launcher`; `program` is the path of `kasoku` there.
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

    /// Waits at most `limit` for an answer or a sign of life.
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

    /// Gives up the host, for the reason `why`, which follows its name. Returns the sentence of `lost`.
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
