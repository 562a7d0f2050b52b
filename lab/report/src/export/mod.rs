//! A run document in the forms other programs and documents take.

pub mod csv;
mod full;
pub mod json;
pub mod markdown;
pub(crate) mod sheet;
pub mod table;

use crate::Format;
use crate::language::messages;
use kasoku_model::document::Document;
use kasoku_model::language::Language;

/// `document` in `format`; tables and Markdown in `language`, since the other forms are for programs.
pub fn export(document: &Document, format: Format, language: Language) -> String {
    match format {
        Format::Table => table::table(document, messages(language)),
        Format::Json => json::json(document),
        Format::Csv => csv::csv(document),
        Format::Markdown => markdown::markdown(document, messages(language)),
    }
}
