//! How much of the machine the work may take, and who hears how far it is.

use std::fmt;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use kasoku_engine::Backend;

use crate::format::CHUNK_BYTES;

/// Plaintext and ciphertext together take at most this much memory, however many threads there are.
const MAX_MEMORY: usize = 32 << 20;

/// More threads are not started: each takes memory of its own, and no machine's memory keeps up with this many.
const MAX_THREADS: usize = 256;

/// Longer segments are no faster: system calls and hand-overs are already rare.
const MAX_SEGMENT: usize = 64;

/// How a file is encrypted or decrypted.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Threads that seal or open; at most 256 are started, and no more than there is work for in a file. If the system
    /// gives fewer, those do all of it.
    pub threads: NonZeroUsize,
    /// Is called with the bytes of plaintext done so far, again and again, from several threads. If it panics, all
    /// threads end, and the panic goes on in the caller's.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// The engine's backend; the one it prefers on this CPU if none is named. For measurements.
    pub backend: Option<Backend>,
}

impl Default for Options<'_> {
    /// All cores this process may use, nobody who is told, the engine's own choice.
    fn default() -> Self {
        Options { threads: available_parallelism().unwrap_or(NonZeroUsize::MIN), progress: None, backend: None }
    }
}

impl Options<'_> {
    /// How many threads seal or open.
    pub(crate) fn threads(&self) -> usize {
        self.threads.get().min(MAX_THREADS)
    }

    /// How many segments are under way at once: each thread's own, one more for each that waits, and one each at the
    /// ends.
    pub(crate) fn segments(&self) -> usize {
        2 * self.threads() + 2
    }

    /// Chunks of a segment: what one thread takes at a time.
    pub(crate) fn segment_chunks(&self) -> usize {
        let both_forms = 2 * CHUNK_BYTES;
        (MAX_MEMORY / both_forms / self.segments()).clamp(1, MAX_SEGMENT)
    }

    pub(crate) fn tell(&self, bytes: u64) {
        if let Some(progress) = self.progress {
            progress(bytes);
        }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("threads", &self.threads).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_whatever_the_number_of_threads() {
        for threads in [1, 2, 8, 64, 255, 256, 257, 500, 16_000, usize::MAX] {
            let options = Options { threads: NonZeroUsize::new(threads).unwrap(), ..Options::default() };
            let memory = options.segments() * options.segment_chunks() * 2 * CHUNK_BYTES;
            assert!(memory <= MAX_MEMORY, "{threads} threads take {memory} bytes");
            assert!(options.segment_chunks() >= 1);
            assert_eq!(options.threads(), threads.min(MAX_THREADS));
        }
    }

    #[test]
    fn segments_are_as_long_as_memory_allows() {
        for (threads, segments, chunks) in [(1, 4, 64), (2, 6, 64), (8, 18, 56), (256, 514, 1)] {
            let options = Options { threads: NonZeroUsize::new(threads).unwrap(), ..Options::default() };
            assert_eq!((options.segments(), options.segment_chunks()), (segments, chunks), "{threads} threads");
        }
    }
}
