//! The library `ipsec-mb`: Intel's multi-buffer library, as far as it can be called without its manager.
//!
//! The manager is a structure of function pointers that changes with the version, so programs must be compiled with
//! that version's headers. AES-GCM's functions are exported too, with stable signatures. This module calls them,
//! chosen as the manager would choose for this CPU.

#[cfg(target_arch = "x86_64")]
mod library;
#[cfg(target_arch = "x86_64")]
mod multi_buffer;

use super::{LibraryEntry, Switch};
use kasoku_model::acceleration::Acceleration;
#[cfg(target_arch = "x86_64")]
use library::open;

pub const ENTRY: LibraryEntry = LibraryEntry {
    is_loaded: true,
    ..LibraryEntry::new(kasoku_model::library::IPSEC_MB, "Intel's multi-buffer library", open, |state| match state {
        Acceleration::On => Switch::Environment(Vec::new()),
        Acceleration::NoVaes | Acceleration::NoAvx512 => Switch::WhenOpened,
        Acceleration::Off | Acceleration::NoAes | Acceleration::NoClmul => {
            Switch::None("ipsec-mb exports no function that does without the AES instructions and carry-less multiply")
        }
        Acceleration::NoSha => {
            Switch::None("ipsec-mb is measured with AES-GCM, which does without the SHA instructions")
        }
    })
};

#[cfg(not(target_arch = "x86_64"))]
fn open(_opening: &super::Opening) -> Result<Box<dyn super::Library>, super::Unavailable> {
    Err(super::Unavailable::new("ipsec-mb is made for x86-64 only"))
}
