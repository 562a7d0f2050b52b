//! Address-validation tokens (RFC 9000 §8.1) and stateless resets (§10.3), which only the endpoint itself reads.

use kasoku_engine::{AesGcm, TAG_BYTES};
use quinn_proto::crypto::{AeadKey, CryptoError, HandshakeTokenKey, HmacKey};
use rustls::Error;
use rustls::crypto::CryptoProvider;
use rustls::crypto::tls13::{Hkdf, OkmBlock};
use zeroize::Zeroizing;

use crate::aead::made;

/// Length of a secret and of a signature in bytes.
const BYTES: usize = 32;

/// Master key of tokens: each token gets a key derived from it and from quinn's random bytes.
pub(super) struct TokenKey {
    hkdf: &'static dyn Hkdf,
    secret: OkmBlock,
}

/// Key that computes stateless reset tokens from connection IDs.
pub(super) struct ResetKey {
    hkdf: &'static dyn Hkdf,
    secret: OkmBlock,
}

impl TokenKey {
    pub(super) fn random(provider: &CryptoProvider) -> Result<Self, Error> {
        Ok(Self { hkdf: hkdf_of(provider)?, secret: random_secret(provider)? })
    }
}

impl ResetKey {
    pub(super) fn random(provider: &CryptoProvider) -> Result<Self, Error> {
        Ok(Self { hkdf: hkdf_of(provider)?, secret: random_secret(provider)? })
    }
}

impl HandshakeTokenKey for TokenKey {
    fn aead_from_hkdf(&self, random_bytes: &[u8]) -> Box<dyn AeadKey> {
        let mut key = Zeroizing::new([0; BYTES]);
        // Fails only for output of more than 255 hashes.
        let _ = self.hkdf.expander_for_okm(&self.secret).expand_slice(&[random_bytes], &mut *key);
        Box::new(Sealed(made(AesGcm::new(&*key))))
    }
}

/// Key for a single message, so that the nonce may be constant.
struct Sealed(AesGcm);

const NONCE: [u8; 12] = [0; 12];

impl AeadKey for Sealed {
    fn seal(&self, data: &mut Vec<u8>, aad: &[u8]) -> Result<(), CryptoError> {
        let tag = self.0.seal(&NONCE, aad, data).map_err(|_| CryptoError)?;
        data.extend_from_slice(&tag);
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], aad: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let (text, tag) = data.split_last_chunk_mut::<TAG_BYTES>().ok_or(CryptoError)?;
        self.0.open(&NONCE, aad, text, tag).map_err(|_| CryptoError)?;
        Ok(text)
    }
}

impl HmacKey for ResetKey {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        let tag = self.hkdf.hmac_sign(&self.secret, data);
        signature.fill(0);
        for (byte, signed) in signature.iter_mut().zip(tag.as_ref()) {
            *byte = *signed;
        }
    }

    fn signature_len(&self) -> usize {
        BYTES
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        let mut expected = [0; BYTES];
        self.sign(data, &mut expected);
        // Compares all bytes, in constant time.
        let difference = expected.iter().zip(signature).fold(0, |all, (one, other)| all | (one ^ other));
        if signature.len() == BYTES && difference == 0 { Ok(()) } else { Err(CryptoError) }
    }
}

/// Returns the HKDF of the provider's first TLS 1.3 suite. Any hash will do, since all have at least 32 bytes.
fn hkdf_of(provider: &CryptoProvider) -> Result<&'static dyn Hkdf, Error> {
    let suite = provider.cipher_suites.iter().find_map(|suite| suite.tls13());
    suite.map(|suite| suite.hkdf_provider).ok_or_else(|| Error::General("the provider has no suite of TLS 1.3".into()))
}

fn random_secret(provider: &CryptoProvider) -> Result<OkmBlock, Error> {
    let mut secret = Zeroizing::new([0; BYTES]);
    provider.secure_random.fill(&mut *secret)?;
    Ok(OkmBlock::new(&*secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_open_only_with_their_own_key() {
        let provider = rustls::crypto::ring::default_provider();
        let (key, other) = (TokenKey::random(&provider).unwrap(), TokenKey::random(&provider).unwrap());
        let mut token = b"an address".to_vec();
        key.aead_from_hkdf(b"drawn").seal(&mut token, b"aad").unwrap();
        let open = |key: &TokenKey, drawn: &[u8], token: &[u8], aad: &[u8]| {
            key.aead_from_hkdf(drawn).open(&mut token.to_vec(), aad).map(|text| text.to_vec()).ok()
        };
        assert_eq!(open(&key, b"drawn", &token, b"aad").as_deref(), Some(&b"an address"[..]));
        assert_eq!(open(&key, b"drawn", &token, b""), None);
        assert_eq!(open(&key, b"other", &token, b"aad"), None);
        assert_eq!(open(&other, b"drawn", &token, b"aad"), None);
        assert_eq!(open(&key, b"drawn", &token[..15], b"aad"), None);
    }

    #[test]
    fn reset_key_accepts_its_signatures_and_rejects_changed_ones() {
        let [key, other] = [(); 2].map(|()| ResetKey::random(&rustls::crypto::ring::default_provider()).unwrap());
        let mut signature = vec![0; key.signature_len()];
        key.sign(b"data", &mut signature);
        assert!(key.verify(b"data", &signature).is_ok());
        assert!(key.verify(b"date", &signature).is_err());
        assert!(other.verify(b"data", &signature).is_err());
        assert!(key.verify(b"data", &signature[..31]).is_err());
        signature[31] ^= 1;
        assert!(key.verify(b"data", &signature).is_err());
    }
}
