//! The stacks `limit-aes`, `limit-clmul` and `limit-mixed`: not libraries, but the bare instructions that AES-128-GCM
//! cannot do without, as fast as this CPU does them.
//!
//! For every 64 bytes, in 512-bit registers: the ten AES rounds of counter mode alone, the three carry-less products of
//! Karatsuba's GHASH alone, and both side by side. The slower of the first two is the CPU's bound; the third shows
//! whether the two get in each other's way. Nothing is encrypted, so nothing can be verified, and none is ever ranked.
#![allow(unsafe_code)] // one block of assembly a loop, whose instructions are what is measured

use super::buffer::Buffer;
use super::{Description, Entry, Job, JobError, Opening, Stack, Switch, Unavailable, Unsupported};
use crate::algorithm::Algorithm;
use crate::material::Material;
use crate::workload::{Operation, Workload};

/// Ten AES rounds for 64 bytes.
pub const AES: Entry = entry("limit-aes", "the AES rounds of AES-128-GCM alone", |_| open(Kind::Aes));
/// Three carry-less products for 64 bytes.
pub const CLMUL: Entry = entry("limit-clmul", "the carry-less products of GHASH alone", |_| open(Kind::Clmul));
/// Both, interleaved.
pub const MIXED: Entry = entry("limit-mixed", "both, interleaved", |_| open(Kind::Mixed));

/// Bytes that one turn of a loop stands for. A message must be whole turns.
pub const TURN: usize = 8 * 64;

const fn entry(
    name: &'static str,
    about: &'static str,
    open: fn(&Opening) -> Result<Box<dyn Stack>, Unavailable>,
) -> Entry {
    Entry {
        name,
        about,
        is_loaded: false,
        is_test: true,
        open,
        switch: |_| Switch::None("the instructions are the measurement"),
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Aes,
    Clmul,
    Mixed,
}

#[cfg(target_arch = "x86_64")]
fn open(kind: Kind) -> Result<Box<dyn Stack>, Unavailable> {
    let is_there = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("vaes")
        && is_x86_feature_detected!("vpclmulqdq");
    if is_there { Ok(Box::new(Limit { kind })) } else { Err(not_here()) }
}

#[cfg(not(target_arch = "x86_64"))]
fn open(_kind: Kind) -> Result<Box<dyn Stack>, Unavailable> {
    Err(not_here())
}

fn not_here() -> Unavailable {
    let why = "the bound is measured on 512-bit registers, and this CPU has not all of AVX-512, VAES and VPCLMULQDQ";
    Unavailable { why: why.to_owned(), install: None }
}

struct Limit {
    kind: Kind,
}

impl Stack for Limit {
    fn description(&self) -> Description {
        Description { version: env!("CARGO_PKG_VERSION").to_owned(), cpu_features: None, loaded_from: None }
    }

    fn prepare(&self, workload: &Workload, material: &Material) -> Result<Box<dyn Job>, Unsupported> {
        let Workload { operation, algorithm, bytes, .. } = *workload;
        if (operation, algorithm) != (Operation::Seal, Algorithm::Aes128Gcm)
            || !bytes.is_multiple_of(TURN)
            || bytes == 0
        {
            return Err(Unsupported::new(format!("the bound is that of aes-128-gcm seal on whole {TURN} bytes")));
        }
        // Any bits do, but zeros would take less power than a cipher does.
        let bits = material.text.get(..128).ok_or_else(|| Unsupported::new("too short a text"))?;
        Ok(Box::new(Turns { kind: self.kind, bits: Buffer::input(bits), turns: (bytes / TURN) as u64, last: [0; 128] }))
    }
}

struct Turns {
    kind: Kind,
    /// A round key and a factor.
    bits: Buffer,
    turns: u64,
    /// What the first chain of each kind ends with.
    last: [u8; 128],
}

impl Job for Turns {
    fn reset(&mut self) -> Result<(), JobError> {
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        for _ in 0..iterations {
            work(self.kind, &self.bits, self.turns, &mut self.last);
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.last.to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        Some("bare instructions; nothing is encrypted")
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn work(_kind: Kind, _bits: &[u8], _turns: u64, _last: &mut [u8; 128]) {}

/// Eight times 64 bytes a turn. Sixteen chains of AES rounds and twelve of products are more than any latency needs to
/// be hidden behind: each is five rounds, or two products, long in a turn.
#[cfg(target_arch = "x86_64")]
fn work(kind: Kind, bits: &[u8], turns: u64, last: &mut [u8; 128]) {
    assert!(bits.len() >= 128 && turns > 0);

    /// The rounds and products that stand side by side for 64 bytes; empty brackets leave one of them out.
    macro_rules! group {
        ([$($a:literal)*] [$($p:literal)*]) => {
            concat!($("vaesenc zmm", $a, ", zmm", $a, ", zmm30\n",)* $("vpclmulqdq zmm", $p, ", zmm", $p, ", zmm31, 0\n",)*)
        };
    }
    /// The registers, each with the factor's bits.
    macro_rules! filled {
        ($($register:literal)*) => { concat!($("vmovdqa64 zmm", $register, ", zmm31\n",)*) };
    }
    macro_rules! turns {
        ($($group:tt)*) => {
            // SAFETY: the CPU has AVX-512, VAES and VPCLMULQDQ, since the stack was opened; 128 bytes are read and 128
            // written, within slices of that length; every register that changes is named.
            unsafe {
                std::arch::asm!(
                    "vmovdqu64 zmm30, [{bits}]",
                    "vmovdqu64 zmm31, [{bits} + 64]",
                    filled!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27),
                    "2:",
                    $($group)*,
                    "dec {turns}",
                    "jnz 2b",
                    "vmovdqu64 [{last}], zmm0",
                    "vmovdqu64 [{last} + 64], zmm16",
                    "vzeroupper",
                    bits = in(reg) bits.as_ptr(),
                    last = in(reg) last.as_mut_ptr(),
                    turns = inout(reg) turns => _,
                    out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                    out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                    out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                    out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                    out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm30") _, out("zmm31") _,
                    options(nostack),
                );
            }
        };
    }
    match kind {
        Kind::Aes => turns!(
            group!([0 1 2 3 4 5 6 7 8 9][]),
            group!([10 11 12 13 14 15 0 1 2 3][]),
            group!([4 5 6 7 8 9 10 11 12 13][]),
            group!([14 15 0 1 2 3 4 5 6 7][]),
            group!([8 9 10 11 12 13 14 15 0 1][]),
            group!([2 3 4 5 6 7 8 9 10 11][]),
            group!([12 13 14 15 0 1 2 3 4 5][]),
            group!([6 7 8 9 10 11 12 13 14 15][])
        ),
        Kind::Clmul => turns!(
            group!([][16 17 18]),
            group!([][19 20 21]),
            group!([][22 23 24]),
            group!([][25 26 27]),
            group!([][16 17 18]),
            group!([][19 20 21]),
            group!([][22 23 24]),
            group!([][25 26 27])
        ),
        Kind::Mixed => turns!(
            group!([0 1 2][16]),
            group!([3 4 5][17]),
            group!([6 7 8 9][18]),
            group!([10 11 12][19]),
            group!([13 14 15][20]),
            group!([0 1 2 3][21]),
            group!([4 5 6][22]),
            group!([7 8 9][23]),
            group!([10 11 12 13][24]),
            group!([14 15 0][25]),
            group!([1 2 3][26]),
            group!([4 5 6 7][27]),
            group!([8 9 10][16]),
            group!([11 12 13][17]),
            group!([14 15 0 1][18]),
            group!([2 3 4][19]),
            group!([5 6 7][20]),
            group!([8 9 10 11][21]),
            group!([12 13 14][22]),
            group!([15 0 1][23]),
            group!([2 3 4 5][24]),
            group!([6 7 8][25]),
            group!([9 10 11][26]),
            group!([12 13 14 15][27])
        ),
    }
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::*;

    fn last(kind: Kind, turns: u64, bits: &[u8; 128]) -> [u8; 128] {
        let mut last = [0; 128];
        work(kind, bits, turns, &mut last);
        last
    }

    /// Five rounds of the first chain and two products of its kind in every turn, whatever stands beside them: what is
    /// timed is what is said. One block by the 128-bit instruction is the measure of the first.
    #[test]
    fn a_turn_is_the_rounds_and_products_it_is_said_to_be() {
        if open(Kind::Mixed).is_err() {
            eprintln!("left out: no 512-bit AES here");
            return;
        }
        let bits: [u8; 128] = std::array::from_fn(|index| (index * 37 + 11) as u8);
        for turns in [1, 3] {
            // SAFETY: a CPU with AVX-512 and VAES has the AES instructions.
            let block = unsafe { rounds(5 * turns, bits[64..80].try_into().unwrap(), bits[..16].try_into().unwrap()) };
            let factor = u64::from_le_bytes(bits[64..72].try_into().unwrap());
            let mut product = u128::from_le_bytes(bits[64..80].try_into().unwrap());
            for _ in 0..2 * turns {
                product = carry_less(product as u64, factor);
            }
            assert_eq!(last(Kind::Aes, turns, &bits)[..16], block[..]);
            assert_eq!(last(Kind::Clmul, turns, &bits)[64..80], product.to_le_bytes());
            let mixed = last(Kind::Mixed, turns, &bits);
            assert_eq!((&mixed[..16], &mixed[64..80]), (&block[..], &product.to_le_bytes()[..]));
        }
    }

    #[target_feature(enable = "aes")]
    fn rounds(count: u64, block: [u8; 16], round_key: [u8; 16]) -> [u8; 16] {
        use std::arch::x86_64::{_mm_aesenc_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi64};
        let load = |bytes: [u8; 16]| {
            let number = u128::from_le_bytes(bytes);
            _mm_set_epi64x((number >> 64) as i64, number as i64)
        };
        let round_key = load(round_key);
        let block = (0..count).fold(load(block), |block, _| _mm_aesenc_si128(block, round_key));
        let (low, high) = (_mm_cvtsi128_si64(block), _mm_cvtsi128_si64(_mm_unpackhi_epi64(block, block)));
        (u128::from(low as u64) | u128::from(high as u64) << 64).to_le_bytes()
    }

    fn carry_less(one: u64, other: u64) -> u128 {
        (0..64).filter(|bit| other >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(one) << bit)
    }

    #[test]
    fn only_whole_turns_of_the_one_workload_are_taken() {
        let Ok(stack) = open(Kind::Aes) else { return };
        let taken = |operation, algorithm, bytes| {
            let workload = Workload::new(operation, algorithm, bytes);
            stack.prepare(&workload, &Material::of(&workload)).is_ok()
        };
        assert!(taken(Operation::Seal, Algorithm::Aes128Gcm, 16384));
        assert!(!taken(Operation::Seal, Algorithm::Aes128Gcm, 1440));
        assert!(!taken(Operation::Seal, Algorithm::Aes128Gcm, 0));
        assert!(!taken(Operation::Seal, Algorithm::Aes256Gcm, 16384));
        assert!(!taken(Operation::Open, Algorithm::Aes128Gcm, 16384));
    }
}
