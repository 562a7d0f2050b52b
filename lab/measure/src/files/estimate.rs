//! Estimates the duration of a plan with a fixed number of repetitions, by measuring a small file.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::pair;
use super::scratch::{ScratchSet, room_for};
use crate::plan::{FilesPlan, Item, Plan};
use crate::worker::Worker;
use kasoku_model::workload::Workload;

const SMALL: usize = 8 << 20;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub time: Duration,
    /// Total bytes of plaintext to encrypt or decrypt.
    pub bytes: u64,
    /// Free bytes that the files need on their storage.
    pub room: u64,
}

pub fn estimate(plan: &Plan, files: &FilesPlan, repetitions: u32, workers: &mut [Worker]) -> Estimate {
    let items: Vec<Item> =
        plan.items.iter().map(|item| Item { workload: small(item.workload), ..item.clone() }).collect();
    let (scratch_set, _) = ScratchSet::open(plan, files);
    let (mut pairs, _) = scratch_set.make_texts(SMALL, pair::of_items(plan.level, &items, workers));
    let mut rates: BTreeMap<(usize, Workload, usize), f64> = BTreeMap::new();
    for pair in &mut pairs {
        let start = Instant::now();
        let _ = pair.try_once(workers, &scratch_set);
        rates.insert(pair.identity(), start.elapsed().as_secs_f64() / SMALL as f64);
    }
    scratch_set.clear();
    let times = f64::from(plan.processes) * f64::from(repetitions);
    let (mut seconds, mut bytes, mut largest) = (0.0, 0u64, 0);
    for (size, pairs) in pair::by_size(plan, workers) {
        for pair in pairs {
            let (worker, workload, threads) = pair.identity();
            let rate = rates.get(&(worker, small(workload), threads)).copied().unwrap_or(0.0);
            // One more for the verification.
            seconds += rate * size as f64 * (times + 1.0);
            bytes = bytes.saturating_add((2.0 * times * size as f64) as u64);
        }
        largest = largest.max(size);
    }
    Estimate { time: Duration::from_secs_f64(seconds), bytes, room: room_for(largest) }
}

fn small(workload: Workload) -> Workload {
    Workload { bytes: SMALL, ..workload }
}
