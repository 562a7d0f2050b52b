//! Two independent AES-GCM implementations. If both agree, the result is taken as right. (On AArch64 there is only
//! one.)

#![allow(dead_code, reason = "each test uses its part")]

use aes_gcm::aead::consts::U12;
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AeadInOut, KeyInit};
#[cfg(not(target_arch = "aarch64"))]
use aws_lc_rs::aead;

pub(crate) type Tag = [u8; 16];

/// AWS-LC is not built for this architecture.
#[cfg(target_arch = "aarch64")]
pub(crate) type AwsLc = RustCrypto;

/// An AES-GCM key of AWS-LC.
#[cfg(not(target_arch = "aarch64"))]
pub(crate) struct AwsLc(aead::LessSafeKey);

#[cfg(not(target_arch = "aarch64"))]
impl AwsLc {
    pub(crate) fn new(key: &[u8]) -> Self {
        let algorithm = match key.len() {
            16 => &aead::AES_128_GCM,
            24 => &aead::AES_192_GCM,
            _ => &aead::AES_256_GCM,
        };
        Self(aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, key).unwrap()))
    }

    pub(crate) fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: &mut [u8]) -> Tag {
        let nonce = aead::Nonce::assume_unique_for_key(*nonce);
        let tag = self.0.seal_in_place_separate_tag(nonce, aead::Aad::from(aad), text).unwrap();
        tag.as_ref().try_into().unwrap()
    }
}

/// An AES-GCM key of RustCrypto's `aes-gcm`, for nonces of `N` bytes.
pub(crate) struct RustCrypto<N = U12>(Box<dyn Seal<N>>);

impl<N: aes_gcm::aead::array::ArraySize> RustCrypto<N> {
    pub(crate) fn new(key: &[u8]) -> Self {
        Self(match key.len() {
            16 => Box::new(aes_gcm::AesGcm::<Aes128, N>::new_from_slice(key).unwrap()),
            24 => Box::new(aes_gcm::AesGcm::<Aes192, N>::new_from_slice(key).unwrap()),
            _ => Box::new(aes_gcm::AesGcm::<Aes256, N>::new_from_slice(key).unwrap()),
        })
    }

    pub(crate) fn seal(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Tag {
        self.0.seal(nonce, aad, text)
    }
}

trait Seal<N> {
    fn seal(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Tag;
}

impl<N: aes_gcm::aead::array::ArraySize, C: AeadInOut<NonceSize = N, TagSize = aes_gcm::aead::consts::U16>> Seal<N>
    for C
{
    fn seal(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Tag {
        let nonce = nonce.try_into().unwrap();
        self.encrypt_inout_detached(nonce, aad, InOutBuf::from(text)).unwrap().into()
    }
}
