//! `kasoku libraries`: lists libraries, their versions, and why one is not available.

mod program;
mod verification;

use std::ffi::OsString;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::json;

use super::named::worker_command;
use super::{CommandOutcome, Failure, Format};
use kasoku_libraries::jvm::{Runtimes, SUNJCE};
use kasoku_libraries::{self as libraries, LibraryEntry, Switch};
use kasoku_measure::conformance::{self, CheckedRule, RuleOutcome};
use kasoku_measure::worker::{Worker, WorkerError, WorkerName};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::printable::printable;
use kasoku_report::render;
use kasoku_store::output_file;

/// List what can be measured here, and why the rest cannot
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Show whether a program uses Kasoku's OpenSSL provider: a process ID (its children are included), or a command,
    /// which is run with the provider configured
    #[arg(long, value_name = "PID|COMMAND", num_args = 1.., allow_hyphen_values = true, conflicts_with = "format")]
    program: Option<Vec<OsString>>,
    /// Check that a program conforms to the protocol of `kasoku run --worker` (docs/WORKERS.md); exit status 1 if it is
    /// not
    #[arg(long, value_name = "COMMAND", value_parser = worker_command, conflicts_with = "program")]
    check_worker: Option<&'static LibraryEntry>,
    /// Show whether the machine code of a build of Kasoku's C library was verified, such as
    /// /usr/lib/x86_64-linux-gnu/libkasoku.so.0
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "program"])]
    verified: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  kasoku libraries
  kasoku libraries --check-worker 'python3 lab/workers/worker.py'
  kasoku libraries --program $(cat /run/nginx.pid)      exit status 0 if the provider is loaded, 1 if not
  kasoku libraries --program curl -sS -o /dev/null https://example.org/
  kasoku libraries --verified lib/libkasoku.so.0        exit status 0 if a record lists the file, 1 if not";

#[derive(Serialize)]
struct Row {
    library: &'static str,
    about: &'static str,
    available: bool,
    version: Option<String>,
    loaded_from: Option<String>,
    acceleration_off: String,
    why: Option<String>,
    install: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    if let Some(words) = &args.program {
        return program::run(words);
    }
    if let Some(entry) = args.check_worker {
        return check_worker(entry, args.format);
    }
    if let Some(library) = &args.verified {
        return verification::run(library);
    }
    let rows: Vec<Row> = libraries::LIBRARIES.iter().filter(|entry| entry.is_listed).map(row).collect();
    let lines: Vec<Vec<String>> = rows.iter().map(line).collect();
    output_file::print(&render::list(&HEADINGS, &lines, &json!(rows), args.format))?;
    Ok(CommandOutcome::Done)
}

/// Prints a line for each rule of the protocol.
fn check_worker(entry: &'static LibraryEntry, format: Format) -> Result<CommandOutcome, Failure> {
    let rules = conformance::check(entry).map_err(|error| Failure::in_the_middle(error.to_string()))?;
    let outcome = |rule: &CheckedRule| match rule.outcome {
        RuleOutcome::Kept => "kept",
        RuleOutcome::Broken => "BROKEN",
        RuleOutcome::NotChecked => "not checked",
    };
    let line = |rule: &CheckedRule| vec![rule.rule.to_owned(), outcome(rule).to_owned(), printable(&rule.detail)];
    let lines: Vec<Vec<String>> = rules.iter().map(line).collect();
    output_file::print(&render::list(&["a worker", "result", "seen"], &lines, &json!(rules), format))?;
    let is_broken = rules.iter().any(|rule| rule.outcome == RuleOutcome::Broken);
    Ok(if is_broken { CommandOutcome::Partial } else { CommandOutcome::Done })
}

const HEADINGS: [&str; 4] = ["library", "version", "acceleration off", "what it is"];

fn row(entry: &'static LibraryEntry) -> Row {
    let (worker, error) = match Worker::start(WorkerName::new(entry, Acceleration::On)) {
        Ok(worker) => (Some(worker), None),
        Err(error) => (None, Some(error)),
    };
    Row {
        library: entry.name,
        about: entry.about,
        available: worker.is_some(),
        version: worker.as_ref().map(|worker| versions(entry, worker)),
        loaded_from: worker.and_then(|worker| worker.library.loaded_from.clone()),
        acceleration_off: switch(entry),
        why: error.as_ref().map(ToString::to_string),
        install: error.and_then(|error| match error {
            WorkerError::Unavailable { install, .. } => install,
            _ => None,
        }),
    }
}

/// Returns the library's version. For Java's own provider, returns the versions of all JDKs found, beginning with the
/// JDK that the worker uses.
fn versions(entry: &LibraryEntry, worker: &Worker) -> String {
    let mut versions = vec![worker.library.version.clone()];
    if entry.name == SUNJCE.name {
        versions.extend(Runtimes::find(&[]).usable.into_iter().map(|runtime| runtime.version));
        versions.dedup();
    }
    versions.join(", ")
}

fn switch(entry: &LibraryEntry) -> String {
    match (entry.switch)(Acceleration::Off) {
        Switch::Environment(variables) => {
            variables.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        }
        Switch::Flags(flags) => format!("java {}", flags.join(" ")),
        Switch::WhenOpened => "by the function that is called".to_owned(),
        Switch::None(why) => format!("no: {why}"),
    }
}

fn line(row: &Row) -> Vec<String> {
    let version = match (&row.version, &row.why, &row.install) {
        (Some(version), _, _) => version.clone(),
        (None, Some(why), Some(install)) => format!("unavailable: {why}; {install}"),
        (None, why, _) => format!("unavailable: {}", why.as_deref().unwrap_or("unknown")),
    };
    vec![row.library.to_owned(), version, row.acceleration_off.clone(), row.about.to_owned()]
}
