//! QUIC packet protection by rustls's own traits, which use independent objects for payload and header.

use kasoku_engine::packet::{HeaderProtection, limits};
use kasoku_engine::{TAG_BYTES, numbered_nonce};
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv, NONCE_LEN};
use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey, Tag};

use crate::aead::AesGcm;
use crate::nonce::{iv_bytes, nonce_on_path};

/// Length of a header-protection sample in bytes (RFC 9001 §5.4.2).
pub(crate) const SAMPLE_BYTES: usize = 16;

impl Algorithm for AesGcm {
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

/// Packet key of one direction in one key phase.
pub(crate) struct Packet {
    pub(crate) key: kasoku_engine::AesGcm,
    pub(crate) iv: [u8; NONCE_LEN],
}

impl Packet {
    fn seal(&self, nonce: &[u8; NONCE_LEN], header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        let tag = self.key.seal(nonce, header, payload).map_err(|_| Error::EncryptError)?;
        Ok(Tag::from(&tag[..]))
    }

    fn open<'a>(&self, nonce: &[u8; NONCE_LEN], header: &[u8], payload: &'a mut [u8]) -> Result<&'a [u8], Error> {
        let (text, tag) = payload.split_last_chunk_mut::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        self.key.open(nonce, header, text, tag).map_err(|_| Error::DecryptError)?;
        Ok(text)
    }
}

impl PacketKey for Packet {
    fn encrypt_in_place(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        self.seal(&numbered_nonce(&self.iv, number), header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        self.seal(&nonce_on_path(&self.iv, path, number), header, payload)
    }

    fn decrypt_in_place<'a>(&self, number: u64, header: &[u8], payload: &'a mut [u8]) -> Result<&'a [u8], Error> {
        self.open(&numbered_nonce(&self.iv, number), header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(&nonce_on_path(&self.iv, path, number), header, payload)
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

/// Header-protection key of one direction.
pub(crate) struct Header {
    pub(crate) key: HeaderProtection,
}

impl Header {
    /// Adds or removes the mask. The unmasked first byte states the length of the packet number: if `is_masked`, it is
    /// read after the XOR, otherwise before.
    pub(crate) fn xor(&self, sample: &[u8], first: &mut u8, number: &mut [u8], is_masked: bool) -> Result<(), String> {
        let sample: &[u8; SAMPLE_BYTES] =
            sample.try_into().map_err(|_| format!("a sample of {} bytes, not 16", sample.len()))?;
        let [first_mask, number_mask @ ..] = self.key.mask(sample).bytes();
        if number.len() > number_mask.len() {
            return Err(format!("a packet number of {} bytes; four are the most", number.len()));
        }
        // Four bits of a long header, five of a short one (RFC 9001 §5.4.1).
        let covered = *first ^ (first_mask & (0x1F >> (*first >> 7)));
        let open = if is_masked { covered } else { *first };
        *first = covered;
        let number_bytes = usize::from(open & 0b11) + 1;
        // Keeps the bytes after the packet number, without a branch on the packet number's length (§9.5).
        let cover = u32::MAX >> (32 - 8 * number_bytes as u32);
        for ((byte, mask), cover) in number.iter_mut().zip(number_mask).zip(cover.to_le_bytes()) {
            *byte ^= mask & cover;
        }
        Ok(())
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
