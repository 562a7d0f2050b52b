//! A run document in the forms other programs and documents take.

pub mod csv;
pub mod json;
pub mod markdown;
pub mod table;

use crate::document::Document;
use crate::report::Format;

/// `document` in `format`.
pub fn export(document: &Document, format: Format) -> String {
    match format {
        Format::Table => table::table(document),
        Format::Json => json::json(document),
        Format::Csv => csv::csv(document),
        Format::Markdown => markdown::markdown(document),
    }
}
