//! Where the calls are made: buffers that stay in their places, whatever the secrets in them.

pub mod packets;

use std::hint::black_box;

use kasoku_engine::cpu::{Found, preferred};
use kasoku_engine::{AesGcm, AesGcmSiv, CodePath, Error, Nonce, OneTimeKey, Opening, Sealing, Tag, XaesGcm};

use crate::call::{Call, MAX_AAD, MAX_NONCE, MAX_TEXT, Operation};
use crate::planted;
use crate::secret;

/// Buffers of calls of one kind, and the key.
pub trait Desk {
    /// A call, apart from the secrets in it.
    type Call: std::fmt::Display;

    /// An empty desk.
    fn new(path: CodePath) -> Self;

    /// Lays out key and text of the secret of this number.
    ///
    /// # Errors
    /// Those of the engine, which computes the ciphertext to open and to compare with.
    fn lay_out(&mut self, call: &Self::Call, number: usize) -> Result<(), Error>;

    /// What is secret of what lies there: the key, and the plaintext if it goes in.
    fn secrets(&mut self, call: &Self::Call) -> Vec<&mut [u8]>;

    /// What a call made out of secrets: the text in its output, and the tag of what was sealed.
    fn results(&mut self, call: &Self::Call) -> Vec<&mut [u8]>;

    /// The key and everything else that is secret and not a result, to be declared public at the end.
    fn rest(&mut self, call: &Self::Call) -> Vec<&mut [u8]>;

    /// Expands the key that the call will use.
    ///
    /// # Errors
    /// Those of the engine.
    fn expand(&mut self, call: &Self::Call) -> Result<(), Error>;

    /// Does the call.
    ///
    /// # Errors
    /// Those of the engine: the verdict, if it opens.
    fn run(&mut self, call: &Self::Call) -> Result<(), Error>;

    /// Whether the call did what it should: so that nothing else is shown to be constant-time.
    fn is_right(&self, call: &Self::Call, verdict: &Result<(), Error>) -> bool;

    /// How many verdicts the call gives: each is a branch on what was computed from secrets, and public.
    fn verdicts(call: &Self::Call) -> usize;
}

/// Whose results are expected: under an emulator, where every instruction costs time, the fastest backend's.
fn witness(usual: CodePath) -> CodePath {
    if cfg!(target_arch = "aarch64") { preferred(Found::here().features()).into() } else { usual }
}

/// The buffers of a message, and the key.
pub struct MessageDesk {
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

/// A key of what a call asks for.
enum Expanded {
    Gcm(AesGcm),
    Siv(AesGcmSiv),
    Xaes(XaesGcm),
    /// The bytes of a key, which each message expands.
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

impl Desk for MessageDesk {
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

    fn lay_out(&mut self, call: &Call, number: usize) -> Result<(), Error> {
        secret::fill(&mut self.key, number, 3);
        secret::fill(&mut self.plaintext[..call.text], number, 4);
        self.sealed[..call.text].copy_from_slice(&self.plaintext[..call.text]);
        // Keys come and go in the same order every time, so that each finds its place again.
        self.expanded = None;
        let key = Expanded::new(call.operation, &self.key[..call.key], witness(self.path))?;
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

    fn rest(&mut self, call: &Call) -> Vec<&mut [u8]> {
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
        // What is empty has the address that an empty slice has, and no page.
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
            // These have keys of other kinds.
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

    fn is_right(&self, call: &Call, verdict: &Result<(), Error>) -> bool {
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

/// A nonce of the only length that an algorithm takes, which is that of its calls.
fn fixed<const N: usize>(nonce: &[u8]) -> &[u8; N] {
    nonce.try_into().unwrap_or(&[0; N])
}

/// Sizes that begin and end at every kind of place in a block and in a vector.
const PIECES: [usize; 7] = [1, 15, 17, 64, 3, 160, 300];

/// Some that are long enough to be read where they lie, and some between them.
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
