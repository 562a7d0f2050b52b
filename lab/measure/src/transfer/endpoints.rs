//! A sender and a receiver as the laboratory sees them.

use std::process::Stdio;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::lines::{EndpointAnswer, EndpointOrder, EndpointSetting, MAX_LINE};
use crate::child::ChildProcess;
use crate::own_program;
use crate::plan::TransferCase;
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
    receiver: ChildProcess,
    sender: ChildProcess,
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
        let (sender, said) = sync_channel(2);
        let until = Instant::now() + CONNECTING;
        let setting = |peer| EndpointSetting {
            library: case.library.to_owned(),
            algorithm: case.workload.algorithm,
            transport: transfer.transport.name().to_owned(),
            protection: transfer.protection.name().to_owned(),
            bytes: case.workload.bytes,
            peer,
        };
        let receiver = start(Side::Receiver, cores.map(|cores| cores[0]), sender.clone())?;
        let sender = start(Side::Sender, cores.map(|cores| cores[1]), sender)?;
        let mut both = Endpoints { receiver, sender, said, segments: None };
        say(&mut both.receiver, &setting(None));
        let [waiting, _] = both.answers([true, false], until)?;
        let peer = waiting.peer.ok_or("the receiver did not report its address")?;
        say(&mut both.sender, &setting(Some(peer)));
        let [_, connected] = both.answers([true, true], until)?;
        both.segments = connected.segments;
        Ok(both)
    }

    /// Moves data; what it took the receiver, and the sender.
    ///
    /// # Errors
    /// What went wrong, also if one of them was ended. Nothing more can be had of them then.
    pub(super) fn transfer(&mut self, bytes: u64, is_looked_at: bool) -> Result<[EndpointAnswer; 2], String> {
        let order = EndpointOrder { bytes, is_looked_at };
        say(&mut self.receiver, &order);
        say(&mut self.sender, &order);
        let until = Instant::now() + PATIENCE + Duration::from_secs_f64(bytes as f64 / SLOWEST);
        self.answers([true, true], until)
    }

    /// Waits for an answer of each that is to give one.
    fn answers(&mut self, awaited: [bool; 2], until: Instant) -> Result<[EndpointAnswer; 2], String> {
        let mut answers = awaited.map(|is_awaited| (!is_awaited).then(EndpointAnswer::default));
        while answers.iter().any(Option::is_none) {
            let left = until.saturating_duration_since(Instant::now());
            let (side, line) = match interruption::receive(&self.said, left) {
                Ok(said) => said,
                Err(Silence::TimedOut) => return Err("the transfer did not finish and was given up".to_owned()),
                Err(Silence::Ended) => return Err("both endpoints have ended".to_owned()),
                Err(Silence::Interrupted) => return Err("stopped".to_owned()),
            };
            let (process, answer) = match side {
                Side::Receiver => (&mut self.receiver, &mut answers[0]),
                Side::Sender => (&mut self.sender, &mut answers[1]),
            };
            let Some(line) = line else { return Err(format!("the {} {}", side.name(), process.ended())) };
            let said: EndpointAnswer =
                serde_json::from_str(&line).map_err(|_| format!("the {} sent an invalid answer", side.name()))?;
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

fn start(side: Side, core: Option<usize>, said: SyncSender<Said>) -> Result<ChildProcess, String> {
    let failed = |error: std::io::Error| format!("cannot start the {}: {error}", side.name());
    let mut command = own_program::again().map_err(failed)?;
    command.args(["endpoint", side.name()]).stderr(Stdio::null());
    if let Some(core) = core {
        command.args(["--cores", &core.to_string()]);
    }
    kasoku_libraries::remove_switches(&mut command);
    let heard = move |line: String| said.send((side, line.ends_with('\n').then_some(line))).is_ok();
    ChildProcess::start(&mut command, MAX_LINE, heard).map_err(failed)
}

fn say(endpoint: &mut ChildProcess, what: &impl serde::Serialize) {
    // Where it has ended, what is heard of it next says how.
    let _ = endpoint.say(what);
}
