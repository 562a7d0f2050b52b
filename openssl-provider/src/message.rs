//! One message, which may come in any pieces but mostly does not: AAD in one piece, text in one, the end.
//!
//! A whole message costs the engine a third of what the same message costs in pieces. So AAD is only kept at first, and a
//! first piece of text that is no longer than a packet is taken for the whole of it. If more comes after all, what was
//! done is done again in pieces, for which that text was kept; a context to which that happened takes no more messages
//! for whole.

use kasoku_engine::{AesGcm, Error, Nonce, Pieces, TAG_BYTES, Tag};

/// The longest AAD that is kept. A TLS 1.3 record has 5 bytes, a QUIC packet some 30.
const MOST_AAD: usize = 64;

/// The longest text that may be taken for a whole message: a packet. Longer ones gain less than copying them costs.
const MOST_TEXT: usize = 1536;

/// The state of a message.
pub(crate) struct Message {
    stage: Stage,
    /// Whether messages came in pieces here.
    comes_in_pieces: bool,
    nonce: [u8; 12],
    aad: [u8; MOST_AAD],
    aad_bytes: usize,
    /// The ciphertext of a message that was taken for whole.
    text: [u8; MOST_TEXT],
    text_bytes: usize,
    /// Its tag.
    tag: Tag,
    pieces: Pieces,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing but AAD came, which is kept.
    Kept,
    /// A text came that was taken for the whole.
    Whole,
    /// It goes in pieces.
    InPieces,
}

/// Where a text is read and written.
pub(crate) enum Text<'a> {
    InPlace(&'a mut [u8]),
    /// From the first to the second, which is as long and apart from it.
    Between(&'a [u8], &'a mut [u8]),
}

/// What is done to a text.
#[derive(Clone, Copy)]
pub(crate) enum Direction<'a> {
    Seal,
    /// With the tag that was set, if there is a whole one.
    Open(Option<&'a Tag>),
}

impl Message {
    pub(crate) const fn new() -> Self {
        Self {
            stage: Stage::InPieces,
            comes_in_pieces: false,
            nonce: [0; 12],
            aad: [0; MOST_AAD],
            aad_bytes: 0,
            text: [0; MOST_TEXT],
            text_bytes: 0,
            tag: [0; TAG_BYTES],
            pieces: Pieces::new(),
        }
    }

    /// The same message, at another place.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let Self { stage, comes_in_pieces, nonce, aad, aad_bytes, text, text_bytes, tag, pieces } = self;
        (*stage, *comes_in_pieces) = (other.stage, other.comes_in_pieces);
        (*nonce, *aad, *aad_bytes) = (other.nonce, other.aad, other.aad_bytes);
        (*text, *text_bytes, *tag) = (other.text, other.text_bytes, other.tag);
        pieces.clone_from(&other.pieces);
    }

    /// Begins a message; what was left of another is forgotten.
    #[inline]
    pub(crate) fn begin(&mut self, key: &AesGcm, iv: &[u8]) -> Result<(), Error> {
        if let Ok(nonce) = iv.try_into() {
            self.nonce = nonce;
            self.aad_bytes = 0;
            self.stage = Stage::Kept;
            return Ok(());
        }
        self.stage = Stage::InPieces;
        self.pieces.begin(key, Nonce::try_from(iv)?)
    }

    /// Takes a piece of the AAD.
    #[inline]
    pub(crate) fn aad(&mut self, key: &AesGcm, piece: &[u8]) -> Result<(), Error> {
        if self.stage == Stage::Kept
            && let Some(place) = self.aad.get_mut(self.aad_bytes..).and_then(|rest| rest.get_mut(..piece.len()))
        {
            place.copy_from_slice(piece);
            self.aad_bytes += piece.len();
            return Ok(());
        }
        if self.stage != Stage::InPieces {
            self.go_in_pieces(key)?;
        }
        self.pieces.aad(key, piece)
    }

    /// Takes a piece of the text.
    #[inline(always)]
    pub(crate) fn text(&mut self, key: &AesGcm, direction: Direction<'_>, mut text: Text<'_>) -> Result<(), Error> {
        if text.len() == 0 {
            return Ok(());
        }
        if self.stage == Stage::Kept && !self.comes_in_pieces && text.len() <= MOST_TEXT {
            match direction {
                Direction::Seal => return self.seal_whole(key, text),
                Direction::Open(Some(tag)) => {
                    if self.open_whole(key, tag, text.reborrow())? {
                        return Ok(());
                    }
                }
                Direction::Open(None) => {}
            }
        }
        if self.stage != Stage::InPieces {
            self.go_in_pieces(key)?;
        }
        match (direction, text) {
            (Direction::Seal, Text::InPlace(text)) => self.pieces.seal(key, text),
            (Direction::Seal, Text::Between(from, to)) => self.pieces.seal_to(key, from, to),
            (Direction::Open(_), Text::InPlace(text)) => self.pieces.open_unverified(key, text),
            (Direction::Open(_), Text::Between(from, to)) => self.pieces.open_unverified_to(key, from, to),
        }
    }

    /// Ends the message: its tag.
    #[inline]
    pub(crate) fn finish(&mut self, key: &AesGcm) -> Result<Tag, Error> {
        match self.stage {
            Stage::Kept => key.seal(&self.nonce, &self.aad[..self.aad_bytes], &mut []),
            Stage::Whole => Ok(self.tag),
            Stage::InPieces => Ok(self.pieces.tag(key)),
        }
    }

    #[inline(never)]
    fn seal_whole(&mut self, key: &AesGcm, text: Text<'_>) -> Result<(), Error> {
        let aad = &self.aad[..self.aad_bytes];
        let ciphertext: &[u8] = match text {
            Text::InPlace(text) => {
                self.tag = key.seal(&self.nonce, aad, text)?;
                text
            }
            Text::Between(from, to) => {
                key.seal_into(&self.nonce, aad, from, to, &mut self.tag)?;
                to
            }
        };
        self.text_bytes = ciphertext.len();
        self.text[..ciphertext.len()].copy_from_slice(ciphertext);
        self.stage = Stage::Whole;
        Ok(())
    }

    /// Opens the text if the tag is that of a whole message; otherwise there is more to come, or it is forged: then it is
    /// as it was.
    #[inline(never)]
    fn open_whole(&mut self, key: &AesGcm, tag: &Tag, text: Text<'_>) -> Result<bool, Error> {
        let bytes = text.len();
        self.text[..bytes].copy_from_slice(text.input());
        let (aad, ciphertext) = (&self.aad[..self.aad_bytes], &self.text[..bytes]);
        let opened = match text {
            Text::InPlace(text) => {
                let opened = key.open_to(&self.nonce, aad, ciphertext, text, tag);
                if opened.is_err() {
                    text.copy_from_slice(ciphertext);
                }
                opened
            }
            Text::Between(from, to) => key.open_to(&self.nonce, aad, from, to, tag),
        };
        match opened {
            Ok(()) => {
                (self.text_bytes, self.tag, self.stage) = (bytes, *tag, Stage::Whole);
                Ok(true)
            }
            Err(Error::Forged) => {
                self.comes_in_pieces = true;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Brings a message that does not go in pieces yet to where more can follow.
    #[inline(never)]
    fn go_in_pieces(&mut self, key: &AesGcm) -> Result<(), Error> {
        self.pieces.begin(key, &self.nonce)?;
        self.pieces.aad(key, &self.aad[..self.aad_bytes])?;
        if self.stage == Stage::Whole {
            self.comes_in_pieces = true;
            // Opening hashes what was read, which is all that is wanted of it here: where the opened text lands, nobody
            // looks, and it is sealed over again.
            let text = &mut self.text[..self.text_bytes];
            self.pieces.open_unverified(key, text)?;
            key.seal(&self.nonce, &[], text)?;
            // Two tags under one nonce would tell who saw both of the hash key.
            self.tag = [0; TAG_BYTES];
        }
        self.stage = Stage::InPieces;
        Ok(())
    }
}

impl Text<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::InPlace(text) => text.len(),
            Self::Between(_, output) => output.len(),
        }
    }

    fn input(&self) -> &[u8] {
        match self {
            Self::InPlace(text) => text,
            Self::Between(input, _) => input,
        }
    }

    fn reborrow(&mut self) -> Text<'_> {
        match self {
            Self::InPlace(text) => Text::InPlace(text),
            Self::Between(input, output) => Text::Between(input, output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stays in memory of a message that was taken for whole is public.
    #[test]
    fn no_plaintext_is_kept() {
        let key = AesGcm::new(&[7; 16]).expect("16 bytes");
        let mut message = Message::new();
        message.begin(&key, &[1; 12]).expect("a nonce");
        let (plaintext, mut output) = (*b"to be kept secret", [0; 17]);
        message.text(&key, Direction::Seal, Text::Between(&plaintext, &mut output)).expect("short");
        assert_eq!(message.text[..17], output);
        message.text(&key, Direction::Seal, Text::InPlace(&mut [0; 1])).expect("short");
        assert_eq!(message.text[..17], output);
        assert_eq!(message.tag, [0; 16]);
        assert!(message.comes_in_pieces);
    }
}
