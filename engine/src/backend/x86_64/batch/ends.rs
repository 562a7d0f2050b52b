//! Tags and header masks of packets, computed for several packets at once, one in each lane of a vector.
//!
//! Each lane holds the sum of products of another packet, so one reduction gives the hashes of all these packets. One
//! AES pass computes their header masks.

use crate::backend::x86_64::aesni::Lanes1;
use crate::backend::x86_64::hash::Accumulator;
use crate::backend::x86_64::packet::{ExpandedPacket, HeaderKey};
use crate::backend::x86_64::schedule::Schedule;
use crate::backend::x86_64::vector::Vector;
use crate::backend::{Mask, Packet, Reception, Shape};

/// Maximum number of lanes of a vector. This is also the maximum number of packets whose tags are computed together.
pub(super) const MAX_LANES: usize = 4;

/// Intermediate results of one packet, until its tag is computed together with the tags of other packets. (The fields
/// of different packets are stored apart. Otherwise, the compiler could load several with one instruction, which would
/// wait for their stores.)
#[derive(Clone, Copy)]
pub(super) struct Lane<V> {
    /// Unreduced sum of the packet's GHASH products, without the product for the block of lengths.
    pub(super) sum: Accumulator<V>,
    /// E(K, J0), which is XORed with the hash to give the tag.
    pub(super) mask: Lanes1,
}

impl<V: Schedule> Lane<V> {
    #[inline(always)]
    pub(super) fn new(proof: V::Proof) -> Self {
        Self { sum: Accumulator::zero(proof), mask: Lanes1::zero(proof.into()) }
    }
}

/// Computes the tags of several packets, one in each lane of a vector. `lengths` is the product for the block of
/// lengths, which is the same for all these packets.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn tags<V: Schedule>(
    key: &ExpandedPacket<V>,
    lanes: &[Lane<V>; MAX_LANES],
    lengths: &Accumulator<V>,
) -> [Lanes1; MAX_LANES] {
    let mut masks = [Lanes1::zero(key.key().proof.into()); MAX_LANES];
    let mut sums = [Accumulator::zero(key.key().proof); MAX_LANES];
    unroll!(place < V::BLOCKS, of 4, {
        masks[place] = lanes[place].mask;
        sums[place] = lanes[place].sum;
    });
    let mut sum = Accumulator::side_by_side(&sums);
    sum.add(lengths);
    sum.reduce(key.key().proof).reverse().xor(V::of_blocks(&masks)).blocks()
}

/// Masks the headers of packets with equal lengths. There is at most one packet for each lane of a vector.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn mask_headers<V: Schedule, const ROUNDS: usize>(
    key: &ExpandedPacket<V>,
    group: &mut [impl Packet],
    shape: &Shape,
) {
    let mut samples = [core::ptr::null(); MAX_LANES];
    unroll!(place < V::BLOCKS, of 4, {
        samples[place] = group[place].bytes().as_ptr().wrapping_add(shape.sample_offset());
    });
    // SAFETY: admitted packets contain their samples.
    let masks = unsafe { masks::<V, ROUNDS>(key, &samples) };
    unroll!(place < V::BLOCKS, of 4, {
        group[place].mask_header(masks[place], shape);
    });
}

/// Unmasks the headers of packets. There is at most one packet for each lane of a vector. Skips packets that are too
/// short to contain a header-protection sample.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn unmask_group<V: Schedule, const ROUNDS: usize, T: Packet>(
    key: &ExpandedPacket<V>,
    group: &mut [T],
    reception: &impl Reception<T>,
) {
    // For packets without a sample, points to a round key instead; the resulting mask is not used.
    let mut samples = [key.header.round_keys.as_ptr().cast::<u8>(); MAX_LANES];
    unroll!(place < V::BLOCKS, of 4, {
        if let Some(packet) = group.get_mut(place)
            && reception.admit_masked(packet)
        {
            samples[place] = packet.bytes().as_ptr().wrapping_add(packet.shape().sample_offset());
        }
    });
    // SAFETY: each pointer leads to 16 bytes: a sample or a round key.
    let masks = unsafe { masks::<V, ROUNDS>(key, &samples) };
    unroll!(place < V::BLOCKS, of 4, {
        if let Some(packet) = group.get_mut(place)
            && packet.is_good()
        {
            reception.unmask_header(packet, masks[place]);
        }
    });
}

/// Encrypts the header-protection samples at `samples` with the header-protection key, and returns the header masks.
///
/// # Safety
/// 16 bytes can be read at each of the first [`BLOCKS`](Vector::BLOCKS) pointers.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn masks<V: Schedule, const ROUNDS: usize>(
    key: &ExpandedPacket<V>,
    samples: &[*const u8; MAX_LANES],
) -> [Mask; MAX_LANES] {
    let proof = key.key().proof;
    let mut blocks = [Lanes1::zero(proof.into()); MAX_LANES];
    unroll!(place < V::BLOCKS, of 4, {
        // SAFETY: guaranteed by the caller.
        blocks[place] = unsafe { Lanes1::load(proof.into(), samples[place]) };
    });
    let HeaderKey { round_keys } = &key.header;
    let round_key = |round: usize| {
        let from: *const u8 = round_keys[round].as_ptr();
        // SAFETY: a round key has 16 bytes.
        unsafe { V::load_broadcast(proof, from) }
    };
    let mut states = V::of_blocks(&blocks).xor(round_key(0));
    for round in 1..ROUNDS {
        states = states.aes_round(round_key(round));
    }
    states.aes_last_round(round_key(ROUNDS)).blocks().map(Lanes1::low_half)
}
