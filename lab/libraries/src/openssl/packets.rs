//! QUIC packets: GCM with the key kept and the IV set for each, AES-ECB for the header, as QUIC stacks on OpenSSL do
//! it.

use std::ffi::CStr;
use std::sync::Arc;

use super::libcrypto::Libcrypto;
use super::libcrypto::cipher_context::{CipherContext, CipherDirection, CipherOrigin, ROOM, Settings, TAG_BYTES};
use crate::fixtures::Fixtures;
use crate::loops::packets::running::{RunningMessage, running};
use crate::loops::packets::{HeaderKey, HeaderProtectionSample, Mask, PacketAead, packets};
use crate::nonces::Nonce;
use crate::{JobError, PreparedJob, Result, Unsupported};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Packets, Workload};

/// Makes the job ready.
pub(super) fn prepare(
    libcrypto: &Arc<Libcrypto>,
    workload: &Workload,
    shape: Packets,
    fixtures: &Fixtures,
) -> PreparedJob {
    let (gcm, ecb) = match workload.algorithm {
        Algorithm::Aes128Gcm => (c"AES-128-GCM", c"AES-128-ECB"),
        Algorithm::Aes256Gcm => (c"AES-256-GCM", c"AES-256-ECB"),
        other => return Err(Unsupported::new(format!("packets are not protected with {other}"))),
    };
    let context = |name: &CStr, direction, key: &[u8], iv: &[u8]| {
        let nonce_bytes = (!iv.is_empty()).then_some(iv.len());
        let settings = Settings { nonce_bytes, without_padding: iv.is_empty(), ..Settings::default() };
        CipherContext::new(libcrypto, name, CipherOrigin::Default, direction, settings, key, iv)
    };
    if workload.operation == Operation::Seal && !shape.setup {
        return running(shape, fixtures, context(gcm, CipherDirection::Encrypt, &fixtures.key, &fixtures.nonce)?);
    }
    packets(
        workload,
        shape,
        fixtures,
        |key| {
            Ok(BothWays {
                sealing: context(gcm, CipherDirection::Encrypt, key, &fixtures.nonce)?,
                opening: context(gcm, CipherDirection::Decrypt, key, &fixtures.nonce)?,
            })
        },
        |key| Ok(Ecb { context: context(ecb, CipherDirection::Encrypt, key, &[])?, block: [0; 16 + ROOM] }),
    )
}

/// A context for each direction: one that is turned around expands its key again.
struct BothWays {
    sealing: CipherContext,
    opening: CipherContext,
}

impl PacketAead for BothWays {
    #[inline]
    fn seal(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = sealed.split_last_chunk_mut::<TAG_BYTES>().ok_or_else(|| JobError::new("no tag"))?;
        self.sealing.set_iv(nonce)?;
        self.sealing.associate(aad)?;
        self.sealing.update_in_place(text)?;
        self.sealing.finish_without_output()?;
        self.sealing.tag(tag)
    }

    #[inline]
    fn open(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = sealed.split_last_chunk_mut::<TAG_BYTES>().ok_or_else(|| JobError::new("no tag"))?;
        self.opening.set_iv(nonce)?;
        self.opening.expect_tag(tag)?;
        self.opening.associate(aad)?;
        self.opening.update_in_place(text)?;
        self.opening.finish_without_output()
    }
}

/// AES by the block.
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
