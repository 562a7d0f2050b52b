//! A figure, and two of them held against each other.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Method, Series, Unit};
use kasoku_model::openssl_speed::AeadRow;
use kasoku_model::statistics;
use kasoku_model::workload::Operation;

/// A smaller difference between figures that have no interval is none: they were printed by somebody, once, and the
/// same measurement printed again differs by as much.
pub const QUOTED_MARGIN: f64 = 0.10;

/// The same where the two figures are not of the same operation: what the set-up of a key for each message costs
/// AES-GCM at 8 KiB is 18 % (see [`AeadRow`]), and another machine's may be more.
pub const UNLIKE_MARGIN: f64 = 0.25;

/// What a series found.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// With which algorithm.
    pub algorithm: Algorithm,
    /// What was done.
    pub operation: Operation,
    /// On how many bytes.
    pub bytes: usize,
    /// The figure, above 0, in `unit`.
    pub value: f64,
    /// Bytes per second or operations per second.
    pub unit: Unit,
    /// By what.
    pub library: String,
    /// In which version.
    pub version: String,
    /// In which state.
    pub acceleration: Acceleration,
    /// What really ran.
    pub code_path: String,
    /// Whether somebody else measured and printed it.
    pub is_quoted: bool,
}

impl Figure {
    /// The figure of `series`; `None` if it failed, was not verified, or is not a speed.
    pub(super) fn of(series: &Series, may_be_quoted: bool) -> Option<Figure> {
        let is_quoted = may_be_quoted && series.is_quoted() && !series.is_ranked();
        let is_speed = matches!(series.unit, Unit::BytesPerSecond | Unit::OperationsPerSecond);
        let value = series.median.filter(|value| value.is_finite() && *value > 0.0)?;
        (is_speed && (is_quoted || series.is_ranked())).then(|| Figure {
            algorithm: series.algorithm,
            operation: series.operation,
            bytes: series.bytes,
            value,
            unit: series.unit,
            library: series.library.clone(),
            version: series.library_version.clone(),
            acceleration: series.acceleration,
            code_path: series.code_path.clone(),
            is_quoted,
        })
    }
}

/// Two figures of one run held against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureComparison {
    /// The one.
    pub first: Figure,
    /// The other.
    pub second: Figure,
    /// How many times as fast the first is.
    pub ratio: f64,
    /// The 95 % interval of that, where samples support one.
    pub ci95: Option<[f64; 2]>,
    /// Whether a difference may be claimed: the interval lies beyond the noise, or the figures differ by more than
    /// [`QUOTED_MARGIN`] where there is none.
    pub is_shown: bool,
    /// Whether one is of messages with the set-up of a key and the other of updates of a stream, as rows of `openssl
    /// speed` may be in one table.
    pub is_unlike: bool,
}

impl FigureComparison {
    /// Holds `first` against `second`; `None` if either is no figure, or they are in different units, or of operations
    /// that cannot be compared at their size.
    pub(super) fn of(
        first: &Series,
        second: &Series,
        method: &Method,
        may_be_quoted: bool,
    ) -> Option<FigureComparison> {
        let (one, other) = (Figure::of(first, may_be_quoted)?, Figure::of(second, may_be_quoted)?);
        let rows = AeadRow::of(first).zip(AeadRow::of(second));
        let is_comparable = rows.is_none_or(|(row, other)| row.is_comparable(other, first.bytes));
        if one.unit != other.unit || !is_comparable {
            return None;
        }
        let floor = method.floor(first.algorithm).max(method.floor(second.algorithm));
        let paired =
            statistics::compare(first, second, floor).filter(|found| found.ratio.is_finite() && found.ratio > 0.0);
        let ratio = paired.map_or(one.value / other.value, |found| found.ratio);
        if !ratio.is_finite() || ratio <= 0.0 {
            return None;
        }
        let is_unlike = rows.is_some_and(|(row, other)| row.is_far_from(other));
        let margin = (1.0 + if is_unlike { UNLIKE_MARGIN } else { QUOTED_MARGIN }).ln();
        Some(FigureComparison {
            first: one,
            second: other,
            ratio,
            ci95: paired.map(|found| found.ci95),
            is_shown: paired.map_or(ratio.ln().abs() >= margin, |found| found.is_shown),
            is_unlike,
        })
    }

    /// Whether the first is shown to be faster.
    pub fn is_first_faster(&self) -> bool {
        self.is_shown && self.ratio > 1.0
    }

    /// Whether the first is shown to be faster by 10 % or more. Less is no reason to change what runs.
    pub(super) fn is_first_much_faster(&self) -> bool {
        self.is_first_faster() && self.ratio >= 1.1
    }

    /// Returns the per cent of time that the first saves.
    pub(super) fn saved(&self) -> f64 {
        (1.0 - 1.0 / self.ratio) * 100.0
    }

    /// Whether the second is shown to be faster.
    pub fn is_second_faster(&self) -> bool {
        self.is_shown && self.ratio < 1.0
    }

    /// The faster first.
    pub fn by_speed(self) -> FigureComparison {
        if self.ratio >= 1.0 { self } else { self.turned() }
    }

    /// The other way round.
    pub fn turned(self) -> FigureComparison {
        let turn = |[low, high]: [f64; 2]| [1.0 / high, 1.0 / low];
        FigureComparison {
            first: self.second,
            second: self.first,
            ratio: 1.0 / self.ratio,
            ci95: self.ci95.map(turn),
            ..self
        }
    }
}
