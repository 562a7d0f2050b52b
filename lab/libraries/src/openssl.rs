//! The library `openssl`: OpenSSL's libcrypto 3.0 or later, loaded at run time.
//!
//! Building needs no headers, and one binary measures several versions ([`Opening::library_file`]). If a version lacks
//! a function, only the workloads that need it are unsupported.

mod aead;
mod asymmetric;
mod cipher;
mod files;
pub(crate) mod libcrypto;
#[cfg(target_os = "linux")]
pub use libcrypto::connection;
mod record;

use std::ffi::CStr;
use std::sync::Arc;

use super::files::{FileJob, FileWork};
use super::{
    Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Unavailable, Unsupported, openssl_switch,
    require_default_nonces_and_one_key,
};
use crate::fixtures::Fixtures;
use crate::loops::repeated::repeated_job_into;
use crate::switch::{OPENSSL_VARIABLES, vaes_needs_avx512};
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library;
use kasoku_model::workload::{Operation, Packets, Workload};
use libcrypto::Libcrypto;
use libcrypto::cipher_context::CipherDirection;
use libcrypto::digest_context::{Digest, DigestContext, MAX_DIGEST_BYTES};

pub const ENTRY: LibraryEntry = LibraryEntry {
    is_loaded: true,
    variables: OPENSSL_VARIABLES,
    has_files: true,
    why_no_vaes,
    ..LibraryEntry::new(library::OPENSSL, "OpenSSL's libcrypto, loaded", open, openssl_switch)
};

fn why_no_vaes(version: &str, has_avx512: bool) -> Option<&'static str> {
    let number = version.trim_start_matches("OpenSSL ");
    match number.starts_with("3.0.") {
        true => Some("OpenSSL before 3.1 has no VAES path"),
        false => vaes_needs_avx512(version, has_avx512),
    }
}

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    Ok(Box::new(OpenSsl { libcrypto: Libcrypto::open(opening.library_file.as_deref())? }))
}

struct OpenSsl {
    libcrypto: Arc<Libcrypto>,
}

impl Library for OpenSsl {
    fn description(&self) -> LibraryDescription {
        LibraryDescription {
            version: self.libcrypto.version.clone(),
            cpu_features: self.libcrypto.cpu_settings(),
            loaded_from: self.libcrypto.loaded_from.as_ref().map(|path| path.display().to_string()),
        }
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let Workload { operation, algorithm, .. } = *workload;
        let libcrypto = &self.libcrypto;
        if !operation.applies_to(algorithm.kind()) {
            return Err(Unsupported::new(format!("{algorithm} cannot {operation}")));
        }
        match (algorithm.kind(), operation) {
            (AlgorithmKind::Cipher, Operation::Decrypt) => {
                cipher::prepare(libcrypto, algorithm, CipherDirection::Decrypt, fixtures)
            }
            (AlgorithmKind::Cipher, _) => cipher::prepare(libcrypto, algorithm, CipherDirection::Encrypt, fixtures),
            (AlgorithmKind::Aead, _) if algorithm == Algorithm::Aes128CbcHmacSha1 => {
                require_default_nonces_and_one_key(workload)?;
                record::prepare(libcrypto, operation, fixtures)
            }
            (AlgorithmKind::Aead, _) => aead::prepare(libcrypto, workload, fixtures),
            (AlgorithmKind::Hash, _) => hash(libcrypto, algorithm, fixtures),
            (AlgorithmKind::KeyAgreement | AlgorithmKind::Signature | AlgorithmKind::Kem, _) => {
                asymmetric::prepare(libcrypto, algorithm, operation, fixtures)
            }
            (AlgorithmKind::Suite | AlgorithmKind::CipherSuite, _) => {
                Err(Unsupported::new(format!("openssl is not measured with {algorithm}")))
            }
        }
    }

    fn prepare_updates(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        aead::prepare_updates(&self.libcrypto, workload, fixtures)
    }

    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        aead::prepare_packets(&self.libcrypto, workload, packets, fixtures)
    }

    fn prepare_file(&self, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
        files::prepare(&self.libcrypto, work)
    }
}

fn hash(libcrypto: &Arc<Libcrypto>, algorithm: Algorithm, fixtures: &Fixtures) -> PreparedJob {
    let name = match algorithm {
        Algorithm::Sha1 => c"SHA1",
        Algorithm::Sha256 => c"SHA256",
        Algorithm::Sha512 => c"SHA512",
        Algorithm::Sha3_256 => c"SHA3-256",
        Algorithm::Blake2s256 => c"BLAKE2s256",
        Algorithm::Blake2b512 => c"BLAKE2b512",
        _ => return Err(Unsupported::new(format!("{algorithm} is no hash"))),
    };
    let (digest, context) = (Digest::find(libcrypto, name)?, DigestContext::new(libcrypto)?);
    Ok(repeated_job_into([0; MAX_DIGEST_BYTES], &fixtures.text, None, move |message, output| {
        context.hash(&digest, message, output)
    }))
}

fn cipher_name(algorithm: Algorithm) -> Result<&'static CStr, Unsupported> {
    Ok(match algorithm {
        Algorithm::DesEde3Cbc => c"DES-EDE3-CBC",
        Algorithm::BlowfishCbc => c"BF-CBC",
        Algorithm::Camellia128Cbc => c"CAMELLIA-128-CBC",
        Algorithm::Camellia256Cbc => c"CAMELLIA-256-CBC",
        Algorithm::Aes128Cbc => c"AES-128-CBC",
        Algorithm::Aes256Cbc => c"AES-256-CBC",
        Algorithm::Aes128Ctr => c"AES-128-CTR",
        Algorithm::Aes256Ctr => c"AES-256-CTR",
        Algorithm::Aes256Xts => c"AES-256-XTS",
        Algorithm::Aes128Gcm => c"AES-128-GCM",
        Algorithm::Aes256Gcm => c"AES-256-GCM",
        Algorithm::Aes128GcmSiv => c"AES-128-GCM-SIV",
        Algorithm::Aes256GcmSiv => c"AES-256-GCM-SIV",
        Algorithm::Aes128Ccm => c"AES-128-CCM",
        Algorithm::Aes128Ocb => c"AES-128-OCB",
        Algorithm::ChaCha20Poly1305 => c"ChaCha20-Poly1305",
        _ => return Err(Unsupported::new(format!("{algorithm} is no cipher and no AEAD of one call"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    impl OpenSsl {
        pub(super) fn libcrypto(&self) -> &Arc<Libcrypto> {
            &self.libcrypto
        }
    }

    /// Runs `test` on the system's libcrypto and on the files in `KASOKU_TEST_LIBCRYPTO`, separated by `:`. Without a
    /// system libcrypto, fails in CI and prints a note elsewhere.
    pub(super) fn each_library(mut test: impl FnMut(&OpenSsl)) {
        let more = std::env::var_os("KASOKU_TEST_LIBCRYPTO").unwrap_or_default();
        let named = std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty());
        for path in named {
            test(&OpenSsl { libcrypto: Libcrypto::open(Some(&path)).unwrap() });
        }
        if let Some(libcrypto) = libcrypto() {
            test(&OpenSsl { libcrypto });
        }
    }

    pub(super) fn libcrypto() -> Option<Arc<Libcrypto>> {
        match Libcrypto::open(None) {
            Ok(libcrypto) => Some(libcrypto),
            Err(missing) => {
                assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{missing}; {:?}", missing.install);
                eprintln!("not tested: {missing}; {:?}", missing.install);
                None
            }
        }
    }

    pub(super) fn output_of(
        library: &dyn Library,
        operation: Operation,
        algorithm: Algorithm,
        fixtures: &Fixtures,
        iterations: u64,
    ) -> Vec<u8> {
        let workload = Workload::new(operation, algorithm, fixtures.text.len());
        let mut job = library.prepare(&workload, fixtures).unwrap();
        job.run(iterations).unwrap();
        job.output()
    }

    fn has_aes() -> bool {
        #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
        return std::arch::is_x86_feature_detected!("aes") && std::env::var_os("OPENSSL_ia32cap").is_none();
        #[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
        return false;
    }

    #[test]
    fn openssl_names_the_missing_library_file() {
        let opening = Opening { library_file: Some("/nowhere/libcrypto.so.9".into()), ..Opening::default() };
        let why = open(&opening).map(|_| ()).unwrap_err().why;
        assert!(why.contains("/nowhere/libcrypto.so.9"), "{why}");
    }

    #[test]
    fn openssl_description_has_version_file_and_cpu_features() {
        each_library(|library| {
            let description = library.description();
            assert!(description.version.starts_with(|first: char| first.is_ascii_digit()), "{description:?}");
            assert!(!description.version.contains(' '), "{description:?}");
            if cfg!(target_os = "linux") {
                assert!(description.loaded_from.unwrap().contains("libcrypto"));
            }
            if cfg!(target_arch = "x86_64") {
                assert!(description.cpu_features.unwrap().starts_with("OPENSSL_ia32cap=0x"));
            }
        });
    }

    #[test]
    fn openssl_rejects_operations_of_other_algorithm_kinds() {
        each_library(|library| {
            let workload =
                Workload { operation: Operation::Sign, ..Workload::new(Operation::Hash, Algorithm::Sha256, 32) };
            let why = library.prepare(&workload, &Fixtures::default()).map(|_| ()).unwrap_err().why;
            assert_eq!(why, "sha-256 cannot sign");
        });
    }

    #[test]
    fn openssl_names_the_version_or_provider_that_an_algorithm_needs() {
        each_library(|library| {
            for &algorithm in Algorithm::ALL {
                let workload = Workload::new(Operation::of(algorithm.kind())[0], algorithm, 64);
                let Err(refusal) = library.prepare(&workload, &Fixtures::of(&workload)) else { continue };
                let is_before = |minor| !library.libcrypto.is_at_least(3, minor);
                let (is_known, reason) = match algorithm {
                    Algorithm::BlowfishCbc => (true, "legacy provider"),
                    Algorithm::Aes128CbcHmacSha1 => (!has_aes(), "AES instructions"),
                    Algorithm::MlKem768 | Algorithm::MlDsa65 => (is_before(5), "needs OpenSSL 3.5 or later; this is"),
                    Algorithm::Aes128GcmSiv | Algorithm::Aes256GcmSiv => (is_before(2), "does not offer AES-"),
                    Algorithm::Xaes256Gcm => (true, "no AEAD of one call"),
                    _ => (false, ""),
                };
                let version = &library.libcrypto.version;
                assert!(is_known && refusal.why.contains(reason), "{version} {workload}: {refusal}");
            }
        });
    }

    #[test]
    fn openssl_jobs_run_in_parallel_threads() {
        each_library(|library| {
            let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 1350);
            let fixtures = Fixtures::of(&workload);
            let expected = output_of(library, Operation::Seal, Algorithm::Aes128Gcm, &fixtures, 1);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..50 {
                            let output = output_of(library, Operation::Seal, Algorithm::Aes128Gcm, &fixtures, 1);
                            assert_eq!(output, expected);
                        }
                    });
                }
            });
        });
    }
}
