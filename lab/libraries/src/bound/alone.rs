//! One kind of instruction alone: AES rounds, or carry-less products; and on the widest registers both side by side.

use super::table::Table;
use super::{Kind, Registers};

/// Vectors in a turn, here and in the loop of all that GCM needs.
pub(super) const TURN: u64 = 8;
/// AES rounds in a turn of them: those of AES-128 for each vector.
pub(super) const ROUNDS: u64 = 10 * TURN;

/// Rounds on the vectors `$a` and products of the vectors `$p`, in the encoding of SSE.
macro_rules! sse {
    ([$($a:literal)*] [$($p:literal)*]) => {
        concat!($("aesenc xmm", $a, ", xmm14\n",)* $("pclmulqdq xmm", $p, ", xmm15, 0\n",)*)
    };
}
/// The same in the encoding of AVX, on registers `$r`, of which `$key` has the round key and `$factor` a factor.
macro_rules! avx {
    ($r:literal $key:literal $factor:literal [$($a:literal)*] [$($p:literal)*]) => {
        concat!(
            $("vaesenc ", $r, $a, ", ", $r, $a, ", ", $r, $key, "\n",)*
            $("vpclmulqdq ", $r, $p, ", ", $r, $p, ", ", $r, $factor, ", 0\n",)*
        )
    };
}
macro_rules! xmm { ($($what:tt)*) => { avx!("xmm" "14" "15" $($what)*) }; }
macro_rules! ymm { ($($what:tt)*) => { avx!("ymm" "14" "15" $($what)*) }; }
macro_rules! zmm { ($($what:tt)*) => { avx!("zmm" "30" "31" $($what)*) }; }

/// Ten rounds for each of eight vectors: ten chains, since two rounds a cycle that take four cycles each need eight.
macro_rules! rounds {
    ($set:ident) => { concat!(rounds!(@ $set), rounds!(@ $set), rounds!(@ $set), rounds!(@ $set)) };
    (@ $set:ident) => { concat!($set!([0 1 2 3 4 5 6 7 8 9] []), $set!([0 1 2 3 4 5 6 7 8 9] [])) };
}
/// Three products for each of eight vectors.
macro_rules! products {
    ($set:ident) => { concat!($set!([] [0 1 2 3 4 5 6 7 8 9 10 11]), $set!([] [0 1 2 3 4 5 6 7 8 9 10 11])) };
}

/// The loop, all registers filled with the factor's bits before it and two of them kept behind it.
macro_rules! turns {
    ($table:ident, $turns:ident, $load:literal, $store:literal, $r:literal, [$($register:literal)*], $key:literal $factor:literal,
     $second:literal, $turn:expr, $end:literal, [$($changed:tt)*]) => {
        // SAFETY: the caller says that the CPU has the instructions and that there are turns to do. What is read lies in
        // the table's page of bits, what is written in its room for eight vectors; every register that changes is named.
        unsafe {
            std::arch::asm!(
                $(concat!($load, " ", $r, $register, ", [{bits} + 64]"),)*
                concat!($load, " ", $r, $key, ", [{bits}]"),
                concat!($load, " ", $r, $factor, ", [{bits} + 64]"),
                ".p2align 6",
                "2:",
                $turn,
                "dec {turns}",
                "jnz 2b",
                concat!($store, " [{last}], ", $r, "0"),
                concat!($store, " [{last} + 64], ", $r, $second),
                $end,
                bits = in(reg) $table.bits(),
                last = in(reg) $table.ciphertext_mut(),
                turns = inout(reg) $turns => _,
                $(out($changed) _,)*
                options(nostack),
            );
        }
    };
}
macro_rules! turns_of_16 {
    ($table:ident, $turns:ident, $load:literal, $r:literal, $turn:expr, $end:literal) => {
        turns!(
            $table, $turns, $load, $load, $r, [0 1 2 3 4 5 6 7 8 9 10 11], 14 15, "1", $turn, $end,
            ["xmm0" "xmm1" "xmm2" "xmm3" "xmm4" "xmm5" "xmm6" "xmm7" "xmm8" "xmm9" "xmm10" "xmm11" "xmm14" "xmm15"]
        )
    };
}
macro_rules! turns_of_32 {
    ($table:ident, $turns:ident, $second:literal, $turn:expr) => {
        turns!(
            $table, $turns, "vmovdqa64", "vmovdqa64", "zmm",
            [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27], 30 31, $second, $turn, "vzeroupper",
            ["zmm0" "zmm1" "zmm2" "zmm3" "zmm4" "zmm5" "zmm6" "zmm7" "zmm8" "zmm9" "zmm10" "zmm11" "zmm12" "zmm13"
             "zmm14" "zmm15" "zmm16" "zmm17" "zmm18" "zmm19" "zmm20" "zmm21" "zmm22" "zmm23" "zmm24" "zmm25" "zmm26"
             "zmm27" "zmm30" "zmm31"]
        )
    };
}

/// Does so many turns in registers of that kind, which the CPU has. Both kinds at once are only there for the widest.
pub(super) fn work(kind: Kind, registers: Registers, turns: u64, table: &mut Table) {
    assert!(turns > 0);
    match (kind, registers) {
        (Kind::Aes, Registers::Xmm) => turns_of_16!(table, turns, "movdqa", "xmm", rounds!(sse), ""),
        (Kind::Clmul, Registers::Xmm) => turns_of_16!(table, turns, "movdqa", "xmm", products!(sse), ""),
        (Kind::Aes, Registers::XmmOfAvx) => turns_of_16!(table, turns, "vmovdqa", "xmm", rounds!(xmm), ""),
        (Kind::Clmul, Registers::XmmOfAvx) => turns_of_16!(table, turns, "vmovdqa", "xmm", products!(xmm), ""),
        (Kind::Aes, Registers::Ymm) => turns_of_16!(table, turns, "vmovdqa", "ymm", rounds!(ymm), "vzeroupper"),
        (Kind::Clmul, Registers::Ymm) => turns_of_16!(table, turns, "vmovdqa", "ymm", products!(ymm), "vzeroupper"),
        (Kind::Aes, Registers::Zmm) => turns_of_32!(table, turns, "1", rounds!(zmm)),
        (Kind::Clmul, Registers::Zmm) => turns_of_32!(table, turns, "1", products!(zmm)),
        (Kind::Gcm, _) => unreachable!("it has loops of its own"),
        // Chains of rounds in the registers 0 to 15, of products in 16 to 27.
        (Kind::Mixed, _) => turns_of_32!(
            table,
            turns,
            "16",
            concat!(
                zmm!([0 1 2][16]),
                zmm!([3 4 5][17]),
                zmm!([6 7 8 9][18]),
                zmm!([10 11 12][19]),
                zmm!([13 14 15][20]),
                zmm!([0 1 2 3][21]),
                zmm!([4 5 6][22]),
                zmm!([7 8 9][23]),
                zmm!([10 11 12 13][24]),
                zmm!([14 15 0][25]),
                zmm!([1 2 3][26]),
                zmm!([4 5 6 7][27]),
                zmm!([8 9 10][16]),
                zmm!([11 12 13][17]),
                zmm!([14 15 0 1][18]),
                zmm!([2 3 4][19]),
                zmm!([5 6 7][20]),
                zmm!([8 9 10 11][21]),
                zmm!([12 13 14][22]),
                zmm!([15 0 1][23]),
                zmm!([2 3 4 5][24]),
                zmm!([6 7 8][25]),
                zmm!([9 10 11][26]),
                zmm!([12 13 14 15][27]),
            )
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::available;
    use super::*;

    /// Eight rounds of the first chain and two products of its kind in every turn (five rounds, where both are mixed): what
    /// is timed is what is said.
    #[test]
    fn a_turn_is_the_rounds_and_products_it_is_said_to_be() {
        let bits: Vec<u8> = (0..128).map(|index| (index * 37 + 11) as u8).collect();
        for registers in available() {
            for turns in [1, 3] {
                let last = |kind| {
                    let mut table = Table::of(&bits);
                    work(kind, registers, turns, &mut table);
                    let block =
                        |place: usize| u128::from_le_bytes(table.ciphertext()[place..place + 16].try_into().unwrap());
                    (block(0), block(64), table.block(64), table.block(0))
                };
                let (chain, _, state, key) = last(Kind::Aes);
                assert_eq!(chain, plain_rounds(8 * turns, state, key), "{registers:?}");
                let (_, chain, factor, _) = last(Kind::Clmul);
                let product =
                    |factor: u128| (0..2 * turns).fold(factor, |product, _| carry_less(product as u64, factor as u64));
                assert_eq!(chain, product(factor), "{registers:?}");
                if registers == Registers::Zmm {
                    let (rounds, products, state, key) = last(Kind::Mixed);
                    assert_eq!((rounds, products), (plain_rounds(5 * turns, state, key), product(state)));
                }
            }
        }
    }

    /// So many rounds with one key, none of them a last one.
    fn plain_rounds(count: u64, state: u128, key: u128) -> u128 {
        (0..count).fold(state, |state, _| super::super::tests::middle_round(state, key))
    }

    fn carry_less(one: u64, other: u64) -> u128 {
        (0..64).filter(|bit| other >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(one) << bit)
    }
}
