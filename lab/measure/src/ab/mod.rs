//! Compares two commands, A and B. Each round runs A twice and B once in random order, each run in a process of its
//! own.
//!
//! The second run of A is the A/A control: its difference from the first run is noise.

mod attempt;
mod judgement;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use rand::seq::SliceRandom;
use serde::Serialize;

use crate::procedure::random;
use attempt::attempt;
pub use judgement::{AbVerdict, Judgement, Quantity};
use kasoku_libraries::command::refusal;

/// Minimum number of rounds that give an interval.
pub const MIN_ROUNDS: u32 = 5;
/// Minimum number of rounds if the user requests no number.
const ROUNDS_AT_LEAST: usize = 10;
const ROUNDS_AT_MOST: usize = 1_000;

pub type Words = Vec<OsString>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AbRun {
    A,
    /// Another run of the first command, for the A/A control.
    Again,
    B,
}

pub const ROUND_ORDER: [AbRun; 3] = [AbRun::A, AbRun::Again, AbRun::B];

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CommandUsage {
    /// Wall time in nanoseconds.
    pub ns: u64,
    /// CPU time of the command and its children in nanoseconds.
    pub cpu_ns: u64,
}

/// Measurements of one round, in the order of [`ROUND_ORDER`].
pub type Round = [CommandUsage; 3];

#[derive(Clone, Copy, Debug)]
pub struct AbOptions {
    /// Number of rounds; `None` runs as many as can begin within `time`.
    pub rounds: Option<u32>,
    /// Time within which rounds may begin.
    pub time: Duration,
    /// Number of runs of each command before the first round.
    pub warm_up: u32,
    /// Whether to show the commands' output on standard error.
    pub is_output_shown: bool,
}

#[derive(Clone, Debug, Default)]
pub struct MeasuredRounds {
    pub rounds: Vec<Round>,
    pub is_stopped: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum AbError {
    #[error("{which} {how}{}", if said.is_empty() { String::new() } else { format!(": {said}") })]
    Failed {
        /// Name of the failed command: `A` or `B`.
        which: &'static str,
        how: String,
        /// Last part of the text that the command wrote to its standard error.
        said: String,
    },
    #[error("cannot start a command: {}", refusal(.0))]
    System(#[from] std::io::Error),
}

/// Measures `commands`, which are A and B. Calls `heard` after each round with all complete rounds so far.
pub fn run(
    commands: &[Words; 2],
    options: &AbOptions,
    heard: &mut dyn FnMut(&[Round]),
) -> Result<MeasuredRounds, AbError> {
    let mut measured = MeasuredRounds::default();
    let take = |turn: AbRun| match turn {
        AbRun::A | AbRun::Again => attempt("A", &commands[0], options.is_output_shown),
        AbRun::B => attempt("B", &commands[1], options.is_output_shown),
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
    fn rounds_end_by_number_if_given_and_else_by_time() {
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
