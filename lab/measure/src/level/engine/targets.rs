//! What the engine is meant to reach: data that a benchmark gate brings, bench/targets.toml.

use serde::Deserialize;

use kasoku_engine::Backend;
use kasoku_engine::cpu::preferred_schedule;

use super::table::{EngineRow, EngineSubject};
use super::{BOUNDS_ON_AARCH64, BOUNDS_ON_X86_64, ON_AARCH64, ON_X86_64};
use kasoku_model::acceleration::Acceleration;

/// Targets; of those that fit a row the first one counts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Targets {
    #[serde(default, rename = "target")]
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    /// The competitors or bounds that it is about.
    against: Vec<String>,
    /// Their state; on, if it is not said.
    acceleration: Option<Acceleration>,
    /// The engine's backend.
    backend: String,
    #[serde(default)]
    kind: TargetKind,
    /// Messages of this many bytes and more.
    #[serde(default)]
    min_bytes: usize,
    /// Messages of up to this many bytes.
    #[serde(default = "any")]
    max_bytes: usize,
    /// How many times as fast the engine is meant to be, or its share of a bound.
    ratio: f64,
}

/// What kind of figure a target is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TargetKind {
    /// A message of one size.
    #[default]
    Message,
    /// A packet under one of many keys, used at random.
    ManyKeys,
    /// The geometric mean over sizes.
    Mean,
    /// A message beside the slower of those kinds of instructions that it cannot do without.
    Bound,
}

fn any() -> usize {
    usize::MAX
}

impl Targets {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// A name in them that no architecture has; its target would never be looked at.
    pub fn unknown_name(&self) -> Option<&str> {
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

    /// `row` with its target.
    pub(super) fn on(&self, row: EngineRow, kind: TargetKind) -> EngineRow {
        let bytes = match &row.subject {
            EngineSubject::Workload(workload) => Some(workload.bytes),
            EngineSubject::Mean { .. } | EngineSubject::Comparison => None,
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
        EngineRow { target: target.or(row.target), ..row }
    }
}
