//! `kasoku history`: how one workload changed over a machine's runs.

use std::path::Path;

use super::rank::WorkloadArgs;
use super::{CommandOutcome, Failure, Format, named, print_output, tell, tell_unread};
use kasoku_measure::machine;
use kasoku_model::printable::printable;
use kasoku_report::collection as report;
use kasoku_report::language::Language;
use kasoku_report::render;
use kasoku_store::MachineIdentity;
use kasoku_store::collection::Collection;

/// Show how one workload changed over a machine's runs
///
/// Complete runs that Kasoku measured are listed, oldest first. Each is compared with the one before: a change is shown
/// where their 95 % intervals do not overlap and the figures differ by more than 3 %. Without --bytes, the size that
/// most runs have is used.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku history aes-128-gcm
  kasoku history sha-256 --bytes 16384 --library any --format csv
  kasoku history x25519 --machine \"Raspberry Pi\"")]
pub(crate) struct Args {
    #[command(flatten)]
    question: WorkloadArgs,
    /// Machine, by its name or part of it [default: this one]
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let mut question = args.question.question()?;
    let store = named::open_store(store)?;
    let collection = Collection::open(Some(&store))?;
    let machine = match &args.machine {
        None => collection.identity_of(&machine::this()).ok_or_else(|| {
            let next = "make one with `kasoku run`, or name another machine with --machine";
            Failure::new(format!("the store has no complete run of this machine; {next}"))
        })?,
        Some(name) => find_machine(&collection, name)?,
    };
    if args.question.bytes.is_none() && question.has_sizes() {
        let bytes = collection.usual_bytes_of(&question, machine)?;
        question = question.at(bytes);
    }
    let history = collection.history(&question, machine, usize::MAX)?;
    report::nothing_in_history(&history).iter().for_each(|message| tell(&render::words(message, language)));
    let outcome = tell_unread(&store);
    print_output(&report::history(&history), args.format, language)?;
    Ok(outcome)
}

/// Returns the machine called `name` that has complete runs. More than one such machine is an error.
fn find_machine<'c>(collection: &'c Collection<'_>, name: &str) -> Result<&'c MachineIdentity, Failure> {
    let shown = printable(name);
    match collection.machines_called(name).as_slice() {
        [machine] => Ok(machine),
        [] => {
            let known = list_machines(&collection.machines_called(""));
            Err(Failure::new(format!("no machine named {shown:?} has complete runs; known machines: {known}")))
        }
        several => Err(Failure::new(format!(
            "{shown:?} matches several machines: {}; give more of the name",
            list_machines(several)
        ))),
    }
}

/// Lists up to ten machines by name, architecture, number of CPUs and hypervisor.
fn list_machines(machines: &[&MachineIdentity]) -> String {
    let named = |machine: &&MachineIdentity| {
        let hypervisor = machine.hypervisor.as_deref().map(|name| format!(", {name}")).unwrap_or_default();
        printable(&format!("{} ({}, {} CPUs{hypervisor})", machine.label(), machine.arch, machine.cores))
    };
    let mut names: Vec<String> = machines.iter().map(named).take(10).collect();
    if machines.len() > names.len() {
        names.push(format!("{} more", machines.len() - names.len()));
    }
    if names.is_empty() { "none".to_owned() } else { names.join("; ") }
}
