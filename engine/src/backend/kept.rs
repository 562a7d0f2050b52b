//! Data that is XORed with keystream generated ahead, and whose ciphertext is kept in the keystream's place.

#![allow(unsafe_code, reason = "one function for data in place and between buffers, without bounds checks")]

use crate::backend::in_out::InOut;

/// XORs `data` with the keystream in `kept`, and replaces this keystream by the ciphertext. With `SEAL` the ciphertext
/// is the output, otherwise the input.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub(crate) fn encrypt_and_keep<const SEAL: bool>(mut data: InOut<'_>, kept: &mut [u8]) {
    let (input, output, bytes) = data.pointers();
    assert_eq!(bytes, kept.len(), "keystream and data");
    // SAFETY: the data is borrowed, and all three have `bytes` bytes.
    unsafe { in_words::<SEAL>(input, output, kept.as_mut_ptr(), bytes) }
}

/// XORs the data at `input` with the keystream at `kept`, in words of 32 bytes and the rest in shorter words. Writes
/// the result to `output`, and the ciphertext to `kept`: with `SEAL` that is the result, otherwise the input. Writes
/// each byte once.
///
/// # Safety
/// `bytes` bytes can be read at `input`, and written at `output` and `kept`. `kept` does not overlap the data.
#[inline(never)]
pub(crate) unsafe fn in_words<const SEAL: bool>(input: *const u8, output: *mut u8, kept: *mut u8, bytes: usize) {
    let mut at = 0;
    // SAFETY: (all) the words end within `bytes` bytes.
    unsafe {
        while bytes - at >= 32 {
            at += word::<32, SEAL>(input.add(at), output.add(at), kept.add(at));
        }
        if bytes & 16 > 0 {
            at += word::<16, SEAL>(input.add(at), output.add(at), kept.add(at));
        }
        if bytes & 8 > 0 {
            at += word::<8, SEAL>(input.add(at), output.add(at), kept.add(at));
        }
        if bytes & 4 > 0 {
            at += word::<4, SEAL>(input.add(at), output.add(at), kept.add(at));
        }
        if bytes & 2 > 0 {
            at += word::<2, SEAL>(input.add(at), output.add(at), kept.add(at));
        }
        if bytes & 1 > 0 {
            word::<1, SEAL>(input.add(at), output.add(at), kept.add(at));
        }
    }
}

/// Processes a word of `N` bytes. Returns `N`.
///
/// # Safety
/// As for [`in_words`], with `N` bytes.
#[inline(always)]
unsafe fn word<const N: usize, const SEAL: bool>(input: *const u8, output: *mut u8, kept: *mut u8) -> usize {
    let (input, output, kept) = (input.cast::<[u8; N]>(), output.cast::<[u8; N]>(), kept.cast::<[u8; N]>());
    // SAFETY: guaranteed by the caller.
    unsafe {
        let (text, key) = (input.read(), kept.read());
        let other = core::array::from_fn(|byte| text[byte] ^ key[byte]);
        output.write(other);
        kept.write(if SEAL { other } else { text });
    }
    N
}
