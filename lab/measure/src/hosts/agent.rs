//! Carries out the leader's requests on another host: `kasoku host` reads them from its standard input, one at a time,
//! until the input ends.

use std::io::{self, BufRead, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::protocol::{HostAnswer, HostDescription, HostRequest, ServeOrder, ServingDescription};
use crate::child::{ErrorOutput, write_line};
use crate::level::options::{FilesOptions, LevelOptions};
use crate::level::tls::{self, TlsOptions};
use crate::plan::Experiment;
use crate::tls::client::ClientLoad;
use crate::tls::fixture::{ServerFixture, ServerId, serve_file};
use crate::tls::load::{ClientPool, LoadOrder, ServerUnderTest as _, ServerUse};
use crate::tls::processes::CpuMeter;
use crate::tls::{cores, limits};
use crate::{machine, own_program};
use kasoku_libraries::folder::{self, Folder};
use kasoku_libraries::interruption;

/// Smallest and largest served file in bytes. An empty file follows handshakes.
const FILE_BYTES: std::ops::RangeInclusive<u64> = 0..=64 << 30;
/// Time between two checks on an observed server or on a run.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// Time between two messages that report the progress of a run.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);
/// Maximum time for all processes on this host to end after the input has ended.
const ENDING: Duration = Duration::from_secs(10);
/// Maximum time to wait until a provider's byte counter stands still.
const SETTLING: Duration = Duration::from_secs(2);
/// Number of equal consecutive readings after which a byte counter counts as standing still.
const STANDING_STILL: u32 = 5;

/// Carries out the requests of `input` until it ends, and writes the answers to `output`.
pub fn serve(input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
    let requests = read_requests(input)?;
    write_line(&mut output, &HostAnswer::<Value>::Hello(describe()))?;
    let mut agent = Agent::default();
    loop {
        match requests.recv_timeout(BETWEEN_LOOKS) {
            Ok(line) => {
                let done = match serde_json::from_str(&line) {
                    Ok(request) => agent.carry_out(request, &mut output),
                    Err(error) => Err(format!("invalid request: {error}")),
                };
                write_line(&mut output, &done.map_or_else(HostAnswer::Failed, HostAnswer::Done))?;
            }
            Err(RecvTimeoutError::Timeout) => agent.watched.iter_mut().for_each(|watched| watched.workers.sample()),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// Reads the requests in a thread, so that the end of the input interrupts any work in progress.
fn read_requests(input: impl BufRead + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, requests) = sync_channel(1);
    std::thread::Builder::new().spawn(move || {
        for line in input.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
        drop(sender);
        interruption::request();
        std::thread::sleep(ENDING);
        // The servers' guards and the clients end with this process.
        std::process::exit(1);
    })?;
    Ok(requests)
}

fn describe() -> HostDescription {
    HostDescription {
        kasoku: env!("CARGO_PKG_VERSION").to_owned(),
        boot: std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned(),
        cores: cores::usable(),
        open_files: limits::open_files().0,
        cpu: machine::this().cpu,
    }
}

#[derive(Default)]
struct Agent {
    servers: Option<ServerFixture>,
    clients: Option<ClientPool>,
    watched: Option<WatchedServer>,
}

struct WatchedServer {
    id: ServerId,
    workers: CpuMeter,
    pressures: u64,
    encrypted: Option<u64>,
}

impl Agent {
    fn carry_out(&mut self, request: HostRequest, output: &mut impl Write) -> Result<Value, String> {
        let done = match request {
            HostRequest::Serve(order) => serde_json::to_value(self.serve(&order)?),
            HostRequest::MakeFile(bytes) => serde_json::to_value(self.make_file(bytes)?),
            HostRequest::Watch(server) => serde_json::to_value(self.watch(server)?),
            HostRequest::ReportUse => serde_json::to_value(self.report_use()?),
            HostRequest::StartClients(addresses) => serde_json::to_value(self.start_clients(addresses)?),
            HostRequest::Look(target) => serde_json::to_value(self.clients()?.verify_file(target)?),
            HostRequest::Load(order) => serde_json::to_value(self.load(&order, output)?),
            HostRequest::Run(arguments) => return run(&arguments, output),
        };
        done.map_err(|error| error.to_string())
    }

    fn start_clients(&mut self, addresses: usize) -> Result<(), String> {
        let all = cores::usable().into_iter().flat_map(|core| std::iter::repeat_n(core, addresses.max(1)));
        self.clients = Some(ClientPool::start(all)?);
        Ok(())
    }

    fn load(&mut self, order: &LoadOrder, output: &mut impl Write) -> Result<ClientLoad, String> {
        write_line(output, &HostAnswer::Done(Value::Null)).map_err(|error| error.to_string())?;
        self.clients()?.load(order, Vec::new()).map(|(load, _)| load)
    }

    fn clients(&mut self) -> Result<&mut ClientPool, String> {
        self.clients.as_mut().ok_or_else(|| "no clients were started".to_owned())
    }

    fn servers(&mut self) -> Result<&mut ServerFixture, String> {
        self.servers.as_mut().ok_or_else(|| "no servers were started".to_owned())
    }

    fn serve(&mut self, order: &ServeOrder) -> Result<ServingDescription, String> {
        let options = LevelOptions {
            sizes: Some(vec![1 << 20]),
            acceleration: order.acceleration.clone(),
            files: FilesOptions { dir: order.dir.clone(), ..FilesOptions::default() },
            tls: TlsOptions {
                workers: Some(order.workers.clone()),
                module: order.module.clone(),
                ..TlsOptions::default()
            },
            ..LevelOptions::default()
        };
        folder::remove_leftovers(&options.files.dir());
        let (_, omissions) = tls::candidates(&options);
        let Experiment::Tls(plan) = tls::plan(&options, Vec::new()).experiment else {
            return Err(omissions.first().map_or_else(
                || "no server is available".to_owned(),
                |omission| {
                    let install = omission.install.as_ref().map(|command| format!("; install it with: {command}"));
                    format!("{}{}", omission.why, install.unwrap_or_default())
                },
            ));
        };
        let servers = ServerFixture::start(&plan, &order.addresses, false)?;
        let ports = servers.servers.iter().map(|(id, server)| Ok((id.clone(), server.as_ref()?.ports())));
        let ports: Result<Vec<_>, &String> = ports.collect();
        let description = ServingDescription {
            nginx: plan.nginx.version.clone(),
            openssl: plan.nginx.openssl.clone(),
            connections_of_a_worker: limits::most_connections(1, u64::from(u16::MAX)),
            servers: ports.map_err(String::clone)?,
        };
        self.servers = Some(servers);
        Ok(description)
    }

    fn make_file(&mut self, bytes: u64) -> Result<(), String> {
        let length = usize::try_from(bytes).ok().filter(|_| FILE_BYTES.contains(&bytes));
        let length = length.ok_or_else(|| format!("a file of {bytes} bytes cannot be served"))?;
        serve_file(&self.servers()?.files, length).map(drop)
    }

    fn watch(&mut self, id: ServerId) -> Result<(), String> {
        let server = self.servers()?.server(&id)?;
        let (workers, encrypted) = (CpuMeter::begin(server.processes()), server.encrypted_bytes()?);
        self.watched = Some(WatchedServer { id, workers, pressures: limits::memory_pressures(), encrypted });
        Ok(())
    }

    fn report_use(&mut self) -> Result<ServerUse, String> {
        let WatchedServer { id, workers, pressures, encrypted } = self.watched.take().ok_or("no server is watched")?;
        let server = self.servers()?.server(&id)?;
        let workers = workers.end();
        let pressures = limits::memory_pressures().saturating_sub(pressures);
        // Only the clients know how much was sent, so read the counter until it stops changing.
        let provided = match encrypted {
            None => None,
            Some(before) => {
                let (end, mut last, mut times) = (Instant::now() + SETTLING, 0, 0);
                while times < STANDING_STILL && Instant::now() < end {
                    std::thread::sleep(Duration::from_millis(5));
                    let now = server.encrypted_bytes()?.unwrap_or_default().saturating_sub(before);
                    times = if now == last { times + 1 } else { 0 };
                    last = now;
                }
                Some(last)
            }
        };
        server.check_alive()?;
        Ok(ServerUse { workers, pressures, provided })
    }
}

/// Carries out `kasoku run` with `arguments` and a separate store, and regularly reports its progress.
fn run(arguments: &[String], output: &mut impl Write) -> Result<Value, String> {
    let failed = |error: io::Error| format!("cannot start the run: {error}");
    let folder = Folder::new(&std::env::temp_dir(), folder::HOST).map_err(failed)?;
    let own = own_program::command().map_err(failed)?;
    let mut command = Command::new(own.get_program());
    // The run gets SIGTERM when this process ends, so that it can clean up.
    command.args(["become", "--signal", "terminate", "--"]).arg(own.get_program()).arg("run").args(arguments);
    command.args(["--json", "-", "--report", "/dev/null"]).env("KASOKU_STORE", folder.path().join("store.sqlite"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let mut document = child.stdout.take().ok_or("its pipes are missing")?;
    let reader = std::thread::Builder::new().spawn(move || {
        let mut text = Vec::new();
        document.read_to_end(&mut text).map(|_| text)
    });
    let errors = child.stderr.take().ok_or("its pipes are missing")?;
    let errors = ErrorOutput::read(errors).map_err(failed)?;
    let reader = reader.map_err(failed)?;
    let (mut shown, mut is_told) = (Instant::now(), false);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if interruption::is_wanted() && !is_told => {
                is_told = true;
                let _ = kill_process(Pid::from_child(&child), Signal::TERM); // fails if the run has just ended
            }
            Ok(None) => {}
            Err(error) => return Err(failed(error)),
        }
        if shown.elapsed() >= SIGN_OF_LIFE {
            shown = Instant::now();
            let progress = errors.last_line().unwrap_or_default();
            write_line(output, &HostAnswer::<Value>::Working(progress)).map_err(|error| error.to_string())?;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    };
    let text = reader.join().ok().and_then(Result::ok).unwrap_or_default();
    let failed = |_| errors.last_words().unwrap_or_else(|| format!("the run ended ({status})"));
    serde_json::from_slice(&text).map_err(failed)
}
