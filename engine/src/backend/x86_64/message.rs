//! Whole messages with a 96-bit nonce: choice of the kernel by length, AAD, and lengths.

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

/// Maximum length of a short message in bytes: a group of vectors, with the two places before the data.
pub(super) const fn most_short<V: Schedule>() -> usize {
    GROUP * V::BYTES - HEADER_BYTES
}

/// Seals or opens a message, and writes its tag, or the expected tag, to `tag`. (The data is passed as pointers and
/// length, which go in registers.)
///
/// # Safety
/// `bytes` bytes can be read at `input` and written at `output`, which are the same address or do not overlap. The
/// message has at most [`most_short`] bytes if `SHORT`, and more otherwise. The AAD can be read.
#[inline(always)]
pub(super) unsafe fn whole<V: OutOfLine, const SEAL: bool, const SHORT: bool>(
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
            10 => of_length::<V, 10, SEAL, SHORT>(key, &counters, &aad, lines, OnePlace),
            12 => of_length::<V, 12, SEAL, SHORT>(key, &counters, &aad, lines, OnePlace),
            _ => of_length::<V, 14, SEAL, SHORT>(key, &counters, &aad, lines, OnePlace),
        };
        made.store(tag.as_mut_ptr());
    }
}

/// Positions where a message of more than [`most_short`] bytes can continue at another input address when it is sealed.
pub(super) fn steps<V: Schedule>(bytes: usize) -> Steps {
    if V::IS_IN_FOURS { fours::steps::<V>(bytes) } else { pipeline::steps::<V>(bytes) }
}

/// Seals a message of more than [`most_short`] bytes that is read in parts, and writes its tag.
///
/// # Safety
/// The message is that long. `parts` are all of it, can be read, and end at [`steps`]. `output` has as many bytes, and
/// none of the parts overlaps it.
#[inline(always)]
pub(super) unsafe fn in_parts<V: OutOfLine>(
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
            10 => of_length::<V, 10, true, false>(key, &counters, &aad, lines, source),
            12 => of_length::<V, 12, true, false>(key, &counters, &aad, lines, source),
            _ => of_length::<V, 14, true, false>(key, &counters, &aad, lines, source),
        }
    };
    *tag = made.to_bytes();
}

/// Seals or opens a message, short or not as `SHORT` says. Returns its tag, or the expected tag. Only a long message
/// that is sealed may be read at more than one address.
///
/// # Safety
/// The length is as `SHORT` says; `source` changes its address at [`steps`] only.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn of_length<V: OutOfLine, const ROUNDS: usize, const SEAL: bool, const SHORT: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
    source: impl Source,
) -> Lanes1 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // (Not one match on all constants: arms that are never taken would be compiled first and dropped later.)
        if V::IS_IN_FOURS {
            if !SHORT {
                return fours::long::<V, ROUNDS, SEAL>(key, counters, aad, lines, source);
            }
            if SEAL {
                return fours::short::<V, ROUNDS>(key, counters, aad, lines);
            }
        }
        if SHORT {
            return short::<V, ROUNDS, SEAL>(key, counters, aad, lines);
        }
        long::<V, ROUNDS, SEAL>(key, counters, aad, lines, source)
    }
}

/// Seals or opens a message of at most [`most_short`] bytes. Returns its tag, or the expected tag.
///
/// # Safety
/// The message has no more bytes.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn short<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
) -> Lanes1 {
    let lengths = lengths(key, aad.bytes, lines.bytes());
    let places = unrolled::Places { lengths, aad: aad.blocks[1], before: aad.may_have_two.then_some(aad.blocks[0]) };
    #[expect(clippy::manual_div_ceil, reason = "div_ceil takes five instructions more, for sums that would overflow")]
    let vectors = (lines.bytes() + HEADER_BYTES + V::BYTES - 1) / V::BYTES;
    // SAFETY: the number of vectors matches in each arm. (If vectors have one block, there are at least two: the unused
    // place and J0's.)
    let (hash, mask) = unsafe {
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
    hash.reverse().xor(mask)
}

/// Seals or opens a message of more than [`most_short`] bytes. Returns its tag, or the expected tag.
///
/// # Safety
/// The message has more bytes.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn long<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
    source: impl Source,
) -> Lanes1 {
    // The lengths have no place among the vectors, so their product is added separately.
    let mut last = Accumulator::zero(key.proof);
    last.add_block(lengths(key, aad.bytes, lines.bytes()).reverse(), key.first_power());
    let begun = Begun::<V, ROUNDS>::new(key, counters, 0);
    // SAFETY: a message that is not short has more than a group of vectors.
    let (tail, mask, ()) = unsafe { begun.go_on::<SEAL, true, ()>(key, aad.blocks, lines, source, || ()) };
    let mut sum = tail.hash(key);
    sum.add(&last);
    sum.finish(key.proof).reverse().xor(mask)
}

/// Returns the block of both lengths (SP 800-38D §7.1, step 5).
#[inline(always)]
pub(super) fn lengths<V: Schedule>(key: &Expanded<V>, aad_bytes: usize, data_bytes: usize) -> Lanes1 {
    Lanes1::of_halves(key.proof.into(), ((aad_bytes as u64) << 3).swap_bytes(), ((data_bytes as u64) << 3).swap_bytes())
}

/// Kernel parts that are not inlined, to keep them out of the way of shorter messages.
pub(crate) trait OutOfLine: Schedule {
    /// Calls [`fold_aad`], not inlined.
    fn fold_aad(key: &Expanded<Self>, aad: &[u8]) -> Lanes1;

    /// Calls [`fours::bulk`], not inlined.
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

/// Maximum number of AAD bytes that have places before the data, as two blocks.
pub(super) const MOST_AAD: usize = HEADER_BYTES;

/// Address and length of AAD: all of it, or the one block that is left of more than [`MOST_AAD`] bytes. The kernel
/// takes no more, so its caller hashes longer AAD first. (A call inside the kernel would cost every message some
/// registers, which are saved and restored.)
#[derive(Clone, Copy)]
pub(crate) struct AadAt {
    from: *const u8,
    /// Length of the whole AAD in bytes; with the flag [`LEFT`] if `from` is the block that is left.
    bytes: isize,
}

/// Flag in the sign bit, which is free since no slice is that long.
const LEFT: isize = isize::MIN;

impl AadAt {
    #[inline(always)]
    pub(super) fn whole(aad: &[u8]) -> Self {
        Self { from: aad.as_ptr(), bytes: aad.len() as isize }
    }

    /// Describes the one block that is left of `aad`, whose other blocks have been hashed.
    #[inline(always)]
    pub(super) fn left(aad: &[u8], block: &Block) -> Self {
        Self { from: block.as_ptr(), bytes: aad.len() as isize | LEFT }
    }
}

/// AAD as the two blocks that have a place before the data. A packet's header fits into two blocks; longer AAD is
/// hashed until one block is left.
pub(super) struct Aad {
    /// The AAD's blocks; a single block comes second, after zeros.
    pub(super) blocks: [Lanes1; 2],
    /// Whether the first block can be nonzero.
    pub(super) may_have_two: bool,
    /// Length of the whole AAD in bytes, perhaps with the flag [`LEFT`], which drops out of the number of bits.
    pub(super) bytes: usize,
}

impl Aad {
    /// Loads AAD.
    ///
    /// # Safety
    /// The AAD can be read.
    #[inline(always)]
    pub(super) unsafe fn load<V: Schedule>(key: &Expanded<V>, aad: AadAt) -> Self {
        debug_assert!(aad.bytes <= MOST_AAD as isize);
        let AadAt { from, bytes } = aad;
        let bytes = bytes as usize;
        let zero = Lanes1::zero(key.proof.into());
        // SAFETY: guaranteed by the caller.
        let blocks = unsafe {
            match bytes {
                0..=16 => [zero, V::load_block(key.proof, from, bytes)],
                17..=MOST_AAD => {
                    let first = Lanes1::load(key.proof.into(), from);
                    [first, V::load_block(key.proof, from.wrapping_add(16), bytes - 16)]
                }
                _ => [zero, Lanes1::load(key.proof.into(), from)],
            }
        };
        Self { blocks, may_have_two: matches!(bytes, 17..=MOST_AAD), bytes }
    }

    /// Loads AAD of any length, after hashing all but the last block of longer AAD.
    #[inline(always)]
    pub(super) fn new<V: OutOfLine>(key: &Expanded<V>, aad: &[u8]) -> Self {
        if aad.len() > MOST_AAD {
            let zero = Lanes1::zero(key.proof.into());
            return Self { blocks: [zero, V::fold_aad(key, aad)], may_have_two: false, bytes: aad.len() };
        }
        // SAFETY: `aad` is a slice that can be read.
        unsafe { Self::load(key, AadAt::whole(aad)) }
    }
}

/// Returns the last block of AAD of more than one block, with the hash of the other blocks added.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn fold_aad<V: Schedule>(key: &Expanded<V>, aad: &[u8]) -> Lanes1 {
    let (first, last) = aad.split_at((aad.len() - 1) / 16 * 16);
    // SAFETY: the slice has `last.len()` bytes.
    let last = unsafe { V::load_block(key.proof, last.as_ptr(), last.len()) };
    let zero = Lanes1::zero(key.proof.into());
    absorb_blocks(key, zero, first).reverse().xor(last)
}
