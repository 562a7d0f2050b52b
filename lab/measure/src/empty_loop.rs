//! The cost of the measuring loop itself.

use crate::clock::Moment;
use kasoku_libraries::fixtures::Fixtures;
use kasoku_libraries::{Opening, simulated};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

/// Nanoseconds that an empty call takes in the loop that times calls; 0 if it cannot be told.
pub fn nanoseconds() -> f64 {
    const CALLS: u64 = 200_000;
    let workload = Workload::new(Operation::Hash, Algorithm::Sha256, 16);
    let Ok(library) = (simulated::EMPTY.open)(&Opening::default()) else { return 0.0 };
    let Ok(mut job) = library.prepare(&workload, &Fixtures::of(&workload)) else { return 0.0 };
    // The fastest of several, as for every slice: see `serve`.
    let samples = (0..21).filter_map(|_| {
        let start = Moment::start();
        job.run(CALLS).ok()?;
        Some(start.elapsed().wall_ns as f64 / CALLS as f64)
    });
    samples.reduce(f64::min).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_loop_costs_less_than_a_nanosecond_in_an_optimised_build() {
        let cost = super::nanoseconds();
        assert!(cost > 0.0);
        if !cfg!(debug_assertions) {
            assert!(cost < 1.0, "{cost} ns");
        }
    }
}
