//! Judges the rounds of an A/B comparison: another command, here called B, against A, and A against itself.

use serde::Serialize;

use super::{CommandUsage, RUNS_OF_A, Round};
use kasoku_model::statistics::{MIN_FLOOR, Nested, median};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    Time,
    CpuTime,
}

impl Quantity {
    pub const ALL: [Quantity; 2] = [Quantity::Time, Quantity::CpuTime];

    fn seconds_in(self, taken: &CommandUsage) -> f64 {
        let ns = match self {
            Quantity::Time => taken.ns,
            Quantity::CpuTime => taken.cpu_ns,
        };
        ns as f64 * 1e-9
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbVerdict {
    /// Command B takes less of the quantity than command A.
    Less,
    /// Command B takes more of the quantity than command A.
    More,
    NoDifference,
}

/// Result of comparing command B with command A in one measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// Median of all runs of command A.
    pub a: f64,
    pub b: f64,
    /// Median over the rounds of B's value divided by the geometric mean of both runs of A.
    pub ratio: f64,
    pub ci95: [f64; 2],
    /// Median over the rounds of the second run of A divided by its first run.
    pub control: f64,
    /// Noise floor as a relative difference: the end of the control's 95 % interval that is farther from 1.
    pub floor: f64,
    /// Number of rounds that count: those in which the clock measured more than zero for every run.
    pub rounds: usize,
}

impl Judgement {
    /// Compares command `other` with the first command in one quantity. Returns `None` if too few rounds have it for an
    /// interval.
    pub fn from_rounds(rounds: &[Round], other: usize, quantity: Quantity) -> Option<Judgement> {
        let (mut ratios, mut controls) = (Nested::default(), Nested::default());
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        for (number, round) in (0..).zip(rounds) {
            let [a, again, b] = [0, 1, RUNS_OF_A - 1 + other].map(|place| quantity.seconds_in(&round[place]));
            if [a, again, b].contains(&0.0) {
                continue;
            }
            // Each run is a process of its own, so the bootstrap treats each round as a separate process start.
            ratios.push(number, b.ln() - a.ln().midpoint(again.ln()));
            controls.push(number, again.ln() - a.ln());
            of_a.extend([a, again]);
            of_b.push(b);
        }
        let control = controls.interval()?;
        Some(Judgement {
            a: median(&mut of_a)?,
            b: median(&mut of_b)?,
            ratio: ratios.median()?.exp(),
            ci95: ratios.interval()?.map(f64::exp),
            control: controls.median()?.exp(),
            floor: control[0].abs().max(control[1].abs()).exp_m1().max(MIN_FLOOR),
            rounds: of_b.len(),
        })
    }

    /// Returns a difference only if the whole interval lies beyond the noise floor.
    pub fn verdict(&self) -> AbVerdict {
        let [low, high] = self.ci95;
        match 1.0 + self.floor {
            limit if high < 1.0 / limit => AbVerdict::Less,
            limit if low > limit => AbVerdict::More,
            _ => AbVerdict::NoDifference,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// Makes rounds in which B takes `times` as long as A. The noise is 0.5 %, with rare bursts of another 50 % and a
    /// drift that all runs share.
    fn rounds(random: &mut Xoshiro256PlusPlus, count: u32, times: f64) -> Vec<Round> {
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut took = |expected: f64| {
            let burst = if uniform() < 0.1 { 1.5 } else { 1.0 };
            let noise: f64 = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
            CommandUsage { ns: (expected * burst * (1.0 + 0.005 * noise)) as u64, ..CommandUsage::default() }
        };
        let round = |number| {
            let base = 1e7 * (1.0 + 0.2 * f64::from(number % 7));
            vec![took(base), took(base), took(base * times)]
        };
        (0..count).map(round).collect()
    }

    fn verdicts(count: u32, times: f64) -> Vec<AbVerdict> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let judged =
            |_| Judgement::from_rounds(&rounds(&mut random, count, times), 1, Quantity::Time).unwrap().verdict();
        (0..200).map(judged).collect()
    }

    #[test]
    fn verdict_finds_real_differences_and_no_false_ones() {
        for count in [5, 10, 30] {
            let claimed = verdicts(count, 1.0).iter().filter(|verdict| **verdict != AbVerdict::NoDifference).count();
            assert!(claimed <= 2, "{count} rounds: {claimed} of 200 equal pairs were claimed to differ");
        }
        for (times, verdict) in [(1.05, AbVerdict::More), (0.95, AbVerdict::Less)] {
            let found = verdicts(30, times).iter().filter(|found| **found == verdict).count();
            assert!(found >= 190, "ratio {times}: found in {found} of 200 pairs");
        }
    }

    #[test]
    fn judgement_is_none_for_few_rounds_or_times_of_zero() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let five = rounds(&mut random, 5, 2.0);
        assert!(Judgement::from_rounds(&five[..4], 1, Quantity::Time).is_none());
        let judged = Judgement::from_rounds(&five, 1, Quantity::Time).unwrap();
        assert_eq!(judged.rounds, 5);
        assert!((judged.ratio - 2.0).abs() < 0.6 && judged.a < judged.b, "{judged:?}");
        assert_eq!(Judgement::from_rounds(&five, 1, Quantity::CpuTime), None);
    }
}
