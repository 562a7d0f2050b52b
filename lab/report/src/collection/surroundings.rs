//! Rankings and histories for a run's page. The caller reads them from a store.

use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::workload::Operation;
use kasoku_store::collection::{History, Libraries, Ranking, RankingQuestion};

/// Maximum number of runs in a history: the newest.
pub const MAX_RUNS: usize = 20;

/// Other machines and earlier runs, for the page of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    pub rankings: Vec<Ranking>,
    pub histories: Vec<History>,
    /// Error from reading the store, if any. Rankings then have published figures only.
    pub unread: Option<String>,
}

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

pub fn followed() -> Vec<RankingQuestion> {
    let algorithms = [Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha256, X25519];
    let with = |algorithm, library: &str| RankingQuestion {
        libraries: Libraries::Only(library.to_owned()),
        ..RankingQuestion::new(algorithm)
    };
    algorithms.into_iter().flat_map(|algorithm| [with(algorithm, OPENSSL), with(algorithm, KASOKU)]).collect()
}
