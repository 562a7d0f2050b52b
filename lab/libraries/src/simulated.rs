//! Simulated libraries with a known speed, for `kasoku selfcheck` and for measuring the cost of the measuring loop.
//!
//! They wrap the library `rustcrypto` and slow it down as their names say. They are never in default runs and never
//! ranked.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{
    Job, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, rustcrypto,
};
use crate::fixtures::Fixtures;
use kasoku_model::library::Role;
use kasoku_model::workload::{Packets, Workload};

/// Libraries for `kasoku selfcheck`: as fast as `rustcrypto` or slower; some with a simulated neighbour that is busy
/// half of the time on the core's other hardware thread.
pub(crate) const ENTRIES: [LibraryEntry; 6] = [
    entry("test-same", "rustcrypto once more", |_| wrap(1.0, false)),
    entry("test-slow", "rustcrypto, 2 % slower", |_| wrap(1.02, false)),
    entry("test-slower", "rustcrypto, 5 % slower", |_| wrap(1.05, false)),
    entry("test-beside", "rustcrypto beside a neighbour", |_| wrap(1.0, true)),
    entry("test-beside-same", "rustcrypto beside a neighbour, once more", |_| wrap(1.0, true)),
    entry("test-beside-slower", "rustcrypto beside a neighbour, 5 % slower", |_| wrap(1.05, true)),
];
/// An empty job, whose time is the cost of the measuring loop.
pub const EMPTY: LibraryEntry = entry("test-empty", "an empty call", |_| Ok(Box::new(Empty)));

pub(crate) const fn entry(
    name: &'static str,
    about: &'static str,
    open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
) -> LibraryEntry {
    LibraryEntry::new(name, about, open, |_| Switch::None("a test double")).unlisted(Role::TestDouble)
}

pub(crate) fn description() -> LibraryDescription {
    LibraryDescription::new("test")
}

/// The library `rustcrypto`, slowed down by the factor `times`, with or without a simulated neighbour.
struct Slowed {
    inner: Box<dyn Library>,
    times: f64,
    has_neighbour: bool,
}

fn wrap(times: f64, has_neighbour: bool) -> Result<Box<dyn Library>, Unavailable> {
    let inner = (rustcrypto::ENTRY.open)(&Opening::default())?;
    Ok(Box::new(Slowed { inner, times, has_neighbour }))
}

impl Library for Slowed {
    fn description(&self) -> LibraryDescription {
        description()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let inner = self.inner.prepare(workload, fixtures)?;
        let Slowed { times, has_neighbour, .. } = *self;
        Ok(Box::new(SlowedJob { inner, times, has_neighbour, bytes: workload.bytes }))
    }

    fn prepare_packets(&self, workload: &Workload, _packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        self.prepare_primitive(workload, fixtures)
    }
}

struct SlowedJob {
    inner: Box<dyn Job>,
    times: f64,
    has_neighbour: bool,
    bytes: usize,
}

impl Job for SlowedJob {
    fn reset(&mut self) -> Result<()> {
        self.inner.reset()
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        if self.times == 1.0 && !self.has_neighbour {
            return self.inner.run(iterations);
        }
        let times = if self.has_neighbour { self.times * slowdown(self.bytes) } else { self.times };
        let start = Instant::now();
        self.inner.run(iterations)?;
        let until = start.elapsed().mul_f64(times);
        while start.elapsed() < until {
            std::hint::spin_loop();
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.inner.output()
    }

    fn slowdown_of_additions(&self) -> f64 {
        if self.has_neighbour { slowdown_of_additions() } else { 1.0 }
    }
}

struct Empty;

impl Library for Empty {
    fn description(&self) -> LibraryDescription {
        description()
    }

    fn prepare_primitive(&self, _workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        Ok(Box::new(EmptyJob { buffer: fixtures.text.clone() }))
    }
}

struct EmptyJob {
    buffer: Vec<u8>,
}

impl Job for EmptyJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            std::hint::black_box(&mut self.buffer);
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.buffer.clone()
    }
}

// The simulated neighbour on the core's other hardware thread.

/// Length in seconds of the intervals in each of which the simulated neighbour is busy or idle at random. Busy
/// intervals in a row join, so a busy phase lasts two seconds on average.
const SECONDS: u64 = 1;
/// Maximum length in bytes of messages that a busy neighbour slows down by [`SHORT_SLOWDOWN`]. It slows down longer
/// messages by [`LONG_SLOWDOWN`].
const SHORT: usize = 256;
/// Measured factor by which a busy neighbour slows down short messages.
const SHORT_SLOWDOWN: f64 = 1.7;
/// Measured factor by which a busy neighbour slows down long messages.
const LONG_SLOWDOWN: f64 = 1.35;
/// Measured factor by which a busy neighbour slows down the contention probe's additions.
const SLOWDOWN_OF_ADDITIONS: f64 = 1.5;

/// Returns the current factor by which calls with messages of this length are slowed down. The slowdown beyond 1 varies
/// by a third from call to call.
fn slowdown(bytes: usize) -> f64 {
    let now = since_1970();
    let usual = if bytes <= SHORT { SHORT_SLOWDOWN } else { LONG_SLOWDOWN };
    let some = hash_number(now.1) as f64 / u64::MAX as f64;
    if is_busy(now.0) { 1.0 + (usual - 1.0) * (0.7 + 0.6 * some) } else { 1.0 }
}

fn slowdown_of_additions() -> f64 {
    if is_busy(since_1970().0) { SLOWDOWN_OF_ADDITIONS } else { 1.0 }
}

/// Returns whether the neighbour is busy in this second of the clock, which all workers share.
fn is_busy(second: u64) -> bool {
    hash_number(second / SECONDS).is_multiple_of(2)
}

fn since_1970() -> (u64, u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_secs(), now.as_nanos() as u64)
}

/// Hashes `number` to a pseudo-random number.
fn hash_number(number: u64) -> u64 {
    SplitMix64::seed_from_u64(number).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_neighbour_is_busy_half_of_the_time() {
        let busy = (0..10_000).filter(|&second| is_busy(second)).count();
        assert!((4_800..5_200).contains(&busy), "{busy}");
        let changes = (0..10_000).filter(|&second| is_busy(second) != is_busy(second + 1)).count();
        assert!((4_800..5_200).contains(&changes), "two seconds on end: {changes}");
    }
}
