//! Results of a command, before they take one of the forms that [`Format`](crate::Format) names.

use crate::block::Block;
use crate::text::Text;

/// Output of a command, before it takes the requested format.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The title.
    pub title: Text,
    /// The parts below it, for a terminal and Markdown.
    pub blocks: Vec<Block>,
    /// Comma-separated values, with a header line.
    pub csv: String,
    /// JSON.
    pub objects: serde_json::Value,
}
