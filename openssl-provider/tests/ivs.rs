//! Checks that no sequence of calls encrypts two messages under one key with one IV, unless the program sets the same
//! IV twice.
//!
//! The plaintext is zeros, so that the output is the keystream: a repeated block or tag is a fault. IVs set by the
//! program are new, or one that was used before. Encrypting with a reused IV, or with IVs incremented from it, is the
//! program's own choice.

#![allow(unsafe_code, clippy::unwrap_used, clippy::undocumented_unsafe_blocks, reason = "tests may panic")]

mod evp;

use std::collections::HashMap;
use std::ffi::c_int;
use std::ptr::null_mut;

use evp::random::Random;
use evp::{Cipher, Context, Library, NAMES, crypto, ctrl, errors};

/// Sequences per key length.
const SEQUENCES: u64 = 20_000;

#[derive(Clone, Copy, Debug)]
enum Call {
    /// Initialises the context. Passing the cipher resets the context. `key` selects one of two keys. `direction` is 1
    /// to encrypt, 0 to decrypt, -1 for no change.
    Init {
        cipher: bool,
        key: Option<u8>,
        iv: Option<Iv>,
        direction: c_int,
    },
    SetIvBytes(u8),
    /// Sets the fixed part of the IV to `bytes` bytes with the value `part`.
    SetFixedIv {
        part: u8,
        bytes: u8,
    },
    SetWholeIv,
    NextIv(c_int),
    SetReceivedIv(Iv),
    SetTag,
    GetTag,
    RecordAad,
    Aad,
    /// Number of blocks of text. The text is a TLS record if the AAD of a record was set before.
    Text(u8),
    End,
    /// Copies the context, and continues with the copy or with the original.
    Copy {
        is_copy_kept: bool,
    },
    Reset,
}

#[derive(Clone, Copy, Debug)]
enum Iv {
    New,
    /// An IV that was used before.
    Old(u8),
}

fn any_iv(random: &mut Random) -> Iv {
    if random.once_in(2) { Iv::New } else { Iv::Old(random.below(256) as u8) }
}

fn any_call(random: &mut Random) -> Call {
    match random.below(32) {
        0..=5 => Call::Init {
            cipher: random.once_in(12),
            key: random.once_in(3).then(|| random.below(2) as u8),
            iv: random.once_in(3).then(|| any_iv(random)),
            direction: random.choose(&[1, 1, 0, 0, -1]),
        },
        6 => Call::SetIvBytes(random.choose(&[8, 12, 12, 13, 16])),
        7..=8 => Call::SetFixedIv { part: random.below(2) as u8, bytes: random.choose(&[4, 4, 4, 5, 8]) },
        9 => Call::SetWholeIv,
        10..=13 => Call::NextIv(random.choose(&[-1, 1, 8, 8, 12])),
        14..=15 => Call::SetReceivedIv(any_iv(random)),
        16 => Call::SetTag,
        17 => Call::GetTag,
        18..=20 => Call::RecordAad,
        21 => Call::Aad,
        22..=27 => Call::Text(random.choose(&[0, 1, 1, 2, 9])),
        28..=29 => Call::End,
        30 => Call::Copy { is_copy_kept: random.once_in(2) },
        _ if random.once_in(4) => Call::Reset,
        _ => Call::Text(1),
    }
}

/// A context and its expected state.
struct Model<'a> {
    cipher: &'a Cipher,
    key_bytes: usize,
    context: Context,
    random: Random,
    encrypts: bool,
    awaits_record: bool,
    /// Whether the program has set an IV that was used before.
    is_iv_repeated: bool,
    /// IVs that were used.
    ivs: Vec<Vec<u8>>,
    /// Output blocks, with the number of the call that produced them.
    seen: HashMap<[u8; 16], usize>,
}

impl<'a> Model<'a> {
    fn new(cipher: &'a Cipher, key_bytes: usize, seed: u64) -> Self {
        Self {
            cipher,
            key_bytes,
            context: cipher.context(),
            random: Random::new(seed),
            encrypts: false,
            awaits_record: false,
            is_iv_repeated: false,
            ivs: Vec::new(),
            seen: HashMap::new(),
        }
    }

    /// Returns an IV with more bytes than any IV length needs.
    fn iv(&mut self, which: Iv) -> Vec<u8> {
        let known = match which {
            Iv::Old(number) if !self.ivs.is_empty() => self.ivs[usize::from(number) % self.ivs.len()].clone(),
            _ => {
                self.is_iv_repeated = false;
                let mut iv = self.random.bytes(16);
                let part = self.random.below(2) as u8;
                iv[..4].fill(part);
                self.ivs.push(iv.clone());
                return [iv, vec![0; 112]].concat();
            }
        };
        self.is_iv_repeated = true;
        [known, vec![0; 128]].concat()
    }

    /// Records the IV that was used. After an increment, the context reports the next IV, so the IV before the reported
    /// one is recorded too.
    fn note_iv(&mut self) {
        let mut iv = [0; 16];
        let bytes = unsafe { (crypto().EVP_CIPHER_CTX_get_iv_length)(self.context.0) } as usize;
        let done =
            unsafe { (crypto().EVP_CIPHER_CTX_get_updated_iv)(self.context.0, iv.as_mut_ptr().cast(), bytes.min(16)) };
        if done == 1 && (8..=16).contains(&bytes) {
            let iv = &mut iv[..bytes];
            self.ivs.push(iv.to_vec());
            let count = iv.last_chunk_mut::<8>().unwrap();
            *count = u64::from_be_bytes(*count).wrapping_sub(1).to_be_bytes();
            self.ivs.push(iv.to_vec());
        }
    }

    /// Makes a call. Returns whether it succeeded, or, as an error, the earlier call with the same output.
    fn make(&mut self, number: usize, call: Call) -> Result<bool, usize> {
        let result = match call {
            Call::Init { cipher, key, iv, direction } => {
                let key = key.map(|key| vec![key; self.key_bytes]);
                let iv = iv.map(|iv| self.iv(iv));
                let result = self.context.init(cipher.then_some(self.cipher), key.as_deref(), iv.as_deref(), direction);
                if direction >= 0 {
                    self.encrypts = direction == 1;
                }
                self.awaits_record &= !cipher;
                self.is_iv_repeated &= !(cipher && iv.is_none());
                result
            }
            Call::SetIvBytes(bytes) => self.context.ctrl(ctrl::SET_IVLEN, c_int::from(bytes), null_mut()),
            Call::SetFixedIv { part, bytes } => {
                let result = self.context.set(ctrl::SET_IV_FIXED, &vec![part; usize::from(bytes)]);
                self.is_iv_repeated &= result <= 0;
                result
            }
            Call::SetWholeIv => {
                let iv = self.iv(Iv::New);
                self.context.ctrl(ctrl::SET_IV_FIXED, -1, iv.as_ptr().cast_mut().cast())
            }
            Call::NextIv(bytes) => {
                let result = self.context.ctrl(ctrl::IV_GEN, bytes, [0_u8; 128].as_mut_ptr().cast());
                self.note_message(result);
                result
            }
            Call::SetReceivedIv(iv) => {
                let is_repeated = self.is_iv_repeated;
                let iv = self.iv(iv);
                let result = self.context.set(ctrl::SET_IV_INV, &iv[4..12]);
                self.is_iv_repeated = is_repeated && result <= 0;
                result
            }
            Call::SetTag => self.context.set(ctrl::SET_TAG, &[7; 16]),
            Call::GetTag => self.context.ctrl(ctrl::GET_TAG, 16, [0_u8; 16].as_mut_ptr().cast()),
            Call::RecordAad => {
                let result = self.context.set(ctrl::TLS1_AAD, &[0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 40]);
                self.awaits_record |= result > 0;
                result
            }
            Call::Aad => {
                self.awaits_record = false;
                let result = self.context.aad(b"thirteen byte");
                self.note_message(result);
                result
            }
            Call::Text(blocks) => return self.text(number, usize::from(blocks)),
            Call::End => {
                let was_record = std::mem::take(&mut self.awaits_record);
                let result = self.context.finish();
                self.note_message(result);
                if result == 1 && self.encrypts && !was_record {
                    let tag = self.context.tag();
                    self.check_is_new(number, &tag)?;
                }
                result
            }
            Call::Copy { is_copy_kept } => {
                let mut copy = self.cipher.context();
                let result = unsafe { (crypto().EVP_CIPHER_CTX_copy)(copy.0, self.context.0) };
                if result == 1 && is_copy_kept {
                    std::mem::swap(&mut self.context, &mut copy);
                }
                result
            }
            Call::Reset => {
                (self.encrypts, self.awaits_record, self.is_iv_repeated) = (false, false, false);
                unsafe { (crypto().EVP_CIPHER_CTX_reset)(self.context.0) }
            }
        };
        Ok(result > 0)
    }

    fn text(&mut self, number: usize, blocks: usize) -> Result<bool, usize> {
        if !std::mem::take(&mut self.awaits_record) || blocks == 0 {
            let mut text = vec![0; 16 * blocks];
            let is_done = self.context.update_in_place(&mut text).0 == 1;
            if is_done && blocks > 0 {
                self.note_message(1);
                if self.encrypts {
                    self.check_is_new(number, &text)?;
                }
            }
            return Ok(is_done);
        }
        let mut record = vec![0; 8 + 16 * blocks + 16];
        if !self.encrypts {
            let is_repeated = self.is_iv_repeated;
            let received = self.iv(Iv::Old(blocks as u8));
            self.is_iv_repeated = is_repeated;
            record[..8].copy_from_slice(&received[4..12]);
        }
        let is_done = self.context.update_in_place(&mut record).0 == 1;
        // A forged record has used its IV too.
        self.note_message(1);
        if is_done && self.encrypts {
            self.check_is_new(number, &record[8..])?;
        }
        Ok(is_done)
    }

    /// Updates the expected state after a call that may have begun a message. Decrypting clears `is_iv_repeated`,
    /// because the program did not set that IV for encrypting.
    fn note_message(&mut self, result: c_int) {
        if result > 0 {
            self.note_iv();
            self.is_iv_repeated &= self.encrypts;
        }
    }

    fn check_is_new(&mut self, number: usize, output: &[u8]) -> Result<(), usize> {
        for block in output.as_chunks::<16>().0 {
            if let Some(before) = self.seen.insert(*block, number).filter(|_| !self.is_iv_repeated) {
                return Err(before);
            }
        }
        Ok(())
    }
}

/// Makes the calls. Returns how many succeeded, or, as an error, the two calls with the same output.
fn make_all(cipher: &Cipher, key_bytes: usize, seed: u64, calls: &[Call]) -> Result<usize, (usize, usize)> {
    let mut model = Model::new(cipher, key_bytes, seed);
    let mut successes = 0;
    for (number, call) in calls.iter().enumerate() {
        successes += usize::from(model.make(number, *call).map_err(|before| (before, number))?);
    }
    Ok(successes)
}

/// Returns a minimal sequence of the calls that still fails.
fn minimize(calls: &[Call], fails: impl Fn(&[Call]) -> bool) -> Vec<Call> {
    let mut fewest = calls.to_vec();
    let mut place = fewest.len();
    while place > 0 {
        place -= 1;
        let mut fewer = fewest.clone();
        fewer.remove(place);
        if fails(&fewer) {
            fewest = fewer;
            place = fewest.len();
        }
    }
    fewest
}

#[test]
fn random_calls_never_reuse_an_iv_for_encryption() {
    let library = Library::new("");
    let (mut calls, mut successes) = (0, 0);
    for (name, key_bytes) in NAMES {
        let cipher = library.cipher(name, "kasoku");
        for seed in 0..SEQUENCES {
            let mut random = Random::new(seed * 3 + key_bytes as u64);
            let first = Call::Init { cipher: true, key: Some(0), iv: None, direction: random.choose(&[1, 0, -1]) };
            let sequence: Vec<Call> =
                std::iter::once(first).chain((0..5 + random.below(40)).map(|_| any_call(&mut random))).collect();
            calls += sequence.len();
            successes += make_all(&cipher, key_bytes, seed, &sequence).unwrap_or_else(|_| {
                let fewest = minimize(&sequence, |calls| make_all(&cipher, key_bytes, seed, calls).is_err());
                let twice = make_all(&cipher, key_bytes, seed, &fewest).unwrap_err();
                let fewest: Vec<String> = fewest.iter().map(|call| format!("{call:?}")).collect();
                panic!("{name:?}, seed {seed}: calls {twice:?} of these encrypt with one IV:\n{}", fewest.join("\n"))
            });
            errors();
        }
    }
    println!("{calls} calls, of which {successes} succeeded");
    // A sequence in which every call fails would show nothing.
    assert!(successes > calls / 3, "{successes} of {calls}");
}
