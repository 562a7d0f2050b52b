//! `kasoku run`: measure, store, report.

mod asked;
mod beforehand;
mod command_line;
mod files;
mod general;
#[cfg(target_os = "linux")]
mod hosts;
mod jvm;
mod levels;
mod list;
mod measure;
mod options;
mod packets;
mod ready;
mod results;
mod resume;
mod sizes;
mod tls;

#[cfg(target_os = "linux")]
pub use hosts::serve;
pub use levels::explained;
pub(super) use tls::loadable;

use std::path::Path;

use super::{CommandOutcome, Failure};
use asked::RunRequest;
use general::General;
use kasoku_measure::driver;
use kasoku_model::language::Language;
use levels::LevelCommand;
use list::list;
use measure::measure;
use options::options;
use results::{check_places, deliver_all};

/// Measure this machine
#[derive(Clone, Debug, clap::Args)]
#[command(subcommand_value_name = "LEVEL", subcommand_help_heading = "Levels", disable_help_subcommand = true)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    general: General,
    #[command(subcommand)]
    level: Option<LevelCommand>,
}

const EXAMPLES: &str = "\
Examples:
  kasoku run                                everything, and a verdict
  kasoku run primitives --quick --json out.json
  kasoku run --libraries openssl,ring --algorithms aes-256-gcm --sizes 1350,16384
  kasoku run --libcrypto /opt/openssl-3.5/lib/libcrypto.so.3     two builds side by side
  kasoku run primitives --algorithms aes-128-ctr --acceleration off --sizes sweep     for kasoku steps
  kasoku run tls --workers 1,2              an nginx server: see kasoku run tls --help
  kasoku run packets tls                    two levels
  kasoku run primitives --hosts node1,node2     each host measures itself, reached by ssh (docs/HOSTS.md)
  kasoku run --list                         what would be measured, and how long it would take";

/// Measures this machine.
///
/// # Errors
/// Wrong usage, or a place for the results that cannot be written; both before anything is measured.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let asked = RunRequest::by(&args.general, args.level.as_ref());
    let is_remote = asked.tls.is_remote() || !asked.general.hosts.is_empty();
    if asked.general.list && is_remote {
        return Err(Failure::new("--list shows what this host would measure; it does not work with other hosts"));
    }
    #[cfg(target_os = "linux")]
    if let Some(outcome) = hosts::run(&asked, store, language)? {
        return Ok(outcome);
    }
    #[cfg(not(target_os = "linux"))]
    if is_remote {
        return Err(Failure::new("runs on other hosts need Linux"));
    }
    let mut options = options(&asked)?;
    files::clean(&options);
    if asked.general.list {
        return list(&asked, &options);
    }
    let mut store = check_places(&asked, store)?;
    let finished = measure(&asked, &mut options, &mut store, &mut driver::run)?;
    deliver_all(&asked, store.open()?, &finished, language)
}
