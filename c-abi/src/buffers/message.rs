//! The arguments of a whole message, and a fast check for the usual case.
//!
//! For most messages all pointers are set, lengths are moderate, the nonce has 12 bytes, and buffers do not overlap.
//! One expression of about twenty instructions detects this case, the *fast path*. Checking rule by rule, with an error
//! for each, takes as long as sealing 16 bytes. A message that fails the fast check may still be valid, so it is then
//! checked rule by rule.

use kasoku_engine::TAG_BYTES;

use super::Output;

/// Arguments of a call that seals or opens a whole message, except the key and the tag.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub(crate) nonce: *const u8,
    pub(crate) nonce_bytes: usize,
    pub(crate) aad: *const u8,
    pub(crate) aad_bytes: usize,
    pub(crate) input: *const u8,
    pub(crate) output: *mut u8,
    pub(crate) bytes: usize,
}

/// Length of the nonce in bytes on the fast path.
const NONCE_BYTES: usize = 12;

/// Maximum length of message and AAD in bytes on the fast path, far below every limit of AES-GCM.
const MAX_BYTES: usize = i32::MAX as usize;

impl Message {
    /// Returns whether the message and `tag` fit the fast path for sealing. If false, the arguments may still be valid.
    #[inline(always)]
    pub(crate) fn fits_fast_path_to_seal(&self, tag: *mut u8) -> bool {
        let last = tag.addr().wrapping_add(TAG_BYTES - 1);
        self.fits_fast_path(tag.addr())
            && are_apart(last, TAG_BYTES, self.nonce.addr(), NONCE_BYTES)
            && are_apart(last, TAG_BYTES, self.aad().addr(), self.aad_bytes)
            && are_apart(last, TAG_BYTES, self.output.addr(), self.bytes)
            && are_apart(last, TAG_BYTES, self.input.addr(), self.bytes)
    }

    /// Returns whether the message, `tag` and a key of `key_bytes` bytes fit the fast path for sealing under that key
    /// only once. If false, the arguments may still be valid.
    #[inline(always)]
    pub(crate) fn fits_fast_path_to_seal_once(&self, tag: *mut u8, key: *const u8, key_bytes: usize) -> bool {
        self.fits_fast_path_to_seal(tag)
            && matches!(key_bytes, 16 | 24 | 32)
            && key.addr().wrapping_sub(1) <= isize::MAX as usize
            && are_apart(tag.addr().wrapping_add(TAG_BYTES - 1), TAG_BYTES, key.addr(), key_bytes)
            && are_apart(self.last_written(), self.bytes, key.addr(), key_bytes)
    }

    /// Returns whether the message and `tag` fit the fast path for opening. If false, the arguments may still be valid.
    #[inline(always)]
    pub(crate) fn fits_fast_path_to_open(&self, tag: *const u8) -> bool {
        self.fits_fast_path(tag.addr()) && are_apart(self.last_written(), self.bytes, tag.addr(), TAG_BYTES)
    }

    /// Returns whether a message that is not empty fits the fast path, apart from the position of its tag.
    #[inline(always)]
    fn fits_fast_path(&self, tag: usize) -> bool {
        let (nonce, aad, input, output) = (self.nonce.addr(), self.aad().addr(), self.input.addr(), self.output.addr());
        // Subtracting 1 from NULL or from a length of 0 sets the highest bit. With that bit clear, no buffer of at most
        // `MAX_BYTES` wraps around the end of the address space.
        let less_one = [nonce, aad, input, output, tag, self.bytes].map(|number| number.wrapping_sub(1));
        less_one.into_iter().fold(0, |all, number| all | number) <= isize::MAX as usize
            && (self.bytes | self.aad_bytes) <= MAX_BYTES
            && self.nonce_bytes == NONCE_BYTES
            && are_apart(self.last_written(), self.bytes, nonce, NONCE_BYTES)
            && are_apart(self.last_written(), self.bytes, aad, self.aad_bytes)
            && (self.is_in_place() || are_apart(self.last_written(), self.bytes, input, self.bytes))
    }

    /// Returns whether the message is empty, and nonce, AAD and `tag` fit the fast path. The addresses of an empty text
    /// may be invalid. (A check of its own, after the one for other messages, so that those need no more instructions.)
    #[inline(always)]
    pub(crate) fn is_empty_and_fits_to_seal(&self, tag: *mut u8) -> bool {
        let last = tag.addr().wrapping_add(TAG_BYTES - 1);
        self.is_empty_and_fits_to_open(tag)
            && are_apart(last, TAG_BYTES, self.nonce.addr(), NONCE_BYTES)
            && are_apart(last, TAG_BYTES, self.aad().addr(), self.aad_bytes)
    }

    /// Like [`is_empty_and_fits_to_seal`](Self::is_empty_and_fits_to_seal), for a tag that is only read.
    #[inline(always)]
    pub(crate) fn is_empty_and_fits_to_open(&self, tag: *const u8) -> bool {
        let less_one = [self.nonce.addr(), self.aad().addr(), tag.addr()].map(|address| address.wrapping_sub(1));
        self.bytes == 0
            && less_one.into_iter().fold(0, |all, number| all | number) <= isize::MAX as usize
            && self.aad_bytes <= MAX_BYTES
            && self.nonce_bytes == NONCE_BYTES
    }

    /// Returns the address of the last byte of the output. The output is not empty.
    #[inline(always)]
    fn last_written(&self) -> usize {
        self.output.addr().wrapping_add(self.bytes - 1)
    }

    /// Returns whether input and output begin at the same address.
    #[inline(always)]
    pub(crate) fn is_in_place(&self) -> bool {
        self.input == self.output.cast_const()
    }

    /// Returns the address of the AAD, or of the nonce if the AAD is empty and its own address may be invalid.
    #[inline(always)]
    fn aad(&self) -> *const u8 {
        if self.aad_bytes == 0 { self.nonce } else { self.aad }
    }

    /// Returns the nonce and the AAD.
    ///
    /// # Safety
    /// The message must fit the fast path; nonce and AAD must be readable for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn nonce_and_aad<'a>(self) -> (&'a [u8; NONCE_BYTES], &'a [u8]) {
        // SAFETY: neither is NULL or too long; the caller guarantees the rest.
        unsafe { (&*self.nonce.cast(), std::slice::from_raw_parts(self.aad(), self.aad_bytes)) }
    }

    /// Returns the input of a message that is not in place.
    ///
    /// # Safety
    /// The message must fit the fast path; the input must be readable for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn input_slice<'a>(self) -> &'a [u8] {
        // SAFETY: not NULL, not too long, and not overlapped by the output; the caller guarantees the rest.
        unsafe { std::slice::from_raw_parts(self.input, self.bytes) }
    }

    /// Returns the output, which is also the input of a message in place.
    ///
    /// # Safety
    /// The message must fit the fast path; the output must be readable and writable for `'a`, and nothing else may
    /// access it.
    #[inline(always)]
    pub(crate) unsafe fn output_slice<'a>(self) -> &'a mut [u8] {
        // SAFETY: not NULL, not too long, and apart from all inputs. An input in place gets no slice of its own. The
        // caller guarantees the rest.
        unsafe { std::slice::from_raw_parts_mut(self.output, self.bytes) }
    }

    #[inline(always)]
    pub(crate) fn output_buffer(self) -> Output {
        Output { start: self.output, bytes: self.bytes }
    }
}

/// Returns whether `written` bytes, the last of them at address `last`, and `read` bytes at address `from` share no
/// byte. `written` must not be 0. For empty AAD, pass the nonce's address as `from`: the call then returns true
/// whenever the bytes written do not overlap the nonce.
#[inline(always)]
fn are_apart(last: usize, written: usize, from: usize, read: usize) -> bool {
    // The ranges overlap if the first byte written is less than `read` bytes after `from`, or less than `written` bytes
    // before it. So the last one is then less than `read + written - 1` bytes after `from`.
    last.wrapping_sub(from) >= read + (written - 1)
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;
    use crate::code::Code;

    /// Checks a message rule by rule, as for messages that do not fit the fast path.
    fn check_rule_by_rule(message: &Message, tag: *mut u8, seals: bool) -> Result<(), Code> {
        let nonce = Input::nonce(message.nonce, message.nonce_bytes)?;
        let aad = Input::aad(message.aad, message.aad_bytes)?;
        let input = Input::text(message.input, message.bytes)?;
        let output = Output::text(message.output, message.bytes)?;
        output.check_in_place_or_apart_from(input)?;
        output.check_apart_from(&[nonce, aad])?;
        if seals {
            Output::tag(tag)?.check_apart_from(&[nonce, aad, input, output.as_input()])
        } else {
            output.check_apart_from(&[Input::tag(tag)?])
        }
    }

    /// Places nonce, AAD, input, output and tag at many positions in a small arena, and at some invalid addresses.
    /// Every message that fits the fast path must be valid. Every valid message must fit, unless its nonce does not
    /// have 12 bytes.
    #[test]
    fn fast_path_accepts_exactly_valid_messages_with_12_byte_nonces() {
        let pointer_at = |place: usize| std::ptr::without_provenance_mut::<u8>(4096 + place);
        let (mut fast, mut rejected) = (0, 0);
        let mut check = |message: Message, tag: *mut u8| {
            let cases = [
                (
                    message.fits_fast_path_to_seal(tag) || message.is_empty_and_fits_to_seal(tag),
                    check_rule_by_rule(&message, tag, true).is_ok(),
                ),
                (
                    message.fits_fast_path_to_open(tag) || message.is_empty_and_fits_to_open(tag),
                    check_rule_by_rule(&message, tag, false).is_ok(),
                ),
            ];
            for (fits_fast_path, is_valid) in cases {
                let is_usual = message.nonce_bytes == NONCE_BYTES;
                assert_eq!(
                    fits_fast_path,
                    is_valid && is_usual,
                    "{:?} {tag:?}",
                    (message.nonce, message.aad, message.output)
                );
                fast += usize::from(fits_fast_path);
                rejected += usize::from(!is_valid);
            }
        };
        for (bytes, aad_bytes, nonce_bytes) in [(1, 0, 12), (3, 2, 12), (0, 1, 12), (20, 1, 12), (2, 1, 11), (2, 1, 0)]
        {
            for (nonce, aad, output) in positions(24) {
                for (input, tag) in (0..48).step_by(2).flat_map(|input| (0..48).map(move |tag| (input, tag))) {
                    let (nonce, aad, input, output) =
                        (pointer_at(nonce), pointer_at(aad), pointer_at(input), pointer_at(output));
                    check(Message { nonce, nonce_bytes, aad, aad_bytes, input, output, bytes }, pointer_at(tag));
                }
            }
        }
        // Tests each pointer at NULL and at the end of the address space.
        let good = Message {
            nonce: pointer_at(0),
            nonce_bytes: 12,
            aad: pointer_at(20),
            aad_bytes: 5,
            input: pointer_at(100),
            output: pointer_at(200),
            bytes: 50,
        };
        for invalid in [0, usize::MAX, usize::MAX - 3].map(std::ptr::without_provenance_mut::<u8>) {
            check(Message { nonce: invalid, ..good }, pointer_at(300));
            check(Message { aad: invalid, ..good }, pointer_at(300));
            check(Message { aad: invalid, aad_bytes: 0, ..good }, pointer_at(300));
            check(Message { input: invalid, ..good }, pointer_at(300));
            check(Message { output: invalid, ..good }, pointer_at(300));
            check(Message { input: invalid, output: invalid, ..good }, pointer_at(300));
            check(Message { input: invalid, output: invalid, bytes: 0, ..good }, pointer_at(300));
            check(good, invalid);
        }
        check(Message { aad_bytes: usize::MAX, ..good }, pointer_at(300));
        for bytes in [1 << 36, usize::MAX] {
            check(Message { bytes, ..good }, pointer_at(300));
        }
        assert!(fast > 10_000 && rejected > 10_000, "{fast} {rejected}");
    }

    fn positions(end: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let some = move || (0..end).step_by(5);
        some().flat_map(move |one| some().flat_map(move |two| some().map(move |three| (one, two + 3, three + 7))))
    }
}
