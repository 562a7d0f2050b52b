//! The level `packets`: what sealing a packet costs beside its cipher, how near the machine's bound it comes, and what
//! a TLS record would have cost.

pub mod finding;
mod page;
mod selection;
mod sentence;
mod tables;

pub(crate) use finding::findings;
pub(crate) use page::{card, section};
pub(crate) use selection::bound;
pub(crate) use sentence::headline;
pub(crate) use tables::{full, summary};
