//! The command `kasoku-file`: makes keys, encrypts files and decrypts them.
//!
//! Each subcommand is a module with its arguments and a function `run`. Plaintext and ciphertext go to standard output,
//! errors and progress to standard error.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod args;
mod decrypt;
#[cfg(unix)]
mod descriptor;
mod encrypt;
mod failure;
mod input;
#[cfg(unix)]
mod interruption;
mod keygen;
mod name;
mod output;
mod progress_bar;
mod range;
mod secret;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use failure::Failure;

/// Encrypts files at the speed of copying, in an open format (Cobblestone)
#[derive(Debug, Parser)]
#[command(
    name = "kasoku-file",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  kasoku-file keygen -o backup.key
  kasoku-file encrypt --key backup.key records.tar            makes records.tar.kasoku
  kasoku-file decrypt --key backup.key records.tar.kasoku | tar x

Exit status: 0 done; 1 the work failed (damaged file, wrong key, full disk); 2 wrong usage or bad input; 129, 130 or \
143 stopped by a closed terminal, Ctrl-C or SIGTERM."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Keygen(keygen::Args),
    Encrypt(encrypt::Args),
    Decrypt(decrypt::Args),
    /// Print shell completions
    Completions {
        /// Shell to print the completions for
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    Manual {
        /// Existing folder to write the pages to
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Keygen(args) => keygen::run(&args),
        Command::Encrypt(args) => encrypt::run(&args),
        Command::Decrypt(args) => decrypt::run(&args),
        Command::Completions { shell } => completions(shell),
        Command::Manual { folder } => manual(&folder),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.status())
        }
    }
}

fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "kasoku-file", &mut script);
    print(&script)
}

fn manual(folder: &Path) -> Result<(), Failure> {
    clap_mangen::generate_to(Cli::command(), folder)
        .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))
}

/// Writes `bytes` to standard output. It is not an error if the reader has stopped early.
fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("cannot write standard output: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kasoku_file_command_line_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
