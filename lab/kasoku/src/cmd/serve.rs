//! `kasoku serve`: web servers for clients on other hosts, until it is stopped.

use std::path::PathBuf;

use super::named::number_of;
use super::{CommandOutcome, Failure};
use kasoku_measure::level::tls::MAX_WORKERS;

/// Serve files over TLS to measuring clients on other hosts
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Address to listen on, and the port; the servers use the ports after it [default: loopback, any free ports]
    #[arg(long, value_name = "ADDR[:PORT]", default_value = "127.0.0.1", hide_default_value = true)]
    listen: String,
    /// Numbers of nginx workers; one server is started for each
    #[arg(long, value_delimiter = ',', value_name = "N,M", default_value = "1")]
    #[arg(value_parser = number_of("workers", 1..=MAX_WORKERS))]
    workers: Vec<usize>,
    /// Folder for the files that are served [default: the system's temporary folder]
    #[arg(long, value_name = "PATH")]
    dir: Option<PathBuf>,
    /// Kasoku's OpenSSL provider module [default: the one beside this command, or in ../lib]
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  kasoku serve --listen 10.0.0.1:7000 --workers 1,2,4
  kasoku serve                              only for clients on this host

It prints a token and the command for the clients. Clients without the token are refused, and clients with another \
token send no load. Each start makes a new token, unless KASOKU_TOKEN holds one. It stops on Ctrl-C, on SIGTERM, or \
when the pipe on its standard input is closed, and removes all its files.";

/// Serves until a signal, or the end of its standard input.
///
/// # Errors
/// If the servers do not start.
#[cfg(target_os = "linux")]
pub fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    use kasoku_fleet::{end, serve::ServingHost, token::Token};
    let (address, port) = listening(&args.listen).ok_or_else(|| {
        Failure::new(format!(
            "--listen {}: expected an address of this host, like 10.0.0.1 or 10.0.0.1:7000",
            args.listen
        ))
    })?;
    let token = match std::env::var("KASOKU_TOKEN") {
        Ok(text) => text.parse().map_err(|error| Failure::new(format!("KASOKU_TOKEN: {error}")))?,
        Err(_) => Token::random().map_err(|error| Failure::new(format!("cannot make a token: {error}")))?,
    };
    let plan = plan(args)?;
    let is_over = end::watch().map_err(|error| Failure::new(format!("cannot watch standard input: {error}")))?;
    let host = ServingHost::start(&plan, address, port, token.clone())
        .map_err(|why| Failure::new(format!("cannot start the servers: {why}")))?;
    let listens = host.address().map_err(Failure::new)?;
    let name = if address.is_unspecified() { kasoku_fleet::host_name() } else { address.to_string() };
    let at = match name.contains(':') {
        true => format!("[{name}]:{}", listens.port()),
        false => format!("{name}:{}", listens.port()),
    };
    let mut text = format!("server {at}\ntoken {token}\n");
    for (named, ports) in host.servers() {
        let ports: Vec<String> = ports.iter().map(|(suite, port)| format!("{port} {suite}")).collect();
        text.push_str(&format!(
            "nginx {} {} workers {}: {}\n",
            named.library,
            named.acceleration,
            named.workers,
            ports.join(", ")
        ));
    }
    text.push_str(&format!("\nkasoku run tls --server {at} --token {token}\n"));
    kasoku_store::output_file::print(&text)?;
    super::tell("Serving. Press Ctrl-C to stop.");
    host.serve(&is_over, super::tell);
    drop(host);
    super::tell("Ended.");
    Ok(CommandOutcome::Done)
}

/// # Errors
/// Always: it needs Linux.
#[cfg(not(target_os = "linux"))]
pub fn run(_args: &Args) -> Result<CommandOutcome, Failure> {
    Err(Failure::new("kasoku serve needs Linux"))
}

/// The servers, as the level would start them for itself.
#[cfg(target_os = "linux")]
fn plan(args: &Args) -> Result<kasoku_measure::plan::TlsPlan, Failure> {
    use kasoku_measure::level::options::{FilesOptions, LevelOptions};
    use kasoku_measure::level::tls::{self, TlsOptions};
    use kasoku_measure::plan::Experiment;
    if let Some(module) = &args.module {
        super::run::loadable(module)?;
    }
    let options = LevelOptions {
        sizes: Some(vec![1 << 20]),
        files: FilesOptions { dir: args.dir.clone(), ..FilesOptions::default() },
        tls: TlsOptions { workers: Some(args.workers.clone()), module: args.module.clone(), ..TlsOptions::default() },
        ..LevelOptions::default()
    };
    kasoku_measure::folder::remove_leftovers(&options.files.dir());
    let (_, omissions) = tls::candidates(&options);
    for one in &omissions {
        let install = one.install.as_ref().map(|command| format!("; install it with: {command}")).unwrap_or_default();
        let what = if one.library.is_empty() { &one.level } else { &one.library };
        super::tell(&format!("not available: {what}: {}{install}", one.why));
    }
    match tls::plan(&options, Vec::new()).experiment {
        Experiment::Tls(plan) => Ok(plan),
        Experiment::Slices(_) | Experiment::Files(_) => {
            Err(Failure::new("no server is available; see kasoku libraries"))
        }
    }
}

/// An address and a port, which is 0 if there is none.
#[cfg(target_os = "linux")]
fn listening(text: &str) -> Option<(std::net::IpAddr, u16)> {
    if let Ok(address) = text.trim_start_matches('[').trim_end_matches(']').parse() {
        return Some((address, 0));
    }
    text.parse::<std::net::SocketAddr>().ok().map(|address| (address.ip(), address.port()))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_with_and_without_a_port() {
        let at = |text: &str| listening(text).map(|(address, port)| format!("{address} {port}"));
        assert_eq!(at("10.0.0.1").as_deref(), Some("10.0.0.1 0"));
        assert_eq!(at("10.0.0.1:7000").as_deref(), Some("10.0.0.1 7000"));
        assert_eq!(at("::1").as_deref(), Some("::1 0"));
        assert_eq!(at("[::1]:7000").as_deref(), Some("::1 7000"));
        for nonsense in ["", "10.0.0", "10.0.0.1:", "10.0.0.1:70000", "host"] {
            assert_eq!(at(nonsense), None, "{nonsense}");
        }
    }
}
