//! Markdown: a table for each kind, to paste into an issue or a README.

use super::full::full;
use crate::grid::{self, Grid};
use crate::language::Messages;
use crate::verdict;
use crate::visible::visible;
use kasoku_model::document::Document;

/// The run, its verdict and its tables.
pub fn markdown(document: &Document, messages: &'static Messages) -> String {
    let run = &document.run;
    let mut out = format!("# Kasoku: {}\n\n", escape(document.machine.label()));
    out.push_str(&(messages.terminal.run_sentence)(&escape(&run.id), &escape(&run.started)));
    out.push_str("\n\n");
    if let Some(origin) = &run.origin {
        out.push_str(&escape(&(messages.origin.what)(origin.kind, &origin.source)));
        out.push_str("\n\n");
    }
    for sentence in verdict::verdict(document, messages).sentences {
        out.push_str(&format!("- {}\n", escape(&sentence)));
    }
    for grid in full(document, messages) {
        section(&mut out, &grid);
    }
    section(&mut out, &grid::problems(document, messages));
    section(&mut out, &grid::omissions(document, messages));
    out
}

/// `rows` of text under `headings`, as one table.
pub(crate) fn list(headings: &[&str], rows: &[Vec<String>]) -> String {
    let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let mut out = row(&headings);
    out.push_str(&format!("|{}\n", "---|".repeat(headings.len())));
    for cells in rows {
        out.push_str(&row(cells));
    }
    out
}

pub(crate) fn section(out: &mut String, grid: &Grid) {
    if grid.rows.is_empty() {
        return;
    }
    out.push_str(&format!("\n## {}\n\n", escape(&grid.title)));
    out.push_str(&row(&grid.headings));
    let rule = |index: usize| if index < grid.words { ":---" } else { "---:" };
    let rules: Vec<&str> = (0..grid.headings.len()).map(rule).collect();
    out.push_str(&format!("| {} |\n", rules.join(" | ")));
    for cells in &grid.rows {
        out.push_str(&row(cells));
    }
    for note in &grid.notes {
        out.push_str(&format!("\n{}\n", escape(note)));
    }
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Text that Markdown shows as it is: its own signs escaped, HTML as entities, nothing that ends a line or hides.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in visible(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' | '!' | '~' | '$' => out.extend(['\\', character]),
            _ => out.push(character),
        }
    }
    // A scheme is enough for many renderers to make a link.
    out.replace("://", ":&#8288;//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_stays_in_its_cell() {
        assert_eq!(escape("a|b\nc"), "a\\|b\\\\u{a}c");
        assert_eq!(escape("<img src=x>`[a](b)"), "&lt;img src=x&gt;\\`\\[a\\](b)");
        assert_eq!(escape("https://x"), "https:&#8288;//x");
    }
}
