//! `kasoku advise`: what to choose on a machine, with the figures behind it and lines to paste.

use std::path::Path;

use super::{CommandOutcome, Failure, Format, named, print_output};
use kasoku_advice::Topic;
use kasoku_measure::machine;
use kasoku_report::language::Language;
use kasoku_report::render;

/// Advise what to choose on a machine, with the figures behind it and configuration lines to paste
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku advise                             this machine, from its newest runs
  kasoku advise \"Raspberry Pi4\"             a device with published figures
  kasoku advise --for tls,ssh               only these topics
  kasoku advise last-1 --format markdown --lang ja
  kasoku advise --rules --for tls           the rules on this topic, without a run

Advice rests on measured figures. Where they show no difference, or are missing, it says so.")]
pub(crate) struct Args {
    /// The run: its name, label or unique prefix, `last`, `last-N` (N runs before it), or the name of an imported
    /// machine or a published device [default: for each topic, this machine's newest complete run that covers it;
    /// otherwise the newest run]
    run: Option<String>,
    /// Topics to advise on
    #[arg(long = "for", value_enum, ignore_case = true, value_delimiter = ',', value_name = "TOPIC")]
    topics: Vec<Topic>,
    /// Print the rules instead of advice: when each applies, what it says and why, in English
    #[arg(long, conflicts_with = "run")]
    rules: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let output = if args.rules {
        render::rules(&args.topics)
    } else {
        let documents = match &args.run {
            Some(name) => vec![named::document(name, store)?],
            None => named::newest_of(&named::open_store(store)?, &machine::this())?,
        };
        render::advice(&documents, &args.topics, language)
    };
    print_output(&output, args.format, language)?;
    Ok(CommandOutcome::Done)
}
