//! Verifies encrypted files with another library than the one that wrote them: AWS-LC for the engine's chunks, the
//! engine for GCM, RustCrypto for CBC and CTR.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use cbc::cipher::{BlockModeDecrypt, KeyIvInit, StreamCipher};
use hmac::{Hmac, KeyInit, Mac};
use kasoku_engine::{AesGcm, Sealing};
use sha2::Sha512;

use crate::fixtures::Fixtures;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::workload::files::Form;

/// Bytes to read and compare at a time: a multiple of every form's chunk size.
const PIECE: usize = 64 * CHUNK;
const CHUNK: usize = 16_384;
const TAG: usize = 16;
const BLOCK: usize = 16;
/// Label for deriving Cobblestone-256's keys (C2SP chunked encryption).
const LABEL: &[u8] = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0";

/// Verifies that `encrypted` is `text` in `form` under the key and nonce of `fixtures`, with another library. Reads
/// both files from beginning to end.
pub fn is_encrypted_form(
    encrypted: &mut File,
    text: &mut File,
    form: Form,
    algorithm: Algorithm,
    fixtures: &Fixtures,
) -> Result<(), String> {
    for file in [&mut *encrypted, &mut *text] {
        file.seek(SeekFrom::Start(0)).map_err(|error| format!("reading: {error}"))?;
    }
    match form {
        Form::Copy => same(encrypted, text),
        Form::Cobblestone => {
            let mut header = [0; 56];
            encrypted.read_exact(&mut header).map_err(|_| "it is shorter than a header".to_owned())?;
            let derived = derive(&fixtures.key, &header[..24]);
            if derived[44..76] != header[24..] {
                return Err("its header does not commit to the key".to_owned());
            }
            verify_chunks(encrypted, text, &derived[..32], array(&derived[32..44])?)
        }
        Form::Stream if algorithm.kind() == AlgorithmKind::Aead => verify_gcm(encrypted, text, fixtures),
        Form::Stream => verify_cipher(encrypted, text, algorithm, fixtures),
    }
}

/// Verifies that two files have equal content, from their current positions to their ends.
pub fn same(one: &mut impl Read, other: &mut impl Read) -> Result<(), String> {
    let mut offset = 0;
    loop {
        let (left, right) = (read_piece(one, PIECE)?, read_piece(other, PIECE)?);
        if left != right {
            let first = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
            return Err(format!("it differs from byte {} on", offset + first));
        }
        if left.is_empty() {
            return Ok(());
        }
        offset += left.len();
    }
}

fn derive(key: &[u8], salt: &[u8]) -> Vec<u8> {
    let block = |before: &[u8], number: u8| {
        let Ok(mut mac) = Hmac::<Sha512>::new_from_slice(key) else { unreachable!("HMAC takes keys of any length") };
        [before, LABEL, salt, &[number]].iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().to_vec()
    };
    let first = block(&[], 1);
    let second = block(&first, 2);
    [first, second].concat()
}

fn verify_chunks(encrypted: &mut File, text: &mut File, key: &[u8], first_nonce: [u8; 12]) -> Result<(), String> {
    let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| "the reference refuses the key".to_owned())?;
    let key = LessSafeKey::new(key);
    for number in 0u64.. {
        let mut chunk = read_piece(encrypted, CHUNK + TAG)?;
        let mut nonce = first_nonce;
        nonce[4..].iter_mut().zip(number.to_be_bytes()).for_each(|(byte, of_number)| *byte ^= of_number);
        let opened = key
            .open_in_place(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut chunk)
            .map_err(|_| format!("another library does not open chunk {number}"))?;
        let expected = read_piece(text, CHUNK)?;
        if *opened != *expected {
            return Err(format!("chunk {number} is not the plaintext"));
        }
        if expected.len() < CHUNK {
            break;
        }
    }
    if read_piece(encrypted, 1)?.is_empty() { Ok(()) } else { Err("it continues after its end".to_owned()) }
}

fn verify_gcm(encrypted: &mut File, text: &mut File, fixtures: &Fixtures) -> Result<(), String> {
    let key = AesGcm::new(&fixtures.key).map_err(|error| error.to_string())?;
    let mut sealing = Some(Sealing::new(key, &array(&fixtures.nonce)?).map_err(|error| error.to_string())?);
    compare(encrypted, text, "encrypts the plaintext", |found, piece, is_end| {
        if let Some(sealing) = &mut sealing {
            sealing.update(piece).map_err(|error| error.to_string())?;
        }
        let tag = sealing.take_if(|_| is_end).map(|sealing| sealing.finish().to_vec());
        Ok(found.strip_prefix(piece) == Some(&tag.unwrap_or_default()[..]))
    })
}

fn verify_cipher(
    encrypted: &mut File,
    text: &mut File,
    algorithm: Algorithm,
    fixtures: &Fixtures,
) -> Result<(), String> {
    match algorithm {
        Algorithm::Aes128Cbc => verify_cbc::<cbc::Decryptor<aes::Aes128>>(encrypted, text, fixtures),
        Algorithm::Aes256Cbc => verify_cbc::<cbc::Decryptor<aes::Aes256>>(encrypted, text, fixtures),
        Algorithm::Aes128Ctr => verify_ctr::<ctr::Ctr128BE<aes::Aes128>>(encrypted, text, fixtures),
        Algorithm::Aes256Ctr => verify_ctr::<ctr::Ctr128BE<aes::Aes256>>(encrypted, text, fixtures),
        other => Err(format!("nothing here can verify {other}")),
    }
}

/// Decrypts and compares text and padding, since CBC decrypts much faster than it encrypts.
fn verify_cbc<C>(encrypted: &mut File, text: &mut File, fixtures: &Fixtures) -> Result<(), String>
where
    C: KeyIvInit + BlockModeDecrypt<BlockSize = cbc::cipher::typenum::U16>,
{
    let mut mode = C::new_from_slices(&fixtures.key, &fixtures.nonce).map_err(|error| error.to_string())?;
    compare(encrypted, text, "decrypts it", |found, piece, is_end| {
        let (blocks, rest) = found.as_chunks_mut::<BLOCK>();
        if !rest.is_empty() {
            return Err("it does not consist of whole blocks".to_owned());
        }
        for block in blocks {
            mode.decrypt_block(block.into());
        }
        let padding = if is_end { BLOCK - piece.len() % BLOCK } else { 0 };
        let behind = found.strip_prefix(&*piece);
        Ok(behind.is_some_and(|behind| behind.len() == padding && behind.iter().all(|byte| *byte == padding as u8)))
    })
}

fn verify_ctr<C: KeyIvInit + StreamCipher>(
    encrypted: &mut File,
    text: &mut File,
    fixtures: &Fixtures,
) -> Result<(), String> {
    let mut mode = C::new_from_slices(&fixtures.key, &fixtures.nonce).map_err(|error| error.to_string())?;
    compare(encrypted, text, "encrypts the plaintext", |found, piece, _| {
        mode.try_apply_keystream(piece).map_err(|error| error.to_string())?;
        Ok(found == piece)
    })
}

/// Compares `encrypted` with `text` piece by piece. `is_same` takes an encrypted piece, a piece of text, and whether it
/// is the last; it returns whether they match. The last encrypted piece includes the bytes behind the text.
fn compare(
    encrypted: &mut File,
    text: &mut File,
    does: &str,
    mut is_same: impl FnMut(&mut [u8], &mut [u8], bool) -> Result<bool, String>,
) -> Result<(), String> {
    loop {
        let mut piece = read_piece(text, PIECE)?;
        let is_end = piece.len() < PIECE;
        let mut found = read_piece(encrypted, if is_end { PIECE + TAG } else { PIECE })?;
        if !is_same(&mut found, &mut piece, is_end)? {
            return Err(format!("another library {does} differently"));
        }
        if is_end {
            return Ok(());
        }
    }
}

/// Reads the next `bytes` bytes of a file, or fewer at its end.
fn read_piece(file: &mut impl Read, bytes: usize) -> Result<Vec<u8>, String> {
    let mut piece = Vec::with_capacity(bytes);
    file.take(bytes as u64).read_to_end(&mut piece).map_err(|error| format!("reading: {error}"))?;
    Ok(piece)
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], String> {
    bytes.try_into().map_err(|_| format!("{} bytes where {N} belong", bytes.len()))
}
