//! Rankings of machines and histories of a machine's runs, for commands, pages and the site.

pub(crate) mod history;
pub(crate) mod others;
pub(crate) mod rank;
mod surroundings;

use kasoku_store::collection::{Libraries, RankingQuestion};

use super::quantity::size;
use super::selection::operation;
use super::text::{Separator, Text, say, short};

pub use history::{history, nothing_in_history};
pub use rank::{nothing_known, rank, runs_left_out, this_machine_is_missing};
pub use surroundings::{MAX_RUNS, Surroundings, followed, questions};

/// Maximum width of the name of a source, a library or a device, in columns.
const NAME: usize = 48;

/// Formats a workload: `AES-128-GCM seal, 16 KiB`.
fn workload(question: &RankingQuestion) -> Text {
    let task = [Text::from(question.algorithm.title()), operation(question.operation)];
    Text::list(Separator::Comma, [Text::list(Separator::Space, task), size_of(question)])
}

/// Formats the size; empty if the algorithm has no sizes.
pub(crate) fn size_of(question: &RankingQuestion) -> Text {
    question.has_sizes().then(|| size(question.bytes)).into()
}

/// Formats a whole question: `AES-128-GCM seal, 16 KiB, MB/s, openssl, acceleration on`.
fn title(question: &RankingQuestion, unit: Option<&str>) -> Text {
    let library = match &question.libraries {
        Libraries::Only(library) => Text::name(library, NAME),
        Libraries::Any => say!("collection-any-library"),
    };
    let state = state(question);
    Text::list(Separator::Comma, [workload(question), unit.into(), library, state])
}

/// Formats the acceleration state: `acceleration on`.
pub(crate) fn state(question: &RankingQuestion) -> Text {
    say!("collection-state", state = question.acceleration.name())
}

fn command(question: &RankingQuestion) -> String {
    let mut command = format!("kasoku run primitives --algorithms {}", question.algorithm);
    if question.has_sizes() {
        command.push_str(&format!(" --sizes {}", question.bytes));
    }
    if let Libraries::Only(library) = &question.libraries {
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
