//! Decodes x86-64 instructions and classifies them.

use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, EncodingKind, FlowControl, Instruction as Decoded, Mnemonic, OpKind,
    Register,
};

use super::{Class, Instruction};

pub(super) fn decode_block(code: &[u8], address: u64) -> Vec<Instruction> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut decoded = Decoded::default();
    let mut instructions = Vec::new();
    while decoder.can_decode() {
        decoder.decode_out(&mut decoded);
        if decoded.is_invalid() {
            break;
        }
        let leaves = !matches!(
            decoded.flow_control(),
            FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall | FlowControl::XbeginXabortXend
        );
        let target =
            matches!(decoded.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch)
                .then(|| decoded.near_branch_target());
        instructions.push(Instruction { end: decoded.next_ip(), class: class(&decoded), leaves, target });
        if leaves {
            break;
        }
    }
    instructions
}

fn class(instruction: &Decoded) -> Option<Class> {
    let width = width(instruction);
    let has = |feature| instruction.cpuid_features().contains(&feature);
    let by_width = |narrow, ymm, zmm| match width {
        Some(64) => zmm,
        Some(32) => ymm,
        _ => narrow,
    };
    match instruction.mnemonic() {
        _ if has(CpuidFeature::AES) || has(CpuidFeature::VAES) => {
            Some(by_width(Class::Aesni, Class::Vaes256, Class::Vaes512))
        }
        _ if has(CpuidFeature::PCLMULQDQ) || has(CpuidFeature::VPCLMULQDQ) => {
            Some(by_width(Class::Clmul, Class::Vclmul256, Class::Vclmul512))
        }
        _ if has(CpuidFeature::SHA) => Some(Class::ShaNi),
        _ if has(CpuidFeature::SHA512) => Some(Class::Sha512Ni),
        _ if has(CpuidFeature::GFNI) => Some(Class::Gfni),
        _ if has(CpuidFeature::ADX) => Some(Class::Adx),
        Mnemonic::Mulx | Mnemonic::Rorx => Some(Class::Bmi2),
        _ if is_move(instruction) || clears(instruction) => None,
        _ => vector(instruction, width?),
    }
}

/// Returns the bytes of the widest vector register that an instruction names; `None` without such a register.
fn width(instruction: &Decoded) -> Option<usize> {
    registers(instruction).filter(|register| register.is_vector_register()).map(Register::size).max()
}

fn registers(instruction: &Decoded) -> impl Iterator<Item = Register> {
    (0..instruction.op_count())
        .filter(|&operand| instruction.op_kind(operand) == OpKind::Register)
        .map(|operand| instruction.op_register(operand))
}

fn vector(instruction: &Decoded, width: usize) -> Option<Class> {
    use CpuidFeature as F;
    match instruction.encoding() {
        EncodingKind::EVEX if width == 64 => Some(Class::Avx512),
        EncodingKind::EVEX => Some(Class::Avx512vl),
        // For 256-bit registers, AVX has floating-point and logic instructions only; AVX2 adds integers.
        EncodingKind::VEX if width == 32 && !instruction.cpuid_features().contains(&F::AVX) => Some(Class::Avx2),
        EncodingKind::VEX => Some(Class::Avx),
        EncodingKind::Legacy => {
            let is_later = |feature: &F| matches!(feature, F::SSSE3 | F::SSE4_1 | F::SSE4_2);
            Some(if instruction.cpuid_features().iter().any(is_later) { Class::Ssse3 } else { Class::Sse2 })
        }
        _ => None,
    }
}

/// Whether an instruction combines a register with itself, which sets it to zeros or ones.
fn clears(instruction: &Decoded) -> bool {
    let mut registers = registers(instruction).collect::<Vec<_>>();
    let sources = if registers.len() > 2 { registers.split_off(1) } else { registers };
    begins_with_any(instruction, "Pxor Vpxor Xorp Vxorp Vpternlog Pcmpeq Vpcmpeq")
        && sources.len() == 2
        && sources[0] == sources[1]
}

/// Whether an instruction only moves data, as for copying a buffer.
fn is_move(instruction: &Decoded) -> bool {
    begins_with_any(instruction, "Mov Vmov Lddqu Vlddqu Pmovmskb Vpmovmskb Maskmov Vmaskmov Vpmaskmov")
        || begins_with_any(instruction, "Pextr Vpextr Pinsr Vpinsr Vextractf Vextracti Vinsertf Vinserti")
        || begins_with_any(instruction, "Vbroadcast Vpbroadcast")
}

/// Whether the instruction's name, in the spelling of the decoder iced, begins with one of `names`.
fn begins_with_any(instruction: &Decoded, names: &str) -> bool {
    let mnemonic = format!("{:?}", instruction.mnemonic());
    names.split(' ').any(|name| mnemonic.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_of(bytes: &[u8]) -> Option<Class> {
        let instructions = decode_block(bytes, 0x1000);
        assert_eq!(instructions.len(), 1, "{bytes:02x?}");
        assert_eq!(instructions[0].end, 0x1000 + bytes.len() as u64, "{bytes:02x?}");
        instructions[0].class
    }

    #[test]
    fn x86_instructions_have_their_class() {
        let cases: &[(&str, &[u8], Option<Class>)] = &[
            ("aesenc xmm3, [rdi]", &[0x66, 0x0f, 0x38, 0xdc, 0x1f], Some(Class::Aesni)),
            ("aesdeclast xmm3, xmm4", &[0x66, 0x0f, 0x38, 0xdf, 0xdc], Some(Class::Aesni)),
            ("aeskeygenassist xmm1, xmm2, 1", &[0x66, 0x0f, 0x3a, 0xdf, 0xca, 0x01], Some(Class::Aesni)),
            ("vaesenc xmm0, xmm1, xmm2", &[0xc4, 0xe2, 0x71, 0xdc, 0xc2], Some(Class::Aesni)),
            ("vaesenc ymm0, ymm1, ymm2", &[0xc4, 0xe2, 0x75, 0xdc, 0xc2], Some(Class::Vaes256)),
            ("vaesdeclast zmm0, zmm1, [rsi]", &[0x62, 0xf2, 0x75, 0x48, 0xdf, 0x06], Some(Class::Vaes512)),
            ("{evex} vaesenc xmm0, xmm1, xmm2", &[0x62, 0xf2, 0x75, 0x08, 0xdc, 0xc2], Some(Class::Aesni)),
            ("{evex} vaesenc ymm0, ymm1, ymm2", &[0x62, 0xf2, 0x75, 0x28, 0xdc, 0xc2], Some(Class::Vaes256)),
            ("pclmulqdq xmm0, xmm1, 17", &[0x66, 0x0f, 0x3a, 0x44, 0xc1, 0x11], Some(Class::Clmul)),
            ("vpclmulqdq xmm0, xmm1, xmm2, 17", &[0xc4, 0xe3, 0x71, 0x44, 0xc2, 0x11], Some(Class::Clmul)),
            ("vpclmulqdq ymm0, ymm1, ymm2, 1", &[0xc4, 0xe3, 0x75, 0x44, 0xc2, 0x01], Some(Class::Vclmul256)),
            ("vpclmulqdq zmm0, zmm1, zmm2, 16", &[0x62, 0xf3, 0x75, 0x48, 0x44, 0xc2, 0x10], Some(Class::Vclmul512)),
            ("sha1rnds4 xmm0, xmm1, 2", &[0x0f, 0x3a, 0xcc, 0xc1, 0x02], Some(Class::ShaNi)),
            ("sha256rnds2 xmm1, xmm2", &[0x0f, 0x38, 0xcb, 0xca], Some(Class::ShaNi)),
            ("sha256msg1 xmm1, xmm2", &[0x0f, 0x38, 0xcc, 0xca], Some(Class::ShaNi)),
            ("vsha512rnds2 ymm0, ymm1, xmm2", &[0xc4, 0xe2, 0x77, 0xcb, 0xc2], Some(Class::Sha512Ni)),
            ("gf2p8affineqb xmm0, xmm1, 1", &[0x66, 0x0f, 0x3a, 0xce, 0xc1, 0x01], Some(Class::Gfni)),
            ("vgf2p8affineinvqb zmm0, zmm1, zmm2, 1", &[0x62, 0xf3, 0xf5, 0x48, 0xcf, 0xc2, 0x01], Some(Class::Gfni)),
            ("vpaddd zmm0, zmm1, zmm2", &[0x62, 0xf1, 0x75, 0x48, 0xfe, 0xc2], Some(Class::Avx512)),
            ("vprold zmm0, zmm1, 7", &[0x62, 0xf1, 0x7d, 0x48, 0x72, 0xc9, 0x07], Some(Class::Avx512)),
            ("vpternlogq ymm0, ymm1, ymm2, 150", &[0x62, 0xf3, 0xf5, 0x28, 0x25, 0xc2, 0x96], Some(Class::Avx512vl)),
            ("vpxord xmm0, xmm1, xmm2", &[0x62, 0xf1, 0x75, 0x08, 0xef, 0xc2], Some(Class::Avx512vl)),
            ("{evex} vpxord xmm0, xmm0, xmm0", &[0x62, 0xf1, 0x7d, 0x08, 0xef, 0xc0], None),
            ("vpaddd ymm0, ymm1, ymm2", &[0xc5, 0xf5, 0xfe, 0xc2], Some(Class::Avx2)),
            ("vpshufb ymm0, ymm1, ymm2", &[0xc4, 0xe2, 0x75, 0x00, 0xc2], Some(Class::Avx2)),
            ("vxorps ymm0, ymm1, ymm2", &[0xc5, 0xf4, 0x57, 0xc2], Some(Class::Avx)),
            ("vpshufb xmm0, xmm1, xmm2", &[0xc4, 0xe2, 0x71, 0x00, 0xc2], Some(Class::Avx)),
            ("vpxor xmm0, xmm1, xmm1", &[0xc5, 0xf1, 0xef, 0xc1], None),
            ("pshufb xmm0, xmm1", &[0x66, 0x0f, 0x38, 0x00, 0xc1], Some(Class::Ssse3)),
            ("palignr xmm0, xmm1, 4", &[0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x04], Some(Class::Ssse3)),
            ("pblendw xmm0, xmm1, 4", &[0x66, 0x0f, 0x3a, 0x0e, 0xc1, 0x04], Some(Class::Ssse3)),
            ("paddd xmm0, xmm1", &[0x66, 0x0f, 0xfe, 0xc1], Some(Class::Sse2)),
            ("pxor xmm0, xmm0", &[0x66, 0x0f, 0xef, 0xc0], None),
            ("movdqu xmm0, [rsi]", &[0xf3, 0x0f, 0x6f, 0x06], None),
            ("vmovdqu ymm0, [rsi]", &[0xc5, 0xfe, 0x6f, 0x06], None),
            ("vmovdqu64 zmm0, [rsi]", &[0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x06], None),
            ("vextracti32x4 xmm0, zmm1, 1", &[0x62, 0xf3, 0x7d, 0x48, 0x39, 0xc8, 0x01], None),
            ("vpbroadcastq zmm0, rax", &[0x62, 0xf2, 0xfd, 0x48, 0x7c, 0xc0], None),
            ("vzeroupper", &[0xc5, 0xf8, 0x77], None),
            ("mulx rax, rdx, rcx", &[0xc4, 0xe2, 0xeb, 0xf6, 0xc1], Some(Class::Bmi2)),
            ("adox rax, rcx", &[0xf3, 0x48, 0x0f, 0x38, 0xf6, 0xc1], Some(Class::Adx)),
            ("rorx eax, ecx, 5", &[0xc4, 0xe3, 0x7b, 0xf0, 0xc1, 0x05], Some(Class::Bmi2)),
            ("rep movsb", &[0xf3, 0xa4], None),
            ("kmovq k1, rax", &[0xc4, 0xe1, 0xfb, 0x92, 0xc8], None),
            ("add rax, rcx", &[0x48, 0x01, 0xc8], None),
        ];
        for (text, bytes, expected) in cases {
            assert_eq!(class_of(bytes), *expected, "{text}");
        }
    }

    #[test]
    fn x86_decoding_stops_at_incomplete_or_invalid_code() {
        assert!(decode_block(&[], 0).is_empty());
        assert!(decode_block(&[0x66, 0x0f, 0x38], 0).is_empty()); // half an instruction
        assert_eq!(decode_block(&[0x90, 0x90, 0x66, 0x0f], 0).len(), 2);
        assert!(decode_block(&[0x06], 0).is_empty()); // none in 64-bit mode
    }

    #[test]
    fn x86_jumps_end_the_block_and_have_their_target() {
        let line = decode_block(&[0x90, 0x75, 0xfd, 0x90], 0x1000);
        assert_eq!(line.len(), 2);
        assert!(line[1].leaves && line[1].target == Some(0x1000));
        let line = decode_block(&[0xff, 0xe0, 0x90], 0x1000);
        assert!(line.len() == 1 && line[0].leaves && line[0].target.is_none());
    }
}
