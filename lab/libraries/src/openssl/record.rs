//! AES-128-CBC with HMAC-SHA1 as TLS 1.0 protects a record: first the MAC, then the cipher over text, MAC and padding.
//! OpenSSL does both in one interleaved call.
//!
//! Definition of a record, which other libraries follow too:
//! - header = the first 8 bytes of the fixtures' associated data (the sequence number) ‖ its 9th byte (the type) ‖
//!   `03 01` ‖ the text's length in 2 bytes, big-endian (RFC 2246, section 6.2.3.1);
//! - MAC = HMAC-SHA1(MAC key, header ‖ text); the cipher key is the first 16 bytes of the fixtures' key, the MAC key
//!   the rest;
//! - padding = at least one byte, up to whole blocks of 16, each byte the number of padding bytes less one;
//! - record = AES-128-CBC(text ‖ MAC ‖ padding).
//!
//! The IV of the first record is the fixtures' nonce. In TLS 1.0 the last block of a record is the next record's IV, so
//! sealing continues one chain. Opening decrypts one record repeatedly and sets its IV each time. The sequence number
//! is constant.

use std::sync::Arc;

use super::libcrypto::Libcrypto;
use super::libcrypto::cipher_context::{CipherContext, CipherDirection, RECORD_HEADER_BYTES, Settings};
use crate::fixtures::Fixtures;
use crate::loops::cipher::{cipher_job, record_job};
use crate::{JobError, PreparedJob, Unsupported};
use kasoku_model::workload::Operation;

const CIPHER_KEY_BYTES: usize = 16;
const BLOCK_BYTES: usize = 16;
const MAC_BYTES: usize = 20;
const MAX_TEXT_BYTES: usize = 16_384;

type Header = [u8; RECORD_HEADER_BYTES];

pub(super) fn prepare(libcrypto: &Arc<Libcrypto>, operation: Operation, fixtures: &Fixtures) -> PreparedJob {
    if fixtures.text.len() > MAX_TEXT_BYTES {
        return Err(Unsupported::new(format!("a TLS record holds {MAX_TEXT_BYTES} bytes at most")));
    }
    let Some(start) = fixtures.aad.get(..9) else { return Err(refused()) };
    let mut header = [0; RECORD_HEADER_BYTES];
    header[..9].copy_from_slice(start);
    header[9..11].copy_from_slice(&[3, 1]);
    header[11..].copy_from_slice(&(fixtures.text.len() as u16).to_be_bytes());
    let mut sealer = seal(libcrypto, fixtures, header)?;
    if operation == Operation::Seal {
        return Ok(sealer);
    }
    sealer.run(1)?;
    open(libcrypto, fixtures, header, &sealer.output())
}

fn refused() -> Unsupported {
    Unsupported::new("it takes a key of 36 bytes and associated data of 9 or more")
}

fn context(
    libcrypto: &Arc<Libcrypto>,
    direction: CipherDirection,
    fixtures: &Fixtures,
) -> Result<CipherContext, Unsupported> {
    let (cipher_key, mac_key) = fixtures.key.split_at_checked(CIPHER_KEY_BYTES).ok_or_else(refused)?;
    let settings = Settings { without_padding: true, ..Settings::default() };
    let name = c"AES-128-CBC-HMAC-SHA1";
    let context = CipherContext::new(libcrypto, name, direction, settings, cipher_key, &fixtures.nonce)
        .map_err(|refusal| Unsupported::new(format!("{refusal}: it is made for AES instructions only")))?;
    context.set_mac_key(mac_key)?;
    Ok(context)
}

fn seal(libcrypto: &Arc<Libcrypto>, fixtures: &Fixtures, header: Header) -> PreparedJob {
    let mut text = fixtures.text.clone();
    let length = (text.len() + MAC_BYTES + 1).next_multiple_of(BLOCK_BYTES);
    let beyond = length - text.len();
    text.resize(length, 0); // room for MAC and padding, which the library writes
    let iv = fixtures.nonce.clone();
    Ok(cipher_job(
        context(libcrypto, CipherDirection::Encrypt, fixtures)?,
        &text,
        Some("a TLS 1.0 record with its MAC and padding; the CBC chain runs on from record to record"),
        move |context| context.set_iv(&iv),
        move |context, text, record| {
            let added = context.begin_record(header)?;
            let written = context.update(text, record)?;
            if added != beyond || written != text.len() {
                return Err(JobError::new("a record of another length came out"));
            }
            Ok(written)
        },
    ))
}

fn open(libcrypto: &Arc<Libcrypto>, fixtures: &Fixtures, header: Header, record: &[u8]) -> PreparedJob {
    let (iv, text_bytes) = (fixtures.nonce.clone(), fixtures.text.len());
    Ok(record_job(
        context(libcrypto, CipherDirection::Decrypt, fixtures)?,
        record,
        Some("a TLS 1.0 record with its MAC and padding; the IV is set for each call"),
        move |context, record, opened| {
            context.set_iv(&iv)?;
            context.begin_record(header)?;
            context.update(record, opened)?;
            Ok(text_bytes)
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library;
    use crate::openssl::tests::{each_library, output_of};
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::Workload;

    #[test]
    fn openssl_continues_the_cbc_chain_of_records_like_rustcrypto() {
        let rustcrypto = (crate::rustcrypto::ENTRY.open)(&crate::Opening::default()).unwrap();
        each_library(|library| {
            if offered(library).is_ok() {
                let fixtures = Fixtures::of(&Workload::new(Operation::Seal, Algorithm::Aes128CbcHmacSha1, 1350));
                let [ours, theirs] = [library as &dyn Library, &*rustcrypto]
                    .map(|one| output_of(one, Operation::Seal, Algorithm::Aes128CbcHmacSha1, &fixtures, 2));
                assert_eq!(ours, theirs);
            }
        });
    }

    #[test]
    fn openssl_rejects_forged_records() {
        each_library(|library| {
            if offered(library).is_err() {
                return;
            }
            let fixtures = Fixtures::of(&Workload::new(Operation::Open, Algorithm::Aes128CbcHmacSha1, 100));
            let mut header = [0; RECORD_HEADER_BYTES];
            header[..9].copy_from_slice(&fixtures.aad[..9]);
            header[9..].copy_from_slice(&[3, 1, 0, 100]);
            let sealed = output_of(library, Operation::Seal, Algorithm::Aes128CbcHmacSha1, &fixtures, 1);
            let opens =
                |header, record: &[u8]| open(library.libcrypto(), &fixtures, header, record).unwrap().run(2).is_ok();
            assert!(opens(header, &sealed));
            let mut forged = sealed.clone();
            forged[50] ^= 1;
            assert!(!opens(header, &forged));
            header[0] ^= 1;
            assert!(!opens(header, &sealed));
        });
    }

    #[test]
    fn openssl_record_rejects_text_beyond_16_kib() {
        each_library(|library| {
            let workload = Workload::new(Operation::Seal, Algorithm::Aes128CbcHmacSha1, 16_385);
            let why = library.prepare(&workload, &Fixtures::of(&workload)).map(|_| ()).unwrap_err().why;
            assert!(why.contains("16384 bytes at most"), "{why}");
        });
    }

    /// Returns an error if the library lacks the cipher, which needs AES instructions.
    fn offered(library: &super::super::OpenSsl) -> Result<(), Unsupported> {
        let workload = Workload::new(Operation::Seal, Algorithm::Aes128CbcHmacSha1, 16);
        library.prepare(&workload, &Fixtures::of(&workload)).map(|_| ())
    }
}
