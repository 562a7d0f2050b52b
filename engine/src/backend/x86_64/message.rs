//! Seals and opens whole messages with a 96-bit nonce: chooses the kernel by the length of the message, and prepares
//! the AAD and the block of lengths.

use core::arch::asm;
use core::mem::MaybeUninit;

use super::aesni::Lanes1;
use super::cipher::Counters;
use super::fours;
use super::hash::Accumulator;
use super::key::Expanded;
use super::lines::{HEADER_BYTES, Lines};
use super::parts::{InParts, OnePlace, Source};
use super::pipeline::{self, Begun};
use super::schedule::{GROUP, Schedule};
use super::streaming::absorb_blocks;
use super::unrolled;
use super::vector::Vector;
use crate::backend::Block;
use crate::backend::parts::{Part, Steps};

/// Maximum length of a short message in bytes. A short message, with two more blocks for counter 0 (unused) and J0,
/// fits into [`GROUP`] vectors.
pub(super) const fn max_short_bytes<V: Schedule>() -> usize {
    GROUP * V::BYTES - HEADER_BYTES
}

/// Seals a message, or opens it if `SEAL` is false. Writes the computed tag to `tag`; when opening, the caller compares
/// this tag with the received tag. (The data is passed as pointers and a length, which fit into registers.)
///
/// # Safety
/// `bytes` bytes can be read at `input` and written at `output`. The two buffers are the same or do not overlap. The
/// message has at most [`max_short_bytes`] bytes if `SHORT`, and more otherwise. The AAD can be read.
#[inline(always)]
pub(super) unsafe fn process<V: OutOfLine, const SEAL: bool, const SHORT: bool>(
    key: &Expanded<V>,
    nonce: &[u8; 12],
    aad: AadAt,
    input: *const u8,
    output: *mut u8,
    bytes: usize,
    tag: &mut Block,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let lines = Lines::new(input, output, bytes);
        let (counters, aad) = (Counters::new(key, nonce), Aad::load(key, aad));
        let made = match key.rounds {
            10 => process_lines::<V, 10, SEAL, SHORT>(key, &counters, &aad, lines, OnePlace),
            12 => process_lines::<V, 12, SEAL, SHORT>(key, &counters, &aad, lines, OnePlace),
            _ => process_lines::<V, 14, SEAL, SHORT>(key, &counters, &aad, lines, OnePlace),
        };
        made.0.store(tag.as_mut_ptr());
    }
}

/// Returns the offsets at which reading a long plaintext (more than [`max_short_bytes`] bytes) may continue at another
/// address.
pub(super) fn steps<V: Schedule>(bytes: usize) -> Steps {
    if V::IS_IN_FOURS { fours::steps::<V>(bytes) } else { pipeline::steps::<V>(bytes) }
}

/// Seals a message whose plaintext is in several parts of memory, and writes the tag to `tag`.
///
/// # Safety
/// The message has more than [`max_short_bytes`] bytes. The parts in `parts` cover the whole message and can be read;
/// each ends at one of the offsets from [`steps`]. `output` has the length of the message, and does not overlap any
/// part.
#[inline(always)]
pub(super) unsafe fn seal_parts<V: OutOfLine>(
    key: &Expanded<V>,
    nonce: &[u8; 12],
    aad: &[u8],
    parts: &[Part],
    output: &mut [u8],
    tag: &mut Block,
) {
    let (counters, aad) = (Counters::new(key, nonce), Aad::new(key, aad));
    // SAFETY: guaranteed by the caller.
    let made = unsafe {
        let (to, bytes) = (output.as_mut_ptr(), output.len());
        let (source, lines) = InParts::begin(parts, Lines::new(to, to, bytes));
        match key.rounds {
            10 => process_lines::<V, 10, true, false>(key, &counters, &aad, lines, source),
            12 => process_lines::<V, 12, true, false>(key, &counters, &aad, lines, source),
            _ => process_lines::<V, 14, true, false>(key, &counters, &aad, lines, source),
        }
    };
    *tag = made.0.to_bytes();
}

/// Seals a message, or opens it if `SEAL` is false. Returns the computed tag, which the caller compares with the
/// received tag when opening. If a short message is sealed, also returns the first 32 bytes of its ciphertext, padded
/// with zeros; otherwise the second value is meaningless.
///
/// # Safety
/// The message has at most [`max_short_bytes`] bytes if `SHORT`, and more otherwise. The slices of plaintext in
/// `source` end only at the offsets from [`steps`]. There is one slice, except while a long message is sealed.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn process_lines<V: OutOfLine, const ROUNDS: usize, const SEAL: bool, const SHORT: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
    source: impl Source,
) -> (Lanes1, [Lanes1; 2]) {
    if V::BLOCKS == 2 || V::BLOCKS == 4 && !SHORT {
        align_frame::<V>();
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        // (With a single match on all constants, the compiler would compile excluded arms, and drop them later.)
        if V::IS_IN_FOURS {
            if !SHORT {
                let tag = fours::long::<V, ROUNDS, SEAL>(key, counters, aad, lines, source);
                return (tag, [Lanes1::zero(key.proof.into()); 2]);
            }
            if SEAL {
                return fours::short::<V, ROUNDS>(key, counters, aad, lines);
            }
        }
        if SHORT {
            return short::<V, ROUNDS, SEAL>(key, counters, aad, lines);
        }
        let tag = long::<V, ROUNDS, SEAL>(key, counters, aad, lines, source);
        (tag, [Lanes1::zero(key.proof.into()); 2])
    }
}

/// Aligns the stack frame of the caller to the size of a vector; this function is inlined into the caller. (The
/// compiler aligns the frame only if it knows early that a vector will be in memory. If registers run out later, it
/// stores vectors at addresses where they cross cache lines, which costs a message some 13 ns.)
#[inline(always)]
pub(super) fn align_frame<V: Vector>() {
    let place = MaybeUninit::<V>::uninit();
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {0} */", in(reg) &raw const place, options(readonly, nostack, preserves_flags)) };
}

/// Seals a short message, or opens it if `SEAL` is false. Returns the computed tag; when opening, the caller compares
/// this tag with the received tag.
///
/// # Safety
/// The message has at most [`max_short_bytes`] bytes.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn short<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
) -> (Lanes1, [Lanes1; 2]) {
    let lengths = lengths(key, aad.bytes, lines.bytes());
    let places = unrolled::Places { lengths, aad: aad.blocks[1], before: aad.may_have_two.then_some(aad.blocks[0]) };
    #[expect(clippy::manual_div_ceil, reason = "div_ceil takes five instructions more, for sums that would overflow")]
    let vectors = (lines.bytes() + HEADER_BYTES + V::BYTES - 1) / V::BYTES;
    // SAFETY: the number of vectors matches in each arm. (With vectors of one block there are at least two vectors, for
    // the two blocks before the data.)
    let (hash, mask, beginning) = unsafe {
        match vectors {
            1 if V::BLOCKS > 1 => unrolled::message::<V, ROUNDS, SEAL, 1>(key, counters, &places, lines),
            2 => unrolled::message::<V, ROUNDS, SEAL, 2>(key, counters, &places, lines),
            3 => unrolled::message::<V, ROUNDS, SEAL, 3>(key, counters, &places, lines),
            4 => unrolled::message::<V, ROUNDS, SEAL, 4>(key, counters, &places, lines),
            5 => unrolled::message::<V, ROUNDS, SEAL, 5>(key, counters, &places, lines),
            6 => unrolled::message::<V, ROUNDS, SEAL, 6>(key, counters, &places, lines),
            7 => unrolled::message::<V, ROUNDS, SEAL, 7>(key, counters, &places, lines),
            _ => unrolled::message::<V, ROUNDS, SEAL, GROUP>(key, counters, &places, lines),
        }
    };
    (hash.reverse().xor(mask), beginning)
}

/// Seals a long message, or opens it if `SEAL` is false. Returns the computed tag; when opening, the caller compares
/// this tag with the received tag.
///
/// # Safety
/// The message has more than [`max_short_bytes`] bytes.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn long<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
    source: impl Source,
) -> Lanes1 {
    // The block of lengths is not part of the vectors, so its product is added separately.
    let mut last = Accumulator::zero(key.proof);
    last.add_block(lengths(key, aad.bytes, lines.bytes()).reverse(), key.first_power());
    let begun = Begun::<V, ROUNDS>::new(key, counters, 0);
    // SAFETY: a long message has more than one group of vectors.
    let (tail, mask, ()) = unsafe { begun.go_on::<SEAL, true, ()>(key, aad.blocks, lines, source, || ()) };
    let mut sum = tail.hash(key);
    sum.add(&last);
    sum.finish(key.proof).reverse().xor(mask)
}

/// Returns GHASH's last block: the lengths of the AAD and of the data in bits (SP 800-38D §7.1, step 5).
#[inline(always)]
pub(super) fn lengths<V: Schedule>(key: &Expanded<V>, aad_bytes: usize, data_bytes: usize) -> Lanes1 {
    Lanes1::of_halves(key.proof.into(), ((aad_bytes as u64) << 3).swap_bytes(), ((data_bytes as u64) << 3).swap_bytes())
}

/// Functions for long AAD and long messages. They are not inlined into the kernel, because this would make the kernel
/// slower for short messages.
pub(crate) trait OutOfLine: Schedule {
    /// Hashes long AAD by the function [`fold_aad`], which is compiled once for each backend and not inlined.
    fn fold_aad(key: &Expanded<Self>, aad: &[u8]) -> Lanes1;

    /// Calls [`fours::bulk`] without inlining it.
    ///
    /// # Safety
    /// As for [`fours::bulk`].
    unsafe fn bulk<const ROUNDS: usize, const SEAL: bool, S: Source>(
        key: &Expanded<Self>,
        run: fours::Run<Self>,
        last: Accumulator<Self>,
        source: S,
    ) -> Lanes1;
}

/// Maximum length in bytes of AAD that fits into two blocks. In encryption, the two blocks before the data belong to
/// counter 0 (unused) and J0; in the hash, they are free for AAD.
pub(super) const MAX_SHORT_AAD: usize = HEADER_BYTES;

/// Address and length of AAD for the kernel. Callers first reduce AAD of more than [`MAX_SHORT_AAD`] bytes to one block
/// with [`fold_aad`]. (If the kernel called this function, every message would save and restore some registers.)
#[derive(Clone, Copy)]
pub(crate) struct AadAt {
    pub(super) from: *const u8,
    /// Length of the whole AAD in bytes. The flag [`IS_REMAINDER`] is added if `from` points to the block from
    /// [`fold_aad`].
    pub(super) bytes: usize,
}

/// Flag in [`AadAt::bytes`]: the AAD was reduced to one block by [`fold_aad`]. The flag is the sign bit, which is free
/// because no slice is that long.
const IS_REMAINDER: usize = 1 << (usize::BITS - 1);

impl AadAt {
    #[inline(always)]
    pub(super) fn whole(aad: &[u8]) -> Self {
        Self::new(aad.as_ptr(), aad.len())
    }

    /// Describes AAD by its address and length. The flag [`IS_REMAINDER`] may be added to the length.
    #[inline(always)]
    pub(super) fn new(from: *const u8, bytes: usize) -> Self {
        Self { from, bytes }
    }

    /// Describes AAD that [`fold_aad`] has reduced to `block`.
    #[inline(always)]
    pub(super) fn remainder(aad: &[u8], block: &Block) -> Self {
        Self { from: block.as_ptr(), bytes: aad.len() | IS_REMAINDER }
    }
}

/// AAD as two blocks, which are hashed before the data. The header of a packet usually fits into two blocks.
/// [`fold_aad`] reduces longer AAD to one block.
pub(super) struct Aad {
    /// Blocks of the AAD. If the AAD has only one block, that is the second, and the first is zero.
    pub(super) blocks: [Lanes1; 2],
    /// Whether the AAD may have two blocks, so that the first of `blocks` can be nonzero.
    pub(super) may_have_two: bool,
    /// Length of the whole AAD in bytes. The flag [`IS_REMAINDER`] may be added; the conversion to bits shifts this
    /// flag out.
    pub(super) bytes: usize,
}

impl Aad {
    /// Loads AAD of at most two blocks, or the one block to which [`fold_aad`] reduced longer AAD.
    ///
    /// # Safety
    /// The AAD can be read.
    #[inline(always)]
    pub(super) unsafe fn load<V: Schedule>(key: &Expanded<V>, aad: AadAt) -> Self {
        let AadAt { from, bytes } = aad;
        debug_assert!(bytes <= MAX_SHORT_AAD || bytes & IS_REMAINDER != 0);
        let zero = Lanes1::zero(key.proof.into());
        // SAFETY: guaranteed by the caller.
        let blocks = unsafe {
            match bytes {
                0..=16 => [zero, V::load_block(key.proof, from, bytes)],
                17..=MAX_SHORT_AAD => {
                    let first = Lanes1::load(key.proof.into(), from);
                    [first, V::load_block(key.proof, from.wrapping_add(16), bytes - 16)]
                }
                _ => [zero, Lanes1::load(key.proof.into(), from)],
            }
        };
        Self { blocks, may_have_two: matches!(bytes, 17..=MAX_SHORT_AAD), bytes }
    }

    /// Loads AAD of any length. If the AAD has more than two blocks, hashes all blocks but the last.
    #[inline(always)]
    pub(super) fn new<V: OutOfLine>(key: &Expanded<V>, aad: &[u8]) -> Self {
        if aad.len() > MAX_SHORT_AAD {
            let zero = Lanes1::zero(key.proof.into());
            return Self { blocks: [zero, V::fold_aad(key, aad)], may_have_two: false, bytes: aad.len() };
        }
        // SAFETY: `aad` is a slice that can be read.
        unsafe { Self::load(key, AadAt::whole(aad)) }
    }
}

/// Hashes all blocks of the nonempty `aad` but the last, and returns the hash XOR the last block.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn fold_aad<V: Schedule>(key: &Expanded<V>, aad: &[u8]) -> Lanes1 {
    let (first, last) = aad.split_at((aad.len() - 1) / 16 * 16);
    // SAFETY: the slice has `last.len()` bytes.
    let last = unsafe { V::load_block(key.proof, last.as_ptr(), last.len()) };
    let zero = Lanes1::zero(key.proof.into());
    absorb_blocks(key, zero, first).reverse().xor(last)
}
