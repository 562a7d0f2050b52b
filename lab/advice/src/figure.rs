//! Figures of series, and comparisons of two figures.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Method, Series, Unit};
use kasoku_model::openssl_speed::AeadRow;
use kasoku_model::statistics;
use kasoku_model::workload::Operation;

/// Smallest relative difference to claim between figures without intervals. Repetitions of a published measurement
/// differ by up to about 10 %.
pub(super) const QUOTED_MARGIN: f64 = 0.10;

/// Smallest relative difference to claim between AEAD figures with and without the set-up of keys. The set-up costs
/// AES-GCM 18 % at 8 KiB on one machine (see [`AeadRow`]) and may cost more on others.
const UNLIKE_MARGIN: f64 = 0.25;

#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub algorithm: Algorithm,
    pub operation: Operation,
    pub bytes: usize,
    /// Positive and finite.
    pub value: f64,
    /// Bytes per second or operations per second.
    pub unit: Unit,
    pub library: String,
    pub version: String,
    pub acceleration: Acceleration,
    pub code_path: String,
    /// Whether the figure was quoted from a publication or another program's output, so that Kasoku did not verify it.
    pub is_quoted: bool,
}

impl Figure {
    /// Returns the figure of `series`; `None` if it failed, was not verified, or is not a speed.
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

#[derive(Clone, Debug, PartialEq)]
pub struct FigureComparison {
    pub first: Figure,
    pub second: Figure,
    /// `first` divided by `second`; positive and finite.
    pub ratio: f64,
    /// 95 % interval of `ratio`, if samples support one.
    pub ci95: Option<[f64; 2]>,
    /// Whether a difference may be claimed: `ci95` is beyond the noise floor or, without an interval, `ratio` is beyond
    /// the margin.
    pub is_shown: bool,
    /// Whether the two figures measure unlike operations: whole messages that each set up a key, and updates of one
    /// endless message. A single table of `openssl speed` may mix both.
    pub is_unlike: bool,
}

impl FigureComparison {
    /// Compares two series; `None` if either has no figure, their units differ, or their operations cannot be compared
    /// at their size.
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

    pub fn is_first_faster(&self) -> bool {
        self.is_shown && self.ratio > 1.0
    }

    /// Whether `first` is shown to be at least 10 % faster: less is no reason to change a configuration.
    pub(super) fn is_first_much_faster(&self) -> bool {
        self.is_first_faster() && self.ratio >= 1.1
    }

    /// Returns the share of time that `first` saves, in per cent.
    pub(super) fn saved(&self) -> f64 {
        (1.0 - 1.0 / self.ratio) * 100.0
    }

    pub fn is_second_faster(&self) -> bool {
        self.is_shown && self.ratio < 1.0
    }

    pub(super) fn by_speed(self) -> FigureComparison {
        if self.ratio >= 1.0 { self } else { self.turned() }
    }

    pub(super) fn turned(self) -> FigureComparison {
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
