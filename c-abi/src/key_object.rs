//! AES-GCM keys as C holds them: expanded key and count of owners in one block of memory, on the heap or lent by the
//! caller.

#![allow(unsafe_code, reason = "allocates and frees objects that C holds")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use kasoku_engine::AesGcm;
use kasoku_engine::cpu::RunnablePath;

use crate::code::Code;

/// Expanded AES-GCM key. Several threads may use it at the same time.
#[repr(C, align(16))]
pub struct Gcm {
    /// The key, whose expansion lies directly behind this object.
    key: AesGcm,
    /// Number of owners: the C program, and each streamed message in progress.
    owners: AtomicUsize,
    /// Size of the block of memory, or 0 if the memory is the caller's.
    allocated: usize,
}

const _: () = assert!(align_of::<Gcm>() == AesGcm::ALIGNMENT);

impl Gcm {
    pub(crate) fn key(&self) -> &AesGcm {
        &self.key
    }

    /// Returns the size in bytes of an object for `path`.
    pub(crate) const fn bytes(path: RunnablePath) -> usize {
        (size_of::<Self>() + AesGcm::memory_bytes(path)).next_multiple_of(align_of::<Self>())
    }

    /// Returns whether the memory from `start` on is aligned as an object needs.
    pub(crate) fn is_aligned(start: *mut u8) -> bool {
        start.addr().is_multiple_of(align_of::<Self>())
    }

    /// Makes an object on the heap. C gives it back to [`release`](Self::release).
    pub(crate) fn allocate(path: RunnablePath, key: &[u8]) -> Result<NonNull<Self>, Code> {
        let layout = Self::layout(Self::bytes(path));
        // SAFETY: the size is not zero.
        let memory = NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        // SAFETY: the memory was just allocated with the size and alignment of an object.
        let made = unsafe { Self::make_in(memory, layout.size(), path, key) };
        if made.is_err() {
            // SAFETY: the memory was allocated with this layout, and nobody uses it.
            unsafe { dealloc(memory.as_ptr(), layout) };
        }
        made
    }

    /// Makes an object in memory of the caller, who gives it back to [`release`](Self::release).
    ///
    /// # Safety
    /// Until the release, the [`bytes`](Self::bytes) bytes at `memory` must be writable, aligned, and used by nobody
    /// else.
    pub(crate) unsafe fn make_in_lent(
        memory: NonNull<u8>,
        path: RunnablePath,
        key: &[u8],
    ) -> Result<NonNull<Self>, Code> {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::make_in(memory, 0, path, key) }
    }

    /// # Safety
    /// As for [`make_in_lent`](Self::make_in_lent).
    unsafe fn make_in(
        memory: NonNull<u8>,
        allocated: usize,
        path: RunnablePath,
        key: &[u8],
    ) -> Result<NonNull<Self>, Code> {
        let object = memory.cast::<Self>();
        // SAFETY: guaranteed by the caller; the expansion begins behind the object.
        unsafe {
            let key = AesGcm::in_memory(path, key, memory.add(size_of::<Self>()))?;
            object.write(Self { key, owners: AtomicUsize::new(1), allocated });
        }
        Ok(object)
    }

    /// Adds an owner, which must be given back to [`release`](Self::release).
    pub(crate) fn add_owner(&self) {
        // Relaxed: the caller is an owner, so the object exists.
        self.owners.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes an owner. After the last one, wipes the key and frees its memory, unless it is the caller's.
    ///
    /// # Safety
    /// The caller must be an owner, and not use the object afterwards.
    pub(crate) unsafe fn release(object: *mut Self) {
        // SAFETY: guaranteed by the caller: the object exists until its last owner has been removed.
        unsafe {
            // Release here and acquire below, so that all uses by other owners happen before the key is wiped.
            if (*object).owners.fetch_sub(1, Ordering::Release) > 1 {
                return;
            }
            fence(Ordering::Acquire);
            let allocated = (*object).allocated;
            object.drop_in_place();
            if allocated > 0 {
                dealloc(object.cast(), Self::layout(allocated));
            }
        }
    }

    fn layout(bytes: usize) -> Layout {
        // SAFETY: the alignment is a power of two, and an object has a few thousand bytes.
        unsafe { Layout::from_size_align_unchecked(bytes, align_of::<Self>()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_lives_until_its_last_owner_is_removed() {
        let path = RunnablePath::preferred();
        let object = Gcm::allocate(path, &[1; 32]).unwrap().as_ptr();
        // SAFETY: the object has two owners, then one, then none.
        unsafe {
            (*object).add_owner();
            Gcm::release(object);
            let tag = (*object).key().seal(&[0; 12], b"", &mut [0; 100]).unwrap();
            assert_eq!(tag, AesGcm::new(&[1; 32]).unwrap().seal(&[0; 12], b"", &mut [0; 100]).unwrap());
            Gcm::release(object);
        }
        assert_eq!(Gcm::allocate(path, &[1; 31]).err(), Some(Code::KEY_LENGTH));
    }

    /// Fills the lent memory with 0xFF before making the object. After the release, each byte must still be 0xFF
    /// (unused) or be 0 (wiped).
    #[test]
    fn lent_memory_contains_no_key_after_the_object_is_released() {
        #[repr(align(16))]
        struct Memory([u8; 8192]);
        let path = RunnablePath::preferred();
        for bytes in [0, 16, 100, 600, 5000, 20_000] {
            let mut memory = Memory([0xFF; 8192]);
            // SAFETY: the memory is large enough and aligned; only this test uses it.
            unsafe {
                let object = Gcm::make_in_lent(NonNull::from(&mut memory.0).cast(), path, &[7; 16]).unwrap().as_ptr();
                (*object).key().seal(&[0; 12], b"", &mut vec![0; bytes]).unwrap();
                Gcm::release(object);
            }
            let expansion = &memory.0[size_of::<Gcm>()..Gcm::bytes(path)];
            assert_eq!(expansion.iter().position(|&byte| byte != 0xFF && byte != 0), None, "{bytes} bytes of text");
            assert!(expansion.contains(&0), "something was wiped");
            assert!(memory.0[Gcm::bytes(path)..].iter().all(|&byte| byte == 0xFF), "nothing behind was written");
        }
    }
}
