//! A TLS web server: its throughput by file size, suite, provider and number of workers, and what it cost.

pub mod finding;
mod page;
mod selection;
mod sentence;
mod tables;

pub use finding::TlsFinding;
pub(crate) use finding::findings;
pub(crate) use page::section;

use super::language::Messages;
use super::table::Table;
use kasoku_model::document::Document;
use selection::ServerSelection;

/// What the summary on the terminal shows.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let rows = ServerSelection::new(document, messages);
    [tables::overview(&rows), tables::ratios(&rows)].into_iter().flatten().collect()
}
