//! Hashes: a message whole per operation, on one context.

use std::sync::Arc;

use super::libcrypto::Libcrypto;
use super::libcrypto::digest_context::{Digest, DigestContext, MAX_DIGEST_BYTES};
use crate::buffer::Buffer;
use crate::fixtures::Fixtures;
use crate::{Job, PreparedJob, Result, Unsupported};
use kasoku_model::algorithm::Algorithm;

/// Makes the job ready.
pub(super) fn prepare(libcrypto: &Arc<Libcrypto>, algorithm: Algorithm, fixtures: &Fixtures) -> PreparedJob {
    let name = match algorithm {
        Algorithm::Sha1 => c"SHA1",
        Algorithm::Sha256 => c"SHA256",
        Algorithm::Sha512 => c"SHA512",
        Algorithm::Sha3_256 => c"SHA3-256",
        Algorithm::Blake2s256 => c"BLAKE2s256",
        Algorithm::Blake2b512 => c"BLAKE2b512",
        _ => return Err(Unsupported::new(format!("{algorithm} is no hash"))),
    };
    Ok(Box::new(HashJob {
        digest: Digest::find(libcrypto, name)?,
        context: DigestContext::new(libcrypto)?,
        message: Buffer::input(&fixtures.text),
        output: [0; MAX_DIGEST_BYTES],
    }))
}

struct HashJob {
    digest: Digest,
    context: DigestContext,
    message: Buffer,
    output: [u8; MAX_DIGEST_BYTES],
}

impl Job for HashJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.context.hash(&self.digest, &self.message, &mut self.output)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.output.iter().take(self.digest.bytes()).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use sha2::Digest as _;

    use crate::fixtures::Fixtures;
    use crate::openssl::tests::{check, each_library, hex};
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::{Operation, Workload};

    #[test]
    fn hashes_of_abc_agree_with_their_standards() {
        // FIPS 180-4 and 202 examples; RFC 7693, appendices A and B
        let digests = [
            (Algorithm::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (Algorithm::Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                Algorithm::Sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                 2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            ),
            (Algorithm::Sha3_256, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
            (Algorithm::Blake2s256, "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"),
            (
                Algorithm::Blake2b512,
                "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
                 7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
            ),
        ];
        each_library(|library| {
            for (algorithm, digest) in digests {
                let fixtures = Fixtures { text: b"abc".to_vec(), ..Fixtures::default() };
                check(library, Operation::Hash, algorithm, &fixtures, &hex(digest));
            }
        });
    }

    #[test]
    fn long_hashes_agree_with_independent_implementations() {
        each_library(|library| {
            for bytes in [0, 63, 64, 65, 1350, 16384] {
                let text = |algorithm| Fixtures::of(&Workload::new(Operation::Hash, algorithm, bytes));
                let fixtures = text(Algorithm::Sha256);
                check(library, Operation::Hash, Algorithm::Sha256, &fixtures, &sha2::Sha256::digest(&fixtures.text));
                let fixtures = text(Algorithm::Sha512);
                check(library, Operation::Hash, Algorithm::Sha512, &fixtures, &sha2::Sha512::digest(&fixtures.text));
                let fixtures = text(Algorithm::Blake2s256);
                let expected = blake2::Blake2s256::digest(&fixtures.text);
                check(library, Operation::Hash, Algorithm::Blake2s256, &fixtures, &expected);
            }
        });
    }
}
