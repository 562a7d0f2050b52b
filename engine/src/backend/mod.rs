//! The backends. Each backend implements all of AES-GCM with the instructions in its name, behind a common interface.
//!
//! Each backend has its own key type. A key holds the backend's round keys, powers of H, and a proof that the CPU was
//! checked. So no function can use an expanded key of one backend with the instructions of another.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[macro_use]
mod macros;

#[cfg(target_arch = "aarch64")]
mod aarch64;
/// Atomic types for `growth`. A model checker provides its own (`engine/interleavings`).
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod atomic {
    pub(super) use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
}
mod block;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod growth;
pub(crate) mod in_out;
mod kept;
mod key;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod key_schedule;
mod keys;
mod one_by_one;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "runs of packets are for vectors"))]
mod packet;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only those kernels read a text in parts"))]
mod parts;
mod placed;
mod portable;
mod siv;
mod wipe;
#[cfg(target_arch = "x86_64")]
mod x86_64;
mod xaes;

pub(crate) use block::{Block, add, count, lengths};
pub(crate) use kept::encrypt_and_keep;
pub(crate) use key::{Key, Progress, WINDOW};
pub use key::{OnceFunction, SealFunction};
pub(crate) use keys::{Keys, Packets, Siv, Xaes, seal_once_function};
pub(crate) use packet::{
    Admission, Cover, Mask, Numbers, Packet, PacketKey, PacketMaterial, Reception, SAMPLE_DISTANCE, Shape,
};
pub(crate) use parts::gather;
pub(crate) use placed::LentMemory;
pub(crate) use siv::SivKey;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use wipe::Plain;
pub(crate) use wipe::wipe;
pub(crate) use xaes::XaesKey;
