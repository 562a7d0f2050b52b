//! Permission to grow a key: one thread at a time computes more powers of H, while other threads use the powers that
//! the key already has.

use super::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Length of the texts that a key can hash so far, and whether a thread is computing more powers of H for longer texts.
///
/// The crate in `engine/interleavings` runs this file under a model checker, which tries all orders of the atomic
/// operations.
#[repr(C)]
pub(super) struct Growth {
    /// Maximum length in bytes of a text that can be hashed with the powers of H computed so far.
    max_text_bytes: AtomicUsize,
    is_growing: AtomicBool,
}

impl Growth {
    /// Describes a key with powers of H for texts of at most `max_text_bytes` bytes.
    #[inline(always)]
    pub(super) fn new(max_text_bytes: usize) -> Self {
        Self { max_text_bytes: AtomicUsize::new(max_text_bytes), is_growing: AtomicBool::new(false) }
    }

    /// Returns whether the powers of H computed so far suffice for a text of `bytes` bytes. If they do, the calling
    /// thread may read these powers.
    #[inline(always)]
    pub(super) fn has_powers_for(&self, bytes: usize) -> bool {
        // Acquire, paired with `finish`: the thread that stored this length had written the powers before.
        bytes <= self.max_text_bytes.load(Ordering::Acquire)
    }

    /// Permits the calling thread to compute more powers of H, and returns `true`. The thread calls
    /// [`finish`](Self::finish) afterwards; if it panics before, no thread computes powers of H again. Returns `false`
    /// if another thread is computing powers of H.
    #[inline(always)]
    pub(super) fn begin(&self) -> bool {
        // Acquire, paired with `finish`: this thread sees the powers that an earlier thread computed.
        !self.is_growing.swap(true, Ordering::Acquire)
    }

    /// Publishes the powers of H that the calling thread computed after [`begin`](Self::begin): texts of at most
    /// `max_text_bytes` bytes can be hashed now.
    #[inline(always)]
    pub(super) fn finish(&self, max_text_bytes: usize) {
        self.max_text_bytes.store(max_text_bytes, Ordering::Release);
        self.is_growing.store(false, Ordering::Release);
    }

    /// Records that the key has no powers of H any more.
    #[inline(always)]
    pub(super) fn forget_powers(&mut self) {
        self.max_text_bytes.store(0, Ordering::Relaxed);
    }

    /// Sets the flag that another thread is computing powers of H, for a test.
    #[cfg(test)]
    pub(super) fn pretend_growth(&self) {
        self.is_growing.store(true, Ordering::Relaxed);
    }
}
