//! Renders tables as HTML.

use maud::{Markup, html};

use super::words::{plain_words, words};
use crate::quantity::percent;
use crate::render::Catalogue;
use crate::selection::Trust;
use crate::table::{Cell, CellBar, CellMark, Column, ColumnKind, Medium, Table};

/// Renders a table with its notes below. If the window is narrow, the table scrolls, also by keyboard.
pub(super) fn table(table: &Table, catalogue: &Catalogue) -> Markup {
    let columns: Vec<(usize, &Column)> =
        table.columns.iter().enumerate().filter(|(_, column)| column.medium != Medium::Text).collect();
    let figures: Vec<bool> = (0..table.columns.len()).map(|index| has_figures(table, index, catalogue)).collect();
    let row = |row: &[Cell]| -> Markup {
        let cells = columns.iter().skip(1).filter_map(|(index, column)| Some((row.get(*index)?, *index, *column)));
        let mut reached = 0;
        let cells = cells.filter(|(cell, index, _)| {
            let is_free = *index >= reached;
            reached = reached.max(index + cell.span);
            is_free
        });
        html! { @for (cell, index, column) in cells { (self::cell(table, cell, column, figures[index], catalogue)) } }
    };
    let first = |row: &[Cell]| row.first().cloned().unwrap_or_default();
    let notes = table.page_notes.as_ref().unwrap_or(&table.notes);
    let caption = catalogue.write(&table.title);
    let rows = html! {
        thead {
            tr {
                @for (index, column) in &columns {
                    th class=[figures[*index].then_some("number")] scope="col" { (heading(column, catalogue)) }
                }
            }
        }
        @if table.is_grouped {
            @for group in table.rows.chunk_by(|one, other| first(one) == first(other)) {
                tbody {
                    @for (index, cells) in group.iter().enumerate() {
                        tr {
                            @if index == 0 {
                                th scope="rowgroup" rowspan=(group.len()) {
                                    (catalogue.write(&first(cells).value))
                                }
                            }
                            (row(cells))
                        }
                    }
                }
            }
        } @else {
            tbody {
                @for (index, cells) in table.rows.iter().enumerate() {
                    tr class=[(Some(index) == table.marked_row).then_some("this")] { (self::first(cells, columns.len(), catalogue)) (row(cells)) }
                }
            }
        }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) { table { caption { (caption) } (rows) } }
        @for note in notes { p.note { (words(note, catalogue)) } }
    }
}

fn heading(column: &Column, catalogue: &Catalogue) -> Markup {
    let heading = catalogue.write(&column.heading);
    html! {
        @match &column.meaning {
            Some(meaning) => abbr title=(catalogue.write(meaning)) { (heading) },
            None => @for (line, heading) in heading.lines().enumerate() {
                @if line > 0 { br; }
                (heading)
            },
        }
        @if let Some(beneath) = &column.beneath { small { (catalogue.write(beneath)) } }
    }
}

/// Renders the cell that names a row. A cell that spans several columns states how many rows are left out.
fn first(cells: &[Cell], columns: usize, catalogue: &Catalogue) -> Markup {
    let Some(first) = cells.first() else { return html! {} };
    html! {
        @if first.span > 1 {
            td.gap colspan=(columns) { (plain_words(&first.value, catalogue)) }
        } @else {
            th scope="row" data-sort=[&first.key] { (linked(first, plain_words(&first.value, catalogue))) (bar(first)) }
        }
    }
}

fn cell(table: &Table, cell: &Cell, column: &Column, is_figure: bool, catalogue: &Catalogue) -> Markup {
    let shares: Vec<String> = cell.shares.iter().flatten().map(|share| percent(*share)).collect();
    let class = match column.kind {
        _ if *cell == Cell::default() => None,
        _ if cell.span > 0 => Some("none"),
        _ if is_figure => Some("number"),
        ColumnKind::Paths => Some("path"),
        ColumnKind::Words | ColumnKind::Figures => (!table.is_grouped).then_some("text"),
    };
    match &cell.mark {
        Some(CellMark::Failed(why)) => html! {
            td.number.none title=(catalogue.write(why)) { (catalogue.words("words-failed")) }
        },
        Some(CellMark::Trust(trust)) => html! { td { (sign(*trust, catalogue)) } },
        mark => html! {
            td class=[class] colspan=[(cell.span > 0).then_some(cell.span)] data-sort=[&cell.key] {
                @match mark {
                    Some(CellMark::Equal) => abbr title=(catalogue.words("words-no-difference")) { "=" },
                    _ => (linked(cell, plain_words(&cell.value, catalogue))),
                }
                @if *mark == Some(CellMark::Unverified) { span.bad { "!" } }
                @if let Some(interval) = &cell.interval { small { (catalogue.write(interval)) } }
                @if !shares.is_empty() { small.share { (shares.join(" · ")) } }
                (bar(cell))
            }
        },
    }
}

fn bar(cell: &Cell) -> Markup {
    html! {
        @if let Some(CellBar { share, class }) = cell.bar {
            div class={ "bar " (class) } style=(format!("width:{share:.2}%")) aria-hidden="true" {}
        }
    }
}

fn linked(cell: &Cell, says: Markup) -> Markup {
    html! { @match &cell.link { Some(link) => a href=(link) { (says) }, None => (says) } }
}

/// Renders a symbol for verified or unverified output; nothing for published figures.
fn sign(trust: Trust, catalogue: &Catalogue) -> Markup {
    html! {
        @match trust {
            Trust::Verified => span.good title=(catalogue.words("words-verified")) { "✓" },
            Trust::Failed | Trust::Unverified => span.bad title=(catalogue.words("words-not-verified")) { "!" },
            Trust::Quoted => {},
        }
    }
}

/// Whether a column has only figures, so that no cell begins with a letter.
fn has_figures(table: &Table, index: usize, catalogue: &Catalogue) -> bool {
    let begins_like_a_name = |row: &Vec<Cell>| {
        row.get(index)
            .is_some_and(|cell| cell.span == 0 && catalogue.write(&cell.value).starts_with(char::is_alphabetic))
    };
    table.columns[index].kind == ColumnKind::Figures && !table.rows.iter().any(begins_like_a_name)
}
