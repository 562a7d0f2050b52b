//! One series held against another that was measured in the same rounds.

use std::collections::BTreeSet;

use super::disturbed::{fastest, slowdown};
use super::{MIN_FOR_AN_INTERVAL, Nested, student};
use crate::document::{Sample, Series};

/// How one series compares with another that was measured in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The first series' figure over the second's: the exponential of the median of per-round log ratios.
    pub ratio: f64,
    /// Its 95 % interval, by bootstrap over rounds nested in processes; wider where starts were lost to disturbance.
    pub ci95: [f64; 2],
    /// Rounds in which both have a sample that counts here.
    pub pairs: usize,
    /// Whether a difference may be claimed: the whole interval lies beyond the noise floor, which is higher by the
    /// share of rounds that were lost, and, where it rests on disturbed rounds, beyond what either was slowed down by.
    pub is_shown: bool,
}

/// Compares `first` with `second` by the rounds they share; `floor` is the smallest relative difference that counts.
/// `None` if they share too few rounds for an interval.
pub fn compare(first: &Series, second: &Series, floor: f64) -> Option<Comparison> {
    let Pairs { ratios, starts, rounds, slowdown } = Pairs::of(first, second);
    let median = ratios.median()?;
    let widening = student::for_lost_starts(ratios.processes(), starts).unwrap_or(1.0);
    let [low, high] = ratios.interval()?.map(|end| median + widening * (end - median));
    // The floor is what all rounds show; of fewer less is known.
    let lost = 1.0 - ratios.count() as f64 / rounds.max(1) as f64;
    let limit = ((1.0 + lost) * (1.0 + floor).ln()).max(slowdown);
    Some(Comparison {
        ratio: median.exp(),
        ci95: [low.exp(), high.exp()],
        pairs: ratios.count(),
        is_shown: low > limit || high < -limit,
    })
}

/// The logarithms of `first`'s figure over `second`'s, for each round in which both have a sample that counts. Rounds
/// in which one of them was disturbed are taken only where too few others are left for an interval.
pub fn log_ratios(first: &Series, second: &Series) -> Nested {
    Pairs::of(first, second).ratios
}

struct Pairs {
    ratios: Nested,
    /// Starts and rounds in which both were measured, whether or not it counts.
    starts: usize,
    rounds: usize,
    /// The most that a sample among those that are compared was slowed down, as a logarithm; 0 if none was disturbed.
    slowdown: f64,
}

impl Pairs {
    fn of(first: &Series, second: &Series) -> Pairs {
        // What both have is looked up in the shorter one: many may be held against one long one.
        let is_first_shorter = first.samples.len() < second.samples.len();
        let (short, long) = if is_first_shorter { (first, second) } else { (second, first) };
        let round = |sample: &Sample| (sample.process, sample.round);
        let mut of_short: Vec<&Sample> = short.samples.iter().collect();
        of_short.sort_by_key(|sample| round(sample));
        let (mut starts, mut rounds) = (BTreeSet::new(), 0);
        let (mut quiet, mut all) = (Nested::default(), Nested::default());
        let mut disturbed = Vec::new();
        for sample in &long.samples {
            let Ok(place) = of_short.binary_search_by_key(&round(sample), |sample| round(sample)) else { continue };
            let other = of_short[place];
            starts.insert(sample.process);
            rounds += 1;
            if !sample.counts() || !other.counts() {
                continue;
            }
            let (own, theirs) = (long.figure(sample), short.figure(other));
            let ratio = if is_first_shorter { (theirs / own).ln() } else { (own / theirs).ln() };
            all.push(sample.process, ratio);
            if sample.disturbed || other.disturbed {
                disturbed.push([sample, other]);
            } else {
                quiet.push(sample.process, ratio);
            }
        }
        if disturbed.is_empty() || quiet.count() >= MIN_FOR_AN_INTERVAL {
            return Pairs { ratios: quiet, starts: starts.len(), rounds, slowdown: 0.0 };
        }
        let fastest = [fastest(long), fastest(short)];
        let of_pair = |[own, other]: &[&Sample; 2]| slowdown(own, fastest[0]).max(slowdown(other, fastest[1]));
        let slowdown = disturbed.iter().map(of_pair).fold(0.0, f64::max);
        Pairs { ratios: all, starts: starts.len(), rounds, slowdown }
    }
}
