//! QUIC packets: the AEAD in place, and ring's own header protection.

use ring::aead::quic::{self, HeaderProtectionKey};
use ring::aead::{self, Aad, LessSafeKey, UnboundKey};

use super::super::loops::aead::Nonce;
use super::super::loops::packets::{self, HeaderKey, Mask, PacketAead, Sample};
use super::super::loops::{failed, rejected};
use super::super::{Job, JobError, Unsupported};
use super::not_here;
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Packets, Workload};

pub(super) fn prepare(workload: &Workload, packets: Packets, fixtures: &Fixtures) -> Result<Box<dyn Job>, Unsupported> {
    let (aead, header) = match workload.algorithm {
        Algorithm::Aes128Gcm => (&aead::AES_128_GCM, &quic::AES_128),
        Algorithm::Aes256Gcm => (&aead::AES_256_GCM, &quic::AES_256),
        _ => return Err(not_here(workload)),
    };
    packets::packets(
        workload,
        packets,
        fixtures,
        |key| Ok(LessSafeKey::new(UnboundKey::new(aead, key).map_err(|_| rejected("key"))?)),
        |key| HeaderProtectionKey::new(header, key).map_err(|_| rejected("header key")),
    )
}

impl PacketAead for LessSafeKey {
    #[inline]
    fn seal(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<(), JobError> {
        let nonce = aead::Nonce::assume_unique_for_key(*nonce);
        let (text, tag) = sealed.split_last_chunk_mut::<16>().ok_or_else(|| failed("find the tag"))?;
        let computed = self.seal_in_place_separate_tag(nonce, Aad::from(aad), text).map_err(|_| failed("seal"))?;
        tag.copy_from_slice(computed.as_ref());
        Ok(())
    }

    #[inline]
    fn open(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<(), JobError> {
        let nonce = aead::Nonce::assume_unique_for_key(*nonce);
        self.open_in_place(nonce, Aad::from(aad), sealed).map(|_| ()).map_err(|_| failed("open"))
    }
}

impl HeaderKey for HeaderProtectionKey {
    #[inline]
    fn mask(&mut self, sample: &Sample) -> Result<Mask, JobError> {
        self.new_mask(sample).map_err(|_| failed("make a mask"))
    }
}
