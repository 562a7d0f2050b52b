//! The servers of a run, with the folder that holds their files and certificates, and the clients on this host.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use super::clients::ClientProcess;
use super::cores::{self, Cores};
use super::limits;
use super::server::{Server, WantedServer};
use crate::files::{size_name, write_text};
use crate::folder::{self, Folder};
use crate::machine::{free_memory, free_on};
use crate::plan::{TlsCase, TlsPlan};
use kasoku_libraries::nginx::certificate::Certificates;
use kasoku_libraries::nginx::configuration::is_writable;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::CipherSuite;

/// What must stay free beside a file, on the disk and in memory.
const MARGIN: u64 = 512 << 20;

/// A server by its provider, its state and its number of workers.
pub(crate) type ServerName = (&'static str, Acceleration, usize);

impl TlsCase {
    /// The server that serves it.
    pub(super) fn server(&self) -> ServerName {
        (self.library, self.acceleration, self.workload.served().map_or(0, |served| served.workers))
    }
}

/// Servers, files and local clients. Dropping it ends the clients, then the servers, and removes the folder last.
pub(crate) struct ServerFixture {
    /// The servers, or why there is none.
    pub(crate) servers: BTreeMap<ServerName, Result<Server, String>>,
    /// For each number of workers the cores, and the clients on this host.
    pub(super) clients: BTreeMap<usize, (Cores, Vec<ClientProcess>)>,
    pub(crate) files: ServedFiles,
    _folder: Folder,
}

/// The served file and its folder.
#[derive(Clone, Debug)]
pub(crate) struct ServedFiles {
    pub(super) folder: PathBuf,
}

impl ServerFixture {
    /// Starts the servers of `tls` on the loopback, and the clients.
    ///
    /// # Errors
    /// Returns why nothing at all can be measured.
    pub(super) fn local(tls: &TlsPlan) -> Result<ServerFixture, String> {
        let mut fixture = ServerFixture::start_all(tls, &[Ipv4Addr::LOCALHOST.into()], cores::allot)?;
        for TlsCase { workload, .. } in &tls.cases {
            if let Some(served) = workload.served()
                && let Entry::Vacant(entry) = fixture.clients.entry(served.workers)
            {
                let cores = cores::allot(&cores::usable(), served.workers);
                let clients = cores.clients.iter().map(|core| ClientProcess::start(*core)).collect::<Result<_, _>>()?;
                entry.insert((cores, clients));
            }
        }
        Ok(fixture)
    }

    /// Starts the servers of `tls` at `addresses`, for clients on other hosts: all cores are the servers'.
    ///
    /// # Errors
    /// Returns why a server does not start.
    pub(crate) fn for_other_hosts(tls: &TlsPlan, addresses: &[IpAddr]) -> Result<ServerFixture, String> {
        let fixture = ServerFixture::start_all(tls, addresses, cores::all_for_the_server)?;
        match fixture.servers.values().find_map(|server| server.as_ref().err()) {
            Some(why) => Err(why.clone()),
            None => Ok(fixture),
        }
    }

    fn start_all(
        tls: &TlsPlan,
        addresses: &[IpAddr],
        allot: fn(&[usize], usize) -> Cores,
    ) -> Result<ServerFixture, String> {
        let in_dir = |error: std::io::Error| format!("cannot create a folder in {}: {error}", tls.dir.display());
        let folder = Folder::new(&tls.dir, folder::TLS).map_err(in_dir)?;
        let base = folder.path().canonicalize().map_err(in_dir)?;
        if !is_writable(&base) {
            return Err(format!("nginx's configuration cannot contain the path {}", base.display()));
        }
        let root = base.join("files");
        fs::create_dir(&root).map_err(in_dir)?;
        if rustix::process::geteuid().is_root() {
            open_for_workers(&[&base, &root]).map_err(in_dir)?;
        }
        let certificates = Certificates::make(&base).map_err(|unavailable| unavailable.why)?;
        let files = ServedFiles { folder: root };
        let mut fixture = ServerFixture { servers: BTreeMap::new(), clients: BTreeMap::new(), files, _folder: folder };
        let all_cores = cores::usable();
        for TlsCase { workload, library, acceleration } in &tls.cases {
            let Some(served) = workload.served() else { continue };
            let cores = allot(&all_cores, served.workers);
            let name = (*library, *acceleration, served.workers);
            if !fixture.servers.contains_key(&name) {
                let server = fixture.start(tls, name, &base, &cores, &certificates, addresses);
                fixture.servers.insert(name, server);
            }
        }
        Ok(fixture)
    }

    fn start(
        &self,
        tls: &TlsPlan,
        name: ServerName,
        base: &Path,
        cores: &Cores,
        certificates: &Certificates,
        addresses: &[IpAddr],
    ) -> Result<Server, String> {
        let suites: Vec<CipherSuite> = {
            let workers = |case: &TlsCase| case.workload.served().map(|served| served.workers);
            let is_of_server =
                |case: &&TlsCase| (case.library, case.acceleration, workers(case)) == (name.0, name.1, Some(name.2));
            let of_server = tls.cases.iter().filter(is_of_server);
            let mut suites: Vec<CipherSuite> =
                of_server.filter_map(|case| CipherSuite::of(case.workload.algorithm)).collect();
            suites.sort_unstable();
            suites.dedup();
            suites
        };
        let module = tls.module.as_deref().filter(|_| name.0 != kasoku_libraries::openssl::ENTRY.name);
        let server = Server::start(&WantedServer {
            nginx: &tls.nginx,
            base,
            folder: base.join(format!("{}-{}-{}", name.0, name.1, name.2)),
            files: &self.files.folder,
            certificates,
            workers: name.2,
            cores,
            open_files: limits::open_files().0,
            suites: &suites,
            module,
            acceleration: name.1,
            addresses,
        })?;
        // A module that cannot be loaded is passed over in silence, and may stay in memory all the same.
        match module {
            Some(module) if !server.has_loaded(module) || server.count().is_some_and(|count| count.loads == 0) => {
                let (folder, name) = (module.parent().unwrap_or(module), module.file_stem().unwrap_or_default());
                let ask = format!("-provider-path {} -provider {}", folder.display(), name.display());
                Err(format!("nginx did not load Kasoku's provider; openssl list -providers {ask} says why"))
            }
            None if server.has_any_provider() => {
                Err("nginx has loaded Kasoku's provider without being asked to".to_owned())
            }
            _ => Ok(server),
        }
    }
}

impl Drop for ServerFixture {
    fn drop(&mut self) {
        self.clients.clear();
        self.servers.clear();
    }
}

impl ServedFiles {
    /// Makes the file of `bytes` random bytes that is served next, and takes the one before away; `is_over` is asked
    /// every now and then whether it is not wanted any more.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(crate) fn make(&self, bytes: usize, is_over: &dyn Fn() -> bool) -> Result<PathBuf, String> {
        self.remove();
        let needed = (bytes as u64).saturating_add(MARGIN);
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        for (free, what) in [(free_on(&self.folder), "its file system has"), (free_memory(), "memory has")] {
            if let Some(free) = free.filter(|&free| free < needed) {
                let size = size_name(bytes);
                return Err(format!(
                    "files of {size} do not fit: {} MiB must be free, and {what} {} MiB",
                    mib(needed),
                    mib(free)
                ));
            }
        }
        let path = self.folder.join(bytes.to_string());
        let failed = |error: std::io::Error| format!("cannot create files of {}: {error}", size_name(bytes));
        let file = File::create_new(&path).map_err(failed)?;
        write_text(&file, bytes, is_over).map_err(failed)?;
        if rustix::process::geteuid().is_root() {
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).map_err(failed)?;
        }
        Ok(path)
    }

    /// Takes away what was served.
    pub(crate) fn remove(&self) {
        let files = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        files.for_each(|file| drop(fs::remove_file(file.path()))); // it goes with the folder at the latest
    }
}

/// Where the laboratory is root, the server's workers are not, and must get at the files; the keys they need not.
fn open_for_workers(folders: &[&Path]) -> std::io::Result<()> {
    for folder in folders {
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
    }
    Ok(())
}
