//! `kasoku endpoint`: the child process at one end of a transfer. For the laboratory's own use.

use std::io::{BufReader, stdin, stdout};

use super::become_program::{Signal, bind};
use super::{CommandOutcome, Failure};
use kasoku_measure::transfer::endpoint::serve;

/// The arguments of `kasoku endpoint`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which end this is, for process listings; the first line of standard input sets the task
    #[arg(value_parser = ["sender", "receiver"])]
    side: String,
    /// Cores to run on [default: all]
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
}

/// Does what standard input says until it ends.
///
/// # Errors
/// If the lines cannot be read or written.
pub fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    bind(Signal::Kill, &args.cores)?;
    serve(BufReader::new(stdin()), stdout().lock())
        .map_err(|error| Failure::new(format!("the {}'s lines: {error}", args.side)))?;
    Ok(CommandOutcome::Done)
}
