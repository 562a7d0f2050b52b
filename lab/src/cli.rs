//! The command line: subcommands, exit status, errors.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::cmd::{self, Failure, Outcome};

/// Measures what cryptographic acceleration is worth on this machine.
#[derive(Debug, Parser)]
#[command(name = "kasoku", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    /// The file with all runs [default: $KASOKU_STORE, or kasoku.sqlite in your data folder]
    #[arg(long, global = true, value_name = "FILE")]
    store: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  kasoku run                    measure everything this machine can run, and say what to choose
  kasoku run --quick            the same in less time, with wider intervals
  kasoku run primitives --algorithms aes-128-gcm,chacha20-poly1305 --sizes 1350,16384
  kasoku cpu                    what acceleration the CPU has, and which library can use it
  kasoku show last --format json

Exit status: 0 done; 1 a series failed or was not verified (the rest is kept); 2 wrong usage or bad input.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure this machine
    Run(Box<cmd::run::Args>),
    /// Show how fast the engine is against each rival, and what it is meant to reach
    Engine(cmd::engine::Args),
    /// Show what acceleration this CPU has, and which stack can use it
    Cpu(cmd::cpu::Args),
    /// Show what can be measured here, and why the rest cannot
    Stacks(cmd::stacks::Args),
    /// List the stored runs
    Runs(cmd::runs::Args),
    /// Show a stored run
    Show(cmd::show::Args),
    /// Write a stored run to a file
    Export(cmd::export::Args),
    /// Write the report of a stored run
    Report(cmd::report::Args),
    /// Show that the method tells a 2 % difference, and claims none where there is none
    Selfcheck(cmd::selfcheck::Args),
    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    #[command(hide = true)]
    Probe(cmd::probe::Args),
}

/// Runs the command; the exit status says how it ended.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let store = cli.store.as_deref();
    let result = match &cli.command {
        Command::Run(args) => cmd::run::run(args, store),
        Command::Engine(args) => cmd::engine::run(args),
        Command::Cpu(args) => cmd::cpu::run(args),
        Command::Stacks(args) => cmd::stacks::run(args),
        Command::Runs(args) => cmd::runs::run(args, store),
        Command::Show(args) => cmd::show::run(args, store),
        Command::Export(args) => cmd::export::run(args, store),
        Command::Report(args) => cmd::report::run(args, store),
        Command::Selfcheck(args) => cmd::selfcheck::run(args),
        Command::Probe(args) => cmd::probe::run(args),
        Command::Completions { shell } => completions(*shell),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Partial) => ExitCode::from(1),
        Err(failure) => {
            let _ = writeln!(anstream::stderr(), "{}error:{} {failure}", ERROR.render(), ERROR.render_reset());
            ExitCode::from(2)
        }
    }
}

const ERROR: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();

fn completions(shell: clap_complete::Shell) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "kasoku", &mut script);
    crate::output_file::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
