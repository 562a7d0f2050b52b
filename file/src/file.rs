//! A file into a file: where both can be read and written at any place, each core works at its own.
//!
//! How long the input is, the system says first, and the threads share the segments up to there. But that may be no
//! more than a guess: files of `/proc` and of some FUSE file systems say 0, those of `/sys` 4,096, and others grow
//! meanwhile. So the input ends where reading says so: whoever has the last segment reads on until then.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::buffer::Buffer;
use crate::format::{self, CHUNK_BYTES, HEADER_BYTES, SEALED_CHUNK_BYTES};
use crate::positioned::{read_at, reserve, write_at};
use crate::stopped::{Stopped, caught};
use crate::{Error, Key, Options};

/// Encrypts all of `input`, a regular file, into `output`, an empty one; how many bytes of plaintext that were.
///
/// All means what there is from its beginning until reading it says that it ends, whatever length the system says it
/// has: of a file that grows meanwhile, also what was added until then.
///
/// # Errors
/// As [`encrypt`](crate::encrypt), and [`Error::Changed`] if `input` becomes shorter meanwhile.
///
/// # Panics
/// If the caller's progress does.
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

/// Decrypts all of `input`, a regular file, into `output`, an empty one; how many bytes of plaintext that were. Only
/// what was verified is written, but not in order: if it fails, nothing in `output` is of any use.
///
/// All is meant as by [`encrypt_file`].
///
/// # Errors
/// As [`decrypt`](crate::decrypt), and [`Error::Changed`] if `input` becomes shorter meanwhile.
///
/// # Panics
/// If the caller's progress does.
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
    // Where it does end, so does the last chunk. Otherwise, and of a file without a last chunk, that is seen when the
    // end is reached: a file was cut off and not changed only if all before its end is what was encrypted.
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

/// What all threads share.
struct Job<'a> {
    input: &'a File,
    /// Where in the input its chunks begin, and how long each is.
    from: (usize, usize),
    output: &'a File,
    /// The same of the output.
    to: (usize, usize),
    /// Bytes of plaintext that there surely are, unless the input changes.
    stated: u64,
    options: &'a Options<'a>,
}

/// Makes of the chunks from a number on, which are or are not the end, what is to be written: how many bytes that are,
/// and how many of plaintext.
type Work<'a> = dyn Fn(u64, &[u8], bool, &mut [u8]) -> Result<(usize, usize), Error> + Sync + 'a;

impl Job<'_> {
    /// Bytes of plaintext.
    fn run(&self, work: &Work<'_>) -> Result<u64, Error> {
        let per_segment = self.options.segment_chunks() as u64;
        let chunks = self.stated / CHUNK_BYTES as u64 + 1;
        let (next, done, stopped) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(None));
        let serve = || {
            let worked = caught(|| {
                // Segments are a multiple of four chunks, so that all of one file lie alike.
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
                next.store(chunks, Ordering::Relaxed); // nobody begins another
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
                    break; // those that are there do all of it
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

    /// Does the segment whose first chunk has that number; after the last one also what follows, up to the end.
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

/// How long the system says the file is; 0 if it does not even go so far, as those of `/sys` do not.
fn length(file: &File) -> Result<u64, Error> {
    let stated = file.metadata().map_err(Error::Read)?.len();
    Ok(if stated > 0 && has_byte(file, stated - 1)? { stated } else { 0 })
}

fn has_byte(file: &File, offset: u64) -> Result<bool, Error> {
    Ok(read_at(file, &mut [0], offset)? == 1)
}
