//! `kasoku run`: measure, keep, report.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::progress::Progress;
use super::{Failure, Outcome, measuring_lock};
use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::{Document, Method, Omission, Run, SCHEMA};
use crate::level::primitives::{self, Pace, Wish};
use crate::measure::plan::Plan;
use crate::measure::support::keep_what_there_is;
use crate::measure::support::without_repetition;
use crate::measure::worker::{Worker, start_all};
use crate::measure::{clock, conclusion, empty_loop, rounds, steal};
use crate::output_file::{self, OutputError, print};
use crate::stack;
use crate::store::{Store, location};
use crate::workload::{NonceForm, Operation, size};
use crate::{machine, report};

/// The arguments of `kasoku run`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to measure [default: all of: primitives]
    #[arg(value_name = "LEVEL")]
    levels: Vec<String>,
    /// Take at most 20 seconds a level: fewer rounds, wider intervals
    #[arg(long, conflicts_with = "as_published")]
    quick: bool,
    /// Take the algorithms, sizes and durations of the published measurements (about ten minutes)
    #[arg(long)]
    as_published: bool,
    /// These stacks only (see kasoku stacks)
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    stacks: Option<Vec<String>>,
    /// Another build of OpenSSL's libcrypto to measure beside the system's; may be given several times
    #[arg(long, value_name = "PATH")]
    libcrypto: Vec<PathBuf>,
    /// These acceleration states: on, off, no-aes, no-clmul, no-vaes, no-avx512, no-sha [default: on,off]
    #[arg(long, value_delimiter = ',', value_name = "STATES")]
    acceleration: Option<Vec<Acceleration>>,
    /// These algorithms only
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    algorithms: Option<Vec<Algorithm>>,
    /// These operations: encrypt, decrypt, seal, open, hash, derive, sign, verify, encapsulate, decapsulate
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    operations: Option<Vec<Operation>>,
    /// How the nonces of AEADs come about: ahead (made before), counted (and used at once) [default: ahead]
    #[arg(long, value_delimiter = ',', value_name = "FORMS")]
    nonces: Option<Vec<NonceForm>>,
    /// These sizes in bytes [default: see --list]
    #[arg(long, value_delimiter = ',', value_name = "BYTES", value_parser = size)]
    sizes: Option<Vec<usize>>,
    /// Run every workload in this many threads at once, or in as many as there are cores ("all")
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Rounds, instead of 30 (10 with --quick); rounded up to a multiple of 3, from 30 on of 10
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// Milliseconds of a timed slice, instead of as many as the time allows
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=2_000))]
    slice: Option<u64>,
    /// Print what would be measured, and how long it takes, and measure nothing
    #[arg(long)]
    list: bool,
    /// Write the run document here
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report here [default: kasoku-report.html]
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Wait if another run is measuring on this machine, instead of refusing
    #[arg(long)]
    wait: bool,
}

const EXAMPLES: &str = "\
Examples:
  kasoku run                                everything, and a verdict
  kasoku run primitives --quick --json out.json
  kasoku run --stacks openssl,ring --algorithms aes-256-gcm --sizes 1350,16384
  kasoku run --libcrypto /opt/openssl-3.5/lib/libcrypto.so.3     two builds side by side
  kasoku run --list                         what would be measured, and how long it takes";

/// The levels there will be; only the first is measured by this version.
const LEVELS: [&str; 5] = ["primitives", "packets", "files", "jvm", "tls"];

/// Measures this machine.
///
/// # Errors
/// Wrong usage, or a place for the results that cannot be written; both before anything is measured.
pub fn run(args: &Args, store: Option<&Path>) -> Result<Outcome, Failure> {
    let wish = wish(args)?;
    if args.list {
        return list(&wish);
    }
    let report_path = args.report.clone().unwrap_or_else(|| PathBuf::from("kasoku-report.html"));
    let json_path = args.json.as_deref().filter(|path| *path != Path::new("-"));
    for path in [Some(report_path.as_path()), json_path].into_iter().flatten() {
        output_file::check_writable(path)?;
    }
    let mut store = Store::open(&location::locate(store)?)?;
    let _lock = measuring_lock(args.wait)?;
    let started = Instant::now();
    let ticks = steal::ticks();
    let (plan, workers, omissions, has_failed) = ready(&wish)?;
    let mut document = header(&plan, omissions);
    store.begin_run(&document)?;
    let run = document.run.id.clone();
    let mut progress = Progress::new(&mut store, &run);
    let measured = rounds::run(&plan, workers, &mut progress)
        .map_err(|error| Failure::new(format!("the run was ended: {error}; what was measured is kept as {run}")))?;
    let ids = progress.finish();
    document.series = measured.series;
    document.run.stacks = measured.stacks;
    document.run.omissions.extend(measured.omissions);
    document.run.omissions = without_repetition(std::mem::take(&mut document.run.omissions));
    let conclusion = conclusion::conclude(&plan, &mut document.series);
    document.run.notes = conclusion.notes;
    document.run.notes.extend(steal::note(ticks));
    document.run.method = Method {
        processes: plan.processes,
        rounds: plan.all_rounds(),
        slice_ms: measured.slice.as_secs_f64() * 1e3,
        core_clock: clock::core_clock_source().map(str::to_owned),
        core_hz: conclusion.core_hz,
        noise_floor: conclusion.noise_floor,
        noise_floors: conclusion.noise_floors,
        noise_floor_stack: conclusion.noise_floor_stack,
        loop_ns: Some(empty_loop::nanoseconds()),
    };
    document.run.complete = true;
    document.run.seconds = Some(started.elapsed().as_secs_f64());
    for (id, series) in ids.into_iter().zip(&document.series) {
        store.finish_series(id, series)?;
    }
    store.finish_run(&run, &document.run)?;
    let outcome = deliver(args, &document, &report_path)?;
    Ok(if has_failed { Outcome::Partial } else { outcome })
}

/// Prints and writes what was found. What cannot be written is told; the run is in the store whatever happens.
fn deliver(args: &Args, document: &Document, report_path: &Path) -> Result<Outcome, Failure> {
    let kept = |error: OutputError| Failure::new(format!("{error}; the run is kept as {}", document.run.id));
    let json = || report::export::json::json(document);
    let to_output = args.json.as_deref() == Some(Path::new("-"));
    let summary = || report::terminal::summary(document, super::is_colour_wanted());
    print(&if to_output { json() } else { summary() })?;
    output_file::write(report_path, report::html::render(&[document]).as_bytes()).map_err(kept)?;
    if let Some(path) = args.json.as_deref().filter(|_| !to_output) {
        output_file::write(path, json().as_bytes()).map_err(kept)?;
    }
    let id = &document.run.id;
    super::tell(&format!("\nReport: {}\nRun:    {id}, shown again by: kasoku show {id}", report_path.display()));
    let has_failed = document.series.iter().any(|series| !series.verified && !is_cross_check(series));
    Ok(if has_failed { Outcome::Partial } else { Outcome::Done })
}

fn is_cross_check(series: &crate::document::Series) -> bool {
    series.stack == "openssl-speed" && !series.has_failed()
}

/// Starts the probes that can be had and makes the plan for them.
fn ready(wish: &Wish) -> Result<(Plan, Vec<Worker>, Vec<Omission>, bool), Failure> {
    let (names, mut omissions) = primitives::candidates(wish);
    let (mut workers, unavailable, has_failed) = start_all(primitives::NAME, &names);
    omissions.extend(unavailable);
    let names = workers.iter().map(|worker| worker.name.clone()).collect();
    let mut plan = primitives::plan(wish, names);
    let (twins, _, _) = start_all(primitives::NAME, &plan.probes[workers.len()..]);
    workers.extend(twins);
    if workers.len() == plan.probes.len() {
        omissions.extend(keep_what_there_is(&mut plan, &mut workers));
    }
    if workers.len() < plan.probes.len() || (plan.items.is_empty() && plan.cross_checks.is_empty()) {
        let reasons: Vec<String> = omissions.iter().map(|one| format!("{}: {}", one.stack, one.why)).collect();
        let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
        return Err(Failure::new(format!("there is nothing to measure{reasons}; see kasoku stacks")));
    }
    Ok((plan, workers, omissions, has_failed))
}

fn header(plan: &Plan, omissions: Vec<Omission>) -> Document {
    Document {
        schema: SCHEMA,
        run: Run {
            id: crate::run_name::new(),
            started: crate::run_name::now(),
            kasoku: env!("CARGO_PKG_VERSION").to_owned(),
            command: command_line(),
            method: Method { processes: plan.processes, rounds: plan.all_rounds(), ..Method::default() },
            omissions,
            ..Run::default()
        },
        machine: machine::this(),
        series: Vec::new(),
    }
}

/// The command as it was typed, with the program's folder left out: it says something of a person, nothing of a run.
fn command_line() -> String {
    let quoted =
        |argument: String| if argument.contains(char::is_whitespace) { format!("'{argument}'") } else { argument };
    let arguments = std::env::args_os().skip(1).map(|argument| quoted(argument.to_string_lossy().into_owned()));
    std::iter::once("kasoku".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn list(wish: &Wish) -> Result<Outcome, Failure> {
    let (plan, _, omissions, _) = ready(wish)?;
    print(&primitives::describe(&plan))?;
    for one in omissions.iter().filter(|one| one.algorithm.is_none()) {
        let install = one.install.as_ref().map(|command| format!("; to install it: {command}")).unwrap_or_default();
        let state = one.acceleration.map(|state| format!(" ({state})")).unwrap_or_default();
        print(&format!("not here: {}{state}: {}{install}\n", one.stack, one.why))?;
    }
    Ok(Outcome::Done)
}

fn wish(args: &Args) -> Result<Wish, Failure> {
    for level in &args.levels {
        if !LEVELS.contains(&level.as_str()) {
            return Err(Failure::new(format!("unknown level \"{level}\"; known are {}", LEVELS.join(", "))));
        }
        if level != primitives::NAME {
            return Err(Failure::new(format!("the level {level} is not in this version; it measures primitives")));
        }
    }
    for name in args.stacks.iter().flatten() {
        if stack::find(name).is_none() {
            let known: Vec<&str> =
                stack::STACKS.iter().filter(|entry| !entry.is_test).map(|entry| entry.name).collect();
            return Err(Failure::new(format!("unknown stack \"{name}\"; known are {}", known.join(", "))));
        }
    }
    if !args.libcrypto.is_empty() && args.stacks.as_ref().is_some_and(|names| !names.iter().any(|n| n == "openssl")) {
        return Err(Failure::new("--libcrypto adds builds to the stack openssl, which --stacks leaves out"));
    }
    for path in &args.libcrypto {
        if !path.is_file() {
            return Err(Failure::new(format!("--libcrypto {}: there is no such file", path.display())));
        }
    }
    if args.threads.is_some_and(|threads| threads > cores()) {
        return Err(Failure::new(format!("--threads: there are {} cores here, and a thread needs one", cores())));
    }
    Ok(Wish {
        pace: match (args.quick, args.as_published) {
            (true, _) => Pace::Quick,
            (_, true) => Pace::AsPublished,
            _ => Pace::Default,
        },
        stacks: args.stacks.clone(),
        // A bare name would be looked for where the loader looks, and not here.
        libcrypto: args.libcrypto.iter().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())).collect(),
        acceleration: args.acceleration.clone(),
        algorithms: args.algorithms.clone(),
        operations: args.operations.clone(),
        sizes: args.sizes.clone(),
        nonces: args.nonces.clone(),
        threads: args.threads.map(|threads| if threads == 0 { cores() } else { threads }),
        cores: cores(),
        rounds: args.rounds,
        slice: args.slice.map(Duration::from_millis),
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A number of threads; 0 stands for "all".
fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        _ if text == "all" => Ok(0),
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("a number of threads is from 1 to 1024, or all".to_owned()),
    }
}
