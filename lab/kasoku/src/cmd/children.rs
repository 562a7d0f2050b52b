//! Child processes, for internal use: `kasoku endpoint` is one end of a transfer, and `kasoku tls-client` puts load on
//! a server. Each obeys the lines on its standard input until its end.

use std::io::{BufReader, stdin, stdout};

use super::become_program::{Signal, bind};
use super::{CommandOutcome, Failure};
use kasoku_measure::transfer::endpoint::serve;

#[derive(Debug, clap::Args)]
pub(crate) struct EndpointArgs {
    /// Which end this is, for process listings; the first line of standard input sets the task
    #[arg(value_parser = ["sender", "receiver"])]
    side: String,
    /// Cores to run on [default: all]
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TlsClientArgs {
    /// Cores to run on [default: all]
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
}

pub(crate) fn endpoint(EndpointArgs { side, cores }: &EndpointArgs) -> Result<CommandOutcome, Failure> {
    bind(Signal::Kill, cores)?;
    serve(BufReader::new(stdin()), stdout().lock())
        .map_err(|error| Failure::new(format!("the {side}'s lines: {error}")))?;
    Ok(CommandOutcome::Done)
}

#[cfg(target_os = "linux")]
pub(crate) fn tls_client(args: &TlsClientArgs) -> Result<CommandOutcome, Failure> {
    bind(Signal::Kill, &args.cores)?;
    kasoku_measure::tls::client::serve(BufReader::new(stdin().lock()), stdout().lock())
        .map_err(|error| Failure::new(format!("the client's lines: {error}")))?;
    Ok(CommandOutcome::Done)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn tls_client(_args: &TlsClientArgs) -> Result<CommandOutcome, Failure> {
    Err(Failure::new("the client needs Linux"))
}
