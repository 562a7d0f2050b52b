//! Whole files: Cobblestone-256 through `kasoku-file`. The format has AES-256 only, so AES-128 is the engine over the same
//! chunks, read and written at the same places.

use std::fs::File;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use kasoku_engine::{AesGcm, Backend, numbered_nonce};
use kasoku_file::{Key, Options, decrypt_file, encrypt_file};

use super::super::files::{FileJob, FileWork, open_from, open_to, reading, writing};
use super::super::loops::{failed, rejected};
use super::super::{JobError, Unsupported};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;
use kasoku_model::workload::files::Form;

/// Bytes of text in a chunk.
const CHUNK: usize = kasoku_file::format::CHUNK_BYTES;
/// Bytes of a whole chunk with its tag.
const SEALED: usize = kasoku_file::format::SEALED_CHUNK_BYTES;
/// Chunks that a thread takes at a time, as `kasoku-file` does.
const SEGMENT: usize = 16;

/// Makes the job ready.
pub(super) fn prepare(backend: Backend, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
    let threads = NonZeroUsize::new(work.threads).unwrap_or(NonZeroUsize::MIN);
    let is_encrypting = work.operation == Operation::Encrypt;
    match work.algorithm {
        Algorithm::Aes256Gcm => {
            let key = work.fixtures.key.as_slice().try_into().map_err(|_| rejected("key"))?;
            Ok(Box::new(Cobblestone { key: Key::from_bytes(key), is_encrypting, threads, backend }))
        }
        Algorithm::Aes128Gcm => {
            let nonce = work.fixtures.nonce.as_slice().try_into().map_err(|_| rejected("nonce"))?;
            if work.fixtures.key.len() != 16 {
                return Err(rejected("key"));
            }
            let cipher = AesGcm::with_backend(&work.fixtures.key, backend).map_err(|_| rejected("key"))?;
            Ok(Box::new(Chunks { cipher, nonce, is_encrypting, threads: threads.get() }))
        }
        _ => Err(Unsupported::new(format!("kasoku has no {}", work.algorithm.title()))),
    }
}

struct Cobblestone {
    key: Key,
    is_encrypting: bool,
    threads: NonZeroUsize,
    backend: Backend,
}

impl FileJob for Cobblestone {
    fn form(&self) -> Form {
        Form::Cobblestone
    }

    fn run(&mut self, from: &Path, to: &Path) -> Result<(), JobError> {
        let (from, to) = (open_from(from)?, open_to(to)?);
        let options = Options { threads: self.threads, backend: Some(self.backend), ..Options::default() };
        let work = if self.is_encrypting { encrypt_file } else { decrypt_file };
        work(&self.key, b"", &from, &to, &options).map(drop).map_err(|error| JobError::new(error.to_string()))
    }

    fn has_buffer(&self) -> bool {
        false
    }
}

struct Chunks {
    cipher: AesGcm,
    nonce: [u8; 12],
    is_encrypting: bool,
    threads: usize,
}

impl FileJob for Chunks {
    fn form(&self) -> Form {
        Form::Chunks
    }

    fn run(&mut self, from: &Path, to: &Path) -> Result<(), JobError> {
        let (from, to) = (open_from(from)?, open_to(to)?);
        let length = from.metadata().map_err(|error| reading(&error))?.len();
        let chunk = if self.is_encrypting { CHUNK } else { SEALED };
        let chunks = length / chunk as u64 + 1;
        let next = AtomicU64::new(0);
        let failure = Mutex::new(None);
        let work = || {
            let (mut text, mut sealed) = (vec![0; SEGMENT * CHUNK], vec![0; SEGMENT * SEALED]);
            loop {
                let first = next.fetch_add(SEGMENT as u64, Ordering::Relaxed);
                if first >= chunks {
                    return;
                }
                let end = ((first + SEGMENT as u64) * chunk as u64).min(length);
                let bytes = (end - first * chunk as u64) as usize;
                let is_end = chunks - first <= SEGMENT as u64;
                if let Err(error) = self.segment(&from, &to, first, bytes, is_end, &mut text, &mut sealed) {
                    next.store(chunks, Ordering::Relaxed); // nobody begins another
                    failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(work);
            }
            work();
        });
        failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn note(&self) -> Option<&'static str> {
        Some("the format has AES-256 only: these are its chunks under a key of AES-128")
    }

    fn has_buffer(&self) -> bool {
        false
    }
}

impl Chunks {
    /// The chunks from number `first` on that lie in the `bytes` bytes of the input from there; the last of a file is
    /// shorter than the others, if need be empty.
    #[allow(clippy::too_many_arguments)] // two files, a place, two buffers
    fn segment(
        &self,
        from: &File,
        to: &File,
        first: u64,
        bytes: usize,
        is_end: bool,
        text: &mut [u8],
        sealed: &mut [u8],
    ) -> Result<(), JobError> {
        let (read, at, written_at) = if self.is_encrypting {
            (&mut text[..bytes], first * CHUNK as u64, first * SEALED as u64)
        } else {
            (&mut sealed[..bytes], first * SEALED as u64, first * CHUNK as u64)
        };
        from.read_exact_at(read, at).map_err(|error| reading(&error))?;
        let mut written = 0;
        let count = bytes / if self.is_encrypting { CHUNK } else { SEALED } + usize::from(is_end);
        for index in 0..count {
            let nonce = numbered_nonce(&self.nonce, first + index as u64);
            if self.is_encrypting {
                let text = &text[index * CHUNK..bytes.min((index + 1) * CHUNK)];
                let (body, rest) = sealed[index * SEALED..].split_at_mut(text.len());
                let tag = self.cipher.seal_to(&nonce, &[], text, body).map_err(|_| failed("seal"))?;
                rest[..tag.len()].copy_from_slice(&tag);
                written += text.len() + tag.len();
            } else {
                let chunk = &sealed[index * SEALED..bytes.min((index + 1) * SEALED)];
                let (body, tag) = chunk.split_last_chunk().ok_or_else(|| JobError::new("a chunk without a tag"))?;
                let place = &mut text[index * CHUNK..][..body.len()];
                self.cipher.open_to(&nonce, &[], body, place, tag).map_err(|_| failed("open"))?;
                written += body.len();
            }
        }
        let made = if self.is_encrypting { &sealed[..written] } else { &text[..written] };
        to.write_all_at(made, written_at).map_err(|error| writing(&error))
    }
}
