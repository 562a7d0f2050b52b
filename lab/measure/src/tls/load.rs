//! One step: a number of connections at once for a given time, and what was seen meanwhile.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::ab;
use super::client::lines::{Expected, Target};
use super::client::now_ns;
use super::clients::ClientProcess;
use super::host::{self, PATIENCE, Part, StepTiming};
use super::limits::memory_pressures;
use super::processes::{Busy, Use};
use super::server::Server;
use crate::own_program;
use kasoku_libraries::command::{read_aside, refusal};
use kasoku_libraries::interruption;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::histogram::Histogram;

/// From the word to the start: until each client has read it.
const AHEAD: Duration = Duration::from_millis(12);
/// What puts load on a server.
pub(super) enum Loader {
    /// Our clients.
    Draining(Vec<ClientProcess>),
    /// `ab`, started anew for each step on each of these cores.
    Ab {
        program: PathBuf,
        cores: Vec<usize>,
        /// One client of ours, which looks at what is not timed.
        looking: ClientProcess,
    },
}

/// A file on a server.
#[derive(Clone, Debug)]
pub struct RemoteFile {
    /// The server.
    pub address: SocketAddr,
    /// The suite.
    pub suite: CipherSuite,
    /// The file's name, which is also its path in the request behind a slash.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Bytes of the header in front of it, once they are known.
    pub header: u64,
}

/// What a step gave.
#[derive(Debug)]
pub struct LoadStep {
    /// Files that were fetched whole.
    pub files: u64,
    /// From the common start to the last byte.
    pub ns: u64,
    /// Times to the first byte of an answer; `ab` does not tell them.
    pub connection: Histogram,
    /// Times to the last byte; of `ab` only the longest.
    pub request: Histogram,
    /// The server's workers.
    pub server: Busy,
    /// The clients that took part.
    pub clients: Vec<Busy>,
    /// How often TCP was short of memory meanwhile.
    pub pressures: u64,
    /// Bytes that Kasoku's provider encrypted meanwhile, if the server has it.
    pub provided: Option<u64>,
    /// How long after the first host the last one began, where there are several.
    pub skew_s: Option<f64>,
}

/// The part of what was sent that the provider must have encrypted at least; what its contexts have not handed over
/// yet, and that of the last step, may be missing or too much.
const PROVIDED: f64 = 0.9;

impl LoadStep {
    /// Notes how many bytes Kasoku's provider encrypted while files of this many bytes were fetched.
    ///
    /// # Errors
    /// If that is not all of them.
    pub fn set_provided(&mut self, provided: u64, bytes: u64) -> Result<(), String> {
        if !self.is_provided_by(provided, bytes) {
            let sent = self.files.saturating_mul(bytes);
            return Err(format!("Kasoku's provider encrypted only {provided} bytes of {sent}"));
        }
        self.provided = Some(provided);
        Ok(())
    }

    fn is_provided_by(&self, provided: u64, bytes: u64) -> bool {
        provided as f64 >= PROVIDED * self.files.saturating_mul(bytes) as f64
    }

    /// Bytes of content a second.
    pub(super) fn rate(&self, bytes: u64) -> f64 {
        self.files as f64 * bytes as f64 / (self.ns.max(1) as f64 * 1e-9)
    }
}

impl Loader {
    /// How many processes put load on the server.
    pub(super) fn processes(&self) -> usize {
        match self {
            Loader::Draining(clients) => clients.len(),
            Loader::Ab { cores, .. } => cores.len(),
        }
    }

    /// Has the content of a file compared with `file`; how long the header in front of it is. Then counts its records,
    /// which must be as many bytes as the arithmetic says.
    ///
    /// # Errors
    /// If it is not what it must be.
    pub(super) fn look(&mut self, served: &RemoteFile, file: &Path) -> Result<u64, String> {
        let client = match self {
            Loader::Draining(clients) => clients.first_mut().ok_or("there are no clients")?,
            Loader::Ab { looking, .. } => looking,
        };
        host::look(client, served, Expected::File(file.to_owned()))
    }

    /// Carries out a step of `connections` connections at once for `duration`. `rate` is what to expect in bytes a
    /// second, which `ab` must know. If a client of ours dies, which says nothing of the server, it is carried out once
    /// more.
    ///
    /// # Errors
    /// If any connection went wrong.
    pub(super) fn step(
        &mut self,
        server: &Server,
        served: &RemoteFile,
        connections: usize,
        duration: Duration,
        rate: f64,
    ) -> Result<LoadStep, String> {
        let before = self.clients();
        let step = self.carry_out(server, served, connections, duration, rate);
        if step.is_err() && self.clients() != before {
            return self.carry_out(server, served, connections, duration, rate);
        }
        step
    }

    /// The processes that are there from step to step.
    fn clients(&self) -> Vec<u32> {
        match self {
            Loader::Draining(clients) => clients.iter().map(ClientProcess::id).collect(),
            Loader::Ab { .. } => Vec::new(),
        }
    }

    /// The same, once.
    fn carry_out(
        &mut self,
        server: &Server,
        served: &RemoteFile,
        connections: usize,
        duration: Duration,
        rate: f64,
    ) -> Result<LoadStep, String> {
        let patience = host::patience(served.bytes, connections, duration);
        let before = server.count();
        let mut step = match self {
            Loader::Draining(clients) => draining(clients, server, served, connections, duration, patience),
            Loader::Ab { program, cores, .. } => {
                let all = (rate * duration.as_secs_f64() / served.bytes as f64).ceil().max(1.0) as u64;
                by_ab(program, cores, server, served, connections, all, patience)
            }
        }?;
        if let Some(before) = before {
            let is_all = |provided| step.is_provided_by(provided, served.bytes);
            let provided = server.counted_since(before.bytes, is_all).unwrap_or_default();
            step.set_provided(provided, served.bytes)?;
        }
        Ok(step)
    }
}

impl RemoteFile {
    pub(super) fn target(&self) -> Target {
        Target {
            address: self.address,
            suite: Algorithm::CipherSuite(self.suite),
            path: format!("/{}", self.name),
            bytes: self.bytes,
        }
    }
}

/// `connections` shared out among this many processes of this host; as many as get any.
fn shares(connections: usize, processes: usize) -> Vec<usize> {
    host::shares(connections, &[processes], 1).into_iter().flatten().filter(|share| *share > 0).collect()
}

fn draining(
    clients: &mut [ClientProcess],
    server: &Server,
    served: &RemoteFile,
    connections: usize,
    duration: Duration,
    patience: Duration,
) -> Result<LoadStep, String> {
    let shares = shares(connections, clients.len());
    let start_ns = now_ns() + AHEAD.as_nanos() as u64;
    let timed = StepTiming { start_ns, duration, patience };
    let loads = shares.iter().map(|&connections| timed.load(served, connections)).collect();
    let clients = clients[..shares.len()].iter_mut().collect();
    // Both ends of what is watched are where the clients' are.
    let uses = std::cell::RefCell::new(None);
    let mut begins = || drop(uses.replace(Some(Use::begin(server.workers().to_vec()))));
    let mut look = || uses.borrow_mut().iter_mut().for_each(Use::look);
    let part = host::put_on(clients, loads, &timed, &mut begins, &mut look)?;
    let server = uses.take().map(Use::end).unwrap_or_default();
    let Part { files, ns, late_ns: _, connection, request, clients, pressures } = part;
    Ok(LoadStep { files, ns, connection, request, server, clients, pressures, provided: None, skew_s: None })
}

/// Who is watched: the server's workers as one, each client for itself.
struct Watch {
    server: Use,
    clients: Vec<Use>,
}

impl Watch {
    fn begin(server: &Server, clients: &[u32]) -> Watch {
        let clients = clients.iter().map(|&id| Use::begin(vec![id])).collect();
        Watch { server: Use::begin(server.workers().to_vec()), clients }
    }

    fn look(&mut self) {
        self.server.look();
        self.clients.iter_mut().for_each(Use::look);
    }

    fn end(self) -> (Busy, Vec<Busy>) {
        (self.server.end(), self.clients.into_iter().map(Use::end).collect())
    }
}

/// A child that nobody leaves behind: dropped, it is ended.
struct OwnChild(Child);

impl Drop for OwnChild {
    fn drop(&mut self) {
        let _ = self.0.kill(); // fails only if it is gone already
        let _ = self.0.wait();
    }
}

/// A run of `ab`, and the threads that read what it prints.
struct AbProcess {
    child: OwnChild,
    out: Receiver<String>,
    err: Receiver<String>,
    requests: u64,
}

fn by_ab(
    program: &Path,
    cores: &[usize],
    server: &Server,
    served: &RemoteFile,
    connections: usize,
    requests: u64,
    patience: Duration,
) -> Result<LoadStep, String> {
    let shares = shares(connections, cores.len());
    let pressures = memory_pressures();
    let mut processes = Vec::with_capacity(shares.len());
    let start = Instant::now();
    for (&core, &connections) in cores.iter().zip(&shares) {
        let requests = requests.div_ceil(shares.len() as u64).max(connections as u64);
        processes.push(AbProcess::start(program, core, served, connections, requests, patience)?);
    }
    let mut watch = Watch::begin(server, &processes.iter().map(|process| process.child.0.id()).collect::<Vec<_>>());
    while !processes.iter().all(AbProcess::has_ended) {
        if start.elapsed() > patience + PATIENCE || interruption::is_wanted() {
            processes.iter_mut().for_each(|process| drop(process.child.0.kill())); // it is waited for below
        }
        std::thread::sleep(Duration::from_millis(10));
        watch.look();
    }
    // They have ended and are not waited for yet: their times can still be seen.
    let (server, clients) = watch.end();
    let (mut files, mut seconds, mut request) = (0, 0.0f64, Histogram::default());
    let mut first_error = None;
    for process in processes {
        match process.end(served) {
            Ok(printed) => {
                files += printed.requests;
                seconds = seconds.max(printed.seconds);
                request.add((printed.longest_s * 1e9) as u64);
            }
            Err(why) => first_error = first_error.or(Some(why)),
        }
    }
    match first_error {
        Some(why) => Err(why),
        None => Ok(LoadStep {
            files,
            ns: (seconds * 1e9) as u64,
            connection: Histogram::default(),
            request,
            server,
            clients,
            pressures: memory_pressures().saturating_sub(pressures),
            provided: None,
            skew_s: None,
        }),
    }
}

impl AbProcess {
    fn start(
        program: &Path,
        core: usize,
        served: &RemoteFile,
        connections: usize,
        requests: u64,
        limit: Duration,
    ) -> Result<AbProcess, String> {
        let failed = |error: std::io::Error| format!("cannot start ab: {}", refusal(&error));
        let url = format!("https://{}/{}", served.address, served.name);
        let mut command = own_program::again().map_err(failed)?;
        command.args(["become", "--signal", "kill", "--cores", &core.to_string(), "--"]).arg(program);
        command.args(ab::arguments(served.suite, requests, connections, limit, &url));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        kasoku_libraries::remove_switches(&mut command);
        command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = OwnChild(command.spawn().map_err(failed)?);
        let out = read_aside(child.0.stdout.take()).map_err(failed)?;
        let err = read_aside(child.0.stderr.take()).map_err(failed)?;
        Ok(AbProcess { child, out, err, requests })
    }

    /// Whether it has ended; it stays to be waited for.
    fn has_ended(&self) -> bool {
        let pid = i32::try_from(self.child.0.id()).ok().and_then(Pid::from_raw);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // What cannot be looked at is waited for at the end.
        pid.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    fn end(mut self, served: &RemoteFile) -> Result<ab::ApacheBenchReport, String> {
        let status = self.child.0.wait().map_err(|error| format!("ab: {error}"))?;
        let out = self.out.recv().unwrap_or_default();
        let err = self.err.recv().unwrap_or_default();
        if !status.success() {
            let line = err.lines().next().unwrap_or("it printed nothing");
            return Err(format!("ab failed ({status}): {}", line.escape_debug()));
        }
        ab::read(&out, &err, served.suite, self.requests, served.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_shared_out_evenly() {
        assert_eq!(shares(10, 4), [3, 3, 2, 2]);
        assert_eq!(shares(2, 4), [1, 1]);
        assert_eq!(shares(1, 1), [1]);
    }

    #[test]
    fn where_the_next_one_cannot_be_started_those_before_are_ended() {
        let first = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = Pid::from_child(&first);
        let all: Result<Vec<OwnChild>, String> = [Ok(OwnChild(first)), Err("no more".to_owned())].into_iter().collect();
        assert!(all.is_err() && rustix::process::test_kill_process(process).is_err());
    }
}
