//! The library `aws-lc`: AWS-LC through aws-lc-rs.

mod asymmetric;
mod symmetric;

use super::crate_version::{crate_version, crate_versions};
use super::ring_api::ring_api;
use super::{Description, Entry, Library, Opening, Prepared, Unavailable, Unsupported, openssl_switch};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Kind;
use kasoku_model::workload::{Packets, Workload};

/// How the laboratory finds it.
pub const ENTRY: Entry = Entry::new("aws-lc", "AWS-LC through aws-lc-rs", open, openssl_switch);

fn open(_opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    Ok(Box::new(AwsLc))
}

ring_api!(aws_lc_rs, "aws-lc-rs", Algorithm::Sha3_256 => SHA3_256);

struct AwsLc;

impl Library for AwsLc {
    fn description(&self) -> Description {
        Description {
            version: format!("{} ({})", crate_version("aws-lc-rs"), crate_versions(&["aws-lc-sys"])),
            cpu_features: None,
            loaded_from: None,
        }
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> Prepared {
        match workload.algorithm.kind() {
            Kind::Cipher => symmetric::cipher(workload, fixtures),
            Kind::Aead => symmetric::aead(workload, fixtures),
            Kind::Hash => ring_api::hash(workload, fixtures),
            Kind::KeyAgreement => asymmetric::agreement(workload, fixtures),
            Kind::Signature => asymmetric::signature(workload, fixtures),
            Kind::Kem => asymmetric::kem(workload, fixtures),
            Kind::Suite | Kind::CipherSuite => Err(Unsupported::algorithm("aws-lc-rs", workload)),
        }
    }

    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> Prepared {
        ring_api::packets(workload, packets, fixtures)
    }
}
