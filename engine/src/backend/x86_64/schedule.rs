//! The trait [`Schedule`]: tuning parameters for each kind of vector, and operations on the two 16-byte places before
//! the data, which belong to the counters 0 and 1 (see `lines.rs`).

use core::mem::MaybeUninit;

use super::aesni::Lanes1;
use super::vector::Vector;
use crate::backend::Block;

/// Number of vectors that are encrypted in parallel: the CPU begins two AES rounds a cycle and takes four cycles for
/// each, so eight vectors keep it busy.
pub(super) const GROUP: usize = 8;

/// Number of entries in the table of consecutive powers of H, in descending order: for [`GROUP`] vectors of four blocks
/// and the block of lengths. (Three more entries align the vectors of powers.)
pub(super) const CONSECUTIVE_END: usize = 4 * GROUP + 4;

/// Method for the carry-less product of two 128-bit blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Products {
    /// Three products of 64-bit halves, and more XORs.
    Karatsuba,
    /// Four products of 64-bit halves.
    Schoolbook,
}

/// A table of powers of H in a key. It may be partly uninitialised, or have no elements.
pub(crate) trait Table<T>: AsRef<[MaybeUninit<T>]> + AsMut<[MaybeUninit<T>]> {
    const EMPTY: Self;
}

impl<T, const LENGTH: usize> Table<T> for [MaybeUninit<T>; LENGTH] {
    const EMPTY: Self = [const { MaybeUninit::uninit() }; LENGTH];
}

/// Tuning parameters for a type of vector, and its operations on the blocks with the counters 0 and 1 before the data.
pub(crate) trait Schedule: Vector {
    /// Whether opening hashes each pair of vectors two iterations before it decrypts the pair. This takes two more
    /// registers. With 32 registers opening is 3 to 5 % faster, with 16 registers up to 10 % slower.
    const HASHES_AHEAD: bool;

    /// Whether long messages use the loop in [`interleaved`](super::interleaved), whose order of instructions is fixed.
    /// With only 16 registers, the compiler's order costs 10 to 20 %.
    const IS_INTERLEAVED: bool;

    const PRODUCTS: Products;

    /// Number of powers H^(B·k) in a key, k = 1, 2, …, for vectors of B blocks. The loops of
    /// [`interleaved`](super::interleaved) and [`fours`](super::fours) reduce the sum of products after as many
    /// vectors, and wait for the result. The loop of [`pipeline`](super::pipeline) reduces twice as often, but does not
    /// wait.
    const STRIDES: usize;

    /// Number of vectors between two reductions in the loop of [`pipeline`](super::pipeline), for a key that processes
    /// only one message. At most half of [`STRIDES`](Self::STRIDES). With `vaes512` and the Karatsuba schedule on Zen
    /// 4, a reduction every 512 bytes makes long messages 2 % slower, but the key needs fewer powers of H.
    const ONE_TIME_STRETCH: usize;

    /// Whether whole messages are processed four vectors at a time, by [`fours`](super::fours).
    const IS_IN_FOURS: bool;

    /// Whether long packets of equal lengths in a batch are interleaved, like short packets, not processed one by
    /// one. Long packets gain little where products are the bottleneck. With 16 registers, packets of 200 bytes and
    /// more take 4 to 15 % less time one by one.
    const HAS_LONG_RUNS: bool;

    /// Maximum number of packets that are encrypted in parallel: 1, 2 or 4. Only the shortest packets reach it.
    const SIDE_BY_SIDE: usize;

    /// Returns the minimum number of packets of equal lengths, each of `vectors` vectors, that are sealed faster
    /// interleaved than one by one. Interleaving takes some time for set-up, and for waiting at its end.
    fn least_run(vectors: usize) -> usize;

    /// Type of the table of powers H^(B·k), for vectors of B blocks.
    type Strides: Table<Block>;

    /// Type of the table of the XORs of the 64-bit halves of the powers H^(B·k), for vectors of B blocks. It is empty
    /// if products use the schoolbook method.
    type Folded: Table<[u8; 8]>;

    /// Returns the vector unchanged, and acts as a fence for the compiler. Instructions that compute the vector stay
    /// before `pin`, instructions that use it stay after, and no load or store crosses the fence.
    fn pin(self) -> Self;

    fn pin_two(two: [Self; 2]) -> [Self; 2];

    /// Like [`Vector::load_part`], but puts the bytes after two blocks of zeros. Only for vectors of more than two
    /// blocks.
    ///
    /// # Safety
    /// `bytes` bytes can be read, and they fit after the first two blocks of the vector.
    unsafe fn load_behind_two(proof: Self::Proof, from: *const u8, bytes: usize) -> Self;

    /// Stores the `bytes` bytes that follow the first two blocks of the vector. Only for vectors of more than two
    /// blocks.
    ///
    /// # Safety
    /// `bytes` bytes can be written, and the vector has as many after its first two blocks.
    unsafe fn store_behind_two(self, to: *mut u8, bytes: usize);

    /// Replaces block 0 of `vectors` with `zeroth`, and block 1 with `first`.
    fn set_first_two(vectors: &mut [Self], zeroth: Lanes1, first: Lanes1);

    fn second_block(vectors: &[Self]) -> Lanes1;
}
