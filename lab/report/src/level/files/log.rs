//! Log of a run on files, with a line for each repetition as in the published measurement.

use crate::prelude::*;
use kasoku_model::document::Sample;

pub fn log(document: &Document) -> String {
    let series = document.series.iter().filter(|series| series.level == Level::Files);
    let mut samples: Vec<(&Series, &Sample)> =
        series.flat_map(|series| series.samples.iter().map(move |sample| (series, sample))).collect();
    samples.sort_by_key(|(series, sample)| (series.bytes, sample.process, sample.round));
    samples.into_iter().map(|(series, sample)| line(series, sample) + "\n").collect()
}

fn line(series: &Series, sample: &Sample) -> String {
    let milliseconds = Some(series.figure(sample) * 1e3).filter(|milliseconds| milliseconds.is_finite());
    let milliseconds = milliseconds.map_or_else(|| "–".to_owned(), |milliseconds| fixed(milliseconds, 1));
    let place = series.workload().files().map(|files| files.to_string()).unwrap_or_default();
    format!(
        "test run {}, repetition {}: {} {} of {} bytes, {place}, by {} {} ({}, {} threads): {milliseconds} ms",
        u64::from(sample.process) + 1,
        u64::from(sample.round) + 1,
        series.algorithm,
        series.operation,
        series.bytes,
        short(&series.library, 40),
        short(&series.library_version, 40),
        series.acceleration,
        series.details.threads,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Documents may contain the largest numbers, and repetitions without operations or time.
    #[test]
    fn file_log_has_a_line_even_for_repetitions_without_operations_or_time() {
        let of_samples = |samples: &serde_json::Value| {
            let document = json!({"schema": 1, "run": {}, "machine": {}, "series": [{"level": "files",
                "operation": "encrypt", "algorithm": "aes-128-cbc", "bytes": 16, "library": "openssl",
                "library_version": "3", "acceleration": "on", "code_path": "", "unit": "s", "samples": samples,
                "outcome": "measured", "details": {"experiment": "files", "storage": "file"}}]});
            log(&serde_json::from_value(document).unwrap())
        };
        let largest = of_samples(&json!([{"process": u32::MAX, "round": u32::MAX, "iterations": 1, "ns": 5_000_000}]));
        assert!(largest.starts_with("test run 4294967296, repetition 4294967296: ") && largest.ends_with(": 5.0 ms\n"));
        let nothing = of_samples(&json!([{"iterations": 0, "ns": 5}, {"iterations": 0, "ns": 0}]));
        assert_eq!(nothing.matches(": – ms\n").count(), 2, "{nothing}");
    }
}
