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
    *bound::ZMM.aes,
    *bound::ZMM.clmul,
    *bound::MIXED,
    *bound::ZMM.gcm,
    *bound::YMM.aes,
    *bound::YMM.clmul,
    *bound::YMM.gcm,
    *bound::XMM.aes,
    *bound::XMM.clmul,
    *bound::XMM.gcm,
    *bound::XMM_OF_AVX.aes,
    *bound::XMM_OF_AVX.clmul,
    *bound::XMM_OF_AVX.gcm,
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
