//! All tables of a document.

use crate::language::Messages;
use crate::level::{PACKETS, PRIMITIVES};
use crate::selection::{Selection, levels};
use crate::table::Table;
use crate::visible::short;
use crate::{packets, primitives, transfer};
use kasoku_model::document::Document;

/// Every figure of a document: its levels' tables, one level after the other.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    let of_level = |level: &str| match level {
        PACKETS => [packets::full(document, messages), transfer::full(document, messages)].concat(),
        level => {
            let selection = Selection::of_level(document, level, messages);
            primitives::tables(&selection, (level != PRIMITIVES).then(|| short(level, 24)).as_deref())
        }
    };
    levels(document).into_iter().flat_map(of_level).collect()
}
