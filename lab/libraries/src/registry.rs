//! The list of all libraries.

use std::sync::LazyLock;

use crate::contract::LibraryEntry;
#[cfg(feature = "test-doubles")]
use crate::test_doubles;
use crate::{aws_lc, bound, files, graviola, ipsec_mb, jvm, kasoku, openssl, ring, rustcrypto, simulated, system};

/// All libraries in their order in tables, then the entries that users do not see in lists.
pub static LIBRARIES: LazyLock<Vec<LibraryEntry>> = LazyLock::new(|| {
    let mut libraries = vec![
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
    ];
    libraries.extend_from_slice(system::ENTRIES);
    libraries.extend(bound::entries());
    libraries.extend(kasoku::SCHEDULE_ENTRIES);
    libraries.push(files::COPY);
    libraries.extend(simulated::ENTRIES);
    #[cfg(feature = "test-doubles")]
    libraries.extend(test_doubles::ENTRIES);
    libraries.push(simulated::EMPTY);
    libraries
});

pub fn find(name: &str) -> Option<&'static LibraryEntry> {
    LIBRARIES.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Opening;
    use crate::contract::Switch;
    use crate::fixtures::Fixtures;
    use crate::switch::switch_variables;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
    use kasoku_model::library;
    use kasoku_model::workload::{Operation, Workload};

    #[test]
    fn libraries_reject_forged_messages_in_every_acceleration_state() {
        // Jobs for TLS 1.0 records do not try forgeries.
        let has_forgeries = |one: Algorithm| one.kind() == AlgorithmKind::Aead && one != Algorithm::Aes128CbcHmacSha1;
        let is_tried = |entry: &&LibraryEntry| entry.is_listed && entry.program.is_none();
        let files = std::env::var_os("KASOKU_TEST_LIBCRYPTO").unwrap_or_default();
        let files: Vec<_> = std::env::split_paths(&files).filter(|file| file.is_file()).map(Some).collect();
        for entry in LIBRARIES.iter().filter(is_tried) {
            let files = if entry.name == library::OPENSSL { &files[..] } else { &[] };
            for (file, &state) in
                files.iter().chain([&None]).flat_map(|file| Acceleration::ALL.iter().map(move |state| (file, state)))
            {
                let opening = Opening { library_file: file.clone(), acceleration: Some(state), ..Opening::default() };
                let Ok(library) = (entry.open)(&opening) else { continue };
                for &algorithm in Algorithm::ALL.iter().filter(|one| has_forgeries(**one)) {
                    let workload = Workload::new(Operation::Open, algorithm, 100);
                    let Ok(mut job) = library.prepare(&workload, &Fixtures::of(&workload)) else { continue };
                    assert!(job.refuses_forgeries(), "{} never tried a forged {algorithm} message", entry.name);
                }
            }
        }
    }

    #[test]
    fn registry_lists_libraries_in_the_order_in_which_tables_show_them() {
        let listed: Vec<usize> =
            LIBRARIES.iter().filter(|entry| entry.is_listed).map(|entry| library::place(entry.name)).collect();
        assert!(listed.is_sorted(), "{listed:?}");
    }

    #[test]
    fn acceleration_switches_set_only_environment_variables_that_the_laboratory_can_unset() {
        for (entry, &state) in
            LIBRARIES.iter().flat_map(|entry| Acceleration::ALL.iter().map(move |state| (entry, state)))
        {
            let Switch::Environment(variables) = (entry.switch)(state) else { continue };
            for (variable, _) in variables {
                assert!(switch_variables().any(|one| one == variable), "{}, {state}: {variable}", entry.name);
            }
        }
    }

    #[test]
    fn library_names_are_unique() {
        for (index, entry) in LIBRARIES.iter().enumerate() {
            assert!(LIBRARIES[index + 1..].iter().all(|other| other.name != entry.name));
        }
    }
}
