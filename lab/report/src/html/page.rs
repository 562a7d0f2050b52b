//! One run on the page, with what its sections share.

use super::surroundings::{Shown, Surroundings};
use crate::language::Messages;
use crate::selection::{Selection, Who};
use crate::verdict::{self, Finding};
use crate::visible::short;
use kasoku_model::document::Document;

/// A run on the page.
pub(super) struct Page<'a> {
    pub(super) document: &'a Document,
    pub(super) surroundings: Option<&'a Surroundings>,
    pub(super) messages: &'static Messages,
    pub(super) selection: Selection<'a>,
    pub(super) primary: Option<Who>,
    pub(super) findings: Vec<Finding>,
    /// Before every id, so that several runs can share a page.
    pub(super) prefix: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(shown: Shown<'a>, number: usize, messages: &'static Messages) -> Self {
        let Shown { document, surroundings } = shown;
        let selection = Selection::new(document, messages);
        let primary = selection.primary();
        let findings = verdict::findings(document, messages);
        Page { document, surroundings, messages, selection, primary, findings, prefix: format!("r{number}") }
    }

    pub(super) fn title(&self) -> String {
        let label = self.document.machine.label();
        if label.is_empty() { self.messages.facts.unnamed.to_owned() } else { short(label, 100) }
    }

    /// The id of a part.
    pub(super) fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }
}
