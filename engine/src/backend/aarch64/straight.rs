//! Straight-line code that seals or opens up to eight blocks, or hashes up to eighteen blocks.

use super::data::Data;
use super::key::{Expanded, GROUP};
use super::products::{Products, Sum};
use super::vector::Vector;

/// Maximum number of blocks that [`hash`] processes: sixteen blocks of data, the block of lengths, and a zero block
/// that makes the number even.
pub(super) const MAX_HASHED: usize = 2 * GROUP + 2;

/// XORs the last round key and the data into the AES states from index `SKIP` on, and writes the results. Returns the
/// ciphertext padded with zeros; each block has the index of its state.
///
/// # Safety
/// The data has `N` - `SKIP` blocks, of which the last may be partial.
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
            // SAFETY: guaranteed by the caller.
            inputs[index] = unsafe { Vector::load_part(proof, data.input.wrapping_add(start), bytes) };
        }
    });
    unroll!(index < N, {
        if index >= SKIP {
            let start = 16 * (index - SKIP);
            let bytes = if index + 1 == N { data.bytes - start } else { 16 };
            let output = states[index].xor3(inputs[index], last);
            // SAFETY: guaranteed by the caller.
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

/// Adds to `sum` the products of the first `count` blocks with H^`count`, …, H², H. `count` is even. Returns the
/// reduced sum.
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
        // SAFETY: the table has at least as many pairs as `blocks`.
        sum.add_two(key.proof(), two, unsafe { &*pairs.wrapping_add(pair) });
    });
    sum.reduce(key.proof())
}

/// Loads eight blocks from the address `from` into `to`.
///
/// # Safety
/// Eight blocks can be read at `from`.
#[inline(always)]
pub(super) unsafe fn load_group<P: Products>(proof: P::Proof, from: *const u8, to: &mut [Vector<P>]) {
    unroll!(index < GROUP, of 8, {
        // SAFETY: guaranteed by the caller.
        to[index] = unsafe { Vector::load(proof, from.wrapping_add(16 * index)) };
    });
}
