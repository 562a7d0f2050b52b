//! The library's functions as the timed loops want them.

use std::hint::black_box;

use super::multi_buffer::{Gcm, HashFunction, TAG_BYTES};
use crate::buffer::Buffer;
use crate::fixtures::Fixtures;
use crate::loops::aead::{Nonce, Separate, Tag};
use crate::{Job, JobError, Result};

/// What has to be said of `open`.
pub(super) const COMPARED_HERE: &str = "the library only computes the tag; comparing it is ours, and is timed";

impl Separate for Gcm {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.encrypt(nonce, aad, text, ciphertext, tag);
        Ok(())
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        let mut computed = [0; TAG_BYTES];
        self.decrypt(nonce, aad, ciphertext, text, &mut computed);
        if same(&computed, tag) { Ok(()) } else { Err(JobError::new("the tag is not the one that was sealed")) }
    }
}

/// Hashes the message.
pub(super) struct Hash {
    function: HashFunction,
    message: Buffer,
    digest: Vec<u8>,
}

impl Hash {
    /// Made ready.
    pub(super) fn new(function: HashFunction, fixtures: &Fixtures) -> Self {
        let digest = vec![0; function.bytes()];
        Hash { function, message: Buffer::input(&fixtures.text), digest }
    }
}

impl Job for Hash {
    fn run(&mut self, iterations: u64) -> Result<()> {
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

/// Whether two tags are equal, in the same time wherever they differ.
pub(super) fn same(one: &[u8; TAG_BYTES], other: &[u8; TAG_BYTES]) -> bool {
    black_box(u128::from_ne_bytes(*one) ^ u128::from_ne_bytes(*other)) == 0
}
