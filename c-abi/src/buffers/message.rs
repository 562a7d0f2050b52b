//! The arguments of a whole message, and one expression for all that has to be right with them.
//!
//! Most messages are plain: nothing is missing, too long, or where something else is. That costs some twenty
//! instructions to find out; each rule by itself, with an error of its own, costs as much time as sealing 16 bytes. So
//! the calls ask [`Message::is_plain_to_seal`] or [`Message::is_plain_to_open`] first, and go by the rules one after
//! the other only if the answer is no: which does not mean that anything is wrong.

use kasoku_engine::TAG_BYTES;

use super::Output;

/// What C gave, but for the key and the tag.
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

/// Bytes of the nonce of a plain message.
const NONCE_BYTES: usize = 12;

/// The most bytes of a plain message, and of plain AAD: far below every limit.
const MAX_BYTES: usize = i32::MAX as usize;

impl Message {
    /// Whether the message can be sealed without looking further. If not it may be right all the same.
    #[inline(always)]
    pub(crate) fn is_plain_to_seal(&self, tag: *mut u8) -> bool {
        let (input, output, tag) = (self.input.addr(), self.output.addr(), tag.addr());
        self.is_plain(tag)
            && are_apart(tag, TAG_BYTES, self.nonce.addr(), NONCE_BYTES)
            && are_apart(tag, TAG_BYTES, self.aad().addr(), self.aad_bytes)
            && are_apart(tag, TAG_BYTES, output, self.bytes)
            && (self.is_in_place() || are_apart(tag, TAG_BYTES, input, self.bytes))
    }

    /// Whether it can be opened without looking further. If not it may be right all the same.
    #[inline(always)]
    pub(crate) fn is_plain_to_open(&self, tag: *const u8) -> bool {
        self.is_plain(tag.addr()) && are_apart(self.output.addr(), self.bytes, tag.addr(), TAG_BYTES)
    }

    #[inline(always)]
    fn is_plain(&self, tag: usize) -> bool {
        let (nonce, aad, input, output) = (self.nonce.addr(), self.aad().addr(), self.input.addr(), self.output.addr());
        // One less than NULL and than no bytes has the highest bit set; without it nothing that is short enough goes
        // round the end of the address space.
        let less_one = [nonce, aad, input, output, tag, self.bytes].map(|number| number.wrapping_sub(1));
        less_one.into_iter().fold(0, |all, number| all | number) <= isize::MAX as usize
            && (self.bytes | self.aad_bytes) <= MAX_BYTES
            && self.nonce_bytes == NONCE_BYTES
            && are_apart(output, self.bytes, nonce, NONCE_BYTES)
            && are_apart(output, self.bytes, aad, self.aad_bytes)
            && (self.is_in_place() || are_apart(output, self.bytes, input, self.bytes))
    }

    /// Whether what is written takes the place of what is read.
    #[inline(always)]
    pub(crate) fn is_in_place(&self) -> bool {
        self.input == self.output.cast_const()
    }

    /// Where the AAD is; AAD of no bytes, which may be anywhere, is taken to be where the nonce is.
    #[inline(always)]
    fn aad(&self) -> *const u8 {
        if self.aad_bytes == 0 { self.nonce } else { self.aad }
    }

    /// Nonce and AAD of a plain message.
    ///
    /// # Safety
    /// It must be plain; both must be readable for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn plain_header<'a>(self) -> (&'a [u8; NONCE_BYTES], &'a [u8]) {
        // SAFETY: neither is NULL or too long; the caller vouches for the rest.
        unsafe { (&*self.nonce.cast(), std::slice::from_raw_parts(self.aad(), self.aad_bytes)) }
    }

    /// Data of a plain message that is read, if it is not in place.
    ///
    /// # Safety
    /// As [`plain_header`](Self::plain_header).
    #[inline(always)]
    pub(crate) unsafe fn plain_input<'a>(self) -> &'a [u8] {
        // SAFETY: not NULL nor too long, and nothing of it is written; the caller vouches for the rest.
        unsafe { std::slice::from_raw_parts(self.input, self.bytes) }
    }

    /// Data of a plain message that is written.
    ///
    /// # Safety
    /// As [`plain_header`](Self::plain_header); it must be writable too, and nobody else may touch it meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn plain_output<'a>(self) -> &'a mut [u8] {
        // SAFETY: not NULL nor too long, and apart from all that is read, but for the input in place, of which then no
        // other slice is made; the caller vouches for the rest.
        unsafe { std::slice::from_raw_parts_mut(self.output, self.bytes) }
    }

    /// The place of the output.
    #[inline(always)]
    pub(crate) fn output(self) -> Output {
        Output { start: self.output, bytes: self.bytes }
    }
}

/// Whether bytes that are written and bytes that are read, neither of them none, have no byte in common. (Of AAD of no
/// bytes it says what is right for the nonce.)
#[inline(always)]
fn are_apart(to: usize, written: usize, from: usize, read: usize) -> bool {
    // They meet if `to` is less than `read` behind `from`, or less than `written` before it.
    to.wrapping_sub(from).wrapping_add(written - 1) >= read + (written - 1)
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;
    use crate::code::Code;

    /// What the rules say one after the other.
    fn is_right(message: &Message, tag: *mut u8, seals: bool) -> Result<(), Code> {
        let nonce = Input::nonce(message.nonce, message.nonce_bytes)?;
        let aad = Input::aad(message.aad, message.aad_bytes)?;
        let input = Input::text(message.input, message.bytes)?;
        let output = Output::text(message.output, message.bytes)?;
        output.in_place_or_apart_from(input)?;
        output.apart_from(&[nonce, aad])?;
        if seals {
            Output::tag(tag)?.apart_from(&[nonce, aad, input, output.as_input()])
        } else {
            output.apart_from(&[Input::tag(tag)?])
        }
    }

    /// Every place of everything in a small arena, and some that are none: what is plain is right, and what is right is
    /// plain but for empty messages and nonces of other lengths.
    #[test]
    fn plain_is_right_and_right_is_plain() {
        let at = |place: usize| std::ptr::without_provenance_mut::<u8>(4096 + place);
        let (mut plain, mut refused) = (0, 0);
        let mut check = |message: Message, tag: *mut u8| {
            let answers = [
                (message.is_plain_to_seal(tag), is_right(&message, tag, true).is_ok()),
                (message.is_plain_to_open(tag), is_right(&message, tag, false).is_ok()),
            ];
            for (is_plain, is_right) in answers {
                let is_usual = message.bytes > 0 && message.nonce_bytes == NONCE_BYTES;
                assert_eq!(
                    is_plain,
                    is_right && is_usual,
                    "{:?} {tag:?}",
                    (message.nonce, message.aad, message.output)
                );
                plain += usize::from(is_plain);
                refused += usize::from(!is_right);
            }
        };
        for (bytes, aad_bytes, nonce_bytes) in [(1, 0, 12), (3, 2, 12), (0, 1, 12), (20, 1, 12), (2, 1, 11), (2, 1, 0)]
        {
            for (nonce, aad, output) in places(24) {
                for (input, tag) in (0..48).step_by(2).flat_map(|input| (0..48).map(move |tag| (input, tag))) {
                    let (nonce, aad, input, output) = (at(nonce), at(aad), at(input), at(output));
                    check(Message { nonce, nonce_bytes, aad, aad_bytes, input, output, bytes }, at(tag));
                }
            }
        }
        // NULL, and the end of the address space, in each place.
        let good = Message {
            nonce: at(0),
            nonce_bytes: 12,
            aad: at(20),
            aad_bytes: 5,
            input: at(100),
            output: at(200),
            bytes: 50,
        };
        for odd in [0, usize::MAX, usize::MAX - 3].map(std::ptr::without_provenance_mut::<u8>) {
            check(Message { nonce: odd, ..good }, at(300));
            check(Message { aad: odd, ..good }, at(300));
            check(Message { aad: odd, aad_bytes: 0, ..good }, at(300));
            check(Message { input: odd, ..good }, at(300));
            check(Message { output: odd, ..good }, at(300));
            check(Message { input: odd, output: odd, ..good }, at(300));
            check(good, odd);
        }
        check(Message { aad_bytes: usize::MAX, ..good }, at(300));
        for bytes in [1 << 36, usize::MAX] {
            check(Message { bytes, ..good }, at(300));
        }
        assert!(plain > 10_000 && refused > 10_000, "{plain} {refused}");
    }

    fn places(end: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let some = move || (0..end).step_by(5);
        some().flat_map(move |one| some().flat_map(move |two| some().map(move |three| (one, two + 3, three + 7))))
    }
}
