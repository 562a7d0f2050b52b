//! What `encrypt` and `decrypt` share: where the secret, the input and the output come from, and the bar.

pub mod bar;
#[cfg(unix)]
mod descriptor;
pub mod ends;
pub mod range;
pub mod secret;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use kasoku_engine::AesGcm;
use kasoku_file::{Backend, Options};

use super::Failure;
use ends::{Input, Output};
use kasoku_libraries::kasoku::BACKEND_VARIABLE;

/// The arguments of both.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) secret: secret::Args,
    /// The file to make [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// End only when the output is on the device
    #[arg(long)]
    pub(super) sync: bool,
    /// Threads, at most 256 [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// The file to read [default: standard input]
    #[arg(value_name = "IN")]
    input: Option<PathBuf>,
}

impl Args {
    /// The secret's descriptor comes first: see [`secret::Args::descriptor`].
    pub(super) fn open(&self, is_encrypting: bool) -> Result<(secret::Given, Input, Output), Failure> {
        let given = self.secret.descriptor()?;
        let input = Input::open(self.input.as_deref())?;
        let output = Output::open(self.output.as_deref(), self.force, is_encrypting)?;
        output.must_not_be(&input)?;
        Ok((given, input, output))
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
    let backend = name.parse().map_err(|error| wrong(&format_args!("it is {error}")))?;
    AesGcm::with_backend(&[0; 32], backend).map_err(|error| wrong(&error))?;
    Ok(Some(backend))
}

/// The failure for `error`, which came about on the way from `input` to `output`.
pub(super) fn failure(error: kasoku_file::Error, input: &Input, output: &Output) -> Failure {
    use kasoku_file::Error;
    match error {
        Error::Write(error) => {
            let left = if output.regular().is_some() { "nothing was left there" } else { "what is there is not all" };
            Failure::in_the_middle(format!("writing {output}: {error}; {left}"))
        }
        Error::Read(error) => Failure::in_the_middle(format!("reading {input}: {error}")),
        Error::WrongKey => Failure::in_the_middle(format!(
            "{input}: wrong key, passphrase or context, or its beginning was changed; nothing was written"
        )),
        other => Failure::in_the_middle(format!("{input}: {other}")),
    }
}
