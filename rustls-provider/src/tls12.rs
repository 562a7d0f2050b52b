//! The records of TLS 1.2 (RFC 5288): eight bytes of each nonce are sent with it.

use kasoku_engine::{TAG_BYTES, numbered_nonce};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    NONCE_LEN, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError, make_tls12_aad,
};
use rustls::{ConnectionTrafficSecrets, Error};

use crate::aead::AesGcm;

/// Bytes of a nonce that come from the key exchange.
const FIXED_BYTES: usize = 4;

/// Bytes of a nonce that are sent.
const EXPLICIT_BYTES: usize = NONCE_LEN - FIXED_BYTES;

/// The most text of a record (RFC 5246 §6.2.1).
const MAX_TEXT: usize = 1 << 14;

impl Tls12AeadAlgorithm for AesGcm {
    fn encrypter(&self, key: AeadKey, fixed: &[u8], explicit: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Sealer { key: self.expand(&key), iv: whole_iv(fixed, explicit) })
    }

    fn decrypter(&self, key: AeadKey, fixed: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Opener { key: self.expand(&key), iv: whole_iv(fixed, &[]) })
    }

    /// The explicit part is not sent as zeros first, but begins where the key block says and is counted on from there:
    /// as good as random to who sees it, and never twice the same under one key.
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

/// The records that one side sends.
struct Sealer {
    key: kasoku_engine::AesGcm,
    /// The nonce of record 0; the others are that with their number.
    iv: [u8; NONCE_LEN],
}

/// The records that one side receives.
struct Opener {
    key: kasoku_engine::AesGcm,
    /// The fixed part, and zeros where each record's own part goes.
    iv: [u8; NONCE_LEN],
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

/// Both parts, each as long as the key block's shape says.
fn whole_iv(fixed: &[u8], explicit: &[u8]) -> [u8; NONCE_LEN] {
    let mut iv = [0; NONCE_LEN];
    for (byte, given) in iv[..FIXED_BYTES].iter_mut().zip(fixed) {
        *byte = *given;
    }
    for (byte, given) in iv[FIXED_BYTES..].iter_mut().zip(explicit) {
        *byte = *given;
    }
    iv
}
