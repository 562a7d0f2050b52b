//! The level `packets`: the cost of protecting a packet beside its cipher, its share of the CPU's bound, and the cost
//! of a TLS record for comparison.

mod claims;
mod section;
mod selection;
mod tables;

use super::LevelReport;
pub(crate) use claims::{card, headline};
pub(crate) use selection::bound;

pub(crate) const REPORT: LevelReport =
    LevelReport { claims: claims::claims, summary: tables::summary, tables: tables::tables, section: section::section };
