//! AES-128-CBC with HMAC-SHA1 as TLS 1.0 protects a record: the MAC first, then the cipher over text, MAC and padding,
//! here in OpenSSL's one call that works both into each other.
//!
//! What a record is, so that others can make the same:
//! - header = the first 8 bytes of the fixtures' associated data (the sequence number) ‖ its 9th byte (the type) ‖
//!   `03 01` ‖ the text's length in 2 bytes, big-endian (RFC 2246, section 6.2.3.1);
//! - MAC = HMAC-SHA1(MAC key, header ‖ text); the cipher key is the first 16 bytes of the fixtures' key, the MAC key
//!   the rest;
//! - padding = at least one byte, up to whole blocks of 16, each byte the number of padding bytes less one;
//! - record = AES-128-CBC(text ‖ MAC ‖ padding).
//!
//! The IV of the first record is the fixtures' nonce. In TLS 1.0 the next record's IV is the last block of the one
//! before, so sealing runs one chain; opening takes the same record each time, and sets the IV each time. The sequence
//! number stays.

use std::sync::Arc;

use super::libcrypto::Libcrypto;
use super::libcrypto::cipher_context::{
    CipherContext, CipherDirection, CipherOrigin, RECORD_HEADER_BYTES, ROOM, Settings,
};
use crate::buffer::Buffer;
use crate::fixtures::Fixtures;
use crate::{Job, JobError, PreparedJob, Result, Unsupported};
use kasoku_model::workload::Operation;

const CIPHER_KEY_BYTES: usize = 16;
const BLOCK_BYTES: usize = 16;
const MAC_BYTES: usize = 20;
/// The longest text of a TLS record.
const MAX_TEXT_BYTES: usize = 16_384;

/// Makes the job ready.
pub(super) fn prepare(libcrypto: &Arc<Libcrypto>, operation: Operation, fixtures: &Fixtures) -> PreparedJob {
    if fixtures.text.len() > MAX_TEXT_BYTES {
        return Err(Unsupported::new(format!("a TLS record holds {MAX_TEXT_BYTES} bytes at most")));
    }
    let mut header = [0; RECORD_HEADER_BYTES];
    let (Some((cipher_key, mac_key)), Some(start)) =
        (fixtures.key.split_at_checked(CIPHER_KEY_BYTES), fixtures.aad.get(..9))
    else {
        return Err(Unsupported::new("it takes a key of 36 bytes and associated data of 9 or more"));
    };
    header[..9].copy_from_slice(start);
    header[9..11].copy_from_slice(&[3, 1]);
    header[11..].copy_from_slice(&(fixtures.text.len() as u16).to_be_bytes());

    let cipher = |direction| {
        let settings = Settings { without_padding: true, ..Settings::default() };
        let name = c"AES-128-CBC-HMAC-SHA1";
        CipherContext::new(libcrypto, name, CipherOrigin::Default, direction, settings, cipher_key, &fixtures.nonce)
            .map_err(|refusal| Unsupported::new(format!("{refusal}: it is made for AES instructions only")))
            .and_then(|mut context| {
                context.set_mac_key(mac_key)?;
                Ok(context)
            })
    };
    let length = (fixtures.text.len() + MAC_BYTES + 1).next_multiple_of(BLOCK_BYTES);
    let mut text = fixtures.text.clone();
    text.resize(length, 0); // MAC and padding are the library's to write
    let mut sealer = SealJob {
        context: cipher(CipherDirection::Encrypt)?,
        header,
        iv: fixtures.nonce.clone(),
        record: Buffer::output(length + ROOM),
        added: length - fixtures.text.len(),
        text: Buffer::input(&text),
    };
    if operation == Operation::Seal {
        return Ok(Box::new(sealer));
    }
    sealer.run(1)?;
    sealer.record.truncate(length);
    Ok(Box::new(OpenJob {
        context: cipher(CipherDirection::Decrypt)?,
        header,
        iv: fixtures.nonce.clone(),
        record: Buffer::input(&sealer.record),
        opened: Buffer::output(length + ROOM),
        text_bytes: fixtures.text.len(),
    }))
}

struct SealJob {
    context: CipherContext,
    header: [u8; RECORD_HEADER_BYTES],
    iv: Vec<u8>,
    /// The text, and room to the record's length.
    text: Buffer,
    record: Buffer,
    /// Bytes of MAC and padding.
    added: usize,
}

impl Job for SealJob {
    fn reset(&mut self) -> Result<()> {
        self.context.set_iv(&self.iv)
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            let added = self.context.begin_record(self.header)?;
            let written = self.context.update(&self.text, &mut self.record)?;
            if added != self.added || written != self.text.len() {
                return Err(JobError::new("a record of another length came out"));
            }
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.record[..self.text.len()].to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        Some("a TLS 1.0 record with its MAC and padding; the CBC chain runs on from record to record")
    }
}

struct OpenJob {
    context: CipherContext,
    header: [u8; RECORD_HEADER_BYTES],
    iv: Vec<u8>,
    record: Buffer,
    opened: Buffer,
    text_bytes: usize,
}

impl Job for OpenJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.context.set_iv(&self.iv)?;
            self.context.begin_record(self.header)?;
            self.context.update(&self.record, &mut self.opened)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [&self.record[..], &self.opened[..self.text_bytes]].concat()
    }

    fn note(&self) -> Option<&'static str> {
        Some("a TLS 1.0 record with its MAC and padding; the IV is set for each call")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library as _;
    use crate::openssl::tests::{check, each_library, output_of};
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::Workload;

    /// The definition above, put together from its parts.
    fn record(fixtures: &Fixtures, iv: &[u8]) -> Vec<u8> {
        use cbc::cipher::{BlockModeEncrypt, KeyIvInit, block_padding::NoPadding};
        use hmac::{KeyInit, Mac};
        let mut mac = hmac::Hmac::<sha1::Sha1>::new_from_slice(&fixtures.key[16..]).unwrap();
        mac.update(&fixtures.aad[..9]);
        mac.update(&[3, 1, (fixtures.text.len() >> 8) as u8, fixtures.text.len() as u8]);
        mac.update(&fixtures.text);
        let mut text = [&fixtures.text[..], &mac.finalize().into_bytes()].concat();
        let padding = 16 - text.len() % 16;
        text.extend(std::iter::repeat_n(padding as u8 - 1, padding));
        let length = text.len();
        cbc::Encryptor::<aes::Aes128>::new_from_slices(&fixtures.key[..16], iv)
            .unwrap()
            .encrypt_padded::<NoPadding>(&mut text, length)
            .unwrap();
        text
    }

    #[test]
    fn records_agree_with_the_definition() {
        each_library(|library| {
            let algorithm = Algorithm::Aes128CbcHmacSha1;
            for bytes in [0, 1, 11, 12, 16, 27, 28, 256, 1350, 8192, 16384] {
                let fixtures = Fixtures::of(&Workload::new(Operation::Seal, algorithm, bytes));
                let first = record(&fixtures, &fixtures.nonce);
                check(library, Operation::Seal, algorithm, &fixtures, &first);
                check(library, Operation::Open, algorithm, &fixtures, &[&first[..], &fixtures.text].concat());
                let second = record(&fixtures, &first[first.len() - 16..]);
                if let Ok(()) = offered(library) {
                    assert_eq!(output_of(library, Operation::Seal, algorithm, &fixtures, 2), second);
                }
            }
        });
    }

    #[test]
    fn a_forged_record_is_refused() {
        each_library(|library| {
            if offered(library).is_err() {
                return;
            }
            let fixtures = Fixtures::of(&Workload::new(Operation::Open, Algorithm::Aes128CbcHmacSha1, 100));
            let settings = Settings { without_padding: true, ..Settings::default() };
            let name = c"AES-128-CBC-HMAC-SHA1";
            let (key, mac_key) = fixtures.key.split_at(16);
            let mut context = CipherContext::new(
                library.libcrypto(),
                name,
                CipherOrigin::Default,
                CipherDirection::Decrypt,
                settings,
                key,
                &fixtures.nonce,
            )
            .unwrap();
            context.set_mac_key(mac_key).unwrap();
            let mut header = [0; 13];
            header[..9].copy_from_slice(&fixtures.aad[..9]);
            header[9..].copy_from_slice(&[3, 1, 0, 100]);
            let record = record(&fixtures, &fixtures.nonce);
            let mut job = OpenJob {
                context,
                header,
                iv: fixtures.nonce.clone(),
                opened: Buffer::output(record.len() + ROOM),
                record: Buffer::input(&record),
                text_bytes: 100,
            };
            job.run(2).unwrap();
            job.record[50] ^= 1;
            assert!(job.run(1).is_err());
            job.record[50] ^= 1;
            job.header[0] ^= 1;
            assert!(job.run(1).is_err());
        });
    }

    #[test]
    fn a_text_beyond_a_record_is_refused() {
        each_library(|library| {
            let workload = Workload::new(Operation::Seal, Algorithm::Aes128CbcHmacSha1, 16_385);
            let why = library.prepare(&workload, &Fixtures::of(&workload)).map(|_| ()).unwrap_err().why;
            assert!(why.contains("16384 bytes at most"), "{why}");
        });
    }

    /// The cipher is there only with AES instructions, which the machine of a test may lack.
    fn offered(library: &super::super::OpenSsl) -> Result<(), Unsupported> {
        let workload = Workload::new(Operation::Seal, Algorithm::Aes128CbcHmacSha1, 16);
        library.prepare(&workload, &Fixtures::of(&workload)).map(|_| ())
    }
}
