//! All tables of a document.

use crate::grid::{self, Grid, KINDS};
use crate::language::Messages;
use crate::level::{PACKETS, PRIMITIVES};
use crate::selection::Selection;
use crate::visible::short;
use crate::{packets, transfer};
use kasoku_model::document::Document;

/// Every figure of a document: a table for each level and kind.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Grid> {
    let mut grids = Vec::new();
    for level in grid::levels(document) {
        if level == PACKETS {
            grids.extend(packets::full(document, messages));
            grids.extend(transfer::full(document, messages));
            continue;
        }
        let selection = Selection::of_level(document, level, messages);
        let level = (level != PRIMITIVES).then(|| short(level, 24));
        for kind in KINDS {
            grids.extend(grid::throughput(&selection, kind, level.as_deref()));
        }
    }
    grids
}
