//! Wiping what must not be found later.

#![allow(unsafe_code, reason = "writes that the compiler may not leave out are raw writes")]

use core::sync::atomic::{Ordering, compiler_fence};

/// Types of plain integers and vectors: any bytes are a value, zeros too, and nothing is owned.
///
/// # Safety
/// All-zero bytes must be a valid value of the type, and dropping it must do nothing.
pub(crate) unsafe trait Plain {}

// SAFETY: bytes.
unsafe impl Plain for u8 {}
// SAFETY: integers.
unsafe impl Plain for u32 {}
// SAFETY: integers.
unsafe impl Plain for u64 {}
// SAFETY: as its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Writes zeros over `value` in a way the compiler keeps, though nobody reads them.
pub(crate) fn wipe<T: Plain + ?Sized>(value: &mut T) {
    let bytes = size_of_val(value);
    let start: *mut u8 = (&raw mut *value).cast();
    let words = bytes / 8;
    for word in 0..words {
        // SAFETY: inside the value, for which any bytes are valid. A volatile write must be aligned: as a word where the
        // value is, as bytes elsewhere.
        unsafe {
            if start.addr().is_multiple_of(8) {
                start.cast::<u64>().add(word).write_volatile(0);
            } else {
                start.cast::<[u8; 8]>().add(word).write_volatile([0; 8]);
            }
        }
    }
    for byte in words * 8..bytes {
        // SAFETY: as above.
        unsafe { start.add(byte).write_volatile(0) };
    }
    // What follows (freeing the memory) may not be moved before the writes.
    compiler_fence(Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_wiped() {
        for length in 0..40 {
            let mut bytes = [0xA5_u8; 48];
            wipe_slice(&mut bytes[4..4 + length]);
            assert!(bytes[4..4 + length].iter().all(|&byte| byte == 0));
            assert!(bytes[..4].iter().chain(&bytes[4 + length..]).all(|&byte| byte == 0xA5));
        }
        let mut words = [[u64::MAX; 3]; 5];
        wipe(&mut words);
        assert_eq!(words, [[0; 3]; 5]);
    }

    fn wipe_slice(bytes: &mut [u8]) {
        wipe(bytes);
    }

    // SAFETY: bytes.
    unsafe impl Plain for [u8] {}
}
