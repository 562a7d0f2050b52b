//! Reports of the levels, a row for each, and the headline over all of them.

pub(crate) mod files;
pub(crate) mod jvm;
pub(crate) mod packets;
pub(crate) mod primitives;
pub(crate) mod tls;
pub(crate) mod transfer;

use crate::block::Section;
use crate::claim::{Claim, Figure, Subject};
use crate::facts;
use crate::palette::Palette;
use crate::quantity::size;
use crate::selection::{Selection, levels};
use crate::table::Table;
use crate::text::{Separator, Text, say};
use kasoku_model::document::Document;
use kasoku_model::level::Level;

/// A level, or the part of one that has figures of its own kind.
pub(crate) struct LevelReport {
    /// Returns the claims; none for interrupted runs.
    pub(crate) claims: fn(&Document) -> Vec<Claim>,
    /// A few tables that stand for all.
    pub(crate) summary: fn(&Document) -> Vec<Table>,
    /// Tables of its own figures beside those that all levels have.
    pub(crate) tables: fn(&Document) -> Vec<Table>,
    /// Its section of the page; `None` if nothing of it was measured.
    pub(crate) section: fn(&Document, &Palette) -> Option<Section>,
}

/// All in the order of terminal and page. What the primitives show is no section: it is the rest of the page.
pub(crate) const LEVELS: [LevelReport; 5] =
    [packets::REPORT, transfer::REPORT, files::REPORT, jvm::REPORT, tls::REPORT];

/// Returns what `document` shows, derived from its figures alone.
pub fn claims(document: &Document) -> Vec<Claim> {
    let claim = |kind| Claim::new(kind, Subject::default()).leading();
    if let Some(kind) = facts::unranked_kind(document) {
        return vec![claim(kind)];
    }
    if let Some(origin) = &document.run.origin {
        return vec![claim("quoted").with_figure("kind", Figure::Text(origin.kind.name().into()))];
    }
    let mut of_levels: Vec<Claim> = LEVELS.iter().flat_map(|level| (level.claims)(document)).collect();
    // What is said of Java stands last.
    of_levels.sort_by_key(|claim| is_of(claim, "jvm"));
    match primitives::claims(document) {
        None if of_levels.is_empty() => vec![claim("nothing-ranked")],
        None => of_levels,
        Some(claims) => {
            of_levels.retain(|claim| claim.leads || !is_of(claim, "jvm"));
            claims.into_iter().map(Claim::leading).chain(of_levels).collect()
        }
    }
}

/// Returns the claim over all `claims`: of several gains at most three are named.
pub(crate) fn headline(claims: &[Claim]) -> Text {
    let gains: Vec<&Claim> = claims.iter().filter(|claim| claim.kind == "accelerated").take(3).collect();
    if let Some(Claim { subject: Subject { bytes: Some(bytes), library, .. }, .. }) = gains.first() {
        let each = Text::list(Separator::And, gains.iter().map(|claim| claim.attribute("short")));
        return say!("claim-headline-gains", gains = each, size = size(*bytes), library = library);
    }
    // Transfers are told with the packets.
    let of = |level| claims.iter().filter(move |claim| is_of(claim, level)).collect::<Vec<_>>();
    let (files, packets, transfers) = (of("files"), of("packets"), of("transfer"));
    if !files.is_empty() && files.len() == claims.len() {
        return files::headline(&files);
    }
    if packets.len() + transfers.len() == claims.len() && (!packets.is_empty() || claims.is_empty()) {
        return packets::headline(&packets);
    }
    if let Some(claim) = transfers.first().or(of("jvm").first()) {
        return claim.sentence();
    }
    let find = |kind| claims.iter().find(|claim| claim.kind == kind);
    if find("hindered").is_some() {
        return say!("claim-headline-hindered");
    }
    let finals = ["quoted", "emulated", "under-wine", "incomplete", "nothing-ranked"];
    match finals.into_iter().find_map(find) {
        Some(claim) => claim.sentence(),
        None if find("no-gain").is_some() => say!("claim-headline-no-gain"),
        None => say!("claim-headline-not-switched"),
    }
}

/// Returns the tables of every figure of `document`, one level after the other.
pub(crate) fn tables(document: &Document) -> Vec<Table> {
    let general = |level: Level| {
        let name = (level != Level::Primitives).then(|| level.name());
        primitives::tables(&Selection::of_level(document, level), name)
    };
    let of_level = |level: Level| match level {
        Level::Packets => [(packets::REPORT.tables)(document), (transfer::REPORT.tables)(document)].concat(),
        Level::Jvm => [general(level), (jvm::REPORT.tables)(document)].concat(),
        level => general(level),
    };
    levels(document).into_iter().flat_map(of_level).collect()
}

fn is_of(claim: &Claim, level: &str) -> bool {
    claim.kind.strip_prefix(level).is_some_and(|rest| rest.starts_with('-'))
}
