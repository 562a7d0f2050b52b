//! A TLS web server: its throughput by file size, suite, provider and number of workers, and its CPU time.

mod claims;
mod section;
mod selection;
mod tables;

use super::LevelReport;

/// Report of a TLS web server.
pub(crate) const REPORT: LevelReport = LevelReport {
    claims: claims::claims,
    summary: |document| {
        let servers = selection::ServerSelection::new(document);
        [tables::overview(&servers), tables::ratios(&servers)].into_iter().flatten().collect()
    },
    tables: |_| Vec::new(),
    section: section::section,
};
