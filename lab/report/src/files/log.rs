//! The log of a run on files: a line for each repetition, as the application of the published measurement wrote one.

use crate::level::FILES;
use crate::visible::short;
use kasoku_model::document::{Document, Sample, Series};

/// Every repetition in the order in which they were made: test run, repetition, operation, file, time.
pub fn log(document: &Document) -> String {
    let mut lines: Vec<((usize, u32, u32), String)> = Vec::new();
    for series in document.series.iter().filter(|series| series.level == FILES) {
        lines.extend(
            series.samples.iter().map(|sample| ((series.bytes, sample.process, sample.round), line(series, sample))),
        );
    }
    lines.sort_by_key(|line| line.0);
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

fn line(series: &Series, sample: &Sample) -> String {
    let place = series.files().map(|files| files.to_string()).unwrap_or_default();
    format!(
        "test run {}, repetition {}: {} {} of {} bytes, {place}, by {} {} ({}, {} threads): {:.1} ms",
        sample.process + 1,
        sample.round + 1,
        series.algorithm,
        series.operation,
        series.bytes,
        short(&series.library, 40),
        short(&series.library_version, 40),
        series.acceleration,
        series.threads(),
        series.figure(sample) * 1e3,
    )
}
