//! Messages processed in parts: hashing without encryption, and whole blocks of data from any counter on.

use super::counters::Counters;
use super::data::Data;
use super::entry::Entry;
use super::groups::{self, GROUP_BYTES, Run};
use super::key::{Expanded, GROUP};
use super::products::{Products, Sum};
use super::straight::{MAX_HASHED, hash, load_group, seal_or_open};
use super::vector::Vector;
use crate::backend::in_out::InOut;
use crate::backend::{Block, Progress};

/// Updates the GHASH value `hash` with `data`. Pads the last block with zeros.
#[inline(always)]
pub(super) fn absorb<P: Products>(key: &Expanded<P>, hash: &mut Block, data: &[u8]) {
    let before = Vector::of_bytes(key.proof(), hash).reflect();
    *hash = absorb_blocks(key, before, data).reflect().to_bytes();
}

/// Returns the GHASH value after `data`; `hash` is the GHASH value before. Both values are polynomials in which bit i
/// is the coefficient of x^i.
#[inline(always)]
pub(super) fn absorb_blocks<P: Products>(key: &Expanded<P>, hash: Vector<P>, data: &[u8]) -> Vector<P> {
    let (proof, mut hash) = (key.proof(), hash);
    for group in data.chunks(GROUP_BYTES) {
        let blocks = group.len().div_ceil(16);
        let mut sum = Sum::zero(proof);
        for (index, bytes) in group.chunks(16).enumerate() {
            // SAFETY: the chunk has `bytes.len()` bytes.
            let mut block = unsafe { Vector::load_part(proof, bytes.as_ptr(), bytes.len()) }.reflect();
            if index == 0 {
                block = block.xor(hash);
            }
            sum.add_one(block, key.power(blocks - index));
        }
        hash = sum.reduce(proof);
    }
    hash
}

/// Converts the length of streamed data, `bytes` bytes in whole blocks, to the length of a whole message that needs as
/// many powers of H. (One group of eight blocks needs eight powers, which every key has.)
#[inline(always)]
pub(super) fn text_bytes(bytes: usize) -> usize {
    if bytes < 2 * GROUP_BYTES { 0 } else { bytes }
}

/// Fills `keystream`, whole blocks, from the counter in `progress` on, and advances the counter. Unless the counter is
/// secret, none of the counters after the first one is a multiple of [`SPAN`](super::counters::SPAN).
#[inline(always)]
pub(super) fn keystream<P: Products>(key: &Expanded<P>, progress: &mut Progress, keystream: &mut [u8]) {
    let [nonce @ .., a, b, c, d] = &progress.counter;
    let (counters, is_public) = (Counters::new(&key.round_keys, nonce), progress.has_public_counter);
    let mut count = u32::from_be_bytes([*a, *b, *c, *d]);
    let mut groups = keystream.chunks_exact_mut(GROUP_BYTES);
    for group in &mut groups {
        keystream_of_blocks::<P, GROUP>(key, &counters, (count, is_public), group);
        count = count.wrapping_add(GROUP as u32);
    }
    for block in groups.into_remainder().chunks_exact_mut(16) {
        keystream_of_blocks::<P, 1>(key, &counters, (count, is_public), block);
        count = count.wrapping_add(1);
    }
    progress.counter[12..].copy_from_slice(&count.to_be_bytes());
}

/// Fills `keystream`, `N` blocks, from counter `count` on.
#[inline(always)]
fn keystream_of_blocks<P: Products, const N: usize>(
    key: &Expanded<P>,
    counters: &Counters<P>,
    (count, is_public): (u32, bool),
    keystream: &mut [u8],
) {
    let (mut states, first) = if is_public {
        counters.states::<N>(key.proof(), count)
    } else {
        counters.states_of_secret::<N>(key.proof(), count)
    };
    key.round_keys.encrypt(&mut states, first);
    for (block, state) in keystream.chunks_exact_mut(16).zip(states) {
        block.copy_from_slice(&state.xor(key.round_keys.last()).to_bytes());
    }
}

/// Seals or opens whole blocks of a streamed message, from the counter in `progress` on.
#[inline(always)]
pub(super) fn blocks<P: Entry, const SEAL: bool>(key: &Expanded<P>, progress: &mut Progress, mut data: InOut<'_>) {
    let proof = key.proof();
    let [nonce @ .., a, b, c, d] = &progress.counter;
    let is_public = progress.has_public_counter;
    let (input, output, bytes) = data.pointers();
    let mut run = Run {
        counters: Counters::new(&key.round_keys, nonce),
        count: u32::from_be_bytes([*a, *b, *c, *d]),
        // SAFETY: the data is borrowed, so it can be read and written.
        data: unsafe { Data::new(input, output, bytes) },
        groups: 0,
        waiting: input,
        hash: Vector::of_bytes(proof, &progress.hash).reflect(),
    };
    while run.data.bytes > 0 {
        // Code may depend on a block's position in its group only if the counter is public.
        let place = if is_public { run.count as usize % GROUP } else { 0 };
        // SAFETY: the data has as many blocks as each arm processes.
        unsafe {
            if is_public && place == 0 && run.data.bytes >= GROUP_BYTES {
                whole_groups::<P, SEAL>(key, &mut run);
                continue;
            }
            match run.data.blocks().min(GROUP - place) {
                1 => part::<P, SEAL, 1>(key, &mut run, is_public),
                2 => part::<P, SEAL, 2>(key, &mut run, is_public),
                3 => part::<P, SEAL, 3>(key, &mut run, is_public),
                4 => part::<P, SEAL, 4>(key, &mut run, is_public),
                5 => part::<P, SEAL, 5>(key, &mut run, is_public),
                6 => part::<P, SEAL, 6>(key, &mut run, is_public),
                7 => part::<P, SEAL, 7>(key, &mut run, is_public),
                _ => part::<P, SEAL, GROUP>(key, &mut run, is_public),
            }
        }
    }
    progress.hash = run.hash.reflect().to_bytes();
    progress.counter[12..].copy_from_slice(&run.count.to_be_bytes());
}

/// Seals or opens all whole groups of eight blocks in the data.
///
/// # Safety
/// There is at least one whole group, and the counter is a multiple of eight.
#[inline(always)]
unsafe fn whole_groups<P: Entry, const SEAL: bool>(key: &Expanded<P>, run: &mut Run<P>) {
    run.groups = run.data.bytes / GROUP_BYTES;
    if !SEAL {
        // SAFETY: guaranteed by the caller.
        return unsafe { groups::all::<P, SEAL>(key, run) };
    }
    // While the first group is encrypted, there is no ciphertext to hash yet. While the last group is hashed, nothing
    // is left to encrypt.
    run.waiting = run.data.output;
    run.groups -= 1;
    let mut blocks = [Vector::zero(key.proof()); MAX_HASHED];
    // SAFETY: guaranteed by the caller.
    unsafe {
        encrypt::<P, SEAL, GROUP>(key, run, true);
        groups::all::<P, SEAL>(key, run);
        load_group(key.proof(), run.waiting, &mut blocks);
    }
    blocks[0] = blocks[0].xor(run.hash.reflect());
    run.hash = hash(key, &blocks, GROUP, Sum::zero(key.proof()));
}

/// Seals or opens `N` blocks of a streamed message, and hashes their ciphertext.
///
/// # Safety
/// The data has `N` blocks. If the counter is not secret (`is_public`: 96-bit nonce), the counters of all these blocks
/// lie between two consecutive multiples of eight.
#[inline(always)]
unsafe fn part<P: Products, const SEAL: bool, const N: usize>(key: &Expanded<P>, run: &mut Run<P>, is_public: bool) {
    // SAFETY: guaranteed by the caller.
    let ciphertext = unsafe { encrypt::<P, SEAL, N>(key, run, is_public) };
    let mut blocks = [Vector::zero(key.proof()); MAX_HASHED];
    unroll!(index < N, {
        blocks[N % 2 + index] = ciphertext[index];
    });
    blocks[N % 2] = blocks[N % 2].xor(run.hash.reflect());
    run.hash = hash(key, &blocks, N % 2 + N, Sum::zero(key.proof()));
}

/// Seals or opens `N` blocks without hashing them, and returns their ciphertext.
///
/// # Safety
/// As for [`part`].
#[inline(always)]
unsafe fn encrypt<P: Products, const SEAL: bool, const N: usize>(
    key: &Expanded<P>,
    run: &mut Run<P>,
    is_public: bool,
) -> [Vector<P>; N] {
    let (mut states, first) = if is_public {
        run.counters.states::<N>(key.proof(), run.count)
    } else {
        run.counters.states_of_secret::<N>(key.proof(), run.count)
    };
    key.round_keys.encrypt(&mut states, first);
    // SAFETY: guaranteed by the caller.
    let ciphertext = unsafe { seal_or_open::<P, SEAL, N, 0>(key, &states, run.data.first(16 * N)) };
    run.data = run.data.after(16 * N);
    run.count = run.count.wrapping_add(N as u32);
    ciphertext
}
