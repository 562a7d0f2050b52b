//! A series before it is measured.

use super::{Outcome, Series, Unit, setting};
use crate::acceleration::Acceleration;
use crate::code_path::UNKNOWN;
use crate::library::Role;
use crate::workload::Workload;

impl Series {
    /// A series of `workload` without samples, not verified, its code path unknown.
    pub fn empty(
        level: &str,
        workload: &Workload,
        library: &str,
        library_version: String,
        acceleration: Acceleration,
        unit: Unit,
    ) -> Series {
        Series {
            level: level.to_owned(),
            operation: workload.operation,
            algorithm: workload.algorithm,
            bytes: workload.bytes,
            library: library.to_owned(),
            library_version,
            role: Role::Library,
            acceleration,
            code_path: UNKNOWN.to_owned(),
            unit,
            samples: Vec::new(),
            median: None,
            ci95: None,
            cycles_per_byte: None,
            outcome: Outcome::Unverified,
            note: None,
            parameters: setting::parameters(workload),
        }
    }
}
