//! QUIC packets: the library's AES-GCM in place, and one block of its CFB mode for the header.

use std::sync::Arc;

use super::job::same;
use super::multi_buffer::packets::{HeaderMask, StreamedMessage};
use super::multi_buffer::{Gcm, MultiBuffer, MultiBufferVariant, TAG_BYTES};
use crate::fixtures::Fixtures;
use crate::loops::packets::running::{RunningMessage, running};
use crate::loops::packets::{HeaderKey, HeaderProtectionSample, Mask, PacketAead, packets};
use crate::nonces::Nonce;
use crate::{JobError, PreparedJob, Result};
use kasoku_model::workload::{Operation, Packets, Workload};

pub(super) fn prepare(
    multi_buffer: &Arc<MultiBuffer>,
    variant: MultiBufferVariant,
    workload: &Workload,
    shape: Packets,
    fixtures: &Fixtures,
) -> PreparedJob {
    let gcm = |key: &[u8]| multi_buffer.gcm(variant, key, MultiBuffer::context());
    if workload.operation == Operation::Seal && !shape.setup {
        return running(shape, fixtures, multi_buffer.message(variant, gcm(&fixtures.key)?, fixtures.key.len())?);
    }
    packets(workload, shape, fixtures, gcm, |key| multi_buffer.header_mask(variant, key))
}

impl PacketAead for Gcm {
    #[inline]
    fn seal(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = sealed.split_last_chunk_mut::<TAG_BYTES>().ok_or_else(|| JobError::new("no tag"))?;
        self.encrypt_in_place(nonce, aad, text, tag);
        Ok(())
    }

    #[inline]
    fn open(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = sealed.split_last_chunk_mut::<TAG_BYTES>().ok_or_else(|| JobError::new("no tag"))?;
        let mut computed = [0; TAG_BYTES];
        self.decrypt_in_place(nonce, aad, text, &mut computed);
        if same(&computed, tag) { Ok(()) } else { Err(JobError::new("the tag is not the one that was sealed")) }
    }
}

impl HeaderKey for HeaderMask {
    #[inline]
    fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask> {
        Ok(self.of(sample))
    }
}

impl RunningMessage for StreamedMessage {
    fn begin(&mut self, nonce: &Nonce, aad: &[u8]) -> Result<()> {
        StreamedMessage::begin(self, nonce, aad);
        Ok(())
    }

    #[inline]
    fn update(&mut self, text: &mut [u8]) -> Result<()> {
        StreamedMessage::update(self, text);
        Ok(())
    }

    fn finish(&mut self) -> Result<[u8; TAG_BYTES]> {
        Ok(StreamedMessage::finish(self))
    }
}
