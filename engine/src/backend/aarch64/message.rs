//! Whole messages with a 96-bit nonce.
//!
//! J0 is encrypted together with the first six blocks of the data. GHASH reads the last two blocks of the AAD before
//! these six blocks. So the first block of each later group of eight has a counter that is a multiple of eight.

use super::counters::Counters;
use super::data::Data;
use super::entry::Entry;
use super::groups::{self, Run};
use super::key::{Expanded, GROUP, GROUPS};
use super::products::{Products, Sum};
use super::straight::{MAX_HASHED, hash, load_group, seal_or_open};
use super::streaming::absorb_blocks;
use super::vector::Vector;
use crate::backend::Block;

/// Number of data blocks encrypted in parallel with J0: a group of eight, less counter 0 (unused) and J0.
const BESIDE_J0: usize = GROUP - 2;

/// Maximum length in bytes of a short message, all of whose blocks are encrypted in parallel with J0.
pub(super) const MAX_SHORT: usize = 16 * BESIDE_J0;

/// Returns the number of powers of H that are needed to hash a message.
pub(super) fn powers_for(aad_bytes: usize, bytes: usize) -> usize {
    let blocks = bytes.div_ceil(16);
    let of_data = if bytes <= MAX_SHORT {
        // One more power for the block of lengths, and two for the last two blocks of AAD.
        blocks + 3
    } else {
        let groups = (blocks - BESIDE_J0 - 1) / GROUP;
        MAX_HASHED.max(groups.min(GROUPS) * GROUP)
    };
    // AAD of more than two blocks is hashed in groups.
    if aad_bytes > 32 { of_data.max(GROUP) } else { of_data }
}

/// Seals a message if `SEAL`, otherwise opens one. Writes the computed tag to `tag`; when opening, the caller compares
/// this tag with the received one.
///
/// # Safety
/// The message has at most [`MAX_SHORT`] bytes if `SHORT`, and more otherwise.
#[inline(always)]
pub(super) unsafe fn whole<P: Entry, const SEAL: bool, const SHORT: bool>(
    key: &Expanded<P>,
    nonce: &[u8; 12],
    aad: &[u8],
    data: Data,
    tag: &mut Block,
) {
    let lengths = Vector::of_halves(key.proof(), bits(aad.len()), bits(data.bytes));
    let (counters, aad) = (Counters::new(&key.round_keys, nonce), Aad::new(key, aad));
    // SAFETY: guaranteed by the caller; each arm is for as many blocks as the data has, and J0.
    let made = unsafe {
        match (SHORT, data.blocks()) {
            (true, 0) => few::<P, SEAL, 1>(key, &counters, &aad, data, lengths),
            (true, 1) => few::<P, SEAL, 2>(key, &counters, &aad, data, lengths),
            (true, 2) => few::<P, SEAL, 3>(key, &counters, &aad, data, lengths),
            (true, 3) => few::<P, SEAL, 4>(key, &counters, &aad, data, lengths),
            (true, 4) => few::<P, SEAL, 5>(key, &counters, &aad, data, lengths),
            (true, 5) => few::<P, SEAL, 6>(key, &counters, &aad, data, lengths),
            (true, _) => few::<P, SEAL, 7>(key, &counters, &aad, data, lengths),
            (false, _) => many::<P, SEAL>(key, &counters, &aad, data, lengths),
        }
    };
    *tag = made.to_bytes();
}

/// Returns the length of `bytes` bytes in bits, in big-endian order, as half of GHASH's block of lengths.
fn bits(bytes: usize) -> u64 {
    (bytes as u64 * 8).swap_bytes()
}

/// Seals or opens a message of `N` - 1 blocks, at most six, and returns the computed tag.
///
/// # Safety
/// The data has `N` - 1 blocks.
#[inline(always)]
unsafe fn few<P: Products, const SEAL: bool, const N: usize>(
    key: &Expanded<P>,
    counters: &Counters<P>,
    aad: &Aad<P>,
    data: Data,
    lengths: Vector<P>,
) -> Vector<P> {
    let proof = key.proof();
    let (mut states, first) = counters.states::<N>(proof, 1);
    key.round_keys.encrypt(&mut states, first);
    // SAFETY: guaranteed by the caller.
    let ciphertext = unsafe { seal_or_open::<P, SEAL, N, 1>(key, &states, data) };

    // Blocks are hashed in pairs. An odd number of data blocks leaves room for both blocks of AAD. An even number
    // leaves room for the second one; the first one, which is usually zero, is added separately.
    let before = 1 + (N - 1) % 2;
    let mut blocks = [Vector::zero(proof); MAX_HASHED];
    blocks[0] = aad.blocks[0];
    blocks[before - 1] = aad.blocks[1];
    unroll!(index < N, {
        if index > 0 {
            blocks[before + index - 1] = ciphertext[index];
        }
    });
    blocks[before + N - 1] = lengths;
    let mut sum = Sum::zero(proof);
    if before == 1 && aad.has_two {
        sum.add_one(aad.blocks[0].reflect(), key.power(N + 2));
    }
    hash(key, &blocks, before + N, sum).reflect().xor(states[0]).xor(key.round_keys.last())
}

/// Seals or opens a message of more than six blocks, and returns the computed tag.
///
/// # Safety
/// The data has more than six blocks.
#[inline(always)]
unsafe fn many<P: Entry, const SEAL: bool>(
    key: &Expanded<P>,
    counters: &Counters<P>,
    aad: &Aad<P>,
    data: Data,
    lengths: Vector<P>,
) -> Vector<P> {
    let proof = key.proof();
    let (mut states, first) = counters.states::<{ BESIDE_J0 + 1 }>(proof, 1);
    key.round_keys.encrypt(&mut states, first);
    // SAFETY: guaranteed by the caller.
    let ciphertext = unsafe { seal_or_open::<P, SEAL, { BESIDE_J0 + 1 }, 1>(key, &states, data.first(MAX_SHORT)) };
    let mask = states[0].xor(key.round_keys.last());

    let mut begun = [Vector::zero(proof); MAX_HASHED];
    [begun[0], begun[1]] = aad.blocks;
    begun[2..GROUP].copy_from_slice(&ciphertext[1..]);
    let mut waiting = [[0; 16]; GROUP];
    let data = data.after(MAX_SHORT);
    let mut run = Run {
        counters: *counters,
        count: GROUP as u32,
        data,
        // One to eight blocks remain after these groups.
        groups: (data.blocks() - 1) / GROUP,
        waiting: data.input,
        hash: Vector::zero(proof),
    };
    if SEAL {
        unroll!(index < GROUP, of 8, {
            waiting[index] = begun[index].to_bytes();
        });
        run.waiting = waiting.as_ptr().cast();
    } else {
        run.hash = hash(key, &begun, GROUP, Sum::zero(proof));
    }
    // SAFETY: guaranteed by the caller; each arm is for as many blocks as are left.
    let tag = unsafe {
        groups::all::<P, SEAL>(key, &mut run);
        match run.data.blocks() {
            1 => end::<P, SEAL, 1>(key, &run, lengths),
            2 => end::<P, SEAL, 2>(key, &run, lengths),
            3 => end::<P, SEAL, 3>(key, &run, lengths),
            4 => end::<P, SEAL, 4>(key, &run, lengths),
            5 => end::<P, SEAL, 5>(key, &run, lengths),
            6 => end::<P, SEAL, 6>(key, &run, lengths),
            7 => end::<P, SEAL, 7>(key, &run, lengths),
            _ => end::<P, SEAL, GROUP>(key, &run, lengths),
        }
    };
    tag.reflect().xor(mask)
}

/// Seals or opens the last `N` blocks of a message after the main loop, and returns the hash of the whole message.
///
/// # Safety
/// `N` blocks are left. When sealing, the eight blocks of ciphertext at `run.waiting` are not hashed yet.
#[inline(always)]
unsafe fn end<P: Products, const SEAL: bool, const N: usize>(
    key: &Expanded<P>,
    run: &Run<P>,
    lengths: Vector<P>,
) -> Vector<P> {
    let proof = key.proof();
    let (mut states, first) = run.counters.states::<N>(proof, run.count);
    key.round_keys.encrypt(&mut states, first);
    // SAFETY: guaranteed by the caller.
    let ciphertext = unsafe { seal_or_open::<P, SEAL, N, 0>(key, &states, run.data) };

    let waiting = if SEAL { GROUP } else { 0 };
    let pad = (waiting + N + 1) % 2;
    let mut blocks = [Vector::zero(proof); MAX_HASHED];
    if SEAL {
        // SAFETY: guaranteed by the caller.
        unsafe { load_group(proof, run.waiting, &mut blocks[pad..]) };
    }
    unroll!(index < N, {
        blocks[pad + waiting + index] = ciphertext[index];
    });
    blocks[pad + waiting + N] = lengths;
    blocks[pad] = blocks[pad].xor(run.hash.reflect());
    hash(key, &blocks, pad + waiting + N + 1, Sum::zero(proof))
}

/// AAD as two blocks, which are enough for a packet's header. If the AAD has more than two blocks, all blocks but the
/// last are hashed first.
struct Aad<P> {
    /// Last two blocks of the AAD. If the AAD has only one block, the first of the two is zero.
    blocks: [Vector<P>; 2],
    /// Whether the AAD may have two blocks, so that the first of `blocks` can be nonzero.
    has_two: bool,
}

impl<P: Entry> Aad<P> {
    /// Loads AAD of one or two blocks. If the AAD has more than two blocks, hashes all blocks but the last, and XORs
    /// the hash into the last block.
    #[inline(always)]
    fn new(key: &Expanded<P>, aad: &[u8]) -> Self {
        let (proof, from) = (key.proof(), aad.as_ptr());
        let zero = Vector::zero(proof);
        // SAFETY: `aad` is a slice that can be read; the key is the proof.
        let blocks = unsafe {
            match aad.len() {
                bytes @ 0..=16 => [zero, Vector::load_part(proof, from, bytes)],
                bytes @ 17..=32 => {
                    [Vector::load(proof, from), Vector::load_part(proof, from.wrapping_add(16), bytes - 16)]
                }
                _ => {
                    let mut folded = [0; 16];
                    P::fold_aad(key, aad, &mut folded);
                    [zero, Vector::of_bytes(proof, &folded)]
                }
            }
        };
        Self { blocks, has_two: matches!(aad.len(), 17..=32) }
    }
}

/// Hashes all blocks of the nonempty `aad` but the last. Stores the hash XOR the last block in `folded`.
#[inline(always)]
pub(super) fn fold_aad<P: Products>(key: &Expanded<P>, aad: &[u8], folded: &mut Block) {
    let proof = key.proof();
    let (before, last) = aad.split_at((aad.len() - 1) / 16 * 16);
    // SAFETY: the slice has `last.len()` bytes.
    let last = unsafe { Vector::load_part(proof, last.as_ptr(), last.len()) };
    *folded = absorb_blocks(key, Vector::zero(proof), before).reflect().xor(last).to_bytes();
}
