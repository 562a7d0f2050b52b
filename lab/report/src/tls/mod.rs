//! A TLS web server: its throughput by file size, suite, provider and number of workers, and what it cost.

pub mod finding;
mod grid;
mod page;
mod published;
mod selection;
mod sentence;

pub use finding::Finding;
pub(crate) use finding::findings;
pub(crate) use page::section;

use super::grid::Grid;
use super::language::Messages;
use kasoku_model::document::Document;
use selection::Rows;

/// What the summary on the terminal shows.
pub(crate) fn summary(document: &Document, messages: &'static Messages) -> Vec<Grid> {
    let rows = Rows::new(document);
    [grid::overview(&rows, messages), grid::ratios(&rows, messages)].into_iter().flatten().collect()
}
