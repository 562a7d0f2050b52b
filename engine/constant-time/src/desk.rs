//! Where the calls are made: buffers that stay in their places, whatever the secrets in them.

use std::hint::black_box;

use kasoku_engine::{AesGcm, Backend, Error, Nonce, Opening, Sealing, Tag};

use crate::call::{Call, MOST_AAD, MOST_NONCE, MOST_TEXT, Operation};
use crate::planted;
use crate::secret;

/// The buffers of a call, and the key.
pub struct Desk {
    backend: Backend,
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
    expanded: Option<AesGcm>,
}

impl Desk {
    /// An empty desk.
    #[must_use]
    pub fn new(backend: Backend) -> Self {
        let filled = |bytes, purpose| {
            let mut buffer = vec![0; bytes];
            secret::fill(&mut buffer, 2, purpose);
            buffer
        };
        Self {
            backend,
            key: [0; 32],
            nonce: filled(MOST_NONCE, 1),
            aad: filled(MOST_AAD, 2),
            plaintext: vec![0; MOST_TEXT],
            sealed: vec![0; MOST_TEXT],
            input: vec![0; MOST_TEXT],
            output: vec![0; MOST_TEXT],
            tag: [0; 16],
            sealed_tag: [0; 16],
            leaked: 0,
            expanded: None,
        }
    }

    /// Lays out key and text of the secret of this number.
    ///
    /// # Errors
    /// Those of the engine, which computes the ciphertext to open and to compare with.
    pub fn lay_out(&mut self, call: &Call, number: usize) -> Result<(), Error> {
        secret::fill(&mut self.key, number, 3);
        secret::fill(&mut self.plaintext[..call.text], number, 4);
        self.sealed[..call.text].copy_from_slice(&self.plaintext[..call.text]);
        self.expand(call)?;
        if let Some(key) = &self.expanded {
            let nonce = Nonce::try_from(&self.nonce[..call.nonce])?;
            self.sealed_tag = key.seal(nonce, &self.aad[..call.aad], &mut self.sealed[..call.text])?;
        }
        self.expanded = None;

        let given = if call.operation.opens() { &self.sealed } else { &self.plaintext };
        self.input[..call.text].copy_from_slice(&given[..call.text]);
        let is_in_place = !matches!(call.operation, Operation::SealTo | Operation::OpenTo);
        if is_in_place {
            self.output[..call.text].copy_from_slice(&given[..call.text]);
        } else {
            self.output[..call.text].fill(0);
        }
        self.tag = if call.operation.opens() { self.sealed_tag } else { [0; 16] };
        if call.operation == Operation::OpenForged {
            self.tag[5] ^= 0x20;
        }
        Ok(())
    }

    /// What is secret of what lies there: the key, and the plaintext if it goes in.
    pub fn secrets(&mut self, call: &Call) -> Vec<&mut [u8]> {
        let mut secrets = vec![&mut self.key[..call.key]];
        if !call.operation.opens() {
            secrets.extend([&mut self.input[..call.text], &mut self.output[..call.text]]);
        }
        secrets
    }

    /// What a call made out of secrets: the text in its output, and the tag of what was sealed.
    pub fn results(&mut self, call: &Call) -> Vec<&mut [u8]> {
        let mut results = Vec::new();
        if !matches!(call.operation, Operation::Expand | Operation::OpenForged) {
            results.push(&mut self.output[..call.text]);
        }
        if !call.operation.opens() && call.operation != Operation::Expand {
            results.push(&mut self.tag);
        }
        results
    }

    /// The key and everything else that is secret and not a result, to be declared public at the end.
    pub fn rest(&mut self, call: &Call) -> Vec<&mut [u8]> {
        vec![&mut self.key, &mut self.input[..call.text], &mut self.output[..call.text]]
    }

    /// Expands the key that the call will use.
    ///
    /// # Errors
    /// Those of the engine.
    #[inline(never)]
    pub fn expand(&mut self, call: &Call) -> Result<(), Error> {
        self.expanded = None;
        self.expanded = Some(AesGcm::with_backend(black_box(&self.key[..call.key]), self.backend)?);
        Ok(())
    }

    /// Does the call.
    ///
    /// # Errors
    /// Those of the engine: the verdict, if it opens.
    #[inline(never)]
    pub fn run(&mut self, call: &Call) -> Result<(), Error> {
        if call.operation == Operation::Expand {
            self.expand(call)?;
            self.expanded = None;
            return Ok(());
        }
        let Some(key) = &self.expanded else { return Ok(()) };
        let nonce = Nonce::try_from(&self.nonce[..call.nonce])?;
        let aad = &self.aad[..call.aad];
        let (input, output) = (&self.input[..call.text], &mut self.output[..call.text]);
        match call.operation {
            Operation::Expand => {}
            Operation::Seal => self.tag = key.seal(nonce, aad, output)?,
            Operation::SealTo => self.tag = key.seal_to(nonce, aad, input, output)?,
            Operation::SealInPieces => {
                let mut sealing = Sealing::new(key, nonce)?;
                for piece in pieces(aad) {
                    sealing.aad(piece)?;
                }
                for piece in pieces_mut(output) {
                    sealing.update(piece)?;
                }
                self.tag = sealing.finish();
            }
            Operation::Open | Operation::OpenForged => key.open(nonce, aad, output, &self.tag)?,
            Operation::OpenTo => key.open_to(nonce, aad, input, output, &self.tag)?,
            Operation::OpenInPieces => {
                let mut opening = Opening::new(key, nonce)?;
                for piece in pieces(aad) {
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

    /// Whether the call did what it should: so that nothing else is shown to be constant-time.
    #[must_use]
    pub fn is_right(&self, call: &Call, verdict: &Result<(), Error>) -> bool {
        let text = &self.output[..call.text];
        match call.operation {
            Operation::Expand => *verdict == Ok(()),
            Operation::OpenForged => *verdict == Err(Error::Forged) && text.iter().all(|&byte| byte == 0),
            operation if operation.opens() => *verdict == Ok(()) && text == &self.plaintext[..call.text],
            _ => *verdict == Ok(()) && text == &self.sealed[..call.text] && self.tag == self.sealed_tag,
        }
    }
}

/// Sizes that begin and end at every kind of place in a block and in a vector.
const PIECES: [usize; 7] = [1, 15, 17, 64, 3, 160, 300];

fn pieces(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    PIECES.into_iter().cycle().map_while(move |bytes| {
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
