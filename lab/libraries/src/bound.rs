//! The libraries `limit-…`: upper bounds for AES-GCM, measured from the bare instructions that it needs: AES rounds
//! alone, the carry-less products of GHASH alone, and all operations of GCM. No implementation can be faster.
//!
//! There is a set of bounds for each register width. Each bound is a loop without loads or stores, with the minimum
//! number of operations per vector. Its machine code is generated at run time in many orders, and the fastest order on
//! this CPU is measured. A bound encrypts nothing, so it is never verified and never ranked.

#[cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux")))]
mod job;

use super::{Library, LibraryEntry, Opening, Switch, Unavailable};
use kasoku_model::library::Role;

/// Entries that measure the upper speed bounds of the CPU with registers of one width. Benchmarks of the engine compare
/// a backend with the bounds of its width.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Measures the speed bound of the AES rounds alone.
    pub aes: &'static LibraryEntry,
    /// Measures the speed bound of GHASH's carry-less products alone, three per vector.
    pub clmul: &'static LibraryEntry,
    /// Measures the speed bound of all operations of AES-GCM together.
    pub gcm: &'static LibraryEntry,
}

macro_rules! bounds {
    ($registers:ident, $suffix:literal, $width:literal) => {
        Bounds {
            aes: &entry(concat!("limit-aes", $suffix), concat!("the AES rounds of AES-GCM alone, ", $width), |_| {
                open(Kind::Aes, Registers::$registers)
            }),
            clmul: &entry(
                concat!("limit-clmul", $suffix),
                concat!("the carry-less products of GHASH alone, ", $width),
                |_| open(Kind::Clmul, Registers::$registers),
            ),
            gcm: &entry(concat!("limit-gcm", $suffix), concat!("all operations of AES-GCM, ", $width), |_| {
                open(Kind::Gcm, Registers::$registers)
            }),
        }
    };
}

pub const XMM: Bounds = bounds!(Xmm, "-xmm", "128 bits wide, without AVX");
pub const XMM_AVX: Bounds = bounds!(XmmOfAvx, "-xmm-avx", "128 bits wide, with AVX");
pub const YMM: Bounds = bounds!(Ymm, "-ymm", "256 bits wide");
pub const ZMM: Bounds = bounds!(Zmm, "", "512 bits wide");
pub const NEON: Bounds = bounds!(Neon, "-neon", "128 bits wide, on AArch64");
/// Measures the speed bound of AES rounds and carry-less products, interleaved in 512-bit registers. The figure shows
/// whether rounds and products compete for execution units.
pub const MIXED: &LibraryEntry = &entry("limit-mixed", "both, interleaved", |_| open(Kind::Mixed, Registers::Zmm));
pub const MIXED_NEON: &LibraryEntry =
    &entry("limit-mixed-neon", "both, interleaved, on AArch64", |_| open(Kind::Mixed, Registers::Neon));

pub(crate) fn entries() -> impl Iterator<Item = LibraryEntry> {
    let of_registers = [ZMM, YMM, XMM, XMM_AVX, NEON].into_iter().flat_map(|one| [one.aes, one.clmul, one.gcm]);
    of_registers.chain([MIXED, MIXED_NEON]).copied()
}

pub const NOTE: &str = "bare instructions; nothing is encrypted";

const fn entry(
    name: &'static str,
    about: &'static str,
    open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
) -> LibraryEntry {
    let switch = |_| Switch::None("the instructions are the measurement");
    LibraryEntry::new(name, about, open, switch).unlisted(Role::Bound)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Aes,
    Clmul,
    Mixed,
    Gcm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registers {
    Xmm,
    XmmOfAvx,
    Ymm,
    Zmm,
    Neon,
}

#[cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux")))]
use job::open;

#[cfg(not(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux"))))]
fn open(kind: Kind, registers: Registers) -> Result<Box<dyn Library>, Unavailable> {
    Err(Unavailable::new(format!("there are no instructions for {kind:?} in {registers:?} registers here")))
}
