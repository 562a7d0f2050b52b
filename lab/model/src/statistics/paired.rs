//! Compares two series that were measured in the same rounds.

use std::collections::{BTreeMap, BTreeSet};

use super::disturbed::{fastest, round_of};
use super::{MIN_FOR_AN_INTERVAL, Nested, student};
use crate::document::{Sample, Series};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Ratio of the first series' figure to the second's: the exponential of the median of the per-round log ratios.
    pub ratio: f64,
    /// 95 % interval of the ratio, by bootstrap over rounds nested in process starts. It is widened if starts were lost
    /// to disturbance. If it rests on disturbed rounds, it is the 99 % interval.
    pub ci95: [f64; 2],
    /// Number of rounds in which both series have a sample that counts.
    pub pairs: usize,
    /// Whether a difference may be claimed. The whole interval must lie beyond the noise floor, which is raised by the
    /// share of lost rounds. If disturbed rounds are used, the fastest samples must also differ by more than this
    /// floor.
    pub is_shown: bool,
    /// Smallest relative difference that the measured rounds can show: the noise floor, or its minimum, plus half of
    /// the width of the interval.
    pub least_shown: f64,
}

/// Compares `first` with `second` by their shared rounds. A relative difference counts only above `floor`. Returns
/// `None` if they share too few rounds for an interval.
pub fn compare(first: &Series, second: &Series, floor: f64) -> Option<Comparison> {
    let Pairs { ratios, starts, rounds, of_fastest } = Pairs::of(first, second);
    let median = ratios.median()?;
    let of_few = student::for_lost_starts(ratios.processes(), starts).unwrap_or(1.0);
    let widening = if of_fastest.is_empty() { of_few } else { of_few * student::NORMAL_99 / student::NORMAL };
    let [low, high] = ratios.interval()?.map(|end| median + widening * (end - median));
    // The noise floor holds for all rounds. With fewer shared rounds, a difference must be larger to be shown.
    let lost = 1.0 - ratios.count() as f64 / rounds.max(1) as f64;
    let limit = (1.0 + lost) * (1.0 + floor).ln();
    let is_beyond = |low: f64, high: f64| low > limit || high < -limit;
    // Neighbours slow some libraries more than others. They only add time, so they affect the fastest samples least.
    let is_of_fastest = of_fastest.iter().all(|&ratio| is_beyond(ratio, ratio) && ratio.signum() == median.signum());
    Some(Comparison {
        ratio: median.exp(),
        ci95: [low.exp(), high.exp()],
        pairs: ratios.count(),
        is_shown: is_beyond(low, high) && is_of_fastest,
        least_shown: (limit + (median - low).max(high - median)).exp_m1(),
    })
}

/// Returns the log ratio of `first`'s figure to `second`'s, for each round in which both have a sample that counts.
/// Uses disturbed rounds only if too few others are left for an interval.
pub fn log_ratios(first: &Series, second: &Series) -> Nested {
    Pairs::of(first, second).ratios
}

/// Returns the log ratios like [`log_ratios`], but of a value such as CPU time that `figure` reads, and with all
/// disturbed rounds.
pub fn log_ratios_by(first: &Series, second: &Series, figure: impl Fn(&Series, &Sample) -> Option<f64>) -> Nested {
    let of_second: BTreeMap<(u32, u32), f64> =
        second.kept().filter_map(|sample| Some((round_of(sample), figure(second, sample)?))).collect();
    let ratio = |sample: &Sample| {
        let other = of_second.get(&round_of(sample))?;
        Some((sample.process, (figure(first, sample)? / other).ln()))
    };
    Nested::of(first.kept().filter_map(ratio))
}

struct Pairs {
    ratios: Nested,
    /// Number of process starts with samples of both series, whether or not the samples count.
    starts: usize,
    rounds: usize,
    /// Log ratios of the two fastest samples, of the two second fastest and so on. Empty unless `ratios` uses disturbed
    /// rounds.
    of_fastest: Vec<f64>,
}

impl Pairs {
    fn of(first: &Series, second: &Series) -> Pairs {
        // Shared rounds are looked up in the shorter series, because many may be compared with one long one.
        let is_first_shorter = first.samples.len() < second.samples.len();
        let (short, long) = if is_first_shorter { (first, second) } else { (second, first) };
        let mut of_short: Vec<&Sample> = short.samples.iter().collect();
        of_short.sort_by_key(|sample| round_of(sample));
        let (mut starts, mut rounds) = (BTreeSet::new(), 0);
        let (mut quiet, mut all) = (Nested::default(), Nested::default());
        let mut has_disturbed = false;
        for sample in &long.samples {
            let Ok(place) = of_short.binary_search_by_key(&round_of(sample), |sample| round_of(sample)) else {
                continue;
            };
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
                has_disturbed = true;
            } else {
                quiet.push(sample.process, ratio);
            }
        }
        let rests_on_disturbed = has_disturbed && quiet.count() < MIN_FOR_AN_INTERVAL;
        Pairs {
            ratios: if rests_on_disturbed { all } else { quiet },
            starts: starts.len(),
            rounds,
            of_fastest: if rests_on_disturbed { ratios_of_fastest(first, second) } else { Vec::new() },
        }
    }
}

/// Returns the log ratios of the fastest samples. There are several, because the speed of a single one may be chance.
fn ratios_of_fastest(first: &Series, second: &Series) -> Vec<f64> {
    let pairs = fastest(first).into_iter().zip(fastest(second)).take(MIN_FOR_AN_INTERVAL);
    pairs.map(|(own, theirs)| (first.figure(own) / second.figure(theirs)).ln()).collect()
}
