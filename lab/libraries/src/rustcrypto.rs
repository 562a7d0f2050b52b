//! The library `rustcrypto`: the RustCrypto crates, with the dalek crates for Curve25519.
//!
//! It has the most algorithms, so other libraries' outputs are compared with its outputs.

mod asymmetric;
mod record;
mod suite;
mod symmetric;

pub(super) use asymmetric::expanded_key;

use super::crate_version::crate_versions;
use super::{
    Library, LibraryDescription, LibraryEntry, PreparedJob, Switch, Unsupported, require_default_nonces_and_one_key,
};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library;
use kasoku_model::workload::{Packets, Workload};

pub const ENTRY: LibraryEntry = LibraryEntry::new(
    library::RUSTCRYPTO,
    "the RustCrypto crates",
    |_| Ok(Box::new(RustCrypto)),
    |state| {
        Switch::only_on(
            state,
            "the RustCrypto crates choose when they are built (--cfg aes_backend=\"soft\" and the like)",
        )
    },
);

struct RustCrypto;

impl Library for RustCrypto {
    fn description(&self) -> LibraryDescription {
        let cpu_features = Some(if aes::hardware_accelerated() { "aes" } else { "none" }.to_owned());
        let version = crate_versions(&["aes", "sha2", "chacha20poly1305"]);
        LibraryDescription { cpu_features, ..LibraryDescription::new(version) }
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match workload.algorithm.kind() {
            AlgorithmKind::Cipher => symmetric::cipher(workload, fixtures),
            AlgorithmKind::Aead if workload.algorithm == Algorithm::Aes128CbcHmacSha1 => {
                require_default_nonces_and_one_key(workload)?;
                record::prepare(workload, fixtures)
            }
            AlgorithmKind::Aead => symmetric::aead(workload, fixtures),
            AlgorithmKind::Hash => symmetric::hash(workload, fixtures),
            AlgorithmKind::KeyAgreement => asymmetric::agreement(workload, fixtures),
            AlgorithmKind::Signature => asymmetric::signature(workload, fixtures),
            AlgorithmKind::Kem => asymmetric::kem(workload, fixtures),
            AlgorithmKind::Suite => suite::prepare(workload, fixtures),
            AlgorithmKind::CipherSuite => Err(Unsupported::algorithm("RustCrypto", workload)),
        }
    }

    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        symmetric::packets(workload, packets, fixtures)
    }
}
