//! The loop that all experiments share: it repeats all starts, in each start all rounds, and in each round all cases.
//!
//! Cases run in shuffled order, so that drift affects all of them alike.

use std::hash::{BuildHasher, Hasher};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::record::PlanRecord;

/// Position of a sample: the start of the processes and the round, both counted from 0.
#[derive(Clone, Copy)]
pub(super) struct SampleSlot {
    pub(super) process: u32,
    /// Number of the round, counted from the first start of the processes.
    pub(super) round: u32,
    pub(super) round_in_start: u32,
}

/// Actions that an experiment takes in each start of its processes and in each round.
pub(super) trait Procedure {
    type Case;

    fn start(&mut self, _: u32, _: &mut Vec<Self::Case>, _: &mut PlanRecord<'_>) -> Result<(), String> {
        Ok(())
    }

    fn has_round(&mut self, _: u32, _: &mut Vec<Self::Case>, _: &mut PlanRecord<'_>) -> bool {
        true
    }

    /// Takes one sample of `case`, which is what the experiment measures in each round, such as a web server. Returns
    /// whether `case` takes part in the next round.
    fn visit(&mut self, case: &mut Self::Case, slot: SampleSlot, record: &mut PlanRecord<'_>) -> Result<bool, String>;

    fn end(&mut self, _: u32, _: &[Self::Case], _: &mut PlanRecord<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// Starts the processes `processes` times, and visits the cases in `rounds` rounds of each start.
pub(super) fn carry_out<P: Procedure>(
    procedure: &mut P,
    (processes, rounds): (u32, u32),
    mut cases: Vec<P::Case>,
    record: &mut PlanRecord<'_>,
) -> Result<(), String> {
    let mut random = random();
    for process in 0..processes {
        procedure.start(process, &mut cases, record)?;
        for round_in_start in 0..rounds {
            if !procedure.has_round(round_in_start, &mut cases, record) {
                break;
            }
            let slot = SampleSlot { process, round: process * rounds + round_in_start, round_in_start };
            cases.shuffle(&mut random);
            let mut staying = Vec::with_capacity(cases.len());
            for mut case in cases {
                if procedure.visit(&mut case, slot, record)? {
                    staying.push(case);
                }
            }
            cases = staying;
        }
        procedure.end(process, &cases, record)?;
    }
    Ok(())
}

/// Returns a random number generator with a new seed in every process.
pub(super) fn random() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(std::hash::RandomState::new().build_hasher().finish())
}
