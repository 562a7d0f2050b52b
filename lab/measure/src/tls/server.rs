//! One nginx: started in a folder of its own, on the loopback, seen to work, and ended whatever happens.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use super::cores::Cores;
use super::load::ServerUnderTest;
use super::processes::children_of;
use crate::own_program;
use kasoku_libraries::interruption;
use kasoku_libraries::nginx::Nginx;
use kasoku_libraries::nginx::certificate::Certificates;
use kasoku_libraries::nginx::configuration::NginxConfiguration;
use kasoku_libraries::openssl_provider::{self, Count};
use kasoku_libraries::{Switch, openssl_switch};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::CipherSuite;

/// How long it may take until it listens.
const PATIENCE: Duration = Duration::from_secs(10);
/// Ports are free when they are chosen and may not be any more when they are used.
const TRIES: usize = 4;

/// What is to be started.
pub(super) struct WantedServer<'a> {
    /// The program.
    pub(super) nginx: &'a Nginx,
    /// The run's folder, which goes with the run.
    pub(super) base: &'a Path,
    /// A folder in it for this server.
    pub(super) folder: PathBuf,
    /// The folder of the files.
    pub(super) files: &'a Path,
    pub(super) certificates: &'a Certificates,
    pub(super) workers: usize,
    pub(super) cores: &'a Cores,
    /// Files that each process may have open.
    pub(super) open_files: u64,
    /// Suites, each on a port of its own.
    pub(super) suites: &'a [CipherSuite],
    /// Kasoku's provider, if it is to use that.
    pub(super) module: Option<&'a Path>,
    /// The state of OpenSSL's own code in it.
    pub(super) acceleration: Acceleration,
    /// Addresses of this host at which it listens, on the same ports.
    pub(super) addresses: &'a [IpAddr],
}

/// A server that runs. Dropped, it is ended.
#[derive(Debug)]
pub(crate) struct Server {
    guard: Child,
    input: Option<ChildStdin>,
    address: IpAddr,
    ports: Vec<(CipherSuite, u16)>,
    workers: Vec<u32>,
    master: u32,
    counter: Option<PathBuf>,
}

impl Server {
    /// Starts it and waits until it listens with all of its workers.
    ///
    /// # Errors
    /// Why it does not, in the server's own words where it has some.
    pub(super) fn start(wanted: &WantedServer<'_>) -> Result<Server, String> {
        let mut last = String::new();
        for _ in 0..TRIES {
            match Server::try_start(wanted) {
                Err(why) if why.contains("Address already in use") => last = why,
                other => return other,
            }
        }
        Err(last)
    }

    fn try_start(wanted: &WantedServer<'_>) -> Result<Server, String> {
        let failed = |what: &str, error: std::io::Error| format!("{what}: {error}");
        let folder = &wanted.folder;
        fs::create_dir_all(folder).map_err(|error| failed("the server's folder", error))?;
        let first = *wanted.addresses.first().ok_or("the server has no address")?;
        let ports =
            free_ports(wanted.suites, first).map_err(|error| failed(&format!("{first}: no free port"), error))?;
        let setting = NginxConfiguration {
            folder,
            files: wanted.files,
            certificates: wanted.certificates,
            workers: wanted.workers,
            cores: &wanted.cores.server,
            open_files: wanted.open_files,
            addresses: wanted.addresses,
            ports: &ports,
        };
        fs::write(setting.path(), setting.text()).map_err(|error| failed("its configuration", error))?;
        let log = folder.join("error.log");
        let _ = fs::remove_file(&log); // of the try before
        let mut command = own_program::again().map_err(|error| failed("this program", error))?;
        command.arg("guard").arg("--folder").arg(wanted.base).arg("--").arg(&wanted.nginx.program);
        command.arg("-p").arg(folder).arg("-e").arg(&log).arg("-c").arg(setting.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        kasoku_libraries::remove_switches(&mut command);
        command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES").env_remove("NGINX");
        if let Switch::Environment(variables) = openssl_switch(wanted.acceleration) {
            command.envs(variables);
        }
        let mut counter = None;
        if let Some(module) = wanted.module {
            let file = folder.join("counter");
            let text = openssl_provider::configuration(module, Some(&file))?;
            let path = folder.join("openssl.cnf");
            fs::write(&path, text).map_err(|error| failed("its OpenSSL configuration", error))?;
            command.env("OPENSSL_CONF", path);
            counter = Some(file);
        }
        // A group of its own: Ctrl-C reaches the laboratory alone.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut guard = command.spawn().map_err(|error| failed("the server's guard", error))?;
        let input = guard.stdin.take();
        let mut number = String::new();
        if let Some(output) = guard.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut number); // an empty one is no number
        }
        let master = number.trim().parse().map_err(|_| "the server's guard did not start it".to_owned())?;
        let mut server = Server { guard, input, address: first, ports, workers: Vec::new(), master, counter };
        server.wait_until_ready(wanted, &log)?;
        Ok(server)
    }

    fn wait_until_ready(&mut self, wanted: &WantedServer<'_>, log: &Path) -> Result<(), String> {
        let start = Instant::now();
        loop {
            let listens = self.ports.iter().all(|&(_, port)| TcpStream::connect((self.address, port)).is_ok());
            if listens {
                self.workers = children_of(self.master);
                if self.workers.len() == wanted.workers {
                    return Ok(());
                }
            }
            let is_gone = fs::read_to_string(format!("/proc/{}/stat", self.master))
                .map_or(true, |stat| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')));
            if interruption::is_wanted() {
                return Err("stopped".to_owned());
            }
            if is_gone || start.elapsed() > PATIENCE {
                let how = if is_gone { "nginx ended" } else { "nginx does not listen" };
                return Err(format!("{how}: {}", first_complaint(log)));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Where a suite is served.
    pub(super) fn address(&self, suite: CipherSuite) -> Option<SocketAddr> {
        let port = self.ports.iter().find(|(one, _)| *one == suite)?.1;
        Some(SocketAddr::from((self.address, port)))
    }

    /// The port of each suite.
    pub(crate) fn ports(&self) -> &[(CipherSuite, u16)] {
        &self.ports
    }

    /// Whether each worker has `module` loaded.
    pub(super) fn has_loaded(&self, module: &Path) -> bool {
        let maps = |id: &u32| fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default();
        self.workers.iter().all(|id| openssl_provider::is_mapped(&maps(id), module))
    }

    /// Whether some worker has any provider of ours loaded.
    pub(super) fn has_any_provider(&self) -> bool {
        let maps = |id: &u32| fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default();
        self.workers.iter().any(|id| openssl_provider::mapped(&maps(id)).is_some())
    }

    /// What its provider has counted, if it has one of ours.
    pub(super) fn count(&self) -> Option<Count> {
        self.counter.as_deref().map(|path| Count::read(path).unwrap_or_default())
    }
}

impl ServerUnderTest for Server {
    fn processes(&self) -> Vec<u32> {
        self.workers.clone()
    }

    fn encrypted_bytes(&mut self) -> Result<Option<u64>, String> {
        Ok(self.count().map(|count| count.bytes))
    }

    fn check_alive(&mut self) -> Result<(), String> {
        let now = children_of(self.master);
        match self.workers.iter().all(|worker| now.contains(worker)) {
            true => Ok(()),
            false => Err("a worker of nginx has ended".to_owned()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        use std::io::Write;
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(b"stop\n"); // a guard that is gone has ended the server
        }
        let _ = self.guard.wait();
    }
}

/// Finds a free port for each suite; all are held until all are found, so that they differ.
fn free_ports(suites: &[CipherSuite], address: IpAddr) -> std::io::Result<Vec<(CipherSuite, u16)>> {
    let mut held = Vec::new();
    for &suite in suites {
        held.push((suite, TcpListener::bind((address, 0))?));
    }
    held.iter().map(|(suite, listener)| Ok((*suite, listener.local_addr()?.port()))).collect()
}

/// The first line of its log that is more than a warning, without time and number.
fn first_complaint(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let is_complaint = |line: &&str| ["[emerg]", "[alert]", "[crit]", "[error]"].iter().any(|kind| line.contains(kind));
    let line = text.lines().find(is_complaint).or_else(|| text.lines().last()).unwrap_or("it printed nothing");
    let said = line.split_once("]").map_or(line, |(_, said)| said);
    said.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect()
}
