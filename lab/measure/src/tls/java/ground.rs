//! What all servers of a run share: the file, the certificate, the client, who has which core.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::super::client::lines::{ClientAnswer, ClientRequest, Expected, Fetch, Load, Target};
use super::super::client::now_ns;
use super::super::clients::ClientProcess;
use super::super::cores::{self, Cores};
use super::super::host::{self, PATIENCE, Part, StepTiming};
use super::super::processes::{Busy, Use};
use super::super::records::{FULL_RECORD, wire_bytes};
use super::server::{JavaServer, WantedJavaServer};
use crate::files::{free_memory, free_on, size_name, write_text};
use crate::folder::{self, Folder};
use crate::plan::HttpsPlan;
use crate::worker_process::WorkerName;
use kasoku_libraries::interruption;
use kasoku_libraries::nginx::certificate::Certificate;
use kasoku_model::algorithm::{Algorithm, CipherSuite};

/// What must stay free beside the file.
const MARGIN: u64 = 512 << 20;
/// From the word to the start: until the client has read it.
const AHEAD: Duration = Duration::from_millis(12);
/// What may come beside full records at most: a ticket with which the session could be resumed…
const MAX_TICKET: u64 = 2048;
/// … and for each of them a second one. The JDK's hold a byte less than there may be, so that a piece of 16 KiB, which
/// is what programs write, takes two.
const MAX_SECOND: u64 = 64;

/// All of it. Dropped, the client is ended first and the folder goes last.
pub(super) struct JavaGround {
    client: ClientProcess,
    /// Who has which core: the server has one.
    pub(super) cores: Cores,
    file: PathBuf,
    certificate: Certificate,
    _folder: Folder,
}

/// A file that a server has, once it was looked at.
#[derive(Clone)]
pub(super) struct JavaFile {
    target: Target,
    /// Bytes behind the handshake.
    wire_bytes: u64,
}

/// What a step gave.
pub(super) struct HttpsStep {
    /// What the client saw.
    pub(super) part: Part,
    /// The server's process.
    pub(super) server: Busy,
    /// Bytes that its ciphers worked on meanwhile, if they are of a provider that counts them.
    pub(super) provided: Option<u64>,
}

impl JavaGround {
    /// Makes it, with a file that is as long as the longest that is served.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(super) fn make(plan: &HttpsPlan) -> Result<JavaGround, String> {
        let in_dir = |error: std::io::Error| format!("cannot create a folder in {}: {error}", plan.dir.display());
        let folder = Folder::new(&plan.dir, folder::TLS).map_err(in_dir)?;
        let base = folder.path().canonicalize().map_err(in_dir)?;
        let bytes = plan.cases.iter().map(|case| case.workload.bytes).max().unwrap_or_default();
        let needed = (bytes as u64).saturating_add(MARGIN);
        if let Some(free) = [free_on(&base), free_memory()].into_iter().flatten().find(|free| *free < needed) {
            let (needed, free) = (needed.div_ceil(1 << 20), free >> 20);
            return Err(format!("{needed} MiB must be free for what is served, and there are {free} MiB"));
        }
        let file = base.join("file");
        let failed = |error: std::io::Error| format!("cannot create the file of {}: {error}", size_name(bytes));
        write_text(&File::create_new(&file).map_err(failed)?, bytes, &interruption::is_wanted).map_err(failed)?;
        let certificate = Certificate::ecdsa(&base).map_err(|unavailable| unavailable.why)?;
        let cores = cores::allot(&cores::usable(), 1);
        let core = cores.clients.first().ok_or("there is no core left for a client")?;
        Ok(JavaGround { client: ClientProcess::start(*core)?, cores, file, certificate, _folder: folder })
    }

    /// Starts a server.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(super) fn start(&self, name: &WorkerName, suite: CipherSuite, threads: usize) -> Result<JavaServer, String> {
        let (file, certificate, cores) = (&self.file, &self.certificate, &self.cores.server);
        JavaServer::start(&WantedJavaServer { name, file, certificate, suite, threads, cores })
    }

    /// Has the content of a file of this many bytes compared as `server` sends it. Then counts what comes of it on the
    /// wire, twice: that must be as much each time, and about what the standards say.
    ///
    /// # Errors
    /// If it is not what it must be.
    pub(super) fn look(&mut self, server: &JavaServer, suite: CipherSuite, bytes: usize) -> Result<JavaFile, String> {
        let (address, path, bytes) = (server.address, format!("/{bytes}"), bytes as u64);
        let target = Target { address, suite: Algorithm::CipherSuite(suite), path, bytes };
        let header = self.fetch(&target, Some(Expected::File(self.file.clone())))?.bytes;
        let least = suite.record_bytes(header) + wire_bytes(suite, bytes);
        let most = least + MAX_TICKET + MAX_SECOND * bytes.div_ceil(FULL_RECORD);
        let found = [self.fetch(&target, None)?.bytes, self.fetch(&target, None)?.bytes];
        if found[0] != found[1] || !(least..=most).contains(&found[0]) {
            let [first, second] = found;
            return Err(format!("the file came in {first} and {second} bytes of records instead of {least} to {most}"));
        }
        Ok(JavaFile { target, wire_bytes: found[0] })
    }

    fn fetch(&mut self, target: &Target, same_as: Option<Expected>) -> Result<ClientAnswer, String> {
        let patience = host::patience(target.bytes, 1, Duration::ZERO);
        let until_ns = now_ns() + patience.as_nanos() as u64;
        self.client.ask(&ClientRequest::Fetch(Fetch { target: target.clone(), same_as, until_ns }))?;
        self.client.answer(Instant::now() + patience + PATIENCE, &mut || ())
    }

    /// Carries out a step of `connections` connections at once, of which new ones begin for `duration`.
    ///
    /// # Errors
    /// If any connection went wrong.
    pub(super) fn step(
        &mut self,
        server: &mut JavaServer,
        file: &JavaFile,
        connections: usize,
        duration: Duration,
    ) -> Result<HttpsStep, String> {
        let before = server.count()?;
        let patience = host::patience(file.target.bytes, connections, duration);
        let timed = StepTiming { start_ns: now_ns() + AHEAD.as_nanos() as u64, duration, patience };
        let after = |time: Duration| timed.start_ns.saturating_add(time.as_nanos() as u64);
        let load = Load {
            target: file.target.clone(),
            connections,
            start_ns: timed.start_ns,
            end_ns: after(duration),
            until_ns: after(patience),
            wire_bytes: file.wire_bytes,
        };
        // Both ends of what is watched are where the client's are.
        let used = std::cell::RefCell::new(None);
        let mut begins = || drop(used.replace(Some(Use::begin(vec![server.id()]))));
        let mut look = || used.borrow_mut().iter_mut().for_each(Use::look);
        let part = host::put_on(vec![&mut self.client], vec![load], &timed, &mut begins, &mut look)?;
        let busy = used.take().map(Use::end).unwrap_or_default();
        let provided = server.count()?.zip(before).map(|(after, before)| after.saturating_sub(before));
        Ok(HttpsStep { part, server: busy, provided })
    }
}
