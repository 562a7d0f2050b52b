//! Tables for the terminal: every figure of a document, as wide as they are.

use super::full::full;
use crate::grid::{self, Grid};
use crate::language::Messages;
use crate::visible::short;
use kasoku_model::document::Document;

/// The run in a line, then its tables, then what was not ranked and what was left out.
pub fn table(document: &Document, messages: &'static Messages) -> String {
    let run = &document.run;
    let words = &messages.terminal;
    let mut parts =
        vec![(words.run)(&short(&run.id, 60)), short(&run.started, 40), short(document.machine.label(), 100)];
    parts.retain(|part| !part.is_empty());
    let mut out = parts.join(" · ") + "\n";
    if let Some(origin) = &run.origin {
        out.push_str(&(messages.origin.what)(origin.kind, &short(&origin.source, 200)));
        out.push('\n');
    }
    if !run.complete {
        out.push_str(words.incomplete_export);
        out.push('\n');
    }
    for grid in full(document, messages) {
        section(&mut out, &grid);
    }
    section(&mut out, &grid::problems(document, messages));
    section(&mut out, &grid::omissions(document, messages));
    out
}

pub(crate) fn section(out: &mut String, grid: &Grid) {
    if grid.rows.is_empty() {
        return;
    }
    out.push('\n');
    out.push_str(&grid.title);
    out.push('\n');
    out.push_str(&grid.draw());
    out.push('\n');
    for note in &grid.notes {
        out.push_str(note);
        out.push('\n');
    }
}
