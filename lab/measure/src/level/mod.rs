//! What is measured: one file a level.

mod candidates;
pub mod description;
pub mod files;
mod https;
pub mod jvm;
pub mod options;
pub mod packets;
pub mod primitives;
pub mod reproduction;
pub mod tls;
mod transfer;

use crate::plan::Plan;
use crate::support::keep_what_there_is;
use crate::worker::{Worker, start_all};
use crate::worker_process::WorkerName;
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use options::LevelOptions;

/// How a level is measured.
pub struct MeasuredLevel {
    /// The level.
    pub level: Level,
    /// The workers to try, and why some states are left out.
    pub candidates: fn(&LevelOptions) -> (Vec<WorkerName>, Vec<Omission>),
    /// The plan for those of them that are there.
    pub plan: fn(&LevelOptions, Vec<WorkerName>) -> Plan,
}

/// A level that is ready to be measured.
pub struct Opened {
    /// The plan, of which the workers have all.
    pub plan: Plan,
    /// Its workers.
    pub workers: Vec<Worker>,
    /// What is not there.
    pub omissions: Vec<Omission>,
    /// Whether a library failed, and not only for want of its library file.
    pub has_failed: bool,
    /// Whether the worker for the noise floor is there too.
    pub is_whole: bool,
}

impl Opened {
    /// Describes why there is no worker for the noise floor, if there is none.
    pub fn lack(&self) -> Option<String> {
        let why = self.omissions.last().filter(|_| !self.is_whole);
        why.map(|omission| format!("cannot start a second copy of a library for the A/A control: {}", omission.why))
    }
}

impl MeasuredLevel {
    /// Starts the workers that can be had, and makes the plan for them.
    pub fn open(&self, options: &LevelOptions) -> Opened {
        let (names, mut omissions) = (self.candidates)(options);
        let (mut workers, unavailable, mut has_failed) = start_all(self.level, &names);
        omissions.extend(unavailable);
        let mut plan = (self.plan)(options, workers.iter().map(|worker| worker.name.clone()).collect());
        let (controls, unavailable, has_control_failed) = start_all(self.level, &plan.workers[workers.len()..]);
        workers.extend(controls);
        omissions.extend(unavailable);
        has_failed |= has_control_failed;
        let is_whole = workers.len() == plan.workers.len();
        if is_whole {
            omissions.extend(keep_what_there_is(&mut plan, &mut workers));
        }
        Opened { plan, workers, omissions, has_failed, is_whole }
    }
}

/// The levels that can be measured, in the order in which they are.
pub const LEVELS: &[MeasuredLevel] = &[
    MeasuredLevel { level: Level::Primitives, candidates: primitives::candidates, plan: primitives::plan },
    MeasuredLevel { level: Level::Packets, candidates: packets::candidates, plan: packets::plan },
    MeasuredLevel { level: Level::Files, candidates: files::candidates, plan: files::plan },
    MeasuredLevel { level: Level::Jvm, candidates: jvm::candidates, plan: jvm::plan },
    MeasuredLevel { level: Level::Tls, candidates: tls::candidates, plan: tls::plan },
];
