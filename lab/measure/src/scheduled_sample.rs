//! The sample that one workload takes on one worker in each round: how many operations it has, and whether it counts.

use std::time::Duration;

use super::protocol::{Slice, TimedWorkload};
use super::worker::WorkerError;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::document::Sample;

/// Minimum share of the wall time during which a single thread must have had its core.
const MIN_CPU_SHARE: f64 = 0.98;
/// Minimum share of the wall time during which several threads must have had their cores. It is lower than
/// [`MIN_CPU_SHARE`], because threads start and end at slightly different times.
const MIN_CPU_SHARE_OF_MANY: f64 = 0.95;
/// Number of parts of a slice, of which only the fastest counts.
pub(super) const PARTS: usize = 8;
/// Maximum duration of an operation that is measured in every round, as a multiple of a slice (timed piece of work).
/// Longer operations are measured in fewer rounds.
const MAX_SLICES: f64 = 4.0;
/// A trial counts as disturbed if it exceeds the later duration of an operation by this factor.
const DISTURBED_TRIAL: f64 = 1.5;
/// Maximum duration of a slice. It does not apply to the score of a benchmark suite, whose rules fix the duration.
const MAX: Duration = Duration::from_secs(2);

pub(super) struct ScheduledSample {
    pub(super) series: usize,
    pub(super) worker: usize,
    pub(super) slice: Slice,
    /// Checksum of the output that every answer must contain; `None` if the output is random.
    pub(super) expected: Option<String>,
    /// Duration in nanoseconds of one operation in one thread.
    pub(super) operation_ns: f64,
    /// Distance in rounds between two samples: 1 takes part in every round, 2 in every second one.
    pub(super) every: u32,
    /// Nanoseconds per operation in the fastest slice so far.
    pub(super) fastest: Option<f64>,
    /// Contention probe of each sample.
    pub(super) additions: Vec<Option<ContentionProbe>>,
}

/// Number of independent additions that the core could do. A second busy hardware thread of the core lowers it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ContentionProbe {
    pub(super) per_second: f64,
    /// Additions per cycle of the core clock; `None` if the clock is unknown.
    pub(super) per_cycle: Option<f64>,
}

impl ContentionProbe {
    pub(super) fn from_timed(timed: &TimedWorkload) -> Option<ContentionProbe> {
        let per_second = timed.additions_hz?;
        Some(ContentionProbe { per_second, per_cycle: timed.core_hz.filter(|hz| *hz > 0.0).map(|hz| per_second / hz) })
    }

    pub(super) fn max(self, other: ContentionProbe) -> ContentionProbe {
        let per_cycle = [self.per_cycle, other.per_cycle].into_iter().flatten().reduce(f64::max);
        ContentionProbe { per_second: self.per_second.max(other.per_second), per_cycle }
    }
}

impl ScheduledSample {
    /// Sets the number of operations that fill `slice`. With many keys, each part uses every key equally often, since
    /// the last use of a key determines whether the caches hold it. A workload with operations much longer than a slice
    /// takes part in fewer rounds.
    pub(super) fn fill(&mut self, slice: Duration, rounds: u32) {
        let slice = slice.min(MAX).as_nanos() as f64;
        self.slice.iterations = ((slice / self.operation_ns).round() as u64).max(1);
        self.slice.parts = if self.slice.threads > 1 { 1 } else { PARTS };
        if self.slice.workload.keys > 1 {
            let turns = (self.slice.workload.keys * self.slice.parts) as u64;
            self.slice.iterations = self.slice.iterations.next_multiple_of(turns);
        }
        let slices = self.operation_ns / (MAX_SLICES * slice);
        self.every = (slices.ceil() as u32).clamp(1, rounds.max(1));
    }

    /// Sets the number of operations so that each thread is busy for `duration`, and takes this sample only once in
    /// each start of the worker.
    pub(super) fn occupy_threads(&mut self, duration: Duration, rounds: u32) {
        self.slice.iterations = ((duration.as_nanos() as f64 / self.operation_ns).round() as u64).max(1);
        self.every = rounds.max(1);
    }

    /// If `sample` shows that the trial was disturbed, sets the number of operations anew and returns true. With too
    /// few operations, the clock and the cold start of each slice would distort the figure.
    pub(super) fn refill(&mut self, sample: &Sample, slice: Duration) -> bool {
        let ns = self.slice.threads as f64 * sample.ns as f64 / sample.iterations as f64;
        let is_suite = self.slice.workload.algorithm.kind() == AlgorithmKind::Suite;
        let was_disturbed = !is_suite && self.operation_ns > DISTURBED_TRIAL * ns;
        if was_disturbed {
            self.operation_ns = ns;
            self.fill(slice, self.every);
        }
        was_disturbed
    }

    pub(super) fn slice_ns(&self) -> f64 {
        self.operation_ns * self.slice.iterations as f64
    }

    pub(super) fn note_fastest(&mut self, sample: &Sample) {
        let ns = sample.ns as f64 / sample.iterations as f64;
        if !sample.dropped && self.fastest.is_none_or(|fastest| ns < fastest) {
            self.fastest = Some(ns);
        }
    }

    /// Makes a sample from the worker's answer `timed`. Fails if the answer has no time, or if its output is not the
    /// verified one.
    pub(super) fn sample(&self, timed: TimedWorkload) -> Result<Sample, WorkerError> {
        let TimedWorkload { nanoseconds: ns, cpu_nanoseconds: cpu_ns, iterations, .. } = timed;
        if ns == 0 {
            return Err(WorkerError::Failed("answered without a time".to_owned()));
        }
        if timed.check != self.expected {
            return Err(WorkerError::Failed("its output changed while it was timed".to_owned()));
        }
        let is_suite = self.slice.workload.algorithm.kind() == AlgorithmKind::Suite;
        let threads = self.slice.threads as f64;
        let least = if self.slice.threads > 1 { MIN_CPU_SHARE_OF_MANY } else { MIN_CPU_SHARE };
        Ok(Sample {
            iterations,
            ns,
            cpu_ns,
            // A suite's score always counts, even beside other load. The run notes its share of the cores' time at the
            // end.
            dropped: !is_suite && (cpu_ns as f64) < least * threads * ns as f64,
            core_hz: timed.core_hz.filter(|hz| hz.is_finite() && *hz > 0.0),
            ..Sample::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::{Operation, Workload};

    fn visit(operation_ns: f64) -> ScheduledSample {
        let slice = Slice::new(Workload::new(Operation::Hash, Algorithm::Sha256, 16), 100);
        let (expected, additions) = (Some("a".to_owned()), Vec::new());
        ScheduledSample { series: 0, worker: 0, slice, expected, operation_ns, every: 1, fastest: None, additions }
    }

    fn timed(nanoseconds: u64, cpu_nanoseconds: u64, check: &str) -> TimedWorkload {
        TimedWorkload {
            nanoseconds,
            cpu_nanoseconds,
            iterations: 100,
            check: Some(check.to_owned()),
            ..TimedWorkload::default()
        }
    }

    #[test]
    fn sample_drops_slices_with_too_little_cpu_time_and_rejects_changed_output() {
        let sample =
            |nanoseconds, cpu_nanoseconds, check| visit(1.0).sample(timed(nanoseconds, cpu_nanoseconds, check));
        assert!(!sample(1000, 990, "a").unwrap().dropped);
        assert!(sample(1000, 970, "a").unwrap().dropped);
        assert!(sample(1000, 1000, "b").is_err());
        assert!(sample(0, 0, "a").is_err());
    }

    #[test]
    fn fill_uses_every_key_equally_often_in_each_part() {
        let mut visit = visit(100.0);
        visit.slice.workload.keys = 4096;
        for milliseconds in [1, 20] {
            visit.fill(Duration::from_millis(milliseconds), 10);
            let each = visit.slice.iterations / visit.slice.parts as u64;
            assert!(each > 0 && each.is_multiple_of(4096), "{each}");
        }
    }

    #[test]
    fn refill_corrects_the_operation_count_after_a_disturbed_trial() {
        let slice = Duration::from_millis(2);
        let mut visit = visit(20e6);
        visit.fill(slice, 10);
        assert_eq!((visit.slice.iterations, visit.every), (1, 3));
        let sample = visit.sample(timed(100_000, 100_000, "a")).unwrap();
        assert!(visit.refill(&sample, slice));
        assert_eq!((visit.slice.iterations, visit.every), (2_000, 1));
        let slower = visit.sample(timed(150_000, 150_000, "a")).unwrap();
        assert!(!visit.refill(&slower, slice));
        assert_eq!(visit.slice.iterations, 2_000);
    }

    #[test]
    fn refill_computes_operations_per_thread_from_the_total_of_all_threads() {
        let slice = Duration::from_millis(2);
        let mut visit = visit(1e6);
        visit.slice.threads = 8;
        visit.fill(slice, 10);
        assert_eq!(visit.slice.iterations, 2);
        // 800 operations in eight threads, 1 µs each.
        let of_eight = TimedWorkload { iterations: 800, ..timed(100_000, 800_000, "a") };
        let sample = visit.sample(of_eight).unwrap();
        assert!(visit.refill(&sample, slice));
        assert_eq!((visit.slice.iterations, visit.slice_ns()), (2_000, 2e6));
    }

    #[test]
    fn fill_schedules_long_operations_in_fewer_rounds() {
        let filled = |operation_ns| {
            let mut visit = visit(operation_ns);
            visit.fill(Duration::from_millis(2), 10);
            (visit.slice.iterations, visit.every)
        };
        assert_eq!(filled(100.0), (20_000, 1));
        assert_eq!(filled(3e6), (1, 1));
        assert_eq!(filled(20e6), (1, 3));
        assert_eq!(filled(1e12), (1, 10));
    }
}
