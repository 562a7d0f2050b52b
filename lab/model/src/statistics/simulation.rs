//! What the rules claim and find on simulated machines, quiet ones and such with a neighbour half of the time.

use super::*;

/// How a machine behaves.
#[derive(Clone, Copy)]
struct Machine {
    /// Starts of each worker, and rounds in each.
    extent: (u32, u32),
    /// By how much slices differ, and by how much starts do.
    noise: f64,
    between_starts: f64,
    /// By how much two workers of the same library differ in all of their starts, by where their code comes to lie.
    between_workers: f64,
    /// Whether there is a neighbour, half of the time and for several rounds on end, and how much of it is noticed.
    noticed: Option<f64>,
}

const QUIET: Machine =
    Machine { extent: (10, 3), noise: 0.004, between_starts: 0.001, between_workers: 0.0, noticed: None };
const BESIDE: Machine = Machine { noticed: Some(0.97), ..QUIET };

/// A library, itself twice more, and one that takes `factor` as long, all in the same rounds.
fn line(machine: Machine, factor: f64, random: &mut Xoshiro256PlusPlus) -> [Series; 4] {
    // A generator of its own: what two workers differ by leaves the noise as it is.
    let mut places = Xoshiro256PlusPlus::seed_from_u64(random.clone().next_u64());
    let mut line = [1.0, 1.0, factor, 1.0]
        .map(|scale| (scale * (machine.between_workers * normal(&mut places)).exp(), Vec::new()));
    let mut is_beside = uniform(random) < 0.5;
    for process in 0..machine.extent.0 {
        let offsets = [(); 4].map(|()| machine.between_starts * normal(random));
        for of_start in 0..machine.extent.1 {
            is_beside = machine.noticed.is_some() && (is_beside == (uniform(random) < 0.75));
            for ((scale, samples), offset) in line.iter_mut().zip(offsets) {
                // Short messages take 1.7 times as long beside a busy neighbour, some more and some less.
                let slowdown = if is_beside { 1.0 + 0.7 * (0.7 + 0.6 * uniform(random)) } else { 1.0 };
                let log: f64 = offset + machine.noise * normal(random);
                let ns = (1e6 * *scale * slowdown * log.exp()) as u64;
                let is_noticed = uniform(random) < if is_beside { machine.noticed.unwrap_or(0.0) } else { 0.01 };
                let round = process * machine.extent.1 + of_start;
                samples.push(Sample {
                    process,
                    round,
                    iterations: 100,
                    ns,
                    cpu_ns: ns,
                    dropped: is_noticed,
                    ..Sample::default()
                });
            }
        }
    }
    let mut line = line.map(|(_, samples)| series_of(samples));
    let spared = spared(&line.each_ref());
    for (series, places) in line.iter_mut().zip(spared) {
        for place in places {
            (series.samples[place].dropped, series.samples[place].disturbed) = (false, true);
        }
        summarize(series);
    }
    line
}

/// What came of comparisons of a library with itself, and with one that is slower.
#[derive(Debug, Default)]
struct Outcome {
    all: usize,
    claimed_of_same: usize,
    found_of_slow: usize,
    intervals: usize,
    /// Comparisons that have none.
    lost: usize,
}

/// A thousand comparisons of each kind: thirty algorithms, every fourth workload of which has a control.
fn outcome(machine: Machine, slower: f64) -> Outcome {
    outcome_of(34, machine, slower)
}

/// About a thousand comparisons of each kind, `of_algorithm` of each algorithm, of which nothing else is known.
fn outcome_of(of_algorithm: usize, machine: Machine, slower: f64) -> Outcome {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(18);
    let mut outcome = Outcome::default();
    for algorithm in 0..1020 / of_algorithm {
        let machine = Machine { noise: machine.noise * [0.5, 1.0, 2.0][algorithm % 3], ..machine };
        let lines: Vec<[Series; 4]> = (0..of_algorithm).map(|_| line(machine, 1.0 + slower, &mut random)).collect();
        let selves: Vec<Nested> =
            lines.iter().step_by(4).map(|[base, .., control]| log_ratios(control, base)).collect();
        let floor = own_floor(&selves, &selves).unwrap();
        for [base, same, slow, _] in &lines {
            outcome.all += 1;
            outcome.intervals += usize::from([base, same, slow].iter().all(|series| series.ci95.is_some()));
            outcome.lost += usize::from(compare(same, base, floor).is_none());
            outcome.claimed_of_same += usize::from(compare(same, base, floor).is_some_and(|one| one.is_shown));
            outcome.found_of_slow +=
                usize::from(compare(slow, base, floor).is_some_and(|one| one.is_shown && one.ratio < 1.0));
        }
    }
    outcome
}

#[test]
fn a_quiet_machine_tells_two_percent_and_claims_nothing_else() {
    let Outcome { all, claimed_of_same, found_of_slow, intervals, lost } = outcome(QUIET, 0.02);
    assert_eq!((claimed_of_same, intervals, lost), (0, all, 0));
    assert!(found_of_slow * 100 >= all * 95, "{found_of_slow} of {all}");
}

#[test]
fn with_a_neighbour_half_of_the_time_five_percent_are_found_and_nothing_else_is_claimed() {
    let Outcome { all, claimed_of_same, found_of_slow, intervals, lost } = outcome(BESIDE, 0.05);
    assert_eq!((claimed_of_same, intervals, lost), (0, all, 0));
    assert!(found_of_slow * 100 >= all * 90, "{found_of_slow} of {all}");
}

#[test]
fn a_quick_run_beside_a_neighbour_has_every_interval_and_claims_nothing() {
    let outcome = outcome(Machine { extent: (5, 2), ..BESIDE }, 0.05);
    assert_eq!((outcome.claimed_of_same, outcome.intervals, outcome.lost), (0, outcome.all, 0), "{outcome:?}");
}

/// Where the place of the code is worth as much as all else, no interval tells it: that is what the floor is for.
#[test]
fn what_two_workers_of_a_library_differ_by_is_seldom_claimed_however_few_were_held_against_themselves() {
    for of_algorithm in [10, 12, 34] {
        let machine = Machine { extent: (10, 9), between_workers: 0.002, ..QUIET };
        let Outcome { all, claimed_of_same, found_of_slow, .. } = outcome_of(of_algorithm, machine, 0.05);
        assert!(claimed_of_same * 100 <= all * 3, "{claimed_of_same} of {all}");
        assert!(found_of_slow * 100 >= all * 95, "{found_of_slow} of {all}");
    }
}

#[test]
fn a_neighbour_of_whom_half_is_not_noticed_makes_no_claims() {
    let outcome = outcome(Machine { noticed: Some(0.5), ..BESIDE }, 0.05);
    assert_eq!((outcome.claimed_of_same, outcome.intervals, outcome.lost), (0, outcome.all, 0), "{outcome:?}");
}

#[test]
fn where_it_is_never_quiet_what_is_plain_is_found_all_the_same() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut line = line(QUIET, 20.0, &mut random);
    for series in &mut line {
        series.samples.iter_mut().for_each(|sample| (sample.dropped, sample.disturbed) = (true, false));
    }
    let spared = spared(&line.each_ref());
    assert!(spared.iter().all(|places| places.len() == 10), "a third: {spared:?}");
    for (series, places) in line.iter_mut().zip(spared) {
        places.into_iter().for_each(|place| {
            series.samples[place] = Sample { dropped: false, disturbed: true, ..series.samples[place] }
        });
    }
    let [base, same, slow, _] = &line;
    assert!(compare(slow, base, 0.001).unwrap().is_shown);
    assert!(!compare(same, base, 0.001).unwrap().is_shown);
}

#[test]
fn the_least_disturbed_rounds_of_all_are_spared() {
    let mut slow = series_of(Vec::new());
    for (round, times) in [1.0, 1.7, 1.2, 1.6, 1.3, 1.5, 1.4, 1.1].into_iter().enumerate() {
        let sample = Sample {
            round: round as u32,
            iterations: 1,
            ns: (1e6 * times) as u64,
            dropped: times > 1.0,
            ..Sample::default()
        };
        slow.samples.push(sample);
    }
    let mut other = slow.clone();
    other.samples[7].dropped = false;
    let mut spared = spared(&[&slow, &other]);
    spared.iter_mut().for_each(|places| places.sort_unstable());
    assert_eq!(spared, [vec![2, 4, 6, 7], vec![2, 4, 6]], "five of either are left, in the same rounds");
    let few = Series { samples: slow.samples[1..4].to_vec(), ..slow };
    assert_eq!(super::spared(&[&few]), [[1]], "where fewer were taken, a third");
}
