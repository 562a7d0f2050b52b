//! What the sections of the page share: sentences, tables, marks.

use maud::{Markup, html};

use crate::report::grid::Grid;

/// A sentence in which names with hyphens do not break across lines.
pub(crate) fn sentence(text: &str) -> Markup {
    html! {
        @for (index, word) in text.split(' ').enumerate() {
            @if index > 0 { " " }
            @if word.contains('-') && word.len() < 40 { span.name { (word) } } @else { (word) }
        }
    }
}

/// Whether the output was checked.
pub(crate) fn mark(is_verified: bool) -> Markup {
    html! { @if is_verified { span.good title="verified" { "✓" } } @else { span.bad title="not verified" { "!" } } }
}

/// A grid as a table.
pub(crate) fn table(grid: &Grid) -> Markup {
    scroll(
        &grid.title,
        html! {
            thead {
                tr {
                    @for (index, heading) in grid.headings.iter().enumerate() {
                        th.number[is_number(grid, index)] scope="col" { (heading) }
                    }
                }
            }
            tbody {
                @for row in &grid.rows {
                    tr {
                        @for (index, cell) in row.iter().enumerate() {
                            @if index == 0 { th scope="row" { (cell) } }
                            @else { td.number[is_number(grid, index)].text[!is_number(grid, index)] { (cell) } }
                        }
                    }
                }
            }
            @if !grid.notes.is_empty() {
                tfoot { tr { td colspan=(grid.headings.len()) { @for note in &grid.notes { (note) " " } } } }
            }
        },
    )
}

fn is_number(grid: &Grid, index: usize) -> bool {
    index >= grid.words && !grid.headings.get(index).is_some_and(|heading| heading.contains("next"))
}

/// A table that scrolls within itself where the window is narrow, by keyboard too.
pub(crate) fn scroll(caption: &str, rows: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(caption) { table { caption { (caption) } (rows) } } }
}

/// A piece of a line in the colour of what is named beside it.
pub(crate) fn swatch(color: &str, is_dashed: bool) -> Markup {
    html! { span.swatch.dashed[is_dashed] style=(format!("color:{color}")) aria-hidden="true" {} }
}
