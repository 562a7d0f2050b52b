//! Messages processed in parts: single blocks, hashing without encryption, and whole blocks of data from any counter
//! on.

use super::aesni::Lanes1;
use super::cipher::{Counters, SPAN, last_round, round_key, rounds};
use super::hash::{Accumulator, add_consecutive};
use super::key::Expanded;
use super::lines::Lines;
use super::message::align_frame;
use super::pipeline;
use super::schedule::{GROUP, Schedule};
use super::vector::Vector;
use crate::backend::{Block, Progress};
use crate::in_out::InOut;

#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn encrypt_block<V: Schedule>(key: &Expanded<V>, block: &Block) -> Block {
    let narrow = key.proof.into();
    let mut state = Lanes1::of_bytes(narrow, block).xor(Lanes1::of_bytes(narrow, &key.round_keys[0]));
    for round_key in &key.round_keys[1..key.rounds] {
        state = state.aes_round(Lanes1::of_bytes(narrow, round_key));
    }
    state.aes_last_round(Lanes1::of_bytes(narrow, &key.round_keys[key.rounds])).to_bytes()
}

/// Updates the GHASH value `hash` with `data`. Pads the last block with zeros.
#[inline(always)]
pub(super) fn absorb<V: Schedule>(key: &Expanded<V>, hash: &mut Block, data: &[u8]) {
    if data.is_empty() {
        return;
    }
    let before = Lanes1::of_bytes(key.proof.into(), hash).reverse();
    *hash = absorb_blocks(key, before, data).reverse().to_bytes();
}

/// Returns the GHASH value after `data`; `hash` is the GHASH value before. Both values have their bytes reversed.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn absorb_blocks<V: Schedule>(key: &Expanded<V>, hash: Lanes1, data: &[u8]) -> Lanes1 {
    let mut hash = hash;
    for group in data.chunks(GROUP * V::BYTES) {
        let power = group.len().div_ceil(16);
        let mut sum = Accumulator::zero(key.proof);
        if group.len() == GROUP * V::BYTES {
            let mut values = [V::zero(key.proof); GROUP];
            unroll!(index < GROUP, {
                // SAFETY: the group has this number of vectors.
                values[index] = unsafe { V::load(key.proof, group.as_ptr().wrapping_add(index * V::BYTES)) };
            });
            values[0] = values[0].xor_first_block(hash.reverse());
            add_consecutive::<V, GROUP, false>(key, &mut sum, &values, power);
            hash = sum.finish(key.proof);
            continue;
        }
        for (index, bytes) in group.chunks(V::BYTES).enumerate() {
            // SAFETY: each chunk has `bytes.len()` bytes; the table has the powers of a group and three spare places.
            let (mut value, powers) = unsafe {
                (
                    V::load_part(key.proof, bytes.as_ptr(), bytes.len()),
                    V::load(key.proof, key.consecutive_from(power).wrapping_add(index * V::BYTES)),
                )
            };
            value = value.reverse();
            if index == 0 {
                value = value.xor_first_block(hash);
            }
            sum.add_one(value, powers);
        }
        hash = sum.finish(key.proof);
    }
    hash
}

/// Fills `keystream`, whole blocks, from the counter in `progress` on, and advances the counter. Unless the counter is
/// secret, the counters of all blocks lie between two consecutive multiples of [`SPAN`], so they differ only in the
/// last byte.
#[inline(always)]
pub(super) fn keystream<V: Schedule>(key: &Expanded<V>, progress: &mut Progress, keystream: &mut [u8]) {
    let (nonce, mut count) = split(&progress.counter);
    let counters = Counters::new(key, &nonce);
    for group in keystream.chunks_mut(GROUP * V::BYTES) {
        let first = (count, progress.has_public_counter);
        match group.len().div_ceil(V::BYTES) {
            1 => keystream_of_group::<V, 1>(key, &counters, first, group),
            2 => keystream_of_group::<V, 2>(key, &counters, first, group),
            3 | 4 => keystream_of_group::<V, 4>(key, &counters, first, group),
            _ => keystream_of_group::<V, GROUP>(key, &counters, first, group),
        }
        count = count.wrapping_add((group.len() / 16) as u32);
    }
    progress.counter[12..].copy_from_slice(&count.to_be_bytes());
}

/// Fills `keystream`, at most `N` vectors, from counter `count` on.
#[cfg_attr(not(unoptimised), inline(always))]
fn keystream_of_group<V: Schedule, const N: usize>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    (count, is_public): (u32, bool),
    keystream: &mut [u8],
) {
    let mut states = if is_public {
        counters.first_states::<N>(key, count)
    } else {
        counters.first_states_of_secret::<N>(key, count)
    };
    rounds(key, &mut states, 1, key.rounds);
    let (last, start) = (round_key(key, key.rounds), keystream.as_mut_ptr());
    // SAFETY: only the bytes of the keystream are written.
    let lines = unsafe { Lines::new(start, start, keystream.len()) };
    unroll!(index < N, {
        lines.store_any(states[index].aes_last_round(last), index);
    });
}

/// Returns whether [`few`] can process whole blocks of `bytes` bytes: they have at most [`GROUP`] vectors. Unless the
/// counter is secret, the counters of these blocks must also lie between two consecutive multiples of [`SPAN`]. (A
/// branch on a secret counter would reveal it.)
#[inline(always)]
pub(super) fn are_few<V: Schedule>(progress: &Progress, bytes: usize) -> bool {
    let (_, count) = split(&progress.counter);
    bytes <= GROUP * V::BYTES && (!progress.has_public_counter || count as usize % SPAN + bytes / 16 <= SPAN)
}

/// Returns how many of the next `bytes` bytes are processed with [`few`], or `None` if all bytes are processed with
/// [`many`].
pub(super) fn next_few<V: Schedule>(progress: &Progress, bytes: usize) -> Option<usize> {
    let group_blocks = GROUP * V::BLOCKS;
    if !progress.has_public_counter {
        return Some(bytes.min(16 * group_blocks));
    }
    match split(&progress.counter).1 as usize % group_blocks {
        0 if bytes > 16 * group_blocks => None,
        // Up to the start of the next group.
        place => Some(bytes.min(16 * (group_blocks - place))),
    }
}

/// Seals or opens whole blocks, at most [`GROUP`] vectors, from the counter in `progress` on. If the counter is not
/// secret (96-bit nonce), the counters of all blocks lie between two consecutive multiples of [`SPAN`], so that they
/// differ in the last byte only.
#[inline(always)]
pub(super) fn few<V: Schedule, const SEAL: bool>(key: &Expanded<V>, progress: &mut Progress, data: InOut<'_>) {
    match key.rounds {
        10 => few_blocks::<V, 10, SEAL>(key, progress, data),
        12 => few_blocks::<V, 12, SEAL>(key, progress, data),
        _ => few_blocks::<V, 14, SEAL>(key, progress, data),
    }
}

/// Seals or opens whole blocks, more than [`GROUP`] vectors, from the counter in `progress` on. The counter is not
/// secret (96-bit nonce), and a multiple of the number of blocks in [`GROUP`] vectors.
#[inline(always)]
pub(super) fn many<V: Schedule, const SEAL: bool>(key: &Expanded<V>, progress: &mut Progress, data: InOut<'_>) {
    match key.rounds {
        10 => many_blocks::<V, 10, SEAL>(key, progress, data),
        12 => many_blocks::<V, 12, SEAL>(key, progress, data),
        _ => many_blocks::<V, 14, SEAL>(key, progress, data),
    }
}

/// Seals or opens like [`few`], with a key of `ROUNDS` AES rounds. Unlike [`many_blocks`], does not encrypt [`GROUP`]
/// vectors if there are fewer, and does not set up the main loop.
#[cfg_attr(not(unoptimised), inline(always))]
fn few_blocks<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    progress: &mut Progress,
    mut data: InOut<'_>,
) {
    let narrow = key.proof.into();
    let (nonce, count) = split(&progress.counter);
    let counters = Counters::new(key, &nonce);
    let (input, output, bytes) = data.pointers();
    let hash = Lanes1::of_bytes(narrow, &progress.hash);
    let hash = if bytes == 16 {
        let mut state = counters.block(key, count);
        for round in 1..ROUNDS {
            state = state.aes_round(Lanes1::of_bytes(narrow, &key.round_keys[round]));
        }
        // SAFETY: the data is one block.
        let (read, written) = unsafe {
            let read = Lanes1::load(narrow, input);
            let written = state.aes_last_round(Lanes1::of_bytes(narrow, &key.round_keys[ROUNDS]).xor(read));
            written.store(output);
            (read, written)
        };
        let mut product = Accumulator::zero(narrow);
        product.add_one((if SEAL { written } else { read }).xor(hash).reverse(), key.first_power());
        product.finish(narrow)
    } else {
        // SAFETY: the data is borrowed, so it can be read and written.
        let lines = unsafe { Lines::new(input, output, bytes) };
        let part = Part { counters: &counters, count, is_public: progress.has_public_counter, hash };
        match bytes.div_ceil(V::BYTES) {
            1 => part.of_group::<ROUNDS, SEAL, 1>(key, lines),
            2 => part.of_group::<ROUNDS, SEAL, 2>(key, lines),
            3 | 4 => part.of_group::<ROUNDS, SEAL, 4>(key, lines),
            _ => part.of_group::<ROUNDS, SEAL, GROUP>(key, lines),
        }
    };
    progress.hash = hash.reverse().to_bytes();
    progress.counter[12..].copy_from_slice(&count.wrapping_add((bytes / 16) as u32).to_be_bytes());
}

/// Seals or opens like [`many`], with a key of `ROUNDS` AES rounds.
#[cfg_attr(not(unoptimised), inline(always))]
fn many_blocks<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    progress: &mut Progress,
    mut data: InOut<'_>,
) {
    align_frame::<V>();
    let (nonce, count) = split(&progress.counter);
    let counters = Counters::new(key, &nonce);
    let (input, output, bytes) = data.pointers();
    debug_assert!(bytes > GROUP * V::BYTES && (count as usize).is_multiple_of(GROUP * V::BLOCKS));
    let hash = Lanes1::of_bytes(key.proof.into(), &progress.hash);
    // SAFETY: the data is borrowed, so it can be read and written; it is more than a group of vectors.
    let (sum, _) = unsafe {
        let lines = Lines::new(input, output, bytes);
        pipeline::encrypt_and_hash::<V, ROUNDS, SEAL, false>(key, &counters, count, [hash; 2], lines)
    };
    progress.hash = sum.finish(key.proof).reverse().to_bytes();
    progress.counter[12..].copy_from_slice(&count.wrapping_add((bytes / 16) as u32).to_be_bytes());
}

/// Whole blocks of a streamed message to be processed, at most [`GROUP`] vectors.
struct Part<'a, V> {
    counters: &'a Counters<V>,
    /// Counter of the first block.
    count: u32,
    is_public: bool,
    /// GHASH value of all previous blocks.
    hash: Lanes1,
}

impl<V: Schedule> Part<'_, V> {
    /// Seals or opens the blocks in `lines`, at most `N` vectors. Returns the GHASH value after these blocks.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn of_group<const ROUNDS: usize, const SEAL: bool, const N: usize>(
        &self,
        key: &Expanded<V>,
        lines: Lines,
    ) -> Lanes1 {
        let mut states = if self.is_public {
            self.counters.first_states::<N>(key, self.count)
        } else {
            self.counters.first_states_of_secret::<N>(key, self.count)
        };
        let mut inputs = [V::zero(key.proof); N];
        unroll!(index < N, {
            inputs[index] = lines.load_any(key.proof, index);
        });
        rounds(key, &mut states, 1, ROUNDS);
        last_round::<V, ROUNDS, N>(key, &mut states, &inputs);
        let mut hashed = inputs;
        unroll!(index < N, {
            lines.store_any(states[index], index);
            if SEAL {
                hashed[index] = states[index].first_bytes(lines.bytes().saturating_sub(index * V::BYTES).min(V::BYTES));
            }
        });
        hashed[0] = hashed[0].xor_first_block(self.hash);
        // Aligned so that the last block of the data, not of the group, has the first power. The vectors after it are
        // zero, so any factor will do.
        let mut sum = Accumulator::zero(key.proof);
        add_data(key, &mut sum, &hashed, lines.bytes() / 16);
        sum.finish(key.proof)
    }
}

/// Adds the products of the first `blocks` blocks in `N` vectors with consecutive powers of H to `sum`, like
/// [`add_consecutive`]. The last of these blocks is multiplied by H.
#[cfg_attr(not(unoptimised), inline(always))]
fn add_data<V: Schedule, const N: usize>(key: &Expanded<V>, sum: &mut Accumulator<V>, values: &[V; N], blocks: usize) {
    if blocks > V::BLOCKS * (N - 1) {
        return add_consecutive::<V, N, false>(key, sum, values, blocks);
    }
    let vectors = blocks.div_ceil(V::BLOCKS);
    for (index, value) in values.iter().enumerate().take(vectors) {
        // SAFETY: the table has a power for each block, and three spare places.
        let powers = unsafe { V::load(key.proof, key.consecutive_from(blocks).wrapping_add(index * V::BYTES)) };
        sum.add_one(value.reverse(), powers);
    }
}

/// Splits a counter block into its first twelve bytes and the 32-bit counter in its last four bytes.
fn split(counter: &Block) -> ([u8; 12], u32) {
    let (mut nonce, mut number) = ([0; 12], [0; 4]);
    nonce.copy_from_slice(&counter[..12]);
    number.copy_from_slice(&counter[12..]);
    (nonce, u32::from_be_bytes(number))
}
