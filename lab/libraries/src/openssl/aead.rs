//! Authenticated encryption: a message whole per operation, with its nonce, associated data, text and tag. The key is
//! expanded once.

use std::ffi::CStr;
use std::hint::black_box;
use std::sync::Arc;

use super::libcrypto::Libcrypto;
use super::libcrypto::cipher_context::{CipherContext, CipherDirection, CipherOrigin, ROOM, Settings, TAG_BYTES};
use crate::buffer::Buffer;
use crate::fixtures::Fixtures;
use crate::{Job, JobError, PreparedJob, Result, Unsupported};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{NonceForm, Operation, Workload};

/// Nonces that are written down before they are used: a nonce read right after its counter was stored would wait for
/// the store, and tie small messages together.
const NONCES: usize = 256;

/// Makes the job ready.
pub(super) fn prepare(libcrypto: &Arc<Libcrypto>, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let Workload { operation, algorithm, .. } = *workload;
    let name: &CStr = match algorithm {
        Algorithm::Aes128Gcm => c"AES-128-GCM",
        Algorithm::Aes256Gcm => c"AES-256-GCM",
        Algorithm::Aes128GcmSiv => c"AES-128-GCM-SIV",
        Algorithm::Aes256GcmSiv => c"AES-256-GCM-SIV",
        Algorithm::Aes128Ccm => c"AES-128-CCM",
        Algorithm::Aes128Ocb => c"AES-128-OCB",
        Algorithm::ChaCha20Poly1305 => c"ChaCha20-Poly1305",
        _ => return Err(Unsupported::new(format!("{algorithm} is no AEAD of one call"))),
    };
    let is_ccm = algorithm == Algorithm::Aes128Ccm;
    let settings = Settings {
        nonce_bytes: Some(fixtures.nonce.len()),
        tag_beforehand: is_ccm
            || matches!(algorithm, Algorithm::Aes128Ocb | Algorithm::Aes128GcmSiv | Algorithm::Aes256GcmSiv),
        without_padding: false,
    };
    let cipher = |direction| {
        let context = CipherContext::new(
            libcrypto,
            name,
            CipherOrigin::Default,
            direction,
            settings,
            &fixtures.key,
            &fixtures.nonce,
        )?;
        Ok::<_, Unsupported>(Aead { context, is_ccm })
    };
    let mut sealed = Message { text: Buffer::output(fixtures.text.len() + ROOM), tag: [0; TAG_BYTES] };
    let mut sealer = cipher(CipherDirection::Encrypt)?;
    if operation == Operation::Seal {
        return Ok(Box::new(SealJob {
            aead: sealer,
            nonces: Nonces::after(&fixtures.nonce, workload.nonces),
            aad: fixtures.aad.clone(),
            text: Buffer::input(&fixtures.text),
            sealed,
        }));
    }
    sealer.seal(&fixtures.nonce, &fixtures.aad, &fixtures.text, &mut sealed)?;
    sealed.text.truncate(fixtures.text.len());
    Ok(Box::new(OpenJob {
        aead: cipher(CipherDirection::Decrypt)?,
        nonces: Nonces::after(&fixtures.nonce, workload.nonces),
        aad: fixtures.aad.clone(),
        sealed: Message { text: Buffer::input(&sealed.text), tag: sealed.tag },
        opened: Buffer::output(fixtures.text.len() + ROOM),
    }))
}

/// A key and the calls that make a message out of it.
struct Aead {
    context: CipherContext,
    /// CCM is told the text's length before the associated data and gives its verdict with the text.
    is_ccm: bool,
}

/// Ciphertext and tag.
struct Message {
    text: Buffer,
    tag: [u8; TAG_BYTES],
}

impl Aead {
    #[inline]
    fn seal(&mut self, nonce: &[u8], aad: &[u8], text: &[u8], sealed: &mut Message) -> Result<()> {
        self.context.set_iv(nonce)?;
        self.process(aad, text, &mut sealed.text)?;
        self.context.tag(&mut sealed.tag)
    }

    #[inline]
    fn open(&mut self, nonce: &[u8], aad: &[u8], sealed: &mut Message, text: &mut [u8]) -> Result<()> {
        self.context.set_iv(nonce)?;
        self.context.expect_tag(&mut sealed.tag)?;
        self.process(aad, &sealed.text, text)
    }

    #[inline]
    fn process(&mut self, aad: &[u8], input: &[u8], output: &mut [u8]) -> Result<()> {
        if self.is_ccm {
            self.context.declare_length(input.len())?;
        }
        if !aad.is_empty() {
            self.context.associate(aad)?;
        }
        let mut written = 0;
        if self.is_ccm || !input.is_empty() {
            written = self.context.update(input, output)?;
        }
        if !self.is_ccm {
            written += self.context.finish(&mut output[written..])?;
        }
        if written == input.len() { Ok(()) } else { Err(JobError::new("not as much came out as went in")) }
    }
}

/// Nonces that count up from one, in turn: those of [`nonces`](crate::nonces), of any length.
struct Nonces {
    /// Each 16 bytes or a multiple from the next.
    bytes: Vec<u8>,
    length: usize,
    next: usize,
    form: NonceForm,
    counted: Vec<u8>,
}

impl Nonces {
    /// The first is `nonce`; the others differ in their last four bytes by a counter.
    fn after(nonce: &[u8], form: NonceForm) -> Nonces {
        let stride = nonce.len().next_multiple_of(16);
        let mut bytes = vec![0; NONCES * stride];
        for (number, place) in bytes.chunks_exact_mut(stride.max(1)).enumerate() {
            number_after(nonce, number as u64, &mut place[..nonce.len()]);
        }
        Nonces { bytes, length: nonce.len(), next: 0, form, counted: nonce.to_vec() }
    }

    #[inline]
    fn next(&mut self) -> &[u8] {
        let number = self.next;
        self.next += 1;
        self.numbered(number)
    }

    /// The first once more.
    #[inline]
    fn again(&mut self) -> &[u8] {
        self.numbered(black_box(0))
    }

    #[inline]
    fn numbered(&mut self, number: usize) -> &[u8] {
        match self.form {
            NonceForm::Ahead => {
                let start = number % NONCES * self.length.next_multiple_of(16);
                &self.bytes[start..start + self.length]
            }
            NonceForm::Counted => {
                number_after(&self.bytes[..self.length], number as u64, &mut self.counted);
                &self.counted
            }
        }
    }
}

/// `first` with `number` XORed into its last eight bytes.
#[inline]
fn number_after(first: &[u8], number: u64, nonce: &mut [u8]) {
    nonce.copy_from_slice(first);
    if let Some(last) = nonce.last_chunk_mut::<8>() {
        *last = (u64::from_be_bytes(*last) ^ number).to_be_bytes();
    }
}

struct SealJob {
    aead: Aead,
    nonces: Nonces,
    aad: Vec<u8>,
    text: Buffer,
    sealed: Message,
}

impl Job for SealJob {
    fn reset(&mut self) -> Result<()> {
        self.nonces.next = 0;
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.aead.seal(self.nonces.next(), &self.aad, &self.text, &mut self.sealed)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [&self.sealed.text[..self.text.len()], &self.sealed.tag].concat()
    }
}

struct OpenJob {
    aead: Aead,
    nonces: Nonces,
    aad: Vec<u8>,
    sealed: Message,
    opened: Buffer,
}

impl Job for OpenJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.aead.open(self.nonces.again(), &self.aad, &mut self.sealed, &mut self.opened)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [&self.sealed.text[..], &self.sealed.tag, &self.opened[..self.sealed.text.len()]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openssl::tests::{check, each_library, output_of};

    #[test]
    fn ccm_agrees_with_an_independent_implementation() {
        use ccm::aead::{Aead as _, KeyInit, Payload};
        type Ccm = ccm::Ccm<aes::Aes128, ccm::consts::U16, ccm::consts::U12>;
        each_library(|library| {
            for bytes in [0, 1, 16, 1350, 16384] {
                let fixtures = Fixtures::of(&Workload::new(Operation::Seal, Algorithm::Aes128Ccm, bytes));
                let sealed = Ccm::new_from_slice(&fixtures.key)
                    .unwrap()
                    .encrypt(
                        fixtures.nonce[..].try_into().unwrap(),
                        Payload { msg: &fixtures.text, aad: &fixtures.aad },
                    )
                    .unwrap();
                check(library, Operation::Seal, Algorithm::Aes128Ccm, &fixtures, &sealed);
                let round_trip = [&sealed[..], &fixtures.text].concat();
                check(library, Operation::Open, Algorithm::Aes128Ccm, &fixtures, &round_trip);
            }
        });
    }

    #[test]
    fn nonces_count_up_from_the_first_and_begin_again_at_a_reset() {
        for form in [NonceForm::Ahead, NonceForm::Counted] {
            let mut nonces = Nonces::after(&[7; 12], form);
            assert_eq!(nonces.next(), [7; 12]);
            assert_eq!(nonces.next(), [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6]);
            assert_eq!(nonces.again(), [7; 12]);
            for _ in 2..NONCES {
                assert_ne!(nonces.next(), [7; 12]);
            }
            assert_eq!(nonces.next() == [7; 12], form == NonceForm::Ahead);
        }
        each_library(|library| {
            let fixtures = Fixtures::of(&Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 64));
            let second = output_of(library, Operation::Seal, Algorithm::Aes128Gcm, &fixtures, 2);
            let mut other = fixtures.clone();
            other.nonce[11] ^= 1;
            assert_eq!(output_of(library, Operation::Seal, Algorithm::Aes128Gcm, &other, 1), second);
        });
    }

    #[test]
    fn a_forged_message_is_refused() {
        each_library(|library| {
            for (algorithm, name) in [
                (Algorithm::Aes128Gcm, c"AES-128-GCM"),
                (Algorithm::Aes128Ccm, c"AES-128-CCM"),
                (Algorithm::Aes128Ocb, c"AES-128-OCB"),
                (Algorithm::ChaCha20Poly1305, c"ChaCha20-Poly1305"),
            ] {
                let fixtures = Fixtures::of(&Workload::new(Operation::Open, algorithm, 100));
                let is_ccm = algorithm == Algorithm::Aes128Ccm;
                let aead = |direction| Aead {
                    context: CipherContext::new(
                        library.libcrypto(),
                        name,
                        CipherOrigin::Default,
                        direction,
                        Settings {
                            nonce_bytes: Some(12),
                            tag_beforehand: is_ccm || algorithm == Algorithm::Aes128Ocb,
                            without_padding: false,
                        },
                        &fixtures.key,
                        &fixtures.nonce,
                    )
                    .unwrap(),
                    is_ccm,
                };
                let mut sealed = Message { text: Buffer::output(100 + ROOM), tag: [0; TAG_BYTES] };
                let (nonce, aad) = (&fixtures.nonce, &fixtures.aad);
                aead(CipherDirection::Encrypt).seal(nonce, aad, &fixtures.text, &mut sealed).unwrap();
                sealed.text.truncate(100);
                let mut opener = aead(CipherDirection::Decrypt);
                let mut opened = vec![0; 100 + ROOM];
                opener.open(nonce, aad, &mut sealed, &mut opened).unwrap();
                assert_eq!(opened[..100], fixtures.text);
                sealed.tag[15] ^= 1;
                assert!(opener.open(nonce, aad, &mut sealed, &mut opened).is_err(), "{algorithm}: tag");
                sealed.tag[15] ^= 1;
                sealed.text[50] ^= 1;
                assert!(opener.open(nonce, aad, &mut sealed, &mut opened).is_err(), "{algorithm}: text");
                sealed.text[50] ^= 1;
                assert!(opener.open(nonce, &aad[1..], &mut sealed, &mut opened).is_err(), "{algorithm}: aad");
                opener.open(nonce, aad, &mut sealed, &mut opened).unwrap();
            }
        });
    }
}
