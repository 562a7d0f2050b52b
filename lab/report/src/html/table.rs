//! Tables on the page.

use maud::{Markup, html};

use super::parts::{plain, sentence, stored};
use crate::language::Messages;
use crate::quantity::percent;
use crate::selection::Standing;
use crate::table::{Cell, CellMark, Column, Holds, On, Table};
use crate::width::is_wide;

/// How the words of a cell are written.
type Write<'w> = &'w dyn Fn(&str) -> Markup;

pub(crate) fn table(table: &Table) -> Markup {
    written(table, &plain)
}

/// A table, and below it what its reader must know: sentences that are longer than it is wide.
pub(crate) fn table_over_notes(mut table: Table) -> Markup {
    let notes = std::mem::take(&mut table.notes);
    html! { (self::table(&table)) @for note in &notes { p.note { (sentence(note)) } } }
}

/// A table some of whose words are a document's own.
pub(crate) fn table_with_stored(table: &Table, messages: &Messages) -> Markup {
    written(table, &|text| {
        if text.contains(' ') && !text.contains(is_wide) { stored(text, messages) } else { plain(text) }
    })
}

/// A table that scrolls within itself where the window is narrow, by keyboard too.
pub(super) fn scroll(caption: &str, rows: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(caption) { table { caption { (caption) } (rows) } } }
}

fn written(table: &Table, write: Write<'_>) -> Markup {
    let columns: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(_, column)| column.on != On::Text).collect();
    let figures: Vec<bool> = (0..table.columns.len()).map(|index| has_figures(table, index)).collect();
    let row = |row: &[Cell]| -> Markup {
        let cells = columns.iter().skip(1).filter_map(|(index, column)| Some((row.get(*index)?, *index, *column)));
        let mut reached = 0;
        let cells = cells.filter(|(cell, index, _)| {
            let is_free = *index >= reached;
            reached = reached.max(index + cell.span);
            is_free
        });
        html! { @for (cell, index, column) in cells { (self::cell(table, cell, column, figures[index], write)) } }
    };
    let first = |row: &[Cell]| row.first().map(|cell| cell.value.clone()).unwrap_or_default();
    let notes = table.page_notes.as_ref().unwrap_or(&table.notes);
    scroll(
        &table.title,
        html! {
            thead {
                tr {
                    @for (index, column) in &columns {
                        th class=[figures[*index].then_some("number")] scope="col" {
                            @match column.meaning {
                                Some(meaning) => abbr title=(meaning) { (column.heading) },
                                None => @for (line, heading) in column.heading.lines().enumerate() {
                                    @if line > 0 { br; }
                                    (heading)
                                },
                            }
                            @if let Some(beneath) = &column.beneath { small { (beneath) } }
                        }
                    }
                }
            }
            @if table.is_grouped {
                @for group in table.rows.chunk_by(|one, other| first(one) == first(other)) {
                    tbody {
                        @for (index, cells) in group.iter().enumerate() {
                            tr {
                                @if index == 0 { th scope="rowgroup" rowspan=(group.len()) { (first(cells)) } }
                                (row(cells))
                            }
                        }
                    }
                }
            } @else {
                tbody {
                    @for cells in &table.rows {
                        tr {
                            @if let Some(first) = cells.first() {
                                th scope="row" data-sort=[&first.key] { (linked(first, html! { (first.value) })) }
                            }
                            (row(cells))
                        }
                    }
                }
            }
            @if !notes.is_empty() {
                tfoot { tr { td colspan=(columns.len()) { p { (plain(&notes.join(" "))) } } } }
            }
        },
    )
}

fn cell(table: &Table, cell: &Cell, column: &Column, is_figure: bool, write: Write<'_>) -> Markup {
    let shares: Vec<String> = cell.shares.iter().flatten().map(|share| percent(*share)).collect();
    let class = match column.holds {
        _ if *cell == Cell::default() => None,
        _ if cell.span > 0 => Some("none"),
        _ if is_figure => Some("number"),
        Holds::Paths => Some("path"),
        Holds::Words | Holds::Figures => (!table.is_grouped).then_some("text"),
    };
    match &cell.mark {
        Some(CellMark::Failed(word, why)) => html! { td.number.none title=(why) { (word) } },
        Some(CellMark::Standing(standing, word)) => html! { td { (sign(*standing, word)) } },
        mark => html! {
            td class=[class] colspan=[(cell.span > 0).then_some(cell.span)] data-sort=[&cell.key] {
                @match mark {
                    Some(CellMark::Equal(word)) => abbr title=(word) { "=" },
                    _ => (linked(cell, write(&cell.value))),
                }
                @if *mark == Some(CellMark::Unverified) { span.bad { "!" } }
                @if let Some(interval) = &cell.interval { small { (interval) } }
                @if !shares.is_empty() { small.share { (shares.join(" · ")) } }
            }
        },
    }
}

/// What a cell says, as a link if it leads somewhere.
fn linked(cell: &Cell, says: Markup) -> Markup {
    html! { @match &cell.link { Some(link) => a href=(link) { (says) }, None => (says) } }
}

/// Whether the output was checked; of figures that others printed nothing is said.
fn sign(standing: Standing, word: &str) -> Markup {
    html! {
        @match standing {
            Standing::Verified => span.good title=(word) { "✓" },
            Standing::Failed | Standing::Unverified => span.bad title=(word) { "!" },
            Standing::Quoted => {},
        }
    }
}

/// Whether a column holds figures: one that may, in which no cell begins like a name.
fn has_figures(table: &Table, index: usize) -> bool {
    let begins_like_a_name = |row: &Vec<Cell>| {
        row.get(index).is_some_and(|cell| cell.span == 0 && cell.value.starts_with(char::is_alphabetic))
    };
    table.columns[index].holds == Holds::Figures && !table.rows.iter().any(begins_like_a_name)
}
