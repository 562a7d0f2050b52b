//! Formats numbers with one unit for each table and three significant digits.

use kasoku_model::document::{Series, Unit};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    divisor: f64,
    /// Name of the unit: `MB/s`.
    pub(crate) name: &'static str,
}

impl Scale {
    /// Returns the unit that tables use. Throughput is in MB/s, which suits 3DES on a router as well as AES-GCM on a
    /// server.
    pub(crate) fn of_table(unit: Unit) -> Self {
        match unit {
            Unit::BytesPerSecond => Scale { divisor: 1e6, name: "MB/s" },
            Unit::OperationsPerSecond => Scale { divisor: 1.0, name: "ops/s" },
            Unit::OperationsPerMinute => Scale { divisor: 1.0, name: "ops/min" },
            Unit::Seconds => Scale { divisor: 1.0, name: "s" },
        }
    }

    /// Returns the unit in which `largest` has few digits, for a chart or for a figure in a sentence.
    pub(crate) fn fitting(unit: Unit, largest: f64) -> Self {
        match unit {
            Unit::BytesPerSecond => Scale::of_bytes(largest),
            other => Scale::of_table(other),
        }
    }

    pub(crate) fn of_bytes(largest: f64) -> Self {
        match largest {
            largest if largest >= 1e9 => Scale { divisor: 1e9, name: "GB/s" },
            largest if largest >= 1e6 => Scale { divisor: 1e6, name: "MB/s" },
            _ => Scale { divisor: 1e3, name: "kB/s" },
        }
    }

    pub(crate) fn apply(self, figure: f64) -> f64 {
        figure / self.divisor
    }

    /// Formats a figure in this unit, without the unit's name.
    pub(crate) fn write(self, figure: f64) -> String {
        digits(self.apply(figure))
    }
}

/// Formats a figure with a fitting unit: `1.23 GB/s`.
pub(crate) fn figure(value: f64, unit: Unit) -> String {
    let scale = Scale::fitting(unit, value);
    format!("{} {}", scale.write(value), scale.name)
}

/// Formats a number with at least three significant digits, and with thousands separators from 10,000 on.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => "–".to_owned(),
        size if (9_999.5..1e15).contains(&size) => grouped(value.round() as i64),
        size if size >= 1e15 || (size > 0.0 && size < 0.000_95) => format!("{value:.2e}"),
        size if size >= 99.95 || size == 0.0 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Formats a number with `decimals` digits after the point. Extremely large numbers are in scientific notation.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    if value.abs() < 1e15 { format!("{value:.decimals$}") } else { digits(value) }
}

fn grouped(value: i64) -> String {
    match value / 1000 {
        0 => value.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), (value % 1000).abs()),
    }
}

/// Formats a ratio with two significant digits, or two decimals below 2.
pub(crate) fn times(ratio: f64) -> String {
    match ratio.abs() {
        size if size.is_nan() || size >= 1e15 => digits(ratio),
        size if size >= 9.95 => format!("{ratio:.0}"),
        size if size >= 1.95 => format!("{ratio:.1}"),
        _ => format!("{ratio:.2}"),
    }
}

/// Formats a size: `64 B`, `16 KiB`. Sizes that are not a multiple of 1 KiB stay in bytes.
pub(crate) fn size(bytes: usize) -> String {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    const GIB: usize = 1 << 30;
    match bytes {
        b if b >= GIB && b % GIB == 0 => format!("{} GiB", b / GIB),
        b if b >= MIB && b % MIB == 0 => format!("{} MiB", b / MIB),
        b if b >= KIB && b % KIB == 0 => format!("{} KiB", b / KIB),
        b => format!("{b} B"),
    }
}

/// Returns the half-width of a series' 95 % interval in per cent of the median. If the halves differ, returns the
/// wider. `None` without an interval.
pub(crate) fn spread(series: &Series) -> Option<f64> {
    let median = series.median.filter(|median| median.is_finite() && *median > 0.0)?;
    let [low, high] = series.ci95?;
    let half = (median - low).max(high - median) / median * 100.0;
    (half.is_finite() && half >= 0.0).then_some(half)
}

/// Formats a percentage: `0.4 %`.
pub(crate) fn percent(value: f64) -> String {
    match value.abs() {
        size if size.is_nan() || size >= 1e15 => format!("{} %", digits(value)),
        _ if value >= 9.95 => format!("{value:.0} %"),
        _ => format!("{value:.1} %"),
    }
}

/// Formats a difference in per cent, without the per cent sign: `1.3`, `−0.4`, `134`.
pub(crate) fn points(value: f64) -> String {
    let written = match value.abs() {
        size if !size.is_finite() => return "–".to_owned(),
        size if size < 99.95 => format!("{size:.1}"),
        size if size < 999.5 => format!("{size:.0}"),
        size => digits(size),
    };
    if value < 0.0 && written != "0.0" { format!("−{written}") } else { written }
}

pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Vec<f64> = values.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_formats_three_significant_digits() {
        for (value, written) in [
            (0.0, "0"),
            (0.1234, "0.123"),
            (1.0, "1.00"),
            (9.996, "10.0"),
            (99.96, "100"),
            (8_431.7, "8432"),
            (12_345.6, "12,346"),
            (1_234_567.0, "1,234,567"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(digits(value), written);
        }
    }

    #[test]
    fn figure_and_size_choose_fitting_units() {
        assert_eq!(figure(1.234e9, Unit::BytesPerSecond), "1.23 GB/s");
        assert_eq!(figure(85.2e6, Unit::BytesPerSecond), "85.2 MB/s");
        assert_eq!(figure(43_279.0, Unit::OperationsPerSecond), "43,279 ops/s");
        assert_eq!(
            [0.4, 52.6, 20_000.0, 1e300, f64::INFINITY].map(|value| fixed(value, 0)),
            ["0", "53", "20000", "1.00e300", "–"]
        );
        assert_eq!(figure(602.1, Unit::OperationsPerSecond), "602 ops/s");
        assert_eq!([16, 1024, 1350, 16384, 64 << 20].map(size), ["16 B", "1 KiB", "1350 B", "16 KiB", "64 MiB"]);
    }

    #[test]
    fn points_writes_a_minus_sign_except_before_zero() {
        let written = ["1.3", "−0.4", "0.0", "33.7", "−112", "12,346", "–"];
        assert_eq!([1.26, -0.44, -0.04, 33.7, -112.2, 12_345.6, f64::INFINITY].map(points), written);
    }

    #[test]
    fn times_formats_two_significant_digits() {
        assert_eq!([1.034, 1.96, 6.44, 14.4, 120.3].map(times), ["1.03", "2.0", "6.4", "14", "120"]);
        assert_eq!([1e300, f64::INFINITY, f64::NAN].map(times), ["1.00e300", "–", "–"]);
        assert_eq!([0.44, 44.0, 1e300, f64::NAN].map(percent), ["0.4 %", "44 %", "1.00e300 %", "– %"]);
    }
}
