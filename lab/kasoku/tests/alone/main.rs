//! Tests of `kasoku` that compare measured times, observe code paths or load several hosts. They run one after the
//! other, in a binary of their own, because other tests beside them would change the figures.
#![allow(clippy::unwrap_used, clippy::expect_used)] // clippy allows them in test functions only, not in their helpers

#[path = "../support/mod.rs"]
mod support;

#[cfg(target_os = "linux")]
mod apache_bench;
mod engine_backends;
#[cfg(target_os = "linux")]
mod hosts;
#[cfg(unix)]
mod jmh;
#[cfg(unix)]
mod openssl_speed;
mod selfcheck;

use std::sync::{Mutex, MutexGuard, PoisonError};

static MACHINE: Mutex<()> = Mutex::new(());

/// Waits until no other test of this binary uses the machine.
fn lock_machine() -> MutexGuard<'static, ()> {
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures with Kasoku and with another program in turns, until the best rates of each agree. Other load on the
/// machine makes single measurements disagree. `measure` returns pairs of rates: Kasoku's, and the other program's.
#[cfg(unix)]
fn check_agreement(tolerance: f64, max_rounds: usize, mut measure: impl FnMut() -> Vec<[f64; 2]>) {
    let mut best = measure();
    for round in 2..=max_rounds {
        for (best, measured) in best.iter_mut().zip(measure()) {
            *best = [best[0].max(measured[0]), best[1].max(measured[1])];
        }
        if best.iter().all(|[ours, theirs]| (ours / theirs - 1.0).abs() <= tolerance) {
            eprintln!("rates of Kasoku and the other program after {round} rounds: {best:.0?}");
            return;
        }
    }
    panic!("rates of Kasoku and the other program still differ: {best:.0?}");
}
