//! What to choose on a machine, from what a run found on it.
//!
//! [`advice`] lays the [`Facts`] of one document before every rule. A rule is a row of a table ([`Rule`]): when it
//! applies, and lines ready to paste; catalogues of messages have its sentences. Figures decide; what no figure and no
//! feature tells is not guessed. Nothing here makes a thing faster by making it weaker, and no line to paste holds
//! anything from the document.

pub mod facts;
pub mod figure;
pub mod lines;
pub mod rule;
pub mod rules;

pub use facts::Facts;
pub use rule::{ConfigurationLines, Evidence, Rule, RuleFinding, Topic, Value, Weight};

use kasoku_model::document::Document;

/// A rule that applies to a document, with what it found.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The rule.
    pub rule: &'static Rule,
    /// Variables of its message, and the figures behind it.
    pub found: RuleFinding,
    /// Lines to paste, for each program or file.
    pub lines: Vec<ConfigurationLines>,
}

/// What `document` is reason to advise, by topic; empty if there is nothing in it to go by.
pub fn advice(document: &Document) -> Vec<Advice> {
    let facts = Facts::new(document);
    let mut advice: Vec<Advice> = rules::all()
        .filter_map(|rule| {
            let found = (rule.applies)(&facts)?;
            Some(Advice { rule, found, lines: lines::fill((rule.lines)(&facts), &facts) })
        })
        .collect();
    advice.sort_by_key(|one| (one.rule.topic, one.rule.weight));
    advice
}
