//! The bits of `OPENSSL_ia32cap` that each acceleration state clears.
//!
//! The first 64-bit word holds EDX and ECX of CPUID leaf 1 (`AES`, `CLMUL`), the second EBX and ECX of leaf 7 (the
//! others). States without AES clear VAES too, because OpenSSL 3.1 and later tests for VAES before AES-NI.

use super::Acceleration;

pub const AES: u64 = 1 << 57;
pub const CLMUL: u64 = 1 << 33;
pub const SHA: u64 = 1 << 29;
pub const VAES: u64 = 1 << 41;
pub const VCLMUL: u64 = 1 << 42;
/// F, DQ, IFMA, CD, BW and VL in EBX; VBMI, VBMI2, VNNI, BITALG and VPOPCNTDQ in ECX.
pub const AVX512: u64 = 0xd023_0000 | 0x5842 << 32;

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
