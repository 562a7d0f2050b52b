//! `kasoku selfcheck`: what the method can tell on this machine, and that it claims nothing else.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::{Failure, Format, Outcome, measuring_lock, samples};
use kasoku_libraries as libraries;
use kasoku_measure::plan::{Experiment, Item, Plan, Slices};
use kasoku_measure::worker::start_all;
use kasoku_measure::worker_process::WorkerName;
use kasoku_measure::{conclusion, driver, empty_loop};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::statistics::{Comparison, compare};
use kasoku_model::workload::{Operation, Workload};
use kasoku_report::export;
use kasoku_store::output_file::{self, print};

/// The arguments of `kasoku selfcheck`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Two libraries that are the same must show no difference; one that does 2 % more work than it says must be found, in the
rounds and slices of `kasoku run` (ten starts of three rounds). Exit status 1 if more than 0 of the
first are claimed, or less than 95 % of the second.")]
pub struct Args {
    /// Comparisons of each kind
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(10..=1000))]
    comparisons: u32,
    /// Algorithms to compare with
    #[arg(long, value_delimiter = ',', value_name = "A,B", default_values_t = STEADY)]
    algorithms: Vec<Algorithm>,
    /// Milliseconds of a slice
    #[arg(long, value_name = "MS", default_value_t = DEFAULT_SLICE_MS)]
    slice: f64,
    /// The form of the output: table or json
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write every sample here, as a run document
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Wait if a run is measuring on this machine, instead of refusing
    #[arg(long)]
    wait: bool,
}

/// Ciphers whose speed depends little on where in memory a process happens to lie; what else there is can be named.
const STEADY: [Algorithm; 3] = [Algorithm::Aes256Cbc, Algorithm::Camellia256Cbc, Algorithm::ChaCha20Poly1305];
/// About the slice that the default matrix leaves on a machine with every library.
const DEFAULT_SLICE_MS: f64 = 1.2;

/// Measures a library against itself and against one that is 2 % slower.
///
/// # Errors
/// If another run is measuring, or the workers cannot be started.
pub fn run(args: &Args) -> Result<Outcome, Failure> {
    let _lock = measuring_lock(args.wait)?;
    if !(0.1..=1000.0).contains(&args.slice) {
        return Err(Failure::new("--slice is from 0.1 to 1000 milliseconds"));
    }
    if let Some(algorithm) = args.algorithms.iter().find(|algorithm| !algorithm.kind().is_bulk()) {
        return Err(Failure::new(format!("{algorithm} has no sizes to compare at; take a cipher, an AEAD or a hash")));
    }
    if let Some(path) = &args.json {
        output_file::check_writable(path)?;
    }
    let plan = plan(args)?;
    let (workers, omissions, _) = start_all("selfcheck", &plan.workers);
    if let Some(omission) = omissions.first() {
        return Err(Failure::new(format!("{}: {}", omission.library, omission.why)));
    }
    let mut measured = driver::run(&plan, workers, &mut ()).map_err(Failure::new)?;
    let conclusion = conclusion::conclude(&plan, &mut measured.series);
    if let Some(path) = &args.json {
        samples::write(path, "kasoku selfcheck", &plan, &measured, &[], &conclusion)?;
    }
    let floor =
        |algorithm: Algorithm| conclusion.noise_floors.get(algorithm.name()).copied().or(conclusion.noise_floor);
    let against_base = |library: &str, algorithm: Algorithm| -> Vec<Comparison> {
        let base = |other: &Series| {
            let is_base =
                |one: &&Series| one.library == "rustcrypto" && !one.is_control() && one.workload() == other.workload();
            measured.series.iter().find(is_base)
        };
        let others = measured.series.iter().filter(|one| one.library == library && one.algorithm == algorithm);
        others.filter_map(|other| compare(other, base(other)?, floor(algorithm)?)).collect()
    };
    let rows: Vec<Row> = args
        .algorithms
        .iter()
        .map(|&algorithm| {
            let (same, slow) = (against_base("test-same", algorithm), against_base("test-slow", algorithm));
            Row {
                algorithm: algorithm.name(),
                comparisons: same.len().min(slow.len()),
                noise_floor: floor(algorithm),
                widest_of_same: same.iter().map(|one| (one.ratio - 1.0).abs()).fold(0.0, f64::max),
                claimed_of_same: same.iter().filter(|one| one.is_shown).count(),
                found_of_slow: slow.iter().filter(|one| one.is_shown && one.ratio < 1.0).count(),
            }
        })
        .collect();
    let total = |count: fn(&Row) -> usize| rows.iter().map(count).sum::<usize>();
    let (comparisons, claimed, found) =
        (total(|row| row.comparisons), total(|row| row.claimed_of_same), total(|row| row.found_of_slow));
    let is_good = comparisons == args.comparisons as usize && claimed == 0 && found * 100 >= comparisons * 95;
    let summary = Summary {
        rounds: plan.all_rounds(),
        processes: plan.processes,
        slice_ms: measured.slice.as_secs_f64() * 1e3,
        empty_call_ns: empty_loop::nanoseconds(),
        comparisons,
        claimed_of_same: claimed,
        found_of_slow: found,
        is_good,
        algorithms: rows,
    };
    print(&match args.format {
        Format::Json => export::json::text(&summary),
        _ => summary.text(),
    })?;
    Ok(if is_good { Outcome::Done } else { Outcome::Partial })
}

#[derive(Serialize)]
struct Summary {
    rounds: u32,
    processes: u32,
    slice_ms: f64,
    empty_call_ns: f64,
    comparisons: usize,
    claimed_of_same: usize,
    found_of_slow: usize,
    is_good: bool,
    algorithms: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    algorithm: &'static str,
    comparisons: usize,
    noise_floor: Option<f64>,
    widest_of_same: f64,
    claimed_of_same: usize,
    found_of_slow: usize,
}

impl Summary {
    fn text(&self) -> String {
        let mut text = format!(
            "{} rounds of {:.2} ms slices in {} starts of each worker; an empty call in the timing loop takes {:.2} ns\n\n",
            self.rounds, self.slice_ms, self.processes, self.empty_call_ns
        );
        text.push_str(
            "                         noise floor   widest of the same   claimed of the same   found of 2 % slower\n",
        );
        for row in &self.algorithms {
            text.push_str(&format!(
                "{:<24} {:>9.2} % {:>18.2} % {:>14} of {:<3} {:>14} of {:<3}\n",
                row.algorithm,
                row.noise_floor.unwrap_or(f64::NAN) * 100.0,
                row.widest_of_same * 100.0,
                row.claimed_of_same,
                row.comparisons,
                row.found_of_slow,
                row.comparisons,
            ));
        }
        let verdict = if self.is_good { "good" } else { "not good enough: this machine is too busy, or too unsteady" };
        text + &format!(
            "\nclaimed {} of {} (must be 0), found {} of {} (must be 95 %): {verdict}\n",
            self.claimed_of_same, self.comparisons, self.found_of_slow, self.comparisons
        )
    }
}

/// As many workloads as comparisons, each on the base, its equal, the slow one; and a control of the base for the floor.
fn plan(args: &Args) -> Result<Plan, Failure> {
    let mut workers = Vec::new();
    for name in ["rustcrypto", "test-same", "test-slow", "rustcrypto"] {
        let entry = libraries::find(name).ok_or_else(|| Failure::new(format!("there is no library {name}")))?;
        workers.push(WorkerName::new(entry, Acceleration::On));
    }
    let count = args.algorithms.len();
    let items = (0..args.comparisons as usize)
        .map(|index| {
            let algorithm = args.algorithms[index % count];
            // Sizes from 16 to 16,384 bytes, spread by powers: short and long operations are both tried.
            let fraction = index as f64 / f64::from(args.comparisons);
            let bytes = (16.0 * 1024f64.powf(fraction)).round() as usize;
            // Every fourth of an algorithm measures its floor too.
            let workers = if (index / count).is_multiple_of(4) { vec![0, 1, 2, 3] } else { vec![0, 1, 2] };
            let workload = Workload::new(Operation::of(algorithm.kind())[0], algorithm, bytes);
            Item { workload, threads: 1, workers }
        })
        .collect();
    Ok(Plan {
        level: "selfcheck",
        workers,
        items,
        processes: 10,
        rounds: 3,
        budget: Duration::from_secs(75),
        experiment: Experiment::Slices(Slices {
            control: Some((3, 0)),
            slice: Some(Duration::from_secs_f64(args.slice / 1e3)),
            ..Slices::default()
        }),
    })
}
