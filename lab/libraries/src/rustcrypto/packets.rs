//! QUIC packets: the AEAD in place, and AES by the block for the header.

use aes::cipher::BlockCipherEncrypt;
use aes::{Aes128, Aes256};
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::{AeadInOut, Aes128Gcm, Aes256Gcm, KeyInit};

use super::super::loops::aead::{Nonce, Tag};
use super::super::loops::packets::{self, HeaderKey, HeaderProtectionSample, Mask, PacketAead};
use super::super::loops::{failed, rejected};
use super::super::{PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Packets, Workload};

pub(super) fn prepare(workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
    match workload.algorithm {
        Algorithm::Aes128Gcm => with::<Aes128Gcm, Aes128>(workload, packets, fixtures),
        Algorithm::Aes256Gcm => with::<Aes256Gcm, Aes256>(workload, packets, fixtures),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

fn with<A, C>(workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + 'static,
    C: KeyInit + 'static,
    Block<C>: HeaderKey,
{
    packets::packets(
        workload,
        packets,
        fixtures,
        |key| Ok(WithinPackets(A::new_from_slice(key).map_err(|_| rejected("key"))?)),
        |key| Ok(Block(C::new_from_slice(key).map_err(|_| rejected("header key"))?)),
    )
}

struct WithinPackets<A>(A);

impl<A: AeadInOut<NonceSize = U12, TagSize = U16>> PacketAead for WithinPackets<A> {
    fn seal(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = sealed.split_last_chunk_mut::<16>().ok_or_else(|| failed("find the tag"))?;
        let computed = self.0.encrypt_inout_detached(nonce.into(), aad, text.into()).map_err(|_| failed("seal"))?;
        *tag = computed.into();
        Ok(())
    }

    fn open(&mut self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = sealed.split_last_chunk_mut::<16>().ok_or_else(|| failed("find the tag"))?;
        let tag: &Tag = tag;
        self.0.decrypt_inout_detached(nonce.into(), aad, text.into(), tag.into()).map_err(|_| failed("open"))
    }
}

/// AES that encrypts one block.
struct Block<C>(C);

impl HeaderKey for Block<Aes128> {
    fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask> {
        Ok(first_of(&self.0, sample))
    }
}

impl HeaderKey for Block<Aes256> {
    fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask> {
        Ok(first_of(&self.0, sample))
    }
}

fn first_of<C: BlockCipherEncrypt<BlockSize = U16>>(cipher: &C, sample: &HeaderProtectionSample) -> Mask {
    let mut block = (*sample).into();
    cipher.encrypt_block(&mut block);
    std::array::from_fn(|index| block[index])
}
