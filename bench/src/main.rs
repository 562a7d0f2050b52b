//! The engine's performance gate: measures the engine against each competitor and compares the ratios with targets.
//!
//! `comparisons.rs` lists the measurements, `table.rs` turns the series into rows, `targets.rs` reads `targets.toml`.
//! The crates in `lab/` do the measuring.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod comparisons;
mod table;
mod targets;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use kasoku_command::cli;
use kasoku_command::cmd::{
    CommandOutcome, EMULATED, Failure, Format, ProgressDisplay, measuring_lock, number_of, samples, tell,
};
use kasoku_measure::conclusion::{self, Conclusion};
use kasoku_measure::driver;
use kasoku_measure::level::OpenedLevel;
use kasoku_measure::level::options::{LevelOptions, Pace};
use kasoku_measure::machine;
use kasoku_measure::plan::Plan;
use kasoku_measure::record::PlanResults;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::name::{self, UnknownName};
use kasoku_model::workload::{NonceForm, Operation, Workload, size};
use kasoku_report::render;
use kasoku_store::output_file::{self, print};
use serde_json::{Value, json};

use comparisons::{ALGORITHMS, ENGINE, OPERATIONS, competitors};
use table::{Row, Subject, table};
use targets::Targets;

/// Compare the engine with each competitor
#[derive(Debug, clap::Parser)]
#[command(
    name = "kasoku-bench",
    max_term_width = 100,
    after_help = "\
Each row is measured in interleaved rounds and verified, as by `kasoku run`. It shows how many times as fast the \
engine is, with the 95 % interval, and with --targets the target. A missed target changes the exit status only with \
--gate.

Examples:
  kasoku-bench                                       the whole table, in about 75 seconds
  kasoku-bench --quick --against ipsec-mb
  kasoku-bench --targets bench/targets.toml --gate
  kasoku-bench --against ring --sizes 1440 --operations seal --format json"
)]
struct Args {
    /// Fewer sizes and rounds: at most 20 seconds
    #[arg(long)]
    quick: bool,
    /// Competitors to compare with
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = competitor)]
    against: Option<Vec<String>>,
    /// Operations: seal, open
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    operations: Option<Vec<Operation>>,
    /// Algorithms: aes-128-gcm, aes-256-gcm
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    algorithms: Option<Vec<Algorithm>>,
    /// Sizes in bytes, instead of the table's
    #[arg(long, value_delimiter = ',', value_name = "BYTES", value_parser = size)]
    sizes: Option<Vec<usize>>,
    /// Nonces: ahead (made before timing), counted (while timed) [default: both up to 256 bytes, then ahead]
    #[arg(long, value_delimiter = ',', value_name = "FORMS")]
    nonces: Option<Vec<NonceForm>>,
    /// Number of rounds [default: 30; 10 with --quick]
    #[arg(long, value_name = "N", value_parser = number_of("rounds", 1..=10_000_u32))]
    rounds: Option<u32>,
    /// Length of a timed slice in milliseconds [default: as long as the time allows]
    #[arg(long, value_name = "MS", value_parser = number_of("milliseconds", 1..=2_000_u64))]
    slice: Option<u64>,
    /// Compare each figure with its target in this file (the project's is bench/targets.toml)
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Exit with status 1 if a target is missed
    #[arg(long, requires = "targets")]
    gate: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write every sample to this file, as a run document
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Wait for another run on this machine to finish, instead of refusing to start
    #[arg(long)]
    wait: bool,
}

fn main() -> ExitCode {
    // The laboratory starts this program again as its workers.
    if std::env::args_os().nth(1).is_some_and(|word| word == "worker") {
        return cli::main();
    }
    cli::exit_code(run(&Args::parse()))
}

fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let options = options(args)?;
    let targets = args.targets.as_deref().map(read_targets).transpose()?.unwrap_or_default();
    if let Some(path) = &args.json {
        output_file::check_writable(path)?;
    }
    let _lock = measuring_lock(args.wait)?;
    let opened = ENGINE.open(&options);
    if let Some(why) = opened.missing_control() {
        return Err(Failure::new(why));
    }
    let OpenedLevel { plan, workers, mut omissions, has_failed, .. } = opened;
    let seconds = plan.duration(plan.most_series()).as_secs_f64();
    tell(&format!("measuring {} series; this takes about {seconds:.0} s", plan.most_series()));
    let mut bar = ProgressDisplay::new("engine");
    let mut measured = driver::run(&plan, workers, &mut bar).map_err(Failure::new)?;
    bar.finish();
    omissions.append(&mut measured.omissions);
    let conclusion = conclusion::conclude(&plan, &mut measured.series);
    let rows = table(&options, &targets, &measured.series, &omissions);
    if let Some(path) = &args.json {
        samples::write(path, "kasoku-bench", &plan, &measured, &omissions, &conclusion)?;
    }
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let objects: Value = rows.iter().map(object).collect();
    print(&render::list(&HEADINGS, &cells, &objects, args.format))?;
    if args.format == Format::Table {
        print(&summary(&plan, &measured, &conclusion, &rows))?;
    }
    let is_missed = rows.iter().any(|row| row.is_met() == Some(false));
    Ok(if has_failed || args.gate && is_missed { CommandOutcome::Partial } else { CommandOutcome::Done })
}

fn options(args: &Args) -> Result<LevelOptions, Failure> {
    if let Some(operation) = args.operations.iter().flatten().find(|one| !OPERATIONS.contains(one)) {
        return Err(Failure::new(format!("the engine does not support {operation}; use seal or open")));
    }
    if let Some(algorithm) = args.algorithms.iter().flatten().find(|one| !ALGORITHMS.contains(one)) {
        return Err(Failure::new(format!("the engine does not support {algorithm}; use aes-128-gcm or aes-256-gcm")));
    }
    Ok(LevelOptions {
        pace: if args.quick { Pace::Quick } else { Pace::Default },
        libraries: args.against.clone(),
        operations: args.operations.clone(),
        algorithms: args.algorithms.clone(),
        sizes: args.sizes.clone(),
        nonces: args.nonces.clone(),
        rounds: args.rounds,
        slice: args.slice.map(Duration::from_millis),
        ..LevelOptions::default()
    })
}

fn competitor(typed: &str) -> Result<String, UnknownName> {
    let competitors = competitors();
    name::find("competitor", typed, competitors.iter().map(|name| (*name, *name))).map(str::to_owned)
}

fn read_targets(path: &Path) -> Result<Targets, Failure> {
    let failure = |why: &dyn std::fmt::Display| Failure::new(format!("--targets {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failure(&error))?;
    let targets: Targets = toml::from_str(&text).map_err(|error| failure(&error))?;
    match targets.unknown_name() {
        None => Ok(targets),
        Some(name) => Err(failure(&format!("unknown competitor or backend {name}"))),
    }
}

const HEADINGS: [&str; 11] =
    ["against", "backend", "operation", "algorithm", "bytes", "GB/s", "theirs", "ratio", "95 %", "target", ""];

fn cells(row: &Row) -> Vec<String> {
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format!("{:.2}", rate / 1e9));
    let [operation, algorithm, bytes] = match &row.subject {
        Subject::Workload(workload) => {
            let setting = match (workload.nonces, workload.keys) {
                (NonceForm::Counted, _) => ", nonces counted".to_owned(),
                (NonceForm::Ahead, 1) => String::new(),
                (NonceForm::Ahead, keys) => format!(", {keys} keys"),
            };
            let bytes = format!("{}{setting}", workload.bytes);
            [workload.operation.to_string(), workload.algorithm.to_string(), bytes]
        }
        Subject::Mean { operation, algorithm, sizes } => {
            [operation.to_string(), algorithm.to_string(), format!("mean of {}", sizes.len())]
        }
        Subject::Comparison => Default::default(),
    };
    let verdict = match (row.is_met(), &row.note) {
        (Some(is_met), note) => {
            let verdict = if is_met { "met" } else { "MISSED" };
            note.as_ref().map_or_else(|| verdict.to_owned(), |note| format!("{verdict} ({note})"))
        }
        (None, note) => note.clone().unwrap_or_default(),
    };
    vec![
        format!("{} ({})", row.against, row.state),
        row.path.to_string(),
        operation,
        algorithm,
        bytes,
        rate(row.ours),
        rate(row.theirs),
        row.ratio.map_or_else(String::new, |ratio| format!("{ratio:.3}")),
        row.interval.map_or_else(String::new, |[low, high]| format!("{low:.3} to {high:.3}")),
        row.target.map_or_else(String::new, |target| format!("{target:.2}")),
        verdict,
    ]
}

fn object(row: &Row) -> Value {
    let mut object = match &row.subject {
        Subject::Workload(Workload { operation, algorithm, bytes, nonces, keys, .. }) => {
            json!({"operation": operation, "algorithm": algorithm, "bytes": bytes, "nonces": nonces, "keys": keys})
        }
        Subject::Mean { operation, algorithm, sizes } => {
            json!({"operation": operation, "algorithm": algorithm, "mean_of": sizes})
        }
        Subject::Comparison => json!({}),
    };
    object["against"] = json!(row.against);
    object["acceleration"] = json!(row.state);
    object["backend"] = json!(row.path.backend.name());
    object["schedule"] = json!(row.path.schedule.name());
    object["ours"] = json!(row.ours);
    object["theirs"] = json!(row.theirs);
    object["ratio"] = json!(row.ratio);
    object["ci95"] = json!(row.interval);
    object["target"] = json!(row.target);
    object["met"] = json!(row.is_met());
    object["note"] = json!(row.note);
    object
}

fn summary(plan: &Plan, measured: &PlanResults, conclusion: &Conclusion, rows: &[Row]) -> String {
    let verdicts: Vec<bool> = rows.iter().filter_map(Row::is_met).collect();
    let met = verdicts.iter().filter(|is_met| **is_met).count();
    let targets =
        if verdicts.is_empty() { String::new() } else { format!("{met} of {} targets met; ", verdicts.len()) };
    let mut text = format!(
        "\n{targets}{} rounds in {} starts of each worker, slices of {:.1} ms",
        plan.all_rounds(),
        plan.processes,
        measured.slice.as_secs_f64() * 1e3,
    );
    if let Some(floor) = conclusion.noise_floor {
        text.push_str(&format!("; noise floor (the engine against itself) up to {:.1} %", floor * 100.0));
    }
    if let Some(hz) = conclusion.core_hz {
        text.push_str(&format!("; core clock {:.2} GHz", hz / 1e9));
    }
    if machine::is_emulated() {
        text.push_str(&format!("\n{EMULATED}"));
    }
    text.push_str(
        "\nRates are in GB/s (1 GB is 1,000,000,000 bytes); ratios are medians over the rounds, means geometric;\n",
    );
    text.push_str("shares of a bound are ratios of the two figures beside them.\n");
    for remark in &conclusion.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text
}
