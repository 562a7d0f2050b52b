//! Searches for the number of connections with the highest throughput at which no client waits too long.
//!
//! The number grows until more connections bring no gain, or until a client waits too long. Then the search halves the
//! gaps beside the best number. Too few connections leave the server idle, and each further one costs a little, so
//! there is a single maximum.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trial {
    /// No client waited longer than the limit. Holds the throughput in bytes per second.
    Within(f64),
    /// A client waited longer than the limit.
    Exceeded,
}

/// Factor by which the number of connections grows.
const GROWTH: usize = 4;
/// Minimum ratio by which more connections must raise the throughput to count as a gain.
const GAIN: f64 = 1.02;
/// Ratio of two throughputs from which they count as equal. Fewer connections are then better, since each one delays
/// the others.
const ALIKE: f64 = 0.99;
/// Ratio of two tried numbers of connections below which the search does not try a number between them.
const NARROW: f64 = 1.4;

#[derive(Clone, Debug)]
pub struct Search {
    least: usize,
    most: usize,
    trials_left: usize,
    /// Finished trials, by rising number of connections.
    tried: Vec<(usize, Trial)>,
    without_gain: usize,
}

impl Search {
    /// Creates a search from `least` to `most` connections in at most `trials` trials.
    pub fn new(least: usize, most: usize, trials: usize) -> Search {
        let least = least.max(1);
        Search { least, most: most.max(least), trials_left: trials.max(1), tried: Vec::new(), without_gain: 0 }
    }

    /// Returns the number of connections to try next; `None` at the end of the search.
    pub fn next(&self) -> Option<usize> {
        if self.trials_left == 0 {
            return None;
        }
        let Some(&(last, outcome)) = self.tried.last() else { return Some(self.least) };
        if outcome != Trial::Exceeded && self.without_gain < 2 && last < self.most {
            return Some((last * GROWTH).min(self.most));
        }
        let best = self.best()?.0;
        let position = self.tried.iter().position(|(one, _)| *one == best)?;
        let above = self.tried.get(position + 1).map(|(one, _)| *one);
        let below = position.checked_sub(1).map(|position| self.tried[position].0);
        // Choose the wider gap by ratio. A number at which a client waited too long still bounds a gap.
        let gaps = [above.map(|above| (best, above)), below.map(|below| (below, best))];
        let wide = gaps.into_iter().flatten().max_by(|one, other| ratio(*one).total_cmp(&ratio(*other)));
        let (low, high) = wide.filter(|gap| ratio(*gap) > NARROW)?;
        let middle = ((low as f64) * (high as f64)).sqrt().round() as usize;
        (middle > low && middle < high).then_some(middle)
    }

    pub fn note(&mut self, connections: usize, trial: Trial) {
        self.trials_left = self.trials_left.saturating_sub(1);
        let before = self.best().map(|(_, rate)| rate);
        let is_growing = self.tried.last().is_none_or(|(last, _)| connections > *last);
        if let (Trial::Within(rate), true) = (trial, is_growing) {
            let has_gained = before.is_none_or(|before| rate > GAIN * before);
            self.without_gain = if has_gained { 0 } else { self.without_gain + 1 };
        }
        match self.tried.binary_search_by_key(&connections, |(one, _)| *one) {
            Ok(index) => self.tried[index].1 = trial,
            Err(index) => self.tried.insert(index, (connections, trial)),
        }
    }

    /// Returns the best number of connections so far, and its throughput in bytes per second.
    pub fn best(&self) -> Option<(usize, f64)> {
        let within = self.tried.iter().filter_map(|(one, trial)| match trial {
            Trial::Within(rate) => Some((*one, *rate)),
            Trial::Exceeded => None,
        });
        let most = within.clone().map(|(_, rate)| rate).max_by(f64::total_cmp)?;
        within.into_iter().find(|(_, rate)| *rate >= ALIKE * most)
    }

    /// Returns the largest tried number below `connections` at which no client waited longer than the limit.
    pub fn below(&self, connections: usize) -> Option<usize> {
        let lower = self.tried.iter().filter(|(one, trial)| *one < connections && *trial != Trial::Exceeded);
        lower.map(|(one, _)| *one).max()
    }
}

fn ratio((low, high): (usize, usize)) -> f64 {
    high as f64 / low.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs the search on a simulated server. `rate` returns the throughput for a number of connections, or `None` if a
    /// client waits too long.
    fn search(most: usize, trials: usize, rate: impl Fn(usize) -> Option<f64>) -> (Search, usize) {
        let mut search = Search::new(1, most, trials);
        let mut count = 0;
        while let Some(connections) = search.next() {
            count += 1;
            assert!(count <= trials && connections <= most);
            search.note(connections, rate(connections).map_or(Trial::Exceeded, Trial::Within));
        }
        (search, count)
    }

    #[test]
    fn search_leaves_a_plateau_after_two_steps_without_gain() {
        let (search, count) = search(8192, 20, |connections| Some(1e9 * (connections.min(4) as f64)));
        assert!((3..=6).contains(&search.best().unwrap().0), "{search:?}");
        assert!(count <= 10, "{count}");
    }

    #[test]
    fn search_approaches_the_latency_limit_while_throughput_rises() {
        let (search, _) = search(8192, 20, |connections| (connections <= 700).then_some(connections as f64));
        let best = search.best().unwrap().0;
        assert!(best <= 700 && best as f64 > 700.0 / NARROW, "{best}");
        assert!(search.below(best).unwrap() < best);
    }

    #[test]
    fn search_has_no_best_when_every_client_waits_too_long() {
        let (search, count) = search(8192, 20, |_| None);
        assert_eq!((search.best(), count), (None, 1));
    }

    proptest! {
        #[test]
        fn search_finds_the_maximum_or_the_latency_limit(
            summit in 1f64..4000.0, edge in 1usize..8192, fall in 0.01f64..2.0,
        ) {
            let rate = |connections: usize| {
                let part = connections as f64 / summit;
                let rate = if part < 1.0 { part } else { part.powf(-fall) };
                (connections <= edge).then_some(rate)
            };
            let (search, _) = search(8192, 40, rate);
            let (best, found) = search.best().unwrap();
            prop_assert!(best <= edge);
            let possible = rate(edge.min(summit as usize).max(1)).unwrap();
            prop_assert!(found >= possible / NARROW / 1.2, "{found} of {possible} at {best}");
        }
    }
}
