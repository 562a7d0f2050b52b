//! The libraries that the laboratory knows.

use crate::contract::Entry;
use crate::{aws_lc, bound, files, graviola, ipsec_mb, jvm, kasoku, openssl, openssl_speed, planted, ring, rustcrypto};

/// Every library, in the order tables show them.
pub const LIBRARIES: &[Entry] = &[
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
    bound::AES,
    bound::CLMUL,
    bound::MIXED,
    bound::GCM,
    bound::AES_YMM,
    bound::CLMUL_YMM,
    bound::GCM_YMM,
    bound::AES_XMM,
    bound::CLMUL_XMM,
    bound::GCM_XMM,
    bound::AES_XMM_OF_AVX,
    bound::CLMUL_XMM_OF_AVX,
    bound::GCM_XMM_OF_AVX,
    files::COPY,
    planted::SAME,
    planted::SLOW,
    planted::WRONG,
    planted::CRASH,
    planted::HANG,
    planted::NONSENSE,
    planted::EMPTY,
];

/// The library of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    LIBRARIES.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, entry) in LIBRARIES.iter().enumerate() {
            assert!(LIBRARIES[index + 1..].iter().all(|other| other.name != entry.name));
        }
    }
}
