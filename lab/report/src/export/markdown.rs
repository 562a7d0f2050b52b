//! Markdown: a table for each kind, to paste into an issue or a README.

use super::full::full;
use crate::language::Messages;
use crate::missing;
use crate::table::{Holds, Table};
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
    for table in full(document, messages) {
        section(&mut out, &table);
    }
    section(&mut out, &missing::problems(document, messages));
    section(&mut out, &missing::omissions(document, messages));
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

pub(crate) fn section(out: &mut String, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    out.push_str(&format!("\n## {}\n\n", escape(&table.title)));
    out.push_str(&row(&table.headings()));
    let rules: Vec<&str> =
        table.in_text().map(|(_, column)| if column.holds == Holds::Figures { "---:" } else { ":---" }).collect();
    out.push_str(&format!("| {} |\n", rules.join(" | ")));
    for cells in table.texts() {
        out.push_str(&row(&cells));
    }
    for note in &table.notes {
        out.push_str(&format!("\n{}\n", escape(note)));
    }
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Text that Markdown shows as it is: its own signs escaped, HTML as entities, nothing that ends a line or hides.
pub fn escape(text: &str) -> String {
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
