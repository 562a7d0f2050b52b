//! Tests of `kasoku` as users run it, in one binary because linking takes longer than most tests. Tests that compare
//! measured times, and need the machine to themselves, are in `tests/alone/`.
#![allow(clippy::unwrap_used, clippy::expect_used)] // clippy allows them in test functions only, not in their helpers

#[path = "../../../report/tests/browser/mod.rs"]
mod browser;
#[path = "../../../report/tests/page/mod.rs"]
mod page;
#[path = "../support/mod.rs"]
mod support;
#[path = "../../../report/tests/synthetic/mod.rs"]
mod synthetic;

#[cfg(target_os = "linux")]
mod ab;
mod bad_input;
#[cfg(target_os = "linux")]
mod clock_set_back;
#[cfg(unix)]
mod collect;
mod compare;
mod documentation;
#[cfg(unix)]
mod files;
#[cfg(target_os = "linux")]
mod hostile_input;
mod import;
#[cfg(unix)]
mod jvm;
mod packets;
mod rank;
#[cfg(target_os = "linux")]
mod refused_threads;
mod report;
mod run;
mod runs;
mod site;
mod steps;
#[cfg(target_os = "linux")]
mod stopping;
mod store_processes;
mod surroundings;
#[cfg(target_os = "linux")]
mod tls;
#[cfg(target_os = "linux")]
mod transfer;
mod verified;
#[cfg(unix)]
mod worker;
