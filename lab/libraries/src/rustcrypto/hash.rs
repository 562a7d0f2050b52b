//! Hashes, a whole message a call.

use sha2::Digest;

use super::super::loops::repeated::{put, repeated};
use super::super::{Job, Unsupported};
use super::not_here;
use crate::material::Material;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Workload;

pub(super) fn prepare(workload: &Workload, material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    Ok(match workload.algorithm {
        Algorithm::Sha1 => with::<sha1::Sha1>(material),
        Algorithm::Sha256 => with::<sha2::Sha256>(material),
        Algorithm::Sha512 => with::<sha2::Sha512>(material),
        Algorithm::Sha3_256 => with::<sha3::Sha3_256>(material),
        Algorithm::Blake2s256 => with::<blake2::Blake2s256>(material),
        Algorithm::Blake2b512 => with::<blake2::Blake2b512>(material),
        _ => return Err(not_here(workload)),
    })
}

fn with<D: Digest + 'static>(material: &Material) -> Box<dyn Job> {
    repeated(&material.text, <D as Digest>::output_size(), None, |text, digest| Ok(put(digest, [&D::digest(text)])))
}
