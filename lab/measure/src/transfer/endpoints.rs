//! Starts and controls a receiver and a sender from the laboratory.

use std::process::Stdio;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::endpoint::{EndpointAnswer, EndpointOrder, EndpointSetting, MAX_LINE};
use crate::child::ChildProcess;
use crate::own_program;
use crate::plan::TransferCase;
use kasoku_libraries::interruption::{self, Silence};
use kasoku_model::workload::Transfer;

const CONNECTING: Duration = Duration::from_secs(20);
/// Maximum time of a transfer in addition to the time for its bytes.
const PATIENCE: Duration = Duration::from_secs(20);
/// Lower bound for the speed of a transfer, in bytes per second.
const SLOWEST: f64 = 1e6;
/// Names of the two endpoints of a transfer. Every array of two in this module has this order.
const SIDES: [&str; 2] = ["receiver", "sender"];
const RECEIVER: usize = 0;
const SENDER: usize = 1;

/// Index of an endpoint in [`SIDES`], and a line of its output; `None` once the endpoint has ended.
type Said = (usize, Option<String>);

/// A receiver and a sender that are connected. Dropping them ends their processes.
pub(super) struct Endpoints {
    sides: [ChildProcess; 2],
    said: Receiver<Said>,
    /// Maximum number of packets that the sender passes to the system in one call.
    pub(super) segments: Option<usize>,
}

impl Endpoints {
    /// Starts a receiver and a sender for `case`, each on one of `cores`, and connects them.
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
            transfer,
            bytes: case.workload.bytes,
            peer,
        };
        let start = |side: usize, sender| start(side, cores.map(|cores| cores[side]), sender);
        let sides = [start(RECEIVER, sender.clone())?, start(SENDER, sender)?];
        let mut both = Endpoints { sides, said, segments: None };
        both.say(RECEIVER, &setting(None));
        let [waiting, _] = both.answers([true, false], until)?;
        let peer = waiting.peer.ok_or("the receiver did not report its address")?;
        both.say(SENDER, &setting(Some(peer)));
        let [_, connected] = both.answers([true, true], until)?;
        both.segments = connected.segments;
        Ok(both)
    }

    /// Transfers `bytes` bytes, and returns the answers of receiver and sender. After an error, no further transfer is
    /// possible.
    pub(super) fn transfer(&mut self, bytes: u64, is_looked_at: bool) -> Result<[EndpointAnswer; 2], String> {
        let order = EndpointOrder { bytes, is_looked_at };
        self.say(RECEIVER, &order);
        self.say(SENDER, &order);
        let until = Instant::now() + PATIENCE + Duration::from_secs_f64(bytes as f64 / SLOWEST);
        self.answers([true, true], until)
    }

    fn say(&mut self, side: usize, what: &impl serde::Serialize) {
        // If the process has ended, the next wait reports how.
        let _ = self.sides[side].say(what);
    }

    /// Waits for an answer of each endpoint for which `awaited` is true.
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
            let name = SIDES[side];
            let Some(line) = line else { return Err(format!("the {name} {}", self.sides[side].ended())) };
            let said: EndpointAnswer =
                serde_json::from_str(&line).map_err(|_| format!("the {name} sent an invalid answer"))?;
            if let Some(why) = said.error {
                return Err(format!("the {name}: {why}"));
            }
            answers[side] = Some(said);
        }
        Ok(answers.map(Option::unwrap_or_default))
    }
}

fn start(side: usize, core: Option<usize>, said: SyncSender<Said>) -> Result<ChildProcess, String> {
    let failed = |error: std::io::Error| format!("cannot start the {}: {error}", SIDES[side]);
    let mut command = own_program::command().map_err(failed)?;
    command.args(["endpoint", SIDES[side]]).stderr(Stdio::null());
    if let Some(core) = core {
        command.args(["--cores", &core.to_string()]);
    }
    kasoku_libraries::remove_switches(&mut command);
    let heard = move |line: String| said.send((side, line.ends_with('\n').then_some(line))).is_ok();
    ChildProcess::start(&mut command, MAX_LINE, heard).map_err(failed)
}
