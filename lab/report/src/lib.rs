//! Screens, pages, charts and exports of runs.
//!
//! This crate reads only [`Document`](kasoku_model::document::Document)s, so imported runs look like measured runs.
//! Documents are not trusted: names and notes are escaped on output. Modules outside [`render`] select the content as
//! [`claim`]s, tables and charts; [`render`] formats it in a language.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod advice;
pub mod block;
pub mod chart;
pub mod claim;
pub mod collection;
pub mod comparison;
pub mod export;
pub mod language;
pub mod list;
pub mod page;
pub mod render;
pub mod site;
pub mod steps;
pub mod table;
pub mod text;

mod choices;
mod facts;
mod level;
mod missing;
mod palette;
mod prelude;
mod quantity;
mod remark;
mod reproduction;
mod screen;
mod selection;
pub mod width;

use clap::ValueEnum;

pub use level::files::log as file_log;
pub use selection::Trust;

/// Output formats of results.
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
