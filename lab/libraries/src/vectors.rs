//! Published test vectors, from the folder `vectors/`. They verify algorithms that only one library has, and supply the
//! keys for timing agreements, signatures and encapsulations.

use serde::Deserialize;

use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorFile {
    pub algorithm: Algorithm,
    pub origin: String,
    pub licence: String,
    pub vectors: Vec<TestVector>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestVector {
    /// Position of the vector in the publication.
    #[serde(default)]
    pub source: String,
    pub operation: Operation,
    pub input: Fixtures,
    /// Expected output in hexadecimal, in the form that [`deterministic`](crate::fixtures::deterministic) defines.
    /// Empty for outputs that the inputs do not determine.
    #[serde(default)]
    pub output: String,
    /// Whether timed operations use this vector's keys. Each operation of an asymmetric algorithm has one such vector.
    #[serde(default)]
    pub timed: bool,
}

pub fn of(algorithm: Algorithm) -> VectorFile {
    let text = match algorithm {
        Algorithm::DesEde3Cbc => include_str!("../vectors/des-ede3-cbc.json"),
        Algorithm::BlowfishCbc => include_str!("../vectors/blowfish-cbc.json"),
        Algorithm::Camellia128Cbc => include_str!("../vectors/camellia-128-cbc.json"),
        Algorithm::Camellia256Cbc => include_str!("../vectors/camellia-256-cbc.json"),
        Algorithm::Aes128Cbc => include_str!("../vectors/aes-128-cbc.json"),
        Algorithm::Aes256Cbc => include_str!("../vectors/aes-256-cbc.json"),
        Algorithm::Aes128Ctr => include_str!("../vectors/aes-128-ctr.json"),
        Algorithm::Aes256Ctr => include_str!("../vectors/aes-256-ctr.json"),
        Algorithm::Aes256Xts => include_str!("../vectors/aes-256-xts.json"),
        Algorithm::Aes128Gcm => include_str!("../vectors/aes-128-gcm.json"),
        Algorithm::Aes256Gcm => include_str!("../vectors/aes-256-gcm.json"),
        Algorithm::Aes128GcmSiv => include_str!("../vectors/aes-128-gcm-siv.json"),
        Algorithm::Aes256GcmSiv => include_str!("../vectors/aes-256-gcm-siv.json"),
        Algorithm::Xaes256Gcm => include_str!("../vectors/xaes-256-gcm.json"),
        Algorithm::Aes128Ccm => include_str!("../vectors/aes-128-ccm.json"),
        Algorithm::Aes128Ocb => include_str!("../vectors/aes-128-ocb.json"),
        Algorithm::ChaCha20Poly1305 => include_str!("../vectors/chacha20-poly1305.json"),
        Algorithm::Aes128CbcHmacSha1 => include_str!("../vectors/aes-128-cbc-hmac-sha1.json"),
        Algorithm::Sha1 => include_str!("../vectors/sha-1.json"),
        Algorithm::Sha256 => include_str!("../vectors/sha-256.json"),
        Algorithm::Sha512 => include_str!("../vectors/sha-512.json"),
        Algorithm::Sha3_256 => include_str!("../vectors/sha3-256.json"),
        Algorithm::Blake2s256 => include_str!("../vectors/blake2s-256.json"),
        Algorithm::Blake2b512 => include_str!("../vectors/blake2b-512.json"),
        Algorithm::X25519 => include_str!("../vectors/x25519.json"),
        Algorithm::X448 => include_str!("../vectors/x448.json"),
        Algorithm::EcdhP256 => include_str!("../vectors/ecdh-p256.json"),
        Algorithm::Ed25519 => include_str!("../vectors/ed25519.json"),
        Algorithm::Ed448 => include_str!("../vectors/ed448.json"),
        Algorithm::EcdsaP256 => include_str!("../vectors/ecdsa-p256.json"),
        Algorithm::Rsa2048 => include_str!("../vectors/rsa-2048.json"),
        Algorithm::Rsa4096 => include_str!("../vectors/rsa-4096.json"),
        Algorithm::MlDsa65 => include_str!("../vectors/ml-dsa-65.json"),
        Algorithm::MlKem768 => include_str!("../vectors/ml-kem-768.json"),
        // A suite consists of ciphers that have vectors.
        Algorithm::Suite(_) | Algorithm::CipherSuite(_) | Algorithm::Quoted(_) => {
            return VectorFile { algorithm, origin: String::new(), licence: String::new(), vectors: Vec::new() };
        }
    };
    parse(text)
}

/// Returns the inputs for timing `operation` of `algorithm`. Panics without a vector; a test proves that all exist.
pub fn timed(algorithm: Algorithm, operation: Operation) -> Fixtures {
    let found = of(algorithm).vectors.into_iter().find(|vector| vector.timed && vector.operation == operation);
    match found {
        Some(vector) => vector.input,
        None => panic!("vectors/{algorithm}.json names no timed vector for {operation}"),
    }
}

fn parse(text: &str) -> VectorFile {
    match serde_json::from_str(text) {
        Ok(file) => file,
        Err(error) => panic!("a vector file that was compiled in does not parse: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{deterministic, from_hexadecimal};
    use kasoku_model::workload::Workload;

    #[test]
    fn every_operation_has_a_published_vector() {
        for &algorithm in Algorithm::ALL {
            let file = of(algorithm);
            assert_eq!(file.algorithm, algorithm);
            assert!(!file.origin.is_empty() && !file.licence.is_empty(), "{algorithm} has no origin or licence");
            for &operation in Operation::of(algorithm.kind()) {
                let determined = deterministic(&Workload::new(operation, algorithm, 0));
                let mut own = file.vectors.iter().filter(|vector| vector.operation == operation);
                assert!(
                    own.any(
                        |vector| from_hexadecimal(&vector.output).is_some_and(|output| output.is_empty() != determined)
                    ),
                    "{algorithm} {operation} has no vector with an output"
                );
                if !algorithm.kind().is_bulk() {
                    timed(algorithm, operation);
                }
            }
        }
    }
}
