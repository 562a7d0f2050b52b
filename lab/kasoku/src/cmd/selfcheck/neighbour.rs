//! `kasoku selfcheck --neighbour`: repeats the self-check beside neighbours that are busy half of the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::{Args, Check, DEFAULT_ROUNDS, LibraryTrio, Rounds, STEADY_ALGORITHMS, Summary, TWO_PERCENT};
use crate::cmd::become_program::bind_to;
use crate::cmd::progress::ProgressDisplay;
use crate::cmd::{CommandOutcome, Failure, tell};
use kasoku_libraries::command::refusal;
use kasoku_measure::level::LEVELS;
use kasoku_measure::level::options::{LevelOptions, Pace};
use kasoku_measure::tls::cores;
use kasoku_measure::{conclusion, driver};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::library::Role;

/// Libraries to compare beside a CPU burner.
const FIVE_PERCENT: LibraryTrio =
    LibraryTrio { base: "rustcrypto", same: "test-same", slow: "test-slower", percent: 5, least_found: 90 };
/// Libraries that simulate a neighbour on the core's other hardware thread.
const SIMULATED: LibraryTrio = LibraryTrio {
    base: "test-beside",
    same: "test-beside-same",
    slow: "test-beside-slower",
    percent: 5,
    least_found: 90,
};
const QUICK_ROUNDS: Rounds = (5, 2);
/// Minimum share of a quick run's series with an interval, in percent.
const MIN_INTERVALS: usize = 95;

const BURNER: &str = "a CPU burner on the same core";
const SIBLING: &str = "a simulated sibling thread";
const NOBODY: &str = "no added neighbour";

pub(super) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let default = || STEADY_ALGORITHMS.into_iter().chain([Algorithm::Aes128Gcm]).collect();
    let algorithms: Vec<Algorithm> = args.algorithms.clone().unwrap_or_else(default);
    let asked = args.comparisons as usize;
    let check = |trio: LibraryTrio, rounds| Check::run(trio, &algorithms, args, rounds);

    tell(&format!("a quick run beside {BURNER}"));
    let burner = Burner::start()?;
    let quick = quick_run(args)?;
    tell(&format!("comparisons beside {BURNER}"));
    let beside_burner = check(FIVE_PERCENT, DEFAULT_ROUNDS)?.summary(&algorithms, asked);
    drop(burner);
    tell(&format!("a quick run beside {SIBLING}"));
    let simulated = check(SIMULATED, QUICK_ROUNDS)?.measured.series;
    tell(&format!("comparisons beside {SIBLING}"));
    let beside_sibling = check(SIMULATED, DEFAULT_ROUNDS)?.summary(&algorithms, asked);
    tell(&format!("comparisons beside {NOBODY}"));
    let quiet = check(TWO_PERCENT, DEFAULT_ROUNDS)?.summary(&algorithms, asked);

    let intervals = vec![Intervals::count(BURNER, &quick), Intervals::count(SIBLING, &simulated)];
    let beside = |neighbour, summary| NeighbourSummary { neighbour, summary };
    let comparisons = vec![beside(BURNER, beside_burner), beside(SIBLING, beside_sibling), beside(NOBODY, quiet)];
    let is_good = intervals.iter().all(|one| one.is_good) && comparisons.iter().all(|one| one.summary.is_good);
    let report = Report { intervals, comparisons, is_good };
    args.format.print(&report, || report.text())?;
    Ok(if report.is_good { CommandOutcome::Done } else { CommandOutcome::Partial })
}

fn quick_run(args: &Args) -> Result<Vec<Series>, Failure> {
    let options =
        LevelOptions { pace: Pace::Quick, algorithms: args.algorithms.clone(), cores: 1, ..LevelOptions::default() };
    let Some(level) = LEVELS.iter().find(|level| level.level == Level::Primitives) else { return Ok(Vec::new()) };
    let opened = level.open(&options);
    if let Some(why) = opened.missing_control() {
        return Err(Failure::new(why));
    }
    let mut measured =
        driver::run(&opened.plan, opened.workers, &mut ProgressDisplay::new("selfcheck")).map_err(Failure::new)?;
    conclusion::conclude(&opened.plan, &mut measured.series);
    Ok(measured.series)
}

#[derive(Serialize)]
struct Report {
    intervals: Vec<Intervals>,
    comparisons: Vec<NeighbourSummary>,
    is_good: bool,
}

/// Numbers of series with an interval in a quick run beside a neighbour.
#[derive(Serialize)]
struct Intervals {
    neighbour: &'static str,
    series: usize,
    with_interval: usize,
    /// Number of series with at least one disturbed sample.
    with_disturbed: usize,
    is_good: bool,
}

#[derive(Serialize)]
struct NeighbourSummary {
    neighbour: &'static str,
    #[serde(flatten)]
    summary: Summary,
}

impl Intervals {
    /// Counts the series measured beside `neighbour`, and those with an interval. Ignores failed series, and series
    /// with their own clock, which have one sample.
    fn count(neighbour: &'static str, series: &[Series]) -> Intervals {
        let timed = || series.iter().filter(|one| !one.has_failed() && one.role != Role::OwnClock);
        let (all, with_interval) = (timed().count(), timed().filter(|one| one.ci95.is_some()).count());
        Intervals {
            neighbour,
            series: all,
            with_interval,
            with_disturbed: timed().filter(|one| one.samples.iter().any(|sample| sample.disturbed)).count(),
            is_good: with_interval * 100 >= all * MIN_INTERVALS,
        }
    }
}

impl Report {
    fn text(&self) -> String {
        let mut text = String::from("series of a quick run with an interval, beside\n");
        for Intervals { neighbour, series, with_interval, with_disturbed, .. } in &self.intervals {
            let share = 100.0 * *with_interval as f64 / (*series).max(1) as f64;
            text.push_str(&format!(
                "  {neighbour:<34} {with_interval} of {series} ({share:.1} %), {with_disturbed} rest on disturbed \
                 samples\n"
            ));
        }
        for NeighbourSummary { neighbour, summary } in &self.comparisons {
            text.push_str(&format!("\ncomparisons beside {neighbour}\n{}", summary.table()));
        }
        text.push_str(&format!("\n{:<36} {:>14} {:>26}\n", "beside", "claimed", "found"));
        for NeighbourSummary { neighbour, summary } in &self.comparisons {
            let Summary { claimed_of_same, found_of_slow, comparisons, percent, least_found, .. } = summary;
            text.push_str(&format!(
                "{neighbour:<36} {claimed_of_same:>7} of {comparisons:<4} {found_of_slow:>7} of {comparisons:<4} \
                 ({percent} %; must be {least_found} %)\n"
            ));
        }
        let verdict = if self.is_good { "good" } else { "not good enough: this machine is too busy, or too unsteady" };
        text + &format!("\n{verdict}\n")
    }
}

/// Lengths in milliseconds of the bursts of work, and of the pause after each burst.
const BURSTS: [u64; 5] = [700, 2_100, 1_300, 2_900, 1_700];
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Thread that burns CPU time on the one core to which this thread and its new children are bound. Dropping `Burner`
/// ends the burning and restores the cores.
struct Burner {
    cores: Vec<usize>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Burner {
    fn start() -> Result<Burner, Failure> {
        let cores = cores::usable();
        bind_to(&cores[..cores.len().min(1)])?;
        let mut burner = Burner { cores, is_over: Arc::default(), thread: None };
        let is_over = Arc::clone(&burner.is_over);
        let thread = std::thread::Builder::new().spawn(move || burn(&is_over));
        burner.thread = Some(thread.map_err(|error| {
            Failure::in_the_middle(format!("cannot start the neighbour's thread: {}", refusal(&error)))
        })?);
        Ok(burner)
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // `burn` does not panic
        }
        let _ = bind_to(&self.cores);
    }
}

fn burn(is_over: &AtomicBool) {
    for milliseconds in BURSTS.into_iter().cycle() {
        for is_burning in [true, false] {
            let end = Instant::now() + Duration::from_millis(milliseconds);
            while Instant::now() < end {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                if is_burning {
                    for turn in 0..10_000 {
                        std::hint::black_box(turn);
                    }
                } else {
                    std::thread::sleep(POLL_INTERVAL);
                }
            }
        }
    }
}
