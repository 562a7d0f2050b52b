//! Protects TLS 1.2 records (RFC 5288), each of which carries eight bytes of its nonce.

use kasoku_engine::{TAG_BYTES, numbered_nonce};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    NONCE_LEN, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError, make_tls12_aad,
};
use rustls::{ConnectionTrafficSecrets, Error};

use crate::aead::AesGcm;

/// Number of nonce bytes that come from the key exchange.
pub(crate) const FIXED_BYTES: usize = 4;

/// Number of nonce bytes that a record carries.
pub(crate) const EXPLICIT_BYTES: usize = NONCE_LEN - FIXED_BYTES;

/// Maximum length of a record's text in bytes (RFC 5246 §6.2.1).
pub(crate) const MAX_TEXT: usize = 1 << 14;

impl Tls12AeadAlgorithm for AesGcm {
    fn encrypter(&self, key: AeadKey, fixed: &[u8], explicit: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Sealer { key: self.expand(key.as_ref()), iv: whole_iv(fixed, explicit) })
    }

    fn decrypter(&self, key: AeadKey, fixed: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Opener { key: self.expand(key.as_ref()), iv: whole_iv(fixed, &[]) })
    }

    /// Requests an explicit nonce part from the key block. Each record's explicit part is this value XOR the record's
    /// number, so that it looks random and never repeats under one key.
    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: self.key_bytes, fixed_iv_len: FIXED_BYTES, explicit_nonce_len: EXPLICIT_BYTES }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        fixed: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(self.secrets(key, Iv::new(whole_iv(fixed, explicit))))
    }
}

/// Seals the records that this side sends.
pub(crate) struct Sealer {
    pub(crate) key: kasoku_engine::AesGcm,
    /// Nonce of record 0. The nonce of record *n* is `iv` XOR *n*.
    pub(crate) iv: [u8; NONCE_LEN],
}

/// Opens the records that the other side sends.
pub(crate) struct Opener {
    pub(crate) key: kasoku_engine::AesGcm,
    /// Fixed part of the nonces, followed by zeros in place of each record's explicit part.
    pub(crate) iv: [u8; NONCE_LEN],
}

impl MessageEncrypter for Sealer {
    fn encrypt(&mut self, message: OutboundPlainMessage<'_>, number: u64) -> Result<OutboundOpaqueMessage, Error> {
        let text_bytes = message.payload.len();
        let nonce = numbered_nonce(&self.iv, number);
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(text_bytes));
        payload.extend_from_slice(&nonce[FIXED_BYTES..]);
        payload.extend_from_chunks(&message.payload);
        let aad = make_tls12_aad(number, message.typ, message.version, text_bytes);
        let text = &mut payload.as_mut()[EXPLICIT_BYTES..];
        let tag = self.key.seal(&nonce, &aad, text).map_err(|_| Error::EncryptError)?;
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(message.typ, message.version, payload))
    }

    fn encrypted_payload_len(&self, text_bytes: usize) -> usize {
        EXPLICIT_BYTES + text_bytes + TAG_BYTES
    }
}

impl MessageDecrypter for Opener {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let (content_type, version) = (message.typ, message.version);
        let (explicit, rest) = message.payload.split_first_chunk_mut::<EXPLICIT_BYTES>().ok_or(Error::DecryptError)?;
        let (text, tag) = rest.split_last_chunk_mut::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        let mut nonce = self.iv;
        nonce[FIXED_BYTES..].copy_from_slice(explicit);
        let aad = make_tls12_aad(number, content_type, version, text.len());
        self.key.open(&nonce, &aad, text, tag).map_err(|_| Error::DecryptError)?;
        if text.len() > MAX_TEXT {
            return Err(Error::PeerSentOversizedRecord);
        }
        let text = EXPLICIT_BYTES..EXPLICIT_BYTES + text.len();
        Ok(message.into_plain_message_range(text))
    }
}

/// Joins the fixed and the explicit part, whose lengths the key block's shape fixes.
pub(crate) fn whole_iv(fixed: &[u8], explicit: &[u8]) -> [u8; NONCE_LEN] {
    let mut iv = [0; NONCE_LEN];
    for (byte, given) in iv[..FIXED_BYTES].iter_mut().zip(fixed) {
        *byte = *given;
    }
    for (byte, given) in iv[FIXED_BYTES..].iter_mut().zip(explicit) {
        *byte = *given;
    }
    iv
}
