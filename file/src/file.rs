//! A file into a file: where both can be read and written at any place, each core works at its own.

use std::fs::File;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::buffer::Buffer;
use crate::chunk::{Chunks, sealed_bytes};
use crate::format::{self, CHUNK_BYTES, HEADER_BYTES, SEALED_CHUNK_BYTES, TAG_BYTES};
use crate::positioned::{read_at, reserve, write_at};
use crate::{Error, Key, Options};

/// Encrypts the whole of `input`, a regular file, into `output`, an empty one; how many bytes of text that were.
///
/// # Errors
/// As [`encrypt`](crate::encrypt), and [`Error::Changed`] if `input` changes its length meanwhile.
pub fn encrypt_file(
    key: &Key,
    context: &[u8],
    input: &File,
    output: &File,
    options: &Options<'_>,
) -> Result<u64, Error> {
    let text_bytes = length(input)?;
    let encrypted = format::encrypted_bytes(text_bytes).ok_or(Error::TooLong)?;
    let (header, chunks) = key.begin(context, options.backend)?;
    reserve(output, encrypted)?;
    write_at(output, &header, 0)?;
    let job = Job { chunks: &chunks, input, output, text_bytes, options };
    job.run(&|first, text, sealed, is_end| {
        let bytes = text.len();
        read_at(job.input, text, first * CHUNK_BYTES as u64)?;
        let made = chunks.seal(first, text, is_end, &mut sealed[..sealed_bytes(bytes, is_end)])?;
        write_at(job.output, &sealed[..made], format::offset_of(first))
    })?;
    unchanged(input, text_bytes)?;
    debug_assert_eq!(length(output).ok(), Some(encrypted));
    Ok(text_bytes)
}

/// Decrypts the whole of `input`, a regular file, into `output`, an empty one; how many bytes of text that were. Only
/// what was verified is written, but not in order: if it fails, nothing in `output` is of any use.
///
/// # Errors
/// As [`decrypt`](crate::decrypt), and [`Error::Changed`] if `input` changes its length meanwhile.
pub fn decrypt_file(
    key: &Key,
    context: &[u8],
    input: &File,
    output: &File,
    options: &Options<'_>,
) -> Result<u64, Error> {
    let encrypted = length(input)?;
    let text_bytes = format::text_bytes(encrypted)?;
    let mut header = [0; HEADER_BYTES];
    read_at(input, &mut header, 0)?;
    let chunks = key.recognise(&header, context, options.backend)?;
    reserve(output, text_bytes)?;
    let job = Job { chunks: &chunks, input, output, text_bytes, options };
    job.run(&|first, text, sealed, is_end| {
        let sealed = &mut sealed[..sealed_bytes(text.len(), is_end)];
        read_at(job.input, sealed, format::offset_of(first))?;
        job.chunks.open(first, sealed, is_end, text)?;
        write_at(job.output, text, first * CHUNK_BYTES as u64)
    })?;
    unchanged(input, encrypted)?;
    Ok(text_bytes)
}

/// What all threads share.
struct Job<'a> {
    chunks: &'a Chunks,
    input: &'a File,
    output: &'a File,
    text_bytes: u64,
    options: &'a Options<'a>,
}

/// What is done with one segment: its first chunk, room for its text and for its sealed form, whether it is the end.
type Segment<'a> = dyn Fn(u64, &mut [u8], &mut [u8], bool) -> Result<(), Error> + Sync + 'a;

impl Job<'_> {
    fn run(&self, segment: &Segment<'_>) -> Result<(), Error> {
        let per_segment = self.options.segment_chunks() as u64;
        let chunks = self.text_bytes / CHUNK_BYTES as u64 + 1;
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let failure = Mutex::new(None);
        let work = || {
            // Segments are a multiple of four chunks, so that all of one file lie alike.
            let mut text = Buffer::new(per_segment as usize * CHUNK_BYTES, 0);
            let mut sealed = Buffer::new(per_segment as usize * SEALED_CHUNK_BYTES + TAG_BYTES, HEADER_BYTES);
            loop {
                let first = next.fetch_add(per_segment, Ordering::Relaxed);
                if first >= chunks {
                    return;
                }
                let is_end = chunks - first <= per_segment;
                let end = if is_end { self.text_bytes } else { (first + per_segment) * CHUNK_BYTES as u64 };
                let text = &mut text.get()[..(end - first * CHUNK_BYTES as u64) as usize];
                if let Err(error) = segment(first, text, sealed.get(), is_end) {
                    next.store(chunks, Ordering::Relaxed); // nobody begins another
                    let mut failure = failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    failure.get_or_insert(error);
                    return;
                }
                let before = done.fetch_add(text.len() as u64, Ordering::Relaxed);
                self.options.tell(before + text.len() as u64);
            }
        };
        let others = (self.options.threads.get() as u64).min(chunks.div_ceil(per_segment)) - 1;
        thread::scope(|scope| {
            for _ in 0..others {
                scope.spawn(work);
            }
            work();
        });
        failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

fn length(file: &File) -> Result<u64, Error> {
    file.metadata().map(|metadata| metadata.len()).map_err(Error::Read)
}

fn unchanged(input: &File, before: u64) -> Result<(), Error> {
    if length(input)? == before { Ok(()) } else { Err(Error::Changed) }
}
