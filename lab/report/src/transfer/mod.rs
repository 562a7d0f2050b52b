//! Data from end to end: what a user of QUIC or TLS gains by one cryptography over another, with everything around it.

pub mod finding;
mod page;
mod selection;
mod sentence;
mod tables;

pub use finding::Finding;
pub(crate) use finding::findings;
pub(crate) use page::section;
pub use selection::{What, Who};
pub(crate) use tables::{full, summary};

use kasoku_model::document::Document;

/// By how much CPU time differs that the same cryptography takes once and once more, and which that is; `None` if nothing
/// was measured twice.
pub(crate) fn noise_floor(document: &Document) -> Option<(f64, String)> {
    let rows = selection::Rows::new(document);
    let (who, [cpu, _]) = rows.floors()?;
    Some((cpu, who.library.clone()))
}
