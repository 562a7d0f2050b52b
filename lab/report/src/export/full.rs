//! All tables of a document.

use crate::language::Messages;
use crate::selection::{Selection, levels};
use crate::table::Table;
use crate::{jvm, packets, primitives, transfer};
use kasoku_model::document::Document;
use kasoku_model::level::Level;

/// Every figure of a document: its levels' tables, one level after the other.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let of_level = |level: Level| match level {
        Level::Packets => [packets::full(document, messages), transfer::full(document, messages)].concat(),
        Level::Jvm => [throughput(document, Level::Jvm, messages), jvm::full(document, messages)].concat(),
        level => throughput(document, level, messages),
    };
    levels(document).into_iter().flat_map(of_level).collect()
}

fn throughput(document: &Document, level: Level, messages: &'static Messages) -> Vec<Table> {
    let selection = Selection::of_level(document, level, messages);
    primitives::tables(&selection, (level != Level::Primitives).then(|| level.name()))
}
