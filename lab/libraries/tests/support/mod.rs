//! Opens the libraries that the tests hold against each other.

use kasoku_libraries::{LIBRARIES, Library, Opening, kasoku};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::library::{KASOKU, RUSTCRYPTO, Role};

/// Opens every listed library that runs in this process: `rustcrypto` first, the engine once with each of its backends.
/// In CI each must be there, except what the architecture lacks.
pub(crate) fn libraries() -> Vec<(&'static str, Box<dyn Library>)> {
    let is_here = |name: &str| cfg!(target_arch = "x86_64") || name != "ipsec-mb";
    let mut entries: Vec<_> = LIBRARIES
        .iter()
        .filter(|entry| entry.is_listed && entry.role == Role::Library && entry.program.is_none())
        .filter(|entry| is_here(entry.name))
        .collect();
    entries.sort_by_key(|entry| entry.name != RUSTCRYPTO);
    let mut libraries = Vec::new();
    for entry in entries {
        let states = if entry.name == KASOKU { kasoku::backend_states() } else { vec![Acceleration::On] };
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
    libraries
}
