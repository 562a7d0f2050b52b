//! Key agreement: X25519 and ECDH on P-256.

use super::super::loops::repeated::{put, repeated};
use super::super::loops::{exactly, failed, rejected};
use super::super::{PreparedJob, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Workload;

pub(super) fn prepare(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match workload.algorithm {
        Algorithm::X25519 => x25519(fixtures),
        Algorithm::EcdhP256 => ecdh_p256(fixtures),
        Algorithm::X448 => Err(no_curve448()),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

fn x25519(fixtures: &Fixtures) -> PreparedJob {
    let secret = x25519_dalek::StaticSecret::from(exactly::<32>("scalar", &fixtures.key)?);
    let peer = x25519_dalek::PublicKey::from(exactly::<32>("public key", &fixtures.public)?);
    Ok(repeated(&[], 32, None, move |_, output| {
        let shared = secret.diffie_hellman(&peer);
        if !shared.was_contributory() {
            return Err(failed("agree"));
        }
        Ok(put(output, [shared.as_bytes()]))
    }))
}

fn ecdh_p256(fixtures: &Fixtures) -> PreparedJob {
    let secret = p256::SecretKey::from_slice(&fixtures.key).map_err(|_| rejected("scalar"))?;
    let peer = p256::PublicKey::from_sec1_bytes(&fixtures.public).map_err(|_| rejected("public key"))?;
    Ok(repeated(&[], 32, None, move |_, output| {
        Ok(put(output, [secret.diffie_hellman(&peer).raw_secret_bytes().as_slice()]))
    }))
}

/// For Curve448, whose crates are a generation behind and would bring a second set of everything.
pub(super) fn no_curve448() -> Unsupported {
    Unsupported::new("RustCrypto has no Curve448 crate of the current generation")
}
