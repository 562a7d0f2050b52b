//! Sealing and opening under increasing sequence numbers, so that no nonce is used twice.

use crate::error::Error;
use crate::gcm::AesGcm;
use crate::nonce::numbered_nonce;
use crate::tag::Tag;

/// Seals messages under increasing sequence numbers, each with its [`numbered_nonce`].
///
/// ```
/// use kasoku_engine::{AesGcm, OpeningSequence, SealingSequence};
///
/// let (key, iv) = ([7; 16], [9; 12]);
/// let mut sender = SealingSequence::new(AesGcm::new(&key)?, iv);
/// let receiver = OpeningSequence::new(AesGcm::new(&key)?, iv);
///
/// let mut data = *b"hello";
/// let (number, tag) = sender.seal(b"", &mut data)?;
/// receiver.open(number, b"", &mut data, &tag)?;
/// assert_eq!((number, &data), (0, b"hello"));
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
pub struct SealingSequence {
    key: AesGcm,
    iv: [u8; 12],
    /// Next sequence number. `None` if all sequence numbers are used.
    next: Option<u64>,
}

impl SealingSequence {
    /// Creates a sequence that starts at sequence number zero.
    #[must_use]
    pub fn new(key: AesGcm, iv: [u8; 12]) -> Self {
        Self { key, iv, next: Some(0) }
    }

    /// Seals `in_out` in place under the next sequence number. Returns this number and the tag.
    ///
    /// # Errors
    /// [`Error::SequenceExhausted`] after sequence number 2^64 − 1. The errors of [`AesGcm::seal`], which leave the
    /// sequence number unused.
    pub fn seal(&mut self, aad: &[u8], in_out: &mut [u8]) -> Result<(u64, Tag), Error> {
        let number = self.next.ok_or(Error::SequenceExhausted)?;
        let tag = self.key.seal(&numbered_nonce(&self.iv, number), aad, in_out)?;
        self.next = number.checked_add(1);
        Ok((number, tag))
    }

    /// Skips all sequence numbers below `number`.
    ///
    /// # Errors
    /// [`Error::SequenceExhausted`] if `number` or a later number has been used or skipped to.
    pub fn skip_to(&mut self, number: u64) -> Result<(), Error> {
        match self.next {
            Some(next) if number >= next => {
                self.next = Some(number);
                Ok(())
            }
            _ => Err(Error::SequenceExhausted),
        }
    }
}

/// Opens, in any order, messages that a [`SealingSequence`] sealed.
pub struct OpeningSequence {
    key: AesGcm,
    iv: [u8; 12],
}

impl OpeningSequence {
    /// Creates the receiver for a [`SealingSequence`] with the same key and IV.
    #[must_use]
    pub fn new(key: AesGcm, iv: [u8; 12]) -> Self {
        Self { key, iv }
    }

    /// Opens the message with sequence number `number` in place. Does not detect replays: the protocol must decide
    /// whether a sequence number may be accepted twice.
    ///
    /// # Errors
    /// The errors of [`AesGcm::open`].
    pub fn open(&self, number: u64, aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.key.open(&numbered_nonce(&self.iv, number), aad, in_out, tag)
    }
}

// The IVs of TLS 1.3 and QUIC come from secrets, so `Debug` does not print them.

impl core::fmt::Debug for SealingSequence {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SealingSequence").field("key", &self.key).field("next", &self.next).finish_non_exhaustive()
    }
}

impl core::fmt::Debug for OpeningSequence {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("OpeningSequence").field("key", &self.key).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence() -> SealingSequence {
        SealingSequence::new(AesGcm::new(&[1; 16]).expect("16 bytes"), [2; 12])
    }

    #[test]
    fn sealing_sequence_rejects_skips_to_used_numbers() {
        let mut sender = sequence();
        assert_eq!(sender.seal(b"", &mut []).expect("short").0, 0);
        assert_eq!(sender.seal(b"", &mut []).expect("short").0, 1);
        assert_eq!(sender.skip_to(1), Err(Error::SequenceExhausted));
        sender.skip_to(7).expect("ahead");
        assert_eq!(sender.seal(b"", &mut []).expect("short").0, 7);
    }

    #[test]
    fn sealing_sequence_ends_after_the_last_number() {
        let mut sender = sequence();
        sender.skip_to(u64::MAX).expect("ahead");
        assert_eq!(sender.seal(b"", &mut []).expect("the last").0, u64::MAX);
        assert_eq!(sender.seal(b"", &mut []).map(|_| ()), Err(Error::SequenceExhausted));
        assert_eq!(sender.skip_to(u64::MAX), Err(Error::SequenceExhausted));
    }

    #[test]
    fn opening_sequence_rejects_a_message_under_another_number() {
        let (mut sender, mut text) = (sequence(), *b"text");
        sender.skip_to(7).expect("ahead");
        let (number, tag) = sender.seal(b"aad", &mut text).expect("short");
        let receiver = OpeningSequence::new(AesGcm::new(&[1; 16]).expect("16 bytes"), [2; 12]);
        let mut other = text;
        assert_eq!(receiver.open(8, b"aad", &mut other, &tag), Err(Error::AuthenticationFailed));
        assert_eq!(receiver.open(number, b"aad", &mut text, &tag), Ok(()));
        assert_eq!((&text, other), (b"text", [0; 4]));
    }
}
