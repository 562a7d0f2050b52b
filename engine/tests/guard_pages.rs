//! Reads and writes stay inside the buffers: each buffer lies flush against a guard page.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod guarded;
    pub(crate) mod random;
}

use std::fmt::Debug;

use kasoku_engine::{AesGcm, AesGcmSiv, Error, Nonce, Opening, Sealing, Tag, XaesGcm};
use support::backends;
use support::guarded::{Flush, Guarded};
use support::random::Random;

/// Yields text lengths in bytes: all short ones, and some around multiples of the bytes that the loops process in an
/// iteration.
fn lengths() -> impl Iterator<Item = usize> {
    let step = if cfg!(debug_assertions) { 7 } else { 1 };
    let longer = [1536, 2048, 2560, 4096, 4608, 6144, 8192, 16_384, 65_536];
    (0..=1100)
        .step_by(step)
        .chain(longer.into_iter().flat_map(|length| [0, 1, 15, 17, 33, 63].map(|more| length + more)))
}

const MAX: usize = 65_536 + 63;

#[test]
fn one_shot_calls_stay_inside_their_buffers() {
    let mut random = Random::new(1);
    let mut memory = Memory::new();
    for key in [16, 24, 32].map(|bytes| random.bytes(bytes)) {
        for key in backends::keys(&key) {
            for (index, text_bytes) in lengths().enumerate() {
                for flush in Flush::BOTH {
                    let aad_bytes = [0, 1, 13, 16, 17, 40, 300][index % 7];
                    let nonce_bytes = if index % 4 == 0 { 1 + index % 40 } else { 12 };
                    memory.check(&key, &mut random, [nonce_bytes, aad_bytes, text_bytes], flush);
                }
            }
        }
    }
}

#[test]
fn calls_with_any_aad_length_stay_inside_their_buffers() {
    let mut random = Random::new(2);
    let mut memory = Memory::new();
    for key in backends::keys(&random.bytes(16)) {
        for aad_bytes in lengths() {
            for flush in Flush::BOTH {
                memory.check(&key, &mut random, [12, aad_bytes, aad_bytes % 70], flush);
            }
        }
    }
}

#[test]
fn siv_calls_stay_inside_their_buffers() {
    let mut random = Random::new(4);
    for bytes in [16, 32].map(|bytes| random.bytes(bytes)) {
        for &path in backends::paths() {
            every_length(&AesGcmSiv::with_backend(&bytes, path).unwrap(), 12, &mut random);
        }
    }
}

#[test]
fn xaes_calls_stay_inside_their_buffers() {
    let mut random = Random::new(5);
    for &path in backends::paths() {
        every_length(&XaesGcm::with_backend(&random.array(), path).unwrap(), 24, &mut random);
    }
}

fn every_length(key: &(impl Aead + Debug), nonce_bytes: usize, random: &mut Random) {
    let mut memory = Memory::new();
    for (index, text_bytes) in lengths().enumerate() {
        for flush in Flush::BOTH {
            let aad_bytes = [0, 1, 13, 16, 17, 40, 300, 1100][index % 8];
            memory.check(key, random, [nonce_bytes, aad_bytes, text_bytes], flush);
        }
    }
}

/// Pieces begin at any position in a block.
#[test]
fn streaming_calls_stay_inside_their_buffers() {
    let mut random = Random::new(3);
    let (mut input, mut output) = (Guarded::new(MAX), Guarded::new(MAX));
    for key in backends::keys(&random.bytes(32)) {
        for (index, bytes) in lengths().enumerate() {
            for flush in Flush::BOTH {
                let before = vec![7; index % 40];
                let piece = input.buffer(bytes, flush);
                random.fill(piece);
                let mut whole = [&before, &*piece].concat();
                let tag = key.seal(&[9; 12], b"", &mut whole).unwrap();

                let mut sealing = Sealing::new(&key, &[9; 12]).unwrap();
                sealing.update(&mut before.clone()).unwrap();
                let sealed = output.buffer(bytes, flush);
                sealing.update_to(piece, sealed).unwrap();
                assert!(*sealed == whole[before.len()..], "{key:?}, {bytes}, {flush:?}");
                assert_eq!(sealing.finish(), tag, "{key:?}, {bytes}, {flush:?}");

                let mut opening = Opening::new(&key, &[9; 12]).unwrap();
                opening.update_unverified(&mut whole[..before.len()]).unwrap();
                opening.update_unverified(sealed).unwrap();
                assert!(sealed == piece, "{key:?}, {bytes}, {flush:?}");
                assert_eq!(opening.finish(&tag), Ok(()));
            }
        }
    }
}

/// The other tests of this file rely on guard pages: a child process that reads a byte beside a buffer must die.
#[test]
#[allow(unsafe_code, reason = "a process is forked, and a byte read that must not be")]
fn guard_pages_stop_a_process_that_reads_them() {
    let memory = Guarded::new(1);
    for flush in Flush::BOTH {
        let forbidden = memory.forbidden(flush);
        // SAFETY: the child only reads a byte and exits; it calls nothing that could wait for another thread.
        let status = unsafe {
            let child = libc::fork();
            assert!(child >= 0);
            if child == 0 {
                // Rust's own handlers of these signals take locks.
                libc::signal(libc::SIGSEGV, libc::SIG_DFL);
                libc::signal(libc::SIGBUS, libc::SIG_DFL);
                std::hint::black_box(forbidden.read_volatile());
                libc::_exit(0);
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            status
        };
        assert!(libc::WIFSIGNALED(status), "{flush:?}: the guard could be read");
    }
}

/// Guarded memory for each buffer that a call takes.
struct Memory {
    nonce: Guarded,
    aad: Guarded,
    input: Guarded,
    output: Guarded,
    tag: Guarded,
}

impl Memory {
    fn new() -> Self {
        let [nonce, tag] = [(); 2].map(|()| Guarded::new(1));
        let [aad, input, output] = [(); 3].map(|()| Guarded::new(MAX));
        Self { nonce, aad, input, output, tag }
    }

    fn check(&mut self, key: &(impl Aead + Debug), random: &mut Random, [nonce, aad, text]: [usize; 3], flush: Flush) {
        let case = format!("{key:?}, nonce of {nonce}, AAD of {aad}, text of {text} bytes, {flush:?}");
        let nonce = self.nonce.buffer(nonce, flush);
        let aad = self.aad.buffer(aad, flush);
        let input = self.input.buffer(text, flush);
        let output = self.output.buffer(text, flush);
        let tag: &mut [u8; 16] = self.tag.buffer(16, flush).try_into().unwrap();
        random.fill(nonce);
        random.fill(aad);
        random.fill(input);

        let (unguarded_aad, mut unguarded) = (aad.to_vec(), input.to_vec());
        let expected = key.seal(nonce, &unguarded_aad, &mut unguarded).unwrap();
        *tag = key.seal_to(nonce, aad, input, output).unwrap();
        assert_eq!(*tag, expected, "{case}");
        assert!(*output == unguarded[..], "{case}");
        assert_eq!(key.open(nonce, aad, output, tag), Ok(()), "{case}");
        assert!(output == input, "{case}");
        assert_eq!(key.seal(nonce, aad, input), Ok(expected), "{case}");
        assert!(*input == unguarded[..], "{case}");
        output.fill(1);
        assert_eq!(key.open_to(nonce, aad, input, output, tag), Ok(()), "{case}");
        assert_eq!(key.seal(nonce, aad, output), Ok(expected), "{case}");
        tag[3] ^= 4;
        assert_eq!(key.open_to(nonce, aad, input, output, tag), Err(Error::AuthenticationFailed), "{case}");
        assert!(output.iter().all(|&byte| byte == 0), "{case}");
    }
}

/// The common interface of the three key types, with nonces as slices.
trait Aead {
    fn seal(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Result<Tag, Error>;
    fn seal_to(&self, nonce: &[u8], aad: &[u8], input: &[u8], output: &mut [u8]) -> Result<Tag, Error>;
    fn open(&self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &Tag) -> Result<(), Error>;
    fn open_to(&self, nonce: &[u8], aad: &[u8], input: &[u8], output: &mut [u8], tag: &Tag) -> Result<(), Error>;
}

macro_rules! aead {
    ($key:ty, $nonce:ty) => {
        impl Aead for $key {
            fn seal(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Result<Tag, Error> {
                self.seal(<$nonce>::try_from(nonce).unwrap(), aad, text)
            }

            fn seal_to(&self, nonce: &[u8], aad: &[u8], input: &[u8], output: &mut [u8]) -> Result<Tag, Error> {
                self.seal_to(<$nonce>::try_from(nonce).unwrap(), aad, input, output)
            }

            fn open(&self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &Tag) -> Result<(), Error> {
                self.open(<$nonce>::try_from(nonce).unwrap(), aad, text, tag)
            }

            fn open_to(
                &self,
                nonce: &[u8],
                aad: &[u8],
                input: &[u8],
                output: &mut [u8],
                tag: &Tag,
            ) -> Result<(), Error> {
                self.open_to(<$nonce>::try_from(nonce).unwrap(), aad, input, output, tag)
            }
        }
    };
}

aead!(AesGcm, Nonce<'_>);
aead!(AesGcmSiv, &[u8; AesGcmSiv::NONCE_BYTES]);
aead!(XaesGcm, &[u8; XaesGcm::NONCE_BYTES]);
