//! What the schedules need of a vector besides its lane operations: parameters that suit its registers, and the two
//! places before the data.

use core::mem::MaybeUninit;

use super::aesni::Lanes1;
use super::vector::Vector;

/// Number of vectors in a group, which are encrypted side by side. The CPU begins two AES rounds a cycle and takes four
/// cycles for each, so eight vectors keep it busy.
pub(super) const GROUP: usize = 8;

/// Number of vectors hashed with one reduction: 8 KiB with the widest vectors. The loop waits for a reduction; one
/// every 4 KiB costs 1 to 2 % more, one every 2 KiB 4 %.
pub(super) const STRIDES: usize = 16 * GROUP;

/// Number of powers in the table of consecutive ones: those of a group of the widest vectors, one for the block of the
/// lengths, and those that a last vector reads past the first power, where its data is zero.
pub(super) const CONSECUTIVE: usize = 4 * GROUP + 4;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Products {
    /// Of three products of 64 bits.
    Karatsuba,
    /// Of four products of 64 bits.
    Schoolbook,
}

/// A table in a key, which may be filled only in part, or have no elements.
pub(crate) trait Table<T>: AsRef<[MaybeUninit<T>]> + AsMut<[MaybeUninit<T>]> {
    const EMPTY: Self;
}

impl<T, const LENGTH: usize> Table<T> for [MaybeUninit<T>; LENGTH] {
    const EMPTY: Self = [const { MaybeUninit::uninit() }; LENGTH];
}

/// Parameters of the schedules for a kind of vector.
pub(crate) trait Schedule: Vector {
    /// Whether opening hashes ciphertext some pairs ahead of AES. This takes two more registers: with 32 registers it
    /// makes opening 3 to 5 % faster, with 16 up to 10 % slower.
    const HASHES_AHEAD: bool;

    /// Whether the loop over long messages is [`interleaved`](super::interleaved). With only 16 registers, the
    /// compiler's order costs 10 to 20 %.
    const IS_INTERLEAVED: bool;

    const PRODUCTS: Products;

    /// Whether whole messages go through AES in groups of [`fours`](super::fours).
    const IS_IN_FOURS: bool;

    /// Whether packets of one shape are processed in runs whatever their length. Long packets gain little where
    /// products are the bottleneck. With 16 registers, processing them one after the other takes 4 to 15 % less time
    /// from 200 bytes on.
    const HAS_LONG_RUNS: bool;

    /// Number of the shortest packets that go through AES side by side: 1, 2 or 4.
    const SIDE_BY_SIDE: usize;

    /// Minimum number of packets, each of `vectors` vectors, that are sealed faster in a run. A run takes some set-up,
    /// and some waiting at the end.
    fn least_run(vectors: usize) -> usize;

    /// Table of the sums of the strides' halves, which products of three need.
    type Folded: Table<[u8; 8]>;

    /// Returns the vector in a register, as a fence for the compiler: work that makes the vector stays before `pin`,
    /// work that uses it stays after, and no load or store crosses it.
    fn pin(self) -> Self;

    fn pin_two(two: [Self; 2]) -> [Self; 2];

    /// Like [`Vector::load_part`], but puts the bytes after two blocks of zeros. Only for vectors of more than two
    /// blocks.
    ///
    /// # Safety
    /// `bytes` bytes can be read, and they fit into the vector.
    unsafe fn load_behind_two(proof: Self::Proof, from: *const u8, bytes: usize) -> Self;

    /// Writes the first `bytes` bytes that follow the first two blocks. Only for vectors of more than two blocks.
    ///
    /// # Safety
    /// `bytes` bytes can be written, and the vector has as many.
    unsafe fn store_behind_two(self, to: *mut u8, bytes: usize);

    /// Puts `zeroth` and `first` in the places of the first two blocks of `vectors`.
    fn set_first_two(vectors: &mut [Self], zeroth: Lanes1, first: Lanes1);

    fn second_block(vectors: &[Self]) -> Lanes1;
}
