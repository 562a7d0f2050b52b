//! AES-GCM-SIV as in the default provider of OpenSSL 3.2: all AAD first, then the text in one update. When decrypting,
//! the tag must be set before the text.

use std::ffi::{CStr, c_uint};
use std::sync::Arc;

use kasoku_engine::{AesGcmSiv, Error, TAG_BYTES, Tag};

use crate::abi::{MODE_GCM_SIV, Param, kind};
use crate::buffers::Piece;
use crate::cipher::{CipherContext, boxed};
use crate::context::Failure;
use crate::context_parameters::set;
use crate::counter::Pending;
use crate::parameter::{END, Params, described, located};
use crate::provider::Provider;
use crate::reason::Reason;

const IV_BYTES: usize = AesGcmSiv::NONCE_BYTES;

/// Provider's state of an `EVP_CIPHER_CTX` for AES-GCM-SIV.
pub(crate) struct SivContext {
    provider: &'static Provider,
    key_bytes: usize,
    key: Option<Arc<AesGcmSiv>>,
    is_encrypting: bool,
    iv: Option<[u8; IV_BYTES]>,
    aad: Vec<u8>,
    /// The tag computed for the text, or the tag to verify.
    tag: Option<Tag>,
    /// Whether the tag was set after the last text and so belongs to the next message.
    is_tag_next: bool,
    stage: Stage,
    /// Whether several texts use the same key and IV, as `openssl speed` requires.
    reuses_key_and_iv: bool,
    pending: Pending,
}

/// Progress of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The text has not been passed yet.
    Begun,
    /// The text was sealed, or opened successfully.
    Authentic,
    /// Authentication failed; the output is zeros.
    Forged,
    /// The message has ended.
    Ended,
}

static GETTABLE: [Param; 5] = [
    described(c"keylen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"ivlen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"taglen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"tag", kind::OCTET_STRING, 0),
    END,
];

static SETTABLE: [Param; 5] = [
    described(c"keylen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"ivlen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"speed", kind::UNSIGNED_INTEGER, size_of::<c_uint>()),
    described(c"tag", kind::OCTET_STRING, 0),
    END,
];

impl CipherContext for SivContext {
    const MODE: c_uint = MODE_GCM_SIV;
    const GETTABLE: *const Param = GETTABLE.as_ptr();
    const SETTABLE: *const Param = SETTABLE.as_ptr();

    fn new(provider: &'static Provider, key_bytes: usize) -> Option<Box<Self>> {
        boxed(Self {
            provider,
            key_bytes,
            key: None,
            is_encrypting: false,
            iv: None,
            aad: Vec::new(),
            tag: None,
            is_tag_next: false,
            stage: Stage::Begun,
            reuses_key_and_iv: false,
            pending: Pending::default(),
        })
    }

    fn duplicate(&self) -> Option<Box<Self>> {
        let mut copy = Self::new(self.provider, self.key_bytes)?;
        copy.aad.try_reserve_exact(self.aad.len()).ok()?;
        copy.aad.extend_from_slice(&self.aad);
        copy.key.clone_from(&self.key);
        copy.is_encrypting = self.is_encrypting;
        copy.iv = self.iv;
        copy.tag = self.tag;
        copy.is_tag_next = self.is_tag_next;
        copy.stage = self.stage;
        copy.reuses_key_and_iv = self.reuses_key_and_iv;
        Some(copy)
    }

    fn provider(&self) -> &'static Provider {
        self.provider
    }

    /// Begins another message, by default with the previous key and IV. (The default provider also keeps the previous
    /// AAD.)
    fn start(&mut self, is_encrypting: bool, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Failure> {
        self.is_encrypting = is_encrypting;
        if let Some(key) = key {
            if key.len() != self.key_bytes {
                return Err(Some(Reason::InvalidKeyLength));
            }
            let expanded = AesGcmSiv::with_backend(key, self.provider.backend());
            self.key = Some(Arc::new(expanded.map_err(|_| Some(Reason::Internal))?));
        }
        if let Some(iv) = iv {
            self.iv = Some(iv.try_into().map_err(|_| Some(Reason::InvalidIvLength))?);
        }
        self.aad.clear();
        // A tag set for the next message is kept until its key and IV are set.
        if !self.is_tag_next || is_encrypting {
            self.tag = None;
        }
        self.stage = Stage::Begun;
        Ok(())
    }

    fn take(&mut self, piece: Piece<'_>) -> Result<usize, Failure> {
        match piece {
            Piece::End => self.finish().map(|()| 0),
            Piece::Aad(_) if self.stage != Stage::Begun => Err(None),
            Piece::Aad(aad) => {
                self.aad.try_reserve(aad.len()).map_err(|_| Some(Reason::OutOfMemory))?;
                self.aad.extend_from_slice(aad);
                Ok(aad.len())
            }
            Piece::InPlace(text) => {
                self.check_ready()?;
                self.text(text)
            }
            Piece::Shifted(shifted) => {
                self.check_ready()?;
                self.text(shifted.moved())
            }
            Piece::Between(input, output) => {
                self.check_ready()?;
                output.copy_from_slice(input);
                self.text(output)
            }
        }
    }

    fn get(&mut self, params: Params<'_>) -> Result<(), Failure> {
        let names: [&CStr; 4] = [c"keylen", c"ivlen", c"taglen", c"tag"];
        let [key_bytes, iv_bytes, tag_bytes, tag] = located(params, &names);
        for (parameter, value) in [(key_bytes, self.key_bytes), (iv_bytes, IV_BYTES), (tag_bytes, TAG_BYTES)] {
            set(parameter, |parameter| parameter.set_size(value))?;
        }
        let made = self.tag.filter(|_| self.is_encrypting);
        set(tag, |parameter| parameter.bytes() == TAG_BYTES && made.is_some_and(|made| parameter.set_octets(&made)))
    }

    fn set_all(&mut self, params: Params<'_>) -> Result<(), Failure> {
        let names: [&CStr; 4] = [c"tag", c"speed", c"keylen", c"ivlen"];
        let [tag, speed, key_bytes, iv_bytes] = located(params, &names);
        let unreadable = Some(Reason::FailedToGetParameter);
        if let Some(parameter) = tag {
            if !self.is_encrypting {
                self.tag = Some(parameter.octets().and_then(|tag| tag.try_into().ok()).ok_or(unreadable)?);
                self.is_tag_next = true;
            } else if !parameter.is_octet_string() || parameter.bytes() != TAG_BYTES {
                return Err(unreadable); // when encrypting, only the length 16 can be set
            }
        }
        if let Some(parameter) = speed {
            self.reuses_key_and_iv = parameter.size().ok_or(unreadable)? != 0;
        }
        for (parameter, only, wrong) in
            [(key_bytes, self.key_bytes, Reason::InvalidKeyLength), (iv_bytes, IV_BYTES, Reason::InvalidIvLength)]
        {
            if let Some(parameter) = parameter
                && parameter.size().ok_or(unreadable)? != only
            {
                return Err(Some(wrong));
            }
        }
        Ok(())
    }
}

impl SivContext {
    /// Returns an error if the context cannot process a text: key, IV or, when decrypting, the tag is missing, or the
    /// message already has a text.
    fn check_ready(&self) -> Result<(), Failure> {
        let had_text = self.stage != Stage::Begun && !self.reuses_key_and_iv;
        match self {
            Self { key: Some(_), iv: Some(_), .. } if had_text => Err(None),
            Self { key: Some(_), iv: Some(_), is_encrypting: false, tag: None, .. } => Err(Some(Reason::InvalidTag)),
            Self { key: Some(_), iv: Some(_), .. } => Ok(()),
            _ => Err(None),
        }
    }

    /// Seals or opens the text. If authentication fails, zeroes the text; [`Self::finish`] returns the error, because
    /// programs check only the end of a message.
    fn text(&mut self, text: &mut [u8]) -> Result<usize, Failure> {
        self.is_tag_next = false;
        let Self { key: Some(key), iv: Some(iv), .. } = &*self else { return Err(None) };
        if self.is_encrypting {
            self.tag = Some(key.seal(iv, &self.aad, text).map_err(|_| None)?);
            self.stage = Stage::Authentic;
        } else {
            let tag = self.tag.ok_or(Some(Reason::InvalidTag))?;
            self.stage = match key.open(iv, &self.aad, text, &tag) {
                Ok(()) => Stage::Authentic,
                Err(Error::AuthenticationFailed) => Stage::Forged,
                Err(_) => return Err(None),
            };
        }
        if self.pending.operation() | self.pending.text(text.len()) {
            self.hand_over();
        }
        Ok(text.len())
    }

    /// Ends the message. A message without text is sealed or opened as an empty one.
    fn finish(&mut self) -> Result<(), Failure> {
        if self.stage == Stage::Begun {
            self.check_ready()?;
            self.text(&mut [])?;
        }
        let stage = std::mem::replace(&mut self.stage, Stage::Ended);
        if stage == Stage::Authentic { Ok(()) } else { Err(None) }
    }

    #[cold]
    fn hand_over(&mut self) {
        if let Some(counts) = self.pending.take() {
            self.provider.count(&counts);
        }
    }
}

impl Drop for SivContext {
    fn drop(&mut self) {
        self.hand_over();
    }
}
