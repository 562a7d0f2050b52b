//! Messages under random nonces, as many as one key may seal.

use crate::error::Error;
use crate::gcm::AesGcm;
use crate::limits;
use crate::tag::Tag;

/// Seals messages under random nonces of 96 bits, and counts them: after 2^32 the chance that two of them are the same
/// is 2^-33, and SP 800-38D §8.3 allows one key no more.
///
/// If more messages may come, or several machines have the key and none of them the whole count,
/// [`XaesGcm`](crate::XaesGcm) is the better choice: its nonces are long enough for any number.
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
    /// Messages that this key has sealed.
    sealed: u64,
}

impl<R> RandomSealing<R> {
    /// With a key that has sealed nothing yet.
    #[must_use]
    pub fn new(key: AesGcm, random: R) -> Self {
        Self::continuing(key, random, 0)
    }

    /// With a key that has sealed this many messages before: as reported by [`sealed`](Self::sealed), or a part of the
    /// 2^32 that belongs to somebody else. The limit is the key's, wherever and however often it is expanded.
    #[must_use]
    pub fn continuing(key: AesGcm, random: R, sealed: u64) -> Self {
        Self { key, random, sealed }
    }

    /// Messages that the key has sealed.
    #[must_use]
    pub fn sealed(&self) -> u64 {
        self.sealed
    }

    /// Seals `in_out` in place under a new nonce. Returns that and the tag.
    ///
    /// # Errors
    /// [`Error::RandomNoncesExhausted`] after 2^32 messages; [`Error::NoRandomBytes`] where the function fails; those
    /// of [`AesGcm::seal`]. None of them counts.
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
    fn each_message_has_the_nonce_that_was_drawn() {
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
    fn the_last_of_all_messages_is_sealed() {
        let random = |_: &mut [u8]| Ok::<_, ()>(());
        let mut sender = RandomSealing::continuing(key(), random, limits::RANDOM_NONCES - 1);
        assert!(sender.seal(b"", &mut []).is_ok());
        let mut data = *b"text";
        assert_eq!(sender.seal(b"", &mut data), Err(Error::RandomNoncesExhausted));
        assert_eq!((data, sender.sealed()), (*b"text", 1 << 32));
    }

    #[test]
    fn without_random_bytes_nothing_is_sealed() {
        let mut sender = RandomSealing::new(key(), |_: &mut [u8]| Err("no entropy"));
        let mut data = *b"text";
        assert_eq!(sender.seal(b"", &mut data), Err(Error::NoRandomBytes));
        assert_eq!((data, sender.sealed()), (*b"text", 0));
    }
}
