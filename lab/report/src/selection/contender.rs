//! Who took part: a library in one version, and what else tells its series apart.

use crate::language::Messages;
use crate::visible::short;
use crate::way::packet_operation;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::library;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::served::LatencyOf;
use kasoku_model::workload::{Files, Https, NonceForm, PacketOperation, Served, Transfer};

/// The longest name of a library or version that is shown.
const NAME: usize = 40;

/// A library in one version, with what else tells its series apart. With a state it is a line in a chart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Contender {
    /// The place of the library in tables, so that tables keep its order; unknown ones come last.
    place: usize,
    /// The library's name.
    pub(crate) library: String,
    pub(crate) version: String,
    /// More than one thread or key, nonces that are counted, AAD of another length than most have.
    setting: Vec<Condition>,
}

/// Something that tells series of one library apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Condition {
    Threads(u64),
    CountedNonces,
    Keys(usize),
    Aad(usize),
    Flags(String),
    /// Why an imported figure does not stand for the library on its machine.
    Apart(String),
}

/// In which variant of its task something was measured: of packets what is done with them, of files where they are, of
/// a web server how it serves, also of one in a virtual machine, of data from end to end how it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Variant {
    Plain,
    Packet(PacketOperation),
    Files(Files),
    Served(Served),
    Https(Https),
    Transfer(Transfer),
}

impl Variant {
    pub(super) fn of(series: &Series) -> Self {
        let variant = match series.level {
            Level::Packets => {
                let transfer = || series.workload().transfer().map(Variant::Transfer);
                packet_operation(series).map(Variant::Packet).or_else(transfer)
            }
            Level::Files => series.workload().files().map(Variant::Files),
            Level::Tls => series.workload().served().map(Variant::Served),
            Level::Jvm => series.workload().https().map(Variant::Https),
            _ => None,
        };
        variant.unwrap_or(Variant::Plain)
    }

    /// What is unusual in it.
    fn told(self, messages: &Messages) -> Option<String> {
        const USUAL_FILES: Files = Files { storage: Storage::File, cache: Cache::Warm };
        const USUAL_SERVED: Served = Served { workers: 1, latency_of: LatencyOf::Connection };
        match self {
            Variant::Plain | Variant::Files(USUAL_FILES) | Variant::Served(USUAL_SERVED) => None,
            Variant::Packet(way) => Some((messages.packets.way)(way)),
            Variant::Files(files) => Some((messages.files.place)(files).to_owned()),
            Variant::Served(served) => Some((messages.tls.served)(served)),
            // All have as many connections, and tables of their own.
            Variant::Https(_) => None,
            Variant::Transfer(transfer) => Some((messages.transfer.how)(transfer)),
        }
    }
}

impl Contender {
    /// Who made `series`, if most of its kind have the AAD `usual_aad`.
    pub(super) fn of(series: &Series, usual_aad: Option<usize>) -> Self {
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
        // Those of another state bring that state about.
        let flags = series.details.flags.as_deref().filter(|flags| !flags.is_empty());
        let flags = flags.filter(|_| series.acceleration == Acceleration::On);
        setting.extend(flags.map(|flags| Condition::Flags(short(flags, NAME))));
        setting.extend(series.apart().map(|why| Condition::Apart(short(why, NAME))));
        // A packet's AAD is its header.
        let aad = aad(series).filter(|aad| Some(*aad) != usual_aad && packet_operation(series).is_none());
        setting.extend(aad.map(Condition::Aad));
        Contender {
            place: library::place(&series.library),
            library: series.library.clone(),
            version: series.library_version.clone(),
            setting,
        }
    }

    /// Whether it had as many threads and keys, nonces that came about alike, and as much AAD.
    pub(super) fn is_peer_of(&self, other: &Contender) -> bool {
        self.setting == other.setting
    }

    /// Whether it is the same library in the same version.
    pub(crate) fn is_build_of(&self, other: &Contender) -> bool {
        (&self.library, &self.version) == (&other.library, &other.version)
    }

    /// The flags that a virtual machine was started with beside those of its state.
    pub(crate) fn flags(&self) -> Option<&str> {
        self.setting.iter().find_map(|condition| match condition {
            Condition::Flags(flags) => Some(flags.as_str()),
            _ => None,
        })
    }

    /// The name, with the version if `has_version`.
    pub(super) fn label(&self, has_version: bool, variant: Variant, messages: &Messages) -> String {
        let words = &messages.words;
        let condition = |condition: &Condition| match condition {
            Condition::Threads(threads) => (words.threads)(*threads),
            Condition::CountedNonces => words.counted_nonces.to_owned(),
            Condition::Keys(keys) => (words.keys)(*keys),
            Condition::Aad(length) => (words.aad)(&length.to_string()),
            Condition::Flags(text) | Condition::Apart(text) => text.clone(),
        };
        let setting: Vec<String> = self.setting.iter().map(condition).chain(variant.told(messages)).collect();
        join(&self.library, if has_version { &self.version } else { "" }, &setting.join(words.comma))
    }
}

/// A library's name with its version and what else tells it apart.
pub(crate) fn join(library: &str, version: &str, setting: &str) -> String {
    let mut out = short(library, NAME);
    // Libraries that state their own name in the version ("OpenSSL 3.0.19 …") are not named twice.
    let version = strip_name(version, library);
    for part in [version, setting] {
        if !part.is_empty() {
            out.push(' ');
            out.push_str(&short(part, NAME));
        }
    }
    out
}

fn strip_name<'v>(version: &'v str, library: &str) -> &'v str {
    match version.split_at_checked(library.len()) {
        Some((name, rest)) if name.eq_ignore_ascii_case(library) => rest.trim_start(),
        _ => version,
    }
}

/// The length of its AAD, of an AEAD.
pub(super) fn aad(series: &Series) -> Option<usize> {
    series.aad().filter(|_| series.algorithm.kind() == AlgorithmKind::Aead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_not_said_twice() {
        assert_eq!(join("openssl", "OpenSSL 3.0.19", ""), "openssl 3.0.19");
        assert_eq!(join("aws-lc", "1.2", "4 threads"), "aws-lc 1.2 4 threads");
        assert_eq!(join("加速", "0.1", ""), "加速 0.1");
    }
}
