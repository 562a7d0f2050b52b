//! How far a figure is to be trusted: decided here for every table, chart and ranking.

use crate::text::{Text, say};
use kasoku_model::document::{Document, Series, Unit};
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
    pub(crate) fn of(document: &Document, series: &Series) -> Self {
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

    /// Whether a series of that trust may be drawn, whether or not the run reached its end.
    fn is_drawn(self, series: &Series) -> bool {
        match self {
            Trust::Failed | Trust::Unverified => false,
            Trust::Quoted => true,
            Trust::Verified => series.is_ranked(),
        }
    }
}

/// Whether `series`, which is one of `document`, may be drawn: with a figure that was verified, or that is told as what
/// somebody else printed; whether or not the run reached its end.
pub(crate) fn is_drawn(document: &Document, series: &Series) -> bool {
    Trust::of(document, series).is_drawn(series)
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
    let trust = Trust::of(document, series);
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
