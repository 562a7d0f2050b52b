//! Tables for the terminal: every figure of a document, as wide as they are.

use super::full::full;
use crate::language::Messages;
use crate::missing;
use crate::table::Table;
use crate::visible::short;
use kasoku_model::document::Document;

/// The run in a line, then its tables, then what was not ranked and what was left out.
pub fn table(document: &Document, messages: &'static Messages) -> String {
    let run = &document.run;
    let words = &messages.terminal;
    let label = short(run.label.as_deref().unwrap_or_default(), 60);
    let mut parts =
        vec![(words.run)(&short(&run.id, 60)), label, short(&run.started, 40), short(document.machine.label(), 100)];
    parts.retain(|part| !part.is_empty());
    let mut out = parts.join(" · ") + "\n";
    if let Some(origin) = &run.origin {
        out.push_str(&(messages.origin.what)(origin.kind, &short(&origin.source, 200)));
        out.push('\n');
    }
    if let Some(words) = words.unranked(document) {
        out.push_str(words);
        out.push('\n');
    }
    for table in full(document, messages) {
        section(&mut out, &table);
    }
    section(&mut out, &missing::problems(document, messages));
    section(&mut out, &missing::omissions(document, messages));
    out
}

pub(crate) fn section(out: &mut String, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    out.push('\n');
    out.push_str(&table.title);
    out.push('\n');
    out.push_str(&table.draw());
    out.push('\n');
    for note in &table.notes {
        out.push_str(note);
        out.push('\n');
    }
}
