//! How often each pair of encryption and decryption takes part, so that all fill the time.

use std::time::Duration;

/// How often pairs that take `costs` each are done in `time`: each at least once, none more often than `most`, and what
/// is left is shared so that the slow ones get as much time as each other.
pub(super) fn turns(costs: &[Duration], time: Duration, most: u32) -> Vec<u32> {
    let of_share = |share: f64, cost: &Duration| {
        let cost = cost.as_secs_f64().max(1e-6);
        ((share / cost) as u32).clamp(1, most.max(1))
    };
    let total =
        |share: f64| -> f64 { costs.iter().map(|cost| f64::from(of_share(share, cost)) * cost.as_secs_f64()).sum() };
    let (mut low, mut high) = (0.0, time.as_secs_f64());
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if total(middle) <= time.as_secs_f64() { low = middle } else { high = middle }
    }
    costs.iter().map(|cost| of_share(low, cost)).collect()
}

/// Whether one that takes part `turns` times in `rounds` rounds does so in `round`: evenly spread, and in the first.
pub(super) fn is_due(round: u32, rounds: u32, turns: u32) -> bool {
    let until = |round: u32| (u64::from(round) * u64::from(turns)).div_ceil(u64::from(rounds.max(1)));
    until(round + 1) > until(round)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_filled_and_nobody_is_left_out() {
        let ms = Duration::from_millis;
        let costs = [ms(10), ms(100), ms(1000), ms(4000)];
        let turns = turns(&costs, Duration::from_secs(20), 10);
        assert_eq!(turns[0], 10);
        assert!(turns.iter().all(|&turns| turns >= 1));
        let total: f64 = costs.iter().zip(&turns).map(|(cost, &turns)| cost.as_secs_f64() * f64::from(turns)).sum();
        assert!(total <= 20.0 && total > 14.0, "{turns:?}");
        assert_eq!(super::turns(&costs, ms(1), 10), [1, 1, 1, 1]);
    }

    #[test]
    fn turns_are_spread_over_the_rounds() {
        for (rounds, turns) in [(10, 10), (10, 3), (10, 1), (7, 5), (1, 1), (200, 100)] {
            let due = (0..rounds).filter(|&round| is_due(round, rounds, turns)).count();
            assert_eq!(due as u32, turns);
            assert!(is_due(0, rounds, turns));
        }
    }
}
