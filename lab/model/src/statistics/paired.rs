//! One series held against another that was measured in the same rounds.

use std::collections::{BTreeMap, BTreeSet};

use super::disturbed::fastest;
use super::{MIN_FOR_AN_INTERVAL, Nested, student};
use crate::document::{Sample, Series};

/// How one series compares with another that was measured in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The first series' figure over the second's: the exponential of the median of per-round log ratios.
    pub ratio: f64,
    /// Its 95 % interval, by bootstrap over rounds nested in processes; wider where starts were lost to disturbance,
    /// and the 99 % one where it rests on disturbed rounds.
    pub ci95: [f64; 2],
    /// Rounds in which both have a sample that counts here.
    pub pairs: usize,
    /// Whether a difference may be claimed: the whole interval lies beyond the noise floor, which is higher by the
    /// share of rounds that were lost, and, where it rests on disturbed rounds, the fastest samples differ by as much.
    pub is_shown: bool,
}

/// Compares `first` with `second` by the rounds they share; `floor` is the smallest relative difference that counts.
/// `None` if they share too few rounds for an interval.
pub fn compare(first: &Series, second: &Series, floor: f64) -> Option<Comparison> {
    let Pairs { ratios, starts, rounds, of_fastest } = Pairs::of(first, second);
    let median = ratios.median()?;
    let of_few = student::for_lost_starts(ratios.processes(), starts).unwrap_or(1.0);
    let widening = if of_fastest.is_empty() { of_few } else { of_few * student::NORMAL_99 / student::NORMAL };
    let [low, high] = ratios.interval()?.map(|end| median + widening * (end - median));
    // The floor is what all rounds show; of fewer less is known.
    let lost = 1.0 - ratios.count() as f64 / rounds.max(1) as f64;
    let limit = (1.0 + lost) * (1.0 + floor).ln();
    let is_beyond = |low: f64, high: f64| low > limit || high < -limit;
    // A neighbour slows one library more than another and so makes a difference that is none of theirs. It only adds
    // time, so what it did least to are the fastest samples.
    let is_of_fastest = of_fastest.iter().all(|&ratio| is_beyond(ratio, ratio) && ratio.signum() == median.signum());
    Some(Comparison {
        ratio: median.exp(),
        ci95: [low.exp(), high.exp()],
        pairs: ratios.count(),
        is_shown: is_beyond(low, high) && is_of_fastest,
    })
}

/// The logarithms of `first`'s figure over `second`'s, for each round in which both have a sample that counts. Rounds
/// in which one of them was disturbed are taken only where too few others are left for an interval.
pub fn log_ratios(first: &Series, second: &Series) -> Nested {
    Pairs::of(first, second).ratios
}

/// The same of what `figure` reads from a sample, such as its CPU time; disturbed rounds are taken as well.
pub fn log_ratios_by(first: &Series, second: &Series, figure: impl Fn(&Series, &Sample) -> Option<f64>) -> Nested {
    let round = |sample: &Sample| (sample.process, sample.round);
    let of_second: BTreeMap<(u32, u32), f64> =
        second.kept().filter_map(|sample| Some((round(sample), figure(second, sample)?))).collect();
    let ratio = |sample: &Sample| {
        let other = of_second.get(&round(sample))?;
        Some((sample.process, (figure(first, sample)? / other).ln()))
    };
    Nested::of(first.kept().filter_map(ratio))
}

struct Pairs {
    ratios: Nested,
    /// Starts and rounds in which both were measured, whether or not it counts.
    starts: usize,
    rounds: usize,
    /// The logarithms of the ratios of the fastest samples, of the second fastest and so on, where `ratios` rest on
    /// disturbed rounds.
    of_fastest: Vec<f64>,
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
        let mut has_disturbed = false;
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

/// As many as an interval takes: one alone may be luck.
fn ratios_of_fastest(first: &Series, second: &Series) -> Vec<f64> {
    let pairs = fastest(first).into_iter().zip(fastest(second)).take(MIN_FOR_AN_INTERVAL);
    pairs.map(|(own, theirs)| (first.figure(own) / second.figure(theirs)).ln()).collect()
}
