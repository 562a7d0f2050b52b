//! What `encrypt` and `decrypt` share: where the secret, the input and the output come from, and the bar.
//!
//! An output that nobody named is standard output; only where it would come to a terminal, a file's goes beside it.

pub mod bar;
#[cfg(unix)]
mod descriptor;
pub mod ends;
pub mod name;
pub mod range;
pub mod secret;

use std::io::{ErrorKind, IsTerminal as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use kasoku_engine::AesGcm;
use kasoku_file::{Backend, Options};

use super::Failure;
use super::named::number_of;
use ends::{Input, OutputTarget};
use kasoku_libraries::command::refusal;
use kasoku_libraries::kasoku::BACKEND_VARIABLE;

/// The arguments of both.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)] // named after its struct, as the others are
pub struct Args {
    #[command(flatten)]
    pub(super) secret: secret::Args,
    /// Output file; - is standard output [default: standard output; on a terminal, IN with .kasoku added or removed]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace an existing file, or overwrite a block device
    #[arg(long)]
    force: bool,
    /// Sync the output to the storage device before exiting
    #[arg(long)]
    pub(super) sync: bool,
    /// Number of threads, at most 256 [default: all cores]
    #[arg(long, value_name = "N", value_parser = number_of("threads", NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    threads: Option<NonZeroUsize>,
    /// Input file; - is standard input [default: standard input]
    #[arg(value_name = "IN")]
    input: Option<PathBuf>,
}

impl Args {
    /// The secret's descriptor comes first: see [`secret::Args::descriptor`].
    pub(super) fn input(&self) -> Result<(secret::PassphraseDescriptor, Input), Failure> {
        let given = self.secret.descriptor()?;
        Ok((given, Input::open(self.input.as_deref())?))
    }

    /// The output that was named; else a file beside the input that `beside` names, if the output would come to a
    /// terminal.
    pub(super) fn output(
        &self,
        input: &Input,
        is_encrypting: bool,
        beside: fn(&Path) -> Option<PathBuf>,
    ) -> Result<OutputTarget, Failure> {
        let is_wanted = self.output.is_none() && input.regular().is_some() && std::io::stdout().is_terminal();
        let beside = self.input.as_deref().filter(|_| is_wanted).and_then(beside);
        let output = OutputTarget::open(self.output.as_deref().or(beside.as_deref()), self.force, is_encrypting)?;
        output.must_not_be(input)?;
        if self.sync {
            // Whether that can be is known before anything is done.
            let synchronised = output.synchronise();
            synchronised.map_err(|error| {
                Failure::new(format!("--sync: {output} cannot be synced: {error}; name a file with -o"))
            })?;
        }
        Ok(output)
    }

    pub(super) fn options<'p>(&self, backend: Option<Backend>, progress: &'p (dyn Fn(u64) + Sync)) -> Options<'p> {
        let options = Options { progress: Some(progress), backend, ..Options::default() };
        Options { threads: self.threads.unwrap_or(options.threads), ..options }
    }
}

/// The engine's backend that the environment names, if it names one.
///
/// # Errors
/// If there is none of that name, or it cannot run here: another in its place would be taken for it.
pub(super) fn backend() -> Result<Option<Backend>, Failure> {
    let Some(name) = std::env::var_os(BACKEND_VARIABLE) else { return Ok(None) };
    let name = name.to_string_lossy();
    let wrong =
        |why: &dyn std::fmt::Display| Failure::new(format!("{BACKEND_VARIABLE}={}: {why}", name.escape_debug()));
    let backend = name.parse().map_err(|error| wrong(&error))?;
    AesGcm::with_backend(&[0; 32], backend).map_err(|error| wrong(&error))?;
    Ok(Some(backend))
}

/// The failure for `error`, which came about on the way from `input` to `output`.
pub(super) fn failure(error: kasoku_file::Error, input: &Input, output: &OutputTarget) -> Failure {
    use kasoku_file::Error;
    match error {
        Error::Write(error) if error.kind() == ErrorKind::BrokenPipe => {
            Failure::in_the_middle(format!("{output}: the reading program exited before everything was written"))
        }
        Error::Write(error) => {
            let left = if output.regular().is_some() { "no file was left" } else { "the output is incomplete" };
            Failure::in_the_middle(format!("cannot write {output}: {error}; {left}"))
        }
        Error::Thread(error) => Failure::in_the_middle(format!("cannot start a thread: {}", refusal(&error))),
        Error::Read(error) => Failure::in_the_middle(format!("cannot read {input}: {error}")),
        Error::WrongKey => Failure::in_the_middle(format!(
            "{input}: wrong key, passphrase or context, or the header was modified; nothing was written"
        )),
        other => Failure::in_the_middle(format!("{input}: {other}")),
    }
}
