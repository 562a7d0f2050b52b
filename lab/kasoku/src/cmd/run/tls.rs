//! What `kasoku run` takes for the level `tls`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::Failure;
use super::super::named::number_of;
#[cfg(target_os = "linux")]
use kasoku_fleet::token::Token;
use kasoku_libraries::{install, openssl_provider};
use kasoku_measure::level::tls::{MAX_WORKERS, TlsOptions};
use kasoku_measure::tls::ab;
use kasoku_model::workload::served::{Client, LatencyOf};

pub(super) const EXAMPLES: &str = "\
Examples:
  kasoku run tls --quick                    nginx with OpenSSL's own provider and with Kasoku's
  kasoku run tls --sizes 1M,64M --workers 1,2 --duration 10
  kasoku run tls --client ab                with the published measurement's client
  kasoku run tls --server 10.0.0.1:7000 --token 00112233445566778899aabbccddeeff     a remote server (kasoku serve)
  mpirun --hostfile HOSTS kasoku run tls --server 10.0.0.1:7000 --token …            the same from several hosts";

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
    /// Client that fetches the files: `draining`, which leaves the CPU to the server, or `ab` [default: draining]
    #[arg(long, value_name = "CLIENT")]
    pub(super) client: Option<Client>,
    /// Kasoku's OpenSSL provider module [default: the one beside this command, or in ../lib]
    #[arg(long, value_name = "PATH")]
    pub(super) module: Option<PathBuf>,
    /// Put load on these servers, named as `kasoku serve` prints them; from several hosts under mpirun
    #[arg(long, value_delimiter = ',', value_name = "HOST:PORT")]
    pub(super) server: Vec<String>,
    /// Token that these servers printed; a server that does not know it gets no load [default: $KASOKU_TOKEN]
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "TOKEN")]
    pub(super) token: Option<Token>,
    /// Resume an interrupted run (repeat the same arguments); finished sizes are kept
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<String>,
}

/// Whether what was named can be used.
///
/// # Errors
/// What cannot.
pub(super) fn check(args: &TlsArgs) -> Result<(), Failure> {
    let not_elsewhere = [(args.client == Some(Client::Ab), "--client ab"), (args.module.is_some(), "--module")];
    let is_elsewhere = !args.server.is_empty();
    if let Some((_, option)) = not_elsewhere.into_iter().find(|(is_given, _)| is_elsewhere && *is_given) {
        return Err(Failure::new(format!("{option} cannot be used with --server")));
    }
    args.module.as_deref().map_or(Ok(()), loadable)?;
    if args.client == Some(Client::Ab) && ab::find().is_none() {
        return Err(Failure::new(format!("--client ab: ab is not in PATH; {}", install::APACHE_BENCH)));
    }
    Ok(())
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
        client: args.client.unwrap_or_default(),
        module: args.module.clone(),
        elsewhere: None,
        before: Vec::new(),
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
