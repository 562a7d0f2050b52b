//! Starts an nginx server in a folder of its own, checks it, and ends it in any case.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use super::fixture::ServerId;
use super::load::ServerUnderTest;
use super::processes::children_of;
use crate::own_program;
use crate::plan::TlsPlan;
use kasoku_libraries::interruption;
use kasoku_libraries::nginx::configuration::NginxConfiguration;
use kasoku_libraries::openssl_provider::{self, Count};
use kasoku_libraries::{Switch, openssl, openssl_switch};
use kasoku_model::algorithm::{Algorithm, CipherSuite};

const PATIENCE: Duration = Duration::from_secs(10);

/// A running nginx. Dropping it ends the server.
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
    /// Starts nginx as the server `id` of the plan `tls`, and waits until all its worker processes listen. Each of
    /// `suites` gets a free port of its own; the ports of `configuration` are replaced. `base` is the run's folder,
    /// which a guard process removes after nginx ends. If nginx fails to start, the error quotes the first complaint in
    /// its log.
    pub(super) fn start(
        tls: &TlsPlan,
        id: &ServerId,
        base: &Path,
        suites: impl Iterator<Item = CipherSuite>,
        configuration: NginxConfiguration<'_>,
    ) -> Result<Server, String> {
        let failed = |what: &str, error: std::io::Error| format!("{what}: {error}");
        let folder = configuration.folder;
        fs::create_dir_all(folder).map_err(|error| failed("the server's folder", error))?;
        let first = *configuration.addresses.first().ok_or("the server has no address")?;
        let ports = free_ports(suites, first).map_err(|error| failed(&format!("{first}: no free port"), error))?;
        let setting = NginxConfiguration { ports: &ports, ..configuration };
        fs::write(setting.path(), setting.text()).map_err(|error| failed("its configuration", error))?;
        let log = folder.join("error.log");
        let _ = fs::remove_file(&log); // from an earlier attempt
        let mut command = own_program::command().map_err(|error| failed("this program", error))?;
        command.arg("guard").arg("--folder").arg(base).arg("--").arg(&tls.nginx.program);
        command.arg("-p").arg(folder).arg("-e").arg(&log).arg("-c").arg(setting.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        kasoku_libraries::remove_switches(&mut command);
        command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES").env_remove("NGINX");
        if let Switch::Environment(variables) = openssl_switch(id.acceleration) {
            command.envs(variables);
        }
        let build = id.build.and_then(|build| tls.builds.get(build));
        build.into_iter().for_each(|build| build.apply_to(&mut command));
        let mut counter = None;
        let module = tls.module.as_deref().filter(|_| id.library != openssl::ENTRY.name);
        if let Some(module) = module {
            let file = folder.join("counter");
            let text = openssl_provider::configuration(module, Some(&file))?;
            let path = folder.join("openssl.cnf");
            fs::write(&path, text).map_err(|error| failed("its OpenSSL configuration", error))?;
            command.env("OPENSSL_CONF", path);
            counter = Some(file);
        }
        // In its own process group, so that Ctrl-C reaches only the laboratory.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut guard = command.spawn().map_err(|error| failed("the server's guard", error))?;
        let input = guard.stdin.take();
        let mut number = String::new();
        if let Some(output) = guard.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut number); // after an error, the text is no number
        }
        let master = number.trim().parse().map_err(|_| "the server's guard did not start it".to_owned())?;
        let mut server = Server { guard, input, address: first, ports, workers: Vec::new(), master, counter };
        server.wait_until_ready(id.workers, &log)?;
        server.check_provider(module)?;
        if let Some(build) = build {
            server.maps().try_for_each(|maps| build.check_mapped(&maps))?;
        }
        Ok(server)
    }

    fn wait_until_ready(&mut self, workers: usize, log: &Path) -> Result<(), String> {
        let start = Instant::now();
        loop {
            let listens = self.ports.iter().all(|&(_, port)| TcpStream::connect((self.address, port)).is_ok());
            if listens {
                self.workers = children_of(self.master);
                if self.workers.len() == workers {
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

    pub(crate) fn ports(&self) -> Vec<(Algorithm, u16)> {
        self.ports.iter().map(|(suite, port)| (Algorithm::CipherSuite(*suite), *port)).collect()
    }

    /// Returns the mapped files of each worker; empty if they cannot be read.
    fn maps(&self) -> impl Iterator<Item = String> {
        self.workers.iter().map(|id| fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default())
    }

    /// Checks that the workers have loaded `module` or, without one, no provider of Kasoku. OpenSSL gives no message
    /// when it skips a module that it cannot load, and the module may stay in memory.
    fn check_provider(&self, module: Option<&Path>) -> Result<(), String> {
        let mut maps = self.maps();
        match module {
            Some(module)
                if !maps.all(|maps| openssl_provider::is_mapped(&maps, module))
                    || self.count().is_some_and(|count| count.loads == 0) =>
            {
                let (folder, name) = (module.parent().unwrap_or(module), module.file_stem().unwrap_or_default());
                let ask = format!("-provider-path {} -provider {}", folder.display(), name.display());
                Err(format!("nginx did not load Kasoku's provider; openssl list -providers {ask} says why"))
            }
            None if maps.any(|maps| openssl_provider::mapped_provider(&maps).is_some()) => {
                Err("nginx has loaded Kasoku's provider without being asked to".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Checks that all initial worker processes are alive.
    pub(crate) fn check_alive(&self) -> Result<(), String> {
        let now = children_of(self.master);
        match self.workers.iter().all(|worker| now.contains(worker)) {
            true => Ok(()),
            false => Err("a worker of nginx has ended".to_owned()),
        }
    }

    fn count(&self) -> Option<Count> {
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
}

impl Drop for Server {
    fn drop(&mut self) {
        use std::io::Write;
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(b"stop\n"); // fails if the guard has ended, and with it the server
        }
        let _ = self.guard.wait();
    }
}

/// Finds a free port for each cipher suite. Keeps all of them bound until the last is found, so that they differ.
fn free_ports(suites: impl Iterator<Item = CipherSuite>, address: IpAddr) -> std::io::Result<Vec<(CipherSuite, u16)>> {
    let held = suites.map(|suite| Ok((suite, TcpListener::bind((address, 0))?)));
    let held: Vec<_> = held.collect::<std::io::Result<_>>()?;
    held.iter().map(|(suite, listener)| Ok((*suite, listener.local_addr()?.port()))).collect()
}

/// Returns the first line of the log that reports more than a warning, without time and number.
fn first_complaint(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let is_complaint = |line: &&str| ["[emerg]", "[alert]", "[crit]", "[error]"].iter().any(|kind| line.contains(kind));
    let line = text.lines().find(is_complaint).or_else(|| text.lines().last()).unwrap_or("it printed nothing");
    let said = line.split_once("]").map_or(line, |(_, said)| said);
    said.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect()
}
