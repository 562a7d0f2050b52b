//! Web servers for clients on other hosts: what `kasoku serve` keeps, and how it sees what they use.

use std::net::IpAddr;

use super::ground::{Ground, ServedFiles, ServerName};
use super::limits;
use super::processes::{Busy, Use};
use super::server::{ListenAddress, Server};
use crate::plan::TlsPlan;
use kasoku_libraries::nginx::configuration::WORKER_CONNECTIONS;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::CipherSuite;

/// Looks at a counter, one after another, that find nothing new when it stands still.
const STANDING_STILL: u32 = 5;

/// Web servers that others put load on. Dropped, they are ended and leave nothing.
pub struct Serving {
    ground: Ground,
}

/// A web server: its provider, the state of that, and its workers.
pub type Name = (&'static str, Acceleration, usize);

/// Watches what one of them uses.
#[derive(Debug)]
pub struct Watched {
    server: ServerName,
    workers: Use,
    pressures: u64,
    count: Option<u64>,
}

impl Serving {
    /// Starts the servers that the cases of `plan` need, all at `address`; at consecutive ports from `first_port` on,
    /// or at any that are free. The files are in the folder `secret`.
    ///
    /// # Errors
    /// Why one cannot be had.
    pub fn start(plan: &TlsPlan, address: IpAddr, first_port: Option<u16>, secret: &str) -> Result<Serving, String> {
        let ground = Ground::for_others(plan, &mut ListenAddress { address, next_port: first_port }, secret)?;
        match ground.servers.values().find_map(|server| server.as_ref().err()) {
            Some(why) => Err(why.clone()),
            None => Ok(Serving { ground }),
        }
    }

    /// The servers, and the port of each suite.
    pub fn servers(&self) -> impl Iterator<Item = (Name, &[(CipherSuite, u16)])> {
        self.ground.servers.iter().filter_map(|(name, server)| Some((*name, server.as_ref().ok()?.ports())))
    }

    /// What they serve.
    pub fn files(&self) -> &ServedFiles {
        &self.ground.files
    }

    /// Connections at once that this host's limits allow for each worker.
    pub fn connections_of_a_worker(&self) -> u64 {
        let known = limits::look(1, u64::from(u16::MAX), u64::from(WORKER_CONNECTIONS));
        kasoku_model::system_limit::first_to_bind(&known).map_or(u64::from(WORKER_CONNECTIONS), |(_, most)| most)
    }

    /// Watches a server from now on; `None` if there is none of that name.
    pub fn watch(&self, name: Name) -> Option<Watched> {
        let server = self.server(name)?;
        Some(Watched {
            server: name,
            workers: Use::begin(server.workers().to_vec()),
            pressures: limits::memory_pressures(),
            count: server.count().map(|count| count.bytes),
        })
    }

    /// What it used since; how often TCP was short of memory; bytes that Kasoku's provider encrypted, if it has it;
    /// whether all of its workers are those it began with.
    pub fn used(&self, watched: Watched) -> (Busy, u64, Option<u64>, bool) {
        let Watched { server, workers, pressures, count } = watched;
        let server = self.server(server);
        let busy = workers.end();
        let pressures = limits::memory_pressures().saturating_sub(pressures);
        // How much was sent only the clients know; so until it stands still.
        let (mut last, mut times) = (0, 0);
        let provided = server.zip(count).and_then(|(server, before)| {
            server.counted_since(before, |provided| {
                times = if provided == last { times + 1 } else { 0 };
                last = provided;
                times >= STANDING_STILL
            })
        });
        (busy, pressures, provided, server.is_some_and(Server::is_whole))
    }

    fn server(&self, name: Name) -> Option<&Server> {
        self.ground.servers.get(&name)?.as_ref().ok()
    }
}

impl Watched {
    /// Looks how busy the server is just now, so that the busiest time is known.
    pub fn look(&mut self) {
        self.workers.look();
    }
}
