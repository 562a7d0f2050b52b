//! Encrypted files: how long they take in each test run, what acceleration saves, how much of the time is copying.

pub mod finding;
mod grid;
mod log;
mod page;
mod published;
mod selection;
mod sentence;

pub use finding::Finding;
pub(crate) use finding::findings;
pub use log::log;
pub(crate) use page::section;
pub(crate) use sentence::headline;

use super::grid::Grid;
use super::language::Messages;
use kasoku_model::document::Document;
use selection::Lines;

/// What the summary on the terminal shows.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Grid> {
    let lines = Lines::new(document);
    grid::overview(&lines, messages).into_iter().collect()
}
