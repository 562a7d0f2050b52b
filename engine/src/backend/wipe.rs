//! Wiping of secrets from memory.

#![allow(unsafe_code, reason = "writes that the compiler may not leave out are raw writes")]

use core::mem::MaybeUninit;
use core::sync::atomic::{Ordering, compiler_fence};

/// Types that consist of plain integers or vectors, so that they can be wiped: zero bytes are a valid value, and
/// dropping a value does nothing.
///
/// # Safety
/// All-zero bytes must be a valid value of the type, and dropping it must do nothing.
pub(crate) unsafe trait Plain {}

// SAFETY: any bytes are a value.
unsafe impl Plain for u8 {}
// SAFETY: any bytes are a value.
unsafe impl Plain for u32 {}
// SAFETY: any bytes are a value.
unsafe impl Plain for u64 {}
// SAFETY: a `MaybeUninit` allows any bytes that its type allows.
unsafe impl<T: Plain> Plain for MaybeUninit<T> {}
// SAFETY: any bytes are a value of each element.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
// SAFETY: any bytes are a value of each element.
unsafe impl<T: Plain> Plain for [T] {}

/// Type of a single write when wiping: the widest type that every CPU of the architecture can store at once.
#[cfg(target_arch = "x86_64")]
type Word = core::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
type Word = u64;

/// Overwrites `value` with zeros. The compiler cannot omit these writes, although nothing reads the zeros.
pub(crate) fn wipe<T: Plain + ?Sized>(value: &mut T) {
    let start: *mut u8 = (&raw mut *value).cast();
    let bytes = size_of_val(value);
    // A volatile write must be aligned.
    let first_word = start.align_offset(align_of::<Word>()).min(bytes);
    let end_of_words = first_word + (bytes - first_word) / size_of::<Word>() * size_of::<Word>();
    for byte in (0..first_word).chain(end_of_words..bytes) {
        // SAFETY: inside the value, for which any bytes are valid.
        unsafe { start.add(byte).write_volatile(0) };
    }
    for word in (first_word..end_of_words).step_by(size_of::<Word>()) {
        // SAFETY: inside the value and aligned; a word of zeros is valid.
        unsafe { start.add(word).cast::<Word>().write_volatile(core::mem::zeroed()) };
    }
    // Code that follows, such as freeing the memory, must not be moved before the writes.
    compiler_fence(Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wipe_zeroes_every_byte_of_the_value_only() {
        for (start, length) in (0..17).flat_map(|start| (0..80).map(move |length| (start, length))) {
            let mut bytes = [0xA5_u8; 100];
            let (before, rest) = bytes.split_at_mut(start);
            let (wiped, after) = rest.split_at_mut(length);
            wipe(wiped);
            assert!(wiped.iter().all(|&byte| byte == 0));
            assert!(before.iter().chain(&*after).all(|&byte| byte == 0xA5));
        }
        let mut words = [[u64::MAX; 3]; 5];
        wipe(&mut words);
        assert_eq!(words, [[0; 3]; 5]);
    }
}
