//! What a language must be able to say of two runs.

use kasoku_model::comparison::Verdict;
use kasoku_model::document::OriginKind;
use kasoku_model::language::Language;

/// The words of one language. One that is missing does not compile.
pub(super) struct Messages {
    /// Which language it is.
    pub(super) language: Language,
    /// What the page is.
    pub(super) title: &'static str,
    /// The title of the table of a level.
    pub(super) table: fn(level: &str) -> String,
    /// The headings: verdict, algorithm, operation, stack, state, code path, unit, size, A, B, ratio, interval.
    pub(super) headings: [&'static str; 12],
    /// A verdict in a cell.
    pub(super) verdict: fn(Verdict) -> &'static str,
    /// Instead of an interval, if figures are somebody else's.
    pub(super) quoted: fn(Option<OriginKind>) -> &'static str,
    /// Instead of an interval, if there are too few samples.
    pub(super) too_few: &'static str,
    /// What the ratio and the verdict mean.
    pub(super) reading: &'static str,
    /// How many pairs of a table are not shown in it, and why.
    pub(super) folded: fn(count: usize) -> String,
    /// How many pairs are not shown since they have too few samples.
    pub(super) folded_too_few: fn(count: usize) -> String,
    /// Where a run comes from that was not measured here.
    pub(super) source: fn(OriginKind, source: &str) -> String,
    /// That a run did not reach its end.
    pub(super) incomplete: fn(letter: &str) -> String,
    /// That the runs are of two machines.
    pub(super) two_machines: fn(first: &str, second: &str) -> String,
    /// That two versions of Kasoku measured.
    pub(super) two_versions: fn(first: &str, second: &str) -> String,
    /// That there is nothing to compare.
    pub(super) nothing_shared: &'static str,
    /// How many pairs are slower, faster, without a shown difference, without an interval.
    pub(super) counts: fn([usize; 4]) -> String,
    /// That pairs were left out because one side failed or was not verified.
    pub(super) unsound: fn(count: usize, what: &str) -> String,
    /// What only one run has.
    pub(super) only_in: fn(letter: &str, count: usize, what: &str) -> String,
    /// So many more groups.
    pub(super) more: fn(count: usize) -> String,
}
