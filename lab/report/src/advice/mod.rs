//! Advice on a machine as texts and blocks, with the figures that it is based on.

mod evidence;

use crate::prelude::*;
use crate::quantity::{figure, times};
use crate::text::name_in_documents;
use kasoku_advice::{Advice, Facts, Rule, Topic, Value, Weight};
use kasoku_model::document::OriginKind;

#[derive(Clone, Debug)]
pub struct AdviceText {
    pub rule: &'static Rule,
    pub says: Text,
    /// Figures and observations that the advice is based on, one line each.
    pub figures: Vec<Text>,
    pub reason: Text,
    /// Configuration lines to paste, each with its program or file.
    pub lines: Vec<(&'static str, String)>,
}

impl AdviceText {
    /// Whether the advice reports a fault, not a choice.
    pub(crate) fn is_urgent(&self) -> bool {
        self.rule.weight == Weight::Act
    }
}

#[derive(Clone, Debug)]
pub struct AdviceReport<'d> {
    pub title: Text,
    pub notes: Vec<Text>,
    /// Runs that at least one piece of advice is based on; only the first run if there is no advice.
    pub runs: Vec<&'d Document>,
    pub advice: Vec<(&'d Document, AdviceText)>,
}

impl<'d> AdviceReport<'d> {
    /// Collects the advice of `documents`, on `topics` only unless `topics` is empty. On each topic, only the first
    /// document with advice counts.
    pub fn new(documents: &'d [Document], topics: &[Topic]) -> Self {
        let mut advice: Vec<(&Document, AdviceText)> = Vec::new();
        for document in documents {
            let mut new = texts(document, topics);
            new.retain(|text| advice.iter().all(|(_, known)| known.rule.topic != text.rule.topic));
            advice.extend(new.into_iter().map(|text| (document, text)));
        }
        advice.sort_by_key(|(_, text)| text.rule.topic);
        let mut runs: Vec<&Document> = Vec::new();
        for run in advice.iter().map(|(run, _)| *run).chain(documents.first().filter(|_| advice.is_empty())) {
            if !runs.iter().any(|known| std::ptr::eq(*known, run)) {
                runs.push(run);
            }
        }
        let notes_of = |run: &&'d Document| {
            let of_run = advice.iter().filter(|(of, _)| runs.len() > 1 && std::ptr::eq(*of, *run));
            notes_of(run, &unique(of_run.map(|(_, text)| text.rule.topic)))
        };
        let mut notes = unique(runs.iter().flat_map(notes_of));
        if advice.is_empty() {
            notes.push(if topics.is_empty() { say!("advice-nothing") } else { say!("advice-nothing-on-topic") });
        }
        let title = say!("advice-title", machine = runs.first().map(|run| machine(run)));
        AdviceReport { title, notes, runs, advice }
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        let notes = self.notes.iter().cloned().map(Block::Paragraph);
        notes.chain(blocks(self.advice.iter().map(|(_, text)| text))).collect()
    }
}

/// Returns the advice on `document` by topic, on `topics` only unless `topics` is empty.
pub fn texts(document: &Document, topics: &[Topic]) -> Vec<AdviceText> {
    let advice = kasoku_advice::advice(document).into_iter();
    advice.filter(|one| topics.is_empty() || topics.contains(&one.rule.topic)).map(|one| text(&one)).collect()
}

pub fn topic_heading(topic: Topic) -> Text {
    say!("advice-topic", topic = name_in_documents(topic))
}

/// Returns the page's section with `advice` on `document`; `None` without advice.
pub(crate) fn section(document: &Document, advice: &[Advice]) -> Option<Section> {
    let advice: Vec<AdviceText> = advice.iter().map(text).collect();
    let basis = basis(document).filter(|_| !advice.is_empty()).map(Block::Paragraph);
    Section::folded("advice", say!("around-advice"), basis.into_iter().chain(blocks(&advice)).collect()).any()
}

/// Lists the headlines, then all advice under a heading for each topic.
fn blocks<'a>(advice: impl IntoIterator<Item = &'a AdviceText>) -> Vec<Block> {
    let advice: Vec<&AdviceText> = advice.into_iter().collect();
    let headlines = advice.iter().filter(|text| text.rule.is_headline).map(|text| text.says.clone());
    let mut blocks: Vec<Block> = Block::list(headlines).into_iter().collect();
    if !blocks.is_empty() {
        blocks.insert(0, Block::Heading(say!("advice-short")));
    }
    for of_topic in advice.chunk_by(|left, right| left.rule.topic == right.rule.topic) {
        blocks.extend(of_topic.first().map(|text| Block::Heading(topic_heading(text.rule.topic))));
        blocks.extend(of_topic.iter().map(|text| Block::Advice((*text).clone())));
    }
    blocks
}

pub(crate) fn text(Advice { rule, found, lines }: &Advice) -> AdviceText {
    let arguments = found.values.iter().map(|(name, value)| (*name, argument(value))).collect();
    AdviceText {
        rule,
        says: Text::Message { key: format!("advice-{}", rule.id).into(), arguments },
        figures: found.evidence.iter().map(evidence::sentence).collect(),
        reason: say!(format!("advice-{}.why", rule.id)),
        lines: lines.clone(),
    }
}

fn argument(value: &Value) -> Text {
    match value {
        Value::Algorithm(algorithm) => algorithm.title().into(),
        Value::Times(ratio) => times(*ratio).into(),
        Value::Percent(share) => percent(*share).into(),
        Value::Speed(speed) => figure(speed.value, speed.unit).into(),
        Value::Name(name) => Text::name(name, 100),
        Value::Library(library, version) => join(library, version).into(),
        Value::Words(key) => say!(*key),
    }
}

fn machine(document: &Document) -> Text {
    let machine = &document.machine;
    match (&machine.name, machine.cpu.as_str()) {
        _ if machine.label().is_empty() => say!("advice-unnamed"),
        (Some(name), cpu) if !cpu.is_empty() => format!("{} ({})", short(name, 80), short(cpu, 80)).into(),
        _ => Text::name(machine.label(), 80),
    }
}

/// Returns notes on the figures of `document`. If several documents give advice, `topics` are the topics on which this
/// document does.
fn notes_of(document: &Document, topics: &[Topic]) -> Vec<Text> {
    let run = &document.run;
    let origin = run.origin.as_ref().map(|origin| {
        let kind = if origin.kind == OriginKind::Published { "published" } else { "transcript" };
        say!("advice-origin", kind = kind, source = Text::name(&origin.source, 100))
    });
    let incomplete = (!run.complete).then(|| say!("advice-incomplete"));
    let name = [Some(run.id.as_str()), run.label.as_deref(), run.started.get(..10)].into_iter().flatten();
    let name = Text::list(Separator::Dot, name.map(|part| Text::name(part, 60)));
    let by = match Text::list(Separator::Comma, topics.iter().map(|topic| topic_heading(*topic))) {
        topics if topics.is_empty() => say!("advice-by-run", run = name),
        topics => say!("advice-by-runs", topics = topics, run = name),
    };
    [origin, basis(document), incomplete, Some(by)].into_iter().flatten().collect()
}

/// Names the library whose figures the recommendations are based on; `None` if `document` has no figures.
fn basis(document: &Document) -> Option<Text> {
    let facts = Facts::new(document);
    let (library, version) = facts.library?;
    Some(say!("advice-library", library = join(library, version)))
}
