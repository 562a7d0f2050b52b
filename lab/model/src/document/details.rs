//! Conditions and observations of a series, for each kind of experiment.

use serde::{Deserialize, Serialize};

use super::Series;
use crate::algorithm::AlgorithmKind;
use crate::openssl_speed::AeadRow;
use crate::workload::files::Form;
use crate::workload::served::Bottleneck;
use crate::workload::{Files, Https, NonceForm, Packets, Served, Setting, Transfer, Workload};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Details {
    #[serde(default = "one")]
    pub threads: u64,
    /// Whether the series repeats another one of its run, in order to measure the noise floor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub control: bool,
    /// Number of times a worker died during the measurement and was replaced.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub restarts: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jdk: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    #[serde(flatten)]
    pub experiment: Experiment,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "experiment", rename_all = "lowercase")]
pub enum Experiment {
    Memory(MemoryDetails),
    Packets(Packets),
    Files(FileDetails),
    /// An nginx web server.
    Server(ServerDetails),
    /// An HTTPS server in a Java virtual machine.
    Https(HttpsDetails),
    Transfer(TransferDetails),
    /// A figure from another program's output or from a publication.
    Quoted(QuotedDetails),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryDetails {
    /// Source of the nonces; `None` unless the algorithm is an AEAD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonces: Option<NonceForm>,
    /// Number of keys that the operations use in turn; `None` for a single key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<usize>,
    /// Number of bytes of AAD; `None` unless the algorithm is an AEAD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aad: Option<usize>,
    /// Bytes of garbage-collected memory that an operation allocates; `None` if they are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_bytes: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_own_clock: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileDetails {
    #[serde(flatten)]
    pub files: Files,
    pub form: Option<Form>,
    /// Number of bytes read, converted and written at a time; `None` if the library chooses it.
    pub buffer: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerDetails {
    #[serde(flatten)]
    pub served: Served,
    pub max_latency_s: Option<f64>,
    pub concurrency: Option<usize>,
    pub searched: bool,
    /// Number of hosts that put load on the server; 0 if unknown.
    pub hosts: usize,
    pub server: Option<String>,
    /// Whether the server runs on another host.
    pub elsewhere: bool,
    pub server_machine: Option<String>,
    pub server_cores: Option<usize>,
    pub working_cores: Option<usize>,
    pub client_cores: Option<usize>,
    pub shares_cores: bool,
    pub bottleneck: Option<Bottleneck>,
    #[serde(flatten)]
    pub load: ServerLoad,
}

/// Load of a web server and its clients. Times are in seconds. CPU use is a share of the cores, from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerLoad {
    /// Longest latency of the kind that `latency_of` limits.
    pub worst_latency_s: Option<f64>,
    /// Median latency from the start of a connection to its first received byte.
    pub connection_p50_s: Option<f64>,
    /// 99th percentile of the latency to the first received byte.
    pub connection_p99_s: Option<f64>,
    /// Longest latency to the first received byte.
    pub worst_connection_s: Option<f64>,
    pub request_p50_s: Option<f64>,
    /// 99th percentile of the duration of a whole request.
    pub request_p99_s: Option<f64>,
    /// Longest duration of a whole request.
    pub worst_request_s: Option<f64>,
    pub server_cpu: Option<f64>,
    pub server_cpu_max: Option<f64>,
    /// Share of the time for which the server was ready to run but waited for a core.
    pub server_waited: Option<f64>,
    pub client_cpu: Option<f64>,
    /// Highest CPU use of a client in a second.
    pub client_cpu_max: Option<f64>,
    pub server_cpu_s_per_gb: Option<f64>,
    pub client_cpu_s_per_gb: Option<f64>,
    /// CPU seconds of the server for a handshake, and for the empty file that follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_cpu_s_per_handshake: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_cpu_s_per_handshake: Option<f64>,
    /// Seconds between the start on the first and on the last host.
    pub start_skew_s: Option<f64>,
    /// Share of the sent bytes that the OpenSSL provider encrypted.
    pub provider_share: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HttpsDetails {
    #[serde(flatten)]
    pub https: Https,
    pub server: Option<String>,
    pub cipher: Option<String>,
    pub server_cores: Option<usize>,
    pub shares_cores: bool,
    #[serde(flatten)]
    pub load: ServerLoad,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransferDetails {
    #[serde(flatten)]
    pub transfer: Transfer,
    pub through: Option<String>,
    pub shares_cores: bool,
    pub sender_cpu_s_per_gb: Option<f64>,
    pub receiver_cpu_s_per_gb: Option<f64>,
    /// Share of the sender's CPU time that it spent in the kernel, from 0 to 1.
    pub sender_kernel: Option<f64>,
    /// Share of the receiver's CPU time that it spent in the kernel, from 0 to 1.
    pub receiver_kernel: Option<f64>,
    pub packets_per_s: Option<f64>,
    pub packets_per_call: Option<f64>,
    pub packets: Option<u64>,
    /// Number of packets that the sender declared lost.
    pub lost: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuotedDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aad: Option<usize>,
    /// Operation that the figure of an AEAD measures, if the OpenSSL version does not determine it. This is so for
    /// `openssl speed -aead`, and for old figures without a version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aead_row: Option<AeadRow>,
    /// Whether `openssl speed` called the cipher's own function instead of EVP.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_low_level: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<String>,
    /// Engine, provider, option or slower core that keeps the figure from representing the library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<String>,
}

/// Text between the version of Kasoku's provider and that of the OpenSSL under it, in the version of a web server's
/// series.
pub const WITH_OPENSSL: &str = " with OpenSSL ";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    pub name: &'static str,
    pub value: String,
    /// Value that holds for series that do not state the condition; `None` if such a value is unknown.
    pub usual: Option<&'static str>,
}

impl Default for Details {
    fn default() -> Details {
        Details {
            threads: 1,
            control: false,
            restarts: 0,
            jdk: None,
            flags: None,
            experiment: Experiment::Memory(MemoryDetails::default()),
        }
    }
}

impl From<&Workload> for Experiment {
    /// Returns the initial details for a series of `workload` before its measurement.
    fn from(workload: &Workload) -> Experiment {
        match workload.setting {
            Setting::Memory => {
                let is_aead = workload.algorithm.kind() == AlgorithmKind::Aead;
                Experiment::Memory(MemoryDetails {
                    nonces: is_aead.then_some(workload.nonces),
                    keys: Some(workload.keys).filter(|keys| *keys > 1),
                    ..MemoryDetails::default()
                })
            }
            Setting::Packets(packets) => Experiment::Packets(packets),
            Setting::Files(files) => Experiment::Files(FileDetails { files, ..FileDetails::default() }),
            Setting::Served(served) => Experiment::Server(ServerDetails { served, ..ServerDetails::default() }),
            Setting::Https(https) => Experiment::Https(HttpsDetails { https, ..HttpsDetails::default() }),
            Setting::Transfer(transfer) => {
                Experiment::Transfer(TransferDetails { transfer, ..TransferDetails::default() })
            }
        }
    }
}

impl Series {
    pub fn workload(&self) -> Workload {
        let (mut nonces, mut keys) = (NonceForm::Ahead, 1);
        let setting = match &self.details.experiment {
            Experiment::Memory(memory) => {
                (nonces, keys) = (memory.nonces.unwrap_or_default(), memory.keys.unwrap_or(1));
                Setting::Memory
            }
            Experiment::Quoted(_) => Setting::Memory,
            Experiment::Packets(packets) => Setting::Packets(*packets),
            Experiment::Files(details) => Setting::Files(details.files),
            Experiment::Server(details) => Setting::Served(details.served),
            Experiment::Https(details) => Setting::Https(details.https),
            Experiment::Transfer(details) => Setting::Transfer(details.transfer),
        };
        Workload { operation: self.operation, algorithm: self.algorithm, bytes: self.bytes, nonces, keys, setting }
    }

    pub fn memory(&self) -> Option<&MemoryDetails> {
        if let Experiment::Memory(details) = &self.details.experiment { Some(details) } else { None }
    }

    pub fn server(&self) -> Option<&ServerDetails> {
        if let Experiment::Server(details) = &self.details.experiment { Some(details) } else { None }
    }

    /// Returns the version of the OpenSSL that nginx ran with: the library's own, or the one under Kasoku's provider.
    pub fn server_openssl(&self) -> &str {
        let version = self.library_version.as_str();
        version.rsplit_once(WITH_OPENSSL).map_or(version, |(_, openssl)| openssl)
    }

    pub fn https_server(&self) -> Option<&HttpsDetails> {
        if let Experiment::Https(details) = &self.details.experiment { Some(details) } else { None }
    }

    pub fn transfer(&self) -> Option<&TransferDetails> {
        if let Experiment::Transfer(details) = &self.details.experiment { Some(details) } else { None }
    }

    pub fn quoted(&self) -> Option<&QuotedDetails> {
        if let Experiment::Quoted(details) = &self.details.experiment { Some(details) } else { None }
    }

    pub fn aad(&self) -> Option<usize> {
        match &self.details.experiment {
            Experiment::Memory(details) => details.aad,
            Experiment::Packets(packets) => Some(packets.header_bytes()),
            Experiment::Quoted(details) => details.aad,
            _ => None,
        }
    }

    /// Returns why a quoted figure does not represent the library on its machine; `None` if it does.
    pub fn apart(&self) -> Option<&str> {
        self.quoted()?.apart.as_deref()
    }

    /// Returns the conditions of the measurement other than operation, algorithm and size.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut all = vec![usually("threads", self.details.threads, "1")];
        all.extend(self.details.flags.as_ref().map(|flags| stated("flags", flags)));
        all.extend(self.aad().map(|aad| stated("aad", aad)));
        match &self.details.experiment {
            Experiment::Memory(details) => {
                all.push(usually("nonces", details.nonces.unwrap_or_default(), "ahead"));
                all.push(usually("keys", details.keys.unwrap_or(1), "1"));
            }
            Experiment::Packets(Packets { batch, looped, setup, record }) => all.extend([
                stated("batch", batch),
                stated("setup", setup),
                usually("loop", looped, "false"),
                usually("record", record, "false"),
            ]),
            Experiment::Files(FileDetails { files, form, .. }) => {
                all.extend([stated("storage", files.storage), usually("cache", files.cache, "warm")]);
                all.extend(form.map(|form| stated("form", form.name())));
            }
            Experiment::Server(details) => {
                all.extend([
                    stated("workers", details.served.workers),
                    usually("latency_of", details.served.latency_of, "connection"),
                    stated("hosts", details.hosts),
                    usually("shares_cores", details.shares_cores, "false"),
                ]);
                // A number of connections that a search found is a result, not a condition.
                all.extend(details.concurrency.filter(|_| !details.searched).map(|it| stated("concurrency", it)));
            }
            Experiment::Https(details) => all.extend([
                stated("connections", details.https.connections),
                usually("shares_cores", details.shares_cores, "false"),
            ]),
            Experiment::Transfer(TransferDetails { transfer, shares_cores, .. }) => all.extend([
                stated("transport", transfer.transport),
                stated("protection", transfer.protection),
                usually("shares_cores", shares_cores, "false"),
            ]),
            Experiment::Quoted(details) => {
                all.push(usually("apart", details.apart.as_deref().unwrap_or_default(), ""));
            }
        }
        all
    }
}

fn stated(name: &'static str, value: impl std::fmt::Display) -> Condition {
    /// Maximum number of characters of a condition's value, which may come from a hostile document.
    const MAX: usize = 200;
    Condition { name, value: value.to_string().chars().take(MAX).collect(), usual: None }
}

fn usually(name: &'static str, value: impl std::fmt::Display, usual: &'static str) -> Condition {
    Condition { usual: Some(usual), ..stated(name, value) }
}

fn one() -> u64 {
    1
}
