//! Chooses the workloads for the further rounds at the end of a start: those whose figures are least certain.

use std::collections::BTreeMap;
use std::time::Duration;

use kasoku_model::document::Series;
use kasoku_model::statistics::{MIN_FOR_AN_INTERVAL, rough_half_width};

/// Relative half width of an interval below which a workload needs no further rounds.
const NARROW: f64 = 0.002;
/// A further round measures one in this many workloads, so that those that remain uncertain get several rounds.
const CHOSEN_OF: usize = 4;

/// Urgency of further rounds for a workload. Workloads without enough undisturbed rounds come before those with wide
/// intervals.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Need {
    /// Number of undisturbed rounds that the workload still lacks for an interval of the ratios between its series.
    /// Only rounds in which every series is undisturbed count.
    missing: usize,
    /// Largest half width of the approximate intervals of the workload's series, relative to the figure.
    width: f64,
}

impl Need {
    pub(super) fn from_series(row: &[&Series]) -> Need {
        let mut quiet: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for sample in row.iter().flat_map(|series| series.kept()) {
            *quiet.entry((sample.process, sample.round)).or_default() += 1;
        }
        let shared = quiet.values().filter(|&&series| series == row.len()).count();
        let width = |series: &&Series| {
            rough_half_width(&mut series.kept().map(|sample| series.figure(sample)).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        let width = row.iter().map(width).fold(0.0, f64::max);
        Need { missing: if row.is_empty() { 0 } else { MIN_FOR_AN_INTERVAL.saturating_sub(shared) }, width }
    }

    fn is_met(self) -> bool {
        self.missing == 0 && self.width <= NARROW
    }
}

/// Returns which workloads take part in the next further round, given the need and the cost of each. Together they must
/// fit in the time `left`.
pub(super) fn choose(needs: &[(Need, Duration)], left: Duration) -> Vec<bool> {
    let mut order: Vec<usize> = (0..needs.len()).filter(|&place| !needs[place].0.is_met()).collect();
    let by_need = |a: &usize, b: &usize| needs[*b].0.partial_cmp(&needs[*a].0).unwrap_or(std::cmp::Ordering::Equal);
    order.sort_by(by_need);
    order.truncate(needs.len().div_ceil(CHOSEN_OF));
    let mut chosen = vec![false; needs.len()];
    let mut spent = Duration::ZERO;
    for place in order {
        if spent + needs[place].1 <= left {
            spent += needs[place].1;
            chosen[place] = true;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::document::{Sample, Unit};
    use kasoku_model::level::Level;
    use kasoku_model::workload::{Operation, Workload};

    fn need(missing: usize, width: f64) -> (Need, Duration) {
        (Need { missing, width }, Duration::from_millis(2))
    }

    #[test]
    fn further_rounds_go_to_the_most_uncertain_workloads() {
        let needs = [need(0, 0.001), need(0, 0.5), need(2, 0.0), need(0, 0.1), need(0, 0.003)];
        let all = Duration::from_secs(1);
        assert_eq!(choose(&needs, all), [false, true, true, false, false], "two of five");
        assert_eq!(
            choose(&needs, Duration::from_millis(3)),
            [false, false, true, false, false],
            "what there is time for"
        );
        assert_eq!(choose(&needs[..1], all), [false]);
        assert_eq!(choose(&[], all), [false; 0]);
    }

    #[test]
    fn workload_needs_as_many_further_rounds_as_its_least_certain_series() {
        let workload = Workload::new(Operation::Hash, Algorithm::Sha256, 64);
        let series = |times: &[u64]| {
            let sample = |(round, &ns): (usize, &u64)| Sample {
                round: round as u32,
                iterations: 1,
                ns,
                dropped: ns > 1_500,
                ..Sample::default()
            };
            let unit = Unit::BytesPerSecond;
            let empty = Series::empty(Level::Primitives, &workload, "a", "1".into(), Acceleration::On, unit);
            Series { samples: times.iter().enumerate().map(sample).collect(), ..empty }
        };
        let (steady, wide) = (series(&[1_000; 5]), series(&[1_000, 1_100, 1_200, 1_300, 1_400]));
        assert!(Need::from_series(&[&steady]).is_met() && Need::from_series(&[]).is_met());
        let wide = Need::from_series(&[&steady, &wide]);
        let disturbed = Need::from_series(&[&steady, &series(&[1_000, 1_700, 1_700, 1_700, 1_000])]);
        assert_eq!((wide.missing, disturbed.missing), (0, 3));
        assert!(!wide.is_met() && wide < disturbed, "{wide:?}, {disturbed:?}");
        let apart = [
            series(&[1_000, 1_000, 1_000, 1_000, 1_000, 1_700, 1_700]),
            series(&[1_700, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]),
        ];
        assert_eq!(Need::from_series(&[&apart[0], &apart[1]]).missing, 1, "each has five, and both together four");
    }
}
