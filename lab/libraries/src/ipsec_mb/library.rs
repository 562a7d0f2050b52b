//! The opened library: selects the variant for this CPU and prepares jobs.

use std::sync::Arc;

use super::multi_buffer::{MultiBuffer, VARIANTS, Variant};
use super::{ENTRY, Switch};
use crate::fixtures::Fixtures;
use crate::loops::aead::two_buffer_job;
use crate::loops::packets::packets;
use crate::loops::packets::running::{running, updates};
use crate::{Library, LibraryDescription, Opening, PreparedJob, Unavailable, Unsupported, install};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Packets, Workload};

pub(super) fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let state = opening.acceleration.unwrap_or(Acceleration::On);
    if let Switch::None(why) = (ENTRY.switch)(state) {
        return Err(Unavailable::new(why));
    }
    let multi_buffer = MultiBuffer::load(opening.library_file.as_deref()).map_err(|why| Unavailable {
        why,
        install: opening.library_file.is_none().then(|| install::IPSEC_MB.to_owned()),
    })?;
    let is_allowed = |variant: &&Variant| match state {
        Acceleration::NoVaes => !variant.is_vector_aes,
        Acceleration::NoAvx512 => variant.vectors != "avx512",
        _ => true,
    };
    let mut allowed = VARIANTS.iter().filter(is_allowed);
    let variant = allowed.find(|variant| variant.runs_here() && multi_buffer.exports(variant)).ok_or_else(|| {
        Unavailable::new(format!(
            "ipsec-mb {} exports no AES-GCM that this CPU can run; it may offer it through its manager, whose layout \
             changes with the version",
            multi_buffer.version
        ))
    })?;
    Ok(Box::new(IpsecMb { multi_buffer, variant }))
}

struct IpsecMb {
    multi_buffer: Arc<MultiBuffer>,
    variant: &'static Variant,
}

impl Library for IpsecMb {
    fn description(&self) -> LibraryDescription {
        LibraryDescription {
            version: self.multi_buffer.version.clone(),
            cpu_features: Some(self.variant.name.to_owned()),
            loaded_from: self.multi_buffer.loaded_from.clone(),
        }
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match workload.algorithm {
            Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => aead(&self.multi_buffer, self.variant, workload, fixtures),
            _ => Err(Unsupported::new(
                "ipsec-mb is measured with AES-GCM; all else needs its manager, whose layout changes with the version",
            )),
        }
    }

    fn prepare_updates(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        if !matches!(workload.algorithm, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm) {
            return Err(Unsupported::algorithm("ipsec-mb", workload));
        }
        let key = self.multi_buffer.gcm(self.variant, &fixtures.key, MultiBuffer::context())?;
        updates(fixtures, self.multi_buffer.message(self.variant, key, fixtures.key.len())?)
    }

    fn prepare_packets(&self, workload: &Workload, shape: Packets, fixtures: &Fixtures) -> PreparedJob {
        let gcm = |key: &[u8]| self.multi_buffer.gcm(self.variant, key, MultiBuffer::context());
        if workload.operation == Operation::Seal && !shape.setup {
            let message = self.multi_buffer.message(self.variant, gcm(&fixtures.key)?, fixtures.key.len())?;
            return running(shape, fixtures, message);
        }
        packets(workload, shape, fixtures, gcm, |key| self.multi_buffer.header_mask(self.variant, key))
    }
}

fn aead(
    multi_buffer: &Arc<MultiBuffer>,
    variant: &'static Variant,
    workload: &Workload,
    fixtures: &Fixtures,
) -> PreparedJob {
    let (context, multi_buffer) = (MultiBuffer::context(), Arc::clone(multi_buffer));
    two_buffer_job(workload, fixtures, move |key| multi_buffer.gcm(variant, key, context.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rustcrypto;

    /// Opens the library, or prints why it is missing. In CI a missing library is a failure.
    fn opened(acceleration: Acceleration) -> Option<Box<dyn Library>> {
        match open(&Opening { acceleration: Some(acceleration), ..Opening::default() }) {
            Ok(library) => Some(library),
            Err(error) => {
                assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{error}");
                eprintln!("not tested: {error}");
                None
            }
        }
    }

    #[test]
    fn ipsec_mb_variants_match_rustcrypto_for_all_lengths() {
        let Some(_) = opened(Acceleration::On) else { return };
        let multi_buffer = MultiBuffer::load(None).unwrap();
        let reference = (rustcrypto::ENTRY.open)(&Opening::default()).unwrap();
        let is_usable = |variant: &&Variant| variant.runs_here() && multi_buffer.exports(variant);
        let variants: Vec<&'static Variant> = VARIANTS.iter().filter(is_usable).collect();
        assert!(!variants.is_empty());
        let lengths = (0..=300).chain([511, 512, 513, 767, 1023, 1350, 1440, 4096, 8191, 16384, 65_537]);
        for length in lengths {
            for algorithm in [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm] {
                let [seals, opens] =
                    [Operation::Seal, Operation::Open].map(|one| Workload::new(one, algorithm, length));
                let mut fixtures = Fixtures::of(&seals);
                for aad in [13, 0, 1, 16, 20, 300] {
                    fixtures.aad = (0..aad).map(|index| (index * 7) as u8).collect();
                    let mut expected = reference.prepare(&seals, &fixtures).unwrap();
                    expected.run(1).unwrap();
                    let sealed = expected.output();
                    for &variant in &variants {
                        let what = format!("{algorithm} {} {length} bytes, {aad} of AAD", variant.name);
                        let job = |workload| aead(&multi_buffer, variant, workload, &fixtures).unwrap();
                        let mut seal = job(&seals);
                        seal.run(1).unwrap();
                        assert_eq!(seal.output(), sealed, "{what}");
                        let mut opening = job(&opens);
                        opening.run(2).unwrap();
                        assert_eq!(opening.output(), [&sealed[..], &fixtures.text].concat(), "{what}");
                    }
                }
            }
        }
    }

    #[test]
    fn ipsec_mb_can_disable_only_vaes_and_avx512() {
        let Some(library) = opened(Acceleration::NoVaes) else { return };
        let variant = library.description().cpu_features.unwrap();
        assert!(!variant.contains("vaes"), "{variant}");
        let variant = opened(Acceleration::NoAvx512).unwrap().description().cpu_features.unwrap();
        assert!(!variant.contains("avx512"), "{variant}");
        for state in [Acceleration::Off, Acceleration::NoAes, Acceleration::NoClmul, Acceleration::NoSha] {
            assert!(open(&Opening { acceleration: Some(state), ..Opening::default() }).is_err(), "{state}");
        }
    }

    #[test]
    fn ipsec_mb_names_the_file_that_is_not_the_library() {
        for (file, expected) in [("/nonexistent/libIPSec_MB.so.1", "nonexistent"), ("libc.so.6", "libc.so.6")] {
            let error = open(&Opening { library_file: Some(file.into()), ..Opening::default() }).err().unwrap();
            assert!(error.why.contains(expected), "{error}");
        }
    }

    #[test]
    fn ipsec_mb_explains_that_cbc_needs_the_job_manager() {
        let Some(library) = opened(Acceleration::On) else { return };
        let workload = Workload::new(Operation::Encrypt, Algorithm::Aes128Cbc, 64);
        let error = library.prepare(&workload, &Fixtures::of(&workload)).err().unwrap();
        assert!(error.why.contains("manager"), "{error}");
    }
}
