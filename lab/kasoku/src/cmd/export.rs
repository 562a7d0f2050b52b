//! `kasoku export`: writes a stored run as a document.

use std::path::{Path, PathBuf};

use super::{CommandOutcome, Failure, Format, named};
use kasoku_report::language::Language;
use kasoku_report::render;
use kasoku_store::output_file;

/// Write a stored run to standard output or a file
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku export > run.json                   the newest run, for `kasoku import` on another machine
  kasoku export last-1 --format csv -o run.csv
An existing file is replaced atomically: readers never see a partial file.")]
pub(crate) struct Args {
    /// The run: its name, label or unique prefix, `last`, `last-N` (N runs before it), or the name of an imported
    /// machine or a published device
    #[arg(default_value = "last")]
    run: String,
    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    format: Format,
    /// Output file
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let document = named::document(&args.run, store)?;
    let text = render::export(&document, args.format, language);
    output_file::write(&args.output, text.as_bytes())?;
    Ok(CommandOutcome::Done)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use kasoku_model::document::{Document, Machine, Run, SCHEMA};
    use kasoku_store::Store;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    fn args(arguments: &[&str]) -> Args {
        Command::try_parse_from([&["export"], arguments].concat()).unwrap().args
    }

    fn document(id: &str, started: &str) -> Document {
        let run = Run { id: id.into(), started: started.into(), ..Run::default() };
        Document { schema: SCHEMA, run, machine: Machine::default(), series: Vec::new() }
    }

    #[test]
    fn export_writes_the_unchanged_document_of_the_named_run() {
        let folder = tempfile::tempdir().unwrap();
        let (path, output) = (folder.path().join("kasoku.sqlite"), folder.path().join("run.json"));
        let documents = [document("a", "2026-11-20T09:00:00Z"), document("b", "2026-11-21T09:00:00Z")];
        let mut store = Store::open(&path).unwrap();
        documents.iter().for_each(|document| store.add_document(document).unwrap());
        for (name, expected) in [(&[][..], &documents[1]), (&["last-1"], &documents[0]), (&["a"], &documents[0])] {
            let args = args(&[name, &["-o", output.to_str().unwrap()]].concat());
            assert_eq!(run(&args, Some(&path), Language::ENGLISH), Ok(CommandOutcome::Done));
            let text = std::fs::read_to_string(&output).unwrap();
            assert_eq!(&serde_json::from_str::<Document>(&text).unwrap(), expected);
        }
    }
}
