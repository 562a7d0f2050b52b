//! Shows that `kasoku-engine` takes no branch and touches no address by a secret. Nothing of it is shipped.
//!
//! Two programs do the same calls ([`call`]) of the engine as it is built for users, without a hook in it:
//!
//! * `memchecked` runs under valgrind with keys and plaintexts marked undefined ([`memcheck`]);
//! * `stepped` is executed one instruction at a time under many keys, and the traces are compared (`trace`). Built for
//!   AArch64, it is executed by an emulator.
//!
//! docs/CONSTANT_TIME.md says what each shows and what neither can.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

pub mod call;
pub mod desk;
pub mod marker;
#[cfg(target_arch = "x86_64")]
pub mod memcheck;
pub mod planted;
pub mod secret;
pub mod steady;
#[cfg(target_arch = "x86_64")]
pub mod trace;
