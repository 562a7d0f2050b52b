//! What `encrypt` and `decrypt` share: where the secret, the input and the output come from, and the bar.

pub mod bar;
#[cfg(unix)]
mod descriptor;
pub mod ends;
pub mod range;
pub mod secret;

use super::Failure;

/// The failure for `error`, which came about on the way from `input` to `output`.
pub(super) fn failure(error: kasoku_file::Error, input: &ends::Input, output: &ends::Output) -> Failure {
    use kasoku_file::Error;
    match error {
        Error::Write(error) => Failure::in_the_middle(format!("writing {output}: {error}; nothing was left there")),
        Error::Read(error) => Failure::in_the_middle(format!("reading {input}: {error}")),
        Error::WrongKey => Failure::in_the_middle(format!(
            "{input}: wrong key, passphrase or context, or its beginning was changed; nothing was written"
        )),
        other => Failure::in_the_middle(format!("{input}: {other}")),
    }
}
