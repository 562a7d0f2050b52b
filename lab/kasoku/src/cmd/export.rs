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
