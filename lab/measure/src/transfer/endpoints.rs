//! A sender and a receiver as the laboratory sees them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::lines::{Answer, MAX_LINE, Order, Setting};
use crate::own_program;
use crate::plan::TransferCase;
use crate::worker_process::ending;
use kasoku_libraries::interruption::{self, Silence};
use kasoku_model::workload::Transfer;

/// How long connecting may take.
const CONNECTING: Duration = Duration::from_secs(20);
/// Beside what its bytes need, so long may an order take…
const PATIENCE: Duration = Duration::from_secs(20);
/// … and nothing is slower than this, in bytes a second.
const SLOWEST: f64 = 1e6;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Receiver,
    Sender,
}

/// A line that one of them said, or that it says no more.
type Said = (Side, Option<String>);

/// Both, connected. Dropped, they are ended.
pub(super) struct Endpoints {
    receiver: Process,
    sender: Process,
    said: Receiver<Said>,
    /// The most packets the sender gives the system in one call.
    pub(super) segments: Option<usize>,
}

impl Endpoints {
    /// Starts both for `case` on the cores `receiver` and `sender`, and connects them.
    ///
    /// # Errors
    /// What went wrong.
    pub(super) fn start(
        case: &TransferCase,
        transfer: Transfer,
        cores: Option<[usize; 2]>,
    ) -> Result<Endpoints, String> {
        let (sender, said) = channel();
        let until = Instant::now() + CONNECTING;
        let setting = |peer| Setting {
            library: case.library.to_owned(),
            algorithm: case.workload.algorithm,
            transport: transfer.transport.name().to_owned(),
            protection: transfer.protection.name().to_owned(),
            bytes: case.workload.bytes,
            peer,
        };
        let receiver = Process::start(Side::Receiver, cores.map(|cores| cores[0]), sender.clone())?;
        let sender = Process::start(Side::Sender, cores.map(|cores| cores[1]), sender)?;
        let mut both = Endpoints { receiver, sender, said, segments: None };
        both.receiver.say(&setting(None))?;
        let [waiting, _] = both.answers([true, false], until)?;
        let peer = waiting.peer.ok_or("the receiver does not say where it is")?;
        both.sender.say(&setting(Some(peer)))?;
        let [_, connected] = both.answers([true, true], until)?;
        both.segments = connected.segments;
        Ok(both)
    }

    /// Moves data; what it took the receiver, and the sender.
    ///
    /// # Errors
    /// What went wrong, also if one of them was ended. Nothing more can be had of them then.
    pub(super) fn transfer(&mut self, bytes: u64, is_looked_at: bool) -> Result<[Answer; 2], String> {
        let order = Order { bytes, is_looked_at };
        self.receiver.say(&order)?;
        self.sender.say(&order)?;
        let until = Instant::now() + PATIENCE + Duration::from_secs_f64(bytes as f64 / SLOWEST);
        self.answers([true, true], until)
    }

    /// Waits for an answer of each that is to give one.
    fn answers(&mut self, awaited: [bool; 2], until: Instant) -> Result<[Answer; 2], String> {
        let mut answers = awaited.map(|is_awaited| (!is_awaited).then(Answer::default));
        while answers.iter().any(Option::is_none) {
            let left = until.saturating_duration_since(Instant::now());
            let (side, line) = match interruption::receive(&self.said, left) {
                Ok(said) => said,
                Err(Silence::TimedOut) => return Err("the transfer came to no end and was given up".to_owned()),
                Err(Silence::Ended) => return Err("both endpoints have ended".to_owned()),
                Err(Silence::Interrupted) => return Err("it was stopped".to_owned()),
            };
            let (process, answer) = match side {
                Side::Receiver => (&mut self.receiver, &mut answers[0]),
                Side::Sender => (&mut self.sender, &mut answers[1]),
            };
            let Some(line) = line else { return Err(format!("the {} {}", side.name(), process.end())) };
            let said: Answer = serde_json::from_str(&line).map_err(|_| format!("the {} said nonsense", side.name()))?;
            if let Some(why) = said.error {
                return Err(format!("the {}: {why}", side.name()));
            }
            *answer = Some(said);
        }
        Ok(answers.map(Option::unwrap_or_default))
    }
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Receiver => "receiver",
            Side::Sender => "sender",
        }
    }
}

/// One of them. Dropped, it is ended.
struct Process {
    child: Child,
    input: ChildStdin,
}

impl Process {
    fn start(side: Side, core: Option<usize>, said: Sender<Said>) -> Result<Process, String> {
        let failed = |error: std::io::Error| format!("the {} could not be started: {error}", side.name());
        let mut command = own_program::again().map_err(failed)?;
        command.args(["endpoint", side.name()]);
        if let Some(core) = core {
            command.args(["--cores", &core.to_string()]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        for variable in kasoku_libraries::SWITCH_VARIABLES {
            command.env_remove(variable);
        }
        // A group of its own: Ctrl-C reaches the laboratory alone; its endpoints die with it (see `cmd::endpoint`).
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("the {}'s pipes are missing", side.name()));
        };
        std::thread::spawn(move || listen(side, output, &said));
        Ok(Process { child, input })
    }

    fn say(&mut self, what: &impl serde::Serialize) -> Result<(), String> {
        let mut line = serde_json::to_vec(what).map_err(|error| error.to_string())?;
        line.push(b'\n');
        // Where it has ended, what is heard of it next says how.
        let _ = self.input.write_all(&line).and_then(|()| self.input.flush());
        Ok(())
    }

    /// Ends it; how it had ended, if it had.
    fn end(&mut self) -> String {
        let deadline = Instant::now() + Duration::from_secs(1);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return ending(&status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
                _ => break,
            }
        }
        let _ = self.child.kill(); // fails only if it is gone already
        "closed its output".to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill(); // fails only if it is gone already
        let _ = self.child.wait();
    }
}

fn listen(side: Side, output: ChildStdout, said: &Sender<Said>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = String::new();
        let read = (&mut output).take(MAX_LINE as u64).read_line(&mut line);
        let is_whole = matches!(read, Ok(1..)) && line.ends_with('\n');
        if said.send((side, is_whole.then_some(line))).is_err() || !is_whole {
            return;
        }
    }
}
