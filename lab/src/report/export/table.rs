//! Tables for the terminal: every figure of a document, as wide as they are.

use crate::document::Document;
use crate::report::grid::{self, Grid};
use crate::report::visible::short;

/// The run in a line, then its tables, then what was not ranked and what was left out.
pub fn table(document: &Document) -> String {
    let run = &document.run;
    let mut out =
        format!("Run {} · {} · {}\n", short(&run.id, 60), short(&run.started, 40), short(&document.machine.cpu, 100));
    if !run.complete {
        out.push_str("INCOMPLETE: this run did not reach its end. Nothing in it is compared or ranked.\n");
    }
    for grid in grid::full(document) {
        section(&mut out, &grid);
    }
    section(&mut out, &grid::problems(document));
    section(&mut out, &grid::omissions(document));
    out
}

fn section(out: &mut String, grid: &Grid) {
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
