//! Advice in words: for a terminal, a page, another program.
//!
//! [`texts`] are harmless to a terminal, and must still be escaped for HTML.

mod print;
mod sentence;

pub use print::{render, render_runs};
pub use sentence::topic_heading;

use crate::language::messages;
use crate::selection::join;
use crate::visible::short;
use kasoku_advice::{Advice, ConfigurationLines, RuleFinding, Topic, Weight};
use kasoku_model::document::Document;
use kasoku_model::language::Language;
use serde::Serialize;

/// One piece of advice in a language; in JSON by its serialized names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdviceText {
    /// The rule's name.
    pub rule: &'static str,
    /// What it is about.
    pub topic: Topic,
    /// The topic as a heading.
    #[serde(skip)]
    pub heading: &'static str,
    /// How much it asks of the reader.
    pub weight: Weight,
    /// Whether it belongs into the lines over all advice.
    #[serde(rename = "headline")]
    pub is_headline: bool,
    /// What to do.
    #[serde(rename = "advice")]
    pub says: String,
    /// The figures and observations behind it, a line each.
    pub figures: Vec<String>,
    /// The reason for the advice.
    pub reason: &'static str,
    /// What to paste where.
    pub lines: Vec<ConfigurationLines>,
}

/// What stands over advice: the machine, where its figures come from, what is not known.
struct Heading {
    /// `Advice for Raspberry Pi4`.
    title: String,
    /// What a reader must know of the figures.
    notes: Vec<String>,
}

/// The advice on `document`, by topic; only on `topics` unless there are none.
pub fn texts(document: &Document, topics: &[Topic], language: Language) -> Vec<AdviceText> {
    let advice = kasoku_advice::advice(document).into_iter();
    let wanted = advice.filter(|one| topics.is_empty() || topics.contains(&one.rule.topic));
    wanted.map(|one| text(one, language)).collect()
}

/// The advice on a machine by several of its runs: on each topic that of the first run that leads to any.
fn texts_of_runs<'d>(
    documents: &[&'d Document],
    topics: &[Topic],
    language: Language,
) -> Vec<(&'d Document, AdviceText)> {
    let mut all: Vec<(&Document, AdviceText)> = Vec::new();
    for document in documents {
        let mut new = texts(document, topics, language);
        new.retain(|text| all.iter().all(|(_, known)| known.topic != text.topic));
        all.extend(new.into_iter().map(|text| (*document, text)));
    }
    all.sort_by_key(|(_, text)| text.topic);
    all
}

/// What stands over the advice on `document`, of which there may be none; `topics` were asked for.
fn heading(document: &Document, is_empty: bool, topics: &[Topic], language: Language) -> Heading {
    let words = &messages(language).advice;
    let mut name = short(document.machine.label(), 80);
    if document.machine.name.is_some() && !document.machine.cpu.is_empty() {
        name.push_str(&format!(" ({})", short(&document.machine.cpu, 80)));
    }
    let title = (words.title)(if name.is_empty() { words.unnamed } else { &name });
    let mut notes = Vec::new();
    let origin = document.run.origin.as_ref();
    notes.extend(origin.map(|origin| (words.origin)(origin.kind, &short(&origin.source, 100))));
    notes.extend(basis(document, language));
    if !document.run.complete {
        notes.push(words.incomplete.to_owned());
    }
    if is_empty {
        notes.push(if topics.is_empty() { words.nothing } else { words.nothing_on_topic }.to_owned());
    }
    Heading { title, notes }
}

/// From which library's figures choices are made on `document`; `None` if it has none.
pub fn basis(document: &Document, language: Language) -> Option<String> {
    let facts = kasoku_advice::Facts::new(document);
    let (library, version) = facts.library()?;
    Some((messages(language).advice.library)(&join(library, version, "")))
}

fn text(advice: Advice, language: Language) -> AdviceText {
    let Advice { rule, found: RuleFinding { values, evidence }, lines } = advice;
    AdviceText {
        rule: rule.id,
        topic: rule.topic,
        heading: topic_heading(rule.topic, language),
        weight: rule.weight,
        is_headline: rule.is_headline,
        says: sentence::fill(rule.says.of(language), &values, language),
        figures: evidence.iter().map(|one| sentence::evidence(one, language)).collect(),
        reason: rule.why.of(language),
        lines,
    }
}
