//! Measures wall time, CPU time and the core clock.
// Assembly blocks whose length in cycles is known.
#![allow(unsafe_code)]

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::time::Instant;

use kasoku_libraries::fixtures::Fixtures;
use kasoku_libraries::{Opening, simulated};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

#[cfg(unix)]
pub use unix::{children_cpu_ns, process_cpu_ns, process_kernel_ns, thread_cpu_ns};
#[cfg(windows)]
pub use windows::{process_cpu_ns, process_kernel_ns, thread_cpu_ns};

#[derive(Clone, Copy, Debug)]
pub struct Moment {
    wall: Instant,
    cpu_ns: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elapsed {
    pub wall_ns: u64,
    pub cpu_ns: u64,
}

impl Moment {
    /// Returns the current time. Reads the CPU time, which takes a system call, outside the measured wall time.
    pub fn start() -> Moment {
        let cpu_ns = thread_cpu_ns();
        Moment { wall: Instant::now(), cpu_ns }
    }

    pub fn elapsed(self) -> Elapsed {
        let wall_ns = self.wall.elapsed().as_nanos() as u64;
        Elapsed { wall_ns, cpu_ns: thread_cpu_ns().saturating_sub(self.cpu_ns) }
    }

    pub fn wall(self) -> Instant {
        self.wall
    }
}

/// Describes the method of [`core_hz`] for the report; `None` on architectures that it does not support.
pub fn core_clock_source() -> Option<&'static str> {
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
        .then_some("a chain of dependent register additions, timed before and after every slice")
}

/// Measures the clock of the current core in Hz in about 15 µs, by a chain of dependent additions that take one cycle
/// each. The additions are of registers, since newer cores fold additions of a constant. An interrupt lowers a single
/// result, so use medians.
pub fn core_hz() -> Option<f64> {
    const LINKS: u64 = 61_440;
    let start = Instant::now();
    chain(LINKS / 16)?;
    let seconds = start.elapsed().as_secs_f64();
    (seconds > 0.0).then(|| LINKS as f64 / seconds)
}

/// Measures how many independent additions the core does per second, which a busy sibling hardware thread lowers. Takes
/// about 2 µs.
pub fn additions_hz() -> Option<f64> {
    const ADDITIONS: u64 = 24_576;
    let start = Instant::now();
    independent(ADDITIONS / 16)?;
    let seconds = start.elapsed().as_secs_f64();
    (seconds > 0.0).then(|| ADDITIONS as f64 / seconds)
}

/// Measures the nanoseconds that the loop for timing takes per empty call; 0 if unknown.
pub fn empty_loop_ns() -> f64 {
    const CALLS: u64 = 200_000;
    let workload = Workload::new(Operation::Hash, Algorithm::Sha256, 16);
    let Ok(library) = (simulated::EMPTY.open)(&Opening::default()) else { return 0.0 };
    let Ok(mut job) = library.prepare(&workload, &Fixtures::of(&workload)) else { return 0.0 };
    // Take the fastest of several samples, as `serve` does for slices.
    let samples = (0..21).filter_map(|_| {
        let start = Moment::start();
        job.run(CALLS).ok()?;
        Some(start.elapsed().wall_ns as f64 / CALLS as f64)
    });
    samples.reduce(f64::min).unwrap_or(0.0)
}

/// Runs 16 additions in four independent chains, and repeats them `turns` times.
#[cfg(target_arch = "x86_64")]
fn independent(turns: u64) -> Option<()> {
    // SAFETY: only the named registers and the flags change; no memory is touched.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 4",
            "add {a}, {step}", "add {b}, {step}", "add {c}, {step}", "add {d}, {step}",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            a = inout(reg) 0u64 => _,
            b = inout(reg) 0u64 => _,
            c = inout(reg) 0u64 => _,
            d = inout(reg) 0u64 => _,
            step = in(reg) 3u64,
            turns = inout(reg) turns.max(1) => _,
            options(nomem, nostack),
        );
    }
    Some(())
}

#[cfg(not(target_arch = "x86_64"))]
fn independent(_turns: u64) -> Option<()> {
    None
}

/// Runs 16 additions, each of which needs the result of the one before, and repeats them `turns` times.
#[cfg(target_arch = "x86_64")]
fn chain(turns: u64) -> Option<()> {
    // SAFETY: only the named registers and the flags change; no memory is touched.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 16",
            "add {sum}, {step}",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            sum = inout(reg) 0u64 => _,
            step = in(reg) 3u64,
            turns = inout(reg) turns.max(1) => _,
            options(nomem, nostack),
        );
    }
    Some(())
}

#[cfg(target_arch = "aarch64")]
fn chain(turns: u64) -> Option<()> {
    // SAFETY: only the named registers and the flags change; no memory is touched.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 16",
            "add {sum}, {sum}, {step}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            sum = inout(reg) 0u64 => _,
            step = in(reg) 3u64,
            turns = inout(reg) turns.max(1) => _,
            options(nomem, nostack),
        );
    }
    Some(())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn chain(_turns: u64) -> Option<()> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn moment_counts_sleep_as_wall_time_only() {
        let moment = Moment::start();
        std::thread::sleep(Duration::from_millis(20));
        let elapsed = moment.elapsed();
        assert!(elapsed.wall_ns >= 20_000_000 && elapsed.cpu_ns < 10_000_000, "{elapsed:?}");
    }

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn core_hz_is_plausible_for_a_cpu() {
        let best = (0..50).filter_map(|_| core_hz()).fold(0.0, f64::max);
        assert!(best > 2e8 && best < 1e10, "{best}");
    }

    #[test]
    fn empty_loop_takes_below_a_nanosecond_when_optimised() {
        let cost = empty_loop_ns();
        assert!(cost > 0.0);
        if !cfg!(debug_assertions) {
            assert!(cost < 1.0, "{cost} ns");
        }
    }
}
