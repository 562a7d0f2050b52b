//! The libraries that the laboratory knows.

use crate::contract::LibraryEntry;
use crate::{aws_lc, bound, files, graviola, ipsec_mb, jvm, kasoku, openssl, ring, rustcrypto, simulated};

/// Every library, in the order tables show them.
pub const LIBRARIES: &[LibraryEntry] = &[
    openssl::ENTRY,
    aws_lc::ENTRY,
    ring::ENTRY,
    rustcrypto::ENTRY,
    graviola::ENTRY,
    ipsec_mb::ENTRY,
    #[cfg(windows)]
    crate::cng::ENTRY,
    kasoku::ENTRY,
    jvm::SUNJCE,
    jvm::NSS,
    jvm::KASOKU_JCA,
    jvm::ACCP,
    jvm::CONSCRYPT,
    jvm::BOUNCY_CASTLE,
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
    *bound::NEON.aes,
    *bound::NEON.clmul,
    *bound::MIXED_OF_NEON,
    *bound::NEON.gcm,
    kasoku::OF_SCHEDULES[0],
    kasoku::OF_SCHEDULES[1],
    files::COPY,
    simulated::SAME,
    simulated::SLOW,
    simulated::SLOWER,
    simulated::BESIDE,
    simulated::BESIDE_SAME,
    simulated::BESIDE_SLOWER,
    #[cfg(feature = "test-doubles")]
    crate::test_doubles::ENTRIES[0],
    #[cfg(feature = "test-doubles")]
    crate::test_doubles::ENTRIES[1],
    #[cfg(feature = "test-doubles")]
    crate::test_doubles::ENTRIES[2],
    #[cfg(feature = "test-doubles")]
    crate::test_doubles::ENTRIES[3],
    #[cfg(feature = "test-doubles")]
    crate::test_doubles::ENTRIES[4],
    #[cfg(feature = "test-doubles")]
    crate::test_doubles::ENTRIES[5],
    simulated::EMPTY,
];

/// The library of that name.
pub fn find(name: &str) -> Option<&'static LibraryEntry> {
    LIBRARIES.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Opening;
    use crate::contract::Switch;
    use crate::fixtures::Fixtures;
    use crate::switch::SWITCH_VARIABLES;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
    use kasoku_model::library;
    use kasoku_model::workload::{Operation, Workload};

    #[test]
    fn no_library_opens_a_forged_message_in_any_state() {
        let mut refused = BTreeSet::new();
        for entry in LIBRARIES.iter().filter(|entry| entry.is_listed && entry.program.is_none()) {
            for &state in Acceleration::ALL {
                let opening = Opening { acceleration: Some(state), ..Opening::default() };
                let Ok(library) = (entry.open)(&opening) else { continue };
                for &algorithm in Algorithm::ALL.iter().filter(|one| one.kind() == AlgorithmKind::Aead) {
                    let workload = Workload::new(Operation::Open, algorithm, 100);
                    let job = library.prepare(&workload, &Fixtures::of(&workload));
                    if job.is_ok_and(|mut job| job.refuses_forgeries()) {
                        refused.insert((entry.name, algorithm));
                    }
                }
            }
        }
        for (library, algorithms) in [("aws-lc", 5), ("ring", 3), ("rustcrypto", 8), ("kasoku", 5)] {
            assert_eq!(refused.iter().filter(|(name, _)| *name == library).count(), algorithms, "{library}");
        }
        // On CPUs that have what it needs, and where it is installed.
        for (library, algorithms) in [(graviola::ENTRY, 3), (ipsec_mb::ENTRY, 2)] {
            let is_here =
                (library.open)(&Opening { acceleration: Some(Acceleration::On), ..Opening::default() }).is_ok();
            let refuses = refused.iter().filter(|(name, _)| *name == library.name).count();
            assert_eq!(refuses, if is_here { algorithms } else { 0 }, "{}", library.name);
        }
    }

    #[test]
    fn libraries_stand_in_the_order_of_tables() {
        let listed: Vec<usize> =
            LIBRARIES.iter().filter(|entry| entry.is_listed).map(|entry| library::place(entry.name)).collect();
        assert!(listed.is_sorted_by(|one, next| one < next), "{listed:?}");
        assert!(listed.iter().all(|&place| place < library::place("no such library")), "one has no place");
    }

    #[test]
    fn every_variable_of_a_switch_is_removed_first() {
        for (entry, &state) in
            LIBRARIES.iter().flat_map(|entry| Acceleration::ALL.iter().map(move |state| (entry, state)))
        {
            let Switch::Environment(variables) = (entry.switch)(state) else { continue };
            for (variable, _) in variables {
                assert!(SWITCH_VARIABLES.contains(&variable), "{}, {state}: {variable}", entry.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for (index, entry) in LIBRARIES.iter().enumerate() {
            assert!(LIBRARIES[index + 1..].iter().all(|other| other.name != entry.name));
        }
    }
}
