//! `kasoku keygen`: a key for encrypted files.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use kasoku_file::{Destination, DestinationError, Key, key_file};

use super::file::ends::no_place;
use super::{CommandOutcome, Failure};

/// Generate a key for encrypted files
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example:
  kasoku keygen -o backup.key        32 random bytes in base64; only you can read the file
(On Windows its folder decides who can read it.)
Keep a copy somewhere else: files encrypted with this key cannot be decrypted without it.")]
pub struct Args {
    /// Key file to create; an existing file is never replaced
    #[arg(short, long, value_name = "KEYFILE")]
    output: PathBuf,
}

/// Makes the key file.
///
/// # Errors
/// If there is a file already, none can be made, or the system gives no random numbers.
pub fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    if args.output == Path::new("-") {
        return Err(Failure::new(
            "a key is written to a file that only you can read, not to standard output; name one",
        ));
    }
    let text = key_file::format(&Key::generate().map_err(Failure::in_the_middle)?);
    let fail = |error| match error {
        DestinationError::Exists { path } => {
            Failure::new(format!("{}: file exists, and a key is never replaced; choose another name", path.display()))
        }
        error => no_place(error),
    };
    let mut file = Destination::private(&args.output, false).map_err(fail)?;
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| Failure::in_the_middle(format!("{}: {error}", args.output.display())))?;
    // Nothing is encrypted with a key that a power cut could take away.
    file.keep(true).map_err(|error| match error {
        DestinationError::Exists { .. } => fail(error),
        error => Failure::in_the_middle(error),
    })?;
    Ok(CommandOutcome::Done)
}
