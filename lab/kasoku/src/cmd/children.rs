//! Child processes of the laboratory, for its own use: `kasoku endpoint` is one end of a transfer, and `kasoku tls-client`
//! puts load on a server. Each does what the lines on its standard input say until they end.

use std::io::{BufReader, stdin, stdout};

use super::become_program::{Signal, bind};
use super::{CommandOutcome, Failure};
use kasoku_measure::transfer::endpoint::serve;

/// The arguments of `kasoku endpoint`.
#[derive(Debug, clap::Args)]
pub struct EndpointArgs {
    /// Which end this is, for process listings; the first line of standard input sets the task
    #[arg(value_parser = ["sender", "receiver"])]
    side: String,
    /// Cores to run on [default: all]
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
}

/// The arguments of `kasoku tls-client`.
#[derive(Debug, clap::Args)]
pub struct TlsClientArgs {
    /// Cores to run on [default: all]
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
}

/// Runs `kasoku endpoint`.
///
/// # Errors
/// If the lines cannot be read or written.
pub fn endpoint(EndpointArgs { side, cores }: &EndpointArgs) -> Result<CommandOutcome, Failure> {
    bind(Signal::Kill, cores)?;
    serve(BufReader::new(stdin()), stdout().lock())
        .map_err(|error| Failure::new(format!("the {side}'s lines: {error}")))?;
    Ok(CommandOutcome::Done)
}

/// Runs `kasoku tls-client`.
///
/// # Errors
/// If the lines cannot be read or written.
#[cfg(target_os = "linux")]
pub fn tls_client(args: &TlsClientArgs) -> Result<CommandOutcome, Failure> {
    bind(Signal::Kill, &args.cores)?;
    kasoku_measure::tls::client::serve(BufReader::new(stdin().lock()), stdout().lock())
        .map_err(|error| Failure::new(format!("the client's lines: {error}")))?;
    Ok(CommandOutcome::Done)
}

/// Refuses to run `kasoku tls-client`.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn tls_client(_args: &TlsClientArgs) -> Result<CommandOutcome, Failure> {
    Err(Failure::new("the client needs Linux"))
}
