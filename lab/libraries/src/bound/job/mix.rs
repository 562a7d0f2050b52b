//! The minimum operations of AES-GCM, and the orders in which a loop can do them.
//!
//! Operations for each vector of counters:
//!
//! * **AES**: 10 rounds with keys of 128 bits, 14 with 256, less the first two. A message's counters differ in 4 of 16
//!   bytes, and among 256 counters in one byte. The first round spreads that byte over one column, where no other byte
//!   of the counter is. So a table for the message can hold what two rounds make of that byte. One XOR combines it with
//!   the result for the other bytes, and replaces the XOR that puts a counter into a block.
//! * **GHASH**, without the reduction, which can be done once for any number of vectors: a shuffle that reverses the
//!   bytes of each block, and one of two multiplications. *Schoolbook* takes 4 products, added to two sums. *Karatsuba*
//!   takes 3 products, added to three sums, and needs the sums of the blocks' halves: for two vectors two shuffles,
//!   which join the lower and the upper halves, and an XOR.
//! * **XORs**: the counter into its block, the text into the last round key, and every product to a sum. With an
//!   instruction that adds three operands (AVX-512's VPTERNLOG, EOR3 of Arm's SHA-3), the products need half as many.
//!
//! Operations for two vectors and r rounds:
//!
//! | | rounds | products | shuffles | XORs | with VPTERNLOG |
//! |---|---|---|---|---|---|
//! | Karatsuba | 2 (r − 2) | 6 | 4 | 4 + 1 + 6 | 4 + 1 and 3 |
//! | schoolbook | 2 (r − 2) | 8 | 2 | 4 + 8 | 4 and 4 |
//!
//! On AArch64 a round adds its key first. The counter is added together with that key at no cost, and the last key and
//! the text take two XORs, or one EOR3, at the end. The numbers are equal; the last round is an AESE without AESMC. If
//! EOR3 has fewer pipes than EOR, a mixture of both may be the fastest. Some CPUs (Apple's) fuse a product and the XOR
//! behind it. These variants are tried too:
//!
//! | | products | shuffles | XORs of two operands | XORs of three |
//! |---|---|---|---|---|
//! | Karatsuba | 6 | 4 | 11, 5 or 1 | 0, 3 or 5 |
//! | Karatsuba, products fused with XORs | 6, with 6 XORs | 4 | 5 or 1 | 0 or 2 |
//! | schoolbook | 8 | 2 | 12, 4 or 0 | 0, 4 or 6 |
//! | schoolbook, products fused with XORs | 8, with 8 XORs | 2 | 4 or 0 | 0 or 2 |
//!
//! An algorithm that needs fewer operations than all of these would make the bound wrong; none is known.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Kind, Registers};

/// Number of vectors in a turn of the loop, each a chain of rounds. Two rounds per cycle with a latency of four cycles
/// need eight chains; four per cycle with a latency of three (Apple's) need twelve.
pub(super) const VECTORS: usize = if cfg!(target_arch = "aarch64") { 16 } else { 10 };

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BareInstruction {
    Round,
    Product,
    /// Carry-less product, directly followed by the XOR that adds it to a sum.
    AddedProduct,
    Shuffle,
    Xor,
    Xor3,
}

/// Number of AES rounds at the start of a block that a table, computed once for a message, replaces.
pub(super) const TABLE_ROUNDS: usize = 2;

/// Number of operations of each kind for two vectors of blocks. The unit is two vectors, because Karatsuba
/// multiplication joins the halves of blocks from two vectors.
pub(super) type Mix = [(BareInstruction, usize); 6];

/// Section lengths in instructions. Each length gives one order of a loop's instructions to try: [`even`] mixes the
/// kinds of instructions evenly, and then each section of this length is sorted by kind. Length 1 keeps the even mix.
const SECTIONS: [usize; 8] = [1, 3, 6, 10, 16, 24, 40, 64];
/// Number of random orders of a loop's instructions to try.
const RANDOM: u64 = 8;

pub(super) fn mixes(kind: Kind, registers: Registers, rounds: usize) -> Vec<Mix> {
    let rounds = 2 * (rounds - TABLE_ROUNDS);
    let mix = |rounds, [products, added, shuffles, xors, ternary]: [usize; 5]| {
        use BareInstruction::{AddedProduct, Product, Round, Shuffle, Xor, Xor3};
        [(Round, rounds), (Product, products), (AddedProduct, added), (Shuffle, shuffles), (Xor, xors), (Xor3, ternary)]
    };
    match kind {
        Kind::Aes => vec![mix(rounds, [0; 5])],
        Kind::Clmul => vec![mix(0, [6, 0, 0, 0, 0])],
        Kind::Mixed => vec![mix(rounds, [6, 0, 0, 0, 0])],
        Kind::Gcm => all_but_aes(registers).into_iter().map(|others| mix(rounds, others)).collect(),
    }
}

/// Returns the alternatives for the operations other than AES rounds. Each alternative has the numbers of products,
/// products fused with an XOR, shuffles, XORs of two operands, and XORs of three operands. Alternatives with Karatsuba
/// multiplication come first, then those with schoolbook multiplication.
fn all_but_aes(registers: Registers) -> Vec<[usize; 5]> {
    let mut all = Vec::new();
    for [products, shuffles, xors] in [[6, 4, 11], [8, 2, 12]] {
        let half = products / 2;
        match (registers, registers.has_ternary()) {
            (Registers::Neon, has_ternary) => {
                let is_there = |ternary: &usize| *ternary == 0 || has_ternary;
                let apart = [0, half, half + 2].into_iter().filter(is_there);
                all.extend(apart.map(|ternary| [products, 0, shuffles, xors - 2 * ternary, ternary]));
                let added = [0, 2].into_iter().filter(is_there);
                all.extend(added.map(|ternary| [0, products, shuffles, xors - products - 2 * ternary, ternary]));
            }
            (_, true) => all.push([products, 0, shuffles, xors - products, half]),
            (_, false) => all.push([products, 0, shuffles, xors, 0]),
        }
    }
    all
}

/// Returns a turn's operations in every order to try, without duplicates.
pub(super) fn orders(mix: &Mix) -> Vec<Vec<BareInstruction>> {
    let even = even(mix);
    let sorted = SECTIONS.into_iter().map(|length| {
        let mut order = even.clone();
        order.chunks_mut(length).for_each(<[BareInstruction]>::sort_unstable);
        order
    });
    let random = (0..RANDOM).map(|seed| {
        let mut order = even.clone();
        order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        order
    });
    let mut orders: Vec<Vec<BareInstruction>> = sorted.chain(random).collect();
    orders.dedup();
    orders
}

/// Returns a turn's operations in an order that spreads each kind evenly.
fn even(mix: &Mix) -> Vec<BareInstruction> {
    let mut placed: Vec<(usize, BareInstruction)> = Vec::new();
    for &(operation, count) in mix {
        let count = count * VECTORS / 2;
        placed.extend((0..count).map(|index| (((2 * index + 1) << 20) / count, operation)));
    }
    placed.sort_unstable();
    placed.into_iter().map(|(_, operation)| operation).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::ALL;
    use super::*;

    pub(in super::super) fn loops(registers: Registers) -> Vec<(Mix, usize, Vec<BareInstruction>)> {
        let kinds = [Kind::Aes, Kind::Clmul, Kind::Mixed, Kind::Gcm].into_iter();
        let mixes = kinds
            .flat_map(|kind| [(kind, 10), (kind, 14)])
            .flat_map(|(kind, rounds)| mixes(kind, registers, rounds).into_iter().map(move |mix| (mix, rounds)));
        mixes.flat_map(|(mix, rounds)| orders(&mix).into_iter().map(move |order| (mix, rounds, order))).collect()
    }

    pub(in super::super) fn product(one: u64, other: u64) -> u128 {
        (0..64).filter(|bit| other >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(one) << bit)
    }

    #[test]
    fn bound_instruction_orders_are_permutations_of_the_same_instructions() {
        for &registers in ALL {
            for mix in mixes(Kind::Gcm, registers, 14) {
                let orders = orders(&mix);
                assert_eq!(orders.len(), SECTIONS.len() + RANDOM as usize);
                for order in orders {
                    for (operation, count) in mix {
                        let found = order.iter().filter(|one| **one == operation).count();
                        assert_eq!(found, count * VECTORS / 2, "{operation:?}");
                    }
                }
            }
        }
        assert_eq!(orders(&mixes(Kind::Aes, ALL[0], 10)[0]).len(), 1, "instructions of one kind have only one order");
    }
}
