//! `kasoku-file encrypt`: encrypts a file or a stream.

use std::io::Write as _;

use crate::args::{self, backend, failure};
use crate::failure::Failure;
use crate::{name, progress_bar};

/// Encrypt a file (Cobblestone: AES-GCM in chunks)
#[derive(Clone, Debug, clap::Args)]
#[command(override_usage = "kasoku-file encrypt <--key KEYFILE | --passphrase | --passphrase-fd N> [OPTIONS] [IN]")]
#[command(after_help = "Examples:
  kasoku-file keygen -o backup.key
  kasoku-file encrypt --key backup.key records.tar       makes records.tar.kasoku
  tar c records | kasoku-file encrypt --key backup.key --context 2026-11 > records.tar.kasoku
  kasoku-file encrypt --passphrase -o letter.kasoku letter.txt
The output file gets its name only when it is complete; an interruption leaves nothing. A file that replaces another \
(--force) is readable by nobody who could not read the old one (on Windows its folder decides).
The format is open: C2SP chunked encryption with AES-256-GCM (cobblestone-256) or AES-128-GCM (cobblestone-128), \
https://c2sp.org/chunked-encryption. \
PyPI's cryptography 50 and later decrypts files encrypted with a key. Without the key, the passphrase or the context \
nobody can decrypt a file, not even you.")]
pub(crate) struct Args {
    #[command(flatten)]
    file: args::Args,
}

/// Encrypts the input.
///
/// # Errors
/// If the input, the output or the secret is missing, or the disk is full.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let backend = backend()?;
    let (descriptor, mut input) = args.file.input()?;
    let mut output = args.file.output(&input, true, name::encrypted)?;
    let secret = args.file.secret.for_encrypting(descriptor)?;
    let bar = progress_bar::new(input.length());
    let progress = |bytes| bar.set_position(bytes);
    let options = args.file.options(backend, &progress);

    let done = match (input.regular(), output.regular(), &secret.envelope) {
        // If input and output are files, each core works at its own position.
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
    output.keep(args.file.sync)
}
