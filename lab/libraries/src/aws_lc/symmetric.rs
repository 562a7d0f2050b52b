//! CBC and CTR, AEADs.

use aws_lc_rs::aead::{self, Aad, LessSafeKey, UnboundKey};
use aws_lc_rs::cipher::{
    self, DecryptingKey, DecryptionContext, EncryptionContext, StreamingEncryptingKey, UnboundCipherKey,
};
use aws_lc_rs::iv::FixedLength;

use super::super::loops::aead::{Nonce, Separate, Tag, separate};
use super::super::loops::cipher::{self as loops, RunningCipher, RunningInPlace};
use super::super::loops::{exactly, failed, rejected};
use super::super::{PreparedJob, Result, Unsupported};
use super::ring_api::keys;
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

const IV_EACH_CALL: &str = "in-place API: the IV is set for each call";

pub(super) fn cipher(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let (algorithm, is_cbc) = match workload.algorithm {
        Algorithm::Aes128Cbc => (&cipher::AES_128, true),
        Algorithm::Aes256Cbc => (&cipher::AES_256, true),
        Algorithm::Aes128Ctr => (&cipher::AES_128, false),
        Algorithm::Aes256Ctr => (&cipher::AES_256, false),
        _ => return Err(Unsupported::algorithm("aws-lc-rs", workload)),
    };
    let iv = exactly("IV", &fixtures.nonce)?;
    let unbound = || UnboundCipherKey::new(algorithm, &fixtures.key).map_err(|_| rejected("key"));
    if is_cbc && workload.operation == Operation::Decrypt {
        // The streaming key holds the last block back in case it is padding.
        let key = DecryptingKey::cbc(unbound()?).map_err(|_| rejected("key"))?;
        return Ok(loops::in_place(CbcDecrypt { key, iv }, &fixtures.text, Some(IV_EACH_CALL)));
    }
    let start =
        if is_cbc { StreamingEncryptingKey::less_safe_cbc_pkcs7 } else { StreamingEncryptingKey::less_safe_ctr };
    let mode = start(unbound()?, EncryptionContext::Iv128(FixedLength::from(iv))).map_err(|_| rejected("key"))?;
    Ok(loops::separate(Streaming { mode, start, algorithm, key: fixtures.key.clone(), iv }, &fixtures.text, None))
}

type Start = fn(UnboundCipherKey, EncryptionContext) -> Result<StreamingEncryptingKey, aws_lc_rs::error::Unspecified>;

/// An EVP context that goes on from call to call. CTR goes the same way in both directions.
struct Streaming {
    mode: StreamingEncryptingKey,
    start: Start,
    algorithm: &'static cipher::Algorithm,
    key: Vec<u8>,
    iv: [u8; 16],
}

impl RunningCipher for Streaming {
    fn restart(&mut self) -> Result<()> {
        let key = UnboundCipherKey::new(self.algorithm, &self.key).map_err(|_| failed("take the key"))?;
        let iv = EncryptionContext::Iv128(FixedLength::from(self.iv));
        self.mode = (self.start)(key, iv).map_err(|_| failed("start"))?;
        Ok(())
    }

    fn process(&mut self, text: &[u8], out: &mut [u8]) -> Result<usize> {
        let update = self.mode.update(text, out).map_err(|_| failed("encrypt"))?;
        Ok(update.written().len())
    }
}

struct CbcDecrypt {
    key: DecryptingKey,
    iv: [u8; 16],
}

impl RunningInPlace for CbcDecrypt {
    fn restart(&mut self) -> Result<()> {
        Ok(())
    }

    fn process(&mut self, text: &mut [u8]) -> Result<()> {
        let iv = DecryptionContext::Iv128(FixedLength::from(self.iv));
        self.key.decrypt(text, iv).map(|_| ()).map_err(|_| failed("decrypt"))
    }
}

pub(super) fn aead(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let of_siv = |algorithm| move |key: &[u8]| UnboundKey::new(algorithm, key).map(LessSafeKey::new);
    let siv = match workload.algorithm {
        Algorithm::Aes128GcmSiv => Some(of_siv(&aead::AES_128_GCM_SIV)),
        Algorithm::Aes256GcmSiv => Some(of_siv(&aead::AES_256_GCM_SIV)),
        _ => None,
    };
    if let Some(expand) = siv {
        return separate(workload, fixtures, |key| Ok(Scattered(expand(key).map_err(|_| rejected("key"))?)));
    }
    let expand = keys(workload)?;
    separate(workload, fixtures, |key| expand(key).map(Scattered))
}

/// The interface that reads one buffer and writes another.
struct Scattered(LessSafeKey);

impl Separate for Scattered {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        let nonce = aead::Nonce::from(nonce);
        self.0.seal_out_of_place_scatter(nonce, Aad::from(aad), text, ciphertext, &[], tag).map_err(|_| failed("seal"))
    }

    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        let nonce = aead::Nonce::from(nonce);
        self.0.open_separate_gather(nonce, Aad::from(aad), ciphertext, tag, text).map_err(|_| failed("open"))
    }
}
