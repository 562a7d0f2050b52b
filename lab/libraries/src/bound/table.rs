//! What the loops read and write: any bits at fixed places, so that nothing but the instructions makes a difference.

use super::super::buffer::Buffer;

/// Bytes of a vector's place in the table, whatever the width of the vector.
const PLACE: usize = 64;

/// The round keys, by their numbers.
pub(super) const ROUND_KEYS: usize = 0;
/// What the counters of a message have in common.
pub(super) const SPAN: usize = 16 * PLACE;
/// The order of bytes that reverses a block.
pub(super) const REVERSAL: usize = 17 * PLACE;
/// What is XORed into it for each of eight vectors.
pub(super) const COUNTERS: usize = 18 * PLACE;
/// The text of eight vectors.
pub(super) const TEXT: usize = 26 * PLACE;
/// Three powers for each of four pairs of vectors: two, and the sums of their halves.
pub(super) const POWERS: usize = 34 * PLACE;
const END: usize = 46 * PLACE;

/// A page of bits for a loop, and room for the ciphertext.
#[derive(Debug)]
pub(super) struct Table {
    bits: Buffer,
    ciphertext: Buffer,
}

impl Table {
    /// With the bits of `bits` over and over: zeros would take less power than a cipher does.
    pub(super) fn of(bits: &[u8]) -> Table {
        let bits: Vec<u8> = bits.iter().copied().chain([0xa5]).cycle().take(END).collect();
        Table { bits: Buffer::input(&bits), ciphertext: Buffer::output(8 * PLACE) }
    }

    /// Where the bits begin: at the beginning of a page.
    pub(super) fn bits(&self) -> *const u8 {
        self.bits.as_ptr()
    }

    /// A block of the bits.
    #[cfg(test)]
    pub(super) fn block(&self, place: usize) -> u128 {
        self.bits[place..].first_chunk().map_or(0, |block| u128::from_le_bytes(*block))
    }

    /// What the last turn wrote, and what a loop ends with.
    pub(super) fn ciphertext(&self) -> &[u8] {
        &self.ciphertext
    }

    /// Where eight vectors can be written.
    pub(super) fn ciphertext_mut(&mut self) -> *mut u8 {
        self.ciphertext.as_mut_ptr()
    }
}
