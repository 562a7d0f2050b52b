//! Two commands against each other: in each round A, A once more and B run in random order, each in a process of its
//! own. A against itself is the A/A control; what it shows is noise.

mod attempt;
mod judgement;
mod meters;

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use rand::seq::SliceRandom;
use serde::Serialize;

use crate::procedure::random;
use attempt::{Meters, attempt};
pub use judgement::{AbVerdict, Judgement, Quantity};
use kasoku_libraries::command::refusal;
use meters::{Energy, InstructionCounter};

/// Fewer rounds support no interval.
pub const MIN_ROUNDS: u32 = 5;
/// As many are made, however little time there is, unless another number is asked for.
const ROUNDS_AT_LEAST: usize = 10;
/// More are of no use, however much time there is.
const ROUNDS_AT_MOST: usize = 1_000;

/// The words of a command: the program and its arguments.
pub type Words = Vec<OsString>;

/// Whose turn it is in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AbRun {
    /// The first command.
    A,
    /// The first command once more.
    Again,
    /// The second command.
    B,
}

/// In the order in which [`Round`] has them.
pub const ROUND_ORDER: [AbRun; 3] = [AbRun::A, AbRun::Again, AbRun::B];

/// What a command took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CommandUsage {
    /// Wall time in nanoseconds.
    pub ns: u64,
    /// CPU time in nanoseconds, of its children too.
    pub cpu_ns: u64,
    /// Instructions outside the kernel, of its children too, where they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// What the CPU packages took meanwhile, whoever made them work, where they tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joules: Option<f64>,
}

/// What a round found, in the order of [`ROUND_ORDER`].
pub type Round = [CommandUsage; 3];

/// How it is done.
#[derive(Clone, Copy, Debug)]
pub struct AbOptions {
    /// This many rounds, however long they take.
    pub rounds: Option<u32>,
    /// Else as many as begin within this time.
    pub time: Duration,
    /// So often each command runs before the first round.
    pub warm_up: u32,
    /// Whether what the commands print is shown, on standard error.
    pub is_output_shown: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct MeasuredRounds {
    /// The rounds that are whole.
    pub rounds: Vec<Round>,
    /// What this machine does not show, and why.
    pub absent: Vec<(Quantity, String)>,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

/// It cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum AbError {
    /// A command failed.
    #[error("{which} {how}{}", if said.is_empty() { String::new() } else { format!(": {said}") })]
    Failed {
        /// Which: `A` or `B`.
        which: &'static str,
        /// How it ended.
        how: String,
        /// The end of what it said on standard error.
        said: String,
    },
    /// The system refuses something.
    #[error("cannot start a command: {}", refusal(.0))]
    System(#[from] std::io::Error),
}

/// Measures `commands`, A and B; `heard` gets the rounds that are whole each time that one is.
///
/// # Errors
/// If a command fails, or cannot be started.
pub fn run(
    commands: &[Words; 2],
    options: &AbOptions,
    heard: &mut dyn FnMut(&[Round]),
) -> Result<MeasuredRounds, AbError> {
    let mut absent = Vec::new();
    let energy =
        Energy::open(Path::new("/sys/class/powercap")).map_err(|why| absent.push((Quantity::Energy, why))).ok();
    let are_counted = InstructionCounter::check().map_err(|why| absent.push((Quantity::Instructions, why))).is_ok();
    let meters = Meters { energy, are_instructions_counted: are_counted, is_output_shown: options.is_output_shown };
    let mut measured = MeasuredRounds { rounds: Vec::new(), absent, is_stopped: false };
    let take = |turn: AbRun| match turn {
        AbRun::A | AbRun::Again => attempt("A", &commands[0], &meters),
        AbRun::B => attempt("B", &commands[1], &meters),
    };
    for turn in [AbRun::A, AbRun::B].into_iter().cycle().take(2 * options.warm_up as usize) {
        if take(turn)?.is_none() {
            return Ok(MeasuredRounds { is_stopped: true, ..measured });
        }
    }
    let (mut random, began) = (random(), Instant::now());
    while is_another_wanted(options, measured.rounds.len(), began) {
        let mut order = [0, 1, 2];
        order.shuffle(&mut random);
        let mut round = Round::default();
        for place in order {
            match take(ROUND_ORDER[place])? {
                Some(taken) => round[place] = taken,
                None => return Ok(MeasuredRounds { is_stopped: true, ..measured }),
            }
        }
        measured.rounds.push(round);
        heard(&measured.rounds);
    }
    Ok(measured)
}

fn is_another_wanted(options: &AbOptions, done: usize, began: Instant) -> bool {
    match options.rounds {
        Some(rounds) => done < rounds as usize,
        None => done < ROUNDS_AT_LEAST || (done < ROUNDS_AT_MOST && began.elapsed() < options.time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_decides_how_many_rounds_there_are_unless_their_number_is_given() {
        let options = |rounds, seconds| AbOptions {
            rounds,
            time: Duration::from_secs(seconds),
            warm_up: 0,
            is_output_shown: false,
        };
        let now = Instant::now();
        assert!(is_another_wanted(&options(Some(6), 0), 5, now) && !is_another_wanted(&options(Some(6), 60), 6, now));
        assert!(is_another_wanted(&options(None, 0), 9, now) && !is_another_wanted(&options(None, 0), 10, now));
        assert!(is_another_wanted(&options(None, 60), 999, now) && !is_another_wanted(&options(None, 60), 1_000, now));
    }
}
