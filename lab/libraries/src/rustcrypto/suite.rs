//! `crypto.aes`, the suite of SPECjvm2008, reimplemented in Rust. The virtual machine's outputs are compared with this
//! one, which also shows the time outside a virtual machine.

use aes::Aes128;
use aes::cipher::array::Array;
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit};
use des::TdesEde3;

use super::super::loops::{failed, rejected};
use super::super::{Job, JobError, PreparedJob, Result};
use crate::fixtures::{Fixtures, SUITE_SMALL};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Workload;

/// Number of successive encryptions of a text. As many decryptions follow.
const ROUNDS: usize = 12;
const AES_KEY: usize = 16;
const AES_IV: usize = 16;

pub(super) fn prepare(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let parts = workload.algorithm.parts();
    let (aes_key, des_key) = fixtures.key.split_at_checked(AES_KEY).ok_or_else(|| rejected("key"))?;
    let (aes_iv, des_iv) = fixtures.nonce.split_at_checked(AES_IV).ok_or_else(|| rejected("IV"))?;
    let small = fixtures.text.get(..SUITE_SMALL).ok_or_else(|| rejected("text"))?;
    Ok(Box::new(Suite {
        aes: parts.contains(&Algorithm::Aes128Cbc).then(|| (aes_key.to_vec(), aes_iv.to_vec())),
        des: parts.contains(&Algorithm::DesEde3Cbc).then(|| (des_key.to_vec(), des_iv.to_vec())),
        texts: [small.to_vec(), fixtures.text.clone()],
        output: Vec::new(),
    }))
}

type Secrets = (Vec<u8>, Vec<u8>);

struct Suite {
    aes: Option<Secrets>,
    des: Option<Secrets>,
    texts: [Vec<u8>; 2],
    output: Vec<u8>,
}

impl Job for Suite {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.output.clear();
            for text in &self.texts {
                for is_padded in [false, true] {
                    if let Some(secrets) = &self.aes {
                        self.output.extend(round_trip::<Aes128>(secrets, text, is_padded)?);
                    }
                    if let Some(secrets) = &self.des {
                        self.output.extend(round_trip::<TdesEde3>(secrets, text, is_padded)?);
                    }
                }
            }
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.output.clone()
    }
}

/// Returns the result of encrypting `text` in all rounds, after checking that decryption restores `text`.
fn round_trip<C>((key, iv): &Secrets, text: &[u8], is_padded: bool) -> Result<Vec<u8>>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit,
{
    let mut result = text.to_vec();
    for _ in 0..ROUNDS {
        if is_padded {
            let missing = C::block_size() - result.len() % C::block_size();
            result.resize(result.len() + missing, missing as u8); // at most one block, so it fits in a byte
        }
        let mut cipher = cbc::Encryptor::<C>::new_from_slices(key, iv).map_err(|_| failed("take key and IV"))?;
        let (blocks, rest) = Array::slice_as_chunks_mut(&mut result);
        if !rest.is_empty() {
            return Err(JobError::new("CBC takes whole blocks"));
        }
        cipher.encrypt_blocks(blocks);
    }
    let encrypted = result.clone();
    for _ in 0..ROUNDS {
        let mut cipher = cbc::Decryptor::<C>::new_from_slices(key, iv).map_err(|_| failed("take key and IV"))?;
        cipher.decrypt_blocks(Array::slice_as_chunks_mut(&mut result).0);
        if is_padded {
            let padding = result.last().copied().map_or(0, usize::from);
            result.truncate(result.len().saturating_sub(padding));
        }
    }
    if result == text { Ok(encrypted) } else { Err(failed("give the plaintext back")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::workload::Operation;

    fn output(algorithm: Algorithm) -> Vec<u8> {
        let workload = Workload::new(Operation::Roundtrip, algorithm, 0);
        // Shortened, because 3DES is slow.
        let mut fixtures = Fixtures::of(&workload);
        fixtures.text.truncate(2 * SUITE_SMALL);
        let mut job = prepare(&workload, &fixtures).unwrap();
        job.run(1).unwrap();
        job.output()
    }

    #[test]
    fn crypto_aes_suite_output_has_the_padded_length() {
        let output_bytes =
            |block: usize| [1, 2].map(|times| 2 * times * SUITE_SMALL + ROUNDS * block).iter().sum::<usize>();
        let lengths = Algorithm::SUITES.iter().map(|&algorithm| output(algorithm).len()).collect::<Vec<_>>();
        assert_eq!(lengths, [output_bytes(16) + output_bytes(8), output_bytes(16), output_bytes(8)]);
    }
}
