//! `kasoku rank`: ranks this machine among all known machines.

use std::path::Path;

use super::{CommandOutcome, Failure, Format, named, print_output, tell, tell_unread};
use kasoku_measure::machine;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{self, Operation};
use kasoku_report::collection as report;
use kasoku_report::language::Language;
use kasoku_report::render;
use kasoku_report::text::Text;
use kasoku_store::collection::{Collection, DEFAULT_LIBRARY, RankingQuestion, RunsLeftOut};

/// Rank this machine among all known ones
///
/// The ranking includes the runs in the store, imported results and Kasoku's published figures. A machine measured here
/// counts with its newest complete run; figures from elsewhere are marked. Without --bytes, the size that most machines
/// have is used.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku rank aes-128-gcm --bytes 16384
  kasoku rank chacha20-poly1305 --library any      the fastest library on each machine
  kasoku rank aes-256-cbc --acceleration off
  kasoku rank ed25519 --operation verify --format csv")]
pub(crate) struct Args {
    #[command(flatten)]
    question: WorkloadArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Arguments that select one workload.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WorkloadArgs {
    /// Algorithm: `aes-128-gcm`, `sha-256`, `x25519`…
    algorithm: Algorithm,
    /// Size in bytes (ciphers and hashes only)
    #[arg(long, value_name = "N", value_parser = workload::size)]
    pub(crate) bytes: Option<usize>,
    /// Operation [default: the algorithm's first: encrypt, seal, hash, derive, sign…]
    #[arg(long, value_name = "OPERATION")]
    operation: Option<Operation>,
    /// Library, or `any` for the fastest on each machine
    #[arg(long, value_name = "NAME", default_value = DEFAULT_LIBRARY)]
    library: String,
    /// Acceleration state
    #[arg(long, value_name = "STATE", default_value_t = Acceleration::On)]
    acceleration: Acceleration,
}

impl WorkloadArgs {
    /// Checks the arguments and returns the workload to rank machines by, with the default size if `--bytes` is
    /// missing.
    pub(crate) fn question(&self) -> Result<RankingQuestion, Failure> {
        let mut question = RankingQuestion::new(self.algorithm);
        if let Some(operation) = self.operation {
            let known = Operation::of(self.algorithm.kind());
            if !known.contains(&operation) {
                let names: Vec<&str> = known.iter().map(|operation| operation.name()).collect();
                let message =
                    format!("{} does not support {operation}; it supports {}", self.algorithm, names.join(" and "));
                return Err(Failure::new(message));
            }
            question.operation = operation;
        }
        question.acceleration = self.acceleration;
        question.library = match self.library.as_str() {
            "any" => None,
            // Imported figures may name libraries that Kasoku does not measure.
            typed => Some(named::library(typed).unwrap_or_else(|_| typed.to_owned())),
        };
        match self.bytes {
            Some(_) if !question.has_sizes() => {
                Err(Failure::new(format!("{} has no sizes; leave out --bytes", self.algorithm)))
            }
            Some(bytes) => Ok(question.at(bytes)),
            None => Ok(question),
        }
    }
}

/// Prints the ranking. Without a store, the ranking contains published figures only.
pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let say = |message: &Text| render::words(message, language);
    let mut question = args.question.question()?;
    let store = named::store_if_there(store)?;
    let collection = Collection::open(store.as_ref())?;
    if args.question.bytes.is_none() && question.has_sizes() {
        let bytes = collection.usual_bytes(&question)?;
        question = question.at(bytes);
    }
    let ranking = collection.ranking(&question, Some(&machine::this()))?;
    let mut left_out = collection.left_out(&question)?;
    left_out.runs.unread = store.as_ref().map_or(0, |store| store.unread().len());
    let nothing_known = report::nothing_known(&ranking, &left_out);
    match &nothing_known {
        Some(message) => tell(&format!("{}{}", say(message), named::suggestion(question.algorithm))),
        None => report::this_machine_is_missing(&ranking).iter().for_each(|message| tell(&say(message))),
    }
    let others = RunsLeftOut { unread: 0, ..left_out.runs };
    report::runs_left_out(others).iter().for_each(|message| tell(&say(message)));
    let outcome = store.as_ref().map_or(CommandOutcome::Done, tell_unread);
    print_output(&report::rank(&ranking, &left_out), args.format, language)?;
    Ok(if nothing_known.is_some() { CommandOutcome::Partial } else { outcome })
}
