//! What the series of a row have in common.

use super::quantity::{percent, spread};
use super::selection::Trust;
use super::visible::short;
use kasoku_model::document::{Document, Series};

/// Columns of a code path.
pub(crate) const CODE_PATH: usize = 24;

/// The code paths of these series, joined if the size decides.
pub(crate) fn code_path(series: &[Option<&Series>]) -> String {
    let mut paths: Vec<&str> = Vec::new();
    for series in series.iter().flatten() {
        if !series.code_path.is_empty() && !paths.contains(&series.code_path.as_str()) {
            paths.push(&series.code_path);
        }
    }
    short(&paths.join("/"), CODE_PATH)
}

/// The widest interval of these series, in percent of the figure.
pub(crate) fn widest(series: &[Option<&Series>]) -> String {
    let widest = series.iter().flatten().filter_map(|series| spread(series)).max_by(f64::total_cmp);
    widest.map(percent).unwrap_or_default()
}

/// Returns the lowest trust in `series`, without failed ones; `None` if there is none.
pub(crate) fn trust(document: &Document, series: &[Option<&Series>]) -> Option<Trust> {
    let all = series.iter().flatten().map(|series| Trust::of(document, series));
    all.filter(|trust| *trust != Trust::Failed).min()
}
