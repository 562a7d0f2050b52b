//! Vectors of AES blocks: the lane operations that each backend implements for the width of its registers.

use crate::cpu::proof;

use super::aesni::Lanes1;

/// Factors of carry-less products: one vector for the low 64-bit halves of blocks, and one vector for the high halves.
#[derive(Clone, Copy)]
pub(crate) struct Halves<V> {
    pub(super) low: V,
    pub(super) high: V,
}

/// A register of [`BLOCKS`](Self::BLOCKS) blocks of 16 bytes, one in each lane. The first block is in the lowest bytes.
///
/// The first vector is created from a proof that the CPU has the backend's instructions, so code that has a vector may
/// use these instructions. All methods are inlined into functions that enable them.
pub(crate) trait Vector: Copy {
    type Proof: Copy + Into<proof::Aesni>;

    /// Number of blocks in a vector: 1, 2 or 4.
    const BLOCKS: usize;

    const BYTES: usize = 16 * Self::BLOCKS;

    fn zero(proof: Self::Proof) -> Self;

    fn broadcast(proof: Self::Proof, block: Lanes1) -> Self;

    /// Returns a vector whose lanes all hold the block with the 64-bit halves `low` and `high`.
    #[inline(always)]
    fn of_halves(proof: Self::Proof, low: u64, high: u64) -> Self {
        Self::broadcast(proof, Lanes1::of_halves(proof.into(), low, high))
    }

    /// Returns a vector with `word` in the last 32-bit word of each lane. The other words are zero.
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
    /// 16 bytes can be read, and `from` is aligned to 16 bytes, as SSE requires of operands in memory.
    unsafe fn load_broadcast(proof: Self::Proof, from: *const u8) -> Self;

    /// Loads 8 bytes into the low half of every lane of one vector, and the next 8 bytes into the high half of every
    /// lane of another vector. (One vector for all 16 bytes would be slower: on Zen 5, broadcasting 16 bytes to 64
    /// takes a shuffle, broadcasting 8 bytes does not.)
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
    /// [`BYTES`](Self::BYTES) bytes can be read, and `from` is aligned to [`BYTES`](Self::BYTES).
    unsafe fn load_aligned(proof: Self::Proof, from: *const u8) -> Self;

    /// Loads the first `bytes` bytes at `from`, at most a whole vector, and pads them with zeros.
    ///
    /// # Safety
    /// `bytes` bytes can be read.
    unsafe fn load_part(proof: Self::Proof, from: *const u8, bytes: usize) -> Self;

    /// Loads the first `bytes` bytes at `from`, at most 16, and pads them with zeros to a block.
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

    /// Stores the first `bytes` bytes of the vector, at most the whole vector.
    ///
    /// # Safety
    /// `bytes` bytes can be written.
    unsafe fn store_part(self, to: *mut u8, bytes: usize);

    /// Stores the low 64-bit halves of the blocks, one after the other.
    ///
    /// # Safety
    /// Half of [`BYTES`](Self::BYTES) bytes can be written.
    unsafe fn store_low_halves(self, to: *mut u8);

    /// Returns the vector with its first `bytes` bytes, and zeros in the other bytes.
    fn first_bytes(self, bytes: usize) -> Self;

    fn with_first_block(self, block: Lanes1) -> Self;

    /// XORs `block` into the first block.
    fn xor_first_block(self, block: Lanes1) -> Self;

    fn xor(self, other: Self) -> Self;

    fn xor3(self, second: Self, third: Self) -> Self;

    /// Adds each 32-bit word of `other` to the word of `self` at the same position, modulo 2^32.
    fn add_words(self, other: Self) -> Self;

    /// Executes one AES round (FIPS 197 §5.1) on every block.
    fn aes_round(self, round_key: Self) -> Self;

    fn aes_last_round(self, round_key: Self) -> Self;

    fn product_of_lows(self, other: Self) -> Self;

    fn product_of_highs(self, other: Self) -> Self;

    /// Returns the two cross products for each block: first the carry-less product of the low half of `self` and the
    /// high half of `other`, then that of the high half of `self` and the low half of `other`.
    fn crosswise(self, other: Self) -> [Self; 2];

    /// Reverses the bytes of each block.
    fn reverse(self) -> Self;

    fn swap_halves(self) -> Self;

    /// Returns, in each lane, the low half of `self` in the low half, and the low half of `other` in the high half.
    fn low_halves(self, other: Self) -> Self;

    /// Returns, in each lane, the high half of `self` in the low half, and the high half of `other` in the high half.
    fn high_halves(self, other: Self) -> Self;

    /// Returns a vector whose even-numbered blocks are from `self` and whose odd-numbered blocks are from `other`. Only
    /// for vectors of more than one block.
    fn alternate(self, other: Self) -> Self;

    /// Returns a vector whose first half of blocks is from `self` and whose second half is from `other`. Only for
    /// vectors of more than one block.
    fn first_half(self, other: Self) -> Self;

    /// Returns a vector with the first block of `self` in every lane.
    fn broadcast_first(self) -> Self;

    /// Returns the XOR of all blocks of the vector.
    fn sum(self) -> Lanes1;

    /// For each of the first [`BLOCKS`](Self::BLOCKS) vectors, XORs all its blocks. Returns the results in one vector,
    /// one in each lane.
    fn sums(vectors: &[Self; 4]) -> Self;

    /// Returns a vector of the first [`BLOCKS`](Self::BLOCKS) of `blocks`.
    fn of_blocks(blocks: &[Lanes1; 4]) -> Self;

    /// Returns the blocks of the vector, followed by zeros up to four blocks.
    fn blocks(self) -> [Lanes1; 4];
}
