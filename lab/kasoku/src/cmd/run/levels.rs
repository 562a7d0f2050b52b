//! The levels as subcommands of `kasoku run`, each with the options of its own.

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::files::{self, FilesArgs};
use super::general::General;
use super::jvm::{self, JvmArgs};
use super::packets::{self, PacketsArgs};
use super::tls::{self, TlsArgs};
use kasoku_measure::level::LEVELS;
use kasoku_model::name::UnknownName;

/// A level and what is asked of it.
#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum LevelCommand {
    /// Ciphers, AEADs, hashes, key agreements, signatures and encapsulation
    Primitives(LevelArgs<NoOptions>),
    /// QUIC packets and TLS records; data end to end
    #[command(after_help = packets::EXAMPLES)]
    Packets(LevelArgs<PacketsArgs>),
    /// Encryption and decryption of whole files
    #[command(after_help = files::EXAMPLES)]
    Files(LevelArgs<FilesArgs>),
    /// AES in Java: each JDK's own provider, NSS, and add-on providers
    #[command(after_help = jvm::EXAMPLES)]
    Jvm(LevelArgs<JvmArgs>),
    /// An nginx web server
    #[command(after_help = tls::EXAMPLES)]
    Tls(LevelArgs<TlsArgs>),
}

/// What stands behind a level's name.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct LevelArgs<Own: clap::Args> {
    /// More levels to measure, with general options only
    #[arg(value_name = "LEVEL", value_parser = PossibleValuesParser::new(names()))]
    pub(super) others: Vec<String>,
    #[command(flatten)]
    pub(super) own: Own,
    #[command(flatten)]
    pub(super) general: General,
}

/// The options of a level that has none.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct NoOptions {}

/// The names of all levels.
pub(super) fn names() -> Vec<&'static str> {
    LEVELS.iter().map(|level| level.level.name()).collect()
}

/// What clap found wrong; of an option that belongs to other levels of `run` with their names, and of an unknown level
/// with all that there are.
pub fn explained(error: clap::Error, command: clap::Command) -> clap::Error {
    explanation(&error, command).unwrap_or(error)
}

fn explanation(error: &clap::Error, mut command: clap::Command) -> Option<clap::Error> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    if !usage.to_string().contains("kasoku run") {
        return None;
    }
    let string = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    command.build();
    let run = command.find_subcommand_mut("run")?;
    if let Some(level) = string(ContextKind::InvalidSubcommand) {
        let unknown = UnknownName::new("level", level, names().into_iter());
        return Some(run.error(ErrorKind::InvalidSubcommand, unknown));
    }
    let option = string(ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    let long = option.strip_prefix("--")?;
    let has_it = |level: &&clap::Command| level.get_arguments().any(|one| one.get_long() == Some(long));
    let levels: Vec<&str> = run.get_subcommands().filter(has_it).map(clap::Command::get_name).collect();
    let first = levels.first()?;
    let many = if levels.len() > 1 { "s" } else { "" };
    let what = format!("{option} is for the level{many} {}: kasoku run {first} {option} …", levels.join(" and "));
    Some(run.error(ErrorKind::UnknownArgument, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_a_subcommand() {
        let command = <LevelCommand as clap::Subcommand>::augment_subcommands(clap::Command::new("run"));
        let subcommands: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(subcommands, names());
    }
}
