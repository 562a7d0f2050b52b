//! `kasoku selfcheck`: checks that the method detects small differences on this machine and claims no false ones.

use std::time::Duration;

use serde::Serialize;

use super::named::number_of;
use super::progress::ProgressDisplay;
use super::{CommandOutcome, Failure, measuring_lock};
use kasoku_libraries as libraries;
use kasoku_measure::conclusion::Conclusion;
use kasoku_measure::plan::{Experiment, FURTHER_ROUNDS, Item, Plan, Slices};
use kasoku_measure::record::PlanResults;
use kasoku_measure::worker::{WorkerName, start_all};
use kasoku_measure::{clock, conclusion, driver};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::statistics::{Comparison, ENOUGH_SELVES, compare, median};
use kasoku_model::workload::{Operation, Workload};
use kasoku_report::export;
use kasoku_store::output_file::{OutputError, print};

/// Check that a 2 % difference is detected and no false one is claimed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kasoku selfcheck --quick    what this machine can show now, in ten seconds
  kasoku selfcheck            whether the method works here, in a minute and a half

Two identical libraries must show no difference, and one that secretly does 2 % more work must be detected, in ten \
starts of three rounds. The exit status is 1 if any false difference is claimed, or if fewer than 95 % of the true \
ones are detected.")]
pub(crate) struct Args {
    /// Measure only the smallest difference that this machine can show now, in about ten seconds
    #[arg(long, conflicts_with = "comparisons")]
    quick: bool,
    /// Number of comparisons of each kind
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number_of("comparisons", 10..=1_000_u32))]
    comparisons: u32,
    /// Algorithms to compare with
    #[arg(long, value_delimiter = ',', value_name = "A,B", default_value = STEADY_ALGORITHMS)]
    algorithms: Vec<Algorithm>,
    /// Length of a slice in milliseconds
    #[arg(long, value_name = "MS", default_value_t = DEFAULT_SLICE_MS)]
    slice: f64,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: SummaryFormat,
    /// Wait for another run on this machine to finish, instead of refusing to start
    #[arg(long)]
    wait: bool,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(crate) enum SummaryFormat {
    #[default]
    Table,
    Json,
}

impl SummaryFormat {
    pub(super) fn print(self, summary: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), OutputError> {
        print(&match self {
            SummaryFormat::Json => export::json::text(summary),
            SummaryFormat::Table => text(),
        })
    }
}

/// Default algorithms, whose speed depends little on the memory layout of a process.
const STEADY_ALGORITHMS: &str = "aes-256-cbc,camellia-256-cbc,chacha20-poly1305";
/// Number of comparisons with `--quick`: enough for a noise floor of each of the three default algorithms.
const QUICK_COMPARISONS: u32 = 24;
/// Approximate length of a slice in milliseconds in a default run with all libraries.
const DEFAULT_SLICE_MS: f64 = 1.2;

pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    if !(0.1..=1000.0).contains(&args.slice) {
        return Err(Failure::new("--slice must be from 0.1 to 1000 milliseconds"));
    }
    if let Some(algorithm) = args.algorithms.iter().find(|algorithm| !algorithm.kind().is_bulk()) {
        return Err(Failure::new(format!("{algorithm} has no sizes to compare at; use a cipher, an AEAD or a hash")));
    }
    let _lock = measuring_lock(args.wait)?;
    let check = Check::run(args)?;
    if args.quick {
        let summary = check.quick_summary().ok_or_else(|| {
            Failure::in_the_middle("other programs left too few undisturbed rounds; repeat when the machine is quieter")
        })?;
        args.format.print(&summary, || summary.text())?;
        return Ok(CommandOutcome::Done);
    }
    let summary = check.summary(args);
    args.format.print(&summary, || summary.text())?;
    Ok(if summary.is_good { CommandOutcome::Done } else { CommandOutcome::Partial })
}

/// Library that the test libraries [`SAME`] and [`SLOW`] wrap.
const BASE: &str = "rustcrypto";
const SAME: &str = "test-same";
const SLOW: &str = "test-slow";
/// Additional work of the test library [`SLOW`], in percent.
const PERCENT: u32 = 2;
/// Minimum share of the comparisons of [`SLOW`] with [`BASE`], in percent, that must show a difference.
const LEAST_FOUND: usize = 95;

struct Check {
    plan: Plan,
    measured: PlanResults,
    conclusion: Conclusion,
}

impl Check {
    fn run(args: &Args) -> Result<Check, Failure> {
        let plan = plan(args)?;
        let (workers, omissions, _) = start_all(Level::Primitives, &plan.workers);
        if let Some(omission) = omissions.first() {
            return Err(Failure::new(format!("{}: {}", omission.library, omission.why)));
        }
        let mut measured = driver::run(&plan, workers, &mut ProgressDisplay::new("selfcheck")).map_err(Failure::new)?;
        let conclusion = conclusion::conclude(&plan, &mut measured.series);
        Ok(Check { plan, measured, conclusion })
    }

    fn noise_floor(&self, algorithm: Algorithm) -> Option<f64> {
        self.conclusion.noise_floors.get(algorithm.name()).copied().or(self.conclusion.noise_floor)
    }

    /// Compares the series that `is_other` accepts with those of [`BASE`].
    fn comparisons_with_base(&self, is_other: impl Fn(&Series) -> bool) -> Vec<Comparison> {
        let base = |other: &Series| {
            let is_base =
                |one: &&Series| one.library == BASE && !one.details.control && one.workload() == other.workload();
            self.measured.series.iter().find(is_base)
        };
        let others = self.measured.series.iter().filter(|one| is_other(one));
        others.filter_map(|other| compare(other, base(other)?, self.noise_floor(other.algorithm)?)).collect()
    }

    fn quick_summary(&self) -> Option<QuickSummary> {
        let comparisons = self.comparisons_with_base(|one| one.details.control);
        let mut least: Vec<f64> = comparisons.iter().map(|one| one.least_shown).collect();
        Some(QuickSummary {
            smallest_difference: median(&mut least)?,
            comparisons: comparisons.len(),
            rounds: self.plan.all_rounds(),
            processes: self.plan.processes,
            slice_ms: self.measured.slice.as_secs_f64() * 1e3,
        })
    }

    /// Counts the comparisons that claimed a false difference, and those that detected the true one. The check fails
    /// unless all comparisons were made.
    fn summary(&self, args: &Args) -> Summary {
        let row = |&algorithm: &Algorithm| {
            let of = |library| {
                self.comparisons_with_base(|one: &Series| one.library == library && one.algorithm == algorithm)
            };
            let [same, slow] = [SAME, SLOW].map(of);
            Row {
                algorithm: algorithm.name(),
                comparisons: same.len().min(slow.len()),
                noise_floor: self.noise_floor(algorithm),
                widest_of_same: same.iter().map(|one| (one.ratio - 1.0).abs()).fold(0.0, f64::max),
                claimed_of_same: same.iter().filter(|one| one.is_shown).count(),
                found_of_slow: slow.iter().filter(|one| one.is_shown && one.ratio < 1.0).count(),
            }
        };
        let rows: Vec<Row> = args.algorithms.iter().map(row).collect();
        let total = |count: fn(&Row) -> usize| rows.iter().map(count).sum::<usize>();
        let (comparisons, claimed, found) =
            (total(|row| row.comparisons), total(|row| row.claimed_of_same), total(|row| row.found_of_slow));
        Summary {
            rounds: self.plan.all_rounds(),
            processes: self.plan.processes,
            slice_ms: self.measured.slice.as_secs_f64() * 1e3,
            empty_call_ns: clock::empty_loop_ns(),
            percent: PERCENT,
            least_found: LEAST_FOUND,
            comparisons,
            claimed_of_same: claimed,
            found_of_slow: found,
            is_good: comparisons == args.comparisons as usize
                && claimed == 0
                && found * 100 >= comparisons * LEAST_FOUND,
            algorithms: rows,
        }
    }
}

#[derive(Serialize)]
struct QuickSummary {
    /// Median over the comparisons of the smallest relative difference that each could show (0.02 is 2 %).
    smallest_difference: f64,
    comparisons: usize,
    rounds: u32,
    processes: u32,
    slice_ms: f64,
}

impl QuickSummary {
    fn text(&self) -> String {
        format!(
            "This machine can show differences from {:.1} % now (median of {} comparisons of a library with itself, in \
             {} rounds)\n",
            100.0 * self.smallest_difference,
            self.comparisons,
            self.rounds
        )
    }
}

#[derive(Serialize)]
struct Summary {
    rounds: u32,
    processes: u32,
    slice_ms: f64,
    empty_call_ns: f64,
    percent: u32,
    least_found: usize,
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
            "{} rounds of {:.2} ms slices in {} starts of each worker, and more where needed; an empty call in the \
             timing loop takes {:.2} ns\n\n                         noise floor   widest of the same   claimed of the \
             same   found of {} % slower\n",
            self.rounds, self.slice_ms, self.processes, self.empty_call_ns, self.percent
        );
        for row in &self.algorithms {
            text.push_str(&format!(
                "{:<24} {:>9.2} % {:>18.2} % {:>14} of {:<3} {:>14} of {}\n",
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
            "\nclaimed {} of {} (must be 0), found {} of {} (must be {} %): {verdict}\n",
            self.claimed_of_same, self.comparisons, self.found_of_slow, self.comparisons, self.least_found
        )
    }
}

/// Plans a workload for each comparison, on the libraries [`BASE`], [`SAME`] and [`SLOW`]. For the noise floor, some
/// workloads are also measured on a second worker with `BASE` (an A/A control). With `--quick`, all workloads are
/// measured on these two workers alone.
fn plan(args: &Args) -> Result<Plan, Failure> {
    let mut workers = Vec::new();
    let names: &[&str] = if args.quick { &[BASE, BASE] } else { &[BASE, SAME, SLOW, BASE] };
    for name in names {
        let entry = libraries::find(name).ok_or_else(|| Failure::new(format!("unknown library {name}")))?;
        workers.push(WorkerName::new(entry, Acceleration::On));
    }
    let control = workers.len() - 1;
    let comparisons = if args.quick { QUICK_COMPARISONS } else { args.comparisons };
    let count = args.algorithms.len();
    // Every fourth workload of an algorithm has an A/A control. If the noise floor needs more, others have one too.
    let most = if args.quick { 1 } else { 4 };
    let step = (comparisons as usize / (count * ENOUGH_SELVES)).clamp(1, most);
    let items = (0..comparisons as usize)
        .map(|index| {
            let algorithm = args.algorithms[index % count];
            // Spreads the sizes logarithmically from 16 to 16,384 bytes, to test short and long operations.
            let fraction = index as f64 / f64::from(comparisons);
            let bytes = (16.0 * 1024f64.powf(fraction)).round() as usize;
            let workers = (0..=control).filter(|at| *at != control || (index / count).is_multiple_of(step)).collect();
            let workload = Workload::new(Operation::of(algorithm.kind())[0], algorithm, bytes);
            Item { workload, threads: 1, workers }
        })
        .collect();
    Ok(Plan {
        level: Level::Primitives,
        workers,
        items,
        processes: 10,
        rounds: 3,
        budget: Duration::from_secs(if args.quick { 8 } else { 75 }),
        experiment: Experiment::Slices(Slices {
            control: Some((control, 0)),
            slice: Some(Duration::from_secs_f64(args.slice / 1e3)),
            further_rounds: 4 * FURTHER_ROUNDS,
            ..Slices::default()
        }),
    })
}
