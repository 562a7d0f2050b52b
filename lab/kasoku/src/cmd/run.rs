//! `kasoku run`: measures this machine, stores the run and reports the results.

#[cfg(target_os = "linux")]
mod hosts;
mod measure;
mod options;
mod planned_levels;
mod request;
mod results;
mod resume;

#[cfg(target_os = "linux")]
pub(crate) use hosts::serve;
pub(super) use options::check_module;
pub(crate) use request::{RunRequest, check_options};

use std::path::Path;

use super::{CommandOutcome, Failure, tell};
use kasoku_libraries::folder::remove_leftovers;
use kasoku_measure::driver;
use kasoku_report::language::Language;
use measure::measure;
use options::level_options;
use planned_levels::list;
use results::{check_outputs, deliver_all};

/// Measures this machine, or other hosts. Wrong usage and unwritable files are errors before anything is measured.
pub(crate) fn run(request: &RunRequest, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let is_remote = request.tls.is_remote() || !request.common.hosts.is_empty();
    if request.common.list && is_remote {
        return Err(Failure::new("--list shows what this host would measure; it does not work with other hosts"));
    }
    #[cfg(target_os = "linux")]
    if let Some(outcome) = hosts::run(request, store, language)? {
        return Ok(outcome);
    }
    #[cfg(not(target_os = "linux"))]
    if is_remote {
        return Err(Failure::new("runs on other hosts need Linux"));
    }
    let mut options = level_options(request)?;
    for path in remove_leftovers(&options.files.dir()) {
        tell(&format!("removed {}, left by a killed run", path.display()));
    }
    if request.common.list {
        return list(request, &options);
    }
    let mut store = check_outputs(request, store)?;
    let completed = measure(request, &mut options, &mut store, &mut driver::run)?;
    deliver_all(request, store.open()?, &completed, language)
}
