//! The command line: subcommands, exit status, errors.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::cmd::{self, CommandOutcome, Failure};
use kasoku_model::language::Language;

/// Measures what cryptographic acceleration is worth on this machine.
#[derive(Debug, Parser)]
#[command(name = "kasoku", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    /// File that holds all runs [default: $KASOKU_STORE, or kasoku.sqlite in your data folder]
    #[arg(long, global = true, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Language of reports, tables and advice [default: Japanese in a Japanese locale, otherwise English]
    #[arg(long, global = true, value_enum, value_name = "LANGUAGE")]
    lang: Option<Language>,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  kasoku run                    measure everything this machine can run, and advise what to choose
  kasoku run --quick            the same in less time, with wider intervals
  kasoku run primitives --algorithms aes-128-gcm,chacha20-poly1305 --sizes 1350,16384
  kasoku cpu                    the CPU's acceleration, and which libraries can use it
  kasoku show last --format json

Exit status: 0 done; 1 a series failed or was not verified (the rest is kept); 2 wrong usage or bad input; 130 or 143 \
stopped by Ctrl-C or SIGTERM (completed measurements are kept).";

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure this machine
    Run(Box<cmd::run::Args>),
    /// Compare the engine with each competitor
    Engine(cmd::engine::Args),
    /// Show this CPU's acceleration and which libraries can use it
    Cpu(cmd::cpu::Args),
    /// List what can be measured here, and why the rest cannot
    #[command(alias = "stacks")]
    Libraries(cmd::libraries::Args),
    /// List the stored runs
    Runs(cmd::runs::Args),
    /// Show a stored run
    Show(cmd::show::Args),
    /// Write a stored run to a file
    Export(cmd::export::Args),
    /// Write the report of a stored run
    Report(cmd::report::Args),
    /// Write a site of all machines
    Site(cmd::site::Args),
    /// Import runs: openssl speed transcripts, run documents, collected files
    Import(cmd::import::Args),
    /// Rank this machine among all known ones
    Rank(cmd::rank::Args),
    /// Compare two runs
    Compare(cmd::compare::Args),
    /// Show which of two commands takes longer, and whether the difference exceeds the noise
    #[cfg(target_os = "linux")]
    Ab(cmd::ab::Args),
    /// Show how one workload changed over a machine's runs
    History(cmd::history::Args),
    /// Show the sizes at which a workload's time jumps
    Steps(cmd::steps::Args),
    /// Advise what to choose on a machine
    Advise(cmd::advise::Args),
    /// Generate a key for encrypted files
    Keygen(cmd::keygen::Args),
    /// Serve files over TLS to measuring clients on other hosts
    Serve(cmd::serve::Args),
    /// Encrypt a file
    Encrypt(cmd::encrypt::Args),
    /// Decrypt a file
    Decrypt(cmd::decrypt::Args),
    /// Print the configuration that makes OpenSSL 3 programs use Kasoku
    OpensslConf(cmd::openssl_conf::Args),
    /// Check that a 2 % difference is detected and no false one is claimed
    Selfcheck(cmd::selfcheck::Args),
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    #[command(hide = true)]
    Manual(cmd::manual::Args),
    #[command(hide = true)]
    Worker(cmd::worker::Args),
    #[command(hide = true)]
    Guard(cmd::guard::Args),
    #[command(hide = true)]
    Become(cmd::become_program::Args),
    #[command(hide = true)]
    Endpoint(cmd::endpoint::Args),
    #[command(hide = true)]
    TlsClient(cmd::tls_client::Args),
}

/// Runs the command; the exit status says how it ended.
pub fn main() -> ExitCode {
    let cli = typed().unwrap_or_else(|error| cmd::run::explained(error, command()).exit());
    let store = cli.store.as_deref();
    let language = cli.lang.unwrap_or_else(|| Language::of_locale(|name| std::env::var(name).ok()));
    let result = match &cli.command {
        Command::Run(args) => cmd::run::run(args, store, language),
        Command::Engine(args) => cmd::engine::run(args),
        Command::Cpu(args) => cmd::cpu::run(args),
        Command::Libraries(args) => cmd::libraries::run(args),
        Command::Runs(args) => cmd::runs::run(args, store, language),
        Command::Show(args) => cmd::show::run(args, store, language),
        Command::Export(args) => cmd::export::run(args, store, language),
        Command::Report(args) => cmd::report::run(args, store, language),
        Command::Site(args) => cmd::site::run(args, store),
        Command::Import(args) => cmd::import::run(args, store, language),
        Command::Rank(args) => cmd::rank::run(args, store, language),
        Command::Compare(args) => cmd::compare::run(args, store, language),
        #[cfg(target_os = "linux")]
        Command::Ab(args) => cmd::ab::run(args),
        Command::History(args) => cmd::history::run(args, store, language),
        Command::Steps(args) => cmd::steps::run(args, store, language),
        Command::Advise(args) => cmd::advise::run(args, store, language),
        Command::Keygen(args) => cmd::keygen::run(args),
        Command::Encrypt(args) => cmd::encrypt::run(args),
        Command::Decrypt(args) => cmd::decrypt::run(args),
        Command::OpensslConf(args) => cmd::openssl_conf::run(args),
        Command::Selfcheck(args) => cmd::selfcheck::run(args),
        Command::Serve(args) => cmd::serve::run(args),
        Command::Manual(args) => cmd::manual::run(args, command()),
        Command::Worker(args) => cmd::worker::run(args),
        Command::Guard(args) => cmd::guard::run(args),
        Command::Become(args) => cmd::become_program::run(args),
        Command::Endpoint(args) => cmd::endpoint::run(args),
        Command::TlsClient(args) => cmd::tls_client::run(args),
        Command::Completions { shell } => completions(*shell),
    };
    match result {
        Ok(CommandOutcome::Done) => ExitCode::SUCCESS,
        Ok(CommandOutcome::Partial) => ExitCode::from(1),
        Err(stopped) if stopped.is_stopped() => {
            let _ = writeln!(anstream::stderr(), "{stopped}");
            ExitCode::from(stopped.status())
        }
        Err(failure) => {
            let _ = writeln!(anstream::stderr(), "{}error:{} {failure}", ERROR.render(), ERROR.render_reset());
            ExitCode::from(failure.status())
        }
    }
}

/// What was typed.
fn typed() -> Result<Cli, clap::Error> {
    let mut typed = command().try_get_matches()?;
    Cli::from_arg_matches_mut(&mut typed).map_err(|error| error.format(&mut command()))
}

/// The command line, as `main` reads it. What concerns the store and reports is not shown where files are encrypted.
pub fn command() -> clap::Command {
    let command = with_negative_numbers(Cli::command());
    let global = command.get_arguments().filter(|argument| argument.is_global_set()).cloned();
    let hidden: Vec<clap::Arg> = global.map(|argument| argument.hide(true)).collect();
    ["keygen", "encrypt", "decrypt"]
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |subcommand| subcommand.args(&hidden)))
}

/// Where a value is expected, `-5` is one and no option: whoever reads it says which numbers there are.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let allow = |arg: clap::Arg| {
        let takes_values = arg.get_action().takes_values();
        arg.allow_negative_numbers(takes_values)
    };
    command.mut_args(allow).mut_subcommands(with_negative_numbers)
}

const ERROR: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();

fn completions(shell: clap_complete::Shell) -> Result<CommandOutcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "kasoku", &mut script);
    kasoku_store::output_file::print(&String::from_utf8_lossy(&script))?;
    Ok(CommandOutcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn options_without_effect_are_taken_and_not_shown() {
        for name in ["keygen", "encrypt", "decrypt"] {
            let mut whole = command();
            whole.build();
            let help = whole.find_subcommand_mut(name).unwrap().render_long_help().to_string();
            assert!(!help.contains("--store") && !help.contains("--lang"), "{help}");
        }
        for arguments in ["kasoku --store s keygen -o x", "kasoku keygen --lang ja --store s -o x"] {
            let matches = command().try_get_matches_from(arguments.split(' ')).unwrap();
            assert_eq!(Cli::from_arg_matches(&matches).unwrap().store, Some("s".into()), "{arguments}");
        }
    }
}
