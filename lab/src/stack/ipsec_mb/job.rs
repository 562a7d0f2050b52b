//! The workloads: sealing, opening and hashing.

use std::hint::black_box;

use super::library::{Digest, Gcm, NONCE_BYTES, TAG_BYTES};
use crate::material::Material;
use crate::stack::buffer::Buffer;
use crate::stack::{Job, JobError, Unsupported};

/// Nonces made ahead, so that none is stored just before it is read: the load would stall on that store.
const NONCES: usize = 256;

/// A nonce 16 bytes from the next, as messages of a protocol would find theirs.
#[repr(C, align(16))]
struct Nonce {
    bytes: [u8; NONCE_BYTES],
}

/// Seals the text, each time under the next nonce.
pub(super) struct Seal {
    gcm: Gcm,
    nonces: Vec<Nonce>,
    next: usize,
    aad: Vec<u8>,
    text: Buffer,
    ciphertext: Buffer,
    tag: [u8; TAG_BYTES],
}

impl Seal {
    /// Made ready with everything but the key, which `gcm` has.
    pub(super) fn new(gcm: Gcm, material: &Material) -> Result<Self, Unsupported> {
        let first = nonce(material)?;
        let nonces = (0..NONCES as u32).map(|counter| Nonce { bytes: counted(first, counter) }).collect();
        let (aad, text) = (material.aad.clone(), Buffer::input(&material.text));
        Ok(Seal { gcm, nonces, next: 0, aad, ciphertext: Buffer::output(text.len()), text, tag: [0; TAG_BYTES] })
    }
}

impl Job for Seal {
    fn reset(&mut self) -> Result<(), JobError> {
        self.next = 0;
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        for _ in 0..iterations {
            let nonce = &self.nonces[self.next].bytes;
            self.next = (self.next + 1) % NONCES;
            self.gcm.encrypt(nonce, &self.aad, &self.text, &mut self.ciphertext, &mut self.tag);
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [&self.ciphertext[..], &self.tag].concat()
    }
}

/// Opens one sealed message again and again.
pub(super) struct Open {
    gcm: Gcm,
    nonce: Nonce,
    aad: Vec<u8>,
    ciphertext: Buffer,
    tag: [u8; TAG_BYTES],
    plaintext: Buffer,
}

impl Open {
    /// Seals the text, so that there is something to open.
    pub(super) fn new(mut gcm: Gcm, material: &Material) -> Result<Self, Unsupported> {
        let nonce = Nonce { bytes: nonce(material)? };
        let mut ciphertext = Buffer::input(&vec![0; material.text.len()]);
        let mut tag = [0; TAG_BYTES];
        gcm.encrypt(&nonce.bytes, &material.aad, &material.text, &mut ciphertext, &mut tag);
        let plaintext = Buffer::output(ciphertext.len());
        Ok(Open { gcm, nonce, aad: material.aad.clone(), ciphertext, tag, plaintext })
    }

    /// Flips a bit of ciphertext ‖ tag.
    #[cfg(test)]
    pub(super) fn forge(&mut self, byte: usize) {
        match byte.checked_sub(self.ciphertext.len()) {
            Some(byte) => self.tag[byte] ^= 1,
            None => self.ciphertext[byte] ^= 1,
        }
    }
}

impl Job for Open {
    fn reset(&mut self) -> Result<(), JobError> {
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        for _ in 0..iterations {
            let mut tag = [0; TAG_BYTES];
            self.gcm.decrypt(&self.nonce.bytes, &self.aad, &self.ciphertext, &mut self.plaintext, &mut tag);
            if !same(&tag, &self.tag) {
                return Err(JobError::new("the tag is not the one that was sealed"));
            }
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [&self.ciphertext[..], &self.tag, &self.plaintext].concat()
    }

    fn note(&self) -> Option<&'static str> {
        Some("the library only computes the tag; comparing it is ours, and is timed")
    }
}

/// Hashes the message.
pub(super) struct Hash {
    function: Digest,
    message: Buffer,
    digest: Vec<u8>,
}

impl Hash {
    /// Made ready.
    pub(super) fn new(function: Digest, material: &Material) -> Self {
        let digest = vec![0; function.bytes()];
        Hash { function, message: Buffer::input(&material.text), digest }
    }
}

impl Job for Hash {
    fn reset(&mut self) -> Result<(), JobError> {
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        for _ in 0..iterations {
            self.function.hash(&self.message, &mut self.digest);
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.digest.clone()
    }

    fn note(&self) -> Option<&'static str> {
        Some("one message at a time and without the SHA instructions; the library is made for many at once")
    }
}

fn nonce(material: &Material) -> Result<[u8; NONCE_BYTES], Unsupported> {
    material.nonce[..].try_into().map_err(|_| Unsupported::new(format!("a nonce of {} bytes", material.nonce.len())))
}

/// `first` with `counter` XORed into its last four bytes, as TLS 1.3 and QUIC make nonces.
fn counted(mut first: [u8; NONCE_BYTES], counter: u32) -> [u8; NONCE_BYTES] {
    for (byte, counter) in first[NONCE_BYTES - 4..].iter_mut().zip(counter.to_be_bytes()) {
        *byte ^= counter;
    }
    first
}

/// Whether two tags are equal, in the same time wherever they differ.
fn same(one: &[u8; TAG_BYTES], other: &[u8; TAG_BYTES]) -> bool {
    black_box(u128::from_ne_bytes(*one) ^ u128::from_ne_bytes(*other)) == 0
}
