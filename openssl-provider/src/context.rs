//! AES-GCM context: one key, one message after another, as in OpenSSL's default provider. A call that would be unsafe
//! in the default provider fails here; docs/OPENSSL.md lists these cases.

use kasoku_engine::{Error, Nonce, Streaming, StreamingKey, TAG_BYTES};

use crate::buffers::Piece;
use crate::cipher::boxed;
use crate::counter::Pending;
use crate::late_key::LateKey;
use crate::provider::Provider;
use crate::reason::Reason;

/// Maximum length of an IV in bytes, as in the default provider.
pub(crate) const MAX_IV_BYTES: usize = 128;

/// Default length of an IV in bytes.
pub(crate) const USUAL_IV_BYTES: usize = 12;

/// Length in bytes of the AAD of a TLS 1.2 record: sequence number, type, version, length (RFC 5246 §6.2.3.3).
const RECORD_AAD_BYTES: usize = 13;

/// Length in bytes of the part of an IV that is sent with a TLS 1.2 record (RFC 5288 §3).
const EXPLICIT_IV_BYTES: usize = 8;

/// Length in bytes of the part of an IV that is not sent with a TLS 1.2 record.
const FIXED_IV_BYTES: usize = 4;

/// Failure of a call, with a reason for the error queue, or `None` where the default provider adds no error.
pub(crate) type Failure = Option<Reason>;

/// Provider's state of an `EVP_CIPHER_CTX` for AES-GCM.
pub(crate) struct Context {
    provider: &'static Provider,
    key_bytes: usize,
    key: LateKey,
    is_encrypting: bool,
    iv: [u8; MAX_IV_BYTES],
    iv_bytes: usize,
    iv_state: IvState,
    /// Whether calls may increment the IV, because its fixed part was set.
    is_iv_incremented: bool,
    /// Whether encrypting with the current IV is forbidden: a message has used the IV without incrementing it, or the
    /// IV came from decryption and belongs to the peer.
    is_iv_spent: bool,
    is_iv_random: bool,
    /// Length of the tag in bytes; `None` until a tag is set or computed.
    tag_bytes: Option<usize>,
    /// The last stored value: a tag, or the AAD of the next TLS record. They share memory, as in the default provider.
    held: [u8; TAG_BYTES],
    /// Whether the next update is a TLS 1.2 record, whose AAD is in `held`.
    awaits_record: bool,
    /// Value of the parameter `tlsaadpad`.
    record_padding: usize,
    records: u64,
    message: Streaming,
    pending: Pending,
}

/// State of the IV. An IV is used for one message only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum IvState {
    /// There is no IV.
    Unset,
    /// An IV is set, and no message uses it yet.
    Set,
    /// A message with the IV has begun.
    InUse,
    /// The IV's message has ended, or settings such as the IV length have changed.
    Used,
}

impl Context {
    /// Creates a context without key and IV; `None` if memory runs out.
    pub(crate) fn new(provider: &'static Provider, key_bytes: usize) -> Option<Box<Self>> {
        boxed(Self {
            provider,
            key_bytes,
            key: LateKey::unset(provider.path()),
            is_encrypting: false,
            iv: [0; MAX_IV_BYTES],
            iv_bytes: USUAL_IV_BYTES,
            iv_state: IvState::Unset,
            is_iv_incremented: false,
            is_iv_spent: false,
            is_iv_random: false,
            tag_bytes: None,
            held: [0; TAG_BYTES],
            awaits_record: false,
            record_padding: 0,
            records: 0,
            message: Streaming::new(),
            pending: Pending::default(),
        })
    }

    /// Returns a copy in the same state, or `None` if memory runs out. The copy shares the immutable key if it is
    /// expanded.
    pub(crate) fn duplicate(&self) -> Option<Box<Self>> {
        let mut copy = Self::new(self.provider, self.key_bytes)?;
        copy.key.copy_from(&self.key);
        copy.message.copy_from(&self.message);
        copy.is_encrypting = self.is_encrypting;
        copy.iv = self.iv;
        copy.iv_bytes = self.iv_bytes;
        copy.iv_state = self.iv_state;
        copy.is_iv_incremented = self.is_iv_incremented;
        copy.is_iv_spent = self.is_iv_spent;
        copy.is_iv_random = self.is_iv_random;
        copy.tag_bytes = self.tag_bytes;
        copy.held = self.held;
        copy.awaits_record = self.awaits_record;
        copy.record_padding = self.record_padding;
        copy.records = self.records;
        Some(copy)
    }

    pub(crate) fn provider(&self) -> &'static Provider {
        self.provider
    }

    /// Sets the direction, and the IV and the key if given.
    #[inline]
    pub(crate) fn start(&mut self, is_encrypting: bool, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Failure> {
        if is_encrypting && !self.is_encrypting && self.iv_state == IvState::InUse {
            // The IV belongs to a message being decrypted. (The default provider would encrypt with it.)
            self.iv_state = IvState::Used;
        }
        self.is_encrypting = is_encrypting;
        if let Some(iv) = iv {
            if iv.is_empty() || iv.len() > MAX_IV_BYTES {
                return Err(Some(Reason::InvalidIvLength));
            }
            self.iv_bytes = iv.len();
            self.iv[..iv.len()].copy_from_slice(iv);
            self.iv_state = IvState::Set;
            self.is_iv_spent = false;
            self.is_iv_random = false;
        }
        if let Some(key) = key {
            if key.len() != self.key_bytes {
                return Err(Some(Reason::InvalidKeyLength));
            }
            self.key.set(key);
            if iv.is_none() {
                // The key will serve for several messages: programs that set it alone set an IV for each message, or
                // copy the context for each message.
                self.key.expanded();
            }
            self.records = 0;
            if self.iv_state == IvState::InUse {
                // The message belongs to the old key. (The default provider continues with a counter block of zeros.)
                self.iv_state = IvState::Used;
            }
        }
        Ok(())
    }

    /// Processes the next piece and returns the number of output bytes.
    #[inline(always)]
    pub(crate) fn take(&mut self, piece: Piece<'_>) -> Result<usize, Failure> {
        if self.awaits_record {
            return self.record(if let Piece::InPlace(record) = piece { Some(record) } else { None });
        }
        if self.iv_state != IvState::InUse {
            self.begin_next()?;
        }
        match piece {
            Piece::End => self.finish().map(|()| 0),
            Piece::Aad(aad) => {
                let Some(key) = self.key.get() else { return Err(None) };
                self.message.aad(key, aad).map_err(|_: Error| None)?;
                Ok(aad.len())
            }
            Piece::InPlace(text) => self.text(text),
            Piece::Shifted(shifted) => self.text(shifted.moved()),
            Piece::Between(input, output) => {
                let Some(key) = self.key.get() else { return Err(None) };
                if self.is_encrypting {
                    self.message.seal_to(key, input, output).map_err(|_| None)?;
                } else {
                    self.message.open_unverified_to(key, input, output).map_err(|_| None)?;
                }
                Ok(self.counted(output.len()))
            }
        }
    }

    #[inline(always)]
    fn text(&mut self, text: &mut [u8]) -> Result<usize, Failure> {
        let Some(key) = self.key.get() else { return Err(None) };
        if self.is_encrypting {
            self.message.seal(key, text).map_err(|_| None)?;
        } else {
            self.message.open_unverified(key, text).map_err(|_| None)?;
        }
        Ok(self.counted(text.len()))
    }

    /// Counts `bytes` more bytes as encrypted or decrypted, for the provider's counter file. Returns `bytes`, which is
    /// the length of the output.
    #[inline(always)]
    fn counted(&mut self, bytes: usize) -> usize {
        if self.pending.text(bytes) {
            self.hand_over();
        }
        bytes
    }

    /// Begins a message. Uses the IV that was set, or a random IV.
    #[inline]
    fn begin_next(&mut self) -> Result<(), Failure> {
        match (self.iv_state, self.key.get()) {
            (IvState::Set, Some(_)) if !(self.is_encrypting && self.is_iv_spent) => {
                self.is_iv_spent = true;
                self.begin()
            }
            (IvState::Unset, Some(_)) if self.is_encrypting => {
                // SP 800-38D §8.2.2: a random IV has at least 96 bits.
                if self.iv_bytes < USUAL_IV_BYTES {
                    return Err(None);
                }
                random(&mut self.iv[..self.iv_bytes])?;
                self.is_iv_random = true;
                self.is_iv_spent = true;
                self.begin()
            }
            _ => Err(None),
        }
    }

    /// Begins a message with the current IV.
    #[inline]
    fn begin(&mut self) -> Result<(), Failure> {
        self.key.begin_message();
        let Self { key, message, iv, iv_bytes, .. } = self;
        let Some(key) = key.get() else { return Err(None) };
        message.begin(key, nonce(&iv[..*iv_bytes])?).map_err(|_| None)?;
        self.iv_state = IvState::InUse;
        self.is_iv_spent |= !self.is_encrypting;
        if self.pending.operation() {
            self.hand_over();
        }
        Ok(())
    }

    /// Ends a message: computes the tag if encrypting, and verifies it if decrypting.
    fn finish(&mut self) -> Result<(), Failure> {
        let Some(key) = self.key.get() else { return Err(None) };
        if self.is_encrypting {
            self.held = self.message.tag(key);
            self.tag_bytes = Some(TAG_BYTES);
            self.iv_state = IvState::Used;
            return Ok(());
        }
        // Without a tag the message does not end, so that the program can still set the tag.
        let bytes = self.tag_bytes.ok_or(None)?;
        let computed = self.message.tag(key);
        // A forged message has ended too. (The default provider continues to decrypt it.)
        self.iv_state = IvState::Used;
        if tags_are_equal(&computed, &self.held, bytes) { Ok(()) } else { Err(None) }
    }

    /// Encrypts or decrypts a TLS 1.2 record in place: explicit IV, text, tag (RFC 5288). Whether that succeeds or
    /// fails, the record's AAD and IV cannot be used again.
    #[inline(never)]
    fn record(&mut self, record: Option<&mut [u8]>) -> Result<usize, Failure> {
        self.awaits_record = false;
        self.iv_state = IvState::Used;
        let Some(record) = record else { return Err(None) };
        let bytes = record.len();
        let Some((explicit_iv, rest)) = record.split_first_chunk_mut::<EXPLICIT_IV_BYTES>() else { return Err(None) };
        let Some((text, tag)) = rest.split_last_chunk_mut::<TAG_BYTES>() else { return Err(None) };
        if self.key.get().is_none() || (self.is_encrypting && self.is_iv_spent) {
            return Err(None);
        }
        if self.is_encrypting {
            self.records = self.records.wrapping_add(1);
            if self.records == 0 {
                return Err(Some(Reason::TooManyRecords));
            }
        }
        if self.pending.operation() | self.pending.text(text.len()) {
            self.hand_over();
        }
        let Self { key, iv, held, .. } = self;
        let key = key.expanded();
        let (iv, aad) = (&mut iv[..self.iv_bytes], &held[..RECORD_AAD_BYTES]);
        let Some(invocation) = iv.last_chunk_mut::<EXPLICIT_IV_BYTES>().filter(|_| self.is_iv_incremented) else {
            return Err(None);
        };
        self.tag_bytes = Some(TAG_BYTES);
        let out = if self.is_encrypting {
            *explicit_iv = *invocation;
            *tag = key.seal(nonce(iv)?, aad, text).map_err(|_| None)?;
            increment(iv);
            bytes
        } else {
            *invocation = *explicit_iv;
            self.is_iv_spent = true;
            // If authentication fails, `open` zeroes the text.
            key.open(nonce(iv)?, aad, text, tag).map_err(|_| None)?;
            text.len()
        };
        Ok(out)
    }

    #[cold]
    fn hand_over(&mut self) {
        if let Some(counts) = self.pending.take() {
            self.provider.count(&counts);
        }
    }
}

/// Accessors for the context's parameters.
impl Context {
    pub(crate) fn iv_bytes(&self) -> usize {
        self.iv_bytes
    }

    pub(crate) fn key_bytes(&self) -> usize {
        self.key_bytes
    }

    pub(crate) fn tag_bytes(&self) -> Option<usize> {
        self.tag_bytes
    }

    pub(crate) fn record_padding(&self) -> usize {
        self.record_padding
    }

    pub(crate) fn is_iv_random(&self) -> bool {
        self.is_iv_random
    }

    /// Returns the stored IV: the IV of the next message if it was incremented, otherwise that of the last message.
    pub(crate) fn iv(&self) -> Option<&[u8]> {
        (self.iv_state != IvState::Unset).then_some(&self.iv[..self.iv_bytes])
    }

    /// Returns the tag of the last encrypted message.
    pub(crate) fn tag(&self) -> Option<&[u8; TAG_BYTES]> {
        (self.is_encrypting && self.tag_bytes.is_some()).then_some(&self.held)
    }

    /// Sets the length of IVs in bytes. If the length changes, the stored IV can no longer be used.
    pub(crate) fn set_iv_bytes(&mut self, bytes: usize) -> Result<(), Failure> {
        if bytes == 0 || bytes > MAX_IV_BYTES {
            return Err(Some(Reason::InvalidIvLength));
        }
        if bytes != self.iv_bytes {
            if self.iv_state != IvState::Unset {
                self.iv_state = IvState::Used;
                self.is_iv_spent = true;
            }
            self.iv_bytes = bytes;
        }
        Ok(())
    }

    /// Sets the tag to verify.
    pub(crate) fn set_tag(&mut self, tag: &[u8]) -> Result<(), Failure> {
        let Some(place) = self.held.get_mut(..tag.len()) else { return Err(Some(Reason::FailedToGetParameter)) };
        place.copy_from_slice(tag);
        if tag.is_empty() || self.is_encrypting {
            return Err(Some(Reason::InvalidTag));
        }
        self.tag_bytes = Some(tag.len());
        Ok(())
    }

    /// Sets the AAD of the next update, which then is a TLS 1.2 record. The length field in `aad` is that of the record
    /// as sent; the authenticated AAD has the plaintext's length instead.
    pub(crate) fn set_record_aad(&mut self, aad: &[u8]) -> Result<(), Failure> {
        let invalid = Some(Reason::InvalidAad);
        let aad: &[u8; RECORD_AAD_BYTES] = aad.try_into().map_err(|_| invalid)?;
        self.held[..RECORD_AAD_BYTES].copy_from_slice(aad);
        self.awaits_record = true;
        let [.., high, low] = *aad;
        let without = if self.is_encrypting { EXPLICIT_IV_BYTES } else { EXPLICIT_IV_BYTES + TAG_BYTES };
        let bytes = u16::from_be_bytes([high, low]).checked_sub(without as u16).ok_or(invalid)?;
        self.held[RECORD_AAD_BYTES - 2..RECORD_AAD_BYTES].copy_from_slice(&bytes.to_be_bytes());
        self.record_padding = TAG_BYTES;
        Ok(())
    }

    /// Sets the fixed part of the IV. When encrypting, the other bytes begin at random and are incremented for each
    /// record. When decrypting, the other bytes are unchanged, and the IV cannot be used for encrypting.
    pub(crate) fn set_fixed_iv(&mut self, fixed: &[u8]) -> Result<(), Failure> {
        let counting = self.iv_bytes.checked_sub(fixed.len()).filter(|bytes| *bytes >= EXPLICIT_IV_BYTES);
        if fixed.len() < FIXED_IV_BYTES || counting.is_none() {
            return Err(Some(Reason::FailedToGetParameter));
        }
        self.iv[..fixed.len()].copy_from_slice(fixed);
        if self.is_encrypting {
            random(&mut self.iv[fixed.len()..self.iv_bytes])?;
            self.is_iv_random = true;
        }
        self.is_iv_incremented = true;
        self.is_iv_spent = !self.is_encrypting;
        self.iv_state = IvState::Set;
        Ok(())
    }

    /// Sets all bytes of an IV that later calls increment.
    pub(crate) fn set_whole_iv(&mut self, iv: &[u8]) -> Result<(), Failure> {
        let place = self.iv.get_mut(..iv.len()).ok_or(Some(Reason::FailedToGetParameter))?;
        place.copy_from_slice(iv);
        self.is_iv_incremented = true;
        self.is_iv_spent = false;
        self.iv_state = IvState::Set;
        Ok(())
    }

    /// Begins a message with the current IV, writes the IV's last bytes to `out`, and increments the IV.
    pub(crate) fn next_iv(&mut self, out: &mut [u8]) -> Result<(), Failure> {
        if !self.is_iv_incremented || self.iv_bytes < EXPLICIT_IV_BYTES || (self.is_encrypting && self.is_iv_spent) {
            return Err(None);
        }
        let start = self.iv_bytes.checked_sub(out.len()).ok_or(None)?;
        self.begin()?;
        out.copy_from_slice(&self.iv[start..self.iv_bytes]);
        increment(&mut self.iv[..self.iv_bytes]);
        Ok(())
    }

    /// Begins to decrypt a message whose IV ends with `part`.
    pub(crate) fn set_received_iv(&mut self, part: &[u8]) -> Result<(), Failure> {
        if !self.is_iv_incremented || self.key.get().is_none() || self.is_encrypting {
            return Err(None);
        }
        let start = self.iv_bytes.checked_sub(part.len()).ok_or(None)?;
        self.iv[start..self.iv_bytes].copy_from_slice(part);
        self.begin()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.hand_over();
    }
}

#[inline]
fn nonce(iv: &[u8]) -> Result<Nonce<'_>, Failure> {
    Nonce::try_from(iv).map_err(|_| None)
}

/// Increments the last eight bytes of an IV.
fn increment(iv: &mut [u8]) {
    if let Some(invocation) = iv.last_chunk_mut::<EXPLICIT_IV_BYTES>() {
        *invocation = u64::from_be_bytes(*invocation).wrapping_add(1).to_be_bytes();
    }
}

/// Fills `bytes` from the operating system's generator, which is safe in threads and forked processes.
fn random(bytes: &mut [u8]) -> Result<(), Failure> {
    getrandom::fill(bytes).map_err(|_| Some(Reason::NoRandomBytes))
}

/// Compares the first `bytes` bytes of two tags in constant time.
fn tags_are_equal(one: &[u8; TAG_BYTES], other: &[u8; TAG_BYTES], bytes: usize) -> bool {
    let compared = u128::MAX.checked_shl(128 - 8 * bytes as u32).unwrap_or(0);
    (u128::from_be_bytes(*one) ^ u128::from_be_bytes(*other)) & compared == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_comparison_covers_exactly_the_tag_length() {
        let tag: [u8; 16] = std::array::from_fn(|place| place as u8);
        for (bytes, place) in (1..=16).flat_map(|bytes| (0..16).map(move |place| (bytes, place))) {
            let mut other = tag;
            assert!(tags_are_equal(&tag, &other, bytes));
            other[place] ^= 0x80;
            assert_eq!(tags_are_equal(&tag, &other, bytes), place >= bytes, "{bytes} {place}");
        }
    }

    #[test]
    fn increment_changes_only_the_last_eight_iv_bytes() {
        let mut iv = [0xFF; 12];
        increment(&mut iv);
        assert_eq!(iv, [255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0]);
        increment(&mut iv);
        assert_eq!(iv[11], 1);
    }
}
