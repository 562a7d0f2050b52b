//! Packets without header protection: graviola offers no AES beside its AEADs.

use graviola::aead::AesGcm;

use super::super::loops::aead::{Nonce, Tag};
use super::super::loops::packets::{self, NoHeaderKey, PacketAead};
use super::super::loops::{exactly, failed};
use super::super::{PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::library;
use kasoku_model::workload::{Packets, Workload};

pub(super) fn prepare(workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
    let no_header_key = |_: &[u8]| -> Result<NoHeaderKey, Unsupported> {
        Err(Unsupported::new("graviola offers no AES by the block, which header protection needs"))
    };
    let expand = |key: &[u8]| match workload.algorithm {
        Algorithm::Aes128Gcm => Ok(AesGcm::new(&exactly::<16>("key", key)?)),
        Algorithm::Aes256Gcm => Ok(AesGcm::new(&exactly::<32>("key", key)?)),
        _ => Err(Unsupported::algorithm(library::GRAVIOLA, workload)),
    };
    packets::packets(workload, packets, fixtures, expand, no_header_key)
}

impl PacketAead for AesGcm {
    fn seal(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = sealed.split_last_chunk_mut::<16>().ok_or_else(|| failed("find the tag"))?;
        self.encrypt(nonce, aad, text, tag);
        Ok(())
    }

    fn open(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = sealed.split_last_chunk_mut::<16>().ok_or_else(|| failed("find the tag"))?;
        let tag: &Tag = tag;
        self.decrypt(nonce, aad, text, tag).map_err(|_| failed("open"))
    }
}
