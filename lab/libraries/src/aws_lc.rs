//! The library `aws-lc`: AWS-LC through aws-lc-rs.

mod asymmetric;
mod symmetric;

use super::crate_version::{crate_version, crate_versions};
use super::ring_api::ring_api;
use super::{
    Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Unavailable, Unsupported, openssl_switch,
};
use crate::fixtures::Fixtures;
use crate::switch::vaes_needs_avx512;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::library;
use kasoku_model::workload::{Packets, Workload};

/// How the laboratory finds it.
pub const ENTRY: LibraryEntry = LibraryEntry {
    why_no_vaes: vaes_needs_avx512,
    ..LibraryEntry::new(library::AWS_LC, "AWS-LC through aws-lc-rs", open, openssl_switch)
};

fn open(_opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    Ok(Box::new(AwsLc))
}

ring_api!(aws_lc_rs, "aws-lc-rs", Algorithm::Sha3_256 => SHA3_256);

struct AwsLc;

impl Library for AwsLc {
    fn description(&self) -> LibraryDescription {
        LibraryDescription {
            version: format!("{} ({})", crate_version("aws-lc-rs"), crate_versions(&["aws-lc-sys"])),
            cpu_features: None,
            loaded_from: None,
        }
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match workload.algorithm.kind() {
            AlgorithmKind::Cipher => symmetric::cipher(workload, fixtures),
            AlgorithmKind::Aead => symmetric::aead(workload, fixtures),
            AlgorithmKind::Hash => ring_api::hash(workload, fixtures),
            AlgorithmKind::KeyAgreement => asymmetric::agreement(workload, fixtures),
            AlgorithmKind::Signature => asymmetric::signature(workload, fixtures),
            AlgorithmKind::Kem => asymmetric::kem(workload, fixtures),
            AlgorithmKind::Suite | AlgorithmKind::CipherSuite => Err(Unsupported::algorithm("aws-lc-rs", workload)),
        }
    }

    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        ring_api::packets(workload, packets, fixtures)
    }
}
