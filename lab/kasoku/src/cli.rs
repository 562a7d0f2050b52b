//! The command line: subcommands, exit status, errors.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::cmd::{self, CommandOutcome, Failure};
use kasoku_report::language::Language;

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

Exit status: 0 done; 1 a series failed or was not verified (the rest is kept); 2 wrong usage or bad input; 129, 130 \
or 143 stopped by a closed terminal, Ctrl-C or SIGTERM (completed measurements are kept).";

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<cmd::run::RunRequest>),
    Cpu(cmd::cpu::Args),
    Libraries(cmd::libraries::Args),
    Runs(cmd::runs::Args),
    Show(cmd::show::Args),
    Export(cmd::export::Args),
    Report(cmd::report::Args),
    Site(cmd::site::Args),
    Import(cmd::import::Args),
    Rank(cmd::rank::Args),
    Compare(cmd::compare::Args),
    #[cfg(target_os = "linux")]
    Ab(cmd::ab::Args),
    History(cmd::history::Args),
    Steps(cmd::steps::Args),
    Advise(cmd::advise::Args),
    OpensslConf(cmd::openssl_conf::Args),
    Selfcheck(cmd::selfcheck::Args),
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    #[command(hide = true)]
    Manual {
        /// Existing folder to write the manual pages to
        folder: PathBuf,
    },
    #[command(hide = true)]
    Worker(cmd::worker::Args),
    #[command(hide = true)]
    Guard(cmd::guard::Args),
    #[command(hide = true)]
    Become(cmd::become_program::Args),
    #[command(hide = true)]
    Endpoint(cmd::children::EndpointArgs),
    #[command(hide = true)]
    TlsClient(cmd::children::TlsClientArgs),
    /// Carry out what another host's run asks, over standard input and output
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Host,
}

pub fn main() -> ExitCode {
    let cli = parse().unwrap_or_else(|error| {
        let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        with_tip_for_dashes(error, &words).exit()
    });
    let store = cli.store.as_deref();
    let language = cli.lang.unwrap_or_else(|| Language::from_locale(|name| std::env::var(name).ok()));
    let result = match &cli.command {
        Command::Run(request) => cmd::run::run(request, store, language),
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
        Command::OpensslConf(args) => cmd::openssl_conf::run(args),
        Command::Selfcheck(args) => cmd::selfcheck::run(args),
        Command::Manual { folder } => clap_mangen::generate_to(command(), folder)
            .map(|()| CommandOutcome::Done)
            .map_err(|error| Failure::new(format!("{}: {error}", folder.display()))),
        Command::Worker(args) => cmd::worker::run(args),
        Command::Guard(args) => cmd::guard::run(args),
        Command::Become(args) => cmd::become_program::run(args),
        Command::Endpoint(args) => cmd::children::endpoint(args),
        Command::TlsClient(args) => cmd::children::tls_client(args),
        #[cfg(target_os = "linux")]
        Command::Host => cmd::run::serve(),
        Command::Completions { shell } => completions(*shell),
    };
    exit_code(result)
}

/// Prints a command's error, and returns its exit status.
pub fn exit_code(result: Result<CommandOutcome, Failure>) -> ExitCode {
    match result {
        Ok(CommandOutcome::Done) => ExitCode::SUCCESS,
        Ok(CommandOutcome::Partial) => ExitCode::from(1),
        Err(failure) => {
            let error = format!("{ERROR}error:{ERROR:#} ");
            let error = if failure.is_stopped() { "" } else { &error };
            let _ = writeln!(anstream::stderr(), "{error}{failure}");
            ExitCode::from(failure.status())
        }
    }
}

fn parse() -> Result<Cli, clap::Error> {
    let mut typed = matches_of(std::env::args_os())?;
    Cli::from_arg_matches_mut(&mut typed).map_err(|error| error.format(&mut command()))
}

/// Parses a command line, whose first word is the program's name.
pub fn matches_of(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<clap::ArgMatches, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(words)?;
    if let Some(("run", typed)) = matches.subcommand()
        && let Some(run) = command.find_subcommand_mut("run")
    {
        cmd::run::check_options(typed, run)?;
    }
    Ok(matches)
}

/// Corrects clap's tip for a value that begins with a dash, as in `-o -x`: `-o=-x` makes `-x` the value, while clap's
/// `-- -x` would make it an argument.
fn with_tip_for_dashes(mut error: clap::Error, words: &[String]) -> clap::Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else { return error };
    let mut whole = command();
    whole.build();
    let command = words.iter().fold(&whole, |command, word| command.find_subcommand(word).unwrap_or(command));
    let takes_value = |option: &str| {
        let short = option.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
        let is_it = |arg: &&clap::Arg| match option.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            None => short.is_some() && arg.get_short() == short.and_then(|short| short.chars().next()),
        };
        command.get_arguments().find(is_it).is_some_and(|arg| arg.get_action().takes_values())
    };
    let is_meant = |pair: &&[String]| pair[1].starts_with(unknown) && takes_value(&pair[0]);
    if let Some([option, value]) = words.windows(2).find(is_meant) {
        let tip = format!("to give {option} the value '{value}', use '{option}={value}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Subcommands without store and translated output. They accept `--store` and `--lang`, but hide them in their help.
const WITHOUT_STORE: &str = "ab completions cpu libraries openssl-conf selfcheck";

/// Returns each global option with the subcommands on which it has no effect. `site` ignores `--lang`, because it
/// writes pages in all languages.
fn without_effect() -> [(&'static str, Vec<&'static str>); 2] {
    let without: Vec<&str> = WITHOUT_STORE.split(' ').collect();
    [("store", without.clone()), ("lang", [&without[..], &["site"]].concat())]
}

pub fn command() -> clap::Command {
    let mut command = with_negative_numbers(Cli::command());
    for (option, subcommands) in without_effect() {
        let hidden = command.get_arguments().find(|argument| argument.get_id() == option).cloned();
        let hidden = hidden.map(|argument| argument.hide(true));
        for name in subcommands {
            // `ab` exists on Linux only.
            if command.find_subcommand(name).is_some() {
                command = command.mut_subcommand(name, |subcommand| subcommand.args(&hidden));
            }
        }
    }
    command
}

/// Makes clap accept `-5` as a value where a value is expected, so that the error is about the range and not about an
/// unknown option.
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
    let whole = command();
    let visible = whole.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned();
    let mut shown = clap::Command::new("kasoku").version(env!("CARGO_PKG_VERSION"));
    shown = shown.args(whole.get_arguments().cloned()).subcommands(visible);
    clap_complete::generate(shell, &mut shown, "kasoku", &mut script);
    kasoku_store::output_file::print(&String::from_utf8_lossy(&script))?;
    Ok(CommandOutcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn global_options_without_effect_are_accepted_and_hidden() {
        let mut whole = command();
        whole.build();
        let mut help = |name: &str| whole.find_subcommand_mut(name).unwrap().render_long_help().to_string();
        for (option, subcommands) in without_effect() {
            for name in subcommands {
                let help = help(name);
                assert!(!help.contains(&format!("--{option}")), "{help}");
            }
        }
        assert!(help("site").contains("--store") && help("rank").contains("--lang"));
        for arguments in ["kasoku --store s cpu", "kasoku cpu --lang ja --store s"] {
            let matches = command().try_get_matches_from(arguments.split(' ')).unwrap();
            assert_eq!(Cli::from_arg_matches(&matches).unwrap().store, Some("s".into()), "{arguments}");
        }
    }
}
