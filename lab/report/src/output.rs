//! Results of a command, before they take a [`Format`](crate::Format).

use crate::block::Block;
use crate::text::Text;

/// Output of a command in all forms.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Title.
    pub title: Text,
    /// Content below the title, for terminals and Markdown.
    pub blocks: Vec<Block>,
    /// CSV with a header line.
    pub csv: String,
    /// Value of the JSON output.
    pub objects: serde_json::Value,
}
