//! Decides for every table, chart and ranking how far to trust a figure. Also summarizes the series of a table row.

use super::unique;
use crate::prelude::*;
use crate::quantity::spread;
use kasoku_model::document::Sample;
use kasoku_model::library::{COPY, Role};

/// Degree of trust in a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    Failed,
    /// Unverified output: tables show the figure, but charts and rankings omit it.
    Unverified,
    /// Published or imported: tables and charts show the figure, but rankings omit it. The figure has no interval, and
    /// its output is unverified.
    Quoted,
    Verified,
}

impl Trust {
    pub(crate) fn in_series(document: &Document, series: &Series) -> Self {
        match document.run.origin {
            _ if sound_figure(series).is_none() => Trust::Failed,
            Some(_) if series.is_quoted() => Trust::Quoted,
            _ if series.is_verified() => Trust::Verified,
            _ => Trust::Unverified,
        }
    }
}

/// Whether charts show `series`, which belongs to `document`. Charts show verified and published figures, also of
/// interrupted runs.
pub(crate) fn is_drawn(document: &Document, series: &Series) -> bool {
    match Trust::in_series(document, series) {
        Trust::Failed | Trust::Unverified => false,
        Trust::Quoted => true,
        Trust::Verified => series.is_ranked(),
    }
}

/// Returns the figure of a series if it is finite and above zero.
pub(crate) fn sound_figure(series: &Series) -> Option<f64> {
    series.median.filter(|median| median.is_finite() && *median > 0.0)
}

/// Whether `series` measures a plain copy of a file, whose output needs no verification.
pub(crate) fn is_copy(series: &Series) -> bool {
    series.level == Level::Files && series.library == COPY
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExclusionReason {
    Failed,
    /// The document contains the same workload twice.
    Repeated,
    Unverified,
}

impl ExclusionReason {
    pub(crate) fn name(self) -> Text {
        match self {
            ExclusionReason::Failed => say!("tables-failed"),
            ExclusionReason::Repeated => say!("tables-repeated"),
            ExclusionReason::Unverified => say!("tables-unverified"),
        }
    }
}

/// Returns the reason why rankings exclude a series; `None` if they include it, or if the exclusion needs no
/// explanation. Test doubles are wrong on purpose, and upper bounds of the CPU have no output to verify.
pub(super) fn exclusion_reason(document: &Document, series: &Series) -> Option<ExclusionReason> {
    match Trust::in_series(document, series) {
        _ if series.role == Role::TestDouble => None,
        // An interrupted run did not measure everything.
        Trust::Failed => (series.has_failed() || document.run.complete).then_some(ExclusionReason::Failed),
        // Benchmarks with their own clock are never verified, which is not their fault.
        Trust::Unverified => (series.role == Role::Library).then_some(ExclusionReason::Unverified),
        Trust::Quoted | Trust::Verified => None,
    }
}

/// Whether `series` may be ranked and compared, provided that its run is complete.
pub(super) fn is_comparable(series: &Series) -> bool {
    let more_is_better = series.unit != Unit::Seconds;
    series.is_ranked() && more_is_better && sound_figure(series).is_some()
}

/// Maximum width of a code path, in columns.
pub(crate) const CODE_PATH: usize = 24;

/// Joins the distinct code paths of `series`. The code path may depend on the size.
pub(crate) fn code_path(series: &[Option<&Series>]) -> String {
    let paths = series.iter().flatten().map(|series| series.code_path.as_str()).filter(|path| !path.is_empty());
    short(&unique(paths).join("/"), CODE_PATH)
}

/// Returns the widest interval in `series`, in per cent of the figure.
pub(crate) fn widest(series: &[Option<&Series>]) -> String {
    let widest = series.iter().flatten().filter_map(|series| spread(series)).max_by(f64::total_cmp);
    widest.map(percent).unwrap_or_default()
}

/// Returns the lowest trust in `series`, ignoring series without a figure. `None` if no series has a figure.
pub(crate) fn lowest_trust(document: &Document, series: &[Option<&Series>]) -> Option<Trust> {
    let all = series.iter().flatten().map(|series| Trust::in_series(document, series));
    all.filter(|trust| *trust != Trust::Failed).min()
}

/// Returns the server's CPU seconds for 10⁹ bytes in `sample`.
pub(crate) fn server_cpu_seconds(series: &Series, sample: &Sample) -> Option<f64> {
    series.seconds_a_gigabyte(sample, sample.cpu_ns as f64)
}
