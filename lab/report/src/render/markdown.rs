//! Renders blocks as Markdown, for issues and READMEs.

use super::catalogue::{Catalogue, catalogue};
use super::terminal::{cells, headings};
use crate::advice::AdviceText;
use crate::block::Block;
use crate::language::Language;
use crate::table::{ColumnKind, Table};
use crate::text::{Text, visible};

/// Returns the Markdown of `blocks` below the heading `title`; without a heading if `title` is empty.
pub(crate) fn markdown(title: &Text, blocks: &[Block], language: Language) -> String {
    let mut markdown = Markdown { text: String::new(), catalogue: catalogue(language) };
    if !title.is_empty() {
        markdown.line("# ", title);
    }
    blocks.iter().for_each(|block| markdown.block(block));
    markdown.text
}

struct Markdown {
    text: String,
    catalogue: &'static Catalogue,
}

impl Markdown {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) => {
                self.gap();
                self.line("## ", text);
            }
            Block::Paragraph(text) | Block::Note(text) => {
                self.gap();
                self.line("", text);
            }
            Block::List(sentences) => {
                self.gap();
                sentences.iter().for_each(|sentence| self.line("- ", sentence));
            }
            Block::Pairs(pairs) => {
                self.gap();
                for (name, value) in pairs {
                    let (name, value) = (self.catalogue.write(name), self.catalogue.write(value));
                    self.text.push_str(&format!("- {}: {}\n", escape(&name), escape(&value)));
                }
            }
            Block::Table(table) | Block::SentenceTable(table) => self.table(table),
            Block::Advice(AdviceText { says, figures, reason, lines, .. }) => {
                self.text.push_str(&format!("\n**{}**\n\n", escape(&self.catalogue.write(says))));
                figures.iter().for_each(|figure| self.line("- ", figure));
                let (why, reason) = (self.catalogue.words("advice-why"), self.catalogue.write(reason));
                self.text.push_str(&format!("\n{}: {}\n", escape(&why), escape(&reason)));
                lines.iter().for_each(|(place, code)| self.code(place, code));
            }
            // These blocks appear only on pages and terminals.
            Block::Marked { .. }
            | Block::Link { .. }
            | Block::Charts { .. }
            | Block::Code { .. }
            | Block::Class(..)
            | Block::Fold(..) => {}
        }
    }

    fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn line(&mut self, mark: &str, text: &Text) {
        self.text.push_str(mark);
        self.text.push_str(&escape(&self.catalogue.write(text)));
        self.text.push('\n');
    }

    fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        if !table.title.is_empty() {
            self.gap();
            self.line("## ", &table.title);
        }
        self.gap();
        self.text.push_str(&row(&headings(table, self.catalogue)));
        let rules: Vec<&str> = table
            .in_text()
            .map(|(_, column)| if column.kind == ColumnKind::Figures { "---:" } else { ":---" })
            .collect();
        self.text.push_str(&format!("| {} |\n", rules.join(" | ")));
        for cells in cells(table, self.catalogue) {
            self.text.push_str(&row(&cells));
        }
        for note in &table.notes {
            self.gap();
            self.line("", note);
        }
    }

    fn code(&mut self, place: &str, code: &str) {
        if !place.is_empty() {
            self.text.push_str(&format!("\n`{place}`\n"));
        }
        self.text.push_str(&format!("\n```\n{code}\n```\n"));
    }
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Escapes text so that Markdown shows it literally: Markdown's signs, HTML, line breaks and hidden characters.
fn escape(text: &str) -> String {
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
    // Many renderers turn anything with a URL scheme into a link.
    out.replace("://", ":&#8288;//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_neutralizes_markdown_and_html() {
        assert_eq!(escape("a|b\nc"), "a\\|b\\\\u{a}c");
        assert_eq!(escape("<img src=x>`[a](b)"), "&lt;img src=x&gt;\\`\\[a\\](b)");
        assert_eq!(escape("https://x"), "https:&#8288;//x");
    }
}
