//! The libraries `limit-…`: not libraries, but the bare instructions that AES-GCM cannot do without, as fast as this
//! CPU does them: AES rounds alone, the carry-less products of GHASH alone, and all that GCM needs. No implementation
//! can pass them.
//!
//! They come for each width of registers, since a backend has no more than its own. Each is a loop in registers,
//! without a load or a store, of just the operations that its vectors need at least. Its machine code is made at run
//! time in many orders, of which the fastest on this CPU is the one that is measured. Nothing is encrypted for
//! anybody, so nothing can be verified, and none is ever ranked.

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod aarch64;
#[cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux")))]
mod job;
#[cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux")))]
mod mix;
#[cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux")))]
mod page;
#[cfg(all(target_arch = "x86_64", unix))]
mod x86_64;

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
use aarch64 as machine;
#[cfg(all(target_arch = "x86_64", unix))]
use x86_64 as machine;

use super::{Library, LibraryEntry, Opening, Switch, Unavailable};
use kasoku_model::library::Role;

/// The bounds in registers of one kind: the three entries to measure beside a backend of that width.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// The rounds of AES alone.
    pub aes: &'static LibraryEntry,
    /// The products of GHASH alone, three a vector.
    pub clmul: &'static LibraryEntry,
    /// All that GCM needs.
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

/// In 128-bit registers and the encoding of SSE: all that is there without AVX.
pub const XMM: Bounds = bounds!(Xmm, "-xmm", "128 bits wide, without AVX");
/// In 128-bit registers and the encoding of AVX.
pub const XMM_OF_AVX: Bounds = bounds!(XmmOfAvx, "-xmm-avx", "128 bits wide, with AVX");
/// In 256-bit registers, without the instructions of AVX-512.
pub const YMM: Bounds = bounds!(Ymm, "-ymm", "256 bits wide");
/// In 512-bit registers.
pub const ZMM: Bounds = bounds!(Zmm, "", "512 bits wide");
/// In the registers of AArch64, which are of 128 bits; with EOR3 where the CPU has it.
pub const NEON: Bounds = bounds!(Neon, "-neon", "128 bits wide, on AArch64");
/// AES rounds and products, interleaved, in 512-bit registers: whether they get in each other's way.
pub const MIXED: &LibraryEntry = &entry("limit-mixed", "both, interleaved", |_| open(Kind::Mixed, Registers::Zmm));
/// The same on AArch64.
pub const MIXED_OF_NEON: &LibraryEntry =
    &entry("limit-mixed-neon", "both, interleaved, on AArch64", |_| open(Kind::Mixed, Registers::Neon));

/// Every bound.
pub(crate) fn entries() -> impl Iterator<Item = LibraryEntry> {
    let of_registers = [ZMM, YMM, XMM, XMM_OF_AVX, NEON].into_iter().flat_map(|one| [one.aes, one.clmul, one.gcm]);
    of_registers.chain([MIXED, MIXED_OF_NEON]).copied()
}

/// What its series say of themselves.
pub const NOTE: &str = "bare instructions; nothing is encrypted";

const fn entry(
    name: &'static str,
    about: &'static str,
    open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
) -> LibraryEntry {
    let switch = |_| Switch::None("the instructions are the measurement");
    LibraryEntry::new(name, about, open, switch).unlisted(Role::Bound)
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// AES rounds.
    Aes,
    /// Carry-less products, three a vector.
    Clmul,
    /// Both, and nothing else.
    Mixed,
    /// All that GCM needs.
    Gcm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registers {
    /// 128 bits, in the encoding of SSE.
    Xmm,
    /// 128 bits, in the encoding of AVX.
    XmmOfAvx,
    /// 256 bits.
    Ymm,
    /// 512 bits.
    Zmm,
    /// 128 bits of AArch64.
    Neon,
}

#[cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux")))]
use job::open;

#[cfg(not(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux"))))]
fn open(kind: Kind, registers: Registers) -> Result<Box<dyn Library>, Unavailable> {
    Err(Unavailable::new(format!("there are no instructions for {kind:?} in {registers:?} registers here")))
}
