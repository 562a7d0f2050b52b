//! CBC, CTR and XTS.

use aes::cipher::array::Array;
use aes::cipher::common::{InnerUser, IvSizeUser};
use aes::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, Iv, KeyInit, KeyIvInit, SetIvState,
    StreamCipher, StreamCipherSeek,
};
use aes::{Aes128, Aes256};
use xts_mode::Xts128;

use super::super::loops::cipher::{RunningCipher, RunningInPlace, in_place, separate};
use super::super::loops::{failed, rejected};
use super::super::{JobError, PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

const TWEAK_EACH_CALL: &str = "each call is one data unit, in place, its tweak set anew";

pub(super) fn prepare(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
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
    let Fixtures { key, nonce, text, .. } = fixtures;
    Ok(match operation {
        Operation::Encrypt => separate(Chain::<cbc::Encryptor<C>>::new(key, nonce)?, text, None),
        _ => separate(Chain::<cbc::Decryptor<C>>::new(key, nonce)?, text, None),
    })
}

/// A CBC mode in one direction and the IV that it starts from.
struct Chain<M: IvSizeUser> {
    mode: M,
    first: Iv<M>,
}

impl<M: KeyIvInit + InnerUser> Chain<M> {
    fn new(key: &[u8], iv: &[u8]) -> Result<Self, Unsupported> {
        let mode = M::new_from_slices(key, iv).map_err(|_| rejected("key or IV"))?;
        let first = iv.try_into().map_err(|_| rejected("IV"))?;
        Ok(Chain { mode, first })
    }
}

impl<C: BlockCipherEncrypt> RunningCipher for Chain<cbc::Encryptor<C>> {
    fn restart(&mut self) -> Result<()> {
        self.mode.set_iv(&self.first);
        Ok(())
    }

    fn process(&mut self, text: &[u8], out: &mut [u8]) -> Result<usize> {
        let (text_blocks, rest) = Array::slice_as_chunks(text);
        let (out_blocks, _) = Array::slice_as_chunks_mut(&mut out[..text.len()]);
        if !rest.is_empty() {
            return Err(JobError::new("CBC takes whole blocks"));
        }
        self.mode.encrypt_blocks_b2b(text_blocks, out_blocks).map_err(|_| failed("encrypt"))?;
        Ok(text.len())
    }
}

impl<C: BlockCipherDecrypt> RunningCipher for Chain<cbc::Decryptor<C>> {
    fn restart(&mut self) -> Result<()> {
        self.mode.set_iv(&self.first);
        Ok(())
    }

    fn process(&mut self, text: &[u8], out: &mut [u8]) -> Result<usize> {
        let (text_blocks, rest) = Array::slice_as_chunks(text);
        let (out_blocks, _) = Array::slice_as_chunks_mut(&mut out[..text.len()]);
        if !rest.is_empty() {
            return Err(JobError::new("CBC takes whole blocks"));
        }
        self.mode.decrypt_blocks_b2b(text_blocks, out_blocks).map_err(|_| failed("decrypt"))?;
        Ok(text.len())
    }
}

fn ctr<S>(fixtures: &Fixtures) -> PreparedJob
where
    S: KeyIvInit + StreamCipher + StreamCipherSeek + 'static,
{
    let stream = S::new_from_slices(&fixtures.key, &fixtures.nonce).map_err(|_| rejected("key or nonce"))?;
    Ok(separate(Stream(stream), &fixtures.text, None))
}

/// A key stream from its first byte on.
struct Stream<S>(S);

impl<S: StreamCipher + StreamCipherSeek> RunningCipher for Stream<S> {
    fn restart(&mut self) -> Result<()> {
        self.0.try_seek(0_u64).map_err(|_| failed("seek"))
    }

    fn process(&mut self, text: &[u8], out: &mut [u8]) -> Result<usize> {
        self.0.try_apply_keystream_b2b(text, &mut out[..text.len()]).map_err(|_| failed("encrypt"))?;
        Ok(text.len())
    }
}

fn xts(operation: Operation, fixtures: &Fixtures) -> PreparedJob {
    if fixtures.text.len() < 16 {
        return Err(Unsupported::new("XTS has no data units of less than a block"));
    }
    let (data_key, tweak_key) = fixtures.key.split_at_checked(32).ok_or_else(|| rejected("key"))?;
    let cipher = |key| Aes256::new_from_slice(key).map_err(|_| rejected("key"));
    let unit = Unit {
        mode: Xts128::new(cipher(data_key)?, cipher(tweak_key)?),
        tweak: fixtures.nonce.as_slice().try_into().map_err(|_| rejected("tweak"))?,
        decrypts: operation == Operation::Decrypt,
    };
    Ok(in_place(unit, &fixtures.text, Some(TWEAK_EACH_CALL)))
}

/// One XTS data unit.
struct Unit {
    mode: Xts128<Aes256>,
    tweak: aes::Block,
    decrypts: bool,
}

impl RunningInPlace for Unit {
    fn restart(&mut self) -> Result<()> {
        Ok(())
    }

    fn process(&mut self, text: &mut [u8]) -> Result<()> {
        if self.decrypts {
            self.mode.decrypt_sector(text, self.tweak);
        } else {
            self.mode.encrypt_sector(text, self.tweak);
        }
        Ok(())
    }
}
