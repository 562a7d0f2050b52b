//! Keys in their own heap allocation, or in memory that a caller lends.

#![allow(unsafe_code, reason = "initialises and drops values in memory that is not their own")]

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::ptr::{self, NonNull};

use super::keys::{MAX_MESSAGE_KEY_BYTES, message_key_bytes};
use crate::AesGcm;
use crate::cpu::RunnablePath;
use crate::error::Error;

/// Alignment in bytes of the memory of every key: that of a vector load of 16 bytes, and of memory from `malloc`.
pub(crate) const ALIGNMENT: usize = 16;

/// Owner of a value on the heap or in lent memory. Dropping the owner drops the value, and frees the memory if it is on
/// the heap.
pub(crate) struct Placed<T> {
    value: NonNull<T>,
    is_lent: bool,
}

// SAFETY: a `Placed` owns its value, like a `Box`.
unsafe impl<T: Send> Send for Placed<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Placed<T> {}

/// Address of memory that a caller lends for one key.
#[derive(Clone, Copy)]
pub(crate) struct LentMemory(NonNull<u8>);

impl LentMemory {
    /// Wraps the address of lent memory.
    ///
    /// # Safety
    /// Until the key is dropped, only the key's owner writes to this memory. The memory has room for the key, and is
    /// aligned to [`ALIGNMENT`].
    pub(crate) unsafe fn new(start: NonNull<u8>) -> Self {
        Self(start)
    }
}

impl<T> Placed<T> {
    /// Creates a value in `memory`, or on the heap if `memory` is `None`. The function `write` initialises the place
    /// that it gets, and returns the same place as a proof of that.
    #[inline(always)]
    pub(crate) fn new(
        memory: Option<LentMemory>,
        write: impl for<'p> FnOnce(&'p mut MaybeUninit<T>) -> &'p mut T,
    ) -> Self {
        const { assert!(align_of::<T>() <= ALIGNMENT) }
        let place = match memory {
            Some(LentMemory(start)) => start.cast(),
            None => NonNull::from(Box::leak(Box::<T>::new_uninit())),
        };
        // SAFETY: the caller guarantees the memory, or it was just allocated.
        let value = NonNull::from(write(unsafe { &mut *place.as_ptr() }));
        debug_assert_eq!(value, place.cast());
        Self { value, is_lent: memory.is_some() }
    }
}

impl<T> From<Box<T>> for Placed<T> {
    fn from(value: Box<T>) -> Self {
        Self { value: NonNull::from(Box::leak(value)), is_lent: false }
    }
}

impl<T> Deref for Placed<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the value is initialised and owned.
        unsafe { self.value.as_ref() }
    }
}

impl<T> Drop for Placed<T> {
    fn drop(&mut self) {
        // SAFETY: the value is owned, and not used afterwards. Memory that was not lent came from a box.
        unsafe {
            if self.is_lent {
                ptr::drop_in_place(self.value.as_ptr());
            } else {
                drop(Box::from_raw(self.value.as_ptr()));
            }
        }
    }
}

impl AesGcm {
    /// Expands a key of 16, 24 or 32 bytes on the stack, calls `work` with this key, and wipes it. For a key that is
    /// used for a few messages, this saves the allocation.
    ///
    /// ```
    /// let (nonce, mut data) = ([0; 12], *b"to be kept secret");
    /// let tag = kasoku_engine::AesGcm::with_key(&[7; 16], |key| key.seal(&nonce, b"header", &mut data))??;
    /// # assert_ne!(&data, b"to be kept secret");
    /// # assert_ne!(tag, [0; 16]);
    /// # Ok::<(), kasoku_engine::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn with_key<R>(key: &[u8], work: impl FnOnce(&Self) -> R) -> Result<R, Error> {
        // Aligned so that no vector of powers is stored across two cache lines.
        #[repr(C, align(64))]
        struct Place(MaybeUninit<[u8; MAX_MESSAGE_KEY_BYTES]>);
        let mut place = Place(MaybeUninit::uninit());
        // SAFETY: only the key uses `place`, and the key is dropped first.
        let key = unsafe { Self::in_memory(RunnablePath::preferred(), key, NonNull::from(&mut place.0).cast()) }?;
        Ok(work(&key))
    }

    /// Alignment in bytes of the memory for [`in_memory`](Self::in_memory).
    #[doc(hidden)]
    pub const ALIGNMENT: usize = ALIGNMENT;

    /// Returns the size in bytes of the memory that [`in_memory`](Self::in_memory) needs.
    #[doc(hidden)]
    #[must_use]
    pub const fn memory_bytes(path: RunnablePath) -> usize {
        message_key_bytes(path)
    }

    /// Expands a key of 16, 24 or 32 bytes in the caller's memory `memory`. Dropping the key wipes this memory. For the
    /// C library.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    ///
    /// # Safety
    /// Until the key is dropped, nobody else uses the [`memory_bytes`](Self::memory_bytes) bytes at `memory`. They can
    /// be written and are aligned to [`ALIGNMENT`](Self::ALIGNMENT).
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn in_memory(path: RunnablePath, key: &[u8], memory: NonNull<u8>) -> Result<Self, Error> {
        // SAFETY: guaranteed by the caller.
        Self::placed(path, key, Some(unsafe { LentMemory::new(memory) }))
    }
}
