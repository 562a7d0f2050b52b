//! The bits that acceleration states clear in the first two words of `OPENSSL_ia32cap`: leaf 1 of CPUID, EDX and ECX;
//! then leaf 7, EBX and ECX. VAES goes with AES: from 3.1 on, OpenSSL asks for VAES before AES-NI.

use super::Acceleration;

/// AES-NI, in the first word.
pub const AES: u64 = 1 << 57;
/// PCLMULQDQ, in the first word.
pub const CLMUL: u64 = 1 << 33;
/// SHA, in the second word.
pub const SHA: u64 = 1 << 29;
/// VAES, in the second word.
pub const VAES: u64 = 1 << 41;
/// VPCLMULQDQ, in the second word.
pub const VCLMUL: u64 = 1 << 42;
/// In the second word, F, DQ, IFMA, CD, BW and VL of leaf 7's EBX; VBMI, VBMI2, VNNI, BITALG and VPOPCNTDQ of its ECX.
pub const AVX512: u64 = 0xd023_0000 | 0x5842 << 32;

/// What `state` clears in either word.
pub const fn cleared(state: Acceleration) -> [u64; 2] {
    match state {
        Acceleration::On => [0, 0],
        Acceleration::Off => [AES | CLMUL, VAES | VCLMUL | SHA],
        Acceleration::NoAes => [AES, VAES],
        Acceleration::NoClmul => [CLMUL, VCLMUL],
        Acceleration::NoVaes => [0, VAES | VCLMUL],
        Acceleration::NoAvx512 => [0, AVX512],
        Acceleration::NoSha => [0, SHA],
    }
}
