//! Vectors of blocks: the operations on their lanes, whatever their width.

use crate::cpu::proof;

use super::aesni::One;

/// The factors of low halves, and of high halves.
#[derive(Clone, Copy)]
pub(crate) struct Halves<V> {
    pub(super) low: V,
    pub(super) high: V,
}

/// A register of [`BLOCKS`](Self::BLOCKS) blocks, the first block in its lowest bytes.
///
/// A first vector can only be made from a proof that the CPU has the instructions, so whoever has a vector may use
/// them. All methods are inlined into functions for which the instructions are switched on.
pub(crate) trait Vector: Copy {
    /// Proof that the CPU has the instructions.
    type Proof: Copy + Into<proof::Aesni>;

    /// Blocks in a vector: 1, 2 or 4.
    const BLOCKS: usize;

    /// Bytes in a vector.
    const BYTES: usize = 16 * Self::BLOCKS;

    /// All bits zero.
    fn zero(proof: Self::Proof) -> Self;

    /// `block` in every place.
    fn broadcast(proof: Self::Proof, block: One) -> Self;

    /// The block of these halves in every place.
    #[inline(always)]
    fn of_halves(proof: Self::Proof, low: u64, high: u64) -> Self {
        Self::broadcast(proof, One::of_halves(proof.into(), low, high))
    }

    /// `word` in the last four bytes of every place, behind zeros.
    #[inline(always)]
    fn of_last_word(proof: Self::Proof, word: u32) -> Self {
        Self::of_halves(proof, 0, u64::from(word) << 32)
    }

    /// The four bytes at each of three addresses XORed into the first, second and third word of every place.
    ///
    /// # Safety
    /// They can be read.
    #[inline(always)]
    unsafe fn xor_words(self, proof: Self::Proof, from: [*const u32; 3]) -> Self {
        // SAFETY: the caller's.
        let [first, second, third] = from.map(|from| u64::from(u32::from_le(unsafe { from.read_unaligned() })));
        self.xor(Self::of_halves(proof, first | second << 32, third))
    }

    /// The 16 bytes at `from` in every place.
    ///
    /// # Safety
    /// They can be read, and `from` is a multiple of 16, so that a vector of one block can be an operand in memory.
    unsafe fn load_broadcast(proof: Self::Proof, from: *const u8) -> Self;

    /// A vector whose low halves are the first of the 8 bytes at `from`, and one whose high halves are the second. (Not
    /// the same vector where that costs more: on Zen 5, broadcasting 16 bytes to 64 takes a shuffle, 8 bytes only the
    /// load.)
    ///
    /// # Safety
    /// 16 bytes can be read.
    unsafe fn load_halves(proof: Self::Proof, from: *const u8) -> Halves<Self>;

    /// The bytes at `from`.
    ///
    /// # Safety
    /// [`BYTES`](Self::BYTES) bytes can be read.
    unsafe fn load(proof: Self::Proof, from: *const u8) -> Self;

    /// The bytes at `from`, where a vector stands.
    ///
    /// # Safety
    /// [`BYTES`](Self::BYTES) bytes can be read, and `from` divides by as many.
    unsafe fn load_aligned(proof: Self::Proof, from: *const u8) -> Self;

    /// The first `bytes` bytes at `from`, which may be all or none, and zeros.
    ///
    /// # Safety
    /// So many bytes can be read.
    unsafe fn load_part(proof: Self::Proof, from: *const u8, bytes: usize) -> Self;

    /// The first `bytes` bytes at `from`, 16 at most, and zeros: one block.
    ///
    /// # Safety
    /// So many bytes can be read.
    #[inline(always)]
    unsafe fn load_block(proof: Self::Proof, from: *const u8, bytes: usize) -> One {
        // SAFETY: the caller's.
        unsafe { One::load_part(proof.into(), from, bytes) }
    }

    /// Writes all bytes.
    ///
    /// # Safety
    /// [`BYTES`](Self::BYTES) bytes can be written.
    unsafe fn store(self, to: *mut u8);

    /// Writes the first `bytes` bytes, which may be all or none.
    ///
    /// # Safety
    /// So many bytes can be written.
    unsafe fn store_part(self, to: *mut u8, bytes: usize);

    /// Writes the low halves of the blocks, one behind the other.
    ///
    /// # Safety
    /// Half of [`BYTES`](Self::BYTES) bytes can be written.
    unsafe fn store_low_halves(self, to: *mut u8);

    /// The first `bytes` bytes, at most all, and zeros.
    fn first_bytes(self, bytes: usize) -> Self;

    /// `block` in the first place, the others as they are.
    fn with_first_block(self, block: One) -> Self;

    /// `block` XORed into the first place.
    fn xor_first_block(self, block: One) -> Self;

    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Bitwise exclusive or of three.
    fn xor3(self, second: Self, third: Self) -> Self;

    /// The sums of the words of 32 bits, modulo 2^32.
    fn add_words(self, other: Self) -> Self;

    /// A round of AES (FIPS 197 §5.1) on every block.
    fn aes_round(self, round_key: Self) -> Self;

    /// The last round of AES.
    fn aes_last_round(self, round_key: Self) -> Self;

    /// Carry-less products of the low halves of the blocks.
    fn product_of_lows(self, other: Self) -> Self;

    /// Carry-less products of the high halves of the blocks.
    fn product_of_highs(self, other: Self) -> Self;

    /// Carry-less products of the low halves of the blocks and the others' high ones, and the other way round.
    fn crosswise(self, other: Self) -> [Self; 2];

    /// The bytes of each block in the other order.
    fn reverse(self) -> Self;

    /// The halves of each block in the other order.
    fn swap_halves(self) -> Self;

    /// For each place the low half of this block, and over it the low half of the other.
    fn low_halves(self, other: Self) -> Self;

    /// For each place the high half of this block, and over it the high half of the other.
    fn high_halves(self, other: Self) -> Self;

    /// The exclusive or of all blocks.
    fn sum(self) -> One;

    /// The sums of the first [`BLOCKS`](Self::BLOCKS) vectors, each in a place of its own.
    fn sums(vectors: &[Self; 4]) -> Self;

    /// The first [`BLOCKS`](Self::BLOCKS) blocks, each in a place of its own.
    fn of_blocks(blocks: &[One; 4]) -> Self;

    /// The blocks, and as many zeros as there are fewer than four.
    fn blocks(self) -> [One; 4];
}
