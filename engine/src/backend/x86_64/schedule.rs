//! What the schedules ask of a vector beside its lanes: which order suits its registers, and the two places before the
//! text.

use super::aesni::One;
use super::vector::Vector;

/// How a vector takes part in the schedules.
pub(crate) trait Schedule: Vector {
    /// Whether ciphertext that is opened is hashed some pairs ahead of AES. It takes two more registers: with 32 of
    /// them it makes opening 3 to 5 % faster, with 16 up to 10 % slower.
    const HASHES_AHEAD: bool;

    /// Whether the loop over long texts is [`woven`](super::woven): where 16 registers are all there are, and the
    /// compiler's order of things costs 10 to 20 %.
    const IS_WOVEN: bool;

    /// The same vector, in a register. What makes it stands before this, and what uses it behind, and no load or store
    /// passes it in either direction.
    fn pin(self) -> Self;

    /// Both at once.
    fn pin_two(two: [Self; 2]) -> [Self; 2];

    /// As [`Vector::load_part`], behind two blocks of zeros: for vectors that hold more than two.
    ///
    /// # Safety
    /// `bytes` bytes can be read, and they fit.
    unsafe fn load_behind_two(proof: Self::Proof, from: *const u8, bytes: usize) -> Self;

    /// Writes the first `bytes` bytes behind the first two blocks: for vectors that hold more than two.
    ///
    /// # Safety
    /// `bytes` bytes can be written, and the vector has them.
    unsafe fn store_behind_two(self, to: *mut u8, bytes: usize);

    /// Puts `zeroth` and `first` in the places of the first two blocks of `vectors`.
    fn set_first_two(vectors: &mut [Self], zeroth: One, first: One);

    /// The second block of `vectors`.
    fn second_block(vectors: &[Self]) -> One;
}
