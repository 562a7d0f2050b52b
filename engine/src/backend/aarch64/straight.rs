//! Up to eight blocks of data, and up to eighteen that are hashed, in straight-line code.

use super::data::Data;
use super::key::{Expanded, GROUP};
use super::products::{Products, Sum};
use super::vector::Vector;

/// Most blocks hashed at once: a waiting group, another one, the lengths, and one more to make the number even.
pub(super) const MAX_HASHED: usize = 2 * GROUP + 2;

/// Adds the last round key and the data to the states from number `SKIP` on, and writes the result. Returns what of it
/// is ciphertext, padded with zeros, at the same places.
///
/// # Safety
/// The data has as many blocks, of which the last may not be full.
#[inline(always)]
pub(super) unsafe fn seal_or_open<P: Products, const SEAL: bool, const N: usize, const SKIP: usize>(
    key: &Expanded<P>,
    states: &[Vector<P>; N],
    data: Data,
) -> [Vector<P>; N] {
    let (proof, last) = (key.proof(), key.round_keys.last());
    let mut inputs = [Vector::zero(proof); N];
    let mut ciphertext = inputs;
    unroll!(index < N, {
        if index >= SKIP {
            let start = 16 * (index - SKIP);
            let bytes = if index + 1 == N { data.bytes - start } else { 16 };
            // SAFETY: the caller's.
            inputs[index] = unsafe { Vector::load_part(proof, data.input.wrapping_add(start), bytes) };
        }
    });
    unroll!(index < N, {
        if index >= SKIP {
            let start = 16 * (index - SKIP);
            let bytes = if index + 1 == N { data.bytes - start } else { 16 };
            let output = states[index].xor3(inputs[index], last);
            // SAFETY: the caller's.
            unsafe { output.store_part(data.output.wrapping_add(start), bytes) };
            ciphertext[index] = match SEAL {
                true if index + 1 == N => output.first_bytes(bytes),
                true => output,
                false => inputs[index],
            };
        }
    });
    ciphertext
}

/// The hash of the first `count` blocks, an even number, of which the last has the first power.
#[inline(always)]
pub(super) fn hash<P: Products>(
    key: &Expanded<P>,
    blocks: &[Vector<P>; MAX_HASHED],
    count: usize,
    mut sum: Sum<P>,
) -> Vector<P> {
    let pairs = key.last_pairs(count / 2);
    unroll!(pair < count / 2, {
        let two = [blocks[2 * pair].reflect(), blocks[2 * pair + 1].reflect()];
        // SAFETY: as many pairs are there.
        sum.add_two(key.proof(), two, unsafe { &*pairs.wrapping_add(pair) });
    });
    sum.reduce(key.proof())
}

/// The group at `from`: 16 bytes, and those behind them.
///
/// # Safety
/// They can be read.
#[inline(always)]
pub(super) unsafe fn load_group<P: Products>(proof: P::Proof, from: *const u8, to: &mut [Vector<P>]) {
    unroll!(index < GROUP, of 8, {
        // SAFETY: the caller's.
        to[index] = unsafe { Vector::load(proof, from.wrapping_add(16 * index)) };
    });
}
