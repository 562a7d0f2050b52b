//! `kasoku-file keygen`: creates a key file.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use kasoku_file::{Cipher, Destination, DestinationError, Key, key_file};

use crate::failure::Failure;
use crate::output::cannot_begin;
use crate::secret::cipher_parser;

/// Generate a key for encrypted files
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku-file keygen -o backup.key        32 random bytes in base64; only you can read the file
  kasoku-file keygen --cipher cobblestone-128 -o shared.key       16 random bytes
(On Windows its folder decides who can read it.)
Keep a copy somewhere else: files encrypted with this key cannot be decrypted without it.")]
pub(crate) struct Args {
    /// Key file to create; an existing file is never replaced
    #[arg(short, long, value_name = "KEYFILE")]
    output: PathBuf,
    /// Cipher of the files that the key encrypts
    #[arg(long, value_parser = cipher_parser(), default_value_t)]
    cipher: Cipher,
}

/// Creates the key file.
///
/// # Errors
/// If the file exists or cannot be created, or the system provides no random bytes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.output == Path::new("-") {
        return Err(Failure::usage(
            "a key is written to a file that only you can read, not to standard output; name one",
        ));
    }
    let text = key_file::format(&Key::generate(args.cipher).map_err(Failure::work)?);
    let exists = |path: &Path| {
        Failure::usage(format!("{}: file exists, and a key is never replaced; choose another name", path.display()))
    };
    let mut file = Destination::private(&args.output, false).map_err(|error| match error {
        DestinationError::Exists { path } => exists(&path),
        error => cannot_begin(error),
    })?;
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| Failure::work(format!("{}: {error}", args.output.display())))?;
    // Syncs the file, because a power cut must not destroy a key with which files are already encrypted.
    file.keep(true).map_err(|error| match error {
        DestinationError::Exists { path } => exists(&path),
        error => Failure::work(error),
    })
}
