//! `kasoku encrypt`: an encrypted file from a file or a pipe.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use kasoku_file::Options;

use super::file::ends::{Input, Output};
use super::file::{backend, bar, failure, secret};
use super::{Failure, Outcome};

/// Encrypt a file (Cobblestone-256: AES-256-GCM in chunks)
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku keygen -o backup.key
  kasoku encrypt --key backup.key -o records.tar.kasoku records.tar
  tar c records | kasoku encrypt --key backup.key --context 2026-11 > records.tar.kasoku
  kasoku encrypt --passphrase -o letter.kasoku letter.txt
The output has its name only when it is whole; an interruption leaves nothing. One that replaces another (--force) is
readable for nobody who could not read that.")]
pub struct Args {
    #[command(flatten)]
    secret: secret::Args,
    /// The file to make [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// End only when the output is on the device
    #[arg(long)]
    sync: bool,
    /// Threads, at most 256 [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// The file to encrypt [default: standard input]
    #[arg(value_name = "IN")]
    input: Option<PathBuf>,
}

/// Encrypts.
///
/// # Errors
/// If the input, the output or the secret is not to be had, or the disk is full.
pub fn run(args: &Args) -> Result<Outcome, Failure> {
    let backend = backend()?;
    let given = args.secret.descriptor()?;
    let mut input = Input::open(args.input.as_deref())?;
    let mut output = Output::open(args.output.as_deref(), args.force, true)?;
    output.must_not_be(&input)?;
    let secret = args.secret.for_encrypting(given)?;
    let bar = bar::new(input.length());
    let progress = |bytes| bar.set_position(bytes);
    let mut options = Options { progress: Some(&progress), backend, ..Options::default() };
    options.threads = args.threads.unwrap_or(options.threads);

    let done = match (input.regular(), output.regular(), &secret.envelope) {
        // Each core at its own place.
        (Some(from), Some(to), None) => kasoku_file::encrypt_file(&secret.key, &secret.context, from, to, &options),
        _ => {
            let begun = match &secret.envelope {
                Some(envelope) => output.write_all(envelope).map_err(kasoku_file::Error::Write),
                None => Ok(()),
            };
            begun.and_then(|()| kasoku_file::encrypt(&secret.key, &secret.context, &mut input, &mut output, &options))
        }
    };
    bar.finish_and_clear();
    done.map_err(|error| failure(error, &input, &output))?;
    output.keep(args.sync)?;
    Ok(Outcome::Done)
}
