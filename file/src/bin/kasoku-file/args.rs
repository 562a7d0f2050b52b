//! Arguments and errors that `encrypt` and `decrypt` share.
//!
//! Without `-o` the output is standard output; on a terminal it is a file beside the input.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use kasoku_engine::AesGcm;
use kasoku_file::{Backend, Options};

use crate::failure::{Failure, thread_refusal};
use crate::input::Input;
use crate::output::Output;
use crate::secret;

/// Environment variable that names the engine's backend, for tests.
const BACKEND_VARIABLE: &str = "KASOKU_BACKEND";

/// Arguments of `encrypt` and `decrypt`.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)] // two structs are named `Args`, and their groups would have the same name
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) secret: secret::Args,
    /// Output file; - is standard output [default: standard output; on a terminal, IN with .kasoku added or removed]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace an existing file, or overwrite a block device
    #[arg(long)]
    force: bool,
    /// Sync the output to the storage device before exiting
    #[arg(long)]
    pub(crate) sync: bool,
    /// Number of threads, at most 256 [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Input file; - is standard input [default: standard input]
    #[arg(value_name = "IN")]
    input: Option<PathBuf>,
}

impl Args {
    /// Opens the passphrase's descriptor and then the input, in this order: see [`secret::Args::descriptor`].
    pub(crate) fn input(&self) -> Result<(secret::PassphraseDescriptor, Input), Failure> {
        let descriptor = self.secret.descriptor()?;
        Ok((descriptor, Input::open(self.input.as_deref())?))
    }

    /// Opens the output that `-o` names, or standard output. If that is a terminal and the input a regular file, opens
    /// a file beside the input instead, whose path `name_beside` returns.
    pub(crate) fn output(
        &self,
        input: &Input,
        is_encrypting: bool,
        name_beside: fn(&Path) -> Option<PathBuf>,
    ) -> Result<Output, Failure> {
        let is_wanted = self.output.is_none() && input.regular().is_some() && std::io::stdout().is_terminal();
        let beside = self.input.as_deref().filter(|_| is_wanted).and_then(name_beside);
        let output = Output::open(self.output.as_deref().or(beside.as_deref()), self.force, is_encrypting)?;
        output.check_differs_from(input)?;
        if self.sync {
            // Syncs before the work, so that an output which cannot be synced fails at once.
            output.sync().map_err(|error| {
                Failure::usage(format!("--sync: {output} cannot be synced: {error}; name a file with -o"))
            })?;
        }
        Ok(output)
    }

    pub(crate) fn options<'p>(&self, backend: Option<Backend>, progress: &'p (dyn Fn(u64) + Sync)) -> Options<'p> {
        let options = Options { progress: Some(progress), backend, ..Options::default() };
        let threads = self.threads.and_then(|threads| NonZeroUsize::new(threads.into()));
        Options { threads: threads.unwrap_or(options.threads), ..options }
    }
}

/// Returns the engine's backend that [`BACKEND_VARIABLE`] names, if any.
///
/// # Errors
/// If the backend is unknown or cannot run on this CPU.
pub(crate) fn backend() -> Result<Option<Backend>, Failure> {
    let Some(name) = std::env::var_os(BACKEND_VARIABLE) else { return Ok(None) };
    let name = name.to_string_lossy();
    let wrong = |why: &dyn Display| Failure::usage(format!("{BACKEND_VARIABLE}={name}: {why}"));
    let backend = name.parse().map_err(|error| wrong(&error))?;
    AesGcm::with_backend(&[0; 32], backend).map_err(|error| wrong(&error))?;
    Ok(Some(backend))
}

/// Converts an error of encrypting or decrypting `input` to `output` to a message for the user.
pub(crate) fn failure(error: kasoku_file::Error, input: &Input, output: &Output) -> Failure {
    use kasoku_file::Error;
    Failure::work(match error {
        Error::Write(error) if error.kind() == ErrorKind::BrokenPipe => {
            format!("{output}: the reading program exited before everything was written")
        }
        Error::Write(error) => {
            let left = if output.regular().is_some() { "no file was left" } else { "the output is incomplete" };
            format!("cannot write {output}: {error}; {left}")
        }
        Error::Thread(error) => format!("cannot start a thread: {}", thread_refusal(&error)),
        Error::Read(error) => format!("cannot read {input}: {error}"),
        Error::WrongKey => {
            format!("{input}: wrong key, passphrase or context, or the header was modified; nothing was written")
        }
        other => format!("{input}: {other}"),
    })
}
