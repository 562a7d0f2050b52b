//! `kasoku run`: measure, keep, report.

mod files;
mod fleet;
mod java;
mod resume;
mod sizes;
mod tls;

pub(super) use tls::{loadable, workers};

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::progress::Progress;
use super::{Failure, Outcome, measuring_lock, surroundings};
#[cfg(target_os = "linux")]
use kasoku_fleet::token::Token;
use kasoku_libraries as libraries;
use kasoku_libraries::bound::is_bound;
use kasoku_libraries::interruption;
use kasoku_libraries::jvm::SPECJVM;
use kasoku_measure::conclusion::Conclusion;
use kasoku_measure::level::files::FilesOptions;
use kasoku_measure::level::options::{Options, Pace};
use kasoku_measure::level::{LEVELS, description, packets};
use kasoku_measure::machine;
use kasoku_measure::observer::Observer;
use kasoku_measure::plan::Plan;
use kasoku_measure::rounds::Measured;
use kasoku_measure::support::keep_what_there_is;
use kasoku_measure::support::without_repetition;
use kasoku_measure::worker::{Worker, start_all};
use kasoku_measure::worker_process::WorkerName;
use kasoku_measure::{clock, conclusion, empty_loop, rounds, steal};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::extent::MAX_SIZES;
use kasoku_model::document::{Document, Method, Omission, Run, SCHEMA, Series};
use kasoku_model::language::Language;
use kasoku_model::workload::served::{Client, LatencyOf};
use kasoku_model::workload::{NonceForm, Operation};
use kasoku_report as report;
use kasoku_report::html::Shown;
use kasoku_store::output_file::{self, OutputError, print};
use kasoku_store::{MAX_SAMPLES, MAX_SERIES, Store, location};
use sizes::{Sizes, all_sizes, check_sweep, sizes};

/// The arguments of `kasoku run`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to measure [default: all of: primitives, packets, jvm, files, tls]
    #[arg(value_name = "LEVEL")]
    levels: Vec<String>,
    /// Take half a minute a level, two minutes in all: fewer rounds, wider intervals
    #[arg(long, conflicts_with = "as_published")]
    quick: bool,
    /// Take the algorithms, sizes and durations of the published measurements; those of jvm, files and tls take hours and
    /// must be named
    #[arg(long)]
    as_published: bool,
    /// These libraries only (see kasoku libraries)
    #[arg(long, alias = "stacks", value_delimiter = ',', value_name = "A,B")]
    libraries: Option<Vec<String>>,
    /// Another build of OpenSSL's libcrypto to measure beside the system's; may be given several times
    #[arg(long, value_name = "PATH")]
    libcrypto: Vec<PathBuf>,
    /// Another Java to measure in beside those that are found: a program java, or the folder of a JDK; may be given
    /// several times
    #[arg(long, value_name = "PATH")]
    java: Vec<PathBuf>,
    /// Measure Java with this flag too, as series of their own: -XX:-UseGHASHIntrinsics; may be given several times
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true, value_parser = java::flag)]
    jvm_flag: Vec<String>,
    /// Run crypto.aes of SPECjvm2008 itself too, from this JAR, which is to be had from SPEC
    #[arg(long, value_name = "JAR")]
    specjvm: Option<PathBuf>,
    /// These acceleration states: on, off, no-aes, no-clmul, no-vaes, no-avx512, no-sha [default: on,off]
    #[arg(long, value_delimiter = ',', value_name = "STATES")]
    acceleration: Option<Vec<Acceleration>>,
    /// These algorithms only
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = measured)]
    algorithms: Option<Vec<Algorithm>>,
    /// These operations: encrypt, decrypt, seal, open, hash, derive, sign, verify, encapsulate, decapsulate,
    /// protect, unprotect, serve, transfer
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    operations: Option<Vec<Operation>>,
    /// How the nonces of AEADs come about: ahead (made before), counted (and used at once) [default: ahead]
    #[arg(long, value_delimiter = ',', value_name = "FORMS")]
    nonces: Option<Vec<NonceForm>>,
    /// These sizes in bytes, also in K, M and G (beside other levels, files take those of 1M and more), or `sweep`: 75
    /// from 16 bytes to 64 KiB, for kasoku steps [default: see --list]
    #[arg(long, value_delimiter = ',', value_name = "BYTES", value_parser = sizes)]
    sizes: Option<Vec<Sizes>>,
    /// Run every workload in this many threads at once, or in as many as there are cores ("all")
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Rounds, instead of 30 (24 of primitives, 10 with --quick); rounded up to a multiple of 3, from 30 on of 10
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// Of files: encrypt and decrypt each so often in each of the two test runs, instead of as often as the time allows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repetitions: Option<u32>,
    /// Of files and tls: the folder whose file system is measured, or has what is served [default: the system's for temporary files]
    #[arg(long, value_name = "PATH")]
    dir: Option<PathBuf>,
    /// Of files: measure with an empty page cache too
    #[arg(long)]
    cold: bool,
    /// Of files and tls: go on with a run that was broken off, given the same arguments again; what it has is kept, of tls
    /// the sizes that were over
    #[arg(long, value_name = "RUN")]
    resume: Option<String>,
    /// Of packets: only move data from end to end, by QUIC and by TLS, with each cryptography, for about a minute
    #[arg(long)]
    end_to_end: bool,
    /// Of tls: these numbers of nginx's workers [default: 1,2; 1 with --quick]
    #[arg(long, value_delimiter = ',', value_name = "N,M", value_parser = tls::workers)]
    workers: Option<Vec<usize>>,
    /// Of tls: the longest time in seconds that any connection may take [default: 2]
    #[arg(long, value_name = "S", value_parser = tls::seconds)]
    max_latency: Option<Duration>,
    /// Of tls: which time that is: of a `connection` to its first byte, or of a whole `request` [default: connection]
    #[arg(long, value_name = "WHAT")]
    latency_of: Option<LatencyOf>,
    /// Of tls: seconds that each step takes, instead of as many as the time allows
    #[arg(long, value_name = "S", value_parser = tls::seconds)]
    duration: Option<Duration>,
    /// Of tls: so many connections at once, instead of the number with the highest throughput
    #[arg(long, value_name = "N", value_parser = tls::connections)]
    concurrency: Option<usize>,
    /// Of tls: what fetches the files: `draining`, which leaves the CPU to the server, or `ab` [default: draining]
    #[arg(long, value_name = "CLIENT")]
    client: Option<Client>,
    /// Of tls: Kasoku's provider for OpenSSL [default: the one beside this command, or in ../lib]
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
    /// Of tls: put the load on servers that `kasoku serve` keeps, each named as it says; from several hosts under mpirun
    #[arg(long, value_delimiter = ',', value_name = "HOST:PORT", requires = "levels")]
    server: Vec<String>,
    /// The token that these servers printed; they get no load unless they show that they know it [default: $KASOKU_TOKEN]
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "TOKEN")]
    token: Option<Token>,
    /// Under mpirun: the folder in which each host keeps what it measured, before it is gathered on the first
    #[arg(long, value_name = "PATH", default_value = ".")]
    host_results: PathBuf,
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
    /// Of files: write a line for every repetition here
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Wait if another run is measuring on this machine, instead of refusing
    #[arg(long)]
    wait: bool,
}

const EXAMPLES: &str = "\
Examples:
  kasoku run                                everything, and a verdict
  kasoku run primitives --quick --json out.json
  kasoku run packets --sizes 1200,1452      QUIC packets of these payloads
  kasoku run packets --end-to-end           what quinn and rustls gain by each cryptography
  kasoku run files --sizes 50M,1G --dir /srv    files on the file system of that folder
  kasoku run files --as-published --list    how long the published measurement takes here
  kasoku run --libraries openssl,ring --algorithms aes-256-gcm --sizes 1350,16384
  kasoku run --libcrypto /opt/openssl-3.5/lib/libcrypto.so.3     two builds side by side
  kasoku run primitives --algorithms aes-128-ctr --acceleration off --sizes sweep     for kasoku steps
  kasoku run jvm --java /opt/jdk-21         Java: this JDK beside those that are found
  kasoku run jvm --jvm-flag=-XX:-UseGHASHIntrinsics
  kasoku run tls --quick                    nginx with OpenSSL's own provider and with Kasoku's
  kasoku run tls --sizes 1M,64M --workers 1,2 --duration 10
  kasoku run tls --server 10.0.0.1:7000 --token 00112233445566778899aabbccddeeff     a server elsewhere (kasoku serve)
  mpirun --hostfile HOSTS kasoku run tls --server 10.0.0.1:7000 --token …            the same from several hosts
  mpirun --hostfile HOSTS kasoku run primitives      each host for itself, gathered on the first (docs/FLEET.md)
  kasoku run --list                         what would be measured, and how long it takes";

/// Measures this machine.
///
/// # Errors
/// Wrong usage, or a place for the results that cannot be written; both before anything is measured.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<Outcome, Failure> {
    if !args.list
        && let Some(outcome) = fleet::run(args, store, language)?
    {
        return Ok(outcome);
    }
    let mut options = options(args)?;
    files::clean(&options);
    if args.list {
        return list(args, &options);
    }
    let mut store = check_places(args, store)?;
    let making = Making { id: None, name: None, is_quiet: false, is_alone: true, carry_out: &mut rounds::run };
    let finished = measure(args, &mut options, &mut store, making)?;
    deliver_all(args, &store, &finished, language)
}

/// Opens the store, and sees to it that every other result can be written.
fn check_places(args: &Args, store: Option<&Path>) -> Result<Store, Failure> {
    let report_path = report_path(args);
    let json_path = args.json.as_deref().filter(|path| *path != Path::new("-"));
    for path in [Some(report_path.as_path()), json_path, args.log.as_deref()].into_iter().flatten() {
        output_file::check_writable(path)?;
    }
    Ok(Store::open(&location::locate(store)?)?)
}

/// Carries out the plan of one level.
type CarryOut<'a> = dyn FnMut(&Plan, Vec<Worker>, &mut dyn Observer) -> Result<Measured, String> + 'a;

/// How a run is made that may be one of several.
struct Making<'a> {
    /// The run's name, if it is not to have one of its own.
    id: Option<String>,
    /// What the machine is called.
    name: Option<String>,
    /// Whether nobody watches.
    is_quiet: bool,
    /// Whether no other hosts wait for this one: it may be stopped, and end in order. (mpirun ends those that it started.)
    is_alone: bool,
    carry_out: &'a mut CarryOut<'a>,
}

/// A run that is over, and whether something failed beyond what its series say.
struct Finished {
    document: Document,
    has_failed: bool,
}

/// Whether what is planned can be shown once it is stored, also if half of the slices are taken again.
fn check_extent(levels: &[(Plan, Vec<Worker>)]) -> Result<(), Failure> {
    let series: usize = levels.iter().map(|(plan, _)| plan.most_series()).sum();
    let slices: usize = levels.iter().map(|(plan, _)| plan.most_series() * plan.all_rounds() as usize).sum();
    if series > MAX_SERIES || slices > MAX_SAMPLES / 2 {
        return Err(Failure::new(format!(
            "up to {series} series and {slices} samples would be measured; a run takes {MAX_SERIES} and {}: name \
             fewer --algorithms, --libraries, --sizes or --rounds",
            MAX_SAMPLES / 2
        )));
    }
    Ok(())
}

/// Measures, and keeps all in the store; also of a run that is stopped what it has.
fn measure(args: &Args, options: &mut Options, store: &mut Store, making: Making<'_>) -> Result<Finished, Failure> {
    // While another run is waited for, signals end this one at once.
    let _lock = measuring_lock(args.wait)?;
    let listening = making.is_alone.then(interruption::listen).transpose();
    let _listening = listening.map_err(|error| Failure::new(format!("signals cannot be heard: {error}")))?;
    let mut begun = None;
    let finished = measure_all(args, options, store, making, &mut begun);
    match interruption::signal() {
        Some(signal) if finished.is_err() => Err(stopped(signal, store, begun.as_deref())),
        _ => finished,
    }
}

/// That `signal` stopped the run of that name, if it had begun, and what is kept of it.
fn stopped(signal: u8, store: &Store, run: Option<&str>) -> Failure {
    let Some(run) = run else {
        return Failure::stopped(signal, "Stopped. Nothing was measured yet, and nothing is kept");
    };
    // What cannot be read now is at least there.
    let has_samples = |document: Document| document.series.iter().any(|series| !series.samples.is_empty());
    if store.load(run).map_or(true, has_samples) {
        return Failure::stopped(
            signal,
            format!("Stopped. What was measured is kept as {run}, marked incomplete: kasoku show {run}"),
        );
    }
    Failure::stopped(
        signal,
        format!("Stopped. Nothing was measured yet; {run} is kept without figures, marked incomplete"),
    )
}

/// Measures; `begun` is the name of the run once the store has it.
fn measure_all(
    args: &Args,
    options: &mut Options,
    store: &mut Store,
    making: Making<'_>,
    begun: &mut Option<String>,
) -> Result<Finished, Failure> {
    let started = Instant::now();
    let ticks = steal::ticks();
    let resumed = match &args.resume {
        Some(name) => Some(resume::Resumed::load(store, name, &command_line())?),
        None => None,
    };
    options.files.before = resumed.as_ref().map(resume::Resumed::series).unwrap_or_default();
    options.tls.before.clone_from(&options.files.before);
    let Ready { mut levels, omissions, has_failed } = ready(args, options)?;
    check_extent(&levels)?;
    levels.iter_mut().for_each(|(plan, workers)| files::tell_beforehand(plan, workers));
    levels.iter().filter_map(|(plan, _)| tls::beforehand(plan)).for_each(|line| super::tell(&line));
    if interruption::is_wanted() {
        return Err(Failure::new("it was stopped before it began"));
    }
    let mut document = header(&levels, omissions);
    let is_of_several = making.id.is_some();
    if let Some(id) = making.id {
        document.run.id = id;
    }
    document.machine.name = making.name;
    match &resumed {
        Some(resumed) => resumed.go_on(&mut document),
        None => {
            if !is_of_several {
                resume::tell_of_broken_off(store, &command_line())?;
            }
            store.begin_run(&document).map(drop)?;
        }
    }
    let run = document.run.id.clone();
    *begun = Some(run.clone());
    let (mut method, several) = (Method::default(), levels.len() > 1);
    for (plan, workers) in levels {
        let known = resumed.as_ref().map(resume::Resumed::known).unwrap_or_default();
        if let Some(tls) = &plan.tls {
            method.limits = tls.limits();
            document.run.notes.extend(tls::notes(&plan).into_iter().map(|line| format!("tls: {line}")));
        }
        let mut progress = Progress::new(store, &run).resuming(known);
        if making.is_quiet {
            progress = progress.quietly();
        }
        let carried_out = (making.carry_out)(&plan, workers, &mut progress);
        let ids = progress.finish();
        let ended = |error| Failure::new(format!("the run was ended: {error}; what was measured is kept as {run}"));
        // A level that was stopped may come to its end all the same, with failures.
        if interruption::is_wanted() {
            document.run.seconds = Some(started.elapsed().as_secs_f64());
            store.break_off_run(&run, &document.run)?;
            return Err(ended("it was stopped".to_owned()));
        }
        let mut measured = carried_out.map_err(ended)?;
        let conclusion = conclusion::conclude(&plan, &mut measured.series);
        for (id, series) in ids.into_iter().zip(&measured.series) {
            store.finish_series(id, series)?;
        }
        if plan.is_in_slices() || !several {
            join(&mut method, &plan, measured.slice, &conclusion);
        }
        document.series.extend(measured.series);
        document.run.omissions.extend(measured.omissions);
        measured.libraries.retain(|one| !document.run.libraries.contains(one));
        document.run.libraries.extend(measured.libraries);
        let notes = conclusion.notes.into_iter();
        document.run.notes.extend(notes.map(|note| if several { format!("{}: {note}", plan.level) } else { note }));
    }
    document.run.omissions = without_repetition(std::mem::take(&mut document.run.omissions));
    document.run.notes.extend(steal::note(ticks));
    method.core_clock = clock::core_clock_source().map(str::to_owned);
    method.loop_ns = Some(empty_loop::nanoseconds());
    document.run.method = method;
    document.run.complete = true;
    document.run.seconds = Some(started.elapsed().as_secs_f64());
    store.finish_run(&run, &document.run)?;
    Ok(Finished { document, has_failed })
}

/// Shows a run that is over.
fn deliver_all(args: &Args, store: &Store, finished: &Finished, language: Language) -> Result<Outcome, Failure> {
    let around = surroundings::of(&finished.document, store);
    let shown = Shown { document: &finished.document, surroundings: Some(&around) };
    let outcome = deliver(args, shown, &report_path(args), language)?;
    Ok(if finished.has_failed { Outcome::Partial } else { outcome })
}

fn report_path(args: &Args) -> PathBuf {
    args.report.clone().unwrap_or_else(|| PathBuf::from("kasoku-report.html"))
}

/// Adds to `method` how a level was measured. Where levels differ, the run is said to be no better than the worse.
fn join(method: &mut Method, plan: &Plan, slice: Duration, conclusion: &Conclusion) {
    let slice_ms = slice.as_secs_f64() * 1e3;
    let is_first = method.rounds == 0;
    method.processes = if is_first { plan.processes } else { method.processes.min(plan.processes) };
    method.rounds = if is_first { plan.all_rounds() } else { method.rounds.min(plan.all_rounds()) };
    method.slice_ms = if is_first { slice_ms } else { method.slice_ms.min(slice_ms) };
    method.core_hz = method.core_hz.or(conclusion.core_hz);
    method.noise_floor = method.noise_floor.into_iter().chain(conclusion.noise_floor).reduce(f64::max);
    for (algorithm, &floor) in &conclusion.noise_floors {
        let known = method.noise_floors.entry(algorithm.clone()).or_insert(floor);
        *known = known.max(floor);
    }
    if method.noise_floor_library.is_none() {
        method.noise_floor_library.clone_from(&conclusion.noise_floor_library);
    }
}

/// Prints and writes what was found. What cannot be written is told; the run is in the store whatever happens.
fn deliver(args: &Args, shown: Shown<'_>, report_path: &Path, language: Language) -> Result<Outcome, Failure> {
    let document = shown.document;
    let kept = |error: OutputError| Failure::new(format!("{error}; the run is kept as {}", document.run.id));
    let json = || report::export::json::json(document);
    let to_output = args.json.as_deref() == Some(Path::new("-"));
    let summary = || report::terminal::summary(document, super::is_colour_wanted(), language);
    print(&if to_output { json() } else { summary() })?;
    output_file::write(report_path, report::html::render_among(&[shown], language).as_bytes()).map_err(kept)?;
    if let Some(path) = args.json.as_deref().filter(|_| !to_output) {
        output_file::write(path, json().as_bytes()).map_err(kept)?;
    }
    if let Some(path) = &args.log {
        output_file::write(path, report::files::log(document).as_bytes()).map_err(kept)?;
    }
    let id = &document.run.id;
    super::tell(&format!("\nReport: {}\nRun:    {id}, shown again by: kasoku show {id}", report_path.display()));
    let is_expected = |series: &Series| is_cross_check(series) || (is_bound(&series.library) && !series.has_failed());
    let has_failed = document.series.iter().any(|series| !series.verified && !is_expected(series));
    Ok(if has_failed { Outcome::Partial } else { Outcome::Done })
}

fn is_cross_check(series: &Series) -> bool {
    ["openssl-speed", SPECJVM.name].contains(&series.library.as_str()) && !series.has_failed()
}

/// What can be measured of what was asked for.
struct Ready {
    levels: Vec<(Plan, Vec<Worker>)>,
    omissions: Vec<Omission>,
    /// Whether a library did not only lack its library but failed.
    has_failed: bool,
}

/// Starts the workers that can be had and makes the plans for them. A level that has nothing to measure is left out, and
/// is an error if it was named.
fn ready(args: &Args, options: &Options) -> Result<Ready, Failure> {
    let mut ready = Ready { levels: Vec::new(), omissions: Vec::new(), has_failed: false };
    for level in LEVELS {
        let is_named = args.levels.iter().any(|name| name == level.name);
        if !is_named && !args.levels.is_empty() {
            continue;
        }
        let of_level = files::options_of(options, level.name, &args.levels);
        let options = &of_level;
        let (names, mut omissions) = (level.candidates)(options);
        let (mut workers, unavailable, has_failed) = start_all(level.name, &names);
        omissions.extend(unavailable);
        let names = workers.iter().map(|worker| worker.name.clone()).collect();
        let mut plan = (level.plan)(options, names);
        let (controls, _, _) = start_all(level.name, &plan.workers[workers.len()..]);
        workers.extend(controls);
        let is_whole = workers.len() == plan.workers.len();
        if is_whole {
            omissions.extend(keep_what_there_is(&mut plan, &mut workers));
        }
        let is_empty = plan.is_empty();
        ready.has_failed |= has_failed;
        if is_whole && !is_empty {
            ready.levels.push((plan, workers));
        } else if is_named {
            return Err(nothing(&omissions));
        }
        ready.omissions.extend(omissions);
    }
    if ready.levels.is_empty() { Err(nothing(&ready.omissions)) } else { Ok(ready) }
}

/// That there is nothing to measure, and why.
fn nothing(omissions: &[Omission]) -> Failure {
    let reason = |one: &Omission| match one.library.as_str() {
        "" => format!("{}: {}", one.level, one.why),
        library => format!("{library}: {}", one.why),
    };
    let mut reasons: Vec<String> = omissions.iter().map(reason).collect();
    reasons.dedup();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
    Failure::new(format!("there is nothing to measure{reasons}; see kasoku libraries"))
}

fn header(levels: &[(Plan, Vec<Worker>)], omissions: Vec<Omission>) -> Document {
    // Files have test runs and repetitions instead, and servers steps, which say nothing of the other levels' rounds.
    let of_rounds = || levels.iter().filter(|(plan, _)| plan.is_in_slices() || levels.len() == 1);
    let fewest = |count: fn(&Plan) -> u32| of_rounds().map(|(plan, _)| count(plan)).min().unwrap_or(0);
    Document {
        schema: SCHEMA,
        run: Run {
            id: kasoku_model::run_name::new(),
            started: kasoku_model::run_name::now(),
            kasoku: env!("CARGO_PKG_VERSION").to_owned(),
            command: command_line(),
            method: Method {
                processes: fewest(|plan| plan.processes),
                rounds: fewest(Plan::all_rounds),
                ..Method::default()
            },
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
    let mut arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    // A token is nobody else's.
    for index in 1..arguments.len() {
        if arguments[index - 1] == "--token" || arguments[index].starts_with("--token=") {
            arguments[index] = if arguments[index].starts_with("--token=") { "--token=…" } else { "…" }.to_owned();
        }
    }
    std::iter::once("kasoku".to_owned()).chain(arguments.into_iter().skip(1).map(quoted)).collect::<Vec<_>>().join(" ")
}

fn list(args: &Args, options: &Options) -> Result<Outcome, Failure> {
    let Ready { mut levels, omissions, .. } = ready(args, options)?;
    for (index, (plan, workers)) in levels.iter_mut().enumerate() {
        let between = if index > 0 { "\n" } else { "" };
        print(&format!("{between}{}", description::describe(plan)))?;
        let lines = [files::beforehand(plan, workers), tls::beforehand(plan), tls::binding_limit(plan)];
        for line in lines.into_iter().flatten() {
            print(&format!("\n{line}\n"))?;
        }
    }
    let mut told: Vec<(&str, Option<Acceleration>)> = Vec::new();
    for one in omissions.iter().filter(|one| one.algorithm.is_none()) {
        if told.contains(&(&one.library, one.acceleration)) {
            continue; // the levels lack the same library
        }
        told.push((&one.library, one.acceleration));
        let install = one.install.as_ref().map(|command| format!("; to install it: {command}")).unwrap_or_default();
        let state = one.acceleration.map(|state| format!(" ({state})")).unwrap_or_default();
        let what = if one.library.is_empty() { &one.level } else { &one.library };
        print(&format!("not here: {what}{state}: {}{install}\n", one.why))?;
    }
    Ok(Outcome::Done)
}

fn options(args: &Args) -> Result<Options, Failure> {
    for level in &args.levels {
        let here: Vec<&str> = LEVELS.iter().map(|level| level.name).collect();
        if !here.contains(&level.as_str()) {
            return Err(Failure::new(format!("unknown level \"{level}\"; known are {}", here.join(", "))));
        }
    }
    for name in args.libraries.iter().flatten() {
        if libraries::find(name).is_none() {
            let known: Vec<&str> =
                libraries::LIBRARIES.iter().filter(|entry| !entry.is_test).map(|entry| entry.name).collect();
            return Err(Failure::new(format!("unknown library \"{name}\"; known are {}", known.join(", "))));
        }
    }
    let sizes = args.sizes.as_deref().map_or(0, |sizes| all_sizes(sizes).len());
    if sizes > MAX_SIZES {
        return Err(Failure::new(format!("--sizes takes at most {MAX_SIZES} sizes at once, and there are {sizes}")));
    }
    if args.sizes.iter().flatten().any(|sizes| *sizes == Sizes::Sweep) {
        check_sweep(args)?;
    }
    if !args.libcrypto.is_empty() && args.libraries.as_ref().is_some_and(|names| !names.iter().any(|n| n == "openssl"))
    {
        return Err(Failure::new("--libcrypto adds builds to the library openssl, which --libraries leaves out"));
    }
    for path in &args.libcrypto {
        if !path.is_file() {
            return Err(Failure::new(format!("--libcrypto {}: there is no such file", path.display())));
        }
        // In a process of its own, as it will be measured: whatever the file does when it is loaded, it does there.
        let named = WorkerName {
            library_file: Some(from_here(path)),
            ..WorkerName::new(&libraries::openssl::ENTRY, Acceleration::On)
        };
        Worker::start(named).map_err(|error| Failure::new(format!("--libcrypto {}: {error}", path.display())))?;
    }
    if args.end_to_end && !args.levels.iter().any(|level| level == packets::NAME) {
        return Err(Failure::new("--end-to-end is for the level packets: kasoku run packets --end-to-end"));
    }
    files::check(args, &args.levels)?;
    resume::check(args, &args.levels)?;
    java::check(&args.java, args.specjvm.as_deref())?;
    tls::check(args, &args.levels)?;
    if args.threads.is_some_and(|threads| threads > cores()) {
        return Err(Failure::new(format!("--threads: there are {} cores here, and a thread needs one", cores())));
    }
    Ok(Options {
        pace: match (args.quick, args.as_published) {
            (true, _) => Pace::Quick,
            (_, true) => Pace::AsPublished,
            _ => Pace::Default,
        },
        libraries: args.libraries.clone(),
        libcrypto: args.libcrypto.iter().map(|path| from_here(path)).collect(),
        java: args.java.clone(),
        jvm_flags: args.jvm_flag.clone(),
        // It is run in its own folder.
        specjvm: args.specjvm.as_deref().map(from_here),
        acceleration: args.acceleration.clone(),
        algorithms: args.algorithms.clone(),
        operations: args.operations.clone(),
        sizes: args.sizes.as_deref().map(all_sizes),
        nonces: args.nonces.clone(),
        threads: args.threads.map(|threads| if threads == 0 { cores() } else { threads }),
        cores: cores(),
        rounds: args.rounds,
        slice: args.slice.map(Duration::from_millis),
        end_to_end: args.end_to_end,
        files: FilesOptions {
            dir: args.dir.clone(),
            cold: args.cold,
            repetitions: args.repetitions,
            before: Vec::new(),
        },
        tls: tls::options(args),
    })
}

/// The whole path of a file: a bare name would be looked for where the loader looks, and not here.
fn from_here(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
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
/// An algorithm that can be measured.
fn measured(name: &str) -> Result<Algorithm, String> {
    match name.parse::<Algorithm>() {
        Ok(algorithm) if algorithm.is_quoted() => {
            Err(format!("{algorithm} is known from other people's tables only; nothing here measures it"))
        }
        Ok(algorithm) => Ok(algorithm),
        Err(unknown) => Err(unknown.to_string()),
    }
}
