//! What is measured: one file a level.

mod candidates;
pub mod description;
pub mod engine;
pub mod files;
pub mod jvm;
pub mod options;
pub mod packets;
pub mod primitives;
pub mod tls;
mod transfer;

use crate::plan::Plan;
use crate::worker_process::WorkerName;
use kasoku_model::document::Omission;
use options::Options;

/// A level of `kasoku run`.
pub struct Level {
    /// Its name.
    pub name: &'static str,
    /// The workers to try, and why some states are left out.
    pub candidates: fn(&Options) -> (Vec<WorkerName>, Vec<Omission>),
    /// The plan for those of them that are there.
    pub plan: fn(&Options, Vec<WorkerName>) -> Plan,
}

/// The levels that can be measured, in the order in which they are.
pub const LEVELS: &[Level] = &[
    Level { name: primitives::NAME, candidates: primitives::candidates, plan: primitives::plan },
    Level { name: packets::NAME, candidates: packets::candidates, plan: packets::plan },
    Level { name: files::NAME, candidates: files::candidates, plan: files::plan },
    Level { name: jvm::NAME, candidates: jvm::candidates, plan: jvm::plan },
    Level { name: tls::NAME, candidates: tls::candidates, plan: tls::plan },
];
