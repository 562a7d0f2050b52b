//! Encodes a bound's loop in x86-64 machine code, in the encoding of each kind of registers.

use super::Registers;
use super::mix::{BareInstruction, VECTORS};

/// Size in bytes of a register's slot in memory, which is the size of the widest registers.
pub(super) const PLACE: usize = 64;

/// Number of chains of AES rounds in SSE encoding, which is smaller than in other encodings. An SSE instruction
/// overwrites one of its operands, so products, shuffles and XORs depend on the previous values of their registers. To
/// overlap, these instructions need more of the 16 registers. On Zen 5, where an XOR takes two cycles, a loop takes 7.8
/// cycles per block with ten chains and 6.2 with seven.
pub(super) const MIN_CHAINS: usize = 7;

/// A vector instruction with the prefix 66: opcode map (1 for 0F, 2 for 0F 38, 3 for 0F 3A), opcode, and immediate byte
/// if it has one.
type Instruction = (u8, u8, Option<u8>);

const LOAD: Instruction = (1, 0x6f, None);
const STORE: Instruction = (1, 0x7f, None);

impl BareInstruction {
    fn instruction(self) -> Instruction {
        match self {
            BareInstruction::Round => (2, 0xdc, None),
            BareInstruction::Product | BareInstruction::AddedProduct => (3, 0x44, Some(0x00)),
            BareInstruction::Shuffle => (2, 0x00, None),
            BareInstruction::Xor => (1, 0xef, None),
            BareInstruction::Xor3 => (3, 0x25, Some(0x96)),
        }
    }
}

/// The last operand of an instruction: a register, or a register's slot in memory relative to RSI.
#[derive(Clone, Copy)]
enum Operand {
    Register(u8),
    Memory(u8),
}

impl Registers {
    pub(super) fn is_supported(self) -> bool {
        let narrow = is_x86_feature_detected!("aes")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("ssse3");
        let wide = is_x86_feature_detected!("vaes") && is_x86_feature_detected!("vpclmulqdq");
        narrow
            && match self {
                Registers::Xmm => true,
                Registers::XmmOfAvx => is_x86_feature_detected!("avx"),
                Registers::Ymm => wide && is_x86_feature_detected!("avx2"),
                Registers::Zmm => wide && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"),
                Registers::Neon => false,
            }
    }

    pub(super) fn has_ternary(self) -> bool {
        self == Registers::Zmm
    }

    pub(super) fn count(self) -> u8 {
        if self == Registers::Zmm { 32 } else { 16 }
    }

    /// Returns the number of the register with the constant operand: round key, factor, addend, and the shuffle that
    /// reverses a block's bytes.
    pub(super) fn constant(self) -> u8 {
        self.count() - 1
    }

    /// Encodes an instruction with three operands: the register `to`, one in the middle, and the last. SSE encoding has
    /// no middle operand and uses `to` instead.
    fn encode(self, code: &mut Vec<u8>, (map, opcode, immediate): Instruction, to: u8, middle: u8, last: Operand) {
        const RSI: u8 = 6;
        let (last, mode, displacement) = match last {
            Operand::Register(number) => (number, 0xc0, None),
            Operand::Memory(number) => (RSI, 0x80, Some(u32::from(number) * PLACE as u32)),
        };
        // The low three bits of a register number follow the opcode. Its high bits are in the prefix; AVX
        // and AVX-512 invert them.
        let bit = |number: u8, bit: u8| number >> bit & 1;
        let upper = (1 ^ bit(to, 3)) << 7 | (1 ^ bit(last, 4)) << 6 | (1 ^ bit(last, 3)) << 5;
        let middle_low = (!middle & 15) << 3;
        match self {
            // Unreachable: Neon is of another architecture.
            Registers::Neon => return,
            Registers::Xmm => {
                code.push(0x66);
                code.extend((to > 7 || last > 7).then_some(0x40 | bit(to, 3) << 2 | bit(last, 3)));
                code.push(0x0f);
                code.extend([None, None, Some(0x38), Some(0x3a)][usize::from(map)]);
            }
            Registers::XmmOfAvx => code.extend([0xc4, upper | map, middle_low | 0b001]),
            Registers::Ymm => code.extend([0xc4, upper | map, middle_low | 0b101]),
            Registers::Zmm => {
                let upper = upper | (1 ^ bit(to, 4)) << 4;
                code.extend([0x62, upper | map, 0x80 | middle_low | 0b101, 0x40 | (1 ^ bit(middle, 4)) << 3]);
            }
        }
        code.extend([opcode, mode | (to & 7) << 3 | last & 7]);
        code.extend(displacement.map(u32::to_le_bytes).into_iter().flatten());
        code.extend(immediate);
    }
}

/// Returns the machine code of a function that repeats the instructions of `order`, in the System V calling convention.
/// Its first argument is the number of repetitions, at least one. The second points to the registers' values, in
/// [`PLACE`]-sized slots aligned to 64 bytes; the function loads them first and stores them last.
///
/// No instruction waits for a recent result: AES rounds form several chains, each in its own register, and the other
/// instructions take turns with the remaining registers.
pub(super) fn function(registers: Registers, order: &[BareInstruction]) -> Vec<u8> {
    let constant = registers.constant();
    let other_constant = constant - 1;
    let chains = chains(registers, order) as u8;
    let end = if order.contains(&BareInstruction::Xor3) { other_constant } else { constant };

    let mut code = Vec::new();
    for register in 0..registers.count() {
        registers.encode(&mut code, LOAD, register, 0, Operand::Memory(register));
    }
    code.resize(code.len().next_multiple_of(64), 0x90); // nop
    let start = code.len();
    let mut chain = (0..chains).cycle();
    let mut other = (chains..end).cycle();
    for &operation in order {
        let next = if operation == BareInstruction::Round { chain.next() } else { other.next() };
        let Some(to) = next else { continue };
        let middle = match operation {
            BareInstruction::Xor3 => other_constant,
            BareInstruction::Product => constant,
            _ => to,
        };
        registers.encode(&mut code, operation.instruction(), to, middle, Operand::Register(constant));
    }
    code.extend([0x48, 0xff, 0xcf, 0x0f, 0x85]); // dec rdi; jnz
    let back = start as i32 - (code.len() as i32 + 4);
    code.extend(back.to_le_bytes());
    for register in 0..registers.count() {
        registers.encode(&mut code, STORE, register, 0, Operand::Memory(register));
    }
    if registers != Registers::Xmm {
        code.extend([0xc5, 0xf8, 0x77]); // vzeroupper
    }
    code.push(0xc3); // ret
    code
}

fn chains(registers: Registers, order: &[BareInstruction]) -> usize {
    match order.iter().filter(|operation| **operation == BareInstruction::Round).count() {
        0 => 0,
        rounds if registers == Registers::Xmm && rounds < order.len() => MIN_CHAINS,
        _ => VECTORS,
    }
}

#[cfg(test)]
#[allow(unsafe_code)] // the tests execute AESENC as reference
mod tests {
    use std::arch::x86_64::{__m128i, _mm_aesenc_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi64};

    use iced_x86::{Decoder, DecoderOptions, Instruction as Decoded, Mnemonic, OpKind, Register};

    use super::super::mix::TABLE_ROUNDS;
    use super::super::mix::tests::{loops, product};
    use super::super::tests::{ALL, after, available};
    use super::*;

    /// Decodes code with a decoder that is independent of this file, and splits it into the parts before, in and behind
    /// the loop.
    fn decoded(code: &[u8]) -> [Vec<Decoded>; 3] {
        let all: Vec<Decoded> = Decoder::new(64, code, DecoderOptions::NONE).into_iter().collect();
        assert!(all.iter().all(|one| !one.is_invalid()));
        let jump = all.iter().position(|one| one.mnemonic() == Mnemonic::Jne).unwrap();
        let start = all.iter().position(|one| one.ip() == all[jump].near_branch_target()).unwrap();
        assert_eq!((all[start].ip() % 64, all[jump - 1].mnemonic()), (0, Mnemonic::Dec));
        [&all[..start], &all[start..jump - 1], &all[jump + 1..]].map(<[Decoded]>::to_vec)
    }

    fn operation(instruction: &Decoded) -> BareInstruction {
        match instruction.mnemonic() {
            Mnemonic::Aesenc | Mnemonic::Vaesenc => BareInstruction::Round,
            Mnemonic::Pclmulqdq | Mnemonic::Vpclmulqdq => BareInstruction::Product,
            Mnemonic::Pshufb | Mnemonic::Vpshufb => BareInstruction::Shuffle,
            Mnemonic::Pxor | Mnemonic::Vpxor | Mnemonic::Vpxorq => BareInstruction::Xor,
            Mnemonic::Vpternlogq => BareInstruction::Xor3,
            other => panic!("{other:?}"),
        }
    }

    fn operands(registers: Registers, instruction: &Decoded) -> Vec<usize> {
        let is_register = |index: &u32| instruction.op_kind(*index) == OpKind::Register;
        let operands = (0..instruction.op_count()).filter(is_register).map(|index| instruction.op_register(index));
        let number = |register: Register| {
            let is_meant = match registers {
                Registers::Xmm | Registers::XmmOfAvx => register.is_xmm(),
                Registers::Ymm => register.is_ymm(),
                Registers::Zmm => register.is_zmm(),
                Registers::Neon => false,
            };
            assert!(is_meant, "{registers:?}: {register:?}");
            register.number()
        };
        operands.map(number).collect()
    }

    #[test]
    fn x86_64_loop_has_exactly_its_operations_and_no_memory_access() {
        for &registers in ALL {
            for (mix, rounds, order) in loops(registers) {
                let [before, within, behind] = decoded(&function(registers, &order));
                let count = |all: &[Decoded]| all.iter().filter(|one| one.mnemonic() != Mnemonic::Nop).count();
                assert_eq!(count(&before), usize::from(registers.count()), "{registers:?}: one load for each register");
                let end = if registers == Registers::Xmm { 1 } else { 2 };
                assert_eq!(
                    count(&behind),
                    usize::from(registers.count()) + end,
                    "{registers:?}: one store for each register, then the return"
                );
                assert_eq!(within.iter().map(operation).collect::<Vec<_>>(), order, "{registers:?}");
                for (kind, count) in mix {
                    let found = within.iter().filter(|one| operation(one) == kind).count();
                    assert_eq!(2 * found, count * VECTORS, "{registers:?}, {kind:?}");
                }
                let mut found = [0; VECTORS];
                let chains = &mut found[..chains(registers, &order)];
                for one in &within {
                    let kinds = (0..one.op_count()).map(|index| one.op_kind(index));
                    assert!(kinds.into_iter().all(|kind| matches!(kind, OpKind::Register | OpKind::Immediate8)));
                    let to = operands(registers, one)[0];
                    let is_chain = to < chains.len();
                    assert_eq!(
                        is_chain,
                        operation(one) == BareInstruction::Round,
                        "only AES rounds write to the registers of chains"
                    );
                    if is_chain {
                        chains[to] += 1;
                    }
                }
                let all = chains.iter().sum::<usize>();
                let is_even = chains.iter().all(|rounds| rounds.abs_diff(all / chains.len()) < 2);
                let rounds = if mix[0].1 > 0 { rounds - TABLE_ROUNDS } else { 0 };
                assert!(
                    all == VECTORS * rounds && is_even,
                    "AES rounds of each chain, without table rounds: {chains:?}"
                );
            }
        }
    }

    #[test]
    fn x86_64_loop_matches_software_emulation() {
        for registers in available() {
            for (_, _, order) in loops(registers) {
                let code = function(registers, &order);
                let [_, within, _] = decoded(&code);
                let [mut expected, state] = after(registers, &code, 2);
                for one in within.iter().chain(&within) {
                    let numbers = operands(registers, one);
                    // In SSE encoding, the omitted middle operand is the first one.
                    let (to, middle, last) = (numbers[0], numbers[numbers.len() - 2], numbers[numbers.len() - 1]);
                    for place in (0..registers.bytes()).step_by(16) {
                        let block = |number: usize| PLACE * number + place..PLACE * number + place + 16;
                        let value = |number| u128::from_le_bytes(expected[block(number)].try_into().unwrap());
                        let result = match operation(one) {
                            BareInstruction::Round => round(value(middle), value(last)),
                            BareInstruction::Product | BareInstruction::AddedProduct => {
                                product(value(middle) as u64, value(last) as u64)
                            }
                            BareInstruction::Shuffle => value(middle).swap_bytes(),
                            BareInstruction::Xor => value(middle) ^ value(last),
                            BareInstruction::Xor3 => value(to) ^ value(middle) ^ value(last),
                        };
                        expected[block(to)].copy_from_slice(&result.to_le_bytes());
                    }
                }
                for number in 0..usize::from(registers.count()) {
                    let block = PLACE * number..PLACE * number + registers.bytes();
                    assert_eq!(state[block.clone()], expected[block], "{registers:?}, register {number}");
                }
            }
        }
    }

    fn round(state: u128, key: u128) -> u128 {
        #[target_feature(enable = "aes")]
        fn round(state: __m128i, key: __m128i) -> __m128i {
            _mm_aesenc_si128(state, key)
        }
        // SAFETY: only called if `available` found AES instructions; every CPU of this architecture has SSE2.
        unsafe {
            let vector = |number: u128| _mm_set_epi64x((number >> 64) as i64, number as i64);
            let result = round(vector(state), vector(key));
            let halves = [_mm_cvtsi128_si64(result), _mm_cvtsi128_si64(_mm_unpackhi_epi64(result, result))];
            u128::from(halves[0] as u64) | u128::from(halves[1] as u64) << 64
        }
    }
}
