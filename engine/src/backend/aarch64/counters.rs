//! Counter blocks of a message, as AES states before the first round.

use super::products::Products;
use super::round_keys::RoundKeys;
use super::vector::Vector;

/// Number of counters in a span. A span begins at a multiple of this number, so its counters differ only in the last
/// byte.
pub(super) const SPAN: u32 = 128;

#[repr(align(64))]
struct Places([[u8; 16]; SPAN as usize]);

/// The numbers 0 to 127, each in the last byte of a block: the low bytes of the counters in a span.
static PLACES: Places = {
    let mut places = [[0; 16]; SPAN as usize];
    let mut place = 0;
    while place < SPAN as usize {
        places[place][15] = place as u8;
        place += 1;
    }
    Places(places)
};

/// Counter block of one message with a counter of zero, XOR the first round key.
#[derive(Clone, Copy)]
pub(crate) struct Counters<P>(Vector<P>);

impl<P: Products> Counters<P> {
    #[inline(always)]
    pub(super) fn new(keys: &RoundKeys<P>, nonce: &[u8; 12]) -> Self {
        let [a, b, c, d, e, f, g, h, high @ ..] = *nonce;
        let (low, high) = (u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::from(u32::from_le_bytes(high)));
        Self(Vector::of_halves(keys.proof, low, high).xor(keys.key(0)))
    }

    /// Returns the initial AES states of `N` blocks from number `count` on, and the key for their first round. The
    /// counter is public, and all blocks lie in one span. That key is the first round key XOR the bits that all counter
    /// blocks of the span share.
    #[inline(always)]
    pub(super) fn states<const N: usize>(&self, proof: P::Proof, count: u32) -> ([Vector<P>; N], Vector<P>) {
        let from = place(count);
        let mut states = [Vector::zero(proof); N];
        unroll!(index < N, {
            // SAFETY: the table has the places of a span.
            states[index] = unsafe { Vector::load(proof, from.wrapping_add(16 * index)) };
        });
        (states, self.span(proof, count))
    }

    /// Like [`states`](Self::states), but for a secret counter: J0 of a nonce that does not have 96 bits is a hash. The
    /// counter is used in arithmetic only, never as an address.
    #[inline(always)]
    pub(super) fn states_of_secret<const N: usize>(&self, proof: P::Proof, count: u32) -> ([Vector<P>; N], Vector<P>) {
        let mut states = [Vector::zero(proof); N];
        unroll!(index < N, {
            states[index] = last_word(proof, count.wrapping_add(index as u32));
        });
        (states, self.0)
    }

    /// Returns the key for the first AES round of the blocks in the span of block number `count`: the first round key
    /// XOR the first counter block of the span. A span is [`SPAN`] counters.
    #[inline(always)]
    pub(super) fn span(&self, proof: P::Proof, count: u32) -> Vector<P> {
        self.0.xor(last_word(proof, count / SPAN * SPAN))
    }
}

/// Returns the address of the table entry for the counter `count`, modulo [`SPAN`]. The entries of the next counters
/// follow.
#[inline(always)]
pub(super) fn place(count: u32) -> *const u8 {
    PLACES.0.as_ptr().wrapping_add((count % SPAN) as usize).cast()
}

/// Returns a block with `word`, big-endian, in the last four bytes and zeros in the others.
#[inline(always)]
fn last_word<P: Products>(proof: P::Proof, word: u32) -> Vector<P> {
    Vector::of_halves(proof, 0, u64::from(word.swap_bytes()) << 32)
}
