//! The summary on the terminal after a run: what each level has to say in a few lines.
//!
//! It fits 100 columns; every figure is in the page and in `kasoku show`.

use anstyle::{AnsiColor, Style};

use kasoku_model::document::Document;
use kasoku_model::language::Language;

use super::language::{Messages, messages};
use super::level_report::LEVEL_REPORTS;
use super::table::Table;
use super::verdict;
use super::visible::short;
use super::width::{columns_of, wrap};
use super::{missing, primitives, remark};

/// The columns that every line keeps to where the libraries' own names allow.
pub const WIDTH: usize = 100;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const WARNING: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// The summary of `document` in `language`; with ANSI colours if `color`.
pub fn summary(document: &Document, color: bool, language: Language) -> String {
    let messages = messages(language);
    let mut page = Page { lines: TerminalLines { text: String::new(), color }, messages };
    page.head(document);
    tables(document, messages).iter().for_each(|table| page.table(table));
    page.list(&missing::problems(document, messages));
    page.list(&missing::omissions(document, messages));
    page.verdict(document);
    page.lines.text
}

/// What each level has to say in a few lines.
pub(crate) fn tables(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let others = LEVEL_REPORTS.iter().flat_map(|level| (level.summary)(document, messages));
    primitives::summary(document, messages).into_iter().chain(others).collect()
}

/// Lines for a terminal, with or without colours.
pub(crate) struct TerminalLines {
    pub(crate) text: String,
    pub(crate) color: bool,
}

impl TerminalLines {
    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(crate) fn styled(&mut self, style: Style, line: &str) {
        if self.color { self.line(&format!("{style}{line}{style:#}")) } else { self.line(line) }
    }

    /// Text that keeps to [`WIDTH`], its lines indented as far as `first` reaches.
    pub(crate) fn wrapped(&mut self, first: &str, text: &str) {
        let indent = " ".repeat(columns_of(first));
        for (index, line) in wrap(text, WIDTH - indent.len()).iter().enumerate() {
            self.line(&format!("{}{line}", if index == 0 { first } else { &indent }));
        }
    }
}

struct Page {
    lines: TerminalLines,
    messages: &'static Messages,
}

impl Page {
    fn head(&mut self, document: &Document) {
        let machine = &document.machine;
        let (facts, words) = (&self.messages.facts, &self.messages.terminal);
        let mut parts = vec![short(machine.label(), 60)];
        parts.extend(machine.name.is_some().then(|| short(&machine.cpu, 60)));
        parts.extend((machine.cores > 0).then(|| (facts.cores)(machine.cores)));
        parts.push(short(machine.os.as_deref().unwrap_or(&machine.kernel), 40));
        parts.extend(machine.hypervisor.as_deref().map(|name| (facts.under)(&short(name, 20))));
        parts.retain(|part| !part.is_empty());
        self.lines.wrapped("", &parts.join(" · "));
        if let Some(origin) = &document.run.origin {
            self.lines.wrapped("", &(self.messages.origin.what)(origin.kind, &short(&origin.source, 200)));
        }
        if let Some(words) = words.unranked(document) {
            self.lines.styled(WARNING, words);
        }
        for note in remark::notes(document, self.messages) {
            self.lines.wrapped(words.note, note.text());
        }
    }

    fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        self.lines.line("");
        self.lines.styled(BOLD, &table.title);
        self.lines.line(&table.draw());
        for note in &table.notes {
            self.lines.wrapped("  ", note);
        }
    }

    /// A table whose cells are sentences, as a list.
    fn list(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        self.lines.line("");
        self.lines.styled(WARNING, &table.title);
        for row in table.texts() {
            let [first, rest @ ..] = row.as_slice() else { continue };
            let rest: Vec<&str> = rest.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
            self.lines.wrapped("  ", &(self.messages.terminal.item)(first, &rest));
        }
    }

    fn verdict(&mut self, document: &Document) {
        let verdict = verdict::verdict(document, self.messages);
        self.lines.line("");
        self.lines.styled(BOLD, self.messages.terminal.verdict);
        for sentence in &verdict.sentences {
            self.lines.wrapped("- ", sentence);
        }
    }
}
