//! `kasoku advise`: what to choose on a machine, with the figures behind it and lines to paste.

use std::path::Path;

use super::{Failure, Format, Outcome, named};
use kasoku_advice::Topic;
use kasoku_model::document::Document;
use kasoku_model::language::Language;
use kasoku_report as report;
use kasoku_store::output_file;
use kasoku_store::{Store, location};

/// Say what to choose on a machine, with the figures behind it and lines to paste
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku advise                             this machine, from its newest run
  kasoku advise \"Raspberry Pi4\"             a device whose figures were published
  kasoku advise --for tls,ssh               only what concerns these
  kasoku advise last-1 --format markdown --lang ja

Figures decide. Where they show no difference, or where there is none, it says so.")]
pub struct Args {
    /// The run: its name, a beginning that no other has, `last`, or `last-N` for the one N before; or what people call a
    /// machine: that of an import, or a published device [default: the newest run of this machine, else the newest]
    pub run: Option<String>,
    /// Only advice on these
    #[arg(long = "for", value_enum, ignore_case = true, value_delimiter = ',', value_name = "TOPIC")]
    pub topics: Vec<Topic>,
    /// The form
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Prints the advice.
///
/// # Errors
/// If there is no such run and no such published device, or the store cannot be read.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<Outcome, Failure> {
    let document = document(args.run.as_deref(), store)?;
    let color = super::is_colour_wanted();
    output_file::print(&report::advice::render(&document, &args.topics, args.format, language, color))?;
    Ok(Outcome::Done)
}

fn document(name: Option<&str>, store: Option<&Path>) -> Result<Document, Failure> {
    if let Some(name) = name {
        return named::document(name, store);
    }
    let store = Store::open_existing(&location::locate(store)?)?;
    Ok(store.load(&newest_here(&store)?)?)
}

/// The newest whole run that was measured on this CPU, else the newest run.
fn newest_here(store: &Store) -> Result<String, Failure> {
    let here = kasoku_measure::cpu::detect().name;
    let runs = store.runs()?;
    match runs.iter().find(|run| run.complete && run.origin.is_none() && !here.is_empty() && run.cpu == here) {
        Some(run) => Ok(run.id.clone()),
        None => Ok(store.find("last")?),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use kasoku_model::document::{Machine, Origin, OriginKind, Run, SCHEMA};

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    fn document_of(id: &str, started: &str, cpu: &str, is_complete: bool) -> Document {
        let run = Run { id: id.into(), started: started.into(), complete: is_complete, ..Run::default() };
        let machine = Machine { cpu: cpu.into(), ..Machine::default() };
        Document { schema: SCHEMA, run, machine, series: Vec::new() }
    }

    #[test]
    fn the_newest_whole_run_of_this_cpu_comes_before_newer_ones_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kasoku.sqlite");
        let here = kasoku_measure::cpu::detect().name;
        let mut store = Store::open(&path).unwrap();
        for (id, started, cpu, is_complete) in [
            ("a", "2026-11-20T09:00:00Z", here.as_str(), true),
            ("b", "2026-11-20T10:00:00Z", here.as_str(), false),
            ("c", "2026-11-20T11:00:00Z", "another CPU", true),
        ] {
            store.add_document(&document_of(id, started, cpu, is_complete)).unwrap();
        }
        let found = if here.is_empty() { "c" } else { "a" };
        assert_eq!(document(None, Some(&path)).unwrap().run.id, found);
        let mut called = document_of("d", "2026-11-20T12:00:00Z", &here, true);
        called.machine.name = Some("My Router 2".into());
        called.run.origin =
            Some(Origin { kind: OriginKind::Transcript, source: "x.txt".into(), address: None, note: None });
        store.add_document(&called).unwrap();
        assert_eq!(document(Some("my-router2"), Some(&path)).unwrap().run.id, "d");
        assert_eq!(document(None, Some(&path)).unwrap().run.id, found);
        assert_eq!(document(Some("last"), Some(&path)).unwrap().run.id, "c");
        assert_eq!(document(Some("b"), Some(&path)).unwrap().run.id, "b");
    }

    #[test]
    fn what_is_neither_is_a_failure_in_words_and_a_device_needs_no_store() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none.sqlite");
        let failure = document(Some("\u{1b}[31mx"), Some(&missing)).unwrap_err().to_string();
        assert!(failure.contains("there is no store") && failure.contains("published device"), "{failure}");
        assert!(!failure.contains('\u{1b}'), "{failure}");
        assert_eq!(document(Some("i7-950"), Some(&missing)).unwrap().machine.label(), "i7-950");
    }

    #[test]
    fn topics_are_named_as_in_the_output() {
        let args = Command::try_parse_from(["advise", "--for", "tls,ssh,wireguard"]).unwrap().args;
        assert_eq!(args.topics, [Topic::Tls, Topic::Ssh, Topic::Wireguard]);
        let args = Command::try_parse_from(["advise", "--for", "nginx,OpenSSH,LUKS,jdk"]).unwrap().args;
        assert_eq!(args.topics, [Topic::WebServer, Topic::Ssh, Topic::Disk, Topic::Java]);
        assert!(Command::try_parse_from(["advise", "--for", "faster"]).is_err());
    }
}
