//! Conditions and observations of a series that only its kind of experiment has.

use serde::{Deserialize, Serialize};

use super::Series;
use crate::algorithm::AlgorithmKind;
use crate::openssl_speed::AeadRow;
use crate::workload::files::Form;
use crate::workload::served::Bottleneck;
use crate::workload::{Files, Https, NonceForm, Packets, Served, Setting, Transfer, Workload};

/// Conditions and observations of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// Number of threads that work at once.
    #[serde(default = "one")]
    pub threads: u64,
    /// Whether the series repeats another one of its run, to measure the noise floor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub control: bool,
    /// Number of times a worker died during the measurement and was replaced.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub restarts: u64,
    /// Version of the JDK.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jdk: Option<String>,
    /// Flags of the Java virtual machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// The kind of experiment.
    #[serde(flatten)]
    pub experiment: Experiment,
}

/// Details by kind of experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "experiment", rename_all = "lowercase")]
pub enum Experiment {
    /// Messages in memory.
    Memory(MemoryDetails),
    /// QUIC packets or TLS records in memory.
    Packets(Packets),
    /// Whole files.
    Files(FileDetails),
    /// An nginx web server.
    Server(ServerDetails),
    /// An HTTPS server in a Java virtual machine.
    Https(HttpsDetails),
    /// Data from one process to another.
    Transfer(TransferDetails),
    /// Figures that another program or a publication states.
    Quoted(QuotedDetails),
}

/// Messages in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryDetails {
    /// How nonces are made; `None` unless the algorithm is an AEAD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonces: Option<NonceForm>,
    /// Number of keys used in turn, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<usize>,
    /// Bytes of AAD; `None` unless the algorithm is an AEAD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aad: Option<usize>,
    /// Bytes that an operation allocates for a garbage collector, where that was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_bytes: Option<u64>,
    /// Whether the library measured by its own clock.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_own_clock: bool,
}

/// Whole files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileDetails {
    /// Where the files are.
    #[serde(flatten)]
    pub files: Files,
    /// Layout of the encrypted form.
    pub form: Option<Form>,
    /// Bytes read, converted and written at a time; `None` where the library chooses.
    pub buffer: Option<usize>,
}

/// An nginx web server and its clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerDetails {
    /// Workers and latency limit.
    #[serde(flatten)]
    pub served: Served,
    /// Longest latency allowed, in seconds.
    pub max_latency_s: Option<f64>,
    /// Number of connections at once.
    pub concurrency: Option<usize>,
    /// Whether a search found the number of connections.
    pub searched: bool,
    /// Number of hosts that put load on the server; 0 if unknown.
    pub hosts: usize,
    /// Name and version of the server.
    pub server: Option<String>,
    /// Whether the server is on another host than the program that measures.
    pub elsewhere: bool,
    /// CPU of the server's host, if that is another host.
    pub server_machine: Option<String>,
    /// Number of cores of the server.
    pub server_cores: Option<usize>,
    /// Number of server cores that have a worker.
    pub working_cores: Option<usize>,
    /// Number of cores of the clients.
    pub client_cores: Option<usize>,
    /// Whether server and clients share cores.
    pub shares_cores: bool,
    /// What kept the server from sending more.
    pub bottleneck: Option<Bottleneck>,
    /// Measured load.
    #[serde(flatten)]
    pub load: ServerLoad,
}

/// Latencies, CPU use and costs of a web server and its clients over all steps that count. Times are in seconds, CPU
/// use is a share of the cores from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerLoad {
    /// Longest latency of the kind that is limited.
    pub worst_latency_s: Option<f64>,
    /// Median time until a connection gets its first byte.
    pub connection_p50_s: Option<f64>,
    /// 99th percentile of that time.
    pub connection_p99_s: Option<f64>,
    /// Longest of these times.
    pub worst_connection_s: Option<f64>,
    /// Median time of a whole request.
    pub request_p50_s: Option<f64>,
    /// 99th percentile of that time.
    pub request_p99_s: Option<f64>,
    /// Longest of these times.
    pub worst_request_s: Option<f64>,
    /// CPU use of the server.
    pub server_cpu: Option<f64>,
    /// Highest CPU use of the server in a second.
    pub server_cpu_max: Option<f64>,
    /// Share of the time that the server was ready to run and waited for a core.
    pub server_waited: Option<f64>,
    /// CPU use of the busiest client.
    pub client_cpu: Option<f64>,
    /// Highest CPU use of a client in a second.
    pub client_cpu_max: Option<f64>,
    /// CPU seconds of the server for 10⁹ bytes.
    pub server_cpu_s_per_gb: Option<f64>,
    /// CPU seconds of the clients for 10⁹ bytes.
    pub client_cpu_s_per_gb: Option<f64>,
    /// Seconds between the first and the last host's start.
    pub start_skew_s: Option<f64>,
    /// Share of the bytes that the OpenSSL provider encrypted.
    pub provider_share: Option<f64>,
}

/// An HTTPS server in a Java virtual machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HttpsDetails {
    /// Number of connections.
    #[serde(flatten)]
    pub https: Https,
    /// Name and version of the server.
    pub server: Option<String>,
    /// The JCA provider's name for the cipher.
    pub cipher: Option<String>,
    /// Number of cores of the server.
    pub server_cores: Option<usize>,
    /// Whether server and client share cores.
    pub shares_cores: bool,
    /// Measured load.
    #[serde(flatten)]
    pub load: ServerLoad,
}

/// Data from one process to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransferDetails {
    /// Transport and protection.
    #[serde(flatten)]
    pub transfer: Transfer,
    /// Names and versions of the libraries that move the data.
    pub through: Option<String>,
    /// Whether sender and receiver share a core.
    pub shares_cores: bool,
    /// CPU seconds of the sender for 10⁹ bytes.
    pub sender_cpu_s_per_gb: Option<f64>,
    /// CPU seconds of the receiver for 10⁹ bytes.
    pub receiver_cpu_s_per_gb: Option<f64>,
    /// Share of the sender's CPU time in the kernel, from 0 to 1.
    pub sender_kernel: Option<f64>,
    /// Share of the receiver's CPU time in the kernel, from 0 to 1.
    pub receiver_kernel: Option<f64>,
    /// Packets sent in a second.
    pub packets_per_s: Option<f64>,
    /// Packets sent in one system call.
    pub packets_per_call: Option<f64>,
    /// Packets sent.
    pub packets: Option<u64>,
    /// Packets that the sender took for lost.
    pub lost: Option<u64>,
}

/// Figures that another program or a publication states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuotedDetails {
    /// Bytes of AAD, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aad: Option<usize>,
    /// What a figure of an AEAD measures, where the version of OpenSSL does not say so: a figure of `openssl speed
    /// -aead`, or one that is older than the change and states no version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aead_row: Option<AeadRow>,
    /// Whether the cipher's own function was called, and not EVP.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_low_level: bool,
    /// The CPU core, where a board has several kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<String>,
    /// The engine, provider, option or slower core because of which the figure does not stand for the library on this
    /// machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<String>,
}

/// A condition of a measurement, by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// Name of the condition, as in documents.
    pub name: &'static str,
    /// Value in this series.
    pub value: String,
    /// Value where a series does not state the condition; `None` if that is unknown.
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
    /// Details of a series of `workload` before it is measured.
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
    /// The workload.
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

    /// Details of a series of messages in memory.
    pub fn memory(&self) -> Option<&MemoryDetails> {
        if let Experiment::Memory(details) = &self.details.experiment { Some(details) } else { None }
    }

    /// Details of a series of an nginx web server.
    pub fn server(&self) -> Option<&ServerDetails> {
        if let Experiment::Server(details) = &self.details.experiment { Some(details) } else { None }
    }

    /// Details of a series of an HTTPS server in a Java virtual machine.
    pub fn https_server(&self) -> Option<&HttpsDetails> {
        if let Experiment::Https(details) = &self.details.experiment { Some(details) } else { None }
    }

    /// Details of a series of data from one process to another.
    pub fn transfer(&self) -> Option<&TransferDetails> {
        if let Experiment::Transfer(details) = &self.details.experiment { Some(details) } else { None }
    }

    /// Details of a figure from elsewhere.
    pub fn quoted(&self) -> Option<&QuotedDetails> {
        if let Experiment::Quoted(details) = &self.details.experiment { Some(details) } else { None }
    }

    /// Bytes of AAD, where they are known.
    pub fn aad(&self) -> Option<usize> {
        match &self.details.experiment {
            Experiment::Memory(details) => details.aad,
            Experiment::Packets(packets) => Some(packets.header_bytes()),
            Experiment::Quoted(details) => details.aad,
            _ => None,
        }
    }

    /// Reason why an imported figure does not stand for the library on its machine, if there is one.
    pub fn apart(&self) -> Option<&str> {
        self.quoted()?.apart.as_deref()
    }

    /// Returns the conditions under which the series was measured, beside its workload's operation, algorithm and size.
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
                // A number of connections that a search found is a result.
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
    /// Maximum number of characters of a value, which may come from a hostile document.
    const MAX: usize = 200;
    Condition { name, value: value.to_string().chars().take(MAX).collect(), usual: None }
}

fn usually(name: &'static str, value: impl std::fmt::Display, usual: &'static str) -> Condition {
    Condition { usual: Some(usual), ..stated(name, value) }
}

fn one() -> u64 {
    1
}
