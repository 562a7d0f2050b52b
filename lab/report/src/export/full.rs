//! All tables of a document.

use crate::language::Messages;
use crate::level::{JVM, PACKETS, PRIMITIVES};
use crate::selection::{Selection, levels};
use crate::table::Table;
use crate::visible::short;
use crate::{jvm, packets, primitives, transfer};
use kasoku_model::document::Document;

/// Every figure of a document: its levels' tables, one level after the other.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let of_level = |level: &str| match level {
        PACKETS => [packets::full(document, messages), transfer::full(document, messages)].concat(),
        JVM => [throughput(document, JVM, messages), jvm::full(document, messages)].concat(),
        level => throughput(document, level, messages),
    };
    levels(document).into_iter().flat_map(of_level).collect()
}

fn throughput(document: &Document, level: &str, messages: &'static Messages) -> Vec<Table> {
    let selection = Selection::of_level(document, level, messages);
    primitives::tables(&selection, (level != PRIMITIVES).then(|| short(level, 24)).as_deref())
}
