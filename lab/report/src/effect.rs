//! By how much one thing differs from another, in per cent, and whether that may be claimed.

use kasoku_model::statistics::{Comparison, Nested};

use super::quantity::points;
use super::text::{Text, say};

/// What one thing costs over another, in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// By how much, in per cent.
    pub percent: f64,
    /// The 95 % interval of that.
    pub ci95: [f64; 2],
    /// Whether it may be claimed: the whole interval lies beyond the noise floor.
    pub is_shown: bool,
}

impl Effect {
    /// How much more of the first there is than of the second.
    pub(crate) fn from_comparison(comparison: Comparison) -> Option<Self> {
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        Effect { percent: percent(comparison.ratio), ci95: comparison.ci95.map(percent), is_shown: comparison.is_shown }
            .if_finite()
    }

    /// Creates an effect from logarithms of ratios; `floor` is the smallest relative difference that counts.
    pub(crate) fn from_log_ratios(ratios: &Nested, floor: f64) -> Option<Self> {
        let percent = |log: f64| 100.0 * log.exp_m1();
        let ([low, high], limit) = (ratios.interval()?, floor.ln_1p());
        Effect {
            percent: percent(ratios.median()?),
            ci95: [percent(low), percent(high)],
            is_shown: low > limit || high < -limit,
        }
        .if_finite()
    }

    /// Returns `−15.2 %`, or `=` where no difference is shown.
    pub(crate) fn text(self) -> Text {
        let sign = if self.percent > 0.0 { "+" } else { "" };
        if self.is_shown { format!("{sign}{} %", points(self.percent)) } else { "=".to_owned() }.into()
    }

    /// Returns `−15.2 % (−18.0 to −12.1)`.
    pub(crate) fn text_with_interval(self) -> Text {
        let [low, high] = self.ci95.map(points);
        say!("transfer-with-interval", effect = self.text(), low = low, high = high)
    }

    fn if_finite(self) -> Option<Self> {
        [self.percent, self.ci95[0], self.ci95[1]].iter().all(|value| value.is_finite()).then_some(self)
    }
}
