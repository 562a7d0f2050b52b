//! `kasoku openssl-conf`: the configuration that makes OpenSSL 3 programs use Kasoku's provider.

use std::path::PathBuf;

use super::{CommandOutcome, Failure};
use kasoku_libraries::Unavailable;
use kasoku_libraries::openssl_provider::{build_folder, configuration, find};
use kasoku_model::printable::printable;
use kasoku_store::output_file::print;

/// Print the configuration that makes OpenSSL 3 programs use Kasoku
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Provider module [default: the one beside this command, or in ../lib]
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
    /// File in which the provider counts its operations; only its user can read it, and a server's processes share it
    #[arg(long, value_name = "FILE")]
    counter: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  kasoku openssl-conf > kasoku.cnf
  OPENSSL_CONF=$PWD/kasoku.cnf openssl list -providers
  OPENSSL_CONF=$PWD/kasoku.cnf nginx
  kasoku libraries --program PID               show whether a running program uses it";

pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let module = find(args.module.as_deref()).map_err(no_provider)?;
    args.module.as_deref().map_or(Ok(()), super::run::check_module)?;
    let counter = args.counter.as_deref().map(std::path::absolute).transpose();
    let counter = counter.map_err(|error| Failure::new(format!("--counter: {error}")))?;
    print(&configuration(&module, counter.as_deref()).map_err(Failure::new)?)?;
    if let Some(folder) = build_folder(&module) {
        // OpenSSL silently continues without a provider whose module is missing.
        super::tell(&format!(
            "{} is in a build folder, {}, and disappears when that is cleaned; for a service, run \
             openssl-provider/install.sh first and name the installed module with --module",
            printable(&module.to_string_lossy()),
            printable(&folder.to_string_lossy())
        ));
    }
    Ok(CommandOutcome::Done)
}

/// Returns the error for a missing provider, with the command that builds it.
pub(super) fn no_provider(unavailable: Unavailable) -> Failure {
    let Unavailable { why, install } = unavailable;
    Failure::new(
        install
            .map_or_else(|| why.clone(), |install| format!("{why}; build it with {install}, or name it with --module")),
    )
}
