//! Encrypts and decrypts from file to file. Each core reads and writes at its own position.
//!
//! The threads share the segments up to the length that the system reports. That length may be wrong: files in `/proc`
//! and of some FUSE file systems report 0, those in `/sys` 4,096, and others grow during the work. Therefore the thread
//! with the last segment continues until a read returns the end of the file.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::buffer::Buffer;
use crate::format::{self, CHUNK_BYTES, HEADER_BYTES, SEALED_CHUNK_BYTES};
use crate::positioned::{read_at, reserve, write_at};
use crate::stopped::{Stopped, caught};
use crate::{Error, Key, Options};

/// Encrypts the regular file `input` into the empty file `output` and returns the length of the plaintext in bytes.
///
/// The input is read from its beginning until reading reaches the end, whatever length the system reports. If the file
/// grows during the call, the added data is included.
///
/// # Errors
/// The errors of [`encrypt`](crate::encrypt), and [`Error::Changed`] if `input` becomes shorter during the call.
///
/// # Panics
/// If the caller's progress function panics.
pub fn encrypt_file(
    key: &Key,
    context: &[u8],
    input: &File,
    output: &File,
    options: &Options<'_>,
) -> Result<u64, Error> {
    let stated = length(input)?;
    let encrypted = format::encrypted_bytes(stated).ok_or(Error::TooLong)?;
    let (header, chunks) = key.begin(context, options.backend)?;
    reserve(output, encrypted)?;
    write_at(output, &header, 0)?;
    let job = Job { input, from: (0, CHUNK_BYTES), output, to: (HEADER_BYTES, SEALED_CHUNK_BYTES), stated, options };
    job.run(&|first, text, is_end, sealed| {
        let made = chunks.seal(first, text, is_end, sealed)?;
        Ok((made, text.len()))
    })
}

/// Decrypts the regular file `input` into the empty file `output` and returns the length of the plaintext in bytes.
/// Only verified data is written, but not in order: after an error, discard `output`.
///
/// The input is read from its beginning until reading reaches the end, whatever length the system reports.
///
/// # Errors
/// The errors of [`decrypt`](crate::decrypt), and [`Error::Changed`] if `input` becomes shorter during the call.
///
/// # Panics
/// If the caller's progress function panics.
pub fn decrypt_file(
    key: &Key,
    context: &[u8],
    input: &File,
    output: &File,
    options: &Options<'_>,
) -> Result<u64, Error> {
    let mut header = [0; HEADER_BYTES];
    let read = read_at(input, &mut header, 0)?;
    if read < HEADER_BYTES {
        return Err(Error::TooShort { bytes: read as u64 });
    }
    let encrypted = length(input)?;
    // Reports a missing last chunk only at the end, because the file counts as truncated, and not as modified, only if
    // all other chunks are authentic.
    let stated = match format::text_bytes(encrypted) {
        _ if has_byte(input, encrypted)? => 0,
        Err(Error::Truncated) => 0,
        text_bytes => text_bytes?,
    };
    let chunks = key.recognise(&header, context, options.backend)?;
    reserve(output, stated)?;
    let job = Job { input, from: (HEADER_BYTES, SEALED_CHUNK_BYTES), output, to: (0, CHUNK_BYTES), stated, options };
    job.run(&|first, sealed, is_end, text| {
        let opened = chunks.open(first, sealed, is_end, text)?;
        Ok((opened, opened))
    })
}

/// Parameters that all threads share.
struct Job<'a> {
    input: &'a File,
    /// Offset of the first chunk in the input and length of a chunk, in bytes.
    from: (usize, usize),
    output: &'a File,
    /// Offset of the first chunk in the output and length of a chunk, in bytes.
    to: (usize, usize),
    /// Length of the plaintext in bytes, computed from the reported length of the input.
    stated: u64,
    options: &'a Options<'a>,
}

/// Function that processes chunks: number of the first chunk, input, whether the input ends the file, output. Returns
/// the numbers of output bytes and of plaintext bytes.
type Work<'a> = dyn Fn(u64, &[u8], bool, &mut [u8]) -> Result<(usize, usize), Error> + Sync + 'a;

impl Job<'_> {
    /// Processes the file and returns the length of the plaintext in bytes.
    fn run(&self, work: &Work<'_>) -> Result<u64, Error> {
        let per_segment = self.options.segment_chunks() as u64;
        let chunks = self.stated / CHUNK_BYTES as u64 + 1;
        let (next, done, stopped) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(None));
        let serve = || {
            let worked = caught(|| {
                // Segments are multiples of four chunks, so that all segments of a file have the same alignment.
                let buffer = |(begin, chunk): (usize, usize)| Buffer::new(per_segment as usize * chunk, begin);
                let (mut read, mut made) = (buffer(self.from), buffer(self.to));
                loop {
                    let first = next.fetch_add(per_segment, Ordering::Relaxed);
                    if first >= chunks {
                        return Ok(());
                    }
                    let is_last = chunks - first <= per_segment;
                    self.segment(first, is_last, read.get(), made.get(), &done, work)?;
                }
            });
            if let Err(why) = worked {
                next.store(chunks, Ordering::Relaxed); // no thread begins another segment
                let mut first = stopped.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|first: &Stopped| why.is_before(first)) {
                    *first = Some(why);
                }
            }
        };
        let others = (self.options.threads() as u64).min(chunks.div_ceil(per_segment)) - 1;
        thread::scope(|scope| {
            for _ in 0..others {
                if thread::Builder::new().spawn_scoped(scope, serve).is_err() {
                    break; // the started threads do all the work
                }
            }
            serve();
        });
        if let Some(why) = stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(Stopped::into_error(why));
        }
        let done = done.into_inner();
        if done < self.stated { Err(Error::Changed) } else { Ok(done) }
    }

    /// Processes the segment that begins with the given chunk. After the last segment, continues to the end of the
    /// file.
    fn segment(
        &self,
        mut first: u64,
        is_last: bool,
        read: &mut [u8],
        made: &mut [u8],
        done: &AtomicU64,
        work: &Work<'_>,
    ) -> Result<(), Error> {
        let place = |(begin, chunk): (usize, usize), number: u64| begin as u64 + number * chunk as u64;
        loop {
            let count = read_at(self.input, read, place(self.from, first))?;
            let is_end = count < read.len();
            if is_end && !is_last {
                return Err(Error::Changed);
            }
            let (bytes, text_bytes) = work(first, &read[..count], is_end, made)?;
            write_at(self.output, &made[..bytes], place(self.to, first))?;
            let before = done.fetch_add(text_bytes as u64, Ordering::Relaxed);
            self.options.tell(before + text_bytes as u64);
            if is_end || !is_last {
                return Ok(());
            }
            first += (read.len() / self.from.1) as u64;
        }
    }
}

/// Returns the length that the system reports. Returns 0 if seeking to the end is impossible, as in `/sys`.
fn length(file: &File) -> Result<u64, Error> {
    let stated = file.metadata().map_err(Error::Read)?.len();
    Ok(if stated > 0 && has_byte(file, stated - 1)? { stated } else { 0 })
}

fn has_byte(file: &File, offset: u64) -> Result<bool, Error> {
    Ok(read_at(file, &mut [0], offset)? == 1)
}
