//! What all experiments have in common: start after start, and in each round after round, every case in turn, in
//! shuffled order, so that what drifts hits all alike.

use std::hash::{BuildHasher, Hasher};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::record::PlanRecord;

/// When a sample is taken.
#[derive(Clone, Copy)]
pub(super) struct SampleSlot {
    pub(super) process: u32,
    /// In which round of all.
    pub(super) round: u32,
    /// In which round of that start.
    pub(super) round_in_start: u32,
}

/// What an experiment does in a start and in a round.
pub(super) trait Procedure {
    type Case;

    /// How many starts, and how many rounds in each.
    fn extent(&self) -> (u32, u32);

    /// Begins the start of this number.
    fn start(&mut self, _: u32, _: &mut Vec<Self::Case>, _: &mut PlanRecord<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Whether a start has the round of this number.
    fn has_round(&mut self, _: u32, _: &mut Vec<Self::Case>, _: &mut PlanRecord<'_>) -> bool {
        true
    }

    /// A case has its turn; whether it takes part in the next round.
    fn visit(&mut self, case: &mut Self::Case, slot: SampleSlot, record: &mut PlanRecord<'_>) -> Result<bool, String>;

    /// Ends the start of this number.
    fn end(&mut self, _: u32, _: &mut Vec<Self::Case>, _: &mut PlanRecord<'_>) -> Result<(), String> {
        Ok(())
    }
}

pub(super) fn carry_out<P: Procedure>(
    procedure: &mut P,
    mut cases: Vec<P::Case>,
    record: &mut PlanRecord<'_>,
) -> Result<(), String> {
    let mut random = random();
    let (processes, rounds) = procedure.extent();
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
        procedure.end(process, &mut cases, record)?;
    }
    Ok(())
}

/// Random numbers that are others in every run.
pub(super) fn random() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(std::hash::RandomState::new().build_hasher().finish())
}
