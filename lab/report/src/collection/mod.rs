//! The collection as people look at it: rankings and histories, in every form and language.

mod history;
pub(crate) mod rank;

use serde_json::Value;

use super::Format;
use super::export::{json, markdown};
use super::table::Table;
use super::width::wrap;

pub use history::{history, nothing_in_history};
pub use rank::{nothing_known, rank, runs_left_out, this_machine_is_missing};

/// A table for people; for programs CSV with plain names and whole numbers, and objects with the same names.
struct Forms {
    grid: Table,
    csv: String,
    objects: Value,
}

impl Forms {
    fn write(&self, format: Format) -> String {
        match format {
            Format::Table => self.table(),
            Format::Json => json::text(&self.objects),
            Format::Csv => self.csv.clone(),
            Format::Markdown => {
                let mut out = String::new();
                markdown::section(&mut out, &self.grid);
                out.trim_start().to_owned()
            }
        }
    }

    fn table(&self) -> String {
        if self.grid.rows.is_empty() {
            return String::new();
        }
        let mut out = format!("{}\n\n{}\n", self.grid.title, self.grid.draw());
        for (index, note) in self.grid.notes.iter().enumerate() {
            out.push_str(if index == 0 { "\n" } else { "" });
            for line in wrap(note, WIDTH) {
                out.push_str(&line);
                out.push('\n');
            }
        }
        out
    }
}

/// The columns that notes keep to.
const WIDTH: usize = 100;

#[cfg(test)]
mod tests;
