//! The options of `kasoku run` that concern some levels only.
//!
//! Each group of options has the names of its levels as its id; `request.rs` refuses an option whose levels are not
//! measured.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::super::named::number_of;
use kasoku_measure::hosts::launcher::check_host_name;
use kasoku_measure::level::tls::MAX_WORKERS;
use kasoku_model::workload::served::LatencyOf;

/// The options of the level `packets`.
#[derive(Debug, Default, clap::Args)]
#[group(id = "packets")]
#[command(next_help_heading = "Options of packets")]
pub(super) struct PacketsArgs {
    /// Only measure data transfer end to end, over QUIC and TLS, with each provider; takes about a minute
    #[arg(long)]
    pub(super) end_to_end: bool,
}

/// The options that the levels `files` and `tls` share.
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

/// The options of the level `files`.
#[derive(Debug, Default, clap::Args)]
#[group(id = "files")]
#[command(next_help_heading = "Options of files")]
pub(super) struct FilesArgs {
    /// Measure also with an empty page cache
    #[arg(long)]
    pub(super) cold: bool,
    /// Repetitions of each file in each of the two test runs [default: as many as the time allows]
    #[arg(long, value_name = "N", value_parser = number_of("repetitions", 1..=10_000_u32))]
    pub(super) repetitions: Option<u32>,
    /// Write a line for every repetition to this file
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
}

/// The options of the level `jvm`.
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

/// The options of the level `tls`.
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
    /// What the limit applies to: a `connection`'s time to first byte, or a whole `request` [default: connection]
    #[arg(long, value_name = "WHAT")]
    pub(super) latency_of: Option<LatencyOf>,
    /// Duration of each step in seconds [default: as long as the time allows]
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
    /// Whether the server or the clients are on other hosts.
    pub(super) fn is_remote(&self) -> bool {
        self.server.is_some() || !self.clients.is_empty()
    }
}

/// A flag of the virtual machine: of its own kind only, since others would change what is started.
fn flag(text: &str) -> Result<String, String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "+-=._".contains(one);
    match text.strip_prefix("-XX:") {
        Some(rest) if !rest.is_empty() && rest.chars().all(is_plain) => Ok(text.to_owned()),
        _ => Err("a flag must be -XX: followed by letters, digits and + - = . _".to_owned()),
    }
}

/// Seconds, for the command line.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    match seconds.filter(|seconds| (0.01..=86_400.0).contains(seconds)) {
        Some(seconds) => Ok(Duration::from_secs_f64(seconds)),
        None => Err("a duration must be from 0.01 to 86400 seconds".to_owned()),
    }
}
