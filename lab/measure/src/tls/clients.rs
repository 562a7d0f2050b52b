//! The draining clients, one on each core that is theirs, as the laboratory sees them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::client::lines::{Answer, Request};
use crate::own_program;
use kasoku_libraries::interruption;

/// A client process. Dropped, it is ended.
pub(super) struct ClientProcess {
    child: Child,
    input: ChildStdin,
    lines: Receiver<std::io::Result<String>>,
}

impl ClientProcess {
    /// Starts one on `core`.
    ///
    /// # Errors
    /// If it cannot be started or cannot work.
    pub(super) fn start(core: usize) -> Result<ClientProcess, String> {
        let failed = |error: std::io::Error| format!("the client could not be started: {error}");
        let mut command = own_program::again().map_err(failed)?;
        command.args(["tls-client", "--cores", &core.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        for variable in kasoku_libraries::SWITCH_VARIABLES.iter().chain(&["OPENSSL_CONF", "OPENSSL_MODULES"]) {
            command.env_remove(variable);
        }
        // A group of its own: Ctrl-C reaches the laboratory alone.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the client's pipes are missing".to_owned());
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut client = ClientProcess { child, input, lines };
        client.ask(&Request::Check)?;
        client.answer(Instant::now() + Duration::from_secs(10), &mut || ())?;
        Ok(client)
    }

    /// Its number.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks without waiting for the answer.
    ///
    /// # Errors
    /// If it is gone.
    pub(super) fn ask(&mut self, request: &Request) -> Result<(), String> {
        let mut line = serde_json::to_vec(request).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let written = self.input.write_all(&line).and_then(|()| self.input.flush());
        written.map_err(|_| "the client has ended".to_owned())
    }

    /// Waits for the answer, and calls `meanwhile` every now and then.
    ///
    /// # Errors
    /// What the client says went wrong, or that it does not answer.
    pub(super) fn answer(&mut self, until: Instant, meanwhile: &mut dyn FnMut()) -> Result<Answer, String> {
        const NOW_AND_THEN: Duration = Duration::from_millis(50);
        loop {
            match self.lines.recv_timeout(NOW_AND_THEN) {
                Ok(Ok(line)) => {
                    let answer: Answer =
                        serde_json::from_str(&line).map_err(|_| "the client answered nonsense".to_owned())?;
                    return match answer.error {
                        Some(why) => Err(why),
                        None => Ok(answer),
                    };
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err("the client has ended".to_owned()),
                Err(RecvTimeoutError::Timeout) if interruption::is_wanted() => {
                    let _ = self.child.kill(); // as below
                    return Err("it was stopped".to_owned());
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    let _ = self.child.kill(); // it may have ended by itself meanwhile
                    return Err("the client did not answer and was ended".to_owned());
                }
                Err(RecvTimeoutError::Timeout) => meanwhile(),
            }
        }
    }
}

impl Drop for ClientProcess {
    fn drop(&mut self) {
        let _ = self.child.kill(); // fails only if it is gone already
        let _ = self.child.wait();
    }
}
