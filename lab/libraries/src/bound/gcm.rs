//! All that GCM needs for eight vectors, and nothing else, as fast as the CPU does it.
//!
//! For every vector: its counter (one XOR with what the counters have in common), all rounds of AES, the text XORed into
//! the last round key, the bytes reversed, three products of Karatsuba's with the halves of two vectors folded together,
//! and the products added up. Round keys, powers and text come from memory where there are registers for no more. What is
//! left out is what a real message has besides: no step waits for another but the rounds of AES among themselves and the
//! sums, no key or text is anywhere but in the nearest cache, nothing has a beginning or an end.
//!
//! The order is that of the fastest of some hundred that were tried on Zen 5. That CPU does four vector operations a cycle,
//! of which a product takes three; it begins eight instructions a cycle, but a product always alone in its cycle: so two
//! products stand together, and these pairs as far from each other as can be. It loads two vectors a cycle: so half of the
//! round keys of AES-128 are loaded once for two vectors, and half are operands of each round.
//!
//! Registers: 0 to 7 hold four pairs of vectors on their way through AES, 8 to 10 the sums, 11 and 12 are for what lives
//! shortly, 13 and 14 stand for the ciphertext of two vectors, 15 holds the order of bytes.

use super::Registers;
use super::table::{COUNTERS, POWERS, REVERSAL, ROUND_KEYS, SPAN, TEXT, Table};

/// The instructions in the encoding of SSE, which overwrites an operand.
macro_rules! sse {
    (begin $v:tt $place:tt) => {
        concat!("movdqa xmm", $v, ", [{bits} + {COUNTERS} + 64*", $place, "]\npxor xmm", $v, ", [{bits} + {SPAN}]\n")
    };
    (key $round:tt) => { concat!("movdqa xmm11, [{bits} + {ROUND_KEYS} + 64*", $round, "]\n") };
    (round $v:tt) => { concat!("aesenc xmm", $v, ", xmm11\n") };
    (round $v:tt $round:tt) => { concat!("aesenc xmm", $v, ", [{bits} + {ROUND_KEYS} + 64*", $round, "]\n") };
    (last $v:tt $last:tt $place:tt) => {
        concat!(
            "movdqu xmm11, [{bits} + {TEXT} + 16*", $place, "]\n",
            "pxor xmm11, [{bits} + {ROUND_KEYS} + 64*", $last, "]\n",
            "aesenclast xmm", $v, ", xmm11\n",
            "movdqu [{ciphertext} + 16*", $place, "], xmm", $v, "\n",
        )
    };
    (reverse) => { "pshufb xmm13, xmm15\npshufb xmm14, xmm15\n" };
    (fold) => {
        "movdqa xmm12, xmm13\npunpcklqdq xmm12, xmm14\nmovdqa xmm11, xmm13\npunpckhqdq xmm11, xmm14\npxor xmm12, xmm11\n"
    };
    (products $sum:tt $place:tt) => {
        concat!(
            "movdqa xmm12, xmm13\n",
            "pclmulqdq xmm12, [{bits} + {POWERS} + 64*", $place, "], 0x00\n",
            "pclmulqdq xmm11, [{bits} + {POWERS} + 64*", $place, "], 0x11\n",
            "pxor xmm", $sum, ", xmm12\npxor xmm", $sum, ", xmm11\n",
        )
    };
}

/// The instructions in the encoding of AVX, for vectors in registers `$r` of `$bytes` bytes.
macro_rules! avx {
    ($r:literal $bytes:literal begin $v:tt $place:tt) => {
        concat!(
            "vmovdqa ",
            $r,
            $v,
            ", [{bits} + {COUNTERS} + 64*",
            $place,
            "]\n",
            "vpxor ",
            $r,
            $v,
            ", ",
            $r,
            $v,
            ", [{bits} + {SPAN}]\n",
        )
    };
    ($r:literal $bytes:literal key $round:tt) => {
        concat!("vmovdqa ", $r, "11, [{bits} + {ROUND_KEYS} + 64*", $round, "]\n")
    };
    ($r:literal $bytes:literal round $v:tt) => {
        concat!("vaesenc ", $r, $v, ", ", $r, $v, ", ", $r, "11\n")
    };
    ($r:literal $bytes:literal round $v:tt $round:tt) => {
        concat!("vaesenc ", $r, $v, ", ", $r, $v, ", [{bits} + {ROUND_KEYS} + 64*", $round, "]\n")
    };
    ($r:literal $bytes:literal last $v:tt $last:tt $place:tt) => {
        concat!(
            "vmovdqu ",
            $r,
            "11, [{bits} + {TEXT} + ",
            $bytes,
            "*",
            $place,
            "]\n",
            "vpxor ",
            $r,
            "11, ",
            $r,
            "11, [{bits} + {ROUND_KEYS} + 64*",
            $last,
            "]\n",
            "vaesenclast ",
            $r,
            $v,
            ", ",
            $r,
            $v,
            ", ",
            $r,
            "11\n",
            "vmovdqu [{ciphertext} + ",
            $bytes,
            "*",
            $place,
            "], ",
            $r,
            $v,
            "\n",
        )
    };
    ($r:literal $bytes:literal reverse) => {
        concat!("vpshufb ", $r, "13, ", $r, "13, ", $r, "15\nvpshufb ", $r, "14, ", $r, "14, ", $r, "15\n")
    };
    ($r:literal $bytes:literal fold) => {
        concat!(
            "vpunpcklqdq ",
            $r,
            "12, ",
            $r,
            "13, ",
            $r,
            "14\n",
            "vpunpckhqdq ",
            $r,
            "11, ",
            $r,
            "13, ",
            $r,
            "14\n",
            "vpxor ",
            $r,
            "12, ",
            $r,
            "12, ",
            $r,
            "11\n",
        )
    };
    ($r:literal $bytes:literal products $sum:tt $place:tt) => {
        concat!(
            "vpclmulqdq ",
            $r,
            "12, ",
            $r,
            "13, [{bits} + {POWERS} + 64*",
            $place,
            "], 0x00\n",
            "vpclmulqdq ",
            $r,
            "11, ",
            $r,
            "14, [{bits} + {POWERS} + 64*",
            $place,
            "], 0x11\n",
            "vpxor ",
            $r,
            $sum,
            ", ",
            $r,
            $sum,
            ", ",
            $r,
            "12\nvpxor ",
            $r,
            $sum,
            ", ",
            $r,
            $sum,
            ", ",
            $r,
            "11\n",
        )
    };
}
macro_rules! xmm { ($($what:tt)*) => { avx!("xmm" "16" $($what)*) }; }
macro_rules! ymm { ($($what:tt)*) => { avx!("ymm" "32" $($what)*) }; }

/// The instructions of AVX-512: 16 registers more have room for what the counters have in common and all round keys, and
/// three vectors can be added at once.
macro_rules! zmm {
    (begin $v:tt $place:tt) => {
        concat!("vpxorq zmm", $v, ", zmm16, [{bits} + {COUNTERS} + 64*", $place, "]\n")
    };
    (key $round:tt) => { "" };
    (round $v:tt $round:tt) => { concat!("vaesenc zmm", $v, ", zmm", $v, ", ", zmm!(@ $round), "\n") };
    (last $v:tt $last:tt $place:tt) => {
        concat!(
            "vpxorq zmm11, zmm17, [{bits} + {TEXT} + 64*", $place, "]\n",
            "vaesenclast zmm", $v, ", zmm", $v, ", zmm11\n",
            "vmovdqu64 [{ciphertext} + 64*", $place, "], zmm", $v, "\n",
        )
    };
    (reverse) => { "vpshufb zmm13, zmm13, zmm15\nvpshufb zmm14, zmm14, zmm15\n" };
    (fold) => { "vpunpcklqdq zmm12, zmm13, zmm14\nvpunpckhqdq zmm11, zmm13, zmm14\nvpxorq zmm12, zmm12, zmm11\n" };
    (products $sum:tt $place:tt) => {
        concat!(
            "vpclmulqdq zmm12, zmm13, [{bits} + {POWERS} + 64*", $place, "], 0x00\n",
            "vpclmulqdq zmm11, zmm14, [{bits} + {POWERS} + 64*", $place, "], 0x11\n",
            "vpternlogq zmm", $sum, ", zmm12, zmm11, 0x96\n",
        )
    };
    (@ 1) => { "zmm18" };
    (@ 2) => { "zmm19" };
    (@ 3) => { "zmm20" };
    (@ 4) => { "zmm21" };
    (@ 5) => { "zmm22" };
    (@ 6) => { "zmm23" };
    (@ 7) => { "zmm24" };
    (@ 8) => { "zmm25" };
    (@ 9) => { "zmm26" };
    (@ 10) => { "zmm27" };
    (@ 11) => { "zmm28" };
    (@ 12) => { "zmm29" };
    (@ 13) => { "zmm30" };
}

/// A round of AES on two vectors: the round key loaded for both, or an operand of each.
macro_rules! both {
    (zmm $v:tt $w:tt $round:tt $how:tt) => { concat!(zmm!(round $v $round), zmm!(round $w $round)) };
    ($set:ident $v:tt $w:tt $round:tt once) => {
        concat!($set!(key $round), $set!(round $v), $set!(round $w))
    };
    ($set:ident $v:tt $w:tt $round:tt twice) => { concat!($set!(round $v $round), $set!(round $w $round)) };
}

/// A quarter of a turn: the pair `$a $b` is begun, and `$g $h`, begun three quarters ago, is ended; two vectors are hashed.
/// The last rounds do not wait for the two or one before them, which come behind: so there is no chain that is longer than
/// what is ahead of it. The places are those of the pair's vectors, and of the powers.
macro_rules! quarter {
    (10 $set:ident [$a:tt $b:tt] [$c:tt $d:tt] [$e:tt $f:tt] [$g:tt $h:tt] [$even:tt $odd:tt] [$p0:tt $p1:tt $p2:tt]) => {
        concat!(
            $set!(begin $a $even), $set!(begin $b $odd), $set!(reverse),
            both!($set $a $b 1 once), both!($set $c $d 4 twice), both!($set $e $f 6 twice),
            $set!(products 8 $p0),
            $set!(fold), $set!(last $g 10 $even),
            both!($set $g $h 8 twice), both!($set $a $b 2 twice), both!($set $c $d 5 once),
            $set!(products 9 $p1),
            $set!(last $h 10 $odd),
            both!($set $e $f 7 once), both!($set $g $h 9 once), both!($set $a $b 3 once),
            $set!(products 10 $p2),
        )
    };
    (14 $set:ident [$a:tt $b:tt] [$c:tt $d:tt] [$e:tt $f:tt] [$g:tt $h:tt] [$even:tt $odd:tt] [$p0:tt $p1:tt $p2:tt]) => {
        concat!(
            $set!(begin $a $even), $set!(begin $b $odd), $set!(reverse),
            both!($set $a $b 1 once), both!($set $c $d 5 once), both!($set $e $f 8 once), both!($set $g $h 11 once),
            $set!(products 8 $p0),
            $set!(fold), $set!(last $g 14 $even),
            both!($set $a $b 2 once), both!($set $c $d 6 once), both!($set $e $f 9 once), both!($set $g $h 12 once),
            $set!(products 9 $p1),
            $set!(last $h 14 $odd),
            both!($set $a $b 3 once), both!($set $c $d 7 once), both!($set $e $f 10 once), both!($set $g $h 13 once),
            both!($set $a $b 4 once),
            $set!(products 10 $p2),
        )
    };
}

/// Four quarters, after which every pair is back in the registers it began in.
macro_rules! turn {
    ($rounds:tt $set:ident) => {
        concat!(
            quarter!($rounds $set [0 1] [6 7] [4 5] [2 3] [0 1] [0 1 2]),
            quarter!($rounds $set [2 3] [0 1] [6 7] [4 5] [2 3] [3 4 5]),
            quarter!($rounds $set [4 5] [2 3] [0 1] [6 7] [4 5] [6 7 8]),
            quarter!($rounds $set [6 7] [4 5] [2 3] [0 1] [6 7] [9 10 11]),
        )
    };
}

/// The loop of turns, after `$set_up`, and what the end needs.
macro_rules! turns {
    ($table:ident, $turns:ident, [$($set_up:expr),*], $turn:expr, $end:literal, [$($changed:tt)*]) => {
        // SAFETY: the caller says that the CPU has the instructions and that there are turns to do. What is read lies in
        // the table's page of bits, what is written in its room for eight vectors; every register that changes is named.
        unsafe {
            std::arch::asm!(
                $($set_up,)*
                ".p2align 6",
                "2:",
                $turn,
                "dec {turns}",
                "jnz 2b",
                $end,
                bits = in(reg) $table.bits(),
                ciphertext = in(reg) $table.ciphertext_mut(),
                turns = inout(reg) $turns => _,
                COUNTERS = const COUNTERS,
                POWERS = const POWERS,
                REVERSAL = const REVERSAL,
                ROUND_KEYS = const ROUND_KEYS,
                SPAN = const SPAN,
                TEXT = const TEXT,
                $(out($changed) _,)*
                options(nostack),
            );
        }
    };
}

/// [`turns`] on 16 registers `$r`, which `$load` loads.
macro_rules! turns_of_16 {
    ($table:ident, $turns:ident, $load:literal, $r:literal, $turn:expr, $end:literal) => {
        turns!(
            $table,
            $turns,
            [
                concat!($load, " ", $r, "13, [{bits} + {TEXT}]"),
                concat!($load, " ", $r, "14, [{bits} + {TEXT} + 64]"),
                concat!($load, " ", $r, "15, [{bits} + {REVERSAL}]")
            ],
            $turn,
            $end,
            ["xmm0" "xmm1" "xmm2" "xmm3" "xmm4" "xmm5" "xmm6" "xmm7" "xmm8" "xmm9" "xmm10" "xmm11" "xmm12" "xmm13"
             "xmm14" "xmm15"]
        )
    };
}

/// [`turns`] on 32 registers, of which the upper hold what the counters have in common, the last round key, and the others.
macro_rules! turns_of_32 {
    ($table:ident, $turns:ident, $last:literal, $turn:expr) => {
        turns!(
            $table,
            $turns,
            [
                "vmovdqa64 zmm13, [{bits} + {TEXT}]",
                "vmovdqa64 zmm14, [{bits} + {TEXT} + 64]",
                "vmovdqa64 zmm15, [{bits} + {REVERSAL}]",
                "vmovdqa64 zmm16, [{bits} + {SPAN}]",
                concat!("vmovdqa64 zmm17, [{bits} + {ROUND_KEYS} + 64*", $last, "]"),
                upper!(18 1, 19 2, 20 3, 21 4, 22 5, 23 6, 24 7, 25 8, 26 9, 27 10, 28 11, 29 12, 30 13)
            ],
            $turn,
            "vzeroupper",
            ["zmm0" "zmm1" "zmm2" "zmm3" "zmm4" "zmm5" "zmm6" "zmm7" "zmm8" "zmm9" "zmm10" "zmm11" "zmm12" "zmm13"
             "zmm14" "zmm15" "zmm16" "zmm17" "zmm18" "zmm19" "zmm20" "zmm21" "zmm22" "zmm23" "zmm24" "zmm25" "zmm26"
             "zmm27" "zmm28" "zmm29" "zmm30"]
        )
    };
}
macro_rules! upper {
    ($($register:literal $round:literal),*) => {
        concat!($("vmovdqa64 zmm", $register, ", [{bits} + {ROUND_KEYS} + 64*", $round, "]\n"),*)
    };
}

/// Does so many turns of `rounds` rounds, in registers of that kind, which the CPU has.
pub(super) fn work(registers: Registers, rounds: u64, turns: u64, table: &mut Table) {
    assert!(turns > 0);
    match (registers, rounds) {
        (Registers::Xmm, 10) => turns_of_16!(table, turns, "movdqa", "xmm", turn!(10 sse), ""),
        (Registers::Xmm, _) => turns_of_16!(table, turns, "movdqa", "xmm", turn!(14 sse), ""),
        (Registers::XmmOfAvx, 10) => turns_of_16!(table, turns, "vmovdqa", "xmm", turn!(10 xmm), ""),
        (Registers::XmmOfAvx, _) => turns_of_16!(table, turns, "vmovdqa", "xmm", turn!(14 xmm), ""),
        (Registers::Ymm, 10) => turns_of_16!(table, turns, "vmovdqa", "ymm", turn!(10 ymm), "vzeroupper"),
        (Registers::Ymm, _) => turns_of_16!(table, turns, "vmovdqa", "ymm", turn!(14 ymm), "vzeroupper"),
        (Registers::Zmm, 10) => turns_of_32!(table, turns, 10, turn!(10 zmm)),
        (Registers::Zmm, _) => turns_of_32!(table, turns, 14, turn!(14 zmm)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{available, block_rounds};
    use super::*;

    /// The AES in the loop is AES: every block of ciphertext is its text and the rounds of a counter, begun three quarters of
    /// a turn before; with a last round that does not wait for the two or one before it.
    #[test]
    fn the_rounds_are_all_there_and_in_order() {
        let bits: Vec<u8> = (0..3000_usize).map(|index| (index * index / 7 + index) as u8).collect();
        for registers in available() {
            for rounds in [10, 14] {
                let mut table = Table::of(&bits);
                work(registers, rounds, 3, &mut table);
                let bytes = registers.bytes();
                for vector in 0..8 {
                    let begun = (vector + 2) % 8;
                    for block in (0..bytes).step_by(16) {
                        let at = |place: usize| table.block(place + block);
                        let state = at(SPAN) ^ at(COUNTERS + 64 * begun);
                        let waited_for = rounds as usize - 3 + vector % 2;
                        let numbers = (1..=waited_for).chain([rounds as usize]);
                        let keys: Vec<u128> = numbers.map(|number| at(ROUND_KEYS + 64 * number)).collect();
                        let expected = block_rounds(state, &keys) ^ at(TEXT + bytes * vector);
                        let place = bytes * vector + block;
                        let got = u128::from_le_bytes(table.ciphertext()[place..place + 16].try_into().unwrap());
                        assert_eq!(got, expected, "{registers:?}, {rounds} rounds, vector {vector}, byte {block}");
                    }
                }
            }
        }
    }
}
