//! Data from end to end: what a user of QUIC or TLS gains by one cryptography over another, with everything around it.

pub mod finding;
mod grid;
mod page;
mod selection;

pub use finding::Finding;
pub(crate) use finding::findings;
pub(crate) use grid::{full, summary};
pub(crate) use page::section;
pub use selection::{What, Who};
