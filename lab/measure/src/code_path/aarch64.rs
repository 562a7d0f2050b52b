//! Decodes AArch64 instructions and classifies them.
//!
//! The masks are the encodings of the Arm Architecture Reference Manual (DDI 0487), section C4.1. They cover
//! cryptographic AES, two- and three-register SHA, the SHA512 and SHA3 groups, Advanced SIMD and SVE.

use super::{Class, Instruction};

pub(super) fn decode_block(code: &[u8], address: u64) -> Vec<Instruction> {
    let mut instructions = Vec::new();
    let mut at = address;
    for word in code.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)) {
        if word >> 16 == 0 {
            break; // UDF: padding or data
        }
        let flow = flow(word);
        let target = match flow {
            Flow::Jump(offset) => Some(at.wrapping_add_signed(offset)),
            Flow::Next | Flow::End => None,
        };
        at = at.wrapping_add(4);
        let leaves = flow != Flow::Next;
        instructions.push(Instruction { end: at, class: class(word), leaves, target });
        if leaves {
            break;
        }
    }
    instructions
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// Execution continues at the next instruction. Calls count too, since they return.
    Next,
    /// Execution may jump by this many bytes, conditionally or not.
    Jump(i64),
    /// Execution continues at an unknown address: a return, an indirect jump or a breakpoint.
    End,
}

fn flow(word: u32) -> Flow {
    // B.cond and CBZ/CBNZ have 19 bits of offset at bit 5, TBZ/TBNZ 14, B has 26 at bit 0; all count instructions.
    let offset = |first: u32, bits: u32| i64::from((word << (32 - first - bits)) as i32 >> (32 - bits)) * 4;
    if word & 0xff00_0000 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000 {
        Flow::Jump(offset(5, 19))
    } else if word & 0x7e00_0000 == 0x3600_0000 {
        Flow::Jump(offset(5, 14))
    } else if word & 0xfc00_0000 == 0x1400_0000 {
        Flow::Jump(offset(0, 26))
    } else if word & 0xfe00_0000 == 0xd600_0000 {
        // BLR, with or without pointer authentication, is a call that returns.
        if word & 0x0060_0000 == 0x0020_0000 { Flow::Next } else { Flow::End }
    } else if word & 0xffe0_001f == 0xd420_0000 {
        Flow::End // BRK
    } else {
        Flow::Next
    }
}

fn class(word: u32) -> Option<Class> {
    let is = |mask: u32, value: u32| word & mask == value;
    if is(0xffff_cc00, 0x4e28_4800) {
        Some(Class::ArmAes) // AESE, AESD, AESMC, AESIMC
    } else if is(0xbfe0_fc00, 0x0ee0_e000) {
        Some(Class::Pmull) // PMULL, PMULL2 of 64-bit lanes
    } else if is(0xffe0_8c00, 0x5e00_0000) || is(0xffff_cc00, 0x5e28_0800) {
        Some(Class::ArmSha) // SHA1…, SHA256…
    } else if is(0xffff_fc00, 0xcec0_8000) || (is(0xffe0_f000, 0xce60_8000) && !is(0x0000_0c00, 0x0000_0c00)) {
        Some(Class::ArmSha512) // SHA512SU0; SHA512H, H2, SU1
    } else if is(0xffc0_8000, 0xce00_0000) || is(0xffe0_fc00, 0xce60_8c00) || is(0xffe0_0000, 0xce80_0000) {
        Some(Class::ArmSha3) // EOR3, BCAX; RAX1; XAR
    } else if is(0x9e00_0000, 0x0400_0000) {
        Some(Class::Sve)
    } else if is(0x9e00_0000, 0x0e00_0000) && !is_move(word) {
        Some(Class::Neon)
    } else {
        None
    }
}

/// Whether an Advanced SIMD data-processing instruction only moves data or loads a constant.
fn is_move(word: u32) -> bool {
    let is = |mask: u32, value: u32| word & mask == value;
    let first = (word >> 5) & 31;
    let second = (word >> 16) & 31;
    is(0x9fe0_8400, 0x0e00_0400) // DUP, INS, UMOV, SMOV
        || is(0x9ff8_0400, 0x0f00_0400) // MOVI, MVNI, FMOV, and ORR and BIC of a constant
        || (is(0xbfe0_fc00, 0x0ea0_1c00) && first == second) // MOV: ORR with itself
        || (is(0xbfe0_fc00, 0x2e20_1c00) && first == second) // EOR with itself
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instruction words are the output of LLVM's assembler.
    #[test]
    fn aarch64_instruction_words_are_classified() {
        let cases: &[(&str, u32, Option<Class>)] = &[
            ("aese v0.16b, v1.16b", 0x4e28_4820, Some(Class::ArmAes)),
            ("aesd v3.16b, v31.16b", 0x4e28_5be3, Some(Class::ArmAes)),
            ("aesmc v0.16b, v0.16b", 0x4e28_6800, Some(Class::ArmAes)),
            ("aesimc v7.16b, v9.16b", 0x4e28_7927, Some(Class::ArmAes)),
            ("pmull v0.1q, v1.1d, v2.1d", 0x0ee2_e020, Some(Class::Pmull)),
            ("pmull2 v0.1q, v1.2d, v2.2d", 0x4ee2_e020, Some(Class::Pmull)),
            ("sha1c q0, s1, v2.4s", 0x5e02_0020, Some(Class::ArmSha)),
            ("sha1h s0, s1", 0x5e28_0820, Some(Class::ArmSha)),
            ("sha1su1 v0.4s, v1.4s", 0x5e28_1820, Some(Class::ArmSha)),
            ("sha256h q0, q1, v2.4s", 0x5e02_4020, Some(Class::ArmSha)),
            ("sha256su0 v0.4s, v1.4s", 0x5e28_2820, Some(Class::ArmSha)),
            ("sha256su1 v0.4s, v1.4s, v2.4s", 0x5e02_6020, Some(Class::ArmSha)),
            ("sha512h q0, q1, v2.2d", 0xce62_8020, Some(Class::ArmSha512)),
            ("sha512h2 q0, q1, v2.2d", 0xce62_8420, Some(Class::ArmSha512)),
            ("sha512su0 v0.2d, v1.2d", 0xcec0_8020, Some(Class::ArmSha512)),
            ("sha512su1 v0.2d, v1.2d, v2.2d", 0xce62_8820, Some(Class::ArmSha512)),
            ("eor3 v0.16b, v1.16b, v2.16b, v3.16b", 0xce02_0c20, Some(Class::ArmSha3)),
            ("bcax v0.16b, v1.16b, v2.16b, v3.16b", 0xce22_0c20, Some(Class::ArmSha3)),
            ("rax1 v0.2d, v1.2d, v2.2d", 0xce62_8c20, Some(Class::ArmSha3)),
            ("xar v0.2d, v1.2d, v2.2d, #5", 0xce82_1420, Some(Class::ArmSha3)),
            ("eor v0.16b, v1.16b, v2.16b", 0x6e22_1c20, Some(Class::Neon)),
            ("add v0.4s, v1.4s, v2.4s", 0x4ea2_8420, Some(Class::Neon)),
            ("tbl v0.16b, {v1.16b}, v2.16b", 0x4e02_0020, Some(Class::Neon)),
            ("ext v0.16b, v1.16b, v2.16b, #8", 0x6e02_4020, Some(Class::Neon)),
            ("shl v0.4s, v1.4s, #7", 0x4f27_5420, Some(Class::Neon)),
            ("pmull v0.8h, v1.8b, v2.8b", 0x0e22_e020, Some(Class::Neon)),
            ("mov v0.16b, v1.16b", 0x4ea1_1c20, None),
            ("dup v0.4s, w1", 0x4e04_0c20, None),
            ("ins v0.d[1], x1", 0x4e18_1c20, None),
            ("umov w0, v1.s[1]", 0x0e0c_3c20, None),
            ("movi v0.16b, #0", 0x4f00_e400, None),
            ("eor v0.16b, v0.16b, v0.16b", 0x6e20_1c00, None),
            ("ld1 {v0.16b}, [x0], #16", 0x4cdf_7000, None),
            ("ldr q0, [x1]", 0x3dc0_0020, None),
            ("add z0.s, z1.s, z2.s", 0x04a2_0020, Some(Class::Sve)),
            ("ld1w {z0.s}, p0/z, [x0]", 0xa540_a000, None),
            ("add x0, x1, x2", 0x8b02_0020, None),
            ("mul x0, x1, x2", 0x9b02_7c20, None),
            ("fadd d0, d1, d2", 0x1e62_2820, None),
        ];
        for &(text, word, expected) in cases {
            assert_eq!(class(word), expected, "{text}");
            assert_eq!(flow(word), Flow::Next, "{text}");
        }
    }

    #[test]
    fn aarch64_jumps_have_their_offsets() {
        let cases: &[(&str, u32, Flow)] = &[
            ("b.ne .-8", 0x54ff_ffc1, Flow::Jump(-8)),
            ("cbz x0, .+8", 0xb400_0040, Flow::Jump(8)),
            ("tbnz w0, #3, .-12", 0x371f_ffa0, Flow::Jump(-12)),
            ("b .-4", 0x17ff_ffff, Flow::Jump(-4)),
            ("bl .+64", 0x9400_0010, Flow::Next),
            ("blr x3", 0xd63f_0060, Flow::Next),
            ("br x3", 0xd61f_0060, Flow::End),
            ("ret", 0xd65f_03c0, Flow::End),
            ("brk #1", 0xd420_0020, Flow::End),
        ];
        for &(text, word, expected) in cases {
            assert_eq!(flow(word), expected, "{text}");
        }
    }

    #[test]
    fn aarch64_loop_is_named_by_its_instructions() {
        let words: [u32; 5] = [0x4e28_4820, 0x4e28_6800, 0x0ee2_e020, 0x8b02_0020, 0x54ff_ff81]; // … b.ne .-16
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let code = |address: u64, buffer: &mut [u8]| {
            let rest = bytes.get(address as usize - 0x1000..).unwrap_or_default();
            let length = rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&rest[..length]);
            length
        };
        assert_eq!(
            super::super::name_path([(0x100c, &[][..]); 10].into_iter(), &code, &decode_block),
            "armv8-aes+pmull"
        );
    }

    #[test]
    fn aarch64_decoding_stops_at_incomplete_or_zero_words() {
        assert!(decode_block(&[0x20, 0x48, 0x28], 0).is_empty());
        assert!(decode_block(&[0; 64], 0).is_empty());
    }
}
