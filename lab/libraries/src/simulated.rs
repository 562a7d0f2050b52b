//! Libraries whose speed is known beforehand: for `kasoku selfcheck`, and for the cost of the measuring loop.
//!
//! They wrap the `rustcrypto` library, and take as many times as long as their name says. None is in a default run, and
//! none is ever ranked.

mod neighbour;

use std::time::Instant;

use super::{
    Job, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, rustcrypto,
};
use crate::fixtures::Fixtures;
use kasoku_model::library::Role;
use kasoku_model::workload::{Packets, Workload};

/// The same as `rustcrypto`: two of them must show no difference.
pub const SAME: LibraryEntry = entry("test-same", "rustcrypto once more", |_| wrap(1.0, false));
/// Takes 2 % longer than `rustcrypto`.
pub const SLOW: LibraryEntry = entry("test-slow", "rustcrypto, 2 % slower", |_| wrap(1.02, false));
/// Takes 5 % longer than `rustcrypto`.
pub const SLOWER: LibraryEntry = entry("test-slower", "rustcrypto, 5 % slower", |_| wrap(1.05, false));
/// `rustcrypto` while a neighbour on the core's other hardware thread is busy half of the time.
pub const BESIDE: LibraryEntry = entry("test-beside", "rustcrypto beside a neighbour", |_| wrap(1.0, true));
/// The same as `test-beside`.
pub const BESIDE_SAME: LibraryEntry =
    entry("test-beside-same", "rustcrypto beside a neighbour, once more", |_| wrap(1.0, true));
/// Takes 5 % longer than `test-beside`.
pub const BESIDE_SLOWER: LibraryEntry =
    entry("test-beside-slower", "rustcrypto beside a neighbour, 5 % slower", |_| wrap(1.05, true));
/// Does nothing: what is left is the measuring loop.
pub const EMPTY: LibraryEntry = entry("test-empty", "an empty call", |_| Ok(Box::new(Empty)));

pub(crate) const fn entry(
    name: &'static str,
    about: &'static str,
    open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
) -> LibraryEntry {
    LibraryEntry::new(name, about, open, |_| Switch::None("a test double")).unlisted(Role::TestDouble)
}

/// The description of every simulated library.
pub(crate) fn description() -> LibraryDescription {
    LibraryDescription { version: "test".to_owned(), cpu_features: None, loaded_from: None }
}

/// `rustcrypto`, which takes so many times as long, beside a neighbour or not.
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
        let times = if self.has_neighbour { self.times * neighbour::slowdown(self.bytes) } else { self.times };
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
        if self.has_neighbour { neighbour::slowdown_of_additions() } else { 1.0 }
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
