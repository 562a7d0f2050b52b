//! Simulated libraries with a known speed, for `kasoku selfcheck` and for measuring the cost of the measuring loop.
//!
//! They wrap the library `rustcrypto` and slow it down as their names say. They are never in default runs and never
//! ranked.

use std::time::Instant;

use super::{
    Job, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, rustcrypto,
};
use crate::fixtures::Fixtures;
use kasoku_model::library::Role;
use kasoku_model::workload::{Packets, Workload};

/// Test libraries for `kasoku selfcheck`, which do the work with `rustcrypto`. One is as fast as `rustcrypto`, the
/// other slower by a known share.
pub(crate) const ENTRIES: [LibraryEntry; 2] = [
    entry("test-same", "rustcrypto once more", |_| wrap(1.0)),
    entry("test-slow", "rustcrypto, 2 % slower", |_| wrap(1.02)),
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

/// The library `rustcrypto`, slowed down by the factor `times`.
struct Slowed {
    inner: Box<dyn Library>,
    times: f64,
}

fn wrap(times: f64) -> Result<Box<dyn Library>, Unavailable> {
    let inner = (rustcrypto::ENTRY.open)(&Opening::default())?;
    Ok(Box::new(Slowed { inner, times }))
}

impl Library for Slowed {
    fn description(&self) -> LibraryDescription {
        description()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        Ok(Box::new(SlowedJob { inner: self.inner.prepare(workload, fixtures)?, times: self.times }))
    }

    fn prepare_packets(&self, workload: &Workload, _packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        self.prepare_primitive(workload, fixtures)
    }
}

struct SlowedJob {
    inner: Box<dyn Job>,
    times: f64,
}

impl Job for SlowedJob {
    fn reset(&mut self) -> Result<()> {
        self.inner.reset()
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        if self.times == 1.0 {
            return self.inner.run(iterations);
        }
        let start = Instant::now();
        self.inner.run(iterations)?;
        let until = start.elapsed().mul_f64(self.times);
        while start.elapsed() < until {
            std::hint::spin_loop();
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.inner.output()
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
