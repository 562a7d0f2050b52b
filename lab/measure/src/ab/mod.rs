//! Compares commands with the first one, A. Each round runs A twice and every other command once in random order, each
//! run in a process of its own.
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
use kasoku_libraries::interruption;

/// Minimum number of rounds that give an interval.
pub const MIN_ROUNDS: u32 = 5;
/// Minimum number of rounds if the user requests no number.
const ROUNDS_AT_LEAST: usize = 10;
const ROUNDS_AT_MOST: usize = 1_000;

pub type Words = Vec<OsString>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbCommand {
    /// Name in tables and messages, such as `A`.
    pub name: String,
    pub words: Words,
    /// Command that runs before each run of this command, outside the measured time.
    pub prepare: Option<Words>,
}

/// Number of runs of the first command in each round: the second one is the A/A control.
pub const RUNS_OF_A: usize = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CommandUsage {
    /// Wall time in nanoseconds.
    pub ns: u64,
    /// CPU time of the command and its children in nanoseconds.
    pub cpu_ns: u64,
}

/// Measurements of one round: [`RUNS_OF_A`] runs of the first command, then one run of each other command.
pub type Round = Vec<CommandUsage>;

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
        /// Name of the failed command, such as `A` or `the prepare command of A`.
        which: String,
        how: String,
        /// Last part of the text that the command wrote to its standard error.
        said: String,
    },
    #[error("cannot start a command: {}", refusal(.0))]
    System(#[from] std::io::Error),
}

/// Measures `commands`, of which the first is the baseline. Calls `heard` after each round with all complete rounds so
/// far.
pub fn run(
    commands: &[AbCommand],
    options: &AbOptions,
    heard: &mut dyn FnMut(&[Round]),
) -> Result<MeasuredRounds, AbError> {
    let mut measured = MeasuredRounds::default();
    let take = |AbCommand { name, words, prepare }: &AbCommand| {
        if let Some(prepare) = prepare {
            let which = format!("the prepare command of {name}");
            if attempt(&which, prepare, options.is_output_shown, interruption::is_wanted)?.is_none() {
                return Ok(None);
            }
        }
        attempt(name, words, options.is_output_shown, interruption::is_wanted)
    };
    for command in (0..options.warm_up).flat_map(|_| commands) {
        if take(command)?.is_none() {
            return Ok(MeasuredRounds { is_stopped: true, ..measured });
        }
    }
    let runs: Vec<&AbCommand> = commands.iter().take(1).cycle().take(RUNS_OF_A - 1).chain(commands).collect();
    let mut order: Vec<usize> = (0..runs.len()).collect();
    let (mut random, began) = (random(), Instant::now());
    while is_another_wanted(options, measured.rounds.len(), began) {
        order.shuffle(&mut random);
        let mut round = vec![CommandUsage::default(); runs.len()];
        for &place in &order {
            match take(runs[place])? {
                Some(taken) => round[place] = taken,
                None => return Ok(MeasuredRounds { is_stopped: true, ..measured }),
            }
        }
        measured.rounds.push(round);
        heard(&measured.rounds);
    }
    Ok(measured)
}

/// Runs `commands` once each, also after a request to stop this program, and all of them even if one fails. Returns the
/// first error.
pub fn clean_up(commands: &[Words], is_output_shown: bool) -> Result<(), AbError> {
    let run = |words| attempt("the cleanup command", words, is_output_shown, || false).map(drop);
    commands.iter().map(run).fold(Ok(()), Result::and)
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
