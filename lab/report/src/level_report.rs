//! What a report says of each level: a row for each.

use kasoku_model::document::Document;

use super::html::contents::Section;
use super::html::gallery::Gallery;
use super::language::Messages;
use super::table::Table;
use super::verdict::Finding;
use super::{files, jvm, packets, tls, transfer};

/// A level, or the part of one that has figures of its own kind.
pub(crate) struct LevelReport {
    /// What the summary on the terminal shows.
    pub(crate) summary: fn(&Document, &'static Messages) -> Vec<Table>,
    /// What a run shows.
    pub(crate) findings: fn(&Document, &'static Messages) -> Vec<Finding>,
    /// Its section of the page; `None` if nothing of it was measured.
    pub(crate) section: fn(&Document, &Gallery, &'static Messages) -> Option<Section>,
}

/// All in the order of terminal and page. What the primitives show is no section: it is the rest of the page.
pub(crate) const LEVEL_REPORTS: [LevelReport; 5] = [
    LevelReport {
        summary: packets::summary,
        findings: |run, messages| packets::findings(run, messages).into_iter().map(Finding::Packets).collect(),
        section: packets::section,
    },
    LevelReport {
        summary: transfer::summary,
        findings: |run, messages| transfer::findings(run, messages).into_iter().map(Finding::Transfer).collect(),
        section: transfer::section,
    },
    LevelReport {
        summary: files::summary,
        findings: |run, messages| files::findings(run, messages).into_iter().map(Finding::Files).collect(),
        section: files::section,
    },
    LevelReport {
        summary: jvm::summary,
        findings: |run, messages| jvm::findings(run, messages).into_iter().map(Finding::Java).collect(),
        section: jvm::section,
    },
    LevelReport {
        summary: tls::summary,
        findings: |run, messages| tls::findings(run, messages).into_iter().map(Finding::Tls).collect(),
        section: tls::section,
    },
];
