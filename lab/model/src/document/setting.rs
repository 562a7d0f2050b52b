//! The workload of a series: how it is written into its parameters, and how it is read out of them.

use std::str::FromStr;

use serde_json::{Map, Value, json};

use super::Series;
use crate::algorithm::AlgorithmKind;
use crate::workload::{Files, Https, Operation, Packets, Served, Setting, Transfer, Workload};

/// The parameter that says which kind of experiment it was; absent in imported figures.
const EXPERIMENT: &str = "experiment";

impl Series {
    /// The workload.
    pub fn workload(&self) -> Workload {
        Workload {
            operation: self.operation,
            algorithm: self.algorithm,
            bytes: self.bytes,
            nonces: self.parsed("nonces").unwrap_or_default(),
            keys: self.count("keys").unwrap_or(1),
            setting: self.setting().unwrap_or_default(),
        }
    }

    /// What its workload is done to; `None` if it does not say so, or what it says is not known here.
    fn setting(&self) -> Option<Setting> {
        let experiment = match (self.parameters.get(EXPERIMENT).and_then(Value::as_str), self.operation) {
            (Some(experiment), _) => experiment,
            (None, Operation::Serve) => "server",
            (None, Operation::Transfer) => "transfer",
            (None, _) if self.parameters.contains_key("batch") => "packets",
            (None, _) => "files",
        };
        let flag = |name: &str| self.parameters.get(name).and_then(Value::as_bool);
        Some(match experiment {
            "packets" => Setting::Packets(Packets {
                batch: self.count("batch")?,
                looped: flag("loop").unwrap_or(false),
                setup: flag("setup").unwrap_or(true),
                record: flag("record").unwrap_or(false),
            }),
            "files" => Setting::Files(Files {
                storage: self.parsed("storage")?,
                cache: self.parsed("cache").unwrap_or_default(),
            }),
            "server" => Setting::Served(Served {
                workers: self.count("workers")?,
                latency_of: self.parsed("latency_of").unwrap_or_default(),
            }),
            "https" => Setting::Https(Https { connections: self.count("connections")? }),
            "transfer" => Setting::Transfer(Transfer {
                transport: self.parsed("transport")?,
                protection: self.parsed("protection").unwrap_or_default(),
            }),
            _ => return None,
        })
    }

    /// Where its files are, if it is of the level `files`.
    pub fn files(&self) -> Option<Files> {
        self.workload().files()
    }

    /// How a web server sent its files, if it is of the level `tls`.
    pub fn served(&self) -> Option<Served> {
        self.workload().served()
    }

    /// How a server in a virtual machine sent its files, if one did.
    pub fn https(&self) -> Option<Https> {
        self.workload().https()
    }

    /// How its data went from end to end, if it did.
    pub fn transfer(&self) -> Option<Transfer> {
        self.workload().transfer()
    }

    fn parsed<T: FromStr>(&self, name: &str) -> Option<T> {
        self.parameters.get(name)?.as_str()?.parse().ok()
    }

    fn count(&self, name: &str) -> Option<usize> {
        usize::try_from(self.parameters.get(name)?.as_u64()?).ok()
    }
}

/// The parameters of a series of `workload`, as far as they follow from it.
pub(super) fn parameters(workload: &Workload) -> Map<String, Value> {
    let Workload { operation, algorithm, nonces, keys, setting, .. } = *workload;
    let (experiment, own) = match setting {
        Setting::Memory => ("memory", json!({})),
        Setting::Packets(Packets { batch, looped, setup, record }) => (
            "packets",
            json!({
                "batch": batch,
                "loop": looped.then_some(true),
                "setup": setup,
                "header_protection": operation.has_header_protection(),
                "record": record.then_some(true),
            }),
        ),
        Setting::Files(Files { storage, cache }) => {
            ("files", json!({"storage": storage.name(), "cache": cache.name()}))
        }
        Setting::Served(Served { workers, latency_of }) => {
            ("server", json!({"workers": workers, "latency_of": latency_of.name()}))
        }
        Setting::Https(Https { connections }) => ("https", json!({"connections": connections})),
        Setting::Transfer(Transfer { transport, protection }) => {
            ("transfer", json!({"transport": transport.name(), "protection": protection.name()}))
        }
    };
    let mut parameters = if let Value::Object(own) = own { own } else { Map::new() };
    if algorithm.kind() == AlgorithmKind::Aead && matches!(setting, Setting::Memory | Setting::Packets(_)) {
        parameters.insert("nonces".to_owned(), nonces.name().into());
        parameters.insert("keys".to_owned(), (keys > 1).then_some(keys).into());
    }
    parameters.insert(EXPERIMENT.to_owned(), experiment.into());
    parameters.retain(|_, value| !value.is_null());
    parameters
}
