//! What a language must be able to say of steps.

use kasoku_model::language::Language;
use kasoku_model::steps::{Form, Rule};

/// The words of one language. One that is missing does not compile.
pub(super) struct Messages {
    /// Which language it is.
    pub(super) language: Language,
    /// What the page is.
    pub(super) title: &'static str,
    /// The headings: sizes, code path, how sizes count, fixed cost, cost per byte, cycles per byte.
    pub(super) headings: [&'static str; 6],
    /// What is known of a curve beside its name: how many sizes, and how it was judged.
    pub(super) sizes: fn(count: usize, rule: Rule) -> String,
    /// How sizes count in a piece; empty where each byte counts alike.
    pub(super) form: fn(Form) -> String,
    /// Where a step is.
    pub(super) place: fn(&Place) -> String,
    /// What changes there.
    pub(super) change: fn(&Change) -> String,
    /// Where, and what changes.
    pub(super) sentence: fn(about: &str, what: &str) -> String,
    /// Why a curve has no step.
    pub(super) absence: fn(name: &str, reason: &str) -> String,
    /// A known cause.
    pub(super) cause: fn(reason: &str) -> String,
    /// That the cause is not known.
    pub(super) cause_unknown: &'static str,
    /// The curves without steps.
    pub(super) none: fn(names: &[String]) -> String,
    /// That no curve has a step.
    pub(super) none_at_all: fn(curves: usize) -> String,
    /// That nothing was measured at enough sizes.
    pub(super) nothing: &'static str,
    /// That a run did not reach its end.
    pub(super) incomplete: &'static str,
    /// So many threads.
    pub(super) threads: fn(u64) -> String,
    /// What the columns of pieces mean.
    pub(super) reading: &'static str,
}

/// Where a step is.
pub(super) struct Place {
    /// The last size before it.
    pub(super) before: usize,
    /// The first size after it.
    pub(super) at: usize,
    /// Whether these are neighbours, so that the place is known.
    pub(super) is_placed: bool,
}

/// What changes at a step.
pub(super) struct Change {
    /// The size that `jump` is of.
    pub(super) at: usize,
    /// How many times as fast.
    pub(super) jump: Option<f64>,
    /// Nanoseconds a byte before and after.
    pub(super) per_byte: Option<[f64; 2]>,
    /// The code paths before and after, where they differ.
    pub(super) code_paths: Option<[String; 2]>,
    /// The share of resamples that have the step.
    pub(super) support: Option<f64>,
}
