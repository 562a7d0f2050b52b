//! What makes two series the same measurement in two runs: everything but the version of the library and the run.

use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::{Condition, Series, Unit};
use crate::level::Level;
use crate::workload::Operation;

/// What two series have in common that are the same measurement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesIdentity<'a> {
    level: Level,
    algorithm: Algorithm,
    operation: Operation,
    bytes: usize,
    library: &'a str,
    acceleration: Acceleration,
    unit: Unit,
    settings: Vec<(&'static str, String)>,
}

impl<'a> SeriesIdentity<'a> {
    /// Returns the identity of `series` with the conditions under which it was measured.
    pub(super) fn of(series: &'a Series) -> Self {
        SeriesIdentity { settings: settings(series), ..SeriesIdentity::coarse(series) }
    }

    /// Without the settings: those of quoted figures are mostly not known.
    pub(super) fn coarse(series: &'a Series) -> Self {
        SeriesIdentity {
            level: series.level,
            algorithm: series.algorithm,
            operation: series.operation,
            bytes: series.bytes,
            library: &series.library,
            acceleration: series.acceleration,
            unit: series.unit,
            settings: Vec::new(),
        }
    }
}

/// How `series` was measured where it was not measured as most are: name and value.
pub fn settings(series: &Series) -> Vec<(&'static str, String)> {
    let mut unusual = series.conditions();
    unusual.retain(|condition| condition.usual != Some(condition.value.as_str()));
    unusual.into_iter().map(|condition| (condition.name, condition.value)).collect()
}

/// Whether no condition that both series state is different.
pub(super) fn agree(first: &Series, second: &Series) -> bool {
    let (first, second) = (first.conditions(), second.conditions());
    let value = |of: &[Condition], condition: &Condition| {
        let found = of.iter().find(|other| other.name == condition.name);
        found.map(|found| found.value.clone()).or(condition.usual.map(str::to_owned))
    };
    first.iter().chain(&second).all(|condition| match (value(&first, condition), value(&second, condition)) {
        (Some(first), Some(second)) => first == second,
        _ => true,
    })
}
