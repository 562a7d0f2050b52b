//! How far a figure is to be trusted: decided here for every table, chart and ranking.

use crate::language::Tables;
use kasoku_model::document::{Document, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::library::{COPY, Role};

/// How far a figure is to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
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

impl Standing {
    /// That of `series`, which is one of `document`.
    pub(crate) fn of(document: &Document, series: &Series) -> Self {
        if sound_figure(series).is_none() {
            Standing::Failed
        } else if document.run.origin.is_some() && series.is_quoted() {
            Standing::Quoted
        } else if series.is_verified() {
            Standing::Verified
        } else {
            Standing::Unverified
        }
    }

    /// Whether a series of that standing may be drawn, whether or not the run reached its end.
    fn is_drawn(self, series: &Series) -> bool {
        match self {
            Standing::Failed | Standing::Unverified => false,
            Standing::Quoted => true,
            Standing::Verified => series.is_ranked(),
        }
    }
}

/// Whether `series`, which is one of `document`, may be drawn: with a figure that was verified, or that is told as what
/// somebody else printed; whether or not the run reached its end.
pub(crate) fn is_drawn(document: &Document, series: &Series) -> bool {
    Standing::of(document, series).is_drawn(series)
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
pub(crate) enum Wrong {
    /// It has no figure.
    Failed,
    /// There are two of it.
    Repeated,
    /// Nobody checked its output.
    Unverified,
}

impl Wrong {
    /// In a word or two.
    pub(crate) fn name(self, tables: &Tables) -> &'static str {
        match self {
            Wrong::Failed => tables.failed,
            Wrong::Repeated => tables.repeated,
            Wrong::Unverified => tables.unverified,
        }
    }
}

/// What keeps a series out of every ranking, if anything does. Test libraries are meant to be wrong, and of the CPU's
/// bounds there is nothing to verify.
pub(super) fn what_is_wrong(document: &Document, series: &Series) -> Option<Wrong> {
    let standing = Standing::of(document, series);
    if series.role == Role::TestDouble {
        None
    } else if standing == Standing::Failed {
        Some(Wrong::Failed)
    } else if standing == Standing::Unverified && series.role == Role::Library {
        // The output of a benchmark with its own clock is never verified, which is no fault of the benchmark.
        Some(Wrong::Unverified)
    } else {
        None
    }
}

/// Whether `series` may be ranked and compared in a run that reached its end.
pub(super) fn is_comparable(series: &Series) -> bool {
    let more_is_better = series.unit != Unit::Seconds;
    series.is_ranked() && more_is_better && sound_figure(series).is_some()
}
