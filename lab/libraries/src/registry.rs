//! The libraries that the laboratory knows.

use crate::contract::Entry;
use crate::{aws_lc, files, graviola, ipsec_mb, jvm, kasoku, limit, openssl, openssl_speed, planted, ring, rustcrypto};

/// Every stack, in the order tables show them.
pub const STACKS: &[Entry] = &[
    openssl::ENTRY,
    aws_lc::ENTRY,
    ring::ENTRY,
    rustcrypto::ENTRY,
    graviola::ENTRY,
    ipsec_mb::ENTRY,
    kasoku::ENTRY,
    openssl_speed::ENTRY,
    jvm::SUNJCE,
    jvm::NSS,
    jvm::SPECJVM,
    limit::AES,
    limit::CLMUL,
    limit::MIXED,
    limit::GCM,
    limit::AES_YMM,
    limit::CLMUL_YMM,
    limit::GCM_YMM,
    limit::AES_XMM,
    limit::CLMUL_XMM,
    limit::GCM_XMM,
    limit::AES_XMM_OF_AVX,
    limit::CLMUL_XMM_OF_AVX,
    limit::GCM_XMM_OF_AVX,
    files::COPY,
    planted::SAME,
    planted::SLOW,
    planted::WRONG,
    planted::CRASH,
    planted::HANG,
    planted::NONSENSE,
    planted::EMPTY,
];

/// The stack of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    STACKS.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, entry) in STACKS.iter().enumerate() {
            assert!(STACKS[index + 1..].iter().all(|other| other.name != entry.name));
        }
    }
}
