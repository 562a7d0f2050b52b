//! RustCrypto's ciphers, AEADs (whole messages and QUIC packets) and hashes.

use aes::cipher::array::Array;
use aes::cipher::{
    self, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, SetIvState,
    StreamCipher, StreamCipherSeek,
};
use aes::{Aes128, Aes256};
use aes_gcm::aead::array::ArraySize;
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::{AeadInOut, Aes128Gcm, Aes256Gcm, KeyInit};
use sha2::Digest;
use xts_mode::Xts128;

use super::super::loops::aead::{Nonce, Tag, TwoBufferAead, two_buffer_job};
use super::super::loops::packets::{self, HeaderKey, HeaderProtectionSample, Mask, PacketAead, split_tag};
use super::super::loops::repeated::{put, repeated_job};
use super::super::loops::{cipher as loops, failed, rejected};
use super::super::{Job, JobError, PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Packets, Workload};

const TWEAK_EACH_CALL: &str = "each call is one data unit, in place, its tweak set anew";

pub(super) fn cipher(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let operation = workload.operation;
    match workload.algorithm {
        Algorithm::DesEde3Cbc => cbc::<des::TdesEde3>(operation, fixtures),
        Algorithm::BlowfishCbc => cbc::<blowfish::Blowfish>(operation, fixtures),
        Algorithm::Camellia128Cbc => cbc::<camellia::Camellia128>(operation, fixtures),
        Algorithm::Camellia256Cbc => cbc::<camellia::Camellia256>(operation, fixtures),
        Algorithm::Aes128Cbc => cbc::<Aes128>(operation, fixtures),
        Algorithm::Aes256Cbc => cbc::<Aes256>(operation, fixtures),
        Algorithm::Aes128Ctr => ctr::<ctr::Ctr128BE<Aes128>>(fixtures),
        Algorithm::Aes256Ctr => ctr::<ctr::Ctr128BE<Aes256>>(fixtures),
        Algorithm::Aes256Xts => xts(operation, fixtures),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

fn cbc<C>(operation: Operation, fixtures: &Fixtures) -> PreparedJob
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static,
{
    if operation == Operation::Encrypt {
        chain::<cbc::Encryptor<C>, C>(fixtures, |mode, text, out| {
            mode.encrypt_blocks_b2b(text, out).map_err(|_| failed("encrypt"))
        })
    } else {
        chain::<cbc::Decryptor<C>, C>(fixtures, |mode, text, out| {
            mode.decrypt_blocks_b2b(text, out).map_err(|_| failed("decrypt"))
        })
    }
}

/// Creates a CBC job for one direction. `process` encrypts or decrypts blocks from one buffer to another.
fn chain<M, C: BlockCipherEncrypt>(
    fixtures: &Fixtures,
    process: impl Fn(&mut M, &[cipher::Block<C>], &mut [cipher::Block<C>]) -> Result<()> + 'static,
) -> PreparedJob
where
    M: KeyIvInit + SetIvState + 'static,
{
    let Fixtures { key, nonce, text, .. } = fixtures;
    let mode = M::new_from_slices(key, nonce).map_err(|_| rejected("key or IV"))?;
    let first: cipher::Iv<M> = nonce.as_slice().try_into().map_err(|_| rejected("IV"))?;
    let restart = move |mode: &mut M| {
        mode.set_iv(&first);
        Ok(())
    };
    Ok(loops::cipher_job(mode, text, None, restart, move |mode, text, out| {
        let (text_blocks, rest) = Array::slice_as_chunks(text);
        let (out_blocks, _) = Array::slice_as_chunks_mut(&mut out[..text.len()]);
        if !rest.is_empty() {
            return Err(JobError::new("CBC takes whole blocks"));
        }
        process(mode, text_blocks, out_blocks)?;
        Ok(text.len())
    }))
}

fn ctr<S>(fixtures: &Fixtures) -> PreparedJob
where
    S: KeyIvInit + StreamCipher + StreamCipherSeek + 'static,
{
    let stream = S::new_from_slices(&fixtures.key, &fixtures.nonce).map_err(|_| rejected("key or nonce"))?;
    let restart = |stream: &mut S| stream.try_seek(0_u64).map_err(|_| failed("seek"));
    Ok(loops::cipher_job(stream, &fixtures.text, None, restart, |stream, text, out| {
        stream.try_apply_keystream_b2b(text, &mut out[..text.len()]).map_err(|_| failed("encrypt"))?;
        Ok(text.len())
    }))
}

fn xts(operation: Operation, fixtures: &Fixtures) -> PreparedJob {
    if fixtures.text.len() < 16 {
        return Err(Unsupported::new("XTS has no data units of less than a block"));
    }
    let (data_key, tweak_key) = fixtures.key.split_at_checked(32).ok_or_else(|| rejected("key"))?;
    let cipher = |key| Aes256::new_from_slice(key).map_err(|_| rejected("key"));
    let mode = Xts128::new(cipher(data_key)?, cipher(tweak_key)?);
    let tweak: aes::Block = fixtures.nonce.as_slice().try_into().map_err(|_| rejected("tweak"))?;
    let decrypts = operation == Operation::Decrypt;
    Ok(loops::in_place_job(&fixtures.text, TWEAK_EACH_CALL, move |text| {
        if decrypts {
            mode.decrypt_sector(text, tweak);
        } else {
            mode.encrypt_sector(text, tweak);
        }
        Ok(())
    }))
}

pub(super) fn aead(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match workload.algorithm {
        Algorithm::Aes128Gcm => aead_job::<Aes128Gcm, _>(workload, fixtures),
        Algorithm::Aes256Gcm => aead_job::<Aes256Gcm, _>(workload, fixtures),
        Algorithm::Aes128GcmSiv => aead_job::<aes_gcm_siv::Aes128GcmSiv, _>(workload, fixtures),
        Algorithm::Aes256GcmSiv => aead_job::<aes_gcm_siv::Aes256GcmSiv, _>(workload, fixtures),
        Algorithm::Xaes256Gcm => aead_job::<xaes_256_gcm::Xaes256Gcm, _>(workload, fixtures),
        Algorithm::Aes128Ccm => aead_job::<ccm::Ccm<Aes128, U16, U12>, _>(workload, fixtures),
        Algorithm::Aes128Ocb => aead_job::<ocb3::Ocb3<Aes128, U12>, _>(workload, fixtures),
        Algorithm::ChaCha20Poly1305 => aead_job::<chacha20poly1305::ChaCha20Poly1305, _>(workload, fixtures),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

fn aead_job<A, const N: usize>(workload: &Workload, fixtures: &Fixtures) -> PreparedJob
where
    A: AeadInOut<NonceSize: ArraySize<ArrayType<u8> = [u8; N]>, TagSize = U16> + KeyInit + 'static,
{
    two_buffer_job(workload, fixtures, expand_detached::<A>)
}

fn expand_detached<A: KeyInit>(key: &[u8]) -> Result<Detached<A>, Unsupported> {
    A::new_from_slice(key).map(Detached).map_err(|_| rejected("key"))
}

struct Detached<A>(A);

impl<A, const N: usize> TwoBufferAead<N> for Detached<A>
where
    A: AeadInOut<NonceSize: ArraySize<ArrayType<u8> = [u8; N]>, TagSize = U16>,
{
    fn seal(&self, nonce: &Nonce<N>, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        let buffers = InOutBuf::new(text, ciphertext).map_err(|_| failed("seal"))?;
        let sealed = self.0.encrypt_inout_detached(nonce.into(), aad, buffers).map_err(|_| failed("seal"))?;
        *tag = sealed.into();
        Ok(())
    }

    fn open(&self, nonce: &Nonce<N>, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        let buffers = InOutBuf::new(ciphertext, text).map_err(|_| failed("open"))?;
        self.0.decrypt_inout_detached(nonce.into(), aad, buffers, tag.into()).map_err(|_| failed("open"))
    }
}

/// Prepares QUIC packets: the AEAD in place, and single AES blocks for header protection.
pub(super) fn packets(workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
    match workload.algorithm {
        Algorithm::Aes128Gcm => packet_job::<Aes128Gcm, Aes128>(workload, packets, fixtures),
        Algorithm::Aes256Gcm => packet_job::<Aes256Gcm, Aes256>(workload, packets, fixtures),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

fn packet_job<A, C>(workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + 'static,
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + 'static,
{
    packets::packets(workload, packets, fixtures, expand_detached::<A>, |key| {
        C::new_from_slice(key).map(Block).map_err(|_| rejected("header key"))
    })
}

impl<A: AeadInOut<NonceSize = U12, TagSize = U16>> PacketAead for Detached<A> {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
        *tag = self.0.encrypt_inout_detached(nonce.into(), aad, text.into()).map_err(|_| failed("seal"))?.into();
        Ok(())
    }

    fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = split_tag(sealed)?;
        let tag: &Tag = tag;
        self.0.decrypt_inout_detached(nonce.into(), aad, text.into(), tag.into()).map_err(|_| failed("open"))
    }
}

struct Block<C>(C);

impl<C: BlockCipherEncrypt<BlockSize = U16>> HeaderKey for Block<C> {
    fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask> {
        let mut block = (*sample).into();
        self.0.encrypt_block(&mut block);
        Ok(std::array::from_fn(|index| block[index]))
    }
}

pub(super) fn hash(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    Ok(match workload.algorithm {
        Algorithm::Sha1 => hash_job::<sha1::Sha1>(fixtures),
        Algorithm::Sha256 => hash_job::<sha2::Sha256>(fixtures),
        Algorithm::Sha512 => hash_job::<sha2::Sha512>(fixtures),
        Algorithm::Sha3_256 => hash_job::<sha3::Sha3_256>(fixtures),
        Algorithm::Blake2s256 => hash_job::<blake2::Blake2s256>(fixtures),
        Algorithm::Blake2b512 => hash_job::<blake2::Blake2b512>(fixtures),
        _ => return Err(Unsupported::algorithm("RustCrypto", workload)),
    })
}

fn hash_job<D: Digest + 'static>(fixtures: &Fixtures) -> Box<dyn Job> {
    repeated_job(&fixtures.text, <D as Digest>::output_size(), None, |text, digest| Ok(put(digest, [&D::digest(text)])))
}
