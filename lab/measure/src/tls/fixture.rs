//! Starts the nginx servers of a run, and holds the folder with their files and certificates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cores;
use super::limits;
use super::server::Server;
use crate::files::{size_name, write_text};
use crate::machine::{free_memory, free_on};
use crate::plan::{TlsCase, TlsPlan};
use kasoku_libraries::folder::{self, Folder};
use kasoku_libraries::nginx::Certificates;
use kasoku_libraries::nginx::configuration::{NginxConfiguration, is_quotable};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::CipherSuite;

/// Bytes that must stay free in addition to a file, on the disk and in memory.
const MARGIN: u64 = 512 << 20;
/// Maximum number of attempts to start a server. Ports that were free when they were chosen may be taken when the
/// server starts.
const TRIES: usize = 4;

/// Identifies a web server by its provider, the build and acceleration state of OpenSSL, and the number of workers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ServerId {
    /// Library that implements the OpenSSL provider.
    pub library: String,
    /// Acceleration state of OpenSSL's own code.
    pub acceleration: Acceleration,
    pub workers: usize,
    /// Index in the plan's builds of OpenSSL; `None` for the system's OpenSSL.
    pub build: Option<usize>,
}

impl TlsCase {
    pub(super) fn server(&self) -> ServerId {
        let workers = self.workload.served().map_or(0, |served| served.workers);
        let TlsCase { library, acceleration, build, .. } = *self;
        ServerId { library: library.to_owned(), acceleration, workers, build }
    }
}

impl ServerId {
    fn folder_name(&self) -> String {
        let build = self.build.map_or(String::new(), |build| format!("-{build}"));
        format!("{}-{}-{}{build}", self.library, self.acceleration, self.workers)
    }
}

/// Servers and served files. Dropping it ends the servers first and removes the folder last.
pub(crate) struct ServerFixture {
    /// Running servers; for a server that did not start, the reason.
    pub(crate) servers: BTreeMap<ServerId, Result<Server, String>>,
    /// Folder of the served files.
    pub(crate) files: PathBuf,
    _folder: Folder,
}

impl ServerFixture {
    /// Starts the servers of `tls` at `addresses`. If `are_clients_here` is true, leaves some cores of this host to the
    /// clients.
    pub(crate) fn start(tls: &TlsPlan, addresses: &[IpAddr], are_clients_here: bool) -> Result<ServerFixture, String> {
        let in_dir = |error: std::io::Error| format!("cannot create a folder in {}: {error}", tls.dir.display());
        let folder = Folder::new(&tls.dir, folder::TLS).map_err(in_dir)?;
        let base = folder.path().canonicalize().map_err(in_dir)?;
        if !is_quotable(&base) {
            return Err(format!("nginx's configuration cannot contain the path {}", base.display()));
        }
        let root = base.join("files");
        fs::create_dir(&root).map_err(in_dir)?;
        if rustix::process::geteuid().is_root() {
            // nginx's workers are not root, and need the files but not the keys.
            for folder in [&base, &root] {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o711);
                fs::set_permissions(folder, mode).map_err(in_dir)?;
            }
        }
        let certificates = Certificates::make(&base).map_err(|unavailable| unavailable.why)?;
        let usable = cores::usable();
        let mut suites: BTreeMap<ServerId, BTreeSet<CipherSuite>> = BTreeMap::new();
        for case in &tls.cases {
            suites.entry(case.server()).or_default().extend(CipherSuite::of(case.workload.algorithm));
        }
        let start = |(id, suites): (ServerId, BTreeSet<CipherSuite>)| {
            let cores = if are_clients_here { cores::allot(&usable, id.workers).server } else { usable.clone() };
            let configuration = NginxConfiguration {
                folder: &base.join(id.folder_name()),
                files: &root,
                certificates: &certificates,
                workers: id.workers,
                cores: &cores,
                open_files: limits::open_files().0,
                addresses,
                ports: &[],
            };
            let start = || Server::start(tls, &id, &base, suites.iter().copied(), configuration);
            let mut server = start();
            for _ in 1..TRIES {
                if server.as_ref().is_err_and(|why| why.contains("Address already in use")) {
                    server = start();
                }
            }
            (id, server)
        };
        let servers = suites.into_iter().map(start).collect();
        Ok(ServerFixture { servers, files: root, _folder: folder })
    }

    pub(crate) fn server(&mut self, id: &ServerId) -> Result<&mut Server, String> {
        let server = self.servers.get_mut(id).ok_or("there is no such server")?;
        server.as_mut().map_err(|why| why.clone())
    }
}

/// Writes a file of `bytes` random bytes to `folder` in place of the previous one.
pub(crate) fn serve_file(folder: &Path, bytes: usize) -> Result<PathBuf, String> {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    files.for_each(|file| drop(fs::remove_file(file.path()))); // removing the folder later removes it too
    let needed = (bytes as u64).saturating_add(MARGIN);
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    for (free, what) in [(free_on(folder), "its file system has"), (free_memory(), "memory has")] {
        if let Some(free) = free.filter(|&free| free < needed) {
            let size = size_name(bytes);
            return Err(format!(
                "files of {size} do not fit: {} MiB must be free, and {what} {} MiB",
                mib(needed),
                mib(free)
            ));
        }
    }
    let path = folder.join(bytes.to_string());
    let failed = |error: std::io::Error| format!("cannot create files of {}: {error}", size_name(bytes));
    let file = File::create_new(&path).map_err(failed)?;
    write_text(&file, bytes).map_err(failed)?;
    if rustix::process::geteuid().is_root() {
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).map_err(failed)?;
    }
    Ok(path)
}
