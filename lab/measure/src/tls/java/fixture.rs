//! The file, certificate, client and cores that the Java servers of a run share.

use std::path::PathBuf;
use std::time::Duration;

use super::super::client::lines::{Expected, Target};
use super::super::clients::ClientProcess;
use super::super::cores::{self, Cores};
use super::super::fixture::ServedFiles;
use super::super::host::fetch;
use super::super::load::{self, LoadStep, RemoteFile};
use super::super::records::{FULL_RECORD, wire_bytes};
use super::server::{JavaServer, WantedJavaServer};
use crate::folder::{self, Folder};
use crate::plan::HttpsPlan;
use crate::worker_process::WorkerName;
use kasoku_libraries::interruption;
use kasoku_libraries::nginx::certificate::Certificate;
use kasoku_model::algorithm::{Algorithm, CipherSuite};

/// Maximum size in bytes of a session ticket, which may come beside full records.
const MAX_TICKET: u64 = 2048;
/// Maximum size in bytes of a second record for each full one. The JDK's records hold one byte less than TLS allows, so
/// that a write of 16 KiB, the usual size, takes two.
const MAX_SECOND: u64 = 64;

/// The served file, the certificate, and a client. Dropping it ends the client first and removes the folder last.
pub(super) struct JavaFixture {
    clients: Vec<ClientProcess>,
    /// Cores of the server, which has one, and of the client.
    pub(super) cores: Cores,
    file: PathBuf,
    certificate: Certificate,
    _folder: Folder,
}

impl JavaFixture {
    /// Creates the fixture, with a file as long as the longest that is served.
    ///
    /// # Errors
    /// Returns why the file, the certificate or the client cannot be created.
    pub(super) fn make(plan: &HttpsPlan) -> Result<JavaFixture, String> {
        let in_dir = |error: std::io::Error| format!("cannot create a folder in {}: {error}", plan.dir.display());
        let folder = Folder::new(&plan.dir, folder::TLS).map_err(in_dir)?;
        let base = folder.path().canonicalize().map_err(in_dir)?;
        let bytes = plan.cases.iter().map(|case| case.workload.bytes).max().unwrap_or_default();
        let file = ServedFiles { folder: base.clone() }.make(bytes, &interruption::is_wanted)?;
        let certificate = Certificate::ecdsa(&base).map_err(|unavailable| unavailable.why)?;
        let cores = cores::allot(&cores::usable(), 1);
        let core = cores.clients.first().ok_or("there is no core left for a client")?;
        Ok(JavaFixture { clients: vec![ClientProcess::start(*core)?], cores, file, certificate, _folder: folder })
    }

    /// Starts a server.
    ///
    /// # Errors
    /// Returns why the server does not start.
    pub(super) fn start(&self, name: &WorkerName, suite: CipherSuite, threads: usize) -> Result<JavaServer, String> {
        let (file, certificate, cores) = (&self.file, &self.certificate, &self.cores.server);
        JavaServer::start(&WantedJavaServer { name, file, certificate, suite, threads, cores })
    }

    /// Compares a file of `bytes` bytes as `server` sends it, and counts its bytes on the wire twice: both counts must
    /// agree, and be about what the standards say.
    ///
    /// # Errors
    /// Returns what is not as it must be.
    pub(super) fn look(&mut self, server: &JavaServer, suite: CipherSuite, bytes: usize) -> Result<RemoteFile, String> {
        let (address, path, bytes) = (server.address, format!("/{bytes}"), bytes as u64);
        let target = Target { address, suite: Algorithm::CipherSuite(suite), path, bytes };
        let client = self.clients.first_mut().ok_or("there is no client")?;
        let header = fetch(client, &target, Some(Expected::File(self.file.clone())))?.bytes;
        let least = suite.record_bytes(header) + wire_bytes(suite, bytes);
        let most = least + MAX_TICKET + MAX_SECOND * bytes.div_ceil(FULL_RECORD);
        let found = [fetch(client, &target, None)?.bytes, fetch(client, &target, None)?.bytes];
        if found[0] != found[1] || !(least..=most).contains(&found[0]) {
            let [first, second] = found;
            return Err(format!("the file came in {first} and {second} bytes of records instead of {least} to {most}"));
        }
        Ok(RemoteFile { target, wire_bytes: found[0] })
    }

    /// Carries out a step of `connections` connections at once, of which new ones begin for `duration`.
    ///
    /// # Errors
    /// Returns which connection failed, or that the provider, which counts, did not encrypt the records.
    pub(super) fn step(
        &mut self,
        server: &mut JavaServer,
        file: &RemoteFile,
        connections: usize,
        duration: Duration,
    ) -> Result<LoadStep, String> {
        load::step(&mut self.clients, server, file, connections, duration)
    }
}
