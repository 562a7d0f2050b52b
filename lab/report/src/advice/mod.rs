//! Advice in words: for a terminal, a page, another program.
//!
//! [`texts`] is for whoever puts advice on a page of its own; everything in it is harmless to a terminal, and must still be
//! escaped for HTML.

mod english;
mod fill;
mod japanese;
mod print;

pub use print::render;

use crate::selection::join;
use crate::visible::short;
use kasoku_advice::rule::Wording;
use kasoku_advice::{Advice, Evidence, Found, Lines, Rule, Topic, Value, Weight};
use kasoku_model::document::{Document, Origin};
use kasoku_model::language::Language;

/// One piece of advice in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The rule's name.
    pub rule: &'static str,
    /// What it is about.
    pub topic: Topic,
    /// The same as a heading.
    pub heading: &'static str,
    /// How much it asks of the reader.
    pub weight: Weight,
    /// Whether it belongs into the lines over all advice.
    pub is_headline: bool,
    /// What to do.
    pub says: String,
    /// The figures and observations behind it, a line each.
    pub figures: Vec<String>,
    /// Why.
    pub reason: &'static str,
    /// What to paste where.
    pub lines: Vec<Lines>,
}

/// What [`Text`]s stand under: the machine, where its figures come from, what is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// `Advice for Raspberry Pi4`.
    pub title: String,
    /// What a reader must know of the figures.
    pub notes: Vec<String>,
}

/// How a language says it. One that lacks a sentence does not compile.
struct Messages {
    /// The heading of a topic.
    topic: fn(Topic) -> &'static str,
    /// A rule's words.
    wording: fn(&Rule) -> Wording,
    /// What fills a gap.
    value: fn(&Value) -> String,
    /// A line of figures.
    evidence: fn(&Evidence) -> String,
    /// `Advice for X`.
    title: fn(&str) -> String,
    /// For a machine without a name.
    unnamed: &'static str,
    /// Figures from a publication or transcript.
    origin: fn(&Origin) -> String,
    /// From which library's figures the choices are made.
    library: fn(&str) -> String,
    /// The run did not reach its end.
    incomplete: &'static str,
    /// There is nothing to go by, at all or for these topics.
    nothing: &'static str,
    /// The same for the topics that were asked for.
    nothing_on_topic: &'static str,
    /// The headings `In short`, `figures`, `why`.
    short: &'static str,
    figures: &'static str,
    why: &'static str,
    /// The columns of a list.
    columns: [&'static str; 7],
}

fn messages(language: Language) -> &'static Messages {
    match language {
        Language::English => &english::ENGLISH,
        Language::Japanese => &japanese::JAPANESE,
    }
}

/// The advice on `document`, by topic; only on `topics` unless there are none.
pub fn texts(document: &Document, topics: &[Topic], language: Language) -> Vec<Text> {
    let messages = messages(language);
    let advice = kasoku_advice::advice(document).into_iter();
    let wanted = advice.filter(|one| topics.is_empty() || topics.contains(&one.rule.topic));
    wanted.map(|one| text(one, messages)).collect()
}

/// What the advice on `document` stands under; `texts` is that advice, `topics` what was asked for.
pub fn heading(document: &Document, texts: &[Text], topics: &[Topic], language: Language) -> Heading {
    let messages = messages(language);
    let mut name = short(document.machine.label(), 80);
    if document.machine.name.is_some() && !document.machine.cpu.is_empty() {
        name.push_str(&format!(" ({})", short(&document.machine.cpu, 80)));
    }
    let title = (messages.title)(if name.is_empty() { messages.unnamed } else { &name });
    let mut notes = Vec::new();
    notes.extend(document.run.origin.as_ref().map(messages.origin));
    if let Some((library, version)) = kasoku_advice::Facts::new(document).library() {
        notes.push((messages.library)(&join(library, version, "")));
    }
    if !document.run.complete {
        notes.push(messages.incomplete.to_owned());
    }
    if texts.is_empty() {
        notes.push(if topics.is_empty() { messages.nothing } else { messages.nothing_on_topic }.to_owned());
    }
    Heading { title, notes }
}

/// From which library's figures choices are made on `document`; `None` if it has none.
pub fn basis(document: &Document, language: Language) -> Option<String> {
    let facts = kasoku_advice::Facts::new(document);
    let (library, version) = facts.library()?;
    Some((messages(language).library)(&join(library, version, "")))
}

/// The heading of a topic.
pub fn topic_heading(topic: Topic, language: Language) -> &'static str {
    (messages(language).topic)(topic)
}

fn text(advice: Advice, messages: &Messages) -> Text {
    let Advice { rule, found, lines } = advice;
    let wording = (messages.wording)(rule);
    let Found { values, evidence } = found;
    Text {
        rule: rule.id,
        topic: rule.topic,
        heading: (messages.topic)(rule.topic),
        weight: rule.weight,
        is_headline: rule.is_headline,
        says: fill::fill(wording.says, &values, messages.value),
        figures: evidence.iter().map(messages.evidence).collect(),
        reason: wording.reason,
        lines,
    }
}
