//! Every figure, in tables.

use maud::{Markup, html};

use super::contents::Section;
use super::page::Page;
use super::parts::{mark, scroll};
use crate::grid::{self, KINDS, Line};
use crate::language::Words;
use crate::level::{PACKETS, PRIMITIVES};
use crate::quantity::{Scale, plus_minus, size, spread};
use crate::selection::{Selection, Standing, sound_figure};
use crate::visible::short;
use kasoku_model::algorithm::Kind;
use kasoku_model::document::{Document, Series, Unit};

impl Page<'_> {
    pub(super) fn tables(&self) -> Option<Section> {
        // Those of packets stand in their own section.
        let levels: Vec<&str> = grid::levels(self.document).into_iter().filter(|level| *level != PACKETS).collect();
        let words = &self.messages.page;
        let body = html! {
            @if self.selection.is_quoted() {
                p { (self.messages.origin.figures) }
            } @else {
                p {
                    (words.figures_explained) span.good { "✓" } (words.verified_means) span.bad { "!" }
                    (words.unverified_means)
                }
            }
            @for level in &levels {
                @if *level != PRIMITIVES { h3 { (short(level, 40)) } }
                @let selection = Selection::of_level(self.document, level, self.messages);
                @for kind in KINDS { (figures(&selection, kind)) }
            }
        };
        (!levels.is_empty()).then(|| Section::new(self.id("figures"), words.figures, body))
    }
}

/// All figures of a kind.
fn figures(selection: &Selection<'_>, kind: Kind) -> Markup {
    let (words, tables) = (&selection.messages.words, &selection.messages.tables);
    let sizes = selection.sizes(kind);
    let lines = grid::lines(selection, kind, &sizes);
    let Some(unit) = lines.iter().flat_map(|line| line.cells.iter().flatten()).map(|series| series.unit).next() else {
        return html! {};
    };
    let scale = Scale::of_table(unit);
    let (has_path, has_marks) = (grid::has_code_path(selection, &lines), !selection.is_quoted());
    let mut groups: Vec<Vec<&Line<'_>>> = Vec::new();
    for line in &lines {
        match groups.last_mut().filter(|group| group.first().is_some_and(|first| first.task == line.task)) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    scroll(
        &(tables.figures)(None, (words.kind)(kind), scale.name),
        html! {
            thead {
                tr {
                    th scope="col" { (tables.algorithm) }
                    th scope="col" { (tables.library) }
                    th scope="col" { (tables.state) }
                    @if has_path { th scope="col" { (tables.code_path) } }
                    @if has_marks { th scope="col" { abbr title=(words.verified) { "✓" } } }
                    @for bytes in &sizes { th.number scope="col" { (column(kind, *bytes, scale.name)) } }
                }
            }
            @for group in &groups {
                tbody {
                    @for (index, line) in group.iter().enumerate() {
                        tr {
                            @if index == 0 { th scope="rowgroup" rowspan=(group.len()) { (line.task.title(words)) } }
                            td { (selection.full_label(line.who)) }
                            td { (line.state) }
                            @if has_path { td.path { (line.code_path()) } }
                            @if has_marks {
                                td { @if let Some(standing) = line.standing(selection.document) { (mark(standing, words)) } }
                            }
                            @for series in &line.cells { (cell(selection.document, *series, unit, words)) }
                        }
                    }
                }
            }
        },
    )
}

fn cell(document: &Document, series: Option<&Series>, unit: Unit, words: &Words) -> Markup {
    let Some(series) = series else { return html! { td {} } };
    let scale = Scale::of_table(series.unit);
    let Some(value) = sound_figure(series) else {
        return html! {
            td.number.none title=(short(series.note.as_deref().unwrap_or_default(), 200)) { (words.failed) }
        };
    };
    html! {
        td.number {
            (scale.write(value))
            @if series.unit != unit { " " (scale.name) }
            @if Standing::of(document, series) == Standing::Unverified { span.bad { "!" } }
            @if let Some(half) = spread(series).map(|_| plus_minus(series)) { small { (half.unwrap_or_default()) } }
        }
    }
}

/// The heading of a column of figures.
pub(super) fn column(kind: Kind, bytes: usize, otherwise: &str) -> String {
    if kind.is_bulk() { size(bytes) } else { otherwise.to_owned() }
}
