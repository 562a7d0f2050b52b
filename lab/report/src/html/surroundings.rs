//! What stands around a run on its page: other machines, earlier runs of the same one. Whoever can read the store
//! gathers it; the page itself opens none.

use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::document::Document;
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::workload::Operation;
use kasoku_store::collection::{History, Libraries, Ranking, RankingQuestion};

/// The newest runs of a machine that its history shows.
pub const MAX_RUNS: usize = 20;

/// A run with what stands around it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The run.
    pub document: &'a Document,
    /// What stands around it; without it the page has the run alone.
    pub surroundings: Option<&'a Surroundings>,
}

/// What stands around a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// The machines in the order of each of the [`questions`], in their order.
    pub rankings: Vec<Ranking>,
    /// Each of the [`followed`] workloads over the newest [`MAX_RUNS`] runs of the machine.
    pub histories: Vec<History>,
    /// Why other runs could not be read; then what is here are published figures only.
    pub unread: Option<String>,
}

/// The workloads by which the page compares machines: symmetric ciphers, hashes, curves.
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

/// The workloads that the page follows over the runs of a machine.
pub fn followed() -> Vec<RankingQuestion> {
    let algorithms = [Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha256, X25519];
    let with = |algorithm, library: &str| RankingQuestion {
        libraries: Libraries::Only(library.to_owned()),
        ..RankingQuestion::new(algorithm)
    };
    algorithms.into_iter().flat_map(|algorithm| [with(algorithm, OPENSSL), with(algorithm, KASOKU)]).collect()
}
