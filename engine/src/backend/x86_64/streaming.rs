//! Messages processed in parts: single blocks, hashing without encryption, and whole blocks of data from any counter
//! on.

use super::aesni::Lanes1;
use super::cipher::{Counters, round_key, rounds};
use super::hash::{Accumulator, add_consecutive};
use super::key::Expanded;
use super::lines::Lines;
use super::message::align_frame;
use super::pipeline;
use super::schedule::{GROUP, Schedule};
use super::vector::Vector;
use crate::backend::kept::in_words;
use crate::backend::{Block, Progress};

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

/// Fills `keystream`, whole blocks, from the counter in `progress` on, and advances the counter. Unless `IS_SECRET`,
/// the counters of all blocks lie between two consecutive multiples of [`SPAN`](super::cipher::SPAN), so they differ
/// only in the last byte.
#[inline(always)]
pub(super) fn keystream<V: Schedule, const IS_SECRET: bool>(
    key: &Expanded<V>,
    progress: &mut Progress,
    keystream: &mut [u8],
) {
    let (nonce, mut count) = split(&progress.counter);
    let counters = Counters::new(key, &nonce);
    for group in keystream.chunks_mut(GROUP * V::BYTES) {
        match group.len().div_ceil(V::BYTES) {
            1 => keystream_of_group::<V, IS_SECRET, 1>(key, &counters, count, group),
            2 => keystream_of_group::<V, IS_SECRET, 2>(key, &counters, count, group),
            3 | 4 => keystream_of_group::<V, IS_SECRET, 4>(key, &counters, count, group),
            _ => keystream_of_group::<V, IS_SECRET, GROUP>(key, &counters, count, group),
        }
        count = count.wrapping_add((group.len() / 16) as u32);
    }
    progress.counter[12..].copy_from_slice(&count.to_be_bytes());
}

/// Fills `keystream`, at most `N` vectors, from counter `count` on.
#[cfg_attr(not(unoptimised), inline(always))]
fn keystream_of_group<V: Schedule, const IS_SECRET: bool, const N: usize>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    count: u32,
    keystream: &mut [u8],
) {
    let mut states = if IS_SECRET {
        counters.first_states_of_secret::<N>(key, count)
    } else {
        counters.first_states::<N>(key, count)
    };
    rounds(key, &mut states, 1, key.rounds);
    let (last, start, bytes) = (round_key(key, key.rounds), keystream.as_mut_ptr(), keystream.len());
    // SAFETY: only the bytes of the keystream are written. (A masked store would make the loads that follow wait.)
    unsafe {
        unroll!(index < N, {
            let (vector, to) = (states[index].aes_last_round(last), start.wrapping_add(index * V::BYTES));
            if (index + 1) * V::BYTES <= bytes {
                vector.store(to);
            } else if index * V::BYTES < bytes {
                vector.store_part(to, bytes - index * V::BYTES);
            }
        });
    }
}

/// XORs data with keystream and keeps the ciphertext, like [`in_words`], but in vectors.
///
/// # Safety
/// As for [`in_words`].
#[inline(always)]
pub(super) unsafe fn encrypt_and_keep<V: Schedule, const SEAL: bool>(
    proof: V::Proof,
    input: *const u8,
    output: *mut u8,
    kept: *mut u8,
    bytes: usize,
) {
    let whole = bytes / V::BYTES * V::BYTES;
    // SAFETY: the vectors, and the words after them, end within `bytes` bytes.
    unsafe {
        for at in (0..whole).step_by(V::BYTES) {
            let text = V::load(proof, input.wrapping_add(at));
            let other = text.xor(V::load(proof, kept.wrapping_add(at)));
            other.store(output.wrapping_add(at));
            (if SEAL { other } else { text }).store(kept.wrapping_add(at));
        }
        if whole < bytes {
            let (input, output, kept) =
                (input.wrapping_add(whole), output.wrapping_add(whole), kept.wrapping_add(whole));
            in_words::<SEAL>(input, output, kept, bytes - whole);
        }
    }
}

/// Seals or opens whole blocks, at most [`GROUP`] vectors, from the counter in `progress` on. The counter is secret,
/// because the nonce does not have 96 bits.
#[inline(always)]
pub(super) fn few_of_secret<V: Schedule, const SEAL: bool>(key: &Expanded<V>, progress: &mut Progress, lines: Lines) {
    match lines.bytes().div_ceil(V::BYTES) {
        1..=4 => blocks_of_secret::<V, SEAL, 4>(key, progress, lines),
        _ => blocks_of_secret::<V, SEAL, GROUP>(key, progress, lines),
    }
}

/// Seals or opens whole blocks like [`few_of_secret`], at most `N` vectors.
#[cfg_attr(not(unoptimised), inline(always))]
fn blocks_of_secret<V: Schedule, const SEAL: bool, const N: usize>(
    key: &Expanded<V>,
    progress: &mut Progress,
    lines: Lines,
) {
    let ((nonce, count), bytes) = (split(&progress.counter), lines.bytes());
    let mut states = Counters::new(key, &nonce).first_states_of_secret::<N>(key, count);
    let mut inputs = [V::zero(key.proof); N];
    unroll!(index < N, {
        inputs[index] = lines.load_any(key.proof, index);
    });
    rounds(key, &mut states, 1, key.rounds);
    let last = round_key(key, key.rounds);
    let mut hashed = inputs;
    unroll!(index < N, {
        let state = states[index].aes_last_round(last.xor(inputs[index]));
        lines.store_any(state, index);
        if SEAL {
            hashed[index] = state.first_bytes(bytes.saturating_sub(index * V::BYTES).min(V::BYTES));
        }
    });
    hashed[0] = hashed[0].xor_first_block(Lanes1::of_bytes(key.proof.into(), &progress.hash));
    // Aligned so that the last block of the data, not of the group, has the first power.
    let mut sum = Accumulator::zero(key.proof);
    for (index, value) in hashed.iter().enumerate().take(bytes.div_ceil(V::BYTES)) {
        // SAFETY: the table has a power for each block, and three spare places.
        let powers = unsafe { V::load(key.proof, key.consecutive_from(bytes / 16).wrapping_add(index * V::BYTES)) };
        sum.add_one(value.reverse(), powers);
    }
    progress.hash = sum.finish(key.proof).reverse().to_bytes();
    progress.counter[12..].copy_from_slice(&count.wrapping_add((bytes / 16) as u32).to_be_bytes());
}

/// Returns the alignment of the counter that [`many`] requires, in blocks: the number of blocks that the main loop
/// processes between two checks for the end of a span ([`SPAN`](super::cipher::SPAN)).
pub(super) const fn counter_step<V: Schedule>() -> usize {
    if V::IS_INTERLEAVED { GROUP * V::BLOCKS } else { 2 * V::BLOCKS }
}

/// Seals or opens whole blocks, more than [`GROUP`] vectors, from the counter in `progress` on. The counter is not
/// secret (96-bit nonce), and a multiple of [`counter_step`].
#[inline(always)]
pub(super) fn many<V: Schedule, const SEAL: bool>(key: &Expanded<V>, progress: &mut Progress, lines: Lines) {
    match key.rounds {
        10 => many_blocks::<V, 10, SEAL>(key, progress, lines),
        12 => many_blocks::<V, 12, SEAL>(key, progress, lines),
        _ => many_blocks::<V, 14, SEAL>(key, progress, lines),
    }
}

/// Seals or opens like [`many`], with a key of `ROUNDS` AES rounds.
#[cfg_attr(not(unoptimised), inline(always))]
fn many_blocks<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    progress: &mut Progress,
    lines: Lines,
) {
    align_frame::<V>();
    let ((nonce, count), bytes) = (split(&progress.counter), lines.bytes());
    let counters = Counters::new(key, &nonce);
    debug_assert!(bytes > GROUP * V::BYTES && (count as usize).is_multiple_of(counter_step::<V>()));
    let hash = Lanes1::of_bytes(key.proof.into(), &progress.hash);
    // SAFETY: the data is more than a group of vectors.
    let (sum, _) =
        unsafe { pipeline::encrypt_and_hash::<V, ROUNDS, SEAL, false>(key, &counters, count, [hash; 2], lines) };
    progress.hash = sum.finish(key.proof).reverse().to_bytes();
    progress.counter[12..].copy_from_slice(&count.wrapping_add((bytes / 16) as u32).to_be_bytes());
}

/// Splits a counter block into its first twelve bytes and the 32-bit counter in its last four bytes.
fn split(counter: &Block) -> ([u8; 12], u32) {
    let (mut nonce, mut number) = ([0; 12], [0; 4]);
    nonce.copy_from_slice(&counter[..12]);
    number.copy_from_slice(&counter[12..]);
    (nonce, u32::from_be_bytes(number))
}
