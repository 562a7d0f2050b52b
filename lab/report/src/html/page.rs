//! One run on the page, with what its sections share.

use super::gallery::Gallery;
use super::palette::Palette;
use super::surroundings::{Shown, Surroundings};
use crate::language::Messages;
use crate::selection::{ContenderIndex, Selection};
use crate::verdict::{self, Finding};
use crate::visible::short;
use kasoku_model::document::Document;

/// A run on the page.
pub(crate) struct RunPage<'a> {
    pub(super) document: &'a Document,
    pub(super) surroundings: Option<&'a Surroundings>,
    pub(super) messages: &'static Messages,
    pub(super) selection: Selection<'a>,
    pub(super) primary: Option<ContenderIndex>,
    pub(super) findings: Vec<Finding>,
    pub(super) gallery: Gallery,
}

impl<'a> RunPage<'a> {
    pub(crate) fn new(shown: Shown<'a>, number: usize, messages: &'static Messages) -> Self {
        let Shown { document, surroundings } = shown;
        let selection = Selection::new(document, messages);
        let primary = selection.primary();
        let findings = verdict::findings(document, messages);
        let gallery = Gallery::new(format!("r{number}"), Palette::of(document));
        RunPage { document, surroundings, messages, selection, primary, findings, gallery }
    }

    pub(super) fn title(&self) -> String {
        title(self.document, self.messages)
    }

    /// The id of a part.
    pub(super) fn id(&self, name: &str) -> String {
        self.gallery.id(name)
    }
}

/// What the machine of a run is called.
pub(super) fn title(document: &Document, messages: &Messages) -> String {
    let label = document.machine.label();
    if label.is_empty() { messages.facts.unnamed.to_owned() } else { short(label, 100) }
}
