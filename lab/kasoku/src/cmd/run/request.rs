//! The arguments of `kasoku run`.
//!
//! The ID of each group of options is the names of its levels; [`check_options`] rejects options of other levels.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::super::named::{library, named_worker, number_of, suggestion};
use super::super::{Failure, report};
use kasoku_libraries::LibraryEntry;
use kasoku_measure::hosts::launcher::{Launcher, check_host_name};
use kasoku_measure::level::tls::MAX_WORKERS;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::extent::MAX_SIZES;
use kasoku_model::level::Level;
use kasoku_model::run_name::label;
use kasoku_model::steps::sweep;
use kasoku_model::workload::served::LatencyOf;
use kasoku_model::workload::{MAX_BYTES, NonceForm, Operation, size};

/// Measure this machine
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunRequest {
    /// Levels to measure [default: all that this machine can run]
    #[arg(value_name = "LEVEL", value_enum)]
    pub(super) levels: Vec<Level>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
    #[command(flatten)]
    pub(super) packets: PacketsArgs,
    #[command(flatten)]
    pub(super) whole_files: WholeFilesArgs,
    #[command(flatten)]
    pub(super) files: FilesArgs,
    #[command(flatten)]
    pub(super) jvm: JvmArgs,
    #[command(flatten)]
    pub(super) tls: TlsArgs,
}

const EXAMPLES: &str = "\
Examples:
  kasoku run                                    everything, and a verdict
  kasoku run --list                             what would be measured, and how long it would take
  kasoku run primitives --quick --json out.json
  kasoku run --libraries openssl,ring --algorithms aes-256-gcm --sizes 1350,16384
  kasoku run --libcrypto /opt/openssl-3.5/lib/libcrypto.so.3     two builds side by side
  kasoku run primitives --worker mine=./worker   a library of yours, by a program that answers requests
  kasoku run primitives --algorithms aes-128-ctr --acceleration off --sizes sweep     for kasoku steps
  kasoku run packets --sizes 1200,1452          QUIC packets with these payloads
  kasoku run packets --end-to-end               what quinn and rustls gain from each provider
  kasoku run files --sizes 50M,1G --dir /srv    on that folder's file system
  kasoku run files --as-published --list        how long the published measurement takes here
  kasoku run jvm --java /opt/jdk-21             this JDK beside those found
  kasoku run jvm --jvm-flag=-XX:-UseGHASHIntrinsics
  kasoku run tls --sizes 1M,64M --workers 1,2 --duration 10      an nginx server
  kasoku run tls --server web1 --clients load1,load2             load from several hosts, started together
  kasoku run packets tls                        two levels
  kasoku run primitives --hosts node1,node2     each host measures itself, reached by ssh (docs/HOSTS.md)";

/// Checks that every given option belongs to a named level or to all levels. The error names the first wrong option and
/// its levels.
pub(crate) fn check_options(typed: &ArgMatches, run: &mut Command) -> Result<(), clap::Error> {
    let named: Vec<&Level> = typed.get_many("levels").into_iter().flatten().collect();
    let is_typed = |id: &&clap::Id| typed.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let misplaced = run.get_groups().find_map(|group| {
        let levels: Vec<&str> = group.get_id().as_str().split(' ').collect();
        let is_named = named.iter().any(|name| levels.contains(&name.name()));
        let id = group.get_args().find(is_typed).filter(|_| !is_named)?;
        let option = run.get_arguments().find(|argument| argument.get_id() == id)?.get_long()?;
        let many = if levels.len() > 1 { "s" } else { "" };
        let (all, first) = (levels.join(" and "), levels.first()?);
        Some(format!("--{option} is for the level{many} {all}: kasoku run {first} --{option} …"))
    });
    misplaced.map_or(Ok(()), |what| Err(run.error(ErrorKind::ArgumentConflict, what)))
}

impl RunRequest {
    pub(super) fn names(&self, level: Level) -> bool {
        self.levels.contains(&level)
    }

    /// Returns whether the user named `level` and no other level.
    pub(super) fn names_only(&self, level: Level) -> bool {
        self.names(level) && self.levels.iter().all(|name| *name == level)
    }

    /// Returns the name of the run to resume. `--resume` requires that the only level is files or tls.
    pub(super) fn resume(&self) -> Result<Option<&str>, Failure> {
        let resume = self.whole_files.resume.as_deref();
        if resume.is_some() && !self.names_only(Level::Files) && !self.names_only(Level::Tls) {
            return Err(Failure::new(format!(
                "--resume works for runs of {0} or {1} alone: kasoku run {0} … --resume RUN",
                Level::Files,
                Level::Tls
            )));
        }
        Ok(resume)
    }

    pub(super) fn report_path(&self, run: &str) -> PathBuf {
        self.common.report.clone().unwrap_or_else(|| report::page_of(run))
    }
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "General options")]
pub(super) struct CommonArgs {
    /// Measure for half a minute per level, two minutes in all: fewer rounds, wider intervals
    #[arg(long)]
    pub(super) quick: bool,
    /// Use the algorithms, sizes and durations of the published measurements; jvm, files and tls take hours and must be
    /// named
    #[arg(long, conflicts_with = "quick")]
    pub(super) as_published: bool,
    /// Libraries to measure (see kasoku libraries)
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = library)]
    pub(super) libraries: Option<Vec<String>>,
    /// Measure this program's AEADs, ciphers and hashes beside the libraries (level primitives; docs/WORKERS.md);
    /// repeatable
    #[arg(long, value_name = "NAME=COMMAND", value_parser = named_worker)]
    pub(super) worker: Vec<&'static LibraryEntry>,
    /// Measure this build of OpenSSL's libcrypto beside the system's, under nginx with the libssl beside it; repeatable
    #[arg(long, value_name = "PATH")]
    pub(super) libcrypto: Vec<PathBuf>,
    /// Measure with this Java too, beside those that are found: a java program or a JDK folder; repeatable
    #[arg(long, value_name = "PATH")]
    pub(super) java: Vec<PathBuf>,
    /// Acceleration states: on, off, no-aes, no-clmul, no-vaes, no-avx512, no-sha [default: on,off]
    #[arg(long, value_delimiter = ',', value_name = "STATES")]
    pub(super) acceleration: Option<Vec<Acceleration>>,
    /// Algorithms to measure
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = measurable_algorithm)]
    pub(super) algorithms: Option<Vec<Algorithm>>,
    /// Operations: encrypt, decrypt, seal, open, seal-new-key, seal-update, hash, derive, sign, verify, encapsulate,
    /// decapsulate, protect, unprotect, serve, handshake, transfer
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(super) operations: Option<Vec<Operation>>,
    /// How AEAD nonces are made: ahead (before timing), counted (one by one, while timed) [default: ahead]
    #[arg(long, value_delimiter = ',', value_name = "FORMS")]
    pub(super) nonces: Option<Vec<NonceForm>>,
    /// Sizes in bytes, or with K, M or G (if other levels run too, files use only those of 1M and more), or `sweep`: 75
    /// sizes from 16 bytes to 64 KiB, for kasoku steps [default: see --list]
    #[arg(long, value_delimiter = ',', value_name = "BYTES", value_parser = sizes)]
    pub(super) sizes: Option<Vec<Sizes>>,
    /// Run every workload in this many threads at once, or "all" for one per core
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(super) threads: Option<usize>,
    /// Number of rounds, rounded up to a multiple of 3, or of 10 from 30 rounds on [default: 30; primitives 24; --quick
    /// 10]
    #[arg(long, value_name = "N", value_parser = number_of("rounds", 1..=10_000_u32))]
    pub(super) rounds: Option<u32>,
    /// Length of a timed slice in milliseconds [default: as long as the time allows]
    #[arg(long, value_name = "MS", value_parser = number_of("milliseconds", 1..=2_000_u64))]
    pub(super) slice: Option<u64>,
    /// Print what would be measured and how long it would take, without measuring
    #[arg(long)]
    pub(super) list: bool,
    /// Write the run document to this file
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the report to this file [default: kasoku-RUN.html, RUN being the run's name]
    #[arg(long, value_name = "FILE.html")]
    pub(super) report: Option<PathBuf>,
    /// Label for the run, usable like its name, as in `kasoku show baseline` or `kasoku compare baseline last`
    #[arg(long, value_name = "TEXT", value_parser = label)]
    pub(super) label: Option<String>,
    /// Wait for another run on this machine to finish, instead of refusing to start
    #[arg(long)]
    pub(super) wait: bool,
    /// Measure these hosts instead of this one, and collect their runs here
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = check_host_name)]
    pub(super) hosts: Vec<String>,
    /// How other hosts are reached: ssh, srun, mpirun, or a command with {host} in it [default: ssh]
    #[arg(long, value_name = "LAUNCHER")]
    pub(super) launcher: Option<Launcher>,
    /// Path of kasoku on other hosts [default: kasoku for ssh, otherwise this program's own path]
    #[arg(long, value_name = "PATH")]
    pub(super) remote_kasoku: Option<PathBuf>,
}

/// Parses a number of threads; 0 stands for "all".
fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        _ if text == "all" => Ok(0),
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("the number of threads must be from 1 to 1024, or all".to_owned()),
    }
}

/// Parses an algorithm. Rejects algorithms that only published tables have.
fn measurable_algorithm(typed: &str) -> Result<Algorithm, String> {
    match typed.parse::<Algorithm>() {
        Ok(algorithm) if algorithm.is_quoted() => Err(format!(
            "{algorithm} cannot be measured; it is known only from published tables{}",
            suggestion(algorithm)
        )),
        Ok(algorithm) => Ok(algorithm),
        Err(unknown) => Err(unknown.to_string()),
    }
}

#[derive(Debug, Default, clap::Args)]
#[group(id = "packets")]
#[command(next_help_heading = "Options of packets")]
pub(super) struct PacketsArgs {
    /// Only measure data transfer end to end, over QUIC and TLS, with each provider; takes about a minute
    #[arg(long)]
    pub(super) end_to_end: bool,
}

#[derive(Debug, Default, clap::Args)]
#[group(id = "files tls")]
#[command(next_help_heading = "Options of files and tls")]
pub(super) struct WholeFilesArgs {
    /// Folder on the file system to measure, or for the files that are served [default: the system's temporary folder]
    #[arg(long, value_name = "PATH")]
    pub(super) dir: Option<PathBuf>,
    /// Resume an interrupted run (repeat the same arguments); its samples and finished sizes are kept
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<String>,
}

#[derive(Debug, Default, clap::Args)]
#[group(id = "files")]
#[command(next_help_heading = "Options of files")]
pub(super) struct FilesArgs {
    /// Measure also with an empty page cache
    #[arg(long)]
    pub(super) cold: bool,
    /// Repetitions of each file per test run; a run on files has two test runs [default: as many as the time allows]
    #[arg(long, value_name = "N", value_parser = number_of("repetitions", 1..=10_000_u32))]
    pub(super) repetitions: Option<u32>,
    /// Write a line for every repetition to this file
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
}

#[derive(Debug, Default, clap::Args)]
#[group(id = "jvm")]
#[command(next_help_heading = "Options of jvm")]
pub(super) struct JvmArgs {
    /// Also measure Java with this flag, as separate series, as -XX:-UseGHASHIntrinsics; repeatable
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true, value_parser = flag)]
    pub(super) jvm_flag: Vec<String>,
    /// Also run SPECjvm2008's own crypto.aes from this JAR (available from SPEC)
    #[arg(long, value_name = "JAR")]
    pub(super) specjvm: Option<PathBuf>,
}

#[derive(Debug, Default, clap::Args)]
#[group(id = "tls")]
#[command(next_help_heading = "Options of tls")]
pub(super) struct TlsArgs {
    /// Numbers of nginx workers [default: 1,2; 1 with --quick]
    #[arg(long, value_delimiter = ',', value_name = "N,M", value_parser = number_of("workers", 1..=MAX_WORKERS))]
    pub(super) workers: Option<Vec<usize>>,
    /// Latency limit for every connection, in seconds [default: 2]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(super) max_latency: Option<Duration>,
    /// What `--max-latency` limits: a `connection`'s time to first byte, or a whole `request` [default: connection]
    #[arg(long, value_name = "WHAT")]
    pub(super) latency_of: Option<LatencyOf>,
    /// Duration of each load step in seconds [default: as long as the time allows]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(super) duration: Option<Duration>,
    /// Number of concurrent connections, instead of searching for the best one
    #[arg(long, value_name = "N", value_parser = number_of("connections", 1..=65_536_usize))]
    pub(super) concurrency: Option<usize>,
    /// Kasoku's OpenSSL provider module [default: the one beside this command, or in ../lib]
    #[arg(long, value_name = "PATH")]
    pub(super) module: Option<PathBuf>,
    /// Host that serves [default: this one]
    #[arg(long, value_name = "HOST", value_parser = check_host_name)]
    pub(super) server: Option<String>,
    /// Hosts that put load on the server together [default: this one]
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = check_host_name)]
    pub(super) clients: Vec<String>,
    /// Addresses of the server's host, one for each network that is to be loaded [default: the address of --server]
    #[arg(long, value_delimiter = ',', value_name = "ADDR")]
    pub(super) addresses: Vec<IpAddr>,
}

impl TlsArgs {
    /// Returns whether the server or the clients are on other hosts.
    pub(super) fn is_remote(&self) -> bool {
        self.server.is_some() || !self.clients.is_empty()
    }
}

/// Parses a flag of the Java virtual machine. Other options of `java` could start other programs.
fn flag(text: &str) -> Result<String, String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "+-=._".contains(one);
    match text.strip_prefix("-XX:") {
        Some(rest) if !rest.is_empty() && rest.chars().all(is_plain) => Ok(text.to_owned()),
        _ => Err("a flag must be -XX: followed by letters, digits and + - = . _".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    match seconds.filter(|seconds| (0.01..=86_400.0).contains(seconds)) {
        Some(seconds) => Ok(Duration::from_secs_f64(seconds)),
        None => Err("a duration must be from 0.01 to 86400 seconds".to_owned()),
    }
}

/// A value of `--sizes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    One(usize),
    Sweep,
}

fn sizes(text: &str) -> Result<Sizes, String> {
    if text == "sweep" { Ok(Sizes::Sweep) } else { size(text).map(Sizes::One).map_err(|why| why + ", or sweep") }
}

/// Returns all named sizes: in the given order, or sorted if there is a sweep among them.
pub(super) fn all_sizes(sizes: &[Sizes]) -> Vec<usize> {
    let named = sizes.iter().flat_map(|sizes| match sizes {
        Sizes::One(bytes) => vec![*bytes],
        Sizes::Sweep => sweep::sizes(),
    });
    if sizes.contains(&Sizes::Sweep) { named.collect::<BTreeSet<_>>().into_iter().collect() } else { named.collect() }
}

/// Checks that the levels support the named sizes.
pub(super) fn check_sizes(request: &RunRequest) -> Result<(), Failure> {
    let Some(named) = request.common.sizes.as_deref() else { return Ok(()) };
    let sizes = all_sizes(named);
    if sizes.len() > MAX_SIZES {
        let count = sizes.len();
        return Err(Failure::new(format!("--sizes takes at most {MAX_SIZES} sizes, not {count}")));
    }
    if named.contains(&Sizes::Sweep) {
        check_sweep(request)?;
    }
    let has_whole_files = request.levels.is_empty() || request.names(Level::Files) || request.names(Level::Tls);
    if let Some(bytes) = sizes.into_iter().find(|&bytes| bytes > MAX_BYTES && !has_whole_files) {
        return Err(Failure::new(format!(
            "--sizes {bytes}: only the levels files and tls allow more than {MAX_BYTES} bytes"
        )));
    }
    Ok(())
}

/// Checks that a sweep names few algorithms of the level primitives. A sweep of everything would take hours, and its
/// slices would be too short.
fn check_sweep(request: &RunRequest) -> Result<(), Failure> {
    let example = "kasoku run primitives --algorithms aes-128-ctr --libraries openssl --sizes sweep";
    if !request.names_only(Level::Primitives) {
        return Err(Failure::new(format!("--sizes sweep works only for the level primitives: {example}")));
    }
    let most = sweep::MAX_ALGORITHMS;
    match request.common.algorithms.as_ref().map(Vec::len) {
        None => Err(Failure::new(format!(
            "--sizes sweep measures {} sizes of each algorithm; name the algorithms: {example}",
            sweep::sizes().len()
        ))),
        Some(count) if count > most => {
            Err(Failure::new(format!("--sizes sweep takes at most {most} algorithms, not {count}")))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_group_ids_are_names_of_levels() {
        let command = crate::cli::command();
        let run = command.find_subcommand("run").unwrap();
        for level in run.get_groups().flat_map(|group| group.get_id().as_str().split(' ')) {
            assert!(level.parse::<Level>().is_ok(), "{level}");
        }
    }

    #[test]
    fn all_sizes_keeps_the_order_or_sorts_with_a_sweep() {
        assert_eq!(all_sizes(&[Sizes::One(64), Sizes::One(16)]), [64, 16]);
        let all = all_sizes(&[Sizes::One(100), Sizes::Sweep, Sizes::One(16)]);
        assert_eq!((all.len(), all.is_sorted()), (sweep::sizes().len() + 1, true));
    }
}
