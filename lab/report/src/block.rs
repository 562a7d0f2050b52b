//! Parts of screens, pages and exports, independent of output format and language. Also the outputs of commands.

use crate::advice::AdviceText;
use crate::prelude::{Chart, Claim, LegendEntry, Table, Text};

/// Output of a command, independent of the [`Format`](crate::Format) in which it is written.
#[derive(Clone, Debug)]
pub struct Output {
    pub title: Text,
    pub blocks: Vec<Block>,
    pub csv: String,
    pub objects: serde_json::Value,
}

/// A part of a screen, a page or an export. Text between backticks is code.
#[derive(Clone, Debug)]
pub enum Block {
    Heading(Text),
    Paragraph(Text),
    /// A paragraph in small print.
    Note(Text),
    /// A paragraph with a highlighted beginning.
    Marked {
        mark: Text,
        is_warning: bool,
        text: Text,
    },
    /// A link to another section of the page. Terminal and Markdown omit it.
    Link {
        section: &'static str,
        text: Text,
    },
    List(Vec<Text>),
    Pairs(Vec<(Text, Text)>),
    Table(Table),
    /// A table whose cells are sentences; terminals show it as a list.
    SentenceTable(Table),
    /// Charts side by side below a shared legend.
    Charts {
        legend: Vec<LegendEntry>,
        charts: Vec<Chart>,
        /// Whether the charts are drawn small, because there are many.
        are_small: bool,
    },
    Code {
        code: String,
        /// Whether the block is a log in English instead of code.
        is_log: bool,
    },
    Advice(AdviceText),
    /// Blocks in an element with this CSS class.
    Class(&'static str, Vec<Block>),
    /// A fold, which hides blocks until the reader opens it. The text is the fold's label.
    Fold(Text, Vec<Block>),
}

#[derive(Clone, Debug)]
pub struct Section {
    pub id: &'static str,
    pub title: Text,
    /// Whether the section is closed until the reader opens it.
    pub is_folded: bool,
    pub blocks: Vec<Block>,
}

impl Section {
    pub(crate) fn open(id: &'static str, title: Text, blocks: Vec<Block>) -> Self {
        Section { id, title, is_folded: false, blocks }
    }

    pub(crate) fn folded(id: &'static str, title: Text, blocks: Vec<Block>) -> Self {
        Section { id, title, is_folded: true, blocks }
    }

    pub(crate) fn any(self) -> Option<Self> {
        (!self.blocks.is_empty()).then_some(self)
    }
}

impl Block {
    /// Returns the charts in the block, also those in folds.
    pub(crate) fn all_charts(&self) -> Vec<&Chart> {
        match self {
            Block::Charts { charts, .. } => charts.iter().collect(),
            Block::Fold(_, blocks) | Block::Class(_, blocks) => blocks.iter().flat_map(Block::all_charts).collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn charts(legend: Vec<LegendEntry>, charts: Vec<Chart>) -> Option<Block> {
        (!charts.is_empty()).then_some(Block::Charts { legend, charts, are_small: false })
    }

    pub(crate) fn list(sentences: impl IntoIterator<Item = Text>) -> Option<Block> {
        let sentences: Vec<Text> = sentences.into_iter().collect();
        (!sentences.is_empty()).then_some(Block::List(sentences))
    }

    pub(crate) fn sentences<'c>(claims: impl IntoIterator<Item = &'c Claim>) -> Option<Block> {
        Block::list(claims.into_iter().map(Claim::sentence))
    }
}
