//! Messages in pieces over memory that is used again: for whoever keeps a state between calls from another language.

use crate::error::Error;
use crate::gcm::{AesGcm, Tag};
use crate::nonce::Nonce;
use crate::stream::Stream;
use crate::text::Text;

/// The state of a message in pieces, which stays where it is and serves one message after another without memory being
/// asked for.
///
/// [`Sealing`](crate::Sealing) and [`Opening`](crate::Opening) are for Rust: they know their key and their direction, and
/// cannot be used out of turn. Here the caller says both with every piece, as bindings must whose own callers may do
/// anything; every piece of a message must come with the key it began with. Nothing of it is unsafe: a piece of no message
/// is refused, and another key, or another direction in the middle, means a wrong tag.
///
/// ```
/// use kasoku_engine::{AesGcm, Pieces};
///
/// let key = AesGcm::new(&[7; 32])?;
/// let mut whole = *b"first, then second";
/// let tag = key.seal(&[1; 12], b"header", &mut whole)?;
///
/// let mut pieces = Pieces::new();
/// for _ in 0..2 {
///     let (mut first, mut second) = (*b"first, ", *b"then second");
///     pieces.begin(&key, &[1; 12])?;
///     pieces.aad(&key, b"header")?;
///     pieces.seal(&key, &mut first)?;
///     pieces.seal(&key, &mut second)?;
///     assert_eq!(pieces.tag(&key), tag);
///     assert_eq!([&first[..], &second[..]].concat(), whole);
/// }
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
pub struct Pieces {
    stream: Stream,
}

impl Pieces {
    /// The state before there is a message.
    #[must_use]
    pub const fn new() -> Self {
        Self { stream: Stream::empty() }
    }

    /// Begins a message; what was left of another is forgotten.
    ///
    /// # Errors
    /// As [`Sealing::new`](crate::Sealing::new).
    pub fn begin<'n>(&mut self, key: &AesGcm, nonce: impl Into<Nonce<'n>>) -> Result<(), Error> {
        self.stream.clear();
        self.stream.start(key.keys(), nonce.into())
    }

    /// Takes a piece of the AAD, all of which comes before the text.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::AadAfterText`], [`Error::AadTooLong`].
    pub fn aad(&mut self, key: &AesGcm, piece: &[u8]) -> Result<(), Error> {
        self.stream.aad(key.keys(), piece)
    }

    /// Seals the next piece of the text in place.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::TextTooLong`], with the piece as it was.
    pub fn seal(&mut self, key: &AesGcm, piece: &mut [u8]) -> Result<(), Error> {
        self.stream.seal(key.keys(), Text::InPlace(piece))
    }

    /// Seals the next piece of the text from one place to another of the same length.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::TextTooLong`], [`Error::LengthsDiffer`], with the output as it was.
    pub fn seal_to(&mut self, key: &AesGcm, plaintext: &[u8], ciphertext: &mut [u8]) -> Result<(), Error> {
        self.stream.seal(key.keys(), Text::between(plaintext, ciphertext)?)
    }

    /// Opens the next piece of the text in place; not verified yet.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::TextTooLong`], with the piece as it was.
    pub fn open_unverified(&mut self, key: &AesGcm, piece: &mut [u8]) -> Result<(), Error> {
        self.stream.open(key.keys(), Text::InPlace(piece))
    }

    /// Opens the next piece of the text from one place to another of the same length; not verified yet.
    ///
    /// # Errors
    /// [`Error::NoMessage`], [`Error::TextTooLong`], [`Error::LengthsDiffer`], with the output as it was.
    pub fn open_unverified_to(&mut self, key: &AesGcm, ciphertext: &[u8], plaintext: &mut [u8]) -> Result<(), Error> {
        self.stream.open(key.keys(), Text::between(ciphertext, plaintext)?)
    }

    /// The tag of the message so far, which ends it: after this the next thing is [`begin`](Self::begin), and the tag is the same
    /// until then.
    ///
    /// Whoever opens compares it with the one that came, without a branch on where they differ.
    #[must_use]
    pub fn tag(&mut self, key: &AesGcm) -> Tag {
        self.stream.tag(key.keys())
    }

    /// Takes over the state of another message in its middle, for bindings whose callers may copy theirs (OpenSSL's
    /// `EVP_CIPHER_CTX_copy`). What was left of a message here is forgotten.
    ///
    /// From then on two messages have one nonce: **only one of them may be sealed further**, and only one be given away.
    /// So this has a name of its own; nothing copies a message by the way.
    pub fn copy_from(&mut self, other: &Self) {
        self.stream.copy_from(&other.stream);
    }
}

impl Default for Pieces {
    fn default() -> Self {
        Self::new()
    }
}
