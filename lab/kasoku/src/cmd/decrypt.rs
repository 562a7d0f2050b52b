//! `kasoku decrypt`: the text of an encrypted file, or a part of it.

use std::io::{self, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use kasoku_file::{Error, Options, Reader, format};

use super::file::ends::{Input, Output};
use super::file::range::Range;
use super::file::secret::Secret;
use super::file::{backend, bar, failure, secret};
use super::{Failure, Outcome};

/// Decrypt a file that `kasoku encrypt` or another program for Cobblestone-256 made
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku decrypt --key backup.key -o records.tar records.tar.kasoku
  kasoku decrypt --key backup.key records.tar.kasoku | tar x
  kasoku decrypt --key backup.key --range 1M..2M image.kasoku > part
Only what was verified is written. A file gets its name when all of it was; on a pipe the exit status tells:
whatever is not 0 means that what came out is not the whole text.
A new file is readable for you alone; one that replaces another (--force) for nobody who could not read that.")]
pub struct Args {
    #[command(flatten)]
    secret: secret::Args,
    /// The file to make [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Only these bytes of the text, without reading the rest of the file
    #[arg(long, value_name = "FROM..TO")]
    range: Option<Range>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// End only when the output is on the device
    #[arg(long)]
    sync: bool,
    /// Threads, at most 256 [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// The file to decrypt [default: standard input]
    #[arg(value_name = "IN")]
    input: Option<PathBuf>,
}

/// Decrypts.
///
/// # Errors
/// If the input, the output or the secret is not to be had; if the file is not what was encrypted.
pub fn run(args: &Args) -> Result<Outcome, Failure> {
    let backend = backend()?;
    let given = args.secret.descriptor()?;
    let mut input = Input::open(args.input.as_deref())?;
    if args.range.is_some() && input.regular().is_none() {
        return Err(Failure::new("--range needs a file to jump in; a pipe has to be read from its beginning"));
    }
    let mut output = Output::open(args.output.as_deref(), args.force, false)?;
    output.must_not_be(&input)?;
    let secret = args.secret.for_decrypting(given, &mut input)?;
    let text_bytes = input.length().and_then(|bytes| format::text_bytes(bytes).ok());
    let bar = bar::new(if args.range.is_some() { None } else { text_bytes });
    let progress = |bytes| bar.set_position(bytes);
    let mut options = Options { progress: Some(&progress), backend, ..Options::default() };
    options.threads = args.threads.unwrap_or(options.threads);

    let done = match (args.range, input.regular(), output.regular(), &secret.envelope) {
        (Some(range), Some(_), ..) => part(&secret, range, &input, &mut output)?,
        (None, Some(from), Some(to), None) => {
            kasoku_file::decrypt_file(&secret.key, &secret.context, from, to, &options).map(drop)
        }
        _ => kasoku_file::decrypt(&secret.key, &secret.context, &mut input, &mut output, &options).map(drop),
    };
    bar.finish_and_clear();
    done.map_err(|error| failure(error, &input, &output))?;
    output.keep(args.sync)?;
    Ok(Outcome::Done)
}

/// A part of the text. What is wrong with the range is a failure of its own.
fn part(secret: &Secret, range: Range, input: &Input, output: &mut Output) -> Result<Result<(), Error>, Failure> {
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
        return Err(Failure::new(format!("{input}: the range goes past its {} bytes of text", reader.text_bytes())));
    }
    Ok(copy(&mut reader, range.from, to - range.from, output))
}

fn copy<R: Read + Seek>(reader: &mut Reader<R>, from: u64, bytes: u64, output: &mut Output) -> Result<(), Error> {
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
