//! Encodes a bound's loop in AArch64 machine code (Arm ARM, DDI 0487, C6.2 and C7.2).

use std::arch::is_aarch64_feature_detected;

use super::Registers;
use super::mix::{BareInstruction, VECTORS};

/// Size in bytes of a register's slot in memory.
pub(super) const PLACE: usize = 16;

pub(super) const MIN_CHAINS: usize = VECTORS;

/// Number of the vector register with the constant operand of all instructions: round key, factor or addend.
const CONSTANT: u8 = 31;
/// Number of the vector register with the second constant addend, for XORs of three operands.
const OTHER_CONSTANT: u8 = 30;

const NOP: u32 = 0xd503_201f;
const RETURN: u32 = 0xd65f_03c0;
/// Save and restore d8 to d15, which a function must preserve (AAPCS64, 6.1.2).
const SAVE: [u32; 4] = [0x6dbc_27e8, 0x6d01_2fea, 0x6d02_37ec, 0x6d03_3fee]; // stp d8, d9, [sp, #-64]! …
const RESTORE: [u32; 4] = [0x6d41_2fea, 0x6d42_37ec, 0x6d43_3fee, 0x6cc4_27e8]; // … ldp d8, d9, [sp], #64

impl Registers {
    pub(super) fn is_supported(self) -> bool {
        self == Registers::Neon && is_aarch64_feature_detected!("aes") && is_aarch64_feature_detected!("pmull")
    }

    pub(super) fn has_ternary(self) -> bool {
        self == Registers::Neon && is_aarch64_feature_detected!("sha3")
    }

    pub(super) fn count(self) -> u8 {
        32
    }

    pub(super) fn constant(self) -> u8 {
        CONSTANT
    }
}

/// Returns the machine code of a function that repeats the instructions of `order`, in Arm's calling convention. Its
/// first argument is the number of repetitions, at least one. The second points to the registers' values, in
/// [`PLACE`]-sized slots; the function loads them first and stores them last.
///
/// No instruction waits for a recent result: the AES rounds of each vector form a chain in its own register, whose last
/// round omits AESMC, and the other instructions take turns with the remaining registers.
pub(super) fn function(registers: Registers, order: &[BareInstruction]) -> Vec<u8> {
    let rounds = order.iter().filter(|operation| **operation == BareInstruction::Round).count();
    let chains = if rounds > 0 { VECTORS as u8 } else { 0 };
    let end = if order.contains(&BareInstruction::Xor3) { OTHER_CONSTANT } else { CONSTANT };

    let mut code = SAVE.to_vec();
    code.extend((0..registers.count()).map(load));
    code.resize(code.len().next_multiple_of(16), NOP);
    let start = code.len();
    let mut chain = (0..chains).cycle().zip(0..);
    let mut other = (chains..end).cycle();
    for &operation in order {
        if operation == BareInstruction::Round {
            let Some((to, number)) = chain.next() else { continue };
            code.push(aese(to));
            code.extend((number + VECTORS < rounds).then(|| aesmc(to)));
            continue;
        }
        let Some(to) = other.next() else { continue };
        match operation {
            BareInstruction::Round => {}
            BareInstruction::Product => code.push(pmull(to)),
            BareInstruction::AddedProduct => code.extend([pmull(to), eor(to)]),
            BareInstruction::Shuffle => code.push(rbit(to)),
            BareInstruction::Xor => code.push(eor(to)),
            BareInstruction::Xor3 => code.push(eor3(to)),
        }
    }
    code.push(0xf100_0400); // subs x0, x0, #1
    let back = start as i32 - code.len() as i32;
    code.push(0x5400_0001 | (back as u32 & 0x7_ffff) << 5); // b.ne
    code.extend((0..registers.count()).map(store));
    code.extend(RESTORE);
    code.push(RETURN);
    code.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn load(register: u8) -> u32 {
    let register = u32::from(register);
    0x3dc0_0020 | register << 10 | register // ldr q, [x1, #16 × register]
}

fn store(register: u8) -> u32 {
    let register = u32::from(register);
    0x3d80_0020 | register << 10 | register
}

fn with_constant(opcode: u32, to: u8) -> u32 {
    opcode | u32::from(CONSTANT) << 16 | on_itself(0, to)
}

fn on_itself(opcode: u32, to: u8) -> u32 {
    opcode | u32::from(to) << 5 | u32::from(to)
}

fn aese(to: u8) -> u32 {
    0x4e28_4800 | u32::from(CONSTANT) << 5 | u32::from(to)
}

fn aesmc(to: u8) -> u32 {
    on_itself(0x4e28_6800, to)
}

fn pmull(to: u8) -> u32 {
    with_constant(0x0ee0_e000, to)
}

fn rbit(to: u8) -> u32 {
    on_itself(0x6e60_5800, to)
}

fn eor(to: u8) -> u32 {
    with_constant(0x6e20_1c00, to)
}

fn eor3(to: u8) -> u32 {
    with_constant(0xce00_0000 | u32::from(OTHER_CONSTANT) << 10, to)
}

#[cfg(test)]
#[allow(unsafe_code)] // the reference of AES is the instruction
mod tests {
    use std::arch::aarch64::{uint8x16_t, vaeseq_u8, vaesmcq_u8};

    use super::super::mix::TABLE_ROUNDS;
    use super::super::mix::tests::{loops, product};
    use super::super::tests::{after, available};
    use super::*;

    /// Vector instructions: mask, value of the bits that are no register numbers, name.
    const KNOWN: [(u32, u32, Bare); 6] = [
        (0xffff_fc00, 0x4e28_4800, Bare::Aese),
        (0xffff_fc00, 0x4e28_6800, Bare::Aesmc),
        (0xffe0_fc00, 0x0ee0_e000, Bare::Pmull),
        (0xffff_fc00, 0x6e60_5800, Bare::Rbit),
        (0xffe0_fc00, 0x6e20_1c00, Bare::Eor),
        (0xffe0_8000, 0xce00_0000, Bare::Eor3),
    ];

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Bare {
        Aese,
        Aesmc,
        Pmull,
        Rbit,
        Eor,
        Eor3,
    }

    #[derive(Clone, Copy, Debug)]
    struct Decoded {
        bare: Bare,
        to: usize,
        first: usize,
        second: usize,
        third: usize,
    }

    fn decode(word: u32) -> Decoded {
        let known = KNOWN.iter().find(|(mask, value, _)| word & mask == *value);
        let (_, _, bare) = *known.unwrap_or_else(|| panic!("{word:#x} is no instruction of a loop"));
        let register = |bit: u32| (word >> bit & 31) as usize;
        Decoded { bare, to: register(0), first: register(5), second: register(16), third: register(10) }
    }

    fn parts(code: &[u8]) -> [Vec<u32>; 3] {
        let words: Vec<u32> = code.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let branch = words.iter().position(|word| word & 0xff00_001f == 0x5400_0001).unwrap();
        let start = branch.wrapping_add_signed(((words[branch] << 8) as i32 >> 13) as isize);
        assert_eq!((start % 16, words[branch - 1]), (0, 0xf100_0400));
        [&words[..start], &words[start..branch - 1], &words[branch + 1..]].map(<[u32]>::to_vec)
    }

    /// Expected words are from GNU's assembler.
    #[test]
    fn aarch64_encoding_matches_the_assembler() {
        assert_eq!(aese(17), 0x4e28_4bf1);
        assert_eq!(aesmc(17), 0x4e28_6a31);
        assert_eq!(pmull(17), 0x0eff_e231);
        assert_eq!(rbit(17), 0x6e60_5a31);
        assert_eq!(eor(17), 0x6e3f_1e31);
        assert_eq!(eor3(17), 0xce1f_7a31);
        assert_eq!(load(17), 0x3dc0_4431);
        assert_eq!(store(17), 0x3d80_4431);
    }

    #[test]
    fn aarch64_loop_has_exactly_its_operations_and_no_memory_access() {
        for registers in available() {
            for (mix, rounds, order) in loops(registers) {
                let [before, within, behind] = parts(&function(registers, &order));
                let all: Vec<u32> = (0..32).map(load).collect();
                assert_eq!((&before[..4], &before[4..36]), (&SAVE[..], &all[..]));
                assert!(before[36..].iter().all(|word| *word == NOP));
                let all: Vec<u32> = (0..32).map(store).chain(RESTORE).chain([RETURN]).collect();
                assert_eq!(behind, all);

                let within: Vec<Decoded> = within.into_iter().map(decode).collect();
                let count = |bare| within.iter().filter(|one| one.bare == bare).count();
                let [round, product, added, shuffle, xor, xor3] = mix.map(|(_, count)| count * VECTORS / 2);
                assert_eq!(count(Bare::Aese), round);
                assert_eq!(count(Bare::Aesmc), round.saturating_sub(VECTORS), "the last round has no AESMC");
                assert_eq!(count(Bare::Pmull), product + added);
                assert_eq!(count(Bare::Rbit), shuffle);
                assert_eq!((count(Bare::Eor), count(Bare::Eor3)), (xor + added, xor3));
                let mut chains = [0; VECTORS];
                for (index, one) in within.iter().enumerate() {
                    let behind = within.get(index + 1);
                    let is_chain = one.to < VECTORS && round > 0;
                    assert_eq!(is_chain, matches!(one.bare, Bare::Aese | Bare::Aesmc), "{one:?}");
                    let is_constant = one.to >= 31 || xor3 > 0 && one.to == 30;
                    assert!(!is_constant, "{one:?}");
                    if one.bare == Bare::Aese {
                        chains[one.to] += 1;
                        let is_last = chains[one.to] == rounds - TABLE_ROUNDS;
                        let pair = behind.is_some_and(|next| next.bare == Bare::Aesmc && next.to == one.to);
                        assert_eq!(pair, !is_last, "AESMC follows AESE directly, so that the CPU can fuse them");
                    }
                    if one.bare == Bare::Pmull && added > 0 {
                        assert!(behind.is_some_and(|next| next.bare == Bare::Eor && next.to == one.to));
                    }
                }
                assert!(
                    round == 0 || chains == [rounds - TABLE_ROUNDS; VECTORS],
                    "AES rounds of each chain, without table rounds: {chains:?}"
                );
            }
        }
    }

    #[test]
    fn aarch64_loop_matches_software_emulation() {
        for registers in available() {
            for (_, _, order) in loops(registers) {
                let code = function(registers, &order);
                let [_, within, _] = parts(&code);
                let [before, state] = after(registers, &code, 2);
                let blocks = |bytes: &[u8]| -> Vec<u128> {
                    bytes.as_chunks().0.iter().map(|block| u128::from_le_bytes(*block)).collect()
                };
                let mut expected = blocks(&before);
                for word in within.iter().chain(&within) {
                    let Decoded { bare, to, first, second, third } = decode(*word);
                    expected[to] = match bare {
                        Bare::Aese => aes(expected[to], expected[first], false),
                        Bare::Aesmc => aes(expected[first], 0, true),
                        Bare::Pmull => product(expected[first] as u64, expected[second] as u64),
                        Bare::Rbit => expected[first].reverse_bits().swap_bytes(),
                        Bare::Eor => expected[first] ^ expected[second],
                        Bare::Eor3 => expected[first] ^ expected[second] ^ expected[third],
                    };
                }
                assert!(blocks(&state)[..32] == expected[..32], "{order:?}");
            }
        }
    }

    /// Emulates AESE (adds the key, then SubBytes and ShiftRows) or, if `mixes`, AESMC (MixColumns).
    fn aes(state: u128, key: u128, mixes: bool) -> u128 {
        #[target_feature(enable = "aes")]
        fn aes(state: uint8x16_t, key: uint8x16_t, mixes: bool) -> uint8x16_t {
            if mixes { vaesmcq_u8(state) } else { vaeseq_u8(state, key) }
        }
        // SAFETY: only called if `available` found AES instructions; both types have 16 bytes.
        unsafe {
            let vector = |number: u128| std::mem::transmute::<[u8; 16], uint8x16_t>(number.to_le_bytes());
            let result = aes(vector(state), vector(key), mixes);
            u128::from_le_bytes(std::mem::transmute::<uint8x16_t, [u8; 16]>(result))
        }
    }
}
