//! `kasoku decrypt`: the plaintext of an encrypted file, or a part of it.

use std::io::{self, Read, Seek, SeekFrom};

use kasoku_file::{Error, Reader, format};

use super::file::ends::{Input, OutputTarget};
use super::file::range::Range;
use super::file::secret::Secret;
use super::file::{self, backend, bar, failure, name};
use super::{CommandOutcome, Failure};

/// Decrypt a file made by `kasoku encrypt` or another Cobblestone-256 program
#[derive(Clone, Debug, clap::Args)]
#[command(override_usage = "kasoku decrypt <--key KEYFILE | --passphrase | --passphrase-fd N> [OPTIONS] [IN]")]
#[command(after_help = "Examples:
  kasoku decrypt --key backup.key records.tar.kasoku       makes records.tar
  kasoku decrypt --key backup.key records.tar.kasoku | tar x
  kasoku decrypt --key backup.key --check records.tar.kasoku
  kasoku decrypt --key backup.key --range 1M..2M image.kasoku > part
Only verified plaintext is written. An output file gets its name only after everything was verified; on a pipe, any
exit status other than 0 means that the output is not the whole plaintext.
A new file is readable only by you; one that replaces another (--force) by nobody who could not read the old one. \
(On Windows its folder decides who can read it.)")]
pub struct Args {
    #[command(flatten)]
    file: file::Args,
    /// Decrypt only these bytes of the plaintext, without reading the rest of the file
    #[arg(long, value_name = "FROM..TO")]
    range: Option<Range>,
    /// Verify the whole file and write nothing; exit with status 0 if it is complete and unmodified
    #[arg(long, conflicts_with_all = ["range", "output", "force", "sync"])]
    check: bool,
}

/// Decrypts.
///
/// # Errors
/// If the input, the output or the secret is missing; if the file is not what was encrypted.
pub fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let backend = backend()?;
    let (given, mut input) = args.file.input()?;
    let mut output = if args.check {
        OutputTarget::Nowhere
    } else {
        // A part is not the file that its name stands for.
        args.file.output(&input, false, if args.range.is_some() { |_| None } else { name::decrypted })?
    };
    if args.range.is_some() && input.regular().is_none() {
        return Err(Failure::new(
            "--range needs a regular file, by its name; a pipe or standard input can only be read from its beginning",
        ));
    }
    let secret = args.file.secret.for_decrypting(given, &mut input)?;
    let text_bytes = input.length().and_then(|bytes| format::text_bytes(bytes).ok());
    let bar = bar::new(if args.range.is_some() { None } else { text_bytes });
    let progress = |bytes| bar.set_position(bytes);
    let options = args.file.options(backend, &progress);

    let done = match (args.range, input.regular(), output.regular(), &secret.envelope) {
        (Some(range), Some(_), ..) => part(&secret, range, &input, &mut output)?,
        (None, Some(from), Some(to), None) => {
            kasoku_file::decrypt_file(&secret.key, &secret.context, from, to, &options).map(drop)
        }
        _ => kasoku_file::decrypt(&secret.key, &secret.context, &mut input, &mut output, &options).map(drop),
    };
    bar.finish_and_clear();
    let done = done.map_err(|error| match error {
        // An envelope was there, so it is one that was cut off.
        Error::TooShort { .. } if secret.envelope.is_some() => Error::Truncated,
        error => error,
    });
    done.map_err(|error| failure(error, &input, &output))?;
    output.keep(args.file.sync)?;
    if args.check {
        kasoku_store::output_file::print(&format!("{input}: verified: complete and unmodified\n"))?;
    }
    Ok(CommandOutcome::Done)
}

/// A part of the plaintext. A bad range is a failure of its own.
fn part(secret: &Secret, range: Range, input: &Input, output: &mut OutputTarget) -> Result<Result<(), Error>, Failure> {
    let Some(mut file) = input.regular() else { return Ok(Err(Error::Changed)) };
    let begin = secret.envelope.map_or(0, |envelope| envelope.len() as u64);
    if let Err(error) = file.seek(SeekFrom::Start(begin)) {
        return Ok(Err(Error::Read(error)));
    }
    let mut reader = match Reader::new(&secret.key, &secret.context, file) {
        Ok(reader) => reader,
        Err(error) => return Ok(Err(error)),
    };
    let to = range.to.unwrap_or(reader.text_bytes());
    if range.from > reader.text_bytes() || to > reader.text_bytes() {
        return Err(Failure::new(format!(
            "{input}: the range goes past its {} bytes of plaintext",
            reader.text_bytes()
        )));
    }
    Ok(copy(&mut reader, range.from, to - range.from, output))
}

fn copy<R: Read + Seek>(reader: &mut Reader<R>, from: u64, bytes: u64, output: &mut OutputTarget) -> Result<(), Error> {
    reader.seek(SeekFrom::Start(from)).map_err(Error::Read)?;
    let mut buffer = zeroize::Zeroizing::new(vec![0; format::CHUNK_BYTES]);
    let mut part = reader.take(bytes);
    loop {
        let read = match part.read(&mut buffer) {
            Ok(0) => return io::Write::flush(output).map_err(Error::Write),
            Ok(read) => read,
            // The reader wraps its own errors for `Read`; here they are themselves again.
            Err(error) => return Err(error.downcast::<Error>().unwrap_or_else(Error::Read)),
        };
        io::Write::write_all(output, &buffer[..read]).map_err(Error::Write)?;
    }
}
