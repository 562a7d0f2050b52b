//! Renders blocks as text for a terminal.

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, TableStyle};

use super::catalogue::{Catalogue, catalogue};
use crate::advice::AdviceText;
use crate::language::Language;
use crate::prelude::*;
use crate::table::{CellMark, ColumnKind};
use crate::width::{columns_of, wrap};

/// Maximum width of lines, in columns. Only long names of libraries exceed it.
pub const WIDTH: usize = 100;

const BOLD: Style = Style::new().bold();
const WARNING: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// Table style with a line under the headings and no other lines.
const RULED: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─'))
    .content_lines(ContentLineStyle::none());

/// Language, width and colours of text for a terminal.
#[derive(Clone, Copy, Debug)]
pub struct TerminalView {
    /// Width of the terminal in columns, of which at most [`WIDTH`] are used.
    pub columns: usize,
    pub color: bool,
    pub is_compact: bool,
    pub language: Language,
}

impl TerminalView {
    pub fn plain(language: Language) -> Self {
        TerminalView { columns: WIDTH, color: false, is_compact: false, language }
    }
}

pub(crate) fn text(blocks: &[Block], view: TerminalView) -> String {
    let view = TerminalView { columns: view.columns.clamp(40, WIDTH), ..view };
    let mut lines = Lines { text: String::new(), view, catalogue: catalogue(view.language), is_after_list: false };
    blocks.iter().for_each(|block| lines.block(block));
    lines.text
}

/// Returns a cell's text without its interval, since terminal tables have no room for intervals.
pub(crate) fn cell(cell: &Cell, catalogue: &Catalogue) -> String {
    let value = catalogue.write(&cell.value);
    let text = match cell.mark {
        Some(CellMark::Failed(_)) => "–".to_owned(),
        Some(CellMark::Unverified) => format!("{value}!"),
        Some(CellMark::Equal) => "=".to_owned(),
        Some(CellMark::Trust(_)) | None => value,
    };
    cell.shares[0].map_or_else(|| text.clone(), |share| format!("{text} ({} %)", fixed(share, 0)))
}

pub(crate) fn headings(table: &Table, catalogue: &Catalogue) -> Vec<String> {
    table.in_text().map(|(_, column)| catalogue.write(&column.heading).replace('\n', " ")).collect()
}

pub(crate) fn cells(table: &Table, catalogue: &Catalogue) -> Vec<Vec<String>> {
    let row = |row: &Vec<Cell>| {
        table.in_text().filter_map(|(index, _)| Some(self::cell(row.get(index)?, catalogue))).collect()
    };
    table.rows.iter().map(row).collect()
}

/// Draws a table without title and notes. No line ends in a space.
pub(crate) fn draw(table: &Table, catalogue: &Catalogue) -> String {
    let columns = table.in_text().count();
    draw_columns(table, &headings(table, catalogue), &cells(table, catalogue), columns)
}

fn draw_columns(table: &Table, headings: &[String], cells: &[Vec<String>], columns: usize) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn
        .load_style(RULED)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(&headings[..columns])
        .add_rows(cells.iter().map(|row| row.iter().take(columns).map(|cell| cut(cell, table.widest_cell))));
    for (index, (drawn, (_, column))) in drawn.column_iter_mut().zip(table.in_text()).enumerate() {
        drawn.set_padding((0, if index + 1 == columns { 0 } else { 2 }));
        if column.kind == ColumnKind::Figures {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    drawn.trim_fmt()
}

fn cut(cell: &str, widest: Option<usize>) -> String {
    widest.map_or_else(|| cell.to_owned(), |widest| short(cell, widest))
}

/// Draws a table without a line under the headings. If the table is too wide, omits columns from the right.
fn draw_compact(table: &Table, width: usize, catalogue: &Catalogue) -> String {
    let (headings, cells) = (headings(table, catalogue), cells(table, catalogue));
    let fits = |drawn: &String| drawn.lines().all(|line| columns_of(line) <= width);
    let draw = |columns| draw_columns(table, &headings, &cells, columns);
    let fitting = (2..=headings.len()).rev().map(draw).find(fits).unwrap_or_else(|| draw(headings.len().min(2)));
    let is_rule = |line: &str| line.chars().all(|character| character == '─');
    fitting.lines().filter(|line| !is_rule(line)).collect::<Vec<_>>().join("\n")
}

struct Lines {
    text: String,
    view: TerminalView,
    catalogue: &'static Catalogue,
    /// Whether the last block was a table or a list. Paragraphs and lists then begin with an empty line.
    is_after_list: bool,
}

impl Lines {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) => {
                self.gap();
                self.titled(BOLD, text);
            }
            Block::Paragraph(text) | Block::Note(text) => {
                self.gap_after_list();
                self.wrapped("", text);
            }
            Block::Marked { mark, is_warning, text } => self.marked(mark, *is_warning, text),
            Block::List(sentences) => {
                self.gap_after_list();
                sentences.iter().for_each(|sentence| self.wrapped("- ", sentence));
            }
            Block::Pairs(pairs) => {
                self.gap_after_list();
                self.pairs(pairs);
            }
            Block::Table(table) => self.table(table),
            Block::SentenceTable(table) => self.sentences(table),
            Block::Advice(text) => {
                self.advice(text);
                text.lines.iter().for_each(|(place, code)| self.code(place, code));
            }
            // These blocks appear only on pages.
            Block::Link { .. } | Block::Charts { .. } | Block::Code { .. } | Block::Class(..) | Block::Fold(..) => {}
        }
        self.is_after_list = matches!(
            block,
            Block::Table(_) | Block::SentenceTable(_) | Block::List(_) | Block::Pairs(_) | Block::Advice(_)
        );
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Adds an empty line, except at the beginning of the text.
    fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn gap_after_list(&mut self) {
        if std::mem::take(&mut self.is_after_list) {
            self.gap();
        }
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.view.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn titled(&mut self, style: Style, title: &Text) {
        for line in wrap(&self.catalogue.write(title), self.view.columns) {
            let line = self.styled(style, &line);
            self.line(&line);
        }
    }

    /// Writes `first`, then `text`. Wrapped lines are indented to the column where `text` begins.
    fn wrapped(&mut self, first: &str, text: &Text) {
        let text = self.catalogue.write(text);
        self.indented(first, columns_of(first), &text);
    }

    fn indented(&mut self, first: &str, used: usize, text: &str) {
        let indent = " ".repeat(used);
        for (index, line) in wrap(text, self.view.columns.saturating_sub(used).max(20)).iter().enumerate() {
            self.line(&format!("{}{line}", if index == 0 { first } else { &indent }));
        }
    }

    fn marked(&mut self, mark: &Text, is_warning: bool, text: &Text) {
        let (mark, text) = (self.catalogue.write(mark), self.catalogue.write(text));
        let styled = if is_warning { self.styled(WARNING, &mark) } else { mark.clone() };
        match text.as_str() {
            "" => self.line(&styled),
            text => self.indented(&format!("{styled}  "), columns_of(&mark) + 2, text),
        }
    }

    fn pairs(&mut self, pairs: &[(Text, Text)]) {
        let names: Vec<String> = pairs.iter().map(|(name, _)| self.catalogue.write(name)).collect();
        let widest = names.iter().map(|name| columns_of(name)).max().unwrap_or_default();
        for (name, (_, value)) in names.iter().zip(pairs) {
            let padding = " ".repeat(widest - columns_of(name));
            self.wrapped(&format!("  {name}{padding}  "), value);
        }
    }

    fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            if !table.notes.is_empty() {
                self.gap();
                let notes: Vec<String> = table.notes.iter().map(|note| self.catalogue.write(note)).collect();
                self.line(&format!("{}: {}", self.catalogue.write(&table.title), notes.join("; ")));
            }
            return;
        }
        if !table.title.is_empty() {
            self.gap();
            self.titled(BOLD, &table.title);
        }
        if self.view.is_compact {
            let drawn = draw_compact(table, self.view.columns - 2, self.catalogue);
            drawn.lines().for_each(|line| self.line(&format!("  {line}")));
        } else {
            draw(table, self.catalogue).lines().for_each(|line| self.line(line));
        }
        table.notes.iter().for_each(|note| self.wrapped("  ", note));
    }

    fn sentences(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        self.gap();
        self.titled(WARNING, &table.title);
        for row in cells(table, self.catalogue) {
            let mut cells = row.into_iter().filter(|cell| !cell.is_empty());
            let first = cells.next().unwrap_or_default();
            let rest = Text::list(Separator::Dot, cells);
            self.wrapped("  ", &say!("terminal-item", first = first, rest = rest));
        }
    }

    fn advice(&mut self, text: &AdviceText) {
        let AdviceText { says, figures, reason, .. } = text;
        self.gap_after_list();
        let (mark, style) = if text.is_urgent() { ("! ", WARNING) } else { ("- ", BOLD) };
        for (index, line) in wrap(&self.catalogue.write(says), self.view.columns - 2).iter().enumerate() {
            let line = self.styled(style, &format!("{}{line}", if index == 0 { mark } else { "  " }));
            self.line(&line);
        }
        let [of_figures, of_reason] = ["advice-figures", "advice-why"].map(|key| self.catalogue.words(key));
        let label = columns_of(&of_figures).max(columns_of(&of_reason));
        let labelled = |name: &str| format!("    {name}{}  ", " ".repeat(label - columns_of(name)));
        for (index, figure) in figures.iter().enumerate() {
            self.wrapped(&labelled(if index == 0 { &of_figures } else { "" }), figure);
        }
        self.wrapped(&labelled(&of_reason), reason);
    }

    fn code(&mut self, place: &str, code: &str) {
        if !place.is_empty() {
            self.line(&format!("    {place}:"));
        }
        code.lines().for_each(|line| self.line(&format!("        {line}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TableBuilder;

    #[test]
    fn terminal_tables_align_figures_right_and_have_no_trailing_spaces() {
        let items = [("a", "1"), ("加速", "12,345")];
        let table = TableBuilder::new("", &items).words("name", |item| item.0).figures("16 B", |item| item.1).table();
        let english = catalogue(Language::ENGLISH);
        assert_eq!(draw(&table, english), "name    16 B\n────────────\na          1\n加速  12,345");
        assert_eq!(
            draw_compact(&table, 8, english),
            "name    16 B\na          1\n加速  12,345",
            "the first two columns always remain"
        );
    }

    #[test]
    fn terminal_cells_omit_intervals() {
        let english = catalogue(Language::ENGLISH);
        let plain = Cell { value: "1.23".into(), interval: Some("±1 %".into()), ..Cell::default() };
        let shared = Cell { shares: [Some(41.3), Some(20.0)], mark: Some(CellMark::Unverified), ..plain.clone() };
        let equal = Cell { mark: Some(CellMark::Equal), ..plain.clone() };
        assert_eq!([plain, shared, equal].map(|cell| super::cell(&cell, english)), ["1.23", "1.23! (41 %)", "="]);
    }
}
