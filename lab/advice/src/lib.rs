//! Advises which algorithms, libraries and settings to choose on a machine, by the results of a run on it.
//!
//! [`advice`] applies every [`Rule`] to the [`Facts`] of a run document. The catalogues of `kasoku-report` have the
//! sentences. Rules go by figures and CPU features and never guess. No rule trades security for speed, and no text of
//! the document gets into lines to paste.

pub mod facts;
pub mod figure;
pub mod lines;
pub mod rule;
pub mod rules;

pub use facts::Facts;
pub use rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight};

use kasoku_model::document::Document;

/// A rule that applies to a document, with its finding.
#[derive(Clone, Debug)]
pub struct Advice {
    pub rule: &'static Rule,
    pub found: RuleFinding,
    /// Lines to paste, each text with its program, file or section of a file. Texts do not end with a newline.
    pub lines: Vec<(&'static str, String)>,
}

/// Returns the advice for a document, ordered by topic and weight; empty if no rule applies.
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
