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
