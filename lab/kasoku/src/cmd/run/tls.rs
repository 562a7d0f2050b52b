//! What `kasoku run` takes for the level `tls`.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::Failure;
use super::super::named::number_of;
use kasoku_libraries::openssl_provider;
use kasoku_measure::hosts::launcher::check_host_name;
use kasoku_measure::level::tls::{MAX_WORKERS, TlsOptions};
use kasoku_model::workload::served::LatencyOf;

pub(super) const EXAMPLES: &str = "\
Examples:
  kasoku run tls --quick                    nginx with OpenSSL's own provider and with Kasoku's
  kasoku run tls --sizes 1M,64M --workers 1,2 --duration 10
  kasoku run tls --server web1                                 a server on another host, reached by ssh
  kasoku run tls --server web1 --clients load1,load2,load3     load from several hosts, started together";

/// The level's own options.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct TlsArgs {
    /// Folder for the files that are served [default: the system's temporary folder]
    #[arg(long, value_name = "PATH")]
    pub(super) dir: Option<PathBuf>,
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
    /// Resume an interrupted run (repeat the same arguments); finished sizes are kept
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<String>,
}

impl TlsArgs {
    /// Whether the server or the clients are on other hosts.
    pub(super) fn is_remote(&self) -> bool {
        self.server.is_some() || !self.clients.is_empty()
    }
}

/// Checks what was named.
///
/// # Errors
/// Returns what cannot be used.
pub(super) fn check(args: &TlsArgs) -> Result<(), Failure> {
    if !args.addresses.is_empty() && !args.is_remote() {
        return Err(Failure::new("--addresses needs --server or --clients"));
    }
    if args.server.is_none() && !args.clients.is_empty() && args.addresses.is_empty() {
        return Err(Failure::new(
            "--clients without --server needs --addresses ADDR: the address of this host that the clients reach",
        ));
    }
    // A module of another host is looked for there.
    let module = args.module.as_deref().filter(|_| args.server.is_none());
    module.map_or(Ok(()), loadable)
}

/// Whether a provider that was named can be loaded: OpenSSL would pass over one that cannot in silence.
///
/// # Errors
/// If it is not there; what the loader says.
pub(in crate::cmd) fn loadable(module: &Path) -> Result<(), Failure> {
    if !module.is_file() {
        return Err(Failure::new(format!("--module {}: no such file", module.display())));
    }
    let whole = module.canonicalize().unwrap_or_else(|_| module.to_owned());
    openssl_provider::can_be_loaded(&whole)
        .map_err(|why| Failure::new(format!("--module {}: cannot be loaded: {why}", module.display())))
}

/// What was asked of it.
pub(super) fn options(args: &TlsArgs) -> TlsOptions {
    TlsOptions {
        workers: args.workers.clone(),
        max_latency: args.max_latency,
        latency_of: args.latency_of.unwrap_or_default(),
        duration: args.duration,
        concurrency: args.concurrency,
        module: args.module.clone(),
        ..TlsOptions::default()
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
