//! The draining clients, one on each core that is theirs, as the laboratory sees them.

use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::client::lines::{ClientAnswer, ClientRequest};
use crate::child::ChildProcess;
use crate::own_program;
use kasoku_libraries::interruption;

/// A client process. Dropped, it is ended.
pub(super) struct ClientProcess {
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
        for variable in kasoku_libraries::SWITCH_VARIABLES.iter().chain(&["OPENSSL_CONF", "OPENSSL_MODULES"]) {
            command.env_remove(variable);
        }
        let (sender, lines) = sync_channel(1);
        let child =
            ChildProcess::start(&mut command, usize::MAX, move |line| sender.send(line).is_ok()).map_err(failed)?;
        let mut client = ClientProcess { child, lines };
        client.ask(&ClientRequest::Check)?;
        client.answer(Instant::now() + Duration::from_secs(10), &mut || ())?;
        Ok(client)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks without waiting for the answer.
    ///
    /// # Errors
    /// If it is gone.
    pub(super) fn ask(&mut self, request: &ClientRequest) -> Result<(), String> {
        self.child.say(request).map_err(|_| "the client has ended".to_owned())
    }

    /// Waits for the answer, and calls `meanwhile` every now and then.
    ///
    /// # Errors
    /// What the client says went wrong, or that it does not answer.
    pub(super) fn answer(&mut self, until: Instant, meanwhile: &mut dyn FnMut()) -> Result<ClientAnswer, String> {
        const NOW_AND_THEN: Duration = Duration::from_millis(50);
        loop {
            match self.lines.recv_timeout(NOW_AND_THEN) {
                Ok(line) if line.ends_with('\n') => {
                    let answer: ClientAnswer =
                        serde_json::from_str(&line).map_err(|_| "the client sent an invalid answer".to_owned())?;
                    return match answer.error {
                        Some(why) => Err(why),
                        None => Ok(answer),
                    };
                }
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return Err("the client has ended".to_owned()),
                Err(RecvTimeoutError::Timeout) if interruption::is_wanted() => {
                    self.child.end();
                    return Err("stopped".to_owned());
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    self.child.end();
                    return Err("the client did not answer and was stopped".to_owned());
                }
                Err(RecvTimeoutError::Timeout) => meanwhile(),
            }
        }
    }
}
