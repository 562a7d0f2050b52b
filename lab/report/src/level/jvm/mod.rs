//! Java: what a program gains or loses by its virtual machine, its provider and their switches; the published crypto.aes
//! table beside today's; HTTPS servers with one provider or another.

mod claims;
mod https;
mod name;
mod score;
mod section;
mod tables;

use super::LevelReport;
use crate::selection::Selection;
use kasoku_model::level::Level;

/// Report of Java.
pub(crate) const REPORT: LevelReport = LevelReport {
    claims: claims::claims,
    summary: tables::summary,
    tables: |document| https::tables(&Selection::of_level(document, Level::Jvm), true),
    section: section::section,
};

#[cfg(test)]
mod tests;
