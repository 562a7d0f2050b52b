//! Options of encryption and decryption: threads, progress, backend.

use std::fmt;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use kasoku_engine::Backend;

use crate::format::CHUNK_BYTES;

/// Upper bound for the memory of plaintext and ciphertext together, in bytes, for any number of threads.
const MAX_MEMORY: usize = 32 << 20;

/// Upper bound for the number of threads. Each thread needs memory, and fewer threads already exhaust the memory
/// bandwidth.
const MAX_THREADS: usize = 256;

/// Maximum number of chunks per segment. Longer segments are not faster, because system calls and hand-overs between
/// threads are rare enough.
const MAX_SEGMENT: usize = 64;

/// Options for encrypting or decrypting a file.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Number of threads that seal or open: at most 256, and no more than a file has work for. If the system grants
    /// fewer threads, these do all the work.
    pub threads: NonZeroUsize,
    /// Function that is called repeatedly with the number of plaintext bytes done so far, from several threads. If it
    /// panics, all threads end, and the panic continues in the caller's thread.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Backend of the engine, for measurements. `None` selects the preferred backend of this CPU.
    pub backend: Option<Backend>,
}

impl Default for Options<'_> {
    /// Uses all cores available to this process, no progress function, and the preferred backend.
    fn default() -> Self {
        Options { threads: available_parallelism().unwrap_or(NonZeroUsize::MIN), progress: None, backend: None }
    }
}

impl Options<'_> {
    /// Returns the number of threads that seal or open.
    pub(crate) fn threads(&self) -> usize {
        self.threads.get().min(MAX_THREADS)
    }

    /// Returns the number of segments in memory: two for each thread (one in work, one waiting), and one each for input
    /// and output.
    pub(crate) fn segments(&self) -> usize {
        2 * self.threads() + 2
    }

    /// Returns the number of chunks per segment, the unit that a thread takes at a time.
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
    fn memory_bound_holds_for_every_thread_count() {
        for threads in [1, 2, 8, 64, 255, 256, 257, 500, 16_000, usize::MAX] {
            let options = Options { threads: NonZeroUsize::new(threads).unwrap(), ..Options::default() };
            let memory = options.segments() * options.segment_chunks() * 2 * CHUNK_BYTES;
            assert!(memory <= MAX_MEMORY, "{threads} threads take {memory} bytes");
            assert!(options.segment_chunks() >= 1);
            assert_eq!(options.threads(), threads.min(MAX_THREADS));
        }
    }

    #[test]
    fn segment_length_follows_the_memory_bound() {
        for (threads, segments, chunks) in [(1, 4, 64), (2, 6, 64), (8, 18, 56), (256, 514, 1)] {
            let options = Options { threads: NonZeroUsize::new(threads).unwrap(), ..Options::default() };
            assert_eq!((options.segments(), options.segment_chunks()), (segments, chunks), "{threads} threads");
        }
    }
}
