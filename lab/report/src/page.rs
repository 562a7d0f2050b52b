//! The page of a run, for readers who did not see the run: header, key figures and sections.

use crate::claim::headline;
use crate::collection::{Surroundings, history, others};
use crate::level::{Findings, primitives};
use crate::prelude::*;
use crate::quantity::figure;
use crate::screen::libraries::{Lead, leads};
use crate::screen::{self, quality};
use crate::selection::{levels, times};
use crate::{advice, choices, facts, missing, remark, steps};

const CARDS: usize = 5;
/// Maximum width of a library's name at the top, in columns.
const NAME: usize = 20;

/// A key figure at the top of the page: value, meaning and origin.
pub(crate) type Card = [Text; 3];

#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    pub document: &'a Document,
    /// Other runs and rankings to compare the run with; `None` for a page without them.
    pub surroundings: Option<&'a Surroundings>,
}

#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    /// Name of the run in the table of contents, if a page has several runs.
    pub(crate) name: Text,
    pub(crate) title: Text,
    pub(crate) window_title: Text,
    /// Reason why nothing is ranked: a heading and its explanation.
    pub(crate) alert: Option<[Text; 2]>,
    /// Headline over all claims; `None` for published figures.
    pub(crate) headline: Option<Text>,
    pub(crate) quality: Option<Block>,
    pub(crate) has_notes: bool,
    pub(crate) facts: Text,
    pub(crate) origin: Option<Text>,
    pub(crate) cards: Vec<Card>,
    pub(crate) sections: Vec<Section>,
}

impl RunReport {
    pub(crate) fn new(run: Shown<'_>) -> Self {
        let document = run.document;
        let (findings, selection) = (Findings::new(document), Selection::new(document));
        let leads = leads(&selection);
        RunReport {
            name: title(document),
            title: title(document),
            window_title: say!("page-window", machine = Text::name(document.machine.label(), 80)),
            alert: facts::unranked_kind(document)
                .map(|kind| [say!(format!("page-{kind}")), say!(format!("page-{kind}-means"))]),
            headline: document.run.origin.is_none().then(|| headline(&findings.claims)),
            quality: quality(document),
            has_notes: !document.run.notes.is_empty(),
            facts: Text::list(Separator::Dot, facts::beside_the_name(document)),
            origin: facts::origin(document),
            cards: cards(&selection, &findings, &leads),
            sections: sections(run, &findings),
        }
    }
}

/// Returns the text at the foot of a chart file of `document`: the machine, and the run or the source.
pub(crate) fn source(document: &Document) -> Text {
    let run = &document.run;
    let parts = match &run.origin {
        Some(origin) => vec![title(document), Text::name(&origin.source, 100)],
        None => {
            let kasoku = format!("Kasoku {}", short(&run.kasoku, 40)).into();
            vec![title(document), Text::name(&run.started, 40), kasoku]
        }
    };
    Text::list(Separator::Dot, parts)
}

/// Returns the sections of a run's page. The most important sections are open, the others closed.
fn sections(Shown { document, surroundings }: Shown<'_>, findings: &Findings<'_>) -> Vec<Section> {
    let (selection, palette) = (Selection::new(document), Palette::for_document(document));
    let advice = kasoku_advice::advice(document);
    let mut sections = vec![
        choices::section(&advice),
        screen::libraries::section(&selection, &palette),
        screen::worth::section(&selection),
        primitives::public_keys(&selection, &palette),
        surroundings.and_then(|around| others::section(document, around)),
    ];
    sections.extend(findings.levels.iter().map(|(level, claims)| Some(level.section(claims, &palette))));
    sections.extend([
        surroundings.and_then(|around| history::section(document, around, &palette)),
        Some(verdict(&findings.claims)),
        primitives::throughput(&selection, &palette),
        ratios(&selection),
        rankings(&selection),
        steps::section(document),
        advice::section(document, &advice),
        Section::folded("missing", say!("page-missing"), missing::tables(document).map(Block::SentenceTable).collect())
            .any(),
        Section::folded("notes", say!("page-notes"), Block::list(remark::notes(document)).into_iter().collect()).any(),
        Some(background(document)),
        figures(&selection),
        repetition(document),
    ]);
    sections.into_iter().flatten().collect()
}

fn verdict(claims: &[Claim]) -> Section {
    // The other claims stand in their levels' sections.
    let has_leading = claims.iter().any(|claim| claim.leads);
    let sentences = Block::sentences(claims.iter().filter(|claim| claim.leads || !has_leading));
    Section::folded("verdict", say!("page-verdict"), sentences.into_iter().collect())
}

fn ratios(selection: &Selection<'_>) -> Option<Section> {
    let kinds = primitives::KINDS.into_iter();
    let ratios: Vec<Block> = kinds.filter_map(|kind| primitives::ratios(selection, kind)).collect();
    if !selection.document.run.complete || ratios.is_empty() {
        return None;
    }
    let explained = if selection.is_quoted() { say!("origin-ratios") } else { say!("page-ratios-explained") };
    let blocks = [vec![Block::Paragraph(explained)], ratios].concat();
    Some(Section::folded("ratios", say!("page-on-and-off"), blocks))
}

fn rankings(selection: &Selection<'_>) -> Option<Section> {
    let primary = selection.primary().filter(|_| selection.document.run.complete)?;
    let fastest = primitives::fastest(selection, primary);
    let is_any = !fastest.rows.is_empty();
    is_any.then(|| Section::folded("fastest", say!("page-fastest"), vec![Block::Table(fastest)]))
}

fn background(document: &Document) -> Section {
    let explained = match &document.run.origin {
        Some(origin) => say!("origin-method", kind = origin.kind.name()),
        None => say!("page-method-explained"),
    };
    let machine = vec![Block::Heading(say!("page-machine")), Block::Pairs(facts::machine(document))];
    let method =
        vec![Block::Heading(say!("page-method")), Block::Pairs(facts::method(document)), Block::Paragraph(explained)];
    let both = Block::Class("two", vec![Block::Class("half", machine), Block::Class("half", method)]);
    Section::folded("machine", say!("page-background"), vec![both])
}

/// Returns the section with the tables of all figures. Omits packets, whose own section has their tables.
fn figures(selection: &Selection<'_>) -> Option<Section> {
    let document = selection.document;
    let levels: Vec<Level> = levels(document).into_iter().filter(|level| *level != Level::Packets).collect();
    let explained = if selection.is_quoted() { say!("origin-figures") } else { say!("page-figures-explained") };
    let mut blocks = vec![Block::Paragraph(explained)];
    for level in &levels {
        if *level != Level::Primitives {
            blocks.push(Block::Heading(level.name().into()));
        }
        let tables = primitives::tables(&Selection::of_level(document, *level), None);
        blocks.extend(tables.into_iter().map(Block::Table));
    }
    (!levels.is_empty()).then(|| Section::folded("figures", say!("page-figures"), blocks))
}

fn repetition(document: &Document) -> Option<Section> {
    let run = &document.run;
    if run.origin.is_some() && run.command.is_empty() {
        return None;
    }
    let command = Block::Code { code: short(&run.command, 1000), is_log: false };
    let name = Block::Paragraph(say!("page-run", run = short(&run.id, 80)));
    Some(Section::folded("repeat", say!("page-repeat"), vec![command, name]))
}

fn title(document: &Document) -> Text {
    match document.machine.label() {
        "" => say!("facts-unnamed"),
        label => Text::name(label, 100),
    }
}

fn is_gain(claim: &Claim) -> bool {
    claim.kind == "accelerated"
}

fn cards(selection: &Selection<'_>, findings: &Findings<'_>, leads: &[Lead<'_>]) -> Vec<Card> {
    let is_main = |claim: &&Claim| matches!(claim.subject.algorithm, Some(Algorithm::Aes128Gcm | Algorithm::Aes256Gcm));
    let (main, others): (Vec<&Claim>, Vec<&Claim>) =
        findings.claims.iter().filter(|claim| is_gain(claim)).partition(is_main);
    let gain = |claim: &Claim| gain_card(selection, claim);
    let mut cards: Vec<Card> = main.into_iter().find_map(gain).into_iter().collect();
    cards.extend(leads.iter().map(lead_card));
    if leads.len() < 2 {
        let claims = findings.levels.iter().flat_map(|(_, claims)| claims);
        cards.extend(claims.filter(|claim| claim.kind == "packets-speed").find_map(packet_card));
    }
    cards.extend(others.into_iter().filter_map(gain));
    let best = [Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305];
    cards.extend(best.into_iter().filter_map(|algorithm| best_card(selection, algorithm)));
    cards.truncate(CARDS);
    cards
}

fn gain_card(selection: &Selection<'_>, claim: &Claim) -> Option<Card> {
    let (algorithm, bytes) = claim.subject.algorithm.zip(claim.subject.bytes)?;
    let speed = |state| {
        let key = SeriesKey::new(selection.primary()?, state, Task::main(algorithm), bytes);
        let series = selection.ranked(key)?;
        Some(figure(series.median?, series.unit))
    };
    let [on, off] = [Acceleration::On, Acceleration::Off].map(speed);
    Some([
        say!("words-times", ratio = claim.figure("times")?),
        say!("page-with-acceleration", algorithm = algorithm.title()),
        say!("page-instead-of", on = on, off = off),
    ])
}

fn packet_card(speed: &Claim) -> Option<Card> {
    let rate = speed.figure("rate")?.clone();
    Some([rate, say!("packets-card", size = size(speed.subject.bytes?)), speed.attribute("card")])
}

fn lead_card(lead: &Lead<'_>) -> Card {
    let [first, second] = [lead.first, lead.second].map(|series| short(&series.library, NAME));
    let [fast, slow] = &lead.figures;
    [
        times(lead.by.ratio),
        say!("page-against", first = first, second = second),
        say!("page-ahead-at", what = &lead.title, fast = fast, slow = slow),
    ]
}

fn best_card(selection: &Selection<'_>, algorithm: Algorithm) -> Option<Card> {
    let (primary, bytes) = selection.primary().zip(selection.yardstick(AlgorithmKind::Aead))?;
    let ranking = selection.ranking(primary, Task::main(algorithm), bytes);
    let (who, series) = ranking.first()?;
    Some([
        figure(series.median.unwrap_or_default(), series.unit).into(),
        say!("page-at-best", algorithm = algorithm.title()),
        say!("page-at-with", size = size(bytes), library = selection.full_label(*who)),
    ])
}
