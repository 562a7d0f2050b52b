//! Targets of the engine, read from a file such as `bench/targets.toml`.

use serde::Deserialize;

use kasoku_engine::Backend;
use kasoku_engine::cpu::preferred_schedule;

use kasoku_model::acceleration::Acceleration;

use crate::comparisons::{BOUNDS_ON_AARCH64, BOUNDS_ON_X86_64, ON_AARCH64, ON_X86_64};
use crate::table::{Row, Subject};

/// List of targets. The first target that fits a row counts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Targets {
    #[serde(default, rename = "target")]
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    /// Names of competitors or bounds.
    against: Vec<String>,
    /// The competitors' acceleration state; on by default.
    acceleration: Option<Acceleration>,
    backend: String,
    #[serde(default)]
    kind: TargetKind,
    #[serde(default)]
    min_bytes: usize,
    #[serde(default = "any")]
    max_bytes: usize,
    /// Minimum ratio of the engine's rate to the rate of the competitor or bound.
    ratio: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TargetKind {
    #[default]
    Message,
    /// A packet under one of many keys, chosen at random.
    ManyKeys,
    Mean,
    /// The speed of a message, compared with the lower of two speed bounds of the CPU: AES rounds alone and carry-less
    /// products alone.
    Bound,
}

fn any() -> usize {
    usize::MAX
}

impl Targets {
    /// Returns a competitor or backend that no architecture has; its target would never apply.
    pub(crate) fn unknown_name(&self) -> Option<&str> {
        let comparisons = || ON_X86_64.iter().chain(&ON_AARCH64);
        let bounds = || BOUNDS_ON_X86_64.iter().chain(&BOUNDS_ON_AARCH64);
        let is_known = |name: &str| {
            comparisons().any(|comparison| comparison.library == name)
                || bounds().any(|bound| bound.library.name == name)
        };
        let is_backend = |name: &str| Backend::ALL.iter().any(|backend| backend.name() == name);
        let against = self.targets.iter().flat_map(|target| &target.against).find(|name| !is_known(name));
        let backends = || self.targets.iter().map(|target| &target.backend).find(|name| !is_backend(name));
        against.or_else(backends).map(String::as_str)
    }

    /// Adds the target that fits `row`.
    pub(crate) fn apply(&self, row: Row, kind: TargetKind) -> Row {
        let bytes = match &row.subject {
            Subject::Workload(workload) => Some(workload.bytes),
            Subject::Mean { .. } | Subject::Comparison => None,
        };
        let fits = |target: &&Target| {
            target.kind == kind
                && target.against.iter().any(|name| name == row.against)
                && target.acceleration.unwrap_or(Acceleration::On) == row.state
                && target.backend == row.path.backend.name()
                && row.path.schedule == preferred_schedule(row.path.backend)
                && bytes.is_none_or(|bytes| (target.min_bytes..=target.max_bytes).contains(&bytes))
        };
        let target = self.targets.iter().find(fits).map(|target| target.ratio);
        Row { target: target.or(row.target), ..row }
    }
}
