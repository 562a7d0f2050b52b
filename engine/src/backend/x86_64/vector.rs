//! Vectors of AES blocks: the lane operations that each backend implements for its register width.

use crate::cpu::proof;

use super::aesni::Lanes1;

/// Two vectors to multiply by: one for low halves, one for high halves.
#[derive(Clone, Copy)]
pub(crate) struct Halves<V> {
    pub(super) low: V,
    pub(super) high: V,
}

/// A register of [`BLOCKS`](Self::BLOCKS) blocks, one per lane, with the first block in its lowest bytes.
///
/// A first vector can be made only from a proof that the CPU has the instructions, so code that has a vector may use
/// them. All methods are inlined into functions for which the instructions are switched on.
pub(crate) trait Vector: Copy {
    type Proof: Copy + Into<proof::Aesni>;

    /// Number of blocks in a vector: 1, 2 or 4.
    const BLOCKS: usize;

    const BYTES: usize = 16 * Self::BLOCKS;

    fn zero(proof: Self::Proof) -> Self;

    fn broadcast(proof: Self::Proof, block: Lanes1) -> Self;

    /// Returns a vector with the block of these halves in every lane.
    #[inline(always)]
    fn of_halves(proof: Self::Proof, low: u64, high: u64) -> Self {
        Self::broadcast(proof, Lanes1::of_halves(proof.into(), low, high))
    }

    /// Returns a vector with `word` in the last 32-bit word of each lane; the other words are zero.
    #[inline(always)]
    fn of_last_word(proof: Self::Proof, word: u32) -> Self {
        Self::of_halves(proof, 0, u64::from(word) << 32)
    }

    /// XORs the 32-bit words at three addresses into the first, second and third word of every lane.
    ///
    /// # Safety
    /// Four bytes can be read at each address.
    #[inline(always)]
    unsafe fn xor_words(self, proof: Self::Proof, from: [*const u32; 3]) -> Self {
        // SAFETY: guaranteed by the caller.
        let [first, second, third] = from.map(|from| u64::from(u32::from_le(unsafe { from.read_unaligned() })));
        self.xor(Self::of_halves(proof, first | second << 32, third))
    }

    /// Loads the 16 bytes at `from` into every lane.
    ///
    /// # Safety
    /// 16 bytes can be read, and `from` is a multiple of 16, so that a vector of one block can be an operand in memory.
    unsafe fn load_broadcast(proof: Self::Proof, from: *const u8) -> Self;

    /// Loads two times 8 bytes: the first 8 bytes into all low halves of one vector, the second into all high halves of
    /// another. (Not both halves into one vector where that costs more: on Zen 5, broadcasting 16 bytes to 64 takes a
    /// shuffle, 8 bytes only the load.)
    ///
    /// # Safety
    /// 16 bytes can be read.
    unsafe fn load_halves(proof: Self::Proof, from: *const u8) -> Halves<Self>;

    /// Loads a vector from `from`.
    ///
    /// # Safety
    /// [`BYTES`](Self::BYTES) bytes can be read.
    unsafe fn load(proof: Self::Proof, from: *const u8) -> Self;

    /// Loads a vector from an aligned address.
    ///
    /// # Safety
    /// [`BYTES`](Self::BYTES) bytes can be read, and `from` is a multiple of as many.
    unsafe fn load_aligned(proof: Self::Proof, from: *const u8) -> Self;

    /// Loads the first `bytes` bytes at `from`, at most a whole vector, and zeros after them.
    ///
    /// # Safety
    /// `bytes` bytes can be read.
    unsafe fn load_part(proof: Self::Proof, from: *const u8, bytes: usize) -> Self;

    /// Loads one block: the first `bytes` bytes at `from`, at most 16, and zeros after them.
    ///
    /// # Safety
    /// `bytes` bytes can be read.
    #[inline(always)]
    unsafe fn load_block(proof: Self::Proof, from: *const u8, bytes: usize) -> Lanes1 {
        // SAFETY: guaranteed by the caller.
        unsafe { Lanes1::load_part(proof.into(), from, bytes) }
    }

    /// Stores the whole vector.
    ///
    /// # Safety
    /// [`BYTES`](Self::BYTES) bytes can be written.
    unsafe fn store(self, to: *mut u8);

    /// Stores the first `bytes` bytes, at most the whole vector.
    ///
    /// # Safety
    /// `bytes` bytes can be written.
    unsafe fn store_part(self, to: *mut u8, bytes: usize);

    /// Stores the low halves of the blocks, one after the other.
    ///
    /// # Safety
    /// Half of [`BYTES`](Self::BYTES) bytes can be written.
    unsafe fn store_low_halves(self, to: *mut u8);

    /// Keeps the first `bytes` bytes, at most all, and zeros the others.
    fn first_bytes(self, bytes: usize) -> Self;

    fn with_first_block(self, block: Lanes1) -> Self;

    /// XORs `block` into the first block.
    fn xor_first_block(self, block: Lanes1) -> Self;

    fn xor(self, other: Self) -> Self;

    fn xor3(self, second: Self, third: Self) -> Self;

    /// Adds 32-bit words modulo 2^32.
    fn add_words(self, other: Self) -> Self;

    /// Does a round of AES (FIPS 197 §5.1) on every block.
    fn aes_round(self, round_key: Self) -> Self;

    fn aes_last_round(self, round_key: Self) -> Self;

    fn product_of_lows(self, other: Self) -> Self;

    fn product_of_highs(self, other: Self) -> Self;

    /// Multiplies without carries low halves of `self` by high halves of `other`, and high halves by low halves.
    fn crosswise(self, other: Self) -> [Self; 2];

    /// Reverses the bytes of each block.
    fn reverse(self) -> Self;

    fn swap_halves(self) -> Self;

    /// Combines in each lane the low half of `self` (below) and the low half of `other` (above).
    fn low_halves(self, other: Self) -> Self;

    /// Combines in each lane the high half of `self` (below) and the high half of `other` (above).
    fn high_halves(self, other: Self) -> Self;

    /// Returns the XOR of all blocks.
    fn sum(self) -> Lanes1;

    /// Returns for each of the first [`BLOCKS`](Self::BLOCKS) vectors the XOR of its blocks, in a lane of its own.
    fn sums(vectors: &[Self; 4]) -> Self;

    /// Returns a vector of the first [`BLOCKS`](Self::BLOCKS) blocks.
    fn of_blocks(blocks: &[Lanes1; 4]) -> Self;

    /// Returns the blocks, followed by zeros up to four.
    fn blocks(self) -> [Lanes1; 4];
}
