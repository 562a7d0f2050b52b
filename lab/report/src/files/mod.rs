//! Encrypted files: how long they take in each test run, what acceleration saves, how much of the time is copying.

pub mod finding;
mod log;
mod page;
mod selection;
mod sentence;
mod tables;

pub use finding::FileFinding;
pub(crate) use finding::findings;
pub use log::log;
pub(crate) use page::section;
pub(crate) use sentence::headline;

use super::language::Messages;
use super::table::Table;
use kasoku_model::document::Document;
use selection::FileSelection;

/// What the summary on the terminal shows.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let lines = FileSelection::new(document, messages);
    tables::overview(&lines, messages).into_iter().collect()
}
