//! What makes two series the same measurement in two runs: everything but the version of the library and the run.

use serde_json::Value;

use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::{APART, Run, Series, Unit};
use crate::workload::Operation;

/// The parameters that say how something was measured, rather than what came of it, with what they are where a series
/// does not state them.
const SETTINGS: [(&str, Option<&str>); 20] = [
    ("threads", Some("1")),
    (APART, Some("")),
    ("nonces", Some("ahead")),
    ("keys", Some("1")),
    ("aad", None),
    ("batch", None),
    ("setup", None),
    ("header_protection", None),
    ("loop", Some("false")),
    ("record", Some("false")),
    ("storage", None),
    ("cache", Some("warm")),
    ("form", None),
    ("flags", None),
    ("transport", None),
    ("protection", None),
    ("workers", None),
    ("latency_of", Some("connection")),
    ("concurrency", None),
    ("hosts", None),
];

/// What two series have in common that are the same measurement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesIdentity<'a> {
    level: &'a str,
    algorithm: Algorithm,
    operation: Operation,
    bytes: usize,
    library: &'a str,
    acceleration: Acceleration,
    unit: u8,
    settings: Vec<(&'static str, String)>,
}

impl<'a> SeriesIdentity<'a> {
    /// With all settings of a series of `run`.
    pub(super) fn of(run: &Run, series: &'a Series) -> Self {
        let mut settings = settings(series);
        // Series of older versions do not say that a search found it, but what was typed does.
        if !run.command.contains("--concurrency") {
            settings.retain(|(name, _)| *name != "concurrency");
        }
        SeriesIdentity { settings, ..SeriesIdentity::coarse(series) }
    }

    /// Without the settings: those of quoted figures are mostly not known.
    pub(super) fn coarse(series: &'a Series) -> Self {
        SeriesIdentity {
            level: &series.level,
            algorithm: series.algorithm,
            operation: series.operation,
            bytes: series.bytes,
            library: &series.library,
            acceleration: series.acceleration,
            unit: match series.unit {
                Unit::BytesPerSecond => 0,
                Unit::OperationsPerSecond => 1,
                Unit::OperationsPerMinute => 2,
                Unit::Seconds => 3,
            },
            settings: Vec::new(),
        }
    }
}

/// How `series` was measured where it was not measured as most are: name and value.
pub fn settings(series: &Series) -> Vec<(&'static str, String)> {
    let unusual = |(name, usual): &(&'static str, Option<&str>)| {
        let value = text(stated(series, name)?);
        (Some(value.as_str()) != *usual).then_some((*name, value))
    };
    SETTINGS.iter().filter_map(unusual).collect()
}

/// Whether no setting that both state is different.
pub(super) fn agree(first: &Series, second: &Series) -> bool {
    SETTINGS.iter().all(|(name, usual)| {
        let value = |series: &Series| stated(series, name).map(text).or(usual.map(str::to_owned));
        match (value(first), value(second)) {
            (Some(first), Some(second)) => first == second,
            _ => true,
        }
    })
}

/// What a series states of a setting; the number of connections that a search found is none.
fn stated<'s>(series: &'s Series, name: &str) -> Option<&'s Value> {
    let is_found = name == "concurrency" && series.parameters.get("searched") == Some(&Value::Bool(true));
    series.parameters.get(name).filter(|_| !is_found)
}

/// A value as text; what a hostile document has there is cut.
fn text(value: &Value) -> String {
    const MAX: usize = 200;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(MAX).collect()
}
