//! Clocks: wall time, CPU time of the thread, and the clock of the core.
// Blocks of assembly whose length in cycles is known.
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

/// A point in wall time and in the CPU time of the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    wall: Instant,
    cpu_ns: u64,
}

/// What passed between two moments of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elapsed {
    /// Wall time in nanoseconds.
    pub wall_ns: u64,
    /// CPU time of the thread in nanoseconds.
    pub cpu_ns: u64,
}

impl Moment {
    /// Now. The CPU time is read outside the wall time that is measured: it is a system call.
    pub fn start() -> Moment {
        let cpu_ns = thread_cpu_ns();
        Moment { wall: Instant::now(), cpu_ns }
    }

    /// What passed since then.
    pub fn elapsed(self) -> Elapsed {
        let wall_ns = self.wall.elapsed().as_nanos() as u64;
        Elapsed { wall_ns, cpu_ns: thread_cpu_ns().saturating_sub(self.cpu_ns) }
    }

    /// When it was, in wall time.
    pub fn wall(self) -> Instant {
        self.wall
    }
}

/// How long this thread has waited for a core that something else had, in nanoseconds; `None` where the kernel does not
/// tell.
pub fn thread_waited_ns() -> Option<u64> {
    // Time on a core, time waiting for one, and how often (Documentation/scheduler/sched-stats.rst).
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().nth(1)?.parse().ok()
}

/// Where [`core_hz`] takes the core clock from, for the report; `None` if it cannot be had on this architecture.
pub fn core_clock_source() -> Option<&'static str> {
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
        .then_some("a chain of dependent register additions, timed before and after every slice")
}

/// The clock of the core this thread is on, in Hz, from timing a chain of dependent additions, one cycle each.
///
/// The time stamp counter does not tell it: it ticks at a rate of its own. Additions of a register are used because
/// newer cores fold additions of a constant. Takes about 15 µs; an interrupt inside makes one value too low, so take
/// medians.
pub fn core_hz() -> Option<f64> {
    const LINKS: u64 = 61_440;
    let start = Instant::now();
    chain(LINKS / 16)?;
    let seconds = start.elapsed().as_secs_f64();
    (seconds > 0.0).then(|| LINKS as f64 / seconds)
}

/// How many additions a second the core does if they do not wait for each other, in Hz: what the core's other hardware
/// thread leaves. Takes about 2 µs.
pub fn additions_hz() -> Option<f64> {
    const ADDITIONS: u64 = 24_576;
    let start = Instant::now();
    independent(ADDITIONS / 16)?;
    let seconds = start.elapsed().as_secs_f64();
    (seconds > 0.0).then(|| ADDITIONS as f64 / seconds)
}

/// Nanoseconds that an empty call takes in the loop that times calls; 0 if it cannot be told.
pub fn empty_loop_ns() -> f64 {
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

/// Sixteen additions in four chains, `turns` times.
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

/// Sixteen dependent additions, `turns` times.
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

/// Sixteen dependent additions, `turns` times.
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
    fn sleeping_takes_wall_time_and_no_cpu_time() {
        let moment = Moment::start();
        std::thread::sleep(Duration::from_millis(20));
        let elapsed = moment.elapsed();
        assert!(elapsed.wall_ns >= 20_000_000 && elapsed.cpu_ns < 10_000_000, "{elapsed:?}");
    }

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn the_core_clock_is_one_a_cpu_can_have() {
        let best = (0..50).filter_map(|_| core_hz()).fold(0.0, f64::max);
        assert!(best > 2e8 && best < 1e10, "{best}");
    }

    #[test]
    fn the_loop_costs_less_than_a_nanosecond_in_an_optimised_build() {
        let cost = empty_loop_ns();
        assert!(cost > 0.0);
        if !cfg!(debug_assertions) {
            assert!(cost < 1.0, "{cost} ns");
        }
    }
}
