//! Runs on other hosts: load on a web server from several hosts, and a fleet in which every host measures itself. Both
//! start the hidden `kasoku host` on the other hosts.

use std::collections::BTreeMap;
use std::io::{BufReader, stdin, stdout};
use std::net::{IpAddr, ToSocketAddrs as _};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use super::super::report::write_page;
use super::super::{CommandOutcome, Failure, surroundings, tell, view};
use super::measure::measure;
use super::options::level_options;
use super::request::RunRequest;
use super::results::{RunStore, check_outputs, deliver_all};
use super::resume::without_options;
use kasoku_import::import;
use kasoku_measure::hosts::agent;
use kasoku_measure::hosts::connection::HostConnection;
use kasoku_measure::hosts::launcher::Launcher;
use kasoku_measure::hosts::protocol::{HostAnswer, HostRequest, ServeOrder, shown};
use kasoku_measure::plan::Plan;
use kasoku_measure::record::Observer;
use kasoku_measure::tls::remote::{IN_STEP_S, RemoteTestbed};
use kasoku_measure::worker::Worker;
use kasoku_measure::{driver, tls};
use kasoku_model::document::Document;
use kasoku_report::language::Language;
use kasoku_report::text::Text;
use kasoku_report::{Format, render};
use kasoku_store::{location, output_file};
use serde_json::Value;

/// Maximum time without a message from a host that measures itself.
const SILENCE: Duration = Duration::from_secs(20);
/// Options of `kasoku run` for the leader only. Each of them takes a value.
const OF_THE_LEADER: [&str; 6] = ["--hosts", "--launcher", "--remote-kasoku", "--report", "--store", "--lang"];

/// Carries out the requests on standard input until standard input ends.
pub(crate) fn serve() -> Result<CommandOutcome, Failure> {
    agent::serve(BufReader::new(stdin()), stdout())
        .map(|()| CommandOutcome::Done)
        .map_err(|error| Failure::in_the_middle(format!("the leader's lines: {error}")))
}

/// Runs on other hosts if the request names any; otherwise returns `None`.
pub(super) fn run(
    request: &RunRequest,
    store: Option<&Path>,
    language: Language,
) -> Result<Option<CommandOutcome>, Failure> {
    let is_fleet = !request.common.hosts.is_empty();
    if !is_fleet && !request.tls.is_remote() {
        return Ok(None);
    }
    if is_fleet && request.tls.is_remote() {
        return Err(Failure::new("--hosts measures each host by itself; it does not work with --server or --clients"));
    }
    if request.resume()?.is_some() {
        return Err(Failure::new("--resume does not work with other hosts"));
    }
    if is_fleet { measure_fleet(request, store, language) } else { measure_server(request, store, language) }.map(Some)
}

/// Measures a web server that is on another host, or has clients on other hosts.
fn measure_server(request: &RunRequest, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let mut options = level_options(request)?;
    let mut store = check_outputs(request, store)?;
    let mut testbed = start(request).map_err(Failure::in_the_middle)?;
    testbed.lost().iter().for_each(|why| tell(&format!("lost: {why}")));
    let lost_before = testbed.lost().len();
    options.tls.elsewhere = Some(testbed.offer());
    let mut execute = |plan: &Plan, workers: Vec<Worker>, observer: &mut dyn Observer| match plan.tls() {
        Some(tls) => tls::run_on(&mut testbed, Instant::now(), plan, tls, observer),
        None => driver::run(plan, workers, observer),
    };
    let completed = measure(request, &mut options, &mut store, &mut execute)?;
    testbed.lost()[lost_before..].iter().for_each(|why| tell(&format!("lost: {why}")));
    if let Some(skew_s) = testbed.skew_s() {
        let verdict = if skew_s <= IN_STEP_S { "" } else { ": they did not begin together" };
        tell(&format!("In every step the hosts began at most {:.1} ms apart{verdict}", 1e3 * skew_s));
    }
    let outcome = deliver_all(request, store.open()?, &completed, language)?;
    Ok(if testbed.lost().is_empty() { outcome } else { CommandOutcome::Partial })
}

fn start(request: &RunRequest) -> Result<RemoteTestbed, String> {
    let launcher = request.common.launcher.clone().unwrap_or_default();
    let open = |name: &String| HostConnection::open(&launcher, name, request.common.remote_kasoku.as_deref());
    let addresses = match (&request.tls.addresses[..], &request.tls.server) {
        ([], Some(name)) => vec![resolve(name)?],
        (addresses, _) => addresses.to_vec(),
    };
    let server = request.tls.server.as_ref().map_or_else(HostConnection::open_here, open)?;
    let clients = match &request.tls.clients[..] {
        [] => vec![HostConnection::open_here()],
        names => names.iter().map(open).collect(),
    };
    let order = ServeOrder {
        addresses,
        workers: request.tls.workers.clone().unwrap_or_else(|| vec![1]),
        acceleration: request.common.acceleration.clone(),
        module: request.tls.module.clone(),
        dir: request.whole_files.dir.clone(),
    };
    RemoteTestbed::start(server, clients, order)
}

/// Returns the address of a host, as this host resolves its name.
fn resolve(name: &str) -> Result<IpAddr, String> {
    let host = name.rsplit_once('@').map_or(name, |(_, host)| host);
    let unknown = || format!("--server {name}: no address is known here; give one with --addresses ADDR");
    let mut all = (host, 0).to_socket_addrs().map_err(|_| unknown())?;
    all.next().map(|address| address.ip()).ok_or_else(unknown)
}

/// Starts a measurement on every host at the same time, and collects the runs.
fn measure_fleet(request: &RunRequest, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    if request.common.json.is_some() || request.files.log.is_some() {
        return Err(Failure::new(
            "--json and --log do not work with --hosts; kasoku export writes each host's run from the store",
        ));
    }
    let report = request.report_path("hosts");
    output_file::check_writable(&report)?;
    let mut store = RunStore::at(location::locate(store)?)?;
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let arguments = arguments_for_hosts(words);
    let names = &request.common.hosts;
    let (sender, results) = sync_channel(names.len());
    for (index, name) in names.iter().enumerate() {
        let launcher = request.common.launcher.clone().unwrap_or_default();
        let (sender, name, program, arguments) =
            (sender.clone(), name.clone(), request.common.remote_kasoku.clone(), arguments.clone());
        let measure = move || {
            let result = measure_host(&launcher, &name, program.as_deref(), arguments);
            let _ = sender.send((index, result)); // fails if the leader has given up
        };
        std::thread::Builder::new().spawn(measure).map_err(|error| Failure::new(format!("a thread: {error}")))?;
    }
    drop(sender);
    let mut measured: BTreeMap<usize, Document> = BTreeMap::new();
    for (index, result) in results {
        match result {
            Ok(document) => {
                tell(&format!("{}: measured", names[index]));
                measured.insert(index, document);
            }
            Err(why) => tell(&format!("lost: {why}")),
        }
    }
    let documents: Vec<Document> = measured.into_values().collect();
    if documents.is_empty() {
        return Err(Failure::in_the_middle("no host was measured"));
    }
    let store = store.open()?;
    store.add_documents(&documents)?;
    let page = surroundings::page(&documents, store, language);
    output_file::print(&table(&documents, language))?;
    let place = write_page(&report, &page)?;
    tell(&format!("\nReport: {place}"));
    let has_failed = documents.iter().flat_map(|document| &document.series).any(|series| series.has_failed());
    Ok(if has_failed || documents.len() < names.len() { CommandOutcome::Partial } else { CommandOutcome::Done })
}

/// Starts a measurement on one host, and shows its progress.
fn measure_host(
    launcher: &Launcher,
    name: &str,
    program: Option<&Path>,
    arguments: Vec<String>,
) -> Result<Document, String> {
    let mut host = HostConnection::open(launcher, name, program)?;
    host.send(&HostRequest::Run(arguments))?;
    let mut progress = String::new();
    let document: Value = loop {
        match host.hear(SILENCE)? {
            HostAnswer::Working(line) if line == progress => {}
            HostAnswer::Working(line) => {
                tell(&format!("{name}: {}", shown(&line)));
                progress = line;
            }
            HostAnswer::Done(document) => break document,
            _ => return Err(host.lose("sent an invalid answer")),
        }
    };
    // Imports the document like any other file from elsewhere, as hostile input.
    let imported = import(name, document.to_string().as_bytes());
    let mut machines = imported.map_err(|error| format!("{name}: cannot read its run: {error}"))?.machines;
    let (Some(machine), true) = (machines.pop(), machines.is_empty()) else {
        return Err(format!("{name} did not send exactly one run"));
    };
    let mut document = machine.document;
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
    document.run.id = format!("{}-{plain}", document.run.id);
    document.machine.name = Some(name.to_owned());
    Ok(document)
}

/// Returns the arguments of `kasoku run` for a host: the leader's arguments without the options in [`OF_THE_LEADER`].
fn arguments_for_hosts(words: impl Iterator<Item = String>) -> Vec<String> {
    without_options(words.skip_while(|word| word != "run").skip(1), &OF_THE_LEADER)
}

fn table(documents: &[Document], language: Language) -> String {
    let row = |document: &Document| {
        let failed = document.series.iter().filter(|series| series.has_failed()).count();
        let name = |name: &str| Text::name(name, usize::MAX);
        vec![
            name(document.machine.label()),
            name(&document.machine.cpu),
            name(&document.run.id),
            document.series.len().to_string().into(),
            failed.to_string().into(),
            format!("{:.0}", document.run.seconds.unwrap_or(0.0)).into(),
        ]
    };
    let rows: Vec<Vec<Text>> = documents.iter().map(row).collect();
    let names = ["host", "cpu", "run", "series", "failed", "seconds"];
    render::named_list(&names, &rows, serde_json::Value::Null, Format::Table, view(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_for_hosts_drops_options_of_the_leader() {
        let words = "--store s run --hosts a,b primitives --quick --launcher=ssh --report r.html --sizes 64";
        let arguments = arguments_for_hosts(words.split(' ').map(str::to_owned));
        assert_eq!(arguments, ["primitives", "--quick", "--sizes", "64"]);
    }

    #[test]
    fn resolve_ignores_the_user_of_a_host_name() {
        assert_eq!(resolve("root@127.0.0.1"), Ok([127, 0, 0, 1].into()));
        assert!(resolve("no.such.host.invalid").unwrap_err().contains("--addresses"));
    }
}
