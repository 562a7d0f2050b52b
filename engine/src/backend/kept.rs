//! Data that is XORed with keystream generated ahead, and whose ciphertext is kept in the keystream's place.

#![allow(unsafe_code, reason = "one function for data in place and between buffers, whose last words overlap")]

use crate::in_out::InOut;

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

/// # Safety
/// `bytes` bytes can be read at `input`, and written at `output` and `kept`. `kept` is apart from the data.
#[inline(never)]
unsafe fn in_words<const SEAL: bool>(input: *const u8, output: *mut u8, kept: *mut u8, bytes: usize) {
    // SAFETY: (all five) guaranteed by the caller; there are at least as many bytes as in a word.
    unsafe {
        match bytes {
            32.. => in_words_of::<32, SEAL>(input, output, kept, bytes),
            16.. => in_words_of::<16, SEAL>(input, output, kept, bytes),
            8.. => in_words_of::<8, SEAL>(input, output, kept, bytes),
            4.. => in_words_of::<4, SEAL>(input, output, kept, bytes),
            _ => in_words_of::<1, SEAL>(input, output, kept, bytes),
        }
    }
}

/// Processes the data in words of `N` bytes. The last word may overlap the word before it.
///
/// # Safety
/// As for [`in_words`]. In addition, `bytes` is 0 or at least `N`.
#[inline(always)]
unsafe fn in_words_of<const N: usize, const SEAL: bool>(
    input: *const u8,
    output: *mut u8,
    kept: *mut u8,
    bytes: usize,
) {
    if bytes == 0 {
        return;
    }
    // SAFETY: (both) `at` is at most `last`.
    let load = |at: usize| unsafe {
        (input.add(at).cast::<[u8; N]>().read_unaligned(), kept.add(at).cast::<[u8; N]>().read_unaligned())
    };
    let store = |at: usize, (text, key): ([u8; N], [u8; N])| {
        let other = core::array::from_fn(|byte| text[byte] ^ key[byte]);
        // SAFETY: see above.
        unsafe {
            output.add(at).cast::<[u8; N]>().write_unaligned(other);
            kept.add(at).cast::<[u8; N]>().write_unaligned(if SEAL { other } else { text });
        }
    };
    let last = bytes - N;
    // Loaded before the word that it overlaps is stored.
    let end = load(last);
    let mut at = 0;
    while at < last {
        store(at, load(at));
        at += N;
    }
    store(last, end);
}
