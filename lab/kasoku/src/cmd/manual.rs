//! `kasoku manual`: the manual pages, for packagers.

use std::path::PathBuf;

use super::{CommandOutcome, Failure};

/// The arguments of `kasoku manual`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Existing folder to write the pages to
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Writes a page for `command` and for each subcommand that its help shows.
///
/// # Errors
/// If a page cannot be written.
pub fn run(args: &Args, command: clap::Command) -> Result<CommandOutcome, Failure> {
    clap_mangen::generate_to(command, &args.folder)
        .map_err(|error| Failure::new(format!("{}: {error}", args.folder.display())))?;
    Ok(CommandOutcome::Done)
}
