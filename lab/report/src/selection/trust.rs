//! How far a figure is to be trusted: decided here for every table, chart and ranking. Also what the series of a row have
//! in common.

use super::unique;
use crate::quantity::{percent, spread};
use crate::text::{Text, say};
use crate::visible::short;
use kasoku_model::document::{Document, Sample, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::library::{COPY, Role};

/// How far a figure is to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// There is no figure.
    Failed,
    /// The output was not checked: it is shown and not drawn or ranked.
    Unverified,
    /// Somebody else measured and printed it: it is shown and drawn, and not ranked. It has no interval, and nobody
    /// checked the output.
    Quoted,
    /// The output was checked.
    Verified,
}

impl Trust {
    /// Returns the trust in the figure of `series`, which belongs to `document`.
    pub(crate) fn in_series(document: &Document, series: &Series) -> Self {
        if sound_figure(series).is_none() {
            Trust::Failed
        } else if document.run.origin.is_some() && series.is_quoted() {
            Trust::Quoted
        } else if series.is_verified() {
            Trust::Verified
        } else {
            Trust::Unverified
        }
    }
}

/// Whether `series`, which is one of `document`, may be drawn: with a figure that was verified, or that is told as what
/// somebody else printed; whether or not the run reached its end.
pub(crate) fn is_drawn(document: &Document, series: &Series) -> bool {
    match Trust::in_series(document, series) {
        Trust::Failed | Trust::Unverified => false,
        Trust::Quoted => true,
        Trust::Verified => series.is_ranked(),
    }
}

/// The figure of a series, if it is one: finite and above zero.
pub(crate) fn sound_figure(series: &Series) -> Option<f64> {
    series.median.filter(|median| median.is_finite() && *median > 0.0)
}

/// Whether `series` is of a plain copy of a file, of which nothing can be verified.
pub(crate) fn is_copy(series: &Series) -> bool {
    series.level == Level::Files && series.library == COPY
}

/// What keeps a series out of every ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExclusionReason {
    /// It has no figure.
    Failed,
    /// There are two of it.
    Repeated,
    /// Nobody checked its output.
    Unverified,
}

impl ExclusionReason {
    /// In a word or two.
    pub(crate) fn name(self) -> Text {
        match self {
            ExclusionReason::Failed => say!("tables-failed"),
            ExclusionReason::Repeated => say!("tables-repeated"),
            ExclusionReason::Unverified => say!("tables-unverified"),
        }
    }
}

/// What keeps a series out of every ranking, if anything does. Test libraries are meant to be wrong, and of the CPU's
/// bounds there is nothing to verify.
pub(super) fn exclusion_reason(document: &Document, series: &Series) -> Option<ExclusionReason> {
    let trust = Trust::in_series(document, series);
    if series.role == Role::TestDouble {
        None
    } else if trust == Trust::Failed {
        // An interrupted run did not come to everything.
        (series.has_failed() || document.run.complete).then_some(ExclusionReason::Failed)
    } else if trust == Trust::Unverified && series.role == Role::Library {
        // The output of a benchmark with its own clock is never verified, which is no fault of the benchmark.
        Some(ExclusionReason::Unverified)
    } else {
        None
    }
}

/// Whether `series` may be ranked and compared in a run that reached its end.
pub(super) fn is_comparable(series: &Series) -> bool {
    let more_is_better = series.unit != Unit::Seconds;
    series.is_ranked() && more_is_better && sound_figure(series).is_some()
}

/// Columns of a code path.
pub(crate) const CODE_PATH: usize = 24;

/// The code paths of these series, joined if the size decides.
pub(crate) fn code_path(series: &[Option<&Series>]) -> String {
    let paths = series.iter().flatten().map(|series| series.code_path.as_str()).filter(|path| !path.is_empty());
    short(&unique(paths).join("/"), CODE_PATH)
}

/// The widest interval of these series, in percent of the figure.
pub(crate) fn widest(series: &[Option<&Series>]) -> String {
    let widest = series.iter().flatten().filter_map(|series| spread(series)).max_by(f64::total_cmp);
    widest.map(percent).unwrap_or_default()
}

/// Returns the lowest trust in `series`, without failed ones; `None` if there is none.
pub(crate) fn lowest_trust(document: &Document, series: &[Option<&Series>]) -> Option<Trust> {
    let all = series.iter().flatten().map(|series| Trust::in_series(document, series));
    all.filter(|trust| *trust != Trust::Failed).min()
}

/// Returns the CPU seconds that the server of `series` took for 10⁹ bytes in `sample`.
pub(crate) fn server_cpu_seconds(series: &Series, sample: &Sample) -> Option<f64> {
    series.seconds_a_gigabyte(sample, sample.cpu_ns as f64)
}
