//! Rankings and histories that a run's page shows. The caller reads them from a store, which the page does not open.

use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::workload::Operation;
use kasoku_store::collection::{History, Libraries, Ranking, RankingQuestion};

/// Maximum number of runs that a machine's history shows: the newest.
pub const MAX_RUNS: usize = 20;

/// Other machines and earlier runs, for the page of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// Ranking of machines for each of the [`questions`].
    pub rankings: Vec<Ranking>,
    /// History of each of the [`followed`] workloads over the newest [`MAX_RUNS`] runs of the machine.
    pub histories: Vec<History>,
    /// Error from reading the other runs, if any. Rankings then contain published figures only.
    pub unread: Option<String>,
}

/// Returns the workloads by which the page compares machines: symmetric ciphers, hashes, curves.
pub fn questions() -> Vec<RankingQuestion> {
    const BULK: [Algorithm; 10] =
        [Aes128Cbc, Aes256Cbc, Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha1, Sha256, Sha512, Blake2s256, Blake2b512];
    let curves = [
        (X25519, Operation::Derive),
        (X448, Operation::Derive),
        (Ed25519, Operation::Sign),
        (Ed25519, Operation::Verify),
        (Ed448, Operation::Sign),
        (Ed448, Operation::Verify),
    ];
    let of_curves =
        curves.map(|(algorithm, operation)| RankingQuestion { operation, ..RankingQuestion::new(algorithm) });
    BULK.into_iter().map(RankingQuestion::new).chain(of_curves).collect()
}

/// Returns the workloads that the page follows over the runs of a machine.
pub fn followed() -> Vec<RankingQuestion> {
    let algorithms = [Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha256, X25519];
    let with = |algorithm, library: &str| RankingQuestion {
        libraries: Libraries::Only(library.to_owned()),
        ..RankingQuestion::new(algorithm)
    };
    algorithms.into_iter().flat_map(|algorithm| [with(algorithm, OPENSSL), with(algorithm, KASOKU)]).collect()
}
