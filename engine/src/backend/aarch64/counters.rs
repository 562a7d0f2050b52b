//! Counter blocks of a message, as AES states before the first round.

use super::products::Products;
use super::round_keys::RoundKeys;
use super::vector::Vector;

/// Number of entries in the table of low counter bytes. Counters from a multiple of this number on differ only in their
/// last byte, up to the next multiple.
pub(super) const SPAN: u32 = 128;

#[repr(align(64))]
struct Places([[u8; 16]; SPAN as usize]);

/// The numbers 0 to 127, each in the last byte of a 16-byte block: the low bytes of [`SPAN`] consecutive counters.
static PLACES: Places = {
    let mut places = [[0; 16]; SPAN as usize];
    let mut place = 0;
    while place < SPAN as usize {
        places[place][15] = place as u8;
        place += 1;
    }
    Places(places)
};

/// Counter block of a message with the counter set to zero, XOR the first round key.
#[derive(Clone, Copy)]
pub(crate) struct Counters<P>(Vector<P>);

impl<P: Products> Counters<P> {
    #[inline(always)]
    pub(super) fn new(keys: &RoundKeys<P>, nonce: &[u8; 12]) -> Self {
        let [a, b, c, d, e, f, g, h, high @ ..] = *nonce;
        let (low, high) = (u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::from(u32::from_le_bytes(high)));
        Self(Vector::of_halves(keys.proof, low, high).xor(keys.key(0)))
    }

    /// Returns the initial AES states of `N` blocks from counter `count` on, and the first round key for these states.
    /// Each state has only the low byte of its counter; the other bits of the counter blocks are XORed into the round
    /// key. `count` must not be secret (96-bit nonce), and none of the `N` - 1 counters after `count` may be a multiple
    /// of [`SPAN`].
    #[inline(always)]
    pub(super) fn states<const N: usize>(&self, proof: P::Proof, count: u32) -> ([Vector<P>; N], Vector<P>) {
        let from = place(count);
        let mut states = [Vector::zero(proof); N];
        unroll!(index < N, {
            // SAFETY: the table has an entry for each counter of a span.
            states[index] = unsafe { Vector::load(proof, from.wrapping_add(16 * index)) };
        });
        (states, self.span(proof, count))
    }

    /// Like [`states`](Self::states), but for a counter that is secret, because J0 is a hash if the nonce does not have
    /// 96 bits. Does arithmetic on the counter instead of using it in an address.
    #[inline(always)]
    pub(super) fn states_of_secret<const N: usize>(&self, proof: P::Proof, count: u32) -> ([Vector<P>; N], Vector<P>) {
        let mut states = [Vector::zero(proof); N];
        unroll!(index < N, {
            states[index] = last_word(proof, count.wrapping_add(index as u32));
        });
        (states, self.0)
    }

    /// Returns the key for the first AES round of the block with counter `count`: the first round key XOR the counter
    /// block of the last multiple of [`SPAN`] up to `count`.
    #[inline(always)]
    pub(super) fn span(&self, proof: P::Proof, count: u32) -> Vector<P> {
        self.0.xor(last_word(proof, count / SPAN * SPAN))
    }
}

/// Returns the address of the table entry with the low byte of the counter `count`. The entries of the following
/// counters come after that entry.
#[inline(always)]
pub(super) fn place(count: u32) -> *const u8 {
    PLACES.0.as_ptr().wrapping_add((count % SPAN) as usize).cast()
}

/// Returns a block with the big-endian `word` in the last four bytes, and zeros in the other bytes.
#[inline(always)]
fn last_word<P: Products>(proof: P::Proof, word: u32) -> Vector<P> {
    Vector::of_halves(proof, 0, u64::from(word.swap_bytes()) << 32)
}
