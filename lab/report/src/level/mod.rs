//! Report of each level, and the claims over all levels.

pub(crate) mod files;
pub(crate) mod jvm;
pub(crate) mod packets;
pub(crate) mod primitives;
pub(crate) mod tls;
pub(crate) mod transfer;

use crate::facts;
use crate::prelude::*;
use crate::selection::levels;

use files::FileSelection;
use jvm::JvmSelection;
use packets::PacketSelection;
use tls::ServerSelection;
use transfer::TransferSelection;

/// A report of a level, or of a part of a level with its own kind of figures.
pub(crate) trait LevelReport {
    /// Returns the claims of a complete run.
    fn claims(&self) -> Vec<Claim>;
    fn summary(&self) -> Vec<Table>;
    /// Returns the page's section, which begins with `claims`.
    fn section(&self, claims: &[Claim], palette: &Palette) -> Section;
}

/// Returns the reports of the levels in `document`, in the order of terminal and page. The level primitives has no
/// report, since it makes up the rest of the page.
pub(crate) fn reports(document: &Document) -> Vec<Box<dyn LevelReport + '_>> {
    fn boxed<'d>(report: Option<impl LevelReport + 'd>) -> Option<Box<dyn LevelReport + 'd>> {
        report.map(|report| Box::new(report) as _)
    }
    let all = [
        boxed(PacketSelection::new(document)),
        boxed(TransferSelection::new(document)),
        boxed(FileSelection::new(document)),
        boxed(JvmSelection::new(document)),
        boxed(ServerSelection::new(document)),
    ];
    all.into_iter().flatten().collect()
}

pub(crate) struct Findings<'d> {
    pub(crate) claims: Vec<Claim>,
    pub(crate) levels: Vec<(Box<dyn LevelReport + 'd>, Vec<Claim>)>,
}

impl<'d> Findings<'d> {
    /// Derives the claims from the figures of `document`. Levels of interrupted runs have no claims.
    pub(crate) fn new(document: &'d Document) -> Self {
        let with_claims = |report: Box<dyn LevelReport + 'd>| {
            let claims = if document.run.complete { report.claims() } else { Vec::new() };
            (report, claims)
        };
        let levels: Vec<_> = reports(document).into_iter().map(with_claims).collect();
        let claims = over_all(document, levels.iter().flat_map(|(_, claims)| claims).cloned().collect());
        Findings { claims, levels }
    }
}

pub fn claims(document: &Document) -> Vec<Claim> {
    Findings::new(document).claims
}

/// Adds the claims about primitives to `of_levels`. For a run that is not ranked, returns a single claim.
fn over_all(document: &Document, mut of_levels: Vec<Claim>) -> Vec<Claim> {
    let claim = |kind| Claim::new(kind, Subject::default()).leading();
    if let Some(kind) = facts::unranked_kind(document) {
        return vec![claim(kind)];
    }
    if let Some(origin) = &document.run.origin {
        return vec![claim("quoted").with("kind", origin.kind.name())];
    }
    // Claims about Java come last.
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

/// Returns the headline over all `claims`, which names at most three gains.
pub(crate) fn headline(claims: &[Claim]) -> Text {
    let gains: Vec<&Claim> = claims.iter().filter(|claim| claim.kind == "accelerated").take(3).collect();
    if let Some(Claim { subject: Subject { bytes: Some(bytes), library, .. }, .. }) = gains.first() {
        let each = Text::list(Separator::And, gains.iter().map(|claim| claim.attribute("short")));
        return say!("claim-headline-gains", gains = each, size = size(*bytes), library = library);
    }
    // Transfers belong to the packets.
    let claims_of = |level| claims.iter().filter(move |claim| is_of(claim, level)).collect::<Vec<_>>();
    let (files, packets, transfers) = (claims_of("files"), claims_of("packets"), claims_of("transfer"));
    if !files.is_empty() && files.len() == claims.len() {
        return files.iter().find(|claim| claim.leads).or(files.last()).map(|claim| claim.sentence()).into();
    }
    let find = |kind| claims.iter().find(|claim| claim.kind == kind);
    if packets.len() + transfers.len() == claims.len() && (!packets.is_empty() || claims.is_empty()) {
        let speed = find("packets-speed");
        return speed.map_or_else(|| say!("packets-nothing-compared"), |claim| claim.attribute("headline"));
    }
    if let Some(claim) = transfers.first().or(claims_of("jvm").first()) {
        return claim.sentence();
    }
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

pub(crate) fn tables(document: &Document) -> Vec<Table> {
    let general = |level: Level| {
        let name = (level != Level::Primitives).then(|| level.name());
        primitives::tables(&Selection::of_level(document, level), name)
    };
    let of_level = |level: Level| match level {
        Level::Packets => {
            let packets = PacketSelection::new(document).map(|packets| packets.tables());
            let transfers = TransferSelection::new(document).map(|transfers| transfers.tables());
            [packets, transfers].into_iter().flatten().flatten().collect()
        }
        Level::Jvm => {
            let java = JvmSelection::new(document).map(|java| java.server_tables(true));
            general(level).into_iter().chain(java.into_iter().flatten()).collect()
        }
        level => general(level),
    };
    levels(document).into_iter().flat_map(of_level).collect()
}

/// Creates a level's section from its id, the message of its title, and the message that labels the fold. Shows
/// `claims` and `open`; the fold hides `more`.
fn section<'c>(
    [id, title, of_more]: [&'static str; 3],
    claims: impl IntoIterator<Item = &'c Claim>,
    open: impl IntoIterator<Item = Block>,
    more: Vec<Block>,
) -> Section {
    let fold = Block::Fold(say!(of_more), more);
    let blocks = Block::sentences(claims).into_iter().chain(open).chain([fold]).collect();
    Section::open(id, say!(title), blocks)
}

fn is_of(claim: &Claim, level: &str) -> bool {
    claim.kind.strip_prefix(level).is_some_and(|rest| rest.starts_with('-'))
}
