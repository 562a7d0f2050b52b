//! `kasoku keygen`: a key for encrypted files.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use kasoku_file::{Key, key_file};

use super::{Failure, Outcome};

/// Make a key for encrypted files
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example:
  kasoku keygen -o backup.key        32 random bytes in base64; only you may read the file
Keep a copy somewhere else: without the key nobody can decrypt what was encrypted with it.")]
pub struct Args {
    /// The file to make; one that is there is never replaced
    #[arg(short, long, value_name = "KEYFILE")]
    output: PathBuf,
}

/// Makes the key file.
///
/// # Errors
/// If there is a file already, none can be made, or the system gives no random numbers.
pub fn run(args: &Args) -> Result<Outcome, Failure> {
    let text = key_file::format(&Key::generate().map_err(Failure::new)?);
    let fail = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::new(format!(
            "{}: there is a file of that name already, and a key is never replaced; name another",
            args.output.display()
        )),
        _ => Failure::new(format!("{}: {error}", args.output.display())),
    };
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&args.output).map_err(fail)?;
    if let Err(error) = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()) {
        let _ = std::fs::remove_file(&args.output); // half a key is of no use
        return Err(fail(error));
    }
    Ok(Outcome::Done)
}
