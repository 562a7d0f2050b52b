//! Messages in parts of any size: [`Sealing`], [`Opening`], and [`Streaming`] for bindings.

use alloc::boxed::Box;
use core::borrow::Borrow;

use crate::backend::in_out::InOut;
use crate::error::Error;
use crate::gcm::AesGcm;
use crate::nonce::Nonce;
use crate::one_time::OneTimeKey;
use crate::stream::Stream;
use crate::tag::{Tag, are_equal};

/// Seals a message in parts. `K` is a key or a pointer to a key: `&AesGcm`, `Arc<AesGcm>`.
///
/// ```
/// use kasoku_engine::{AesGcm, Sealing};
///
/// let key = AesGcm::new(&[7; 32])?;
/// let mut whole = *b"first, then second";
/// let tag = key.seal(&[1; 12], b"header", &mut whole)?;
///
/// let (mut first, mut second) = (*b"first, ", *b"then second");
/// let mut sealing = Sealing::new(&key, &[1; 12])?;
/// sealing.aad(b"hea")?;
/// sealing.aad(b"der")?;
/// sealing.update(&mut first)?;
/// sealing.update(&mut second)?;
/// assert_eq!(sealing.finish(), tag);
/// assert_eq!([&first[..], &second[..]].concat(), whole);
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
///
/// `Sealing` cannot be cloned, because two clones would seal two messages under one nonce.
pub struct Sealing<K: Borrow<AesGcm>> {
    key: K,
    /// State of the message. The state is boxed so that it is never moved: a move would leave a copy that is not wiped.
    state: Box<Streaming>,
}

impl<K: Borrow<AesGcm>> Sealing<K> {
    /// Begins a message.
    ///
    /// # Errors
    /// [`Error::AadTooLong`] if the nonce is longer than the limit for AAD, since a long nonce is hashed like AAD.
    pub fn new<'n>(key: K, nonce: impl Into<Nonce<'n>>) -> Result<Self, Error> {
        let mut state = Box::new(Streaming::new());
        state.begin(key.borrow(), nonce)?;
        Ok(Self { key, state })
    }

    /// Adds a part of the AAD. All AAD must be added before the data.
    ///
    /// # Errors
    /// [`Error::AadTooLate`], [`Error::AadTooLong`].
    pub fn aad(&mut self, part: &[u8]) -> Result<(), Error> {
        self.state.aad(self.key.borrow(), part)
    }

    /// Seals the next part of the message in place.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`].
    pub fn update(&mut self, part: &mut [u8]) -> Result<(), Error> {
        self.state.seal(self.key.borrow(), part)
    }

    /// Seals the next part of the message into `ciphertext`, which must have the length of `plaintext`.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::LengthsDiffer`].
    pub fn update_to(&mut self, plaintext: &[u8], ciphertext: &mut [u8]) -> Result<(), Error> {
        self.state.seal_to(self.key.borrow(), plaintext, ciphertext)
    }

    /// Returns the tag of the whole message.
    #[must_use]
    pub fn finish(mut self) -> Tag {
        self.state.tag(self.key.borrow())
    }
}

/// Opens a message in parts. The plaintext is **not verified** until [`finish`](Self::finish) succeeds. If you can hold
/// the whole message, use [`AesGcm::open`], which releases no plaintext of a forgery.
///
/// `Opening` cannot be cloned, so that a message is verified once, and a forger does not get another try.
pub struct Opening<K: Borrow<AesGcm>> {
    key: K,
    /// State of the message. The state is boxed so that it is never moved: a move would leave a copy that is not wiped.
    state: Box<Streaming>,
}

impl<K: Borrow<AesGcm>> Opening<K> {
    /// Begins a message.
    ///
    /// # Errors
    /// As for [`Sealing::new`].
    pub fn new<'n>(key: K, nonce: impl Into<Nonce<'n>>) -> Result<Self, Error> {
        let mut state = Box::new(Streaming::new());
        state.begin(key.borrow(), nonce)?;
        Ok(Self { key, state })
    }

    /// Adds a part of the AAD. All AAD must be added before the data.
    ///
    /// # Errors
    /// [`Error::AadTooLate`], [`Error::AadTooLong`].
    pub fn aad(&mut self, part: &[u8]) -> Result<(), Error> {
        self.state.aad(self.key.borrow(), part)
    }

    /// Opens the next part of the message in place. The plaintext is not verified yet.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], which leaves the part unchanged.
    pub fn update_unverified(&mut self, part: &mut [u8]) -> Result<(), Error> {
        self.state.open_unverified(self.key.borrow(), part)
    }

    /// Opens the next part of the message into `plaintext`, which must have the length of `ciphertext`. The plaintext
    /// is not verified yet.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::LengthsDiffer`], which leave `plaintext` unchanged.
    pub fn update_unverified_to(&mut self, ciphertext: &[u8], plaintext: &mut [u8]) -> Result<(), Error> {
        self.state.open_unverified_to(self.key.borrow(), ciphertext, plaintext)
    }

    /// Verifies the whole message against `tag`.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`]: the caller must discard all plaintext of this message.
    pub fn finish(mut self, tag: &Tag) -> Result<(), Error> {
        let computed = self.state.tag(self.key.borrow());
        if are_equal(&computed, tag) { Ok(()) } else { Err(Error::AuthenticationFailed) }
    }
}

/// State of a message that is processed in parts. The state can be reused for one message after another without further
/// allocation.
///
/// In Rust use [`Sealing`](crate::Sealing) and [`Opening`](crate::Opening), which know their key and direction and
/// cannot be used out of order. [`Streaming`] is for bindings to other languages: the caller passes the key and chooses
/// the direction with every part.
///
/// All parts of a message must come with the same key. Misuse is not unsafe: a part without a message is rejected.
/// Another key, or another direction in the middle of a message, gives a wrong tag.
///
/// ```
/// use kasoku_engine::{AesGcm, Streaming};
///
/// let key = AesGcm::new(&[7; 32])?;
/// let mut whole = *b"first, then second";
/// let tag = key.seal(&[1; 12], b"header", &mut whole)?;
///
/// let mut message = Streaming::new();
/// for _ in 0..2 {
///     let (mut first, mut second) = (*b"first, ", *b"then second");
///     message.begin(&key, &[1; 12])?;
///     message.aad(&key, b"header")?;
///     message.seal(&key, &mut first)?;
///     message.seal(&key, &mut second)?;
///     assert_eq!(message.tag(&key), tag);
///     assert_eq!([&first[..], &second[..]].concat(), whole);
/// }
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
pub struct Streaming {
    stream: Stream,
}

/// A key for [`Streaming`]. Bindings whose keys may serve for one message only can implement this trait, and expand
/// their keys late.
pub trait StreamingKey {
    /// Returns the expanded key.
    fn expanded(&self) -> &AesGcm;

    /// Returns the bytes of the key if it should not be expanded for the message in progress, otherwise `None`.
    /// [`Streaming`] can do without the expanded key if the message has one part of data, a 96-bit nonce, and at most
    /// 64 bytes of AAD.
    fn for_one_message(&self) -> Option<OneTimeKey<'_>> {
        None
    }
}

impl StreamingKey for AesGcm {
    #[inline(always)]
    fn expanded(&self) -> &AesGcm {
        self
    }
}

impl Streaming {
    /// Creates a state without a message.
    #[must_use]
    pub const fn new() -> Self {
        Self { stream: Stream::empty() }
    }

    /// Begins a message. Discards an earlier message that is not finished.
    ///
    /// # Errors
    /// As for [`Sealing::new`](crate::Sealing::new).
    pub fn begin<'n>(&mut self, key: &impl StreamingKey, nonce: impl Into<Nonce<'n>>) -> Result<(), Error> {
        self.stream.clear();
        self.stream.start(key, nonce.into())
    }

    /// Adds a part of the AAD. All AAD must be added before the data.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::AadTooLate`], [`Error::AadTooLong`].
    pub fn aad(&mut self, key: &impl StreamingKey, part: &[u8]) -> Result<(), Error> {
        self.stream.aad(key, part)
    }

    /// Seals the next part of the message in place.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::MessageTooLong`], which leave the part unchanged.
    #[inline]
    pub fn seal(&mut self, key: &impl StreamingKey, part: &mut [u8]) -> Result<(), Error> {
        self.update::<true>(key, InOut::in_place(part))
    }

    /// Seals the next part of the message into `ciphertext`, which must have the length of `plaintext`.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::MessageTooLong`], [`Error::LengthsDiffer`], which leave `ciphertext` unchanged.
    #[inline]
    pub fn seal_to(&mut self, key: &impl StreamingKey, plaintext: &[u8], ciphertext: &mut [u8]) -> Result<(), Error> {
        self.update::<true>(key, InOut::between(plaintext, ciphertext)?)
    }

    /// Opens the next part of the message in place. The plaintext is not verified yet.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::MessageTooLong`], which leave the part unchanged.
    #[inline]
    pub fn open_unverified(&mut self, key: &impl StreamingKey, part: &mut [u8]) -> Result<(), Error> {
        self.update::<false>(key, InOut::in_place(part))
    }

    /// Opens the next part of the message into `plaintext`, which must have the length of `ciphertext`. The plaintext
    /// is not verified yet.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::MessageTooLong`], [`Error::LengthsDiffer`], which leave `plaintext` unchanged.
    #[inline]
    pub fn open_unverified_to(
        &mut self,
        key: &impl StreamingKey,
        ciphertext: &[u8],
        plaintext: &mut [u8],
    ) -> Result<(), Error> {
        self.update::<false>(key, InOut::between(ciphertext, plaintext)?)
    }

    #[inline(always)]
    fn update<const SEAL: bool>(&mut self, key: &impl StreamingKey, data: InOut<'_>) -> Result<(), Error> {
        if self.stream.is_kept()
            && data.len() > 0
            && let Some(key) = key.for_one_message()
        {
            return self.stream.process_once::<SEAL>(key, data);
        }
        let keys = key.expanded().keys();
        if SEAL { self.stream.seal(keys, data) } else { self.stream.open(keys, data) }
    }

    /// Ends the message, and returns its tag. Later calls return the same tag, until [`begin`](Self::begin) starts
    /// another message.
    ///
    /// When opening, the caller must compare this tag with the received one in constant time.
    #[must_use]
    pub fn tag(&mut self, key: &impl StreamingKey) -> Tag {
        self.stream.tag(key)
    }

    /// Copies the state of the message in `other`, for bindings with a copy function (OpenSSL's `EVP_CIPHER_CTX_copy`).
    /// Discards a message in progress in `self`.
    ///
    /// After the copy, two messages have one nonce: **only one of them may be sealed further**, and only one may be
    /// released. For this reason, `Clone` is not implemented.
    pub fn copy_from(&mut self, other: &Self) {
        self.stream.copy_from(&other.stream);
    }
}

impl Default for Streaming {
    fn default() -> Self {
        Self::new()
    }
}
