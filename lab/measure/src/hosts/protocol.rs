//! Lines of JSON that the leader of a run and `kasoku host` on another host exchange: a request, then its answer.
//!
//! The leader checks every answer before it uses it. The error of a failed check follows the host's name.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::tls::client::{ClientLoad, Target};
use crate::tls::fixture::ServerId;
use crate::tls::load::{LoadOrder, ServerUse};
use crate::tls::processes::CpuUse;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::printable::printable;

/// Maximum length of an answer in bytes. The longest answer is a run document.
pub const MAX_ANSWER: usize = 64 << 20;
/// Maximum number of characters of a host's text that messages show.
const MAX_TEXT: usize = 1000;
const MAX_CORES: usize = 8192;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostRequest {
    /// Start web servers. Answer: [`ServingDescription`].
    Serve(ServeOrder),
    /// Serve a file of this many random bytes in place of the previous file.
    MakeFile(u64),
    /// Start observing the CPU time and memory that a web server uses.
    Watch(ServerId),
    /// Stop observing the server and report the CPU time and memory it used since the observation began. Answer:
    /// `ServerUse`.
    ReportUse,
    /// Start one client on each core for each of this many server addresses.
    StartClients(usize),
    /// Fetch a file once and compare its content with the expected content. Answer:
    /// [`RemoteFile`](crate::tls::client::RemoteFile).
    Look(Target),
    /// Put load on a server. Answers: an empty one at once, and [`ClientLoad`] at the end.
    Load(LoadOrder),
    /// Carry out `kasoku run` with these arguments. Answer: the run's document, after any number of progress reports
    /// ([`HostAnswer::Working`]).
    Run(Vec<String>),
}

/// An answer of a host to the leader. It does not name its type, which the leader knows from the request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostAnswer<T> {
    /// The first line, which the host sends without a request.
    Hello(HostDescription),
    Done(T),
    /// Progress report of a run, with its last line of progress.
    Working(String),
    /// The request failed, but the host still accepts others.
    Failed(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostDescription {
    pub kasoku: String,
    /// Identifier of the kernel's last boot, equal for all processes of a machine.
    pub boot: String,
    pub cores: Vec<usize>,
    /// Maximum number of open files per process.
    pub open_files: u64,
    pub cpu: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServeOrder {
    pub addresses: Vec<IpAddr>,
    /// Numbers of nginx workers. The host starts a server for each of them.
    pub workers: Vec<usize>,
    /// Acceleration states of OpenSSL. The host starts a server for each of them.
    pub acceleration: Option<Vec<Acceleration>>,
    /// Path of Kasoku's OpenSSL provider on the host; `None` if it is beside `kasoku` there.
    pub module: Option<PathBuf>,
    pub dir: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingDescription {
    pub nginx: String,
    pub openssl: String,
    /// Number of simultaneous connections that the host's limits allow for each nginx worker.
    pub connections_of_a_worker: u64,
    /// Each running server, with the port of each cipher suite.
    pub servers: Vec<(ServerId, Vec<(Algorithm, u16)>)>,
}

impl HostDescription {
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.kasoku != env!("CARGO_PKG_VERSION") {
            let (theirs, ours) = (shown(&self.kasoku), env!("CARGO_PKG_VERSION"));
            return Err(format!("has Kasoku {theirs}, and this host {ours}; install the same version on all hosts"));
        }
        match (1..=MAX_CORES).contains(&self.cores.len()) && self.boot.len() <= 200 && self.cpu.len() <= 400 {
            true => Ok(()),
            false => Err("described itself wrongly".to_owned()),
        }
    }
}

impl ServingDescription {
    pub(crate) fn check(&self) -> Result<(), String> {
        let are_short = [&self.nginx, &self.openssl].iter().all(|text| text.len() <= 200 && printable(text) == **text);
        match are_short && (1..=1000).contains(&self.servers.len()) {
            true => Ok(()),
            false => Err("described its web servers wrongly".to_owned()),
        }
    }
}

/// Whether the reported CPU use is possible within the longest duration of a load step with the time limit `patience`.
fn is_possible(busy: &CpuUse, patience: Duration) -> bool {
    [busy.mean, busy.most, busy.waited].iter().all(|share| share.is_finite() && (0.0..=1e4).contains(share))
        && u128::from(busy.cpu_ns) <= longest_ns(patience).saturating_mul(1000)
}

/// Upper bound in nanoseconds for the duration of a load step with the time limit `patience`.
fn longest_ns(patience: Duration) -> u128 {
    (patience.saturating_mul(2) + Duration::from_secs(60)).as_nanos()
}

pub(crate) fn check_use(used: &ServerUse, patience: Duration) -> Result<(), String> {
    let terabyte_a_second = longest_ns(patience).saturating_mul(1000);
    match is_possible(&used.workers, patience)
        && used.provided.is_none_or(|bytes| u128::from(bytes) <= terabyte_a_second)
    {
        true => Ok(()),
        false => Err("reported an impossible use of its server".to_owned()),
    }
}

pub(crate) fn check_load(part: &ClientLoad, order: &LoadOrder) -> Result<(), String> {
    let asked: usize = order.connections.iter().sum();
    let taking_part = order.connections.iter().filter(|connections| **connections > 0).count();
    let longest = longest_ns(order.patience);
    let bytes = order.files.first().map_or(0, |file| file.target.bytes);
    let are_files = part.request.count() == part.files
        && part.connection.count() == part.files
        && part.connection.is_sound()
        && part.request.is_sound()
        && part.files >= asked as u64;
    let what =
        if part.clients.len() != taking_part || !part.clients.iter().all(|busy| is_possible(busy, order.patience)) {
            "clients"
        } else if u128::from(part.ns) > longest || u128::from(part.late_ns) > longest {
            "times"
        } else if !are_files {
            "files"
        } else if u128::from(part.files) * u128::from(bytes) > u128::from(part.ns.max(1)) * 1000 {
            "bytes: more than a terabyte a second"
        } else {
            return Ok(());
        };
    Err(format!("reported impossible values: {what}"))
}

/// Returns a text from another host in a shortened form that is safe to print.
pub fn shown(text: &str) -> String {
    printable(&text.chars().take(MAX_TEXT).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::client::RemoteFile;
    use kasoku_model::algorithm::CipherSuite;
    use kasoku_model::histogram::Histogram;

    fn order() -> LoadOrder {
        let target = Target {
            address: ([127, 0, 0, 1], 4433).into(),
            suite: Algorithm::CipherSuite(CipherSuite::Aes128Sha),
            bytes: 1 << 20,
        };
        LoadOrder {
            files: vec![RemoteFile { target, wire_bytes: 1_050_000 }],
            connections: vec![1, 0, 1],
            duration: Duration::from_secs(1),
            patience: Duration::from_secs(20),
        }
    }

    fn part() -> ClientLoad {
        let mut times = Histogram::default();
        (0..10).for_each(|_| times.add(1_000_000));
        let busy = CpuUse { mean: 0.5, most: 0.9, waited: 0.0, cpu_ns: 500_000_000 };
        ClientLoad {
            files: 10,
            ns: 1_000_000_000,
            connection: times.clone(),
            request: times,
            clients: vec![busy; 2],
            ..ClientLoad::default()
        }
    }

    #[test]
    fn check_load_rejects_impossible_values() {
        assert_eq!(check_load(&part(), &order()), Ok(()));
        let busy = part().clients[0];
        let unsound: Histogram = serde_json::from_str(r#"{"buckets":[[9,4],[3,6]],"longest":9}"#).unwrap();
        for wrong in [
            ClientLoad { files: u64::MAX, ..part() },
            ClientLoad { files: 1, ..part() },
            ClientLoad { ns: u64::MAX, ..part() },
            ClientLoad { ns: 0, ..part() },
            ClientLoad { late_ns: u64::MAX, ..part() },
            ClientLoad { clients: vec![busy], ..part() },
            ClientLoad { clients: vec![CpuUse { mean: f64::NAN, ..busy }; 2], ..part() },
            ClientLoad { clients: vec![CpuUse { most: -1.0, ..busy }; 2], ..part() },
            ClientLoad { clients: vec![CpuUse { cpu_ns: u64::MAX, ..busy }; 2], ..part() },
            ClientLoad { request: unsound, ..part() },
            ClientLoad { connection: Histogram::default(), ..part() },
        ] {
            assert!(check_load(&wrong, &order()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn check_use_rejects_impossible_values() {
        let busy = part().clients[0];
        let used = ServerUse { workers: busy, pressures: 0, provided: Some(10 << 20) };
        let patience = order().patience;
        assert_eq!(check_use(&used, patience), Ok(()));
        for wrong in [
            ServerUse { workers: CpuUse { mean: f64::INFINITY, ..busy }, ..used },
            ServerUse { workers: CpuUse { waited: -0.1, ..busy }, ..used },
            ServerUse { workers: CpuUse { cpu_ns: u64::MAX, ..busy }, ..used },
            ServerUse { provided: Some(u64::MAX), ..used },
        ] {
            assert!(check_use(&wrong, patience).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn host_description_rejects_another_version() {
        let host = HostDescription {
            kasoku: env!("CARGO_PKG_VERSION").to_owned(),
            boot: "b".to_owned(),
            cores: vec![0],
            open_files: 1024,
            cpu: "c".to_owned(),
        };
        assert_eq!(host.check(), Ok(()));
        let older = HostDescription { kasoku: "0.0.1\u{1b}[2J".to_owned(), ..host.clone() };
        assert!(older.check().unwrap_err().starts_with("has Kasoku 0.0.1\\u{1b}[2J, and this host"));
        assert!(HostDescription { cores: Vec::new(), ..host }.check().is_err());
    }
}
