//! What AES-GCM cannot do without, by kinds of operations, and the orders in which a loop can do them.
//!
//! For each vector of counters:
//!
//! * **AES**: 10 rounds with keys of 128 bits, 14 with 256, less the first two: a message's counters differ in 4 of 16
//!   bytes, and among 256 of them in one, which the first round spreads over a column where nothing else of the counter
//!   is. So what two rounds make of that byte can be had from a table of the message, by one XOR with what they make of
//!   the others: the very XOR that puts a counter into a block otherwise.
//! * **GHASH**, the hash of a ciphertext (whose reduction is once for as many vectors as one likes, and so left out):
//!   a shuffle that reverses the bytes of each block, and either the *schoolbook's* 4 products, added to two sums, or
//!   *Karatsuba's* 3 products, added to three sums, which need the sums of the blocks' halves: for two vectors two
//!   shuffles, which bring together the lower halves and the upper ones, and an XOR.
//! * **XORs**: the counter into its block, the text into the last round key, and every product to a sum; where there is
//!   an instruction that adds up three (AVX-512's VPTERNLOG, EOR3 of Arm's SHA-3), half as many for the products.
//!
//! So for two vectors, r rounds each:
//!
//! | | rounds | products | shuffles | XORs | with VPTERNLOG |
//! |---|---|---|---|---|---|
//! | Karatsuba | 2 (r − 2) | 6 | 4 | 4 + 1 + 6 | 4 + 1 and 3 |
//! | schoolbook | 2 (r − 2) | 8 | 2 | 4 + 8 | 4 and 4 |
//!
//! On AArch64 a round adds its key first: the counter goes into a block with that key and costs nothing, and the last
//! key and the text are two XORs, or one EOR3, at the end. That makes the same numbers; the last round is an AESE
//! without the AESMC. Where EOR3 has fewer pipes than EOR, some of each may be the fastest, and some CPUs (Apple's) do
//! a product and the XOR behind it in one operation: so these are tried besides.
//!
//! | | products | shuffles | XORs of two | of three |
//! |---|---|---|---|---|
//! | Karatsuba | 6 | 4 | 11, 5 or 1 | 0, 3 or 5 |
//! | with their XORs | 6 and 6 | 4 | 5 or 1 | 0 or 2 |
//! | schoolbook | 8 | 2 | 12, 4 or 0 | 0, 4 or 6 |
//! | with their XORs | 8 and 8 | 2 | 4 or 0 | 0 or 2 |
//!
//! An algorithm that needs fewer of all than either would make the bound wrong; none is known.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Kind, Registers};

/// Vectors in a turn of the loop, each a chain of its rounds: on a CPU that does two rounds a cycle, each of which
/// takes four, eight would have to be on their way; four a cycle, each of which takes three (Apple's), twelve.
pub(super) const VECTORS: usize = if cfg!(target_arch = "aarch64") { 16 } else { 10 };

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BareInstruction {
    /// A round of AES.
    Round,
    /// A carry-less product.
    Product,
    /// A carry-less product, and right behind it the XOR that adds it to a sum.
    AddedProduct,
    /// A shuffle of bytes.
    Shuffle,
    /// An XOR of two.
    Xor,
    /// An XOR of three.
    Xor3,
}

/// Rounds of AES that come from a table.
pub(super) const FROM_TABLE: usize = 2;

/// How many of each for two vectors.
pub(super) type Mix = [(BareInstruction, usize); 6];

/// Lengths of the stretches of the even order that are sorted by kind; 1 leaves it as even as can be.
const STRETCHES: [usize; 8] = [1, 3, 6, 10, 16, 24, 40, 64];
/// Random orders that are tried besides.
const RANDOM: u64 = 8;

/// Every way to do what is asked for, with this many rounds of AES to a block.
pub(super) fn mixes(kind: Kind, registers: Registers, rounds: usize) -> Vec<Mix> {
    let rounds = 2 * (rounds - FROM_TABLE);
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

/// Products, those with their XORs, shuffles, and XORs of two and of three, by Karatsuba's rule and by the
/// schoolbook's.
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

/// The operations of a turn in every order that is tried, each order once.
pub(super) fn orders(mix: &Mix) -> Vec<Vec<BareInstruction>> {
    let even = even(mix);
    let sorted = STRETCHES.into_iter().map(|length| {
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

/// The operations of a turn, those of each kind as far from one another as can be.
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
    use super::super::job::tests::ALL;
    use super::*;

    /// Every loop that is tried in these registers, with its mix and the number of rounds.
    pub(in super::super) fn loops(registers: Registers) -> Vec<(Mix, usize, Vec<BareInstruction>)> {
        let kinds = [Kind::Aes, Kind::Clmul, Kind::Mixed, Kind::Gcm].into_iter();
        let mixes = kinds
            .flat_map(|kind| [(kind, 10), (kind, 14)])
            .flat_map(|(kind, rounds)| mixes(kind, registers, rounds).into_iter().map(move |mix| (mix, rounds)));
        mixes.flat_map(|(mix, rounds)| orders(&mix).into_iter().map(move |order| (mix, rounds, order))).collect()
    }

    /// The carry-less product.
    pub(in super::super) fn product(one: u64, other: u64) -> u128 {
        (0..64).filter(|bit| other >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(one) << bit)
    }

    #[test]
    fn every_order_has_the_same_operations() {
        for &registers in ALL {
            for mix in mixes(Kind::Gcm, registers, 14) {
                let orders = orders(&mix);
                assert_eq!(orders.len(), STRETCHES.len() + RANDOM as usize);
                for order in orders {
                    for (operation, count) in mix {
                        let found = order.iter().filter(|one| **one == operation).count();
                        assert_eq!(found, count * VECTORS / 2, "{operation:?}");
                    }
                }
            }
        }
        assert_eq!(orders(&mixes(Kind::Aes, ALL[0], 10)[0]).len(), 1, "there is but one order of one kind");
    }
}
