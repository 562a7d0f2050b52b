//! What people look at: the summary on the terminal, the verdict in words, the page, the exports.
//!
//! Everything here reads a [`Document`](kasoku_model::document::Document) and nothing else, so that an imported run
//! looks like one made here. Documents are not trusted: names and notes pass through `visible` on their way out.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod advice;
pub mod collection;
pub mod comparison;
pub mod export;
pub mod files;
pub mod html;
pub mod jvm;
pub mod language;
pub mod list;
pub mod packets;
pub mod screen;
pub mod site;
pub mod steps;
pub mod terminal;
pub mod tls;
pub mod transfer;
pub mod verdict;

mod chart;
mod effect;
mod facts;
mod level_report;
mod missing;
mod primitives;
mod quantity;
mod remark;
mod reproduction;
mod selection;
mod series;
mod table;
mod visible;
mod way;
pub mod width;

use clap::ValueEnum;

use kasoku_model::language::Language;

/// How steps, or two runs against each other, are shown.
#[derive(Clone, Copy, Debug)]
pub struct TableView {
    /// The form.
    pub format: Format,
    /// The language of tables and sentences; JSON and CSV have none.
    pub language: Language,
    /// Whether tables have what shows nothing too: curves without steps, pairs without a shown difference. JSON and CSV
    /// always have.
    pub all: bool,
}

/// The forms in which results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people.
    #[default]
    Table,
    /// The run document, or a list of objects.
    Json,
    /// Comma-separated values with a header line.
    Csv,
    /// Markdown tables.
    Markdown,
}
