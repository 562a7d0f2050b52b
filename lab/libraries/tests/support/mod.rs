//! Opens the libraries whose outputs the tests compare with each other.

use kasoku_libraries::fixtures::Fixtures;
use kasoku_libraries::{LIBRARIES, Library, Opening, find, kasoku};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::library::{IPSEC_MB, KASOKU, OPENSSL, RUSTCRYPTO, Role};

/// Opens every listed library that runs in this process: `rustcrypto` first, the engine once with each of its backends,
/// ipsec-mb in each state that selects another variant. In CI each must be there, except what the architecture lacks.
/// OpenSSL is also opened from each file that `KASOKU_TEST_LIBCRYPTO` names, with `:` between them.
pub(crate) fn libraries() -> Vec<(&'static str, Box<dyn Library>)> {
    let is_here = |name: &str| cfg!(target_arch = "x86_64") || name != IPSEC_MB;
    let mut entries: Vec<_> = LIBRARIES
        .iter()
        .filter(|entry| entry.is_listed && entry.role == Role::Library && entry.program.is_none())
        .filter(|entry| is_here(entry.name))
        .collect();
    entries.sort_by_key(|entry| entry.name != RUSTCRYPTO);
    let mut libraries = Vec::new();
    for entry in entries {
        let states = match entry.name {
            KASOKU => kasoku::backend_states(),
            IPSEC_MB => vec![Acceleration::On, Acceleration::NoAvx512, Acceleration::NoVaes],
            _ => vec![Acceleration::On],
        };
        for state in states {
            match (entry.open)(&Opening { acceleration: Some(state), ..Opening::default() }) {
                Ok(library) => libraries.push((entry.name, library)),
                Err(unavailable) => {
                    assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{}: {unavailable}", entry.name);
                    eprintln!("{} left out: {unavailable}", entry.name);
                }
            }
        }
    }
    let more = std::env::var_os("KASOKU_TEST_LIBCRYPTO").unwrap_or_default();
    for file in std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()) {
        let opening = Opening { library_file: Some(file), ..Opening::default() };
        libraries.push((OPENSSL, (find(OPENSSL).unwrap().open)(&opening).unwrap()));
    }
    libraries
}

/// Returns `good` with one part cut to each of `lengths`.
pub(crate) fn shortened(good: &Fixtures, lengths: &[usize]) -> Vec<Fixtures> {
    let shorter = |part: &[u8], length: usize| part[..part.len().min(length)].to_vec();
    let parts = |&length: &usize| {
        [
            Fixtures { key: shorter(&good.key, length), ..good.clone() },
            Fixtures { header_key: shorter(&good.header_key, length), ..good.clone() },
            Fixtures { nonce: shorter(&good.nonce, length), ..good.clone() },
            Fixtures { aad: shorter(&good.aad, length), ..good.clone() },
            Fixtures { text: shorter(&good.text, length), ..good.clone() },
            Fixtures { public: shorter(&good.public, length), ..good.clone() },
        ]
    };
    lengths.iter().flat_map(parts).collect()
}
