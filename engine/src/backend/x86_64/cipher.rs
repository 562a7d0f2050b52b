//! AES in counter mode on vectors.

use core::arch::asm;

use super::aesni::One;
use super::key::{Expanded, MAX_ROUNDS};
use super::schedule::{GROUP, Schedule};
use crate::backend::{Plain, wipe};

/// The places of a span of counters, each the number of its place in the last byte of a block; and as many more as a
/// group that begins inside a span may read past it, or as a table for the first rounds has. Spans begin at multiples
/// of their length, so the number of the place can be XORed in: a block's counter costs one operation, and there are no
/// carries inside a span.
static PLACES: Places = Places::new();

/// Blocks in a span.
pub(super) const SPAN: usize = 128;

/// Values of the last byte of a counter.
pub(super) const LOW_BYTES: usize = 256;

const PLACE_COUNT: usize = LOW_BYTES;

const _: () = assert!(SPAN + 4 * GROUP <= PLACE_COUNT, "a group that begins inside a span");

#[repr(align(64))]
struct Places([[u8; 16]; PLACE_COUNT]);

impl Places {
    const fn new() -> Self {
        let mut places = [[0; 16]; PLACE_COUNT];
        let mut index = 0;
        while index < PLACE_COUNT {
            places[index][15] = index as u8;
            index += 1;
        }
        Self(places)
    }
}

/// The counter blocks of one message: its nonce with a counter of zero, XOR the first round key, in every place.
#[derive(Clone, Copy)]
pub(super) struct Counters<V>(V);

impl<V: Schedule> Counters<V> {
    /// The counter blocks of the 12-byte nonce at `nonce`.
    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, nonce: &[u8; 12]) -> Self {
        // Three loads of four bytes, which the compiler may not join: if the nonce has just been written in pieces, a
        // load wider than a piece waits until all pieces have left the store buffer, and with them the previous
        // message. (A volatile read would have to be aligned.)
        let word = |index: usize| {
            let mut from = nonce.as_ptr().wrapping_add(4 * index).cast::<u32>();
            // SAFETY: nothing is done but to hide from the compiler that the pointers belong together.
            unsafe { asm!("/* {0} */", inout(reg) from, options(pure, readonly, nostack, preserves_flags)) };
            from
        };
        // SAFETY: each has four bytes of the nonce behind it.
        Self(unsafe { round_key(key, 0).xor_words(key.proof, [word(0), word(1), word(2)]) })
    }

    /// The counter blocks that begin with the bytes of `low` and the four of `high`, both little-endian.
    #[inline(always)]
    pub(super) fn of_halves(key: &Expanded<V>, low: u64, high: u64) -> Self {
        Self(round_key(key, 0).xor(V::of_halves(key.proof, low, high)))
    }

    /// The first state of the block with this number: the counter block XOR the first round key.
    #[inline(always)]
    pub(super) fn block(&self, key: &Expanded<V>, count: u32) -> One {
        self.span(key, count).blocks()[0]
    }

    /// The first states of `N` vectors from counter `count` on, which is public; none of them may lie in the next span.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn first_states<const N: usize>(&self, key: &Expanded<V>, count: u32) -> [V; N] {
        let span = SPAN as u32;
        let from: *const u8 = PLACES.0.as_ptr().wrapping_add((count % span) as usize).cast();
        let mut states = [self.span(key, count / span * span); N];
        unroll!(index < N, {
            // SAFETY: the places of a span and a group are there.
            states[index] = states[index].xor(unsafe { V::load(key.proof, from.wrapping_add(index * V::BYTES)) });
        });
        states
    }

    /// The same for a secret counter, hashed from a longer or shorter nonce: it is used in arithmetic only. It would
    /// reveal the hash key, so nothing of it is left behind.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn first_states_of_secret<const N: usize>(&self, key: &Expanded<V>, count: u32) -> [V; N] {
        let mut blocks = [[0; 16]; 4 * GROUP];
        for (place, block) in blocks[..N * V::BLOCKS].iter_mut().enumerate() {
            block[12..].copy_from_slice(&count.wrapping_add(place as u32).to_be_bytes());
        }
        let mut states = [self.0; N];
        let from: *const u8 = blocks.as_ptr().cast();
        unroll!(index < N, {
            // SAFETY: N vectors of blocks were written.
            states[index] = states[index].xor(unsafe { V::load(key.proof, from.wrapping_add(index * V::BYTES)) });
        });
        wipe(&mut blocks);
        states
    }

    /// Successive pairs of vectors from counter `count` on, a multiple of the blocks in a pair.
    #[inline(always)]
    pub(super) fn from(&self, key: &Expanded<V>, count: u32) -> Pairs<V> {
        let span = SPAN as u32;
        let begin = count / span * span;
        Pairs { counters: *self, begin, span: self.span(key, begin), place: 16 * (count % span) as usize }
    }

    /// The first state of the blocks in the span that begins at `count`, without the places: counter XOR first round
    /// key.
    #[inline(always)]
    pub(super) fn span(&self, key: &Expanded<V>, count: u32) -> V {
        self.0.xor(V::of_last_word(key.proof, count.swap_bytes()))
    }
}

/// Where the places of a span begin.
#[inline(always)]
pub(super) fn places() -> *const u8 {
    PLACES.0.as_ptr().cast()
}

/// First states, a pair of vectors at a time.
pub(super) struct Pairs<V> {
    pub(super) counters: Counters<V>,
    /// Where the span begins, and its state without the places.
    pub(super) begin: u32,
    pub(super) span: V,
    /// Bytes in the table before the next place.
    pub(super) place: usize,
}

impl<V: Schedule> Pairs<V> {
    /// The next two.
    #[inline(always)]
    pub(super) fn next(&mut self, key: &Expanded<V>) -> [V; 2] {
        if self.place == 16 * SPAN {
            self.begin = self.begin.wrapping_add(SPAN as u32);
            self.span = self.counters.span(key, self.begin);
            self.place = 0;
        }
        let from: *const u8 = PLACES.0.as_ptr().cast::<u8>().wrapping_add(self.place);
        self.place += 2 * V::BYTES;
        // SAFETY: the places of a span are there.
        let places = unsafe { [V::load(key.proof, from), V::load(key.proof, from.wrapping_add(V::BYTES))] };
        [self.span.xor(places[0]), self.span.xor(places[1])]
    }
}

/// Round keys, each in every place of a vector.
pub(super) trait RoundKeys<V: Schedule> {
    /// The key of a round.
    fn round_key(&self, round: usize) -> V;
}

impl<V: Schedule> RoundKeys<V> for Expanded<V> {
    #[inline(always)]
    fn round_key(&self, round: usize) -> V {
        round_key(self, round)
    }
}

/// Round keys that are laid out in vectors, for many messages: they are loaded without a shuffle.
pub(super) struct WideKeys<V>([V; MAX_ROUNDS + 1]);

impl<V: Schedule> WideKeys<V> {
    #[inline(always)]
    pub(super) fn new<const ROUNDS: usize>(key: &Expanded<V>) -> Self {
        let mut keys = [round_key(key, 0); MAX_ROUNDS + 1];
        for (round, wide) in keys.iter_mut().enumerate().take(ROUNDS + 1).skip(1) {
            *wide = round_key(key, round);
        }
        Self(keys)
    }

    /// The same keys, with their origin hidden from the compiler: otherwise it would hold them in registers, and move
    /// these about since there are too few.
    #[inline(always)]
    pub(super) fn hidden(&self) -> &Self {
        let mut keys: *const Self = self;
        // SAFETY: nothing is done to the pointer.
        unsafe {
            asm!("/* {0} */", inout(reg) keys, options(nostack, preserves_flags));
            &*keys
        }
    }
}

// SAFETY: vectors, of which any bytes are a value; nothing is owned.
unsafe impl<V: Schedule> Plain for WideKeys<V> {}

impl<V: Schedule> RoundKeys<V> for WideKeys<V> {
    #[inline(always)]
    fn round_key(&self, round: usize) -> V {
        self.0[round]
    }
}

/// Rounds `from` up to before `to`.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn rounds<V: Schedule, const N: usize>(
    keys: &impl RoundKeys<V>,
    states: &mut [V; N],
    from: usize,
    to: usize,
) {
    for round in from..to {
        let round_key = keys.round_key(round);
        unroll!(index < N, {
            states[index] = states[index].aes_round(round_key);
        });
    }
}

/// The last round, which adds the data: XORed into the round key, it stays out of the chain of rounds.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn last_round<V: Schedule, const ROUNDS: usize, const N: usize>(
    keys: &impl RoundKeys<V>,
    states: &mut [V; N],
    inputs: &[V; N],
) {
    let last = keys.round_key(ROUNDS);
    unroll!(index < N, {
        states[index] = states[index].aes_last_round(last.xor(inputs[index]));
    });
}

/// One round key in every place.
#[inline(always)]
pub(super) fn round_key<V: Schedule>(key: &Expanded<V>, round: usize) -> V {
    debug_assert!(round < key.round_keys.len());
    // SAFETY: there are as many round keys.
    unsafe { V::load_broadcast(key.proof, key.round_keys.as_ptr().add(round).cast()) }
}
