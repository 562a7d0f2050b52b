//! What `kasoku run` does for the level `tls` only: its own options, and what is told beforehand.

use std::path::Path;
use std::time::Duration;

use super::super::Failure;
use super::Args;
use kasoku_libraries::openssl_provider;
use kasoku_measure::level::tls::{MAX_WORKERS, NAME, TlsOptions};
use kasoku_measure::plan::Plan;
use kasoku_measure::tls::ab;
use kasoku_model::workload::served::Client;

/// Checks what concerns web servers only.
///
/// # Errors
/// Wrong usage.
pub(super) fn check(args: &Args, levels: &[String]) -> Result<(), Failure> {
    let is_named = levels.iter().any(|level| level == NAME);
    if !is_named && !levels.is_empty() {
        let options = [
            (args.workers.is_some(), "--workers"),
            (args.max_latency.is_some(), "--max-latency"),
            (args.latency_of.is_some(), "--latency-of"),
            (args.duration.is_some(), "--duration"),
            (args.concurrency.is_some(), "--concurrency"),
            (args.client.is_some(), "--client"),
            (args.module.is_some(), "--module"),
            (!args.server.is_empty(), "--server"),
        ];
        if let Some((_, option)) = options.into_iter().find(|(is_given, _)| *is_given) {
            return Err(Failure::new(format!("{option} is for the level {NAME}: kasoku run {NAME} {option} …")));
        }
    }
    if !args.server.is_empty() {
        if !is_named || levels.len() > 1 {
            return Err(Failure::new(format!("--server is for the level {NAME} alone: kasoku run {NAME} --server …")));
        }
        let not_here = [(args.client == Some(Client::Ab), "--client ab"), (args.module.is_some(), "--module")];
        if let Some((_, option)) = not_here.into_iter().find(|(is_given, _)| *is_given) {
            return Err(Failure::new(format!("{option}: not with --server")));
        }
    }
    if let Some(module) = args.module.as_ref().filter(|module| !module.is_file()) {
        return Err(Failure::new(format!("--module {}: there is no such file", module.display())));
    }
    if let Some(module) = &args.module {
        loadable(module)?;
    }
    if args.client == Some(Client::Ab) && ab::find().is_none() {
        return Err(Failure::new(format!("--client ab: there is no ab in PATH; {}", ab::INSTALL)));
    }
    Ok(())
}

/// Whether a provider that was named can be loaded: OpenSSL would pass over one that cannot in silence.
///
/// # Errors
/// What the loader says.
pub(in crate::cmd) fn loadable(module: &Path) -> Result<(), Failure> {
    let whole = module.canonicalize().unwrap_or_else(|_| module.to_owned());
    openssl_provider::can_be_loaded(&whole)
        .map_err(|why| Failure::new(format!("--module {}: it cannot be loaded: {why}", module.display())))
}

/// What was asked of it.
pub(super) fn options(args: &Args) -> TlsOptions {
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

/// What a plan whose steps have a fixed length takes, in a sentence; `None` if the time is bounded.
pub(super) fn beforehand(plan: &Plan) -> Option<String> {
    let tls = plan.tls.as_ref()?;
    let time = tls.estimate(plan.rounds)?;
    let minutes = time.as_secs().div_ceil(60);
    let time = match minutes {
        0 | 1 => format!("{} s", time.as_secs().max(1)),
        2..=119 => format!("{minutes} minutes"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    };
    Some(format!(
        "at most about {time}: {} cases, each searched and then measured {} times",
        tls.cases.len(),
        plan.rounds
    ))
}

/// The system's limit that would bind first, in a sentence.
pub(super) fn binding_limit(plan: &Plan) -> Option<String> {
    let limits = plan.tls.as_ref()?.limits();
    let (limit, connections) = kasoku_model::system_limit::first_to_bind(&limits)?;
    let published = limit.published.as_ref().map(|published| format!(" (published: {published})")).unwrap_or_default();
    Some(format!(
        "of the system's limits {} = {}{published} would bind first, at {connections} connections at once",
        limit.name, limit.value
    ))
}

/// What is to be known of a run of web servers, in sentences.
pub(super) fn notes(plan: &Plan) -> Vec<String> {
    /// The instructions that ran are looked for by a worker in its own process; nginx is none.
    const CODE_PATHS: &str = "code paths are unknown: nginx's processes are not looked into; that Kasoku's provider did the \
                              work is shown by its counter (provider_share)";
    binding_limit(plan).into_iter().chain([CODE_PATHS.to_owned()]).collect()
}

/// Seconds, for the command line.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    match seconds.filter(|seconds| (0.01..=86_400.0).contains(seconds)) {
        Some(seconds) => Ok(Duration::from_secs_f64(seconds)),
        None => Err("a time is a number of seconds from 0.01 to 86400".to_owned()),
    }
}

/// A number of workers.
pub(in crate::cmd) fn workers(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(workers @ 1..=MAX_WORKERS) => Ok(workers),
        _ => Err(format!("a number of workers is from 1 to {MAX_WORKERS}")),
    }
}

/// A number of connections.
pub(super) fn connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(connections @ 1..=65_536) => Ok(connections),
        _ => Err("a number of connections is from 1 to 65536".to_owned()),
    }
}
