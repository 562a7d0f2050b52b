//! `aes-128-cbc-hmac-sha1`: the record protection of TLS 1.0 (RFC 2246 section 6.2.3.2, the suite AES128-SHA), built
//! from HMAC and CBC like a TLS implementation without a fused routine.

use aes::Aes128;
use aes::cipher::array::Array;
use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, SetIvState};
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

use super::super::loops::cipher::{cipher_job, record_job};
use super::super::loops::{failed, rejected, to_array};
use super::super::{PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::workload::{Operation, Workload};

/// Maximum length in bytes of a record's text (RFC 2246 section 6.2.1).
const MAX_TEXT: usize = 1 << 14;
const BLOCK_BYTES: usize = 16;
const MAC_BYTES: usize = 20;
const VERSION: [u8; 2] = [3, 1];

const TWO_PASSES: &str = "put together from HMAC-SHA1 and AES-CBC, in two passes";
const IV_EACH_CALL: &str = "put together from AES-CBC and HMAC-SHA1, in two passes; the IV is set for each call";

pub(super) fn prepare(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if fixtures.text.len() > MAX_TEXT {
        return Err(Unsupported::new("a TLS record carries no more than 16,384 bytes"));
    }
    let mut protection = Protection::new(fixtures)?;
    if workload.operation == Operation::Seal {
        let restart = |protection: &mut Protection| {
            protection.encryptor.set_iv(&protection.iv);
            Ok(())
        };
        return Ok(cipher_job(protection, &fixtures.text, Some(TWO_PASSES), restart, |protection, text, out| {
            let bytes = record_bytes(text.len());
            protection.seal(text, &mut out[..bytes]);
            Ok(bytes)
        }));
    }
    let mut record = vec![0; record_bytes(fixtures.text.len())];
    protection.seal(&fixtures.text, &mut record);
    Ok(record_job(protection, &record, Some(IV_EACH_CALL), |protection, record, out| {
        protection.open(record, &mut out[..record.len()])
    }))
}

struct Protection {
    encryptor: cbc::Encryptor<Aes128>,
    decryptor: cbc::Decryptor<Aes128>,
    iv: aes::Block,
    /// MAC with its key set and no data, copied for each record.
    mac: Hmac<Sha1>,
    header: [u8; 9],
}

impl Protection {
    fn new(fixtures: &Fixtures) -> Result<Self, Unsupported> {
        let (cipher_key, mac_key) = fixtures.key.split_at_checked(BLOCK_BYTES).ok_or_else(|| rejected("key"))?;
        let mac_key: [u8; MAC_BYTES] = to_array("MAC key", mac_key)?;
        let header = fixtures.aad.get(..9).ok_or_else(|| rejected("sequence number and type"))?;
        let key: [u8; BLOCK_BYTES] = to_array("key", cipher_key)?;
        let iv: [u8; BLOCK_BYTES] = to_array("IV", &fixtures.nonce)?;
        Ok(Protection {
            encryptor: cbc::Encryptor::new(&key.into(), &iv.into()),
            decryptor: cbc::Decryptor::new(&key.into(), &iv.into()),
            iv: iv.into(),
            mac: Hmac::new_from_slice(&mac_key).map_err(|_| rejected("MAC key"))?,
            header: to_array("header", header)?,
        })
    }

    fn authenticated(&self, text: &[u8]) -> Hmac<Sha1> {
        let mut mac = self.mac.clone();
        mac.update(&self.header);
        mac.update(&VERSION);
        mac.update(&(text.len() as u16).to_be_bytes()); // MAX_TEXT fits in two bytes
        mac.update(text);
        mac
    }

    /// Fills `record` with text ‖ MAC ‖ padding and encrypts it. The CBC chain continues from the previous record.
    fn seal(&mut self, text: &[u8], record: &mut [u8]) {
        let (content, rest) = record.split_at_mut(text.len());
        let (mac, padding) = rest.split_at_mut(MAC_BYTES);
        content.copy_from_slice(text);
        mac.copy_from_slice(&self.authenticated(text).finalize().into_bytes());
        padding.fill((padding.len() - 1) as u8);
        let (blocks, _) = Array::slice_as_chunks_mut(record);
        self.encryptor.encrypt_blocks(blocks);
    }

    /// Decrypts `record` to `opened`, and checks its padding and MAC. Returns the length of the text in bytes.
    fn open(&mut self, record: &[u8], opened: &mut [u8]) -> Result<usize> {
        let (blocks, _) = Array::slice_as_chunks(record);
        let (opened_blocks, _) = Array::slice_as_chunks_mut(opened);
        self.decryptor.set_iv(&self.iv);
        self.decryptor.decrypt_blocks_b2b(blocks, opened_blocks).map_err(|_| failed("decrypt"))?;
        let last = opened.last().copied().ok_or_else(|| failed("open"))?;
        let content = opened.len().checked_sub(usize::from(last) + 1).ok_or_else(|| failed("open"))?;
        let text_bytes = content.checked_sub(MAC_BYTES).ok_or_else(|| failed("open"))?;
        let padding_is_good = opened[content..].iter().fold(0, |difference, byte| difference | (byte ^ last)) == 0;
        let (text, rest) = opened.split_at(text_bytes);
        let mac_is_good = self.authenticated(text).verify_slice(&rest[..MAC_BYTES]).is_ok();
        if padding_is_good & mac_is_good { Ok(text_bytes) } else { Err(failed("open")) }
    }
}

fn record_bytes(text_bytes: usize) -> usize {
    (text_bytes + MAC_BYTES + 1).next_multiple_of(BLOCK_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::algorithm::Algorithm;

    fn fixtures(bytes: usize) -> Fixtures {
        Fixtures::of(&Workload::new(Operation::Seal, Algorithm::Aes128CbcHmacSha1, bytes))
    }

    #[test]
    fn rustcrypto_record_round_trips_and_rejects_bit_flips() {
        for bytes in [0, 1, 11, 12, 100, MAX_TEXT] {
            let fixtures = fixtures(bytes);
            let mut protection = Protection::new(&fixtures).unwrap();
            let mut record = vec![0; record_bytes(bytes)];
            let mut opened = record.clone();
            protection.seal(&fixtures.text, &mut record);
            let text_bytes = protection.open(&record, &mut opened).unwrap();
            assert_eq!(opened[..text_bytes], fixtures.text);
            for at in [0, record.len() / 2, record.len() - 1] {
                record[at] ^= 1;
                assert!(protection.open(&record, &mut opened).is_err(), "{bytes} bytes, byte {at}");
                record[at] ^= 1;
            }
        }
    }

    #[test]
    fn tls_record_chain_continues_with_the_last_block() {
        let fixtures = fixtures(44);
        let mut protection = Protection::new(&fixtures).unwrap();
        let (mut first, mut second) = ([0; 80], [0; 80]);
        protection.seal(&fixtures.text, &mut first);
        protection.seal(&fixtures.text, &mut second);
        assert_ne!(first, second);
        protection.iv = first[64..].try_into().unwrap();
        let mut opened = [0; 80];
        assert_eq!(protection.open(&second, &mut opened).unwrap(), 44);
    }

    #[test]
    fn rustcrypto_record_rejects_text_beyond_16_kib() {
        let workload = Workload::new(Operation::Seal, Algorithm::Aes128CbcHmacSha1, MAX_TEXT + 1);
        assert!(prepare(&workload, &Fixtures::of(&workload)).is_err());
    }
}
