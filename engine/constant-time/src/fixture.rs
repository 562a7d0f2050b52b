//! Makes the engine calls whose traces are compared. The addresses of the calls' buffers do not depend on the secrets.

pub mod packets;

use std::hint::black_box;

use kasoku_engine::cpu::{Found, preferred};
use kasoku_engine::{AesGcm, AesGcmSiv, CodePath, Error, Nonce, OneTimeKey, Opening, Sealing, Tag, XaesGcm};

use crate::call::{Call, MAX_AAD, MAX_NONCE, MAX_TEXT, Operation};
use crate::planted;
use crate::secret;

/// Buffers and keys for one kind of engine call (messages or packets).
pub trait CallFixture {
    type Call: std::fmt::Display;

    fn new(path: CodePath) -> Self;

    /// Fills the key and the plaintext with pseudorandom bytes. `number` is the index of the secret.
    ///
    /// # Errors
    /// The engine's error, if the engine cannot compute the expected ciphertext.
    fn prepare(&mut self, call: &Self::Call, number: usize) -> Result<(), Error>;

    /// Returns the secret inputs of the call: the key, and the plaintext for calls that seal.
    fn secrets(&mut self, call: &Self::Call) -> Vec<&mut [u8]>;

    /// Returns the buffers whose contents after the call depend on secrets: output text, and the tag for calls that
    /// seal.
    fn results(&mut self, call: &Self::Call) -> Vec<&mut [u8]>;

    /// Returns those secret inputs that the call does not overwrite. The caller declares them public after the call.
    fn other_secrets(&mut self, call: &Self::Call) -> Vec<&mut [u8]>;

    /// Expands the key for the call.
    ///
    /// # Errors
    /// The engine's error.
    fn expand(&mut self, call: &Self::Call) -> Result<(), Error>;

    /// Executes the call.
    ///
    /// # Errors
    /// The engine's error, including failed authentication.
    fn run(&mut self, call: &Self::Call) -> Result<(), Error>;

    /// Returns whether the call had the expected result: `verdict` and the output buffers.
    fn is_correct(&self, call: &Self::Call, verdict: &Result<(), Error>) -> bool;

    /// Returns the number of tags that the call verifies. For each tag, the engine branches once on whether the tag is
    /// valid. This branch depends on secrets, but its outcome is public.
    fn verdicts(call: &Self::Call) -> usize;
}

/// Returns the code path for computing expected results: under an emulator the fastest code path, otherwise `usual`.
fn reference_path(usual: CodePath) -> CodePath {
    if cfg!(target_arch = "aarch64") { preferred(Found::here().features()).into() } else { usual }
}

/// Buffers and a key for messages.
pub struct MessageFixture {
    path: CodePath,
    key: [u8; 32],
    nonce: Vec<u8>,
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    sealed: Vec<u8>,
    input: Vec<u8>,
    output: Vec<u8>,
    tag: Tag,
    sealed_tag: Tag,
    leaked: u8,
    expanded: Option<Expanded>,
}

/// An expanded key for AES-GCM, AES-GCM-SIV or XAES-256-GCM.
enum Expanded {
    Gcm(AesGcm),
    Siv(AesGcmSiv),
    Xaes(XaesGcm),
    /// Bytes of a key that is expanded for each message, and the code path (backend and instruction schedule) to use.
    Once(Vec<u8>, CodePath),
}

impl Expanded {
    fn new(operation: Operation, key: &[u8], path: CodePath) -> Result<Self, Error> {
        Ok(match operation {
            Operation::SealSiv | Operation::OpenSiv => Self::Siv(AesGcmSiv::with_backend(key, path)?),
            Operation::SealXaes | Operation::OpenXaes => {
                let key = key.try_into().map_err(|_| Error::KeyLength(key.len()))?;
                Self::Xaes(XaesGcm::with_backend(key, path)?)
            }
            Operation::SealOnce | Operation::OpenOnce => Self::Once(key.to_vec(), path),
            _ => Self::Gcm(AesGcm::with_backend(key, path)?),
        })
    }

    fn seal(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Result<Tag, Error> {
        match self {
            Self::Gcm(key) => key.seal(Nonce::try_from(nonce)?, aad, text),
            Self::Siv(key) => key.seal(fixed(nonce), aad, text),
            Self::Xaes(key) => key.seal(fixed(nonce), aad, text),
            Self::Once(key, path) => OneTimeKey::with_backend(key, *path)?.seal(Nonce::try_from(nonce)?, aad, text),
        }
    }

    fn open(&self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &Tag) -> Result<(), Error> {
        match self {
            Self::Gcm(key) => key.open(Nonce::try_from(nonce)?, aad, text, tag),
            Self::Siv(key) => key.open(fixed(nonce), aad, text, tag),
            Self::Xaes(key) => key.open(fixed(nonce), aad, text, tag),
            Self::Once(key, path) => {
                OneTimeKey::with_backend(key, *path)?.open(Nonce::try_from(nonce)?, aad, text, tag)
            }
        }
    }
}

impl CallFixture for MessageFixture {
    type Call = Call;

    fn new(path: CodePath) -> Self {
        let filled = |bytes, purpose| {
            let mut buffer = vec![0; bytes];
            secret::fill(&mut buffer, 2, purpose);
            buffer
        };
        Self {
            path,
            key: [0; 32],
            nonce: filled(MAX_NONCE, 1),
            aad: filled(MAX_AAD, 2),
            plaintext: vec![0; MAX_TEXT],
            sealed: vec![0; MAX_TEXT],
            input: vec![0; MAX_TEXT],
            output: vec![0; MAX_TEXT],
            tag: [0; 16],
            sealed_tag: [0; 16],
            leaked: 0,
            expanded: None,
        }
    }

    fn prepare(&mut self, call: &Call, number: usize) -> Result<(), Error> {
        secret::fill(&mut self.key, number, 3);
        secret::fill(&mut self.plaintext[..call.text], number, 4);
        self.sealed[..call.text].copy_from_slice(&self.plaintext[..call.text]);
        // Keys are allocated in the same order in every call, so each gets the same address.
        self.expanded = None;
        let key = Expanded::new(call.operation, &self.key[..call.key], reference_path(self.path))?;
        let (aad, sealed) = (&self.aad[..call.aad], &mut self.sealed[..call.text]);
        self.sealed_tag = key.seal(&self.nonce[..call.nonce], aad, sealed)?;
        drop(key);

        let given = if call.operation.opens() { &self.sealed } else { &self.plaintext };
        self.input[..call.text].copy_from_slice(&given[..call.text]);
        if call.operation.moves() {
            self.output[..call.text].fill(0);
        } else {
            self.output[..call.text].copy_from_slice(&given[..call.text]);
        }
        self.tag = if call.operation.opens() { self.sealed_tag } else { [0; 16] };
        if call.operation == Operation::OpenForged {
            self.tag[5] ^= 0x20;
        }
        Ok(())
    }

    fn secrets(&mut self, call: &Call) -> Vec<&mut [u8]> {
        let mut secrets = vec![&mut self.key[..call.key]];
        if !call.operation.opens() {
            secrets.extend([&mut self.input[..call.text], &mut self.output[..call.text]]);
        }
        secrets
    }

    fn results(&mut self, call: &Call) -> Vec<&mut [u8]> {
        let mut results = Vec::new();
        if !matches!(call.operation, Operation::Expand | Operation::OpenForged) {
            results.push(&mut self.output[..call.text]);
        }
        if !call.operation.opens() && call.operation != Operation::Expand {
            results.push(&mut self.tag);
        }
        results
    }

    fn other_secrets(&mut self, call: &Call) -> Vec<&mut [u8]> {
        vec![&mut self.key, &mut self.input[..call.text], &mut self.output[..call.text]]
    }

    #[inline(never)]
    fn expand(&mut self, call: &Call) -> Result<(), Error> {
        self.expanded = None;
        self.expanded = Some(Expanded::new(call.operation, black_box(&self.key[..call.key]), self.path)?);
        Ok(())
    }

    #[inline(never)]
    fn run(&mut self, call: &Call) -> Result<(), Error> {
        if call.operation == Operation::Expand {
            self.expand(call)?;
            self.expanded = None;
            return Ok(());
        }
        // An empty buffer must have the unmapped address of an empty slice.
        let aad = if call.aad == 0 { &[] } else { &self.aad[..call.aad] };
        let (input, output): (&[u8], &mut [u8]) =
            if call.text == 0 { (&[], &mut []) } else { (&self.input[..call.text], &mut self.output[..call.text]) };
        let Some(key) = &self.expanded else { return Ok(()) };
        let nonce = &self.nonce[..call.nonce];
        let Expanded::Gcm(key) = key else {
            if call.operation.opens() {
                return key.open(nonce, aad, output, &self.tag);
            }
            self.tag = key.seal(nonce, aad, output)?;
            return Ok(());
        };
        let nonce = Nonce::try_from(nonce)?;
        match call.operation {
            // Operations with other kinds of keys have returned above.
            Operation::Expand
            | Operation::SealSiv
            | Operation::OpenSiv
            | Operation::SealXaes
            | Operation::OpenXaes
            | Operation::SealOnce
            | Operation::OpenOnce => {}
            Operation::Seal => self.tag = key.seal(nonce, aad, output)?,
            Operation::SealTo => self.tag = key.seal_to(nonce, aad, input, output)?,
            Operation::SealVectored => {
                self.tag = key.seal_vectored(nonce, pieces(aad, &PIECES), pieces(input, &SLICES), output)?;
            }
            Operation::SealInPieces => {
                let mut sealing = Sealing::new(key, nonce)?;
                for piece in pieces(aad, &PIECES) {
                    sealing.aad(piece)?;
                }
                for piece in pieces_mut(output) {
                    sealing.update(piece)?;
                }
                self.tag = sealing.finish();
            }
            Operation::Open | Operation::OpenForged => key.open(nonce, aad, output, &self.tag)?,
            Operation::OpenTo => key.open_to(nonce, aad, input, output, &self.tag)?,
            Operation::OpenVectored => {
                key.open_vectored(nonce, pieces(aad, &PIECES), pieces(input, &SLICES), output, &self.tag)?;
            }
            Operation::OpenInPieces => {
                let mut opening = Opening::new(key, nonce)?;
                for piece in pieces(aad, &PIECES) {
                    opening.aad(piece)?;
                }
                for piece in pieces_mut(output) {
                    opening.update_unverified(piece)?;
                }
                opening.finish(&self.tag)?;
            }
            Operation::SealAnd(leak) => {
                self.tag = key.seal(nonce, aad, output)?;
                self.leaked = planted::leak(leak, self.key[3]);
            }
        }
        Ok(())
    }

    fn is_correct(&self, call: &Call, verdict: &Result<(), Error>) -> bool {
        let text = &self.output[..call.text];
        match call.operation {
            Operation::Expand => *verdict == Ok(()),
            Operation::OpenForged => *verdict == Err(Error::AuthenticationFailed) && text.iter().all(|&byte| byte == 0),
            operation if operation.opens() => *verdict == Ok(()) && text == &self.plaintext[..call.text],
            _ => *verdict == Ok(()) && text == &self.sealed[..call.text] && self.tag == self.sealed_tag,
        }
    }

    fn verdicts(call: &Call) -> usize {
        usize::from(call.operation.opens())
    }
}

/// Converts a nonce to an array of `N` bytes. Returns zeros if the nonce has another length.
fn fixed<const N: usize>(nonce: &[u8]) -> &[u8; N] {
    nonce.try_into().unwrap_or(&[0; N])
}

/// Lengths in bytes of the parts of streamed messages. The parts begin at many different alignments to blocks and
/// vectors.
const PIECES: [usize; 7] = [1, 15, 17, 64, 3, 160, 300];

/// Lengths in bytes of the slices of vectored messages. The engine reads long slices in place and copies short slices.
const SLICES: [usize; 4] = [5, 1000, 1, 90];

fn pieces<'a>(mut rest: &'a [u8], sizes: &'static [usize]) -> impl Iterator<Item = &'a [u8]> + Clone {
    sizes.iter().cycle().map_while(move |&bytes| {
        let (piece, after) = rest.split_at(bytes.min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn pieces_mut(mut rest: &mut [u8]) -> impl Iterator<Item = &mut [u8]> {
    PIECES.into_iter().cycle().map_while(move |bytes| {
        let bytes = bytes.min(rest.len());
        let (piece, after) = std::mem::take(&mut rest).split_at_mut(bytes);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
