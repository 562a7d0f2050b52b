//! Rankings of machines and histories of a machine's runs, for commands, pages and the site.

pub(crate) mod history;
pub(crate) mod others;
pub(crate) mod rank;

use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_store::collection::{History, Ranking, RankingQuestion};

use super::selection::operation;
use crate::prelude::*;

pub use history::{history, nothing_in_history};
pub use rank::{nothing_known, rank, runs_left_out, this_machine_is_missing};

/// Maximum width of the name of a source, a library or a device, in columns.
const NAME: usize = 48;

/// Maximum number of runs in a history, which keeps the newest runs.
pub const MAX_RUNS: usize = 20;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    pub rankings: Vec<Ranking>,
    pub histories: Vec<History>,
    /// Error from reading the store, if any. After an error, rankings have published figures only.
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
    let question = |algorithm, library: &str| RankingQuestion {
        library: Some(library.to_owned()),
        ..RankingQuestion::new(algorithm)
    };
    algorithms.into_iter().flat_map(|algorithm| [question(algorithm, OPENSSL), question(algorithm, KASOKU)]).collect()
}

/// Formats the workload of a ranking: `AES-128-GCM seal, 16 KiB`.
fn workload(question: &RankingQuestion) -> Text {
    let task = [Text::from(question.algorithm.title()), operation(question.operation)];
    Text::list(Separator::Comma, [Text::list(Separator::Space, task), size_of(question)])
}

/// Formats the size that a ranking compares; empty if the algorithm has no sizes.
pub(crate) fn size_of(question: &RankingQuestion) -> Text {
    question.has_sizes().then(|| size(question.bytes)).into()
}

/// Formats all criteria of a ranking: `AES-128-GCM seal, 16 KiB, MB/s, openssl, acceleration on`.
fn title(question: &RankingQuestion, unit: Option<&str>) -> Text {
    let library =
        question.library.as_ref().map_or_else(|| say!("collection-any-library"), |name| Text::name(name, NAME));
    Text::list(Separator::Comma, [workload(question), unit.into(), library, state(question)])
}

/// Formats the acceleration state of a ranking: `acceleration on`.
pub(crate) fn state(question: &RankingQuestion) -> Text {
    say!("collection-state", state = question.acceleration.name())
}

fn command(question: &RankingQuestion) -> String {
    let mut command = format!("kasoku run primitives --algorithms {}", question.algorithm);
    if question.has_sizes() {
        command.push_str(&format!(" --sizes {}", question.bytes));
    }
    if let Some(library) = &question.library {
        command.push_str(&format!(" --libraries {}", short(library, NAME)));
    }
    command
}

pub(crate) fn day(started: &str) -> String {
    short(started.split('T').next().unwrap_or_default(), 24)
}

pub(crate) fn device(name: &str) -> Text {
    if name.is_empty() { say!("facts-unnamed") } else { Text::name(name, NAME) }
}

#[cfg(test)]
mod tests;
