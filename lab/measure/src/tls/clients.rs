//! The draining clients, one on each core that is theirs, as the laboratory sees them.

use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::client::lines::{ClientAnswer, ClientRequest};
use crate::child::ChildProcess;
use crate::own_program;
use kasoku_libraries::interruption;

/// A client process. One that dies, or does not answer as it must, makes room for another at once: what it was asked
/// fails, and what comes next may begin too soon to wait for a start. Dropped, it is ended.
pub(super) struct ClientProcess {
    core: usize,
    child: ChildProcess,
    lines: Receiver<String>,
}

impl ClientProcess {
    /// Starts one on `core`.
    ///
    /// # Errors
    /// If it cannot be started or cannot work.
    pub(super) fn start(core: usize) -> Result<ClientProcess, String> {
        let failed = |error: std::io::Error| format!("cannot start the client: {error}");
        let mut command = own_program::again().map_err(failed)?;
        command.args(["tls-client", "--cores", &core.to_string()]);
        command.stderr(Stdio::null());
        kasoku_libraries::remove_switches(&mut command);
        command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
        let (sender, lines) = sync_channel(1);
        let child =
            ChildProcess::start(&mut command, usize::MAX, move |line| sender.send(line).is_ok()).map_err(failed)?;
        let mut client = ClientProcess { core, child, lines };
        client.say(&ClientRequest::Check)?;
        match client.hear(Instant::now() + Duration::from_secs(10), &mut || ())?.error {
            Some(why) => Err(why),
            None => Ok(client),
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks without waiting for the answer.
    ///
    /// # Errors
    /// If it is gone.
    pub(super) fn ask(&mut self, request: &ClientRequest) -> Result<(), String> {
        self.say(request).map_err(|why| self.replace(why))
    }

    /// Waits for the answer, and calls `meanwhile` every now and then.
    ///
    /// # Errors
    /// What the client says went wrong, or that it does not answer.
    pub(super) fn answer(&mut self, until: Instant, meanwhile: &mut dyn FnMut()) -> Result<ClientAnswer, String> {
        let answer = self.hear(until, meanwhile).map_err(|why| self.replace(why))?;
        match answer.error {
            Some(why) => Err(why),
            None => Ok(answer),
        }
    }

    /// Starts another in its place; if that cannot be now, the next request tries again. Gives back `why`.
    fn replace(&mut self, why: String) -> String {
        self.child.end();
        if !interruption::is_wanted()
            && let Ok(other) = ClientProcess::start(self.core)
        {
            *self = other;
        }
        why
    }

    fn say(&mut self, request: &ClientRequest) -> Result<(), String> {
        self.child.say(request).map_err(|_| format!("the client {}", self.child.ended()))
    }

    /// Whatever it answers. An error is that of a client that can no longer be used.
    fn hear(&mut self, until: Instant, meanwhile: &mut dyn FnMut()) -> Result<ClientAnswer, String> {
        const NOW_AND_THEN: Duration = Duration::from_millis(50);
        loop {
            match self.lines.recv_timeout(NOW_AND_THEN) {
                Ok(line) if line.ends_with('\n') => {
                    return serde_json::from_str(&line).map_err(|_| "the client sent an invalid answer".to_owned());
                }
                Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("the client {}", self.child.ended()));
                }
                Err(RecvTimeoutError::Timeout) if interruption::is_wanted() => return Err("stopped".to_owned()),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    return Err("the client did not answer and was stopped".to_owned());
                }
                Err(RecvTimeoutError::Timeout) => meanwhile(),
            }
        }
    }
}
