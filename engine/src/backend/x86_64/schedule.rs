//! The trait [`Schedule`]: tuning parameters for each kind of vector. Also operations on the two blocks for the
//! counters 0 (unused) and 1 (J0), which come before the blocks of the data.

use core::mem::MaybeUninit;

use super::aesni::Lanes1;
use super::vector::Vector;
use crate::backend::Block;

/// Number of vectors that are encrypted in parallel. The CPU begins two AES rounds a cycle and takes four cycles for
/// each, so eight vectors keep it busy.
pub(super) const GROUP: usize = 8;

/// Number of entries in the table of consecutive powers of H: one for each block in [`GROUP`] vectors of four blocks,
/// and one for the block of lengths. (Three more entries align the vectors of powers.)
pub(super) const CONSECUTIVE_END: usize = 4 * GROUP + 4;

/// Method for the carry-less product of two 128-bit blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Products {
    /// Karatsuba's method: three products of 64-bit halves, and more XORs than the schoolbook method.
    Karatsuba,
    /// Schoolbook method: four products of 64-bit halves.
    Schoolbook,
}

/// A table of powers of H in a key. The table may be partly uninitialised, or have no elements.
pub(crate) trait Table<T>: AsRef<[MaybeUninit<T>]> + AsMut<[MaybeUninit<T>]> {}

impl<T, const LENGTH: usize> Table<T> for [MaybeUninit<T>; LENGTH] {}

/// Tuning parameters for a type of vector. Also operations on the two blocks for the counters 0 (unused) and 1 (J0),
/// which come before the blocks of the data.
pub(crate) trait Schedule: Vector {
    /// Whether opening hashes each pair of vectors two iterations before decrypting it. This takes two more registers.
    /// With 32 registers opening is 3 to 5 % faster, with 16 registers up to 10 % slower.
    const HASHES_AHEAD: bool;

    /// Whether long messages use the loop in [`interleaved`](super::interleaved), whose order of instructions is fixed.
    /// With only 16 registers, the order that the compiler chooses costs 10 to 20 %.
    const IS_INTERLEAVED: bool;

    const PRODUCTS: Products;

    /// Number of powers H^(B·k) in a key, k = 1, 2, …, for vectors of B blocks. The loops of
    /// [`interleaved`](super::interleaved) and [`fours`](super::fours) reduce the sum of products after this number of
    /// vectors, and wait for the result. The loop of [`pipeline`](super::pipeline) reduces twice as often, but does not
    /// wait.
    const STRIDES: usize;

    /// Number of vectors between two reductions in the loop of [`pipeline`](super::pipeline), for a key that processes
    /// only one message. At most half of [`STRIDES`](Self::STRIDES). A small number makes long messages slower (2 %
    /// with a reduction every 512 bytes on Zen 4, `vaes512` with Karatsuba products), but the key needs fewer powers of
    /// H.
    const ONE_TIME_STRETCH: usize;

    /// Whether whole messages are processed four vectors at a time, by the code in [`fours`](super::fours).
    const IS_IN_FOURS: bool;

    /// Whether long packets of equal lengths in a batch are interleaved, as short packets are. Long packets gain little
    /// where products are the bottleneck. With 16 registers, packets of 200 bytes and more take 4 to 15 % less time one
    /// at a time.
    const HAS_LONG_RUNS: bool;

    /// Maximum number of packets that are encrypted in parallel: 1, 2 or 4. This maximum is used for the shortest
    /// packets; of longer packets, fewer are encrypted in parallel.
    const SIDE_BY_SIDE: usize;

    /// Returns the minimum number of packets for which interleaving is faster than sealing one at a time. The packets
    /// have equal lengths of `vectors` vectors. Interleaving takes some time for set-up, and for waiting at its end.
    fn least_run(vectors: usize) -> usize;

    /// Type of the table of powers H^(B·k), for vectors of B blocks.
    type Strides: Table<Block>;

    /// Type of the table of the XORs of the 64-bit halves of the powers H^(B·k), for vectors of B blocks. It is empty
    /// if products use the schoolbook method.
    type Folded: Table<[u8; 8]>;

    /// Returns the vector unchanged, and acts as a fence for the compiler. Instructions that compute this vector stay
    /// before `pin`, and instructions that use the result stay after `pin`. No load or store crosses the fence.
    fn pin(self) -> Self;

    fn pin_two(two: [Self; 2]) -> [Self; 2];

    /// Loads `bytes` bytes from `from` and puts them after two blocks of zeros; zeros also follow them, as in
    /// [`Vector::load_part`]. Only for vectors of more than two blocks.
    ///
    /// # Safety
    /// `bytes` bytes can be read. They fit into the vector after its first two blocks.
    unsafe fn load_behind_two(proof: Self::Proof, from: *const u8, bytes: usize) -> Self;

    /// Stores the `bytes` bytes that follow the first two blocks of the vector. Only for vectors of more than two
    /// blocks.
    ///
    /// # Safety
    /// `bytes` bytes can be written. The vector has this number of bytes after its first two blocks.
    unsafe fn store_behind_two(self, to: *mut u8, bytes: usize);

    /// Replaces block 0 of `vectors` with `zeroth`, and block 1 with `first`.
    fn set_first_two(vectors: &mut [Self], zeroth: Lanes1, first: Lanes1);

    fn second_block(vectors: &[Self]) -> Lanes1;
}
