//! Shows that `kasoku-engine` takes no branch and touches no address by a secret. Nothing of it is shipped.
//!
//! Two programs do the same calls ([`call`]) of the engine as it is built for users, without a hook in it:
//!
//! * `memchecked` runs under valgrind with keys and plaintexts marked undefined ([`memcheck`]);
//! * `stepped` is executed one instruction at a time under many keys, and the traces are compared ([`trace`]).
//!
//! docs/CONSTANT_TIME.md says what each shows and what neither can.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

pub mod call;
pub mod desk;
pub mod marker;
pub mod memcheck;
pub mod planted;
pub mod secret;
pub mod steady;
pub mod trace;
