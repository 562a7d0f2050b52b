//! Encrypted files: how long they take in each test run, what acceleration saves, how much of the time is copying.

mod claims;
mod log;
mod section;
mod selection;
mod tables;

pub(crate) use claims::claims;
pub(crate) use claims::headline;
pub use log::log;

use super::LevelReport;

/// Report of encrypted files.
pub(crate) const REPORT: LevelReport = LevelReport {
    claims,
    summary: |document| tables::overview(&selection::FileSelection::new(document)).into_iter().collect(),
    tables: |_| Vec::new(),
    section: section::section,
};
