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
    use crate::openssl::tests::{check, each_library};
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::{Operation, Workload};

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
