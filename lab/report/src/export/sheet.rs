//! Text for people, for a terminal or in Markdown.

use super::{markdown, table};
use crate::table::Table;

/// Lines and tables, one after the other.
pub(crate) struct Sheet {
    pub(crate) text: String,
    is_markdown: bool,
}

impl Sheet {
    /// A sheet for a terminal.
    pub(crate) fn plain() -> Self {
        Sheet { text: String::new(), is_markdown: false }
    }

    /// A sheet in Markdown, under a title.
    pub(crate) fn markdown(title: &str) -> Self {
        Sheet { text: format!("# {}\n\n", markdown::escape(title)), is_markdown: true }
    }

    /// A line by itself.
    pub(crate) fn line(&mut self, line: &str) {
        if self.is_markdown {
            self.text.push('\n');
        }
        self.push("", line);
    }

    /// A line of a list.
    pub(crate) fn item(&mut self, line: &str) {
        self.push(if self.is_markdown { "- " } else { "" }, line);
    }

    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// A table; on a terminal the notes of one without rows are told.
    pub(crate) fn table(&mut self, table: &Table) {
        if self.is_markdown {
            markdown::section(&mut self.text, table);
        } else if table.rows.is_empty() && !table.notes.is_empty() {
            self.text.push_str(&format!("\n{}: {}\n", table.title, table.notes.join("; ")));
        } else {
            table::section(&mut self.text, table);
        }
    }

    fn push(&mut self, mark: &str, line: &str) {
        self.text.push_str(mark);
        self.text.push_str(&if self.is_markdown { markdown::escape(line) } else { line.to_owned() });
        self.text.push('\n');
    }
}
