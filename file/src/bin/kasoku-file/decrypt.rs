//! `kasoku-file decrypt`: decrypts or verifies a file, or decrypts a part of it.

use std::io::{self, Read, Seek, SeekFrom};

use kasoku_file::{Error, Reader, format};

use crate::args::{self, backend, failure};
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::range::Range;
use crate::secret::Secret;
use crate::{name, progress_bar};

/// Decrypt a file made by `kasoku-file encrypt` or another Cobblestone program
#[derive(Clone, Debug, clap::Args)]
#[command(override_usage = "kasoku-file decrypt <--key KEYFILE | --passphrase | --passphrase-fd N> [OPTIONS] [IN]")]
#[command(after_help = "Examples:
  kasoku-file decrypt --key backup.key records.tar.kasoku       makes records.tar
  kasoku-file decrypt --key backup.key records.tar.kasoku | tar x
  kasoku-file decrypt --key backup.key --check records.tar.kasoku
  kasoku-file decrypt --key backup.key --range 1M..2M image.kasoku > part
Only verified plaintext is written. An output file gets its name only after everything was verified; on a pipe, any
exit status other than 0 means that the output is not the whole plaintext.
A new file is readable only by you; one that replaces another (--force) by nobody who could not read the old one. \
(On Windows its folder decides who can read it.)")]
pub(crate) struct Args {
    #[command(flatten)]
    file: args::Args,
    /// Decrypt only these bytes of the plaintext, without reading the rest of the file
    #[arg(long, value_name = "FROM..TO")]
    range: Option<Range>,
    /// Verify the whole file and write nothing; exit with status 0 if it is complete and unmodified
    #[arg(long, conflicts_with_all = ["range", "output", "force", "sync"])]
    check: bool,
}

/// Decrypts the input.
///
/// # Errors
/// If the input, the output or the secret is missing, or the file was modified.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let backend = backend()?;
    let (descriptor, mut input) = args.file.input()?;
    let mut output = if args.check {
        Output::Nowhere
    } else {
        // Only the whole plaintext gets the default file name; a part does not.
        args.file.output(&input, false, if args.range.is_some() { |_| None } else { name::decrypted })?
    };
    if args.range.is_some() && input.regular().is_none() {
        return Err(Failure::usage(
            "--range needs a regular file, by its name; a pipe or standard input can only be read from its beginning",
        ));
    }
    let secret = args.file.secret.for_decrypting(descriptor, &mut input)?;
    let text_bytes = input.length().and_then(|bytes| format::text_bytes(bytes).ok());
    let bar = progress_bar::new(text_bytes.filter(|_| args.range.is_none()));
    let progress = |bytes| bar.set_position(bytes);
    let options = args.file.options(backend, &progress);

    let done = match (args.range, input.regular(), output.regular(), &secret.envelope) {
        (Some(range), Some(_), ..) => decrypt_part(&secret, range, &input, &mut output)?,
        (None, Some(from), Some(to), None) => {
            kasoku_file::decrypt_file(&secret.key, &secret.context, from, to, &options).map(drop)
        }
        _ => kasoku_file::decrypt(&secret.key, &secret.context, &mut input, &mut output, &options).map(drop),
    };
    bar.finish_and_clear();
    let done = done.map_err(|error| match error {
        // A file with an envelope was encrypted, so it must have been truncated.
        Error::TooShort { .. } if secret.envelope.is_some() => Error::Truncated,
        error => error,
    });
    done.map_err(|error| failure(error, &input, &output))?;
    output.keep(args.file.sync)?;
    if args.check {
        crate::print(format!("{input}: verified: complete and unmodified\n").as_bytes())?;
    }
    Ok(())
}

/// Decrypts the bytes in `range`. The outer error is for a range that extends past the end.
fn decrypt_part(
    secret: &Secret,
    range: Range,
    input: &Input,
    output: &mut Output,
) -> Result<Result<(), Error>, Failure> {
    let begin = secret.envelope.map_or(0, |envelope| envelope.len() as u64);
    let mut file = input.file();
    let opened = file.seek(SeekFrom::Start(begin)).map_err(Error::Read);
    let mut reader = match opened.and_then(|_| Reader::new(&secret.key, &secret.context, file)) {
        Ok(reader) => reader,
        Err(error) => return Ok(Err(error)),
    };
    let to = range.to.unwrap_or(reader.text_bytes());
    if range.from > reader.text_bytes() || to > reader.text_bytes() {
        return Err(Failure::usage(format!(
            "{input}: the range goes past its {} bytes of plaintext",
            reader.text_bytes()
        )));
    }
    Ok(copy(&mut reader, range.from, to - range.from, output))
}

/// Copies `bytes` bytes of plaintext from position `from` to the output.
fn copy<R: Read + Seek>(reader: &mut Reader<R>, from: u64, bytes: u64, output: &mut Output) -> Result<(), Error> {
    reader.seek(SeekFrom::Start(from)).map_err(Error::Read)?;
    let mut buffer = zeroize::Zeroizing::new(vec![0; format::CHUNK_BYTES]);
    let mut part = reader.take(bytes);
    loop {
        let read = match part.read(&mut buffer) {
            Ok(0) => return io::Write::flush(output).map_err(Error::Write),
            Ok(read) => read,
            // `Read` wraps the reader's own errors.
            Err(error) => return Err(error.downcast::<Error>().unwrap_or_else(Error::Read)),
        };
        io::Write::write_all(output, &buffer[..read]).map_err(Error::Write)?;
    }
}
