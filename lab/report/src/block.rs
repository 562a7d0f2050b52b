//! The parts of which screens, pages and exports consist, before they take a form or a language.

use crate::advice::AdviceText;
use crate::chart::{Chart, LegendEntry};
use crate::claim::Claim;
use crate::table::Table;
use crate::text::Text;

/// A part of a screen, a page or an export. In texts, what stands between backticks is code.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading.
    Heading(Text),
    /// A paragraph.
    Paragraph(Text),
    /// A paragraph in small print.
    Note(Text),
    /// A paragraph that begins with a word to be seen first.
    Marked {
        /// The word.
        mark: Text,
        /// Whether it is a warning.
        is_warning: bool,
        /// Text after the mark.
        text: Text,
    },
    /// A link to another section of the page; not for texts.
    Link {
        /// The section's id.
        section: &'static str,
        /// Text of the link.
        text: Text,
    },
    /// Sentences, each an item of a list.
    List(Vec<Text>),
    /// Names with their values.
    Pairs(Vec<(Text, Text)>),
    /// A table.
    Table(Table),
    /// A table whose cells are sentences: as text a list.
    SentenceTable(Table),
    /// Charts side by side, below what their colours mean.
    Charts {
        /// Meaning of the colours of all charts in the block.
        legend: Vec<LegendEntry>,
        /// The charts.
        charts: Vec<Chart>,
        /// Whether there are many small ones.
        are_small: bool,
    },
    /// Lines to copy, with the place where they belong.
    Code {
        /// The program, and the file or the place in it; empty for a command.
        place: Text,
        /// The lines.
        code: String,
        /// Whether the lines are English sentences of a document.
        is_log: bool,
    },
    /// Advice: what to do, its reason, figures and lines to copy.
    Advice(AdviceText),
    /// Blocks of a class that has a style of its own on a page.
    Class(&'static str, Vec<Block>),
    /// Blocks that a page shows only when somebody opens them.
    Fold {
        /// Label of the closed fold.
        title: Text,
        /// The blocks.
        blocks: Vec<Block>,
    },
}

/// A section of a page, with its line of the table of contents.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its id on the page of one run.
    pub id: &'static str,
    /// Its heading.
    pub title: Text,
    /// Whether only the heading is seen until somebody opens it.
    pub is_folded: bool,
    /// Content of the section.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section that is seen.
    pub(crate) fn open(id: &'static str, title: Text, blocks: Vec<Block>) -> Self {
        Section { id, title, is_folded: false, blocks }
    }

    /// A section of which only the heading is seen until somebody opens it.
    pub(crate) fn folded(id: &'static str, title: Text, blocks: Vec<Block>) -> Self {
        Section { id, title, is_folded: true, blocks }
    }

    /// The section, if anything is in it.
    pub(crate) fn any(self) -> Option<Self> {
        (!self.blocks.is_empty()).then_some(self)
    }

    /// The charts in it, in their order.
    pub(crate) fn charts(&self) -> Vec<&Chart> {
        charts_in(&self.blocks)
    }
}

fn charts_in(blocks: &[Block]) -> Vec<&Chart> {
    let mut all = Vec::new();
    for block in blocks {
        match block {
            Block::Charts { charts, .. } => all.extend(charts),
            Block::Fold { blocks, .. } | Block::Class(_, blocks) => all.extend(charts_in(blocks)),
            _ => {}
        }
    }
    all
}

impl Block {
    /// A block of charts side by side; `None` if there are none.
    pub(crate) fn charts(legend: Vec<LegendEntry>, charts: Vec<Chart>) -> Option<Block> {
        (!charts.is_empty()).then_some(Block::Charts { legend, charts, are_small: false })
    }

    /// A list of sentences; `None` if there are none.
    pub(crate) fn list(sentences: impl IntoIterator<Item = Text>) -> Option<Block> {
        let sentences: Vec<Text> = sentences.into_iter().collect();
        (!sentences.is_empty()).then_some(Block::List(sentences))
    }

    /// What is behind a fold.
    pub(crate) fn fold(title: Text, blocks: Vec<Block>) -> Block {
        Block::Fold { title, blocks }
    }

    /// A list of `claims`; `None` if there are none.
    pub(crate) fn sentences<'c>(claims: impl IntoIterator<Item = &'c Claim>) -> Option<Block> {
        Block::list(claims.into_iter().map(Claim::sentence))
    }
}
