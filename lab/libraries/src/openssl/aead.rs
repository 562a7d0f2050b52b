//! OpenSSL's AEADs: whole messages, and packets in place. Keys are expanded once.

use std::sync::Arc;

use super::cipher_name;
use super::libcrypto::Libcrypto;
use super::libcrypto::cipher_context::{CipherContext, CipherDirection, ROOM, Settings, TAG_BYTES};
use crate::fixtures::Fixtures;
use crate::loops::aead::{Nonce, Sealing, Tag, TwoBufferAead, two_buffer_job};
use crate::loops::packets::running::{RunningMessage, running, updates};
use crate::loops::packets::{HeaderKey, HeaderProtectionSample, Mask, PacketAead, packets, split_tag};
use crate::{JobError, PreparedJob, Result, Unsupported};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Packets, Workload};

pub(super) fn prepare(libcrypto: &Arc<Libcrypto>, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if workload.keys > 1 {
        return Err(Unsupported::new("openssl is measured under one key; a key is a whole context there"));
    }
    let (libcrypto, algorithm, nonce) = (Arc::clone(libcrypto), workload.algorithm, fixtures.nonce.clone());
    two_buffer_job(workload, fixtures, move |key| Aead::new(&libcrypto, algorithm, key, &nonce))
}

pub(super) fn prepare_updates(libcrypto: &Arc<Libcrypto>, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if !matches!(workload.algorithm, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm | Algorithm::ChaCha20Poly1305) {
        return Err(Unsupported::new("parts of messages are measured with AES-GCM and ChaCha20-Poly1305"));
    }
    updates(fixtures, Aead::new(libcrypto, workload.algorithm, &fixtures.key, &fixtures.nonce)?.sealing)
}

/// Prepares QUIC packets as QUIC stacks on OpenSSL do: GCM with a kept key and an IV set for each packet, AES-ECB for
/// header protection.
pub(super) fn prepare_packets(
    libcrypto: &Arc<Libcrypto>,
    workload: &Workload,
    shape: Packets,
    fixtures: &Fixtures,
) -> PreparedJob {
    let ecb = match workload.algorithm {
        Algorithm::Aes128Gcm => c"AES-128-ECB",
        Algorithm::Aes256Gcm => c"AES-256-ECB",
        other => return Err(Unsupported::new(format!("packets are not protected with {other}"))),
    };
    let expand = |key: &[u8]| Aead::new(libcrypto, workload.algorithm, key, &fixtures.nonce);
    if workload.operation == Operation::Seal && !shape.setup {
        return running(shape, fixtures, expand(&fixtures.key)?.sealing);
    }
    packets(workload, shape, fixtures, expand, |key| {
        let settings = Settings { without_padding: true, ..Settings::default() };
        let context = CipherContext::new(libcrypto, ecb, CipherDirection::Encrypt, settings, key, &[])?;
        Ok(Ecb { context, block: [0; 16 + ROOM] })
    })
}

/// A key with one context for each direction, since changing a context's direction expands the key again.
struct Aead {
    sealing: CipherContext,
    opening: CipherContext,
    /// Whether the mode is CCM, which takes the text's length before the AAD and verifies the tag with the text.
    is_ccm: bool,
}

impl Aead {
    fn new(libcrypto: &Arc<Libcrypto>, algorithm: Algorithm, key: &[u8], nonce: &[u8]) -> Result<Aead, Unsupported> {
        let name = cipher_name(algorithm)?;
        let is_ccm = algorithm == Algorithm::Aes128Ccm;
        let tag_beforehand =
            is_ccm || matches!(algorithm, Algorithm::Aes128Ocb | Algorithm::Aes128GcmSiv | Algorithm::Aes256GcmSiv);
        let settings = Settings { nonce_bytes: Some(nonce.len()), tag_beforehand, ..Settings::default() };
        let context = |direction| CipherContext::new(libcrypto, name, direction, settings, key, nonce);
        let (sealing, opening) = (context(CipherDirection::Encrypt)?, context(CipherDirection::Decrypt)?);
        Ok(Aead { sealing, opening, is_ccm })
    }

    #[inline]
    fn process(&self, context: &CipherContext, aad: &[u8], input: &[u8], output: &mut [u8]) -> Result<()> {
        if self.is_ccm {
            context.declare_length(input.len())?;
        }
        if !aad.is_empty() {
            context.associate(aad)?;
        }
        let mut written = 0;
        if self.is_ccm || !input.is_empty() {
            written = context.update(input, output)?;
        }
        if !self.is_ccm {
            written += context.finish(&mut output[written..])?;
        }
        if written == input.len() { Ok(()) } else { Err(JobError::new("not as much came out as went in")) }
    }
}

impl TwoBufferAead for Aead {
    const ROOM: usize = ROOM;

    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.sealing.set_iv(nonce)?;
        self.process(&self.sealing, aad, text, ciphertext)?;
        self.sealing.tag(tag)
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        self.opening.set_iv(nonce)?;
        self.opening.expect_tag(tag)?;
        self.process(&self.opening, aad, ciphertext, text)
    }

    /// Sets key and nonce in one call, in the context of the message before.
    #[inline]
    fn seal_with_new_key(
        &mut self,
        key: &[u8],
        message: Sealing<'_>,
        _expand: impl Fn(&[u8]) -> Result<Self, Unsupported>,
    ) -> Result<()> {
        let Sealing { nonce, aad, text, ciphertext, tag } = message;
        self.sealing.set_key_and_iv(key, nonce)?;
        self.process(&self.sealing, aad, text, ciphertext)?;
        self.sealing.tag(tag)
    }
}

impl PacketAead for Aead {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.sealing.set_iv(nonce)?;
        self.sealing.associate(aad)?;
        self.sealing.update_in_place(text)?;
        self.sealing.finish_without_output()?;
        self.sealing.tag(tag)
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = split_tag(sealed)?;
        self.opening.set_iv(nonce)?;
        self.opening.expect_tag(tag)?;
        self.opening.associate(aad)?;
        self.opening.update_in_place(text)?;
        self.opening.finish_without_output()
    }
}

struct Ecb {
    context: CipherContext,
    block: [u8; 16 + ROOM],
}

impl HeaderKey for Ecb {
    #[inline]
    fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask> {
        self.context.update(sample, &mut self.block)?;
        Ok(std::array::from_fn(|index| self.block[index]))
    }
}

impl RunningMessage for CipherContext {
    fn begin(&mut self, nonce: &Nonce, aad: &[u8]) -> Result<()> {
        self.set_iv(nonce)?;
        self.associate(aad)
    }

    #[inline]
    fn update(&mut self, text: &mut [u8]) -> Result<()> {
        self.update_in_place(text)
    }

    fn finish(&mut self) -> Result<[u8; TAG_BYTES]> {
        self.finish_without_output()?;
        let mut tag = [0; TAG_BYTES];
        self.tag(&mut tag)?;
        Ok(tag)
    }
}
