//! A testbed whose server, clients or both are on other hosts.
//!
//! If a client host is lost, all cases that began with it fail, and later cases use the remaining hosts. For each step
//! the leader sends one line to every host at the same time, and the clients begin when it arrives. The time between
//! their starts is bounded without comparing clocks: a host began after its line was sent, and before its answer came.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::client::{ClientLoad, RemoteFile, Target};
use super::load::{LoadOrder, LoadStep, ServerUse, patience, shares};
use super::processes::CpuUse;
use super::testbed::{self, Capacity, StepRequest, Testbed};
use crate::hosts::connection::{HostConnection, SOON};
use crate::hosts::protocol::{HostRequest, ServeOrder, ServingDescription, check_load, check_use, shown};
use crate::plan::{Offer, TlsCase};
use kasoku_libraries::nginx::Nginx;
use kasoku_libraries::openssl;

const STARTING: Duration = Duration::from_secs(60);
/// Lower bound for the speed at which a host makes a file, in bytes per second.
const SLOWEST_MAKING: f64 = 20e6;
/// Number of open files of a client in addition to one for each connection.
const FILES_BESIDE: u64 = 64;
/// Maximum seconds between the starts of hosts that count as simultaneous.
pub const IN_STEP_S: f64 = 0.25;

pub struct RemoteTestbed {
    server: HostConnection,
    serving: ServingDescription,
    addresses: Vec<IpAddr>,
    clients: Vec<HostConnection>,
    lost: Vec<String>,
    /// Verified files of each case, and the number of hosts that were lost when they were verified.
    files: HashMap<TlsCase, (usize, Vec<RemoteFile>)>,
    skew_s: Option<f64>,
}

impl RemoteTestbed {
    /// Starts the web servers of `order` on the host `server`, and clients on `hosts`. Any of `hosts` may be lost.
    pub fn start(
        mut server: HostConnection,
        hosts: Vec<Result<HostConnection, String>>,
        order: ServeOrder,
    ) -> Result<RemoteTestbed, String> {
        let addresses = order.addresses.clone();
        let serving: ServingDescription = server.ask(&HostRequest::Serve(order), STARTING)?;
        serving.check().map_err(|why| server.lose(&why))?;
        let (mut clients, mut lost) = (Vec::new(), Vec::new());
        for host in hosts {
            let started = host
                .and_then(|mut host| host.ask(&HostRequest::StartClients(addresses.len()), STARTING).map(|()| host));
            match started {
                Ok(host) => clients.push(host),
                Err(why) => lost.push(why),
            }
        }
        if clients.is_empty() {
            return Err(lost.join("; "));
        }
        Ok(RemoteTestbed { server, serving, addresses, clients, lost, files: HashMap::new(), skew_s: None })
    }

    pub fn offer(&self) -> Offer {
        let workers: BTreeSet<usize> = self.serving.servers.iter().map(|(id, _)| id.workers).collect();
        Offer {
            nginx: Nginx {
                program: PathBuf::from("nginx"), // its path there is unknown here
                version: self.serving.nginx.clone(),
                openssl: self.serving.openssl.clone(),
            },
            workers: workers.into_iter().collect(),
            has_ours: self.serving.servers.iter().any(|(id, _)| id.library != openssl::ENTRY.name),
        }
    }

    pub fn lost(&self) -> &[String] {
        &self.lost
    }

    /// Returns the upper bound for the seconds between the first and the last host's start, over all steps that count.
    /// Returns `None` with one client host.
    pub fn skew_s(&self) -> Option<f64> {
        self.skew_s
    }

    /// Returns the location of a case's file at each address of the server.
    fn targets(&self, case: &TlsCase) -> Result<Vec<Target>, String> {
        let id = case.server();
        let ports = self.serving.servers.iter().find(|(server, _)| *server == id).map(|(_, ports)| ports);
        let target = |address: &IpAddr| testbed::target(case, *address, ports?);
        let targets: Option<Vec<Target>> = self.addresses.iter().map(target).collect();
        targets.ok_or_else(|| "the server does not offer this suite with this number of workers".to_owned())
    }

    /// Starts the load on all client hosts at once. Returns the load of each host, and the upper bound for the time
    /// between their starts.
    fn load(&mut self, orders: &[LoadOrder]) -> (Vec<Result<ClientLoad, String>>, Duration) {
        let first = Instant::now();
        let order = |(host, order): (&mut HostConnection, &LoadOrder)| host.send(&HostRequest::Load(order.clone()));
        let sent: Vec<Result<(), String>> = self.clients.iter_mut().zip(orders).map(order).collect();
        let mut began: Vec<(Result<(), String>, Duration)> = Vec::new();
        for (host, sent) in self.clients.iter_mut().zip(sent) {
            began.push((sent.and_then(|()| host.receive(SOON)), first.elapsed()));
        }
        // Wait for all hosts even if one fails, because they must be idle before the next step.
        let mut apart = Duration::ZERO;
        let mut loads = Vec::new();
        for ((host, order), (began, after)) in self.clients.iter_mut().zip(orders).zip(began) {
            let load = began.and_then(|()| host.receive(order.patience * 2 + SOON)).and_then(|load: ClientLoad| {
                apart = apart.max(after + Duration::from_nanos(load.late_ns));
                check_load(&load, order).map(|()| load).map_err(|why| host.lose(&why))
            });
            loads.push(load);
        }
        (loads, apart)
    }

    fn drop_lost(&mut self) {
        self.lost.extend(self.clients.iter().filter_map(|host| host.lost().map(str::to_owned)));
        self.clients.retain(|host| host.lost().is_none());
    }
}

impl Testbed for RemoteTestbed {
    fn capacity(&mut self, case: &TlsCase) -> Result<Capacity, String> {
        if self.clients.is_empty() {
            return Err(self.lost.join("; "));
        }
        self.targets(case)?;
        let workers = case.server().workers;
        let server = &self.server.description;
        let of_server = self.serving.connections_of_a_worker.saturating_mul(workers as u64);
        let of_client = |host: &HostConnection| {
            let clients = (host.description.cores.len() * self.addresses.len()) as u64;
            host.description.open_files.saturating_sub(FILES_BESIDE).saturating_mul(clients)
        };
        let most = self.clients.iter().map(of_client).fold(0, u64::saturating_add).min(of_server);
        let shares_a_core = |host: &HostConnection| {
            host.description.boot == server.boot
                && host.description.cores.iter().any(|core| server.cores.contains(core))
        };
        Ok(Capacity {
            most: usize::try_from(most).unwrap_or(usize::MAX).max(1),
            server_cores: server.cores.len(),
            working_cores: server.cores.len().min(workers).max(1),
            client_cores: self.clients.iter().map(|host| host.description.cores.len()).sum(),
            are_apart: !self.clients.iter().any(shares_a_core),
            hosts: self.clients.len(),
            server_cpu: Some(shown(&server.cpu)),
        })
    }

    fn make_file(&mut self, bytes: usize) -> Result<(), String> {
        self.files.clear();
        let limit = SOON + Duration::from_secs_f64(bytes as f64 / SLOWEST_MAKING);
        self.server.ask(&HostRequest::MakeFile(bytes as u64), limit)
    }

    fn verify_file(&mut self, case: &TlsCase) -> Result<(), String> {
        let targets = self.targets(case)?;
        let limit = patience(case.workload.bytes as u64, 1, Duration::ZERO) * 3;
        let mut files = Vec::new();
        for target in targets {
            let host = self.clients.first_mut().ok_or("no client host is left")?;
            let looked = host.ask(&HostRequest::Look(target.clone()), limit).and_then(|file: RemoteFile| {
                if file.target == target { Ok(file) } else { Err(host.lose("fetched another file")) }
            });
            self.drop_lost();
            files.push(looked?);
        }
        self.files.insert(*case, (self.lost.len(), files));
        Ok(())
    }

    fn step(&mut self, case: &TlsCase, request: StepRequest) -> Result<LoadStep, String> {
        let (lost, files) = self.files.get(case).cloned().ok_or("the file was not looked at")?;
        if lost != self.lost.len() {
            return Err(self.lost[lost..].join("; "));
        }
        let clients: Vec<usize> =
            self.clients.iter().map(|host| host.description.cores.len() * self.addresses.len()).collect();
        let (connections, duration) = (request.connections, request.duration);
        let patience = patience(case.workload.bytes as u64, connections, duration);
        let order = |connections| LoadOrder { files: files.clone(), connections, duration, patience };
        let orders: Vec<LoadOrder> =
            shares(connections, &clients, self.addresses.len()).into_iter().map(order).collect();
        let () = self.server.ask(&HostRequest::Watch(case.server()), SOON)?;
        let begun = Instant::now();
        let (loads, apart) = self.load(&orders);
        let watched = begun.elapsed();
        self.drop_lost();
        let used: ServerUse = self.server.ask(&HostRequest::ReportUse, SOON)?;
        check_use(&used, watched).map_err(|why| self.server.lose(&why))?;
        let loads = loads.into_iter().collect::<Result<Vec<ClientLoad>, String>>()?;
        let apart = (loads.len() > 1).then_some(apart.as_secs_f64());
        let step = join(loads, used, watched, apart);
        step.check_provided(case.workload.bytes as u64)?;
        if request.round.is_some() {
            self.skew_s = self.skew_s.into_iter().chain(step.skew_s).reduce(f64::max);
        }
        Ok(step)
    }
}

/// Joins the loads of all client hosts in one step.
fn join(loads: Vec<ClientLoad>, used: ServerUse, watched: Duration, skew_s: Option<f64>) -> LoadStep {
    let mut load = ClientLoad::default();
    loads.into_iter().for_each(|part| load.merge(part));
    // The server was watched slightly longer than the step, and was idle for the rest.
    let ns = load.ns.max(1) as f64;
    let mean = used.workers.cpu_ns as f64 / ns;
    let waited = used.workers.waited * watched.as_nanos() as f64 / ns;
    let workers = CpuUse { mean, most: used.workers.most.max(mean), waited, ..used.workers };
    LoadStep { load, server: ServerUse { workers, ..used }, skew_s }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_merges_latencies_and_scales_cpu_use() {
        let part = |times: &[u64], ns| {
            let clients = vec![CpuUse::default()];
            let mut part = ClientLoad { files: times.len() as u64, ns, clients, ..ClientLoad::default() };
            times.iter().for_each(|&time| {
                part.connection.add(time);
                part.request.add(2 * time);
            });
            part
        };
        let workers = CpuUse { mean: 0.1, most: 0.7, waited: 0.1, cpu_ns: 750_000_000 };
        let used = ServerUse { workers, pressures: 2, provided: Some(80) };
        let parts = vec![part(&[1_000; 99], 1_000_000_000), part(&[9_000_000], 900_000_000)];
        let watched = Duration::from_secs(2);
        let step = join(parts, used, watched, Some(0.03));
        let ClientLoad { files, ns, clients, connection, .. } = &step.load;
        assert_eq!((*files, *ns, clients.len(), step.pressures()), (100, 1_000_000_000, 2, 2));
        let server = step.server.workers;
        assert!((server.mean - 0.75).abs() < 1e-9 && (server.waited - 0.2).abs() < 1e-9);
        assert!((server.most - 0.75).abs() < 1e-9);
        assert!((connection.longest_s().unwrap() - 0.009).abs() < 1e-12);
        assert!(
            connection.quantile_s(0.99).unwrap() < 1.1e-6,
            "quantiles must be computed from the merged histogram, not averaged"
        );
        assert_eq!((step.skew_s, step.server.provided), (Some(0.03), Some(80)));
        assert_eq!(step.check_provided(0), Ok(()));
        assert!(step.check_provided(1 << 20).unwrap_err().contains("provider"));
    }
}
