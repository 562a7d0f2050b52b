//! The ends of packets, tags and masks, for as many at a time as a vector has places.
//!
//! The sums of products are laid side by side, each in its own place. So one reduction serves all of them, and so does
//! one pass of AES for the masks of their headers.

use crate::backend::x86_64::aesni::One;
use crate::backend::x86_64::hash::Accumulator;
use crate::backend::x86_64::packet::{ExpandedPacket, HeaderKey};
use crate::backend::x86_64::schedule::Schedule;
use crate::backend::x86_64::vector::Vector;
use crate::backend::{Mask, Packet, Reception, Shape};

/// The most places a vector has.
pub(super) const MAX_PLACES: usize = 4;

/// What is kept of a packet until its group ends. (Its blocks lie apart from those of other packets, so that the
/// compiler cannot load all of them at once: the load would wait for their stores.)
#[derive(Clone, Copy)]
pub(super) struct Lane<V> {
    /// The sum of the products, that of the lengths left out.
    pub(super) sum: Accumulator<V>,
    /// The encryption of J0.
    pub(super) mask: One,
}

impl<V: Schedule> Lane<V> {
    #[inline(always)]
    pub(super) fn new(proof: V::Proof) -> Self {
        Self { sum: Accumulator::zero(proof), mask: One::zero(proof.into()) }
    }
}

/// The tags of a group, one in each place. `lengths` are the products of the lengths of each packet.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn tags<V: Schedule>(
    key: &ExpandedPacket<V>,
    lanes: &[Lane<V>; MAX_PLACES],
    lengths: &Accumulator<V>,
) -> [One; MAX_PLACES] {
    let mut masks = [One::zero(key.key().proof.into()); MAX_PLACES];
    let mut sums = [Accumulator::zero(key.key().proof); MAX_PLACES];
    unroll!(place < V::BLOCKS, of 4, {
        masks[place] = lanes[place].mask;
        sums[place] = lanes[place].sum;
    });
    let mut sum = Accumulator::side_by_side(&sums);
    sum.add(lengths);
    sum.reduce(key.key().proof).reverse().xor(V::of_blocks(&masks)).blocks()
}

/// Masks the headers of a group of one shape, all of which are good.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn mask_headers<V: Schedule, const ROUNDS: usize>(
    key: &ExpandedPacket<V>,
    group: &mut [impl Packet],
    shape: &Shape,
) {
    let mut samples = [core::ptr::null(); MAX_PLACES];
    unroll!(place < V::BLOCKS, of 4, {
        samples[place] = group[place].bytes().as_ptr().wrapping_add(shape.sample_offset());
    });
    // SAFETY: packets that were admitted have samples.
    let masks = unsafe { masks::<V, ROUNDS>(key, &samples) };
    unroll!(place < V::BLOCKS, of 4, {
        group[place].mask_header(masks[place], shape);
    });
}

/// Unmasks the headers of those packets, at most as many as a vector has places, that are long enough.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn unmask_group<V: Schedule, const ROUNDS: usize, T: Packet>(
    key: &ExpandedPacket<V>,
    group: &mut [T],
    reception: &impl Reception<T>,
) {
    // Packets that cannot be sampled have something else sampled, without effect.
    let mut samples = [key.header.round_keys.as_ptr().cast::<u8>(); MAX_PLACES];
    unroll!(place < V::BLOCKS, of 4, {
        if let Some(packet) = group.get_mut(place)
            && reception.admit_masked(packet)
        {
            samples[place] = packet.bytes().as_ptr().wrapping_add(packet.shape().sample_offset());
        }
    });
    // SAFETY: a sample has 16 bytes, as a round key has.
    let masks = unsafe { masks::<V, ROUNDS>(key, &samples) };
    unroll!(place < V::BLOCKS, of 4, {
        if let Some(packet) = group.get_mut(place)
            && packet.is_good()
        {
            reception.unmask_header(packet, masks[place]);
        }
    });
}

/// The masks of samples, one in each place.
///
/// # Safety
/// As many as a vector has places can be read.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn masks<V: Schedule, const ROUNDS: usize>(
    key: &ExpandedPacket<V>,
    samples: &[*const u8; MAX_PLACES],
) -> [Mask; MAX_PLACES] {
    let proof = key.key().proof;
    let mut blocks = [One::zero(proof.into()); MAX_PLACES];
    unroll!(place < V::BLOCKS, of 4, {
        // SAFETY: the caller's.
        blocks[place] = unsafe { One::load(proof.into(), samples[place]) };
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
    states.aes_last_round(round_key(ROUNDS)).blocks().map(One::low_half)
}
