//! Code that ring and aws-lc-rs share, since aws-lc-rs copies ring's API.

/// Implements AEADs, hashes and packets with the crate `$library`. Messages call it `$name`. `$aead` and `$hash` are
/// algorithms that ring lacks.
macro_rules! ring_api {
    ($library:ident, $name:literal $(, aeads: [$($aead:pat => $key:ident),*], hash: $hash:pat => $digest:ident)?) => {
        mod ring_api {
            use $library::aead::quic::{self, HeaderProtectionKey};
            use $library::aead::{self, Aad, LessSafeKey, UnboundKey};
            use $library::digest;

            use crate::loops::aead::{Nonce, Tag};
            use crate::loops::packets::{self, HeaderKey, HeaderProtectionSample, Mask, PacketAead};
            use crate::loops::repeated::{put, repeated_job};
            use crate::loops::{failed, rejected};
            use crate::fixtures::Fixtures;
            use crate::{PreparedJob, Result, Unsupported};
            use kasoku_model::algorithm::Algorithm;
            use kasoku_model::workload::{Packets, Workload};

            pub(super) fn keys(
                workload: &Workload,
            ) -> Result<impl Fn(&[u8]) -> Result<LessSafeKey, Unsupported> + use<>, Unsupported> {
                let algorithm = match workload.algorithm {
                    Algorithm::Aes128Gcm => &aead::AES_128_GCM,
                    Algorithm::Aes256Gcm => &aead::AES_256_GCM,
                    Algorithm::ChaCha20Poly1305 => &aead::CHACHA20_POLY1305,
                    $($($aead => &aead::$key,)*)?
                    _ => return Err(Unsupported::algorithm($name, workload)),
                };
                Ok(move |key: &[u8]| {
                    let key = UnboundKey::new(algorithm, key).map_err(|_| rejected("key"))?;
                    Ok(LessSafeKey::new(key))
                })
            }

            pub(super) fn hash(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
                let algorithm = match workload.algorithm {
                    Algorithm::Sha1 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
                    Algorithm::Sha256 => &digest::SHA256,
                    Algorithm::Sha512 => &digest::SHA512,
                    $($hash => &digest::$digest,)?
                    _ => return Err(Unsupported::algorithm($name, workload)),
                };
                Ok(repeated_job(&fixtures.text, algorithm.output_len(), None, move |text, output| {
                    Ok(put(output, [digest::digest(algorithm, text).as_ref()]))
                }))
            }

            pub(super) fn packets(workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
                let header = match workload.algorithm {
                    Algorithm::Aes128Gcm => &quic::AES_128,
                    Algorithm::Aes256Gcm => &quic::AES_256,
                    _ => return Err(Unsupported::algorithm($name, workload)),
                };
                packets::packets(workload, packets, fixtures, keys(workload)?, |key| {
                    HeaderProtectionKey::new(header, key).map_err(|_| rejected("header key"))
                })
            }

            impl PacketAead for LessSafeKey {
                #[inline]
                fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
                    let nonce = aead::Nonce::assume_unique_for_key(*nonce);
                    let computed =
                        self.seal_in_place_separate_tag(nonce, Aad::from(aad), text).map_err(|_| failed("seal"))?;
                    tag.copy_from_slice(computed.as_ref());
                    Ok(())
                }

                #[inline]
                fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
                    let nonce = aead::Nonce::assume_unique_for_key(*nonce);
                    self.open_in_place(nonce, Aad::from(aad), sealed).map(|_| ()).map_err(|_| failed("open"))
                }
            }

            impl HeaderKey for HeaderProtectionKey {
                #[inline]
                fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask> {
                    self.new_mask(sample).map_err(|_| failed("make a mask"))
                }
            }
        }
    };
}
pub(crate) use ring_api;
