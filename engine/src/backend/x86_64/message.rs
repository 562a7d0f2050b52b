//! Whole messages with a 96-bit nonce.

use super::aesni::One;
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

/// Most bytes of a short message: a group of vectors, with the two places before the data.
pub(super) const fn most_short<V: Schedule>() -> usize {
    GROUP * V::BYTES - HEADER_BYTES
}

/// Seals or opens a message, and writes the tag it has or ought to have. (Data as pointers and length: these go in
/// registers.)
///
/// # Safety
/// So many bytes can be read at `input` and written at `output`, which are the same or do not overlap; they are
/// [`most_short`] at most or more, as `SHORT` says. The AAD is where it is said to be.
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
    // SAFETY: the caller's.
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

/// Where a message of more than [`most_short`] bytes can be read on elsewhere when it is sealed.
pub(super) fn steps<V: Schedule>(bytes: usize) -> Steps {
    if V::IS_IN_FOURS { fours::steps::<V>(bytes) } else { pipeline::steps::<V>(bytes) }
}

/// Seals a message of more than [`most_short`] bytes that is read in parts, and writes its tag.
///
/// # Safety
/// It is; `parts` are all of it, can be read, and end where [`steps`] are; so many bytes can be
/// written at `output`, which none of them overlaps.
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
    // SAFETY: the caller's.
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

/// Seals or opens a message that is short or not, as `SHORT` says; the tag it has or ought to have. Only a long message
/// that is sealed may be read in more than one place.
///
/// # Safety
/// It is; `source` goes on elsewhere at [`steps`] only.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn of_length<V: OutOfLine, const ROUNDS: usize, const SEAL: bool, const SHORT: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
    source: impl Source,
) -> One {
    // SAFETY: the caller's.
    unsafe {
        // (No match on all: what is not asked for would be compiled first and left off later.)
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

/// Seals or opens a message of [`most_short`] bytes at most; the tag it has or ought to have.
///
/// # Safety
/// It has no more bytes.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn short<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
) -> One {
    let lengths = lengths(key, aad.bytes, lines.bytes());
    let places = unrolled::Places { lengths, aad: aad.blocks[1], before: aad.may_have_two.then_some(aad.blocks[0]) };
    #[expect(clippy::manual_div_ceil, reason = "div_ceil takes five instructions more, for sums that would overflow")]
    let vectors = (lines.bytes() + HEADER_BYTES + V::BYTES - 1) / V::BYTES;
    // SAFETY: each arm is for as many vectors as there are. (Two vectors of one block each are the least: the place
    // that is not used, and that of J0.)
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

/// Seals or opens a message of more than [`most_short`] bytes; the tag it has or ought to have.
///
/// # Safety
/// It has more bytes.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn long<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
    source: impl Source,
) -> One {
    // The lengths have no place among the vectors; their product is added for itself.
    let mut last = Accumulator::zero(key.proof);
    last.add_block(lengths(key, aad.bytes, lines.bytes()).reverse(), key.first_power());
    let begun = Begun::<V, ROUNDS>::new(key, counters, 0);
    // SAFETY: more than a short message is more than a group of vectors.
    let (tail, mask, ()) = unsafe { begun.go_on::<SEAL, true, ()>(key, aad.blocks, lines, source, || ()) };
    let mut sum = tail.hash(key);
    sum.add(&last);
    sum.finish(key.proof).reverse().xor(mask)
}

/// The block of both lengths (SP 800-38D §7.1, step 5).
#[inline(always)]
pub(super) fn lengths<V: Schedule>(key: &Expanded<V>, aad_bytes: usize, data_bytes: usize) -> One {
    One::of_halves(key.proof.into(), ((aad_bytes as u64) << 3).swap_bytes(), ((data_bytes as u64) << 3).swap_bytes())
}

/// A vector with functions for what is to be out of the way of shorter things.
pub(crate) trait OutOfLine: Schedule {
    /// [`fold_aad`] in a function of its own.
    fn fold_aad(key: &Expanded<Self>, aad: &[u8]) -> One;

    /// [`fours::bulk`] in a function of its own.
    ///
    /// # Safety
    /// As there.
    unsafe fn bulk<const ROUNDS: usize, const SEAL: bool, S: Source>(
        key: &Expanded<Self>,
        run: fours::Run<Self>,
        last: Accumulator<Self>,
        source: S,
    ) -> One;
}

/// Most bytes of AAD that has a place before the data, block by block.
pub(super) const MOST_AAD: usize = HEADER_BYTES;

/// Where AAD is: all of it, or the one block that is left of more than [`MOST_AAD`] bytes. The kernel takes no more, so
/// its caller hashes longer AAD first. (A call inside the kernel would cost every message some registers, which are
/// saved and restored.)
#[derive(Clone, Copy)]
pub(crate) struct AadAt {
    from: *const u8,
    /// Bytes of all of it; with [`LEFT`] if `from` is what is left.
    bytes: isize,
}

/// The sign: no slice is as long.
const LEFT: isize = isize::MIN;

impl AadAt {
    /// All of it.
    #[inline(always)]
    pub(super) fn whole(aad: &[u8]) -> Self {
        Self { from: aad.as_ptr(), bytes: aad.len() as isize }
    }

    /// The block that is left of `aad`.
    #[inline(always)]
    pub(super) fn left(aad: &[u8], block: &Block) -> Self {
        Self { from: block.as_ptr(), bytes: aad.len() as isize | LEFT }
    }
}

/// AAD as the two blocks that have a place before the data. A packet's header fits into two; longer AAD is hashed until
/// one block is left.
pub(super) struct Aad {
    /// Zeros before a single block.
    pub(super) blocks: [One; 2],
    /// Whether the first of them can be anything else.
    pub(super) may_have_two: bool,
    /// Bytes of the whole; perhaps with [`LEFT`], which is no part of the number of bits.
    pub(super) bytes: usize,
}

impl Aad {
    /// That at this place.
    ///
    /// # Safety
    /// It is there.
    #[inline(always)]
    pub(super) unsafe fn load<V: Schedule>(key: &Expanded<V>, aad: AadAt) -> Self {
        debug_assert!(aad.bytes <= MOST_AAD as isize);
        let AadAt { from, bytes } = aad;
        let bytes = bytes as usize;
        let zero = One::zero(key.proof.into());
        // SAFETY: the caller's.
        let blocks = unsafe {
            match bytes {
                0..=16 => [zero, V::load_block(key.proof, from, bytes)],
                17..=MOST_AAD => {
                    let first = One::load(key.proof.into(), from);
                    [first, V::load_block(key.proof, from.wrapping_add(16), bytes - 16)]
                }
                _ => [zero, One::load(key.proof.into(), from)],
            }
        };
        Self { blocks, may_have_two: matches!(bytes, 17..=MOST_AAD), bytes }
    }

    /// That of these bytes.
    #[inline(always)]
    pub(super) fn new<V: OutOfLine>(key: &Expanded<V>, aad: &[u8]) -> Self {
        if aad.len() > MOST_AAD {
            let zero = One::zero(key.proof.into());
            return Self { blocks: [zero, V::fold_aad(key, aad)], may_have_two: false, bytes: aad.len() };
        }
        // SAFETY: it is all there.
        unsafe { Self::load(key, AadAt::whole(aad)) }
    }
}

/// The last block of AAD of more than one block, with the hash of the others added: one block to go on with.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn fold_aad<V: Schedule>(key: &Expanded<V>, aad: &[u8]) -> One {
    let (first, last) = aad.split_at((aad.len() - 1) / 16 * 16);
    // SAFETY: the last block is as long as it says.
    let last = unsafe { V::load_block(key.proof, last.as_ptr(), last.len()) };
    let zero = One::zero(key.proof.into());
    absorb_blocks(key, zero, first).reverse().xor(last)
}
