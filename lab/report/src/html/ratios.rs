//! What acceleration is worth, and which library is fastest.

use std::collections::HashSet;

use maud::{Markup, html};

use super::contents::Section;
use super::page::Page;
use super::table::{scroll, table};
use crate::primitives::{self, KINDS};
use crate::quantity::{size, times};
use crate::selection::{Key, Task, Who, Worth};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Kind;

/// The ratios of a task with a library, one for each size.
type Row = (Task, Who, Vec<Option<Worth>>);

impl Page<'_> {
    pub(super) fn ratios(&self) -> Option<Section> {
        let tables: Vec<Markup> = KINDS.into_iter().filter_map(|kind| self.ratio_table(kind)).collect();
        let words = &self.messages.page;
        let explained = if self.selection.is_quoted() { self.messages.origin.ratios } else { words.ratios_explained };
        let body = html! { p { (explained) } @for table in &tables { (table) } };
        let is_any = self.document.run.complete && !tables.is_empty();
        is_any.then(|| Section::new(self.id("ratios"), words.ratios, body))
    }

    fn ratio_table(&self, kind: Kind) -> Option<Markup> {
        let Self { selection, messages, .. } = self;
        let (words, tables, page) = (&messages.words, &messages.tables, &messages.page);
        let sizes = selection.sizes(kind);
        let mut rows: Vec<Row> = Vec::new();
        for task in selection.tasks(kind) {
            let mut parties: Vec<Who> = selection.rows(task).into_iter().map(|key| key.who).collect();
            parties.dedup();
            for who in parties {
                let worth = |bytes: &usize| selection.worth(Key::new(who, Acceleration::On, task, *bytes));
                let gains: Vec<_> = sizes.iter().map(worth).collect();
                if gains.iter().any(Option::is_some) {
                    rows.push((task, who, gains));
                }
            }
        }
        let at = selection.yardstick(kind)?;
        if rows.is_empty() {
            return None;
        }
        if rows.iter().all(|(_, _, gains)| is_equal(gains)) {
            return Some(self.nowhere_different(kind, &rows));
        }
        let has_lead = kind.is_bulk() && !selection.is_quoted();
        let lead = |who, task| primitives::against_slowest(selection, who, task, at);
        Some(scroll(
            &(page.ratios_of)((words.kind)(kind)),
            html! {
                thead {
                    tr {
                        th scope="col" { (tables.algorithm) }
                        th scope="col" { (tables.library) }
                        @for bytes in &sizes { th.number scope="col" { (primitives::column(kind, *bytes, page.on_over_off)) } }
                        @if has_lead {
                            th.number scope="col" { (page.times_the) br; (page.slowest) small { ((page.on_at)(&size(at))) } }
                        }
                    }
                }
                tbody {
                    @for (task, who, gains) in &rows {
                        tr {
                            th scope="row" { (task.title(words)) }
                            td { (selection.full_label(*who)) }
                            @if is_equal(gains) {
                                td.none colspan=(gains.len()) { (words.no_difference) }
                            } @else {
                                @for gain in gains { (self.gain_cell(*gain)) }
                            }
                            @if has_lead {
                                td.number { @if let Some(ratio) = lead(*who, *task) { ((words.times)(&times(ratio))) } }
                            }
                        }
                    }
                }
            },
        ))
    }

    fn gain_cell(&self, gain: Option<Worth>) -> Markup {
        let words = &self.messages.words;
        html! {
            @match gain {
                Some(gain) if gain.is_shown => td.number {
                    ((words.times)(&times(gain.ratio)))
                    @if let Some(interval) = gain.interval { small { (primitives::interval(interval)) } }
                },
                Some(_) => td.number.none { abbr title=(words.no_difference) { "=" } },
                None => td {},
            }
        }
    }

    fn nowhere_different(&self, kind: Kind, rows: &[Row]) -> Markup {
        let words = &self.messages.words;
        let (mut libraries, mut known): (Vec<String>, HashSet<String>) = Default::default();
        for (_, who, _) in rows {
            let label = self.selection.full_label(*who);
            if known.insert(label.clone()) {
                libraries.push(label);
            }
        }
        let rest = (self.messages.page.nowhere_different)(&libraries.join(words.comma));
        html! { p { strong { ((words.kind)(kind)) } (rest) } }
    }

    pub(super) fn rankings(&self) -> Option<Section> {
        let primary = self.primary.filter(|_| self.document.run.complete)?;
        let fastest = primitives::fastest(&self.selection, primary);
        let is_any = !fastest.rows.is_empty();
        is_any.then(|| Section::new(self.id("fastest"), self.messages.page.fastest, table(&fastest)))
    }
}

fn is_equal(gains: &[Option<Worth>]) -> bool {
    gains.iter().all(|gain| gain.is_some_and(|gain| !gain.is_shown))
}
