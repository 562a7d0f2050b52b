//! Contenders: a library in one version and setting.

use super::SeriesKey;
use crate::prelude::*;
use kasoku_model::library;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::packets::{PacketOperation, PacketWork, Packets};
use kasoku_model::workload::served::LatencyOf;
use kasoku_model::workload::{Files, NonceForm, Served, Setting, Transfer};

/// Maximum width of the name of a library or version, in columns.
const NAME: usize = 40;

/// File access of the published measurement: on a file system, in the page cache.
pub(crate) const USUAL_FILES: Files = Files { storage: Storage::File, cache: Cache::Warm };

/// A library in one version and setting. A contender in one acceleration state is a line in a chart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Contender {
    /// Position of the library in tables; unknown libraries come last.
    place: usize,
    pub(crate) library: String,
    pub(crate) version: String,
    setting: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Condition {
    Threads(u64),
    CountedNonces,
    Keys(usize),
    Aad(usize),
    Flags(String),
    /// Reason why an imported figure does not represent the library on its machine.
    Apart(String),
}

/// Describes the setting of a series if it is unusual; otherwise empty.
pub(super) fn condition(key: SeriesKey) -> Text {
    const USUAL_SERVED: Served = Served { workers: 1, latency_of: LatencyOf::Connection, connections: None };
    match key.setting {
        Setting::Packets(_) => key.packet_operation().map(packet_operation_name).into(),
        Setting::Files(files) if files != USUAL_FILES => {
            say!("files-place", storage = files.storage.name(), cache = files.cache.name())
        }
        Setting::Served(served) if served != USUAL_SERVED => {
            let how = say!("tls-served", workers = served.workers, latency_of = served.latency_of.name());
            let at_once = served.connections.map(|connections| say!("tls-at-once", connections = connections));
            Text::list(Separator::Comma, [Some(how), at_once])
        }
        Setting::Transfer(Transfer { transport, protection }) => {
            say!("transfer-how", transport = transport.name(), protection = protection.name())
        }
        // HTTPS servers have one setting, and tables of their own.
        Setting::Memory | Setting::Files(_) | Setting::Served(_) | Setting::Https(_) => Text::EMPTY,
    }
}

/// Names an operation on packets, without the direction (sending or receiving).
pub(crate) fn packet_operation_name(operation: PacketOperation) -> Text {
    let work = match operation.work() {
        PacketWork::Cipher => "cipher",
        PacketWork::Aead => "aead",
        PacketWork::Packet => "packet",
        PacketWork::Record => "record",
    };
    let Packets { batch, looped, .. } = operation.packets;
    say!("packets-way", work = work, batch = batch, looped = looped)
}

impl Contender {
    /// Creates the contender of `series`. AAD whose length differs from `usual_aad` is an unusual setting.
    pub(super) fn new(series: &Series, usual_aad: Option<usize>) -> Self {
        let mut setting = Vec::new();
        if series.details.threads != 1 {
            setting.push(Condition::Threads(series.details.threads));
        }
        let workload = series.workload();
        if workload.nonces != NonceForm::Ahead {
            setting.push(Condition::CountedNonces);
        }
        if workload.keys > 1 {
            setting.push(Condition::Keys(workload.keys));
        }
        // Flags in other states set these states.
        let flags = series.details.flags.as_deref().filter(|flags| !flags.is_empty());
        let flags = flags.filter(|_| series.acceleration == Acceleration::On);
        setting.extend(flags.map(|flags| Condition::Flags(short(flags, NAME))));
        setting.extend(series.apart().map(|why| Condition::Apart(short(why, NAME))));
        // A packet's AAD is its header.
        let aad = aad(series).filter(|aad| Some(*aad) != usual_aad && workload.packets().is_none());
        setting.extend(aad.map(Condition::Aad));
        Contender {
            place: library::place(&series.library),
            library: series.library.clone(),
            version: series.library_version.clone(),
            setting,
        }
    }

    pub(super) fn is_peer_of(&self, other: &Contender) -> bool {
        self.setting == other.setting
    }

    pub(crate) fn is_build_of(&self, other: &Contender) -> bool {
        (&self.library, &self.version) == (&other.library, &other.version)
    }

    /// Returns the flags of a virtual machine. Omits the flags that set its acceleration state.
    pub(crate) fn flags(&self) -> Option<&str> {
        self.setting.iter().find_map(|condition| match condition {
            Condition::Flags(flags) => Some(flags.as_str()),
            _ => None,
        })
    }

    /// Returns the name with its settings and `unusual`. Adds the version if `has_version`.
    pub(super) fn label(&self, has_version: bool, unusual: Text) -> Text {
        let condition = |condition: &Condition| match condition {
            Condition::Threads(threads) => say!("words-threads", threads = *threads),
            Condition::CountedNonces => say!("words-counted-nonces"),
            Condition::Keys(keys) => say!("words-keys", keys = *keys),
            Condition::Aad(length) => say!("words-aad", length = length.to_string()),
            Condition::Flags(text) | Condition::Apart(text) => text.into(),
        };
        let conditions = self.setting.iter().map(condition).chain([unusual]);
        let name = join(&self.library, if has_version { &self.version } else { "" });
        Text::list(Separator::Space, [Text::from(name), Text::list(Separator::Comma, conditions).cut(NAME)])
    }
}

pub(crate) fn join(library: &str, version: &str) -> String {
    // Versions that begin with the library's name ("OpenSSL 3.0.19 …") do not repeat it.
    match strip_name(version, library) {
        "" => short(library, NAME),
        version => format!("{} {}", short(library, NAME), short(version, NAME)),
    }
}

fn strip_name<'v>(version: &'v str, library: &str) -> &'v str {
    match version.split_at_checked(library.len()) {
        Some((name, rest)) if name.eq_ignore_ascii_case(library) => rest.trim_start(),
        _ => version,
    }
}

pub(super) fn aad(series: &Series) -> Option<usize> {
    series.aad().filter(|_| series.algorithm.kind() == AlgorithmKind::Aead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_does_not_repeat_the_library_name() {
        assert_eq!(join("openssl", "OpenSSL 3.0.19"), "openssl 3.0.19");
        assert_eq!(join("aws-lc", ""), "aws-lc");
        assert_eq!(join("加速", "0.1"), "加速 0.1");
    }
}
