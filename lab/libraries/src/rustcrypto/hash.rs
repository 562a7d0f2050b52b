//! Hashes, a whole message a call.

use sha2::Digest;

use super::super::loops::repeated::{put, repeated};
use super::super::{Job, PreparedJob, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Workload;

pub(super) fn prepare(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    Ok(match workload.algorithm {
        Algorithm::Sha1 => with::<sha1::Sha1>(fixtures),
        Algorithm::Sha256 => with::<sha2::Sha256>(fixtures),
        Algorithm::Sha512 => with::<sha2::Sha512>(fixtures),
        Algorithm::Sha3_256 => with::<sha3::Sha3_256>(fixtures),
        Algorithm::Blake2s256 => with::<blake2::Blake2s256>(fixtures),
        Algorithm::Blake2b512 => with::<blake2::Blake2b512>(fixtures),
        _ => return Err(Unsupported::algorithm("RustCrypto", workload)),
    })
}

fn with<D: Digest + 'static>(fixtures: &Fixtures) -> Box<dyn Job> {
    repeated(&fixtures.text, <D as Digest>::output_size(), None, |text, digest| Ok(put(digest, [&D::digest(text)])))
}
