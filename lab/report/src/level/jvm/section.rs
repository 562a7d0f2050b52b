//! The page's section about Java.

use crate::block::{Block, Section};
use crate::claim::Claim;
use crate::palette::Palette;
use crate::selection::Selection;
use crate::text::say;
use kasoku_model::document::Document;
use kasoku_model::level::Level;

use super::claims::claims;
use super::{https, tables};

/// Returns the section; `None` if the document has nothing of Java.
pub(super) fn section(document: &Document, _: &Palette) -> Option<Section> {
    if !document.series.iter().any(|series| series.level == Level::Jvm) {
        return None;
    }
    let selection = Selection::of_level(document, Level::Jvm);
    let tables = [
        tables::score_table(&selection, true),
        tables::parts(&selection),
        tables::ciphers(&selection, None),
        tables::flags(&selection),
    ];
    let mut more = vec![Block::Paragraph(say!("jvm-explained"))];
    more.extend(tables.into_iter().flatten().chain(https::tables(&selection, true)).map(Block::Table));
    more.push(Block::Paragraph(say!("jvm-choose")));
    let claims = Block::list(claims(document).iter().map(Claim::sentence));
    let blocks = claims.into_iter().chain([Block::fold(say!("jvm-more"), more)]).collect();
    Some(Section::open("jvm", say!("jvm-title"), blocks))
}
