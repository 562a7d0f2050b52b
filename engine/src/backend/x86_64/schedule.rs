//! What the schedules need of a vector beside its lanes: which order suits its registers, and the two places before the
//! data.

use core::mem::MaybeUninit;

use super::aesni::One;
use super::vector::Vector;

/// Vectors in a group, which are encrypted side by side: two AES rounds a cycle that take four cycles each are kept
/// busy by eight.
pub(super) const GROUP: usize = 8;

/// Vectors hashed with one reduction: 8 KiB of the widest. The loop waits for a reduction; coming every 4 KiB it costs
/// 1 to 2 % more, every 2 KiB 4 %.
pub(super) const STRIDES: usize = 16 * GROUP;

/// Powers in the table of consecutive ones: those of a group of the widest vectors, one more for the block of the
/// lengths, and those that a last vector reads past the first power, where its data is zero.
pub(super) const CONSECUTIVE: usize = 4 * GROUP + 4;

/// What products of 128 bits are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Products {
    /// Three products of 64 bits.
    Karatsuba,
    /// Four.
    Schoolbook,
}

/// A table in a key, perhaps filled only in part, or of no length.
pub(crate) trait Table<T>: AsRef<[MaybeUninit<T>]> + AsMut<[MaybeUninit<T>]> {
    const EMPTY: Self;
}

impl<T, const LENGTH: usize> Table<T> for [MaybeUninit<T>; LENGTH] {
    const EMPTY: Self = [const { MaybeUninit::uninit() }; LENGTH];
}

/// How a vector takes part in the schedules.
pub(crate) trait Schedule: Vector {
    /// Whether opening hashes ciphertext some pairs ahead of AES. This takes two more registers: with 32 of them it
    /// makes opening 3 to 5 % faster, with 16 up to 10 % slower.
    const HASHES_AHEAD: bool;

    /// Whether the loop over long messages is [`interleaved`](super::interleaved): with only 16 registers, the
    /// compiler's order costs 10 to 20 %.
    const IS_INTERLEAVED: bool;

    /// How products of blocks are made.
    const PRODUCTS: Products;

    /// Whether whole messages go through AES in groups of [`fours`](super::fours).
    const IS_IN_FOURS: bool;

    /// Whether packets of one shape go in runs whatever their length. Long ones gain little where products are the
    /// bound; with 16 registers, one after the other takes 4 to 15 % less time from 200 bytes on.
    const HAS_LONG_RUNS: bool;

    /// How many of the shortest go through AES side by side: 1, 2 or 4.
    const SIDE_BY_SIDE: usize;

    /// The fewest packets that are sealed faster in a run, each of so many vectors: doing many at once takes some
    /// set-up, and some waiting at the end.
    fn least_run(vectors: usize) -> usize;

    /// The halves of the strides added up, if products are made of three.
    type Folded: Table<[u8; 8]>;

    /// The same vector, in a register, and a fence: what makes the vector stays before this, what uses it stays after
    /// it, and no load or store crosses it.
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
