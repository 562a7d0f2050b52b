//! `kasoku tls-client`: the child process that puts load on a server. For the laboratory's own use.

use super::become_program::{Signal, bind};
use super::{CommandOutcome, Failure};

/// The arguments of `kasoku tls-client`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Cores to run on [default: all]
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
}

/// Answers requests on standard input until it ends.
///
/// # Errors
/// If the lines cannot be read or written.
pub fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    bind(Signal::Kill, &args.cores)?;
    serve()?;
    Ok(CommandOutcome::Done)
}

#[cfg(target_os = "linux")]
fn serve() -> Result<(), Failure> {
    use std::io::{BufReader, stdin, stdout};
    kasoku_measure::tls::client::serve(BufReader::new(stdin().lock()), stdout().lock())
        .map_err(|error| Failure::new(format!("the client's lines: {error}")))
}

#[cfg(not(target_os = "linux"))]
fn serve() -> Result<(), Failure> {
    Err(Failure::new("the client needs Linux"))
}
