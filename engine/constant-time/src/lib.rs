//! Shows that `kasoku-engine` takes no branch and accesses no address that depends on a secret. This crate is not
//! shipped.
//!
//! Two programs make the calls listed in [`call`] to the unmodified engine:
//!
//! * `memchecked` runs under valgrind with keys and plaintexts marked as undefined ([`memcheck`]).
//! * `stepped` is executed one instruction at a time with many keys, and the traces of all keys are compared (`trace`).
//!   On AArch64, an emulator executes `stepped`.
//!
//! docs/CONSTANT_TIME.md says what each program shows, and its limits.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

pub mod call;
pub mod fixture;
pub mod marker;
#[cfg(target_arch = "x86_64")]
pub mod memcheck;
pub mod planted;
pub mod reusing_allocator;
pub mod secret;
#[cfg(target_arch = "x86_64")]
pub mod trace;
