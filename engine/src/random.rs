//! Sealing under random nonces, limited to the number of messages that one key allows.

use crate::error::Error;
use crate::gcm::AesGcm;
use crate::limits;
use crate::tag::Tag;

/// Seals messages under random nonces of 96 bits, and counts these messages. Among 2^32 messages, two nonces are equal
/// with a probability of 2^-33; SP 800-38D §8.3 allows no more messages under one key.
///
/// Use [`XaesGcm`](crate::XaesGcm) if there may be more messages, or if several machines share the key without a common
/// count. The nonces of XAES-256-GCM are long enough for any number of messages.
///
/// The caller provides the random bytes: a function that fills a slice unpredictably, such as `getrandom::fill`.
///
/// ```
/// use kasoku_engine::{AesGcm, RandomSealing};
/// # mod getrandom {
/// #     pub(super) fn fill(bytes: &mut [u8]) -> std::io::Result<()> {
/// #         std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, bytes)
/// #     }
/// # }
///
/// let mut sender = RandomSealing::new(AesGcm::new(&[7; 16])?, getrandom::fill);
/// let mut data = *b"hello";
/// let (nonce, tag) = sender.seal(b"", &mut data)?; // all three are sent
///
/// AesGcm::new(&[7; 16])?.open(&nonce, b"", &mut data, &tag)?;
/// assert_eq!((sender.sealed(), &data), (1, b"hello"));
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
pub struct RandomSealing<R> {
    key: AesGcm,
    random: R,
    /// Number of messages that the key has sealed.
    sealed: u64,
}

impl<R> RandomSealing<R> {
    /// Wraps a key that has sealed nothing yet.
    #[must_use]
    pub fn new(key: AesGcm, random: R) -> Self {
        Self::continuing(key, random, 0)
    }

    /// Wraps a key that has already sealed `sealed` messages, as reported by [`sealed`](Self::sealed). If other users
    /// share the key, add their share of the limit of 2^32 messages to `sealed`: the limit is for the key, wherever and
    /// however often it is expanded.
    #[must_use]
    pub fn continuing(key: AesGcm, random: R, sealed: u64) -> Self {
        Self { key, random, sealed }
    }

    /// Returns the number of messages that the key has sealed, including those given to
    /// [`continuing`](Self::continuing).
    #[must_use]
    pub fn sealed(&self) -> u64 {
        self.sealed
    }

    /// Seals `in_out` in place under a new random nonce. Returns the nonce and the tag.
    ///
    /// # Errors
    /// [`Error::RandomNoncesExhausted`] after 2^32 messages. [`Error::NoRandomBytes`] if the random function fails. The
    /// errors of [`AesGcm::seal`]. A call that fails does not count as a message.
    pub fn seal<E>(&mut self, aad: &[u8], in_out: &mut [u8]) -> Result<([u8; 12], Tag), Error>
    where
        R: FnMut(&mut [u8]) -> Result<(), E>,
    {
        if self.sealed >= limits::RANDOM_NONCES {
            return Err(Error::RandomNoncesExhausted);
        }
        let mut nonce = [0; 12];
        (self.random)(&mut nonce).map_err(|_| Error::NoRandomBytes)?;
        let tag = self.key.seal(&nonce, aad, in_out)?;
        self.sealed += 1;
        Ok((nonce, tag))
    }
}

impl<R> core::fmt::Debug for RandomSealing<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("RandomSealing").field("key", &self.key).field("sealed", &self.sealed).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> AesGcm {
        AesGcm::new(&[1; 16]).expect("16 bytes")
    }

    #[test]
    fn random_sealing_uses_the_drawn_nonce_for_each_message() {
        let mut drawn = 0;
        let mut sender = RandomSealing::new(key(), |bytes: &mut [u8]| {
            drawn += 1;
            bytes.fill(drawn);
            Ok::<_, ()>(())
        });
        for number in [1, 2] {
            let (mut data, mut expected) = (*b"text", *b"text");
            let tag = key().seal(&[number; 12], b"aad", &mut expected);
            assert_eq!(sender.seal(b"aad", &mut data), tag.map(|tag| ([number; 12], tag)));
            assert_eq!((data, sender.sealed()), (expected, u64::from(number)));
        }
    }

    #[test]
    fn random_sealing_stops_after_2_to_the_32_messages() {
        let random = |_: &mut [u8]| Ok::<_, ()>(());
        let mut sender = RandomSealing::continuing(key(), random, limits::RANDOM_NONCES - 1);
        assert!(sender.seal(b"", &mut []).is_ok());
        let mut data = *b"text";
        assert_eq!(sender.seal(b"", &mut data), Err(Error::RandomNoncesExhausted));
        assert_eq!((data, sender.sealed()), (*b"text", 1 << 32));
    }

    #[test]
    fn random_sealing_fails_without_random_bytes() {
        let mut sender = RandomSealing::new(key(), |_: &mut [u8]| Err("no entropy"));
        let mut data = *b"text";
        assert_eq!(sender.seal(b"", &mut data), Err(Error::NoRandomBytes));
        assert_eq!((data, sender.sealed()), (*b"text", 0));
    }
}
