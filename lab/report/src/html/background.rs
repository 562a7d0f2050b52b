//! What is missing, the machine, the method, and how to repeat the run.

use maud::{Markup, html};

use super::contents::Section;
use super::page::RunPage;
use super::parts::{sentence, stored};
use super::table::table_with_stored;
use crate::facts::{self, Fact};
use crate::missing;
use crate::remark::{self, Note};
use crate::visible::short;

impl RunPage<'_> {
    pub(super) fn lists(&self) -> Option<Section> {
        let grids = [missing::problems(self.document, self.messages), missing::omissions(self.document, self.messages)];
        let body =
            html! { @for grid in &grids { @if !grid.rows.is_empty() { (table_with_stored(grid, self.messages)) } } };
        let is_any = grids.iter().any(|grid| !grid.rows.is_empty());
        is_any.then(|| Section::folded(None, self.id("missing"), self.messages.page.missing, body))
    }

    /// What the machine did meanwhile.
    pub(super) fn notes(&self) -> Option<Section> {
        let notes = remark::notes(self.document, self.messages);
        let body = html! {
            ul.verdict {
                @for note in &notes {
                    li {
                        @match note {
                            Note::Told(text) => (sentence(text)),
                            Note::Stored(text) => (stored(text, self.messages)),
                        }
                    }
                }
            }
        };
        (!notes.is_empty()).then(|| Section::folded(None, self.id("notes"), self.messages.page.notes, body))
    }

    pub(super) fn background(&self) -> Section {
        let words = &self.messages.page;
        let machine = pairs(&facts::machine(self.document, &self.messages.facts));
        let explained = match &self.document.run.origin {
            Some(origin) => (self.messages.origin.method)(origin.kind),
            None => words.method_explained,
        };
        let method = html! { (pairs(&facts::method(self.document, self.messages))) p { (explained) } };
        let body = html! {
            div.two { div { h3 { (words.machine) } (machine) } div { h3 { (words.method) } (method) } }
        };
        Section::folded(None, self.id("machine"), words.background, body)
    }

    pub(super) fn repetition(&self) -> Option<Section> {
        let words = &self.messages.page;
        let run = &self.document.run;
        if self.selection.is_quoted() && run.command.is_empty() {
            return None;
        }
        let body = html! {
            pre { code { (short(&run.command, 1000)) } }
            p { (words.run) code { (short(&run.id, 80)) } (words.run_after) }
        };
        Some(Section::folded(None, self.id("repeat"), words.repeat, body))
    }
}

fn pairs(rows: &[Fact]) -> Markup {
    html! { dl { @for (name, value) in rows { div { dt { (name) } dd { (value) } } } } }
}
