//! What `encrypt` and `decrypt` share: where the secret, the input and the output come from, and the bar.

pub mod bar;
#[cfg(unix)]
mod descriptor;
pub mod ends;
pub mod range;
pub mod secret;

use kasoku_engine::AesGcm;
use kasoku_file::Backend;

use super::Failure;
use kasoku_libraries::kasoku::BACKEND_VARIABLE;

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
pub(super) fn failure(error: kasoku_file::Error, input: &ends::Input, output: &ends::Output) -> Failure {
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
