//! Protects TLS 1.3 records (RFC 8446 §5.2).

use kasoku_engine::{TAG_BYTES, numbered_nonce};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter, NONCE_LEN,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm, UnsupportedOperationError,
    make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

use crate::aead::AesGcm;
use crate::nonce::iv_bytes;

impl Tls13AeadAlgorithm for AesGcm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Record { key: self.expand(key.as_ref()), iv: iv_bytes(iv.as_ref()) })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Record { key: self.expand(key.as_ref()), iv: iv_bytes(iv.as_ref()) })
    }

    fn key_len(&self) -> usize {
        self.key_bytes
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(self.secrets(key, iv))
    }
}

/// Length in bytes of the content type, which follows the text.
pub(crate) const TYPE_BYTES: usize = 1;

/// Key of the records in one direction.
pub(crate) struct Record {
    pub(crate) key: kasoku_engine::AesGcm,
    pub(crate) iv: [u8; NONCE_LEN],
}

impl MessageEncrypter for Record {
    /// Copies the text once, to the output buffer, and seals it there in place.
    fn encrypt(&mut self, message: OutboundPlainMessage<'_>, number: u64) -> Result<OutboundOpaqueMessage, Error> {
        let bytes = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(bytes);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&[u8::from(message.typ)]);
        let tag = self
            .key
            .seal(&numbered_nonce(&self.iv, number), &make_tls13_aad(bytes), payload.as_mut())
            .map_err(|_| Error::EncryptError)?;
        payload.extend_from_slice(&tag);
        // Every protected record has this outer type and version (RFC 8446 §5.2).
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, text_bytes: usize) -> usize {
        text_bytes + TYPE_BYTES + TAG_BYTES
    }
}

impl MessageDecrypter for Record {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let aad = make_tls13_aad(message.payload.len());
        let (text, tag) = message.payload.split_last_chunk_mut::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        self.key.open(&numbered_nonce(&self.iv, number), &aad, text, tag).map_err(|_| Error::DecryptError)?;
        let text_bytes = text.len();
        message.payload.truncate(text_bytes);
        message.into_tls13_unpadded_message()
    }
}
