//! AES in counter mode on vectors: counter blocks, round keys and AES rounds.
//!
//! The initial state of a block is its counter block XOR the first round key. A span is [`SPAN`] consecutive counters,
//! the first of which is a multiple of [`SPAN`].

use core::arch::asm;

use super::key::{Expanded, MAX_ROUNDS};
use super::schedule::{GROUP, Schedule};
use crate::backend::{Plain, wipe};

/// The numbers 0, 1, 2, …, each in the last byte of a 16-byte block. XORing them into a counter block whose last byte
/// is zero gives the counter blocks that follow, without a carry.
///
/// The table is longer than [`SPAN`], for two reasons. Loads of [`GROUP`] vectors may read past entry [`SPAN`], and
/// [`fours`](super::fours) uses 256 entries.
static PLACES: Places = Places::new();

/// Number of consecutive counters that are computed from one prepared counter block. The first of them is a multiple of
/// this number, so they differ only in their last byte.
pub(super) const SPAN: usize = 128;

/// Number of values of a counter's last byte.
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

/// A message's counter block with the counter set to zero, XOR the first round key, in every lane of a vector. XORing a
/// counter into the last word of a lane gives the initial AES state for that counter.
#[derive(Clone, Copy)]
pub(super) struct Counters<V>(V);

impl<V: Schedule> Counters<V> {
    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, nonce: &[u8; 12]) -> Self {
        // Makes three loads of four bytes, which the compiler must not join. If the caller has just written the nonce
        // in pieces, a load wider than a piece waits until all pieces have left the store buffer, and before them the
        // stores of the previous message. (A volatile read would have to be aligned.)
        let word = |index: usize| {
            let mut from = nonce.as_ptr().wrapping_add(4 * index).cast::<u32>();
            // SAFETY: the assembly is empty; it only hides from the compiler that the pointers belong together.
            unsafe { asm!("/* {0} */", inout(reg) from, options(pure, readonly, nostack, preserves_flags)) };
            from
        };
        // SAFETY: four bytes of the nonce follow each pointer.
        Self(unsafe { round_key(key, 0).xor_words(key.proof, [word(0), word(1), word(2)]) })
    }

    /// Creates the counter block for a nonce. `low` has the first eight bytes of the nonce and `high` the last four,
    /// both as little-endian numbers.
    #[inline(always)]
    pub(super) fn of_halves(key: &Expanded<V>, low: u64, high: u64) -> Self {
        Self(round_key(key, 0).xor(V::of_halves(key.proof, low, high)))
    }

    /// Returns the initial AES states of `N` vectors from counter `count` on. `count` must not be secret (96-bit
    /// nonce), and none of the following counters in these vectors may be a multiple of [`SPAN`].
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn first_states<const N: usize>(&self, key: &Expanded<V>, count: u32) -> [V; N] {
        let span = SPAN as u32;
        let from: *const u8 = PLACES.0.as_ptr().wrapping_add((count % span) as usize).cast();
        let mut states = [self.span(key, count / span * span); N];
        unroll!(index < N, {
            // SAFETY: the table has an entry for each counter of a span, and of a group after it.
            states[index] = states[index].xor(unsafe { V::load(key.proof, from.wrapping_add(index * V::BYTES)) });
        });
        states
    }

    /// Like [`first_states`](Self::first_states), but for a counter that is secret, because J0 is a hash if the nonce
    /// does not have 96 bits. Computes with the counter instead of loading from an address that depends on it. Wipes
    /// the counter afterwards, since it would reveal H.
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

    /// Returns an iterator over the initial AES states from counter `count` on, two vectors at a time. `count` is a
    /// multiple of the number of blocks in two vectors.
    #[inline(always)]
    pub(super) fn from(&self, key: &Expanded<V>, count: u32) -> Pairs<V> {
        let span = SPAN as u32;
        let begin = count / span * span;
        Pairs { counters: *self, begin, span: self.span(key, begin), place: 16 * (count % span) as usize }
    }

    /// Returns the counter block for counter `count`, XOR the first round key, in every lane of a vector. If `count` is
    /// a multiple of [`SPAN`], XORing 0, 1, 2, … into the lanes gives the initial AES states from that counter on.
    #[inline(always)]
    pub(super) fn span(&self, key: &Expanded<V>, count: u32) -> V {
        self.0.xor(V::of_last_word(key.proof, count.swap_bytes()))
    }
}

#[inline(always)]
pub(super) fn places() -> *const u8 {
    PLACES.0.as_ptr().cast()
}

/// An iterator over initial AES states that yields two vectors at a time.
pub(super) struct Pairs<V> {
    pub(super) counters: Counters<V>,
    /// The last multiple of [`SPAN`] up to the next counter.
    pub(super) begin: u32,
    /// Counter block for the counter `begin`, XOR the first round key, in every lane.
    pub(super) span: V,
    /// Byte offset of the next counter's entry in the table of low counter bytes ([`PLACES`]).
    pub(super) place: usize,
}

impl<V: Schedule> Pairs<V> {
    #[inline(always)]
    pub(super) fn next(&mut self, key: &Expanded<V>) -> [V; 2] {
        if self.place == 16 * SPAN {
            self.begin = self.begin.wrapping_add(SPAN as u32);
            self.span = self.counters.span(key, self.begin);
            self.place = 0;
        }
        let from: *const u8 = PLACES.0.as_ptr().cast::<u8>().wrapping_add(self.place);
        self.place += 2 * V::BYTES;
        // SAFETY: the table has an entry for each counter of a span.
        let places = unsafe { [V::load(key.proof, from), V::load(key.proof, from.wrapping_add(V::BYTES))] };
        [self.span.xor(places[0]), self.span.xor(places[1])]
    }
}

/// The AES round keys, each in every lane of a vector.
pub(super) trait RoundKeys<V: Schedule> {
    fn round_key(&self, round: usize) -> V;
}

impl<V: Schedule> RoundKeys<V> for Expanded<V> {
    #[inline(always)]
    fn round_key(&self, round: usize) -> V {
        round_key(self, round)
    }
}

/// AES round keys stored in memory as whole vectors. Loading such a key needs no shuffle, which saves time if many
/// messages are processed.
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

    /// Returns `self`, but makes the address opaque to the compiler. Otherwise the compiler would load all round keys
    /// into registers in advance, and spill most of them.
    #[inline(always)]
    pub(super) fn hidden(&self) -> &Self {
        let mut keys: *const Self = self;
        // SAFETY: the assembly does not change the pointer.
        unsafe {
            asm!("/* {0} */", inout(reg) keys, options(nostack, preserves_flags));
            &*keys
        }
    }
}

// SAFETY: contains only vectors, which allow any bytes, and owns no resource.
unsafe impl<V: Schedule> Plain for WideKeys<V> {}

impl<V: Schedule> RoundKeys<V> for WideKeys<V> {
    #[inline(always)]
    fn round_key(&self, round: usize) -> V {
        self.0[round]
    }
}

/// Executes the AES rounds `from..to` on `N` vectors of states.
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

/// Executes the last AES round and XORs the data. XORs the data into the last round key first, so that the latency of
/// this XOR does not add to the latency of the rounds.
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

/// Loads round key number `round` into every lane of a vector.
#[inline(always)]
pub(super) fn round_key<V: Schedule>(key: &Expanded<V>, round: usize) -> V {
    debug_assert!(round < key.round_keys.len());
    // SAFETY: the table has a key for each round.
    unsafe { V::load_broadcast(key.proof, key.round_keys.as_ptr().add(round).cast()) }
}
