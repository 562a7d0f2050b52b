//! The pre-release 0.24.0-dev.2 of rustls: [`accelerate`] for its providers, and its traits for [`AesGcm`].
//!
//! Records are sealed straight from the slices that hold their text into the buffer that rustls sends; rustls 0.23
//! needs a copy first. This module will follow rustls until 0.24.0, also with changes that break programs.
//!
//! ```
//! let provider = kasoku_rustls::rustls_024::accelerate(rustls_ring::DEFAULT_PROVIDER);
//! # drop(provider);
//! ```

use kasoku_engine::cpu::{self, Feature, Found};
use kasoku_engine::packet::limits;
use kasoku_engine::{TAG_BYTES, numbered_nonce};
use rustls_024::crypto::cipher::{
    AeadKey, InboundOpaque, Iv, NONCE_LEN, OutboundPlain, Record, RecordDecrypter, RecordEncrypter, Tls13AeadAlgorithm,
    UnsupportedOperationError, make_tls13_aad,
};
#[cfg(feature = "tls12")]
use rustls_024::crypto::cipher::{KeyBlockShape, Tls12AeadAlgorithm, make_tls12_aad};
use rustls_024::crypto::{CipherSuite, CryptoProvider};
use rustls_024::enums::ContentType;
use rustls_024::error::{ApiMisuse, Error};
use rustls_024::quic::{self, HeaderProtectionKey, PacketKey, Tag};
use rustls_024::{CipherSuiteCommon, ConnectionTrafficSecrets, Tls13CipherSuite};

use crate::aead::AesGcm;
use crate::nonce::{iv_bytes, nonce_on_path};
use crate::quic::{Header, Packet, SAMPLE_BYTES};
#[cfg(feature = "tls12")]
use crate::tls12::{EXPLICIT_BYTES, FIXED_BYTES, MAX_TEXT, Opener, Sealer, whole_iv};
use crate::tls13::{self, TYPE_BYTES};

/// Replaces AES-GCM in `provider` with Kasoku's. Nothing else changes, except that other suites come first on a CPU
/// without AES instructions. Key schedules, signatures, limits, and whether a suite supports QUIC stay those of
/// `provider`.
///
/// rustls needs suites that live for ever: each call leaks less than a kilobyte. Without the feature `tls12`, suites of
/// TLS 1.2 keep their AES-GCM.
#[must_use]
pub fn accelerate(mut provider: CryptoProvider) -> CryptoProvider {
    for suite in provider.tls13_cipher_suites.to_mut() {
        let Some(aead) = aead_of(suite.common.suite) else { continue };
        let quic = suite.quic.map(|_| aead as &dyn quic::Algorithm);
        let common = common(&suite.common);
        *suite = Box::leak(Box::new(Tls13CipherSuite { common, aead_alg: aead, quic, ..**suite }));
    }
    #[cfg(feature = "tls12")]
    for suite in provider.tls12_cipher_suites.to_mut() {
        let Some(aead) = aead_of(suite.common.suite) else { continue };
        let common = common(&suite.common);
        *suite = Box::leak(Box::new(rustls_024::Tls12CipherSuite { common, aead_alg: aead, ..**suite }));
    }
    if !cpu::preferred(Found::here().features()).needs().contains(&Feature::Aes) {
        provider.tls13_cipher_suites.to_mut().sort_by_key(|suite| aead_of(suite.common.suite).is_some());
        provider.tls12_cipher_suites.to_mut().sort_by_key(|suite| aead_of(suite.common.suite).is_some());
    }
    provider
}

/// Returns the algorithm of an AES-GCM suite.
fn aead_of(suite: CipherSuite) -> Option<&'static AesGcm> {
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256
        | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
        | CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => Some(&AesGcm::AES_128),
        CipherSuite::TLS13_AES_256_GCM_SHA384
        | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
        | CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 => Some(&AesGcm::AES_256),
        _ => None,
    }
}

fn common(theirs: &CipherSuiteCommon) -> CipherSuiteCommon {
    CipherSuiteCommon {
        suite: theirs.suite,
        hash_provider: theirs.hash_provider,
        confidentiality_limit: theirs.confidentiality_limit,
    }
}

/// Returns the traffic secrets, so that the kernel can take over the connection (kTLS).
fn secrets(aead: AesGcm, key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets {
    match aead.key_bytes {
        16 => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
        _ => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
    }
}

/// Seals the text of a record and then `last` into the first bytes of `out`, and writes the tag after them.
fn seal(
    key: &kasoku_engine::AesGcm,
    nonce: [u8; NONCE_LEN],
    aad: &[u8],
    text: &OutboundPlain<'_>,
    last: &[u8],
    out: &mut [u8],
) -> Result<(), Error> {
    let one;
    let (chunks, start, end) = match text {
        OutboundPlain::Multiple { chunks, start, end } => (*chunks, *start, *end),
        other => {
            one = [other.single_chunk().ok_or(Error::EncryptError)?];
            (&one[..], 0, other.len())
        }
    };
    // The part of each chunk that lies between `start` and `end`. (`OutboundPlain::chunks` cannot be cloned.)
    let slices = chunks.iter().scan(0, move |offset, chunk| {
        let from = *offset;
        *offset += chunk.len();
        Some(&chunk[start.clamp(from, *offset) - from..end.clamp(from, *offset) - from])
    });
    let (ciphertext, tag) = out.split_last_chunk_mut::<TAG_BYTES>().ok_or(Error::EncryptError)?;
    *tag = key.seal_vectored(&nonce, [aad], slices.chain([last]), ciphertext).map_err(|_| Error::EncryptError)?;
    Ok(())
}

/// Returns the first `required` bytes of the buffer that a record is written to.
fn room(out: &mut [u8], required: usize) -> Result<&mut [u8], Error> {
    let provided = out.len();
    out.get_mut(..required).ok_or(ApiMisuse::EncryptBufferTooSmall { required, provided }.into())
}

impl Tls13AeadAlgorithm for AesGcm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn RecordEncrypter> {
        Box::new(tls13::Record { key: self.expand(key.as_ref()), iv: iv_bytes(iv.as_ref()) })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn RecordDecrypter> {
        Box::new(tls13::Record { key: self.expand(key.as_ref()), iv: iv_bytes(iv.as_ref()) })
    }

    fn key_len(&self) -> usize {
        self.key_bytes
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(secrets(*self, key, iv))
    }
}

impl RecordEncrypter for tls13::Record {
    fn encrypt<'a>(
        &mut self,
        record: Record<OutboundPlain<'_>>,
        number: u64,
        out: &'a mut [u8],
    ) -> Result<Record<&'a [u8]>, Error> {
        let out = room(out, self.encrypted_payload_len(record.payload.len()))?;
        let typ = ContentType::ApplicationData;
        let aad = make_tls13_aad(typ, record.version.encode(), out.len());
        let nonce = numbered_nonce(&self.iv, number);
        seal(&self.key, nonce, &aad, &record.payload, &[u8::from(record.typ)], out)?;
        Ok(Record::new(typ, record.version, out))
    }

    fn encrypted_payload_len(&self, text_bytes: usize) -> usize {
        text_bytes + TYPE_BYTES + TAG_BYTES
    }
}

impl RecordDecrypter for tls13::Record {
    fn decrypt<'a>(&mut self, mut record: Record<InboundOpaque<'a>>, number: u64) -> Result<Record<&'a [u8]>, Error> {
        let aad = make_tls13_aad(record.typ, record.version.version(), record.payload.len());
        let (text, tag) = record.payload.split_last_chunk_mut::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        self.key.open(&numbered_nonce(&self.iv, number), &aad, text, tag).map_err(|_| Error::DecryptError)?;
        let text_bytes = text.len();
        record.payload.truncate(text_bytes);
        record.into_tls13_unpadded_record()
    }
}

#[cfg(feature = "tls12")]
impl Tls12AeadAlgorithm for AesGcm {
    fn encrypter(&self, key: AeadKey, fixed: &[u8], explicit: &[u8]) -> Box<dyn RecordEncrypter> {
        Box::new(Sealer { key: self.expand(key.as_ref()), iv: whole_iv(fixed, explicit) })
    }

    fn decrypter(&self, key: AeadKey, fixed: &[u8]) -> Box<dyn RecordDecrypter> {
        Box::new(Opener { key: self.expand(key.as_ref()), iv: whole_iv(fixed, &[]) })
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: self.key_bytes, fixed_iv_len: FIXED_BYTES, explicit_nonce_len: EXPLICIT_BYTES }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        fixed: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(secrets(*self, key, Iv::from(whole_iv(fixed, explicit))))
    }
}

#[cfg(feature = "tls12")]
impl RecordEncrypter for Sealer {
    fn encrypt<'a>(
        &mut self,
        record: Record<OutboundPlain<'_>>,
        number: u64,
        out: &'a mut [u8],
    ) -> Result<Record<&'a [u8]>, Error> {
        let text_bytes = record.payload.len();
        let out = room(out, self.encrypted_payload_len(text_bytes))?;
        let nonce = numbered_nonce(&self.iv, number);
        let (explicit, rest) = out.split_at_mut(EXPLICIT_BYTES);
        explicit.copy_from_slice(&nonce[FIXED_BYTES..]);
        let aad = make_tls12_aad(number, record.typ, record.version.encode(), text_bytes);
        seal(&self.key, nonce, &aad, &record.payload, &[], rest)?;
        Ok(Record::new(record.typ, record.version, out))
    }

    fn encrypted_payload_len(&self, text_bytes: usize) -> usize {
        EXPLICIT_BYTES + text_bytes + TAG_BYTES
    }
}

#[cfg(feature = "tls12")]
impl RecordDecrypter for Opener {
    fn decrypt<'a>(&mut self, mut record: Record<InboundOpaque<'a>>, number: u64) -> Result<Record<&'a [u8]>, Error> {
        let (typ, version) = (record.typ, record.version.version());
        let (explicit, rest) = record.payload.split_first_chunk_mut::<EXPLICIT_BYTES>().ok_or(Error::DecryptError)?;
        let (text, tag) = rest.split_last_chunk_mut::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        let mut nonce = self.iv;
        nonce[FIXED_BYTES..].copy_from_slice(explicit);
        let aad = make_tls12_aad(number, typ, version, text.len());
        self.key.open(&nonce, &aad, text, tag).map_err(|_| Error::DecryptError)?;
        if text.len() > MAX_TEXT {
            return Err(Error::PeerSentOversizedRecord);
        }
        let text = EXPLICIT_BYTES..EXPLICIT_BYTES + text.len();
        Ok(record.into_plain_record_range(text))
    }
}

impl quic::Algorithm for AesGcm {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        Box::new(Packet { key: self.expand(key.as_ref()), iv: iv_bytes(iv.as_ref()) })
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(Header { key: self.expand_header_key(key.as_ref()) })
    }

    fn aead_key_len(&self) -> usize {
        self.key_bytes
    }
}

impl PacketKey for Packet {
    fn encrypt_in_place(
        &self,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
        path: Option<u32>,
    ) -> Result<Tag, Error> {
        let nonce = nonce_on_path(&self.iv, path.unwrap_or(0), number);
        let tag = self.key.seal(&nonce, header, payload).map_err(|_| Error::EncryptError)?;
        Ok(Tag::from(&tag[..]))
    }

    fn decrypt_in_place<'a>(
        &self,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
        path: Option<u32>,
    ) -> Result<&'a [u8], Error> {
        let nonce = nonce_on_path(&self.iv, path.unwrap_or(0), number);
        let (text, tag) = payload.split_last_chunk_mut::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        self.key.open(&nonce, header, text, tag).map_err(|_| Error::DecryptError)?;
        Ok(text)
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    fn confidentiality_limit(&self) -> u64 {
        limits::CONFIDENTIALITY
    }

    fn integrity_limit(&self) -> u64 {
        limits::INTEGRITY
    }
}

impl HeaderProtectionKey for Header {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.xor(sample, first, number, false).map_err(Error::General)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.xor(sample, first, number, true).map_err(Error::General)
    }

    fn sample_len(&self) -> usize {
        SAMPLE_BYTES
    }
}
