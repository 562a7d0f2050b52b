//! DTLS 1.3 records (RFC 9147 §4): their numbers are masked as QUIC's packet numbers are.
//!
//! What differs: the sample is the first 16 bytes of the ciphertext, wherever the number is; the first byte of the
//! header is not masked, so that the header's form, and the number's one or two bytes, can be read before; and the
//! limits.
//!
//! ```
//! use kasoku_engine::packet::dtls::{Header, RecordProtection};
//!
//! let (key, iv, number_key) = ([1; 32], [2; 12], [3; 32]);
//! let sender = RecordProtection::new(&key, &iv, &number_key)?;
//! let receiver = RecordProtection::new(&key, &iv, &number_key)?;
//!
//! // A unified header: its first byte, a number of two bytes, a length of two. Then text and room for the tag.
//! let header = Header { number_offset: 1, number_bytes: 2, bytes: 5 };
//! let mut record = [&[0x2E, 0x12, 0x34, 0, 24][..], b"the text", &[0; 16]].concat();
//! sender.protect(0x1234, &mut record, header)?;
//!
//! let number = receiver.unmask(0x1230, &mut record, header)?;
//! let text = receiver.open(number, &mut record, header)?;
//! assert_eq!((number, &record[text]), (0x1234, &b"the text"[..]));
//! # Ok::<(), kasoku_engine::Error>(())
//! ```

use core::ops::Range;

use super::header::{Mask, SAMPLE_BYTES};
use super::limits::{FailedOpens, Protected};
use super::{check_keys, forged, number};
use crate::backend::{PacketKey, PacketKeys};
use crate::cpu::backend::Backend;
use crate::cpu::{self, Found};
use crate::error::Error;
use crate::limits::TEXT_BYTES;
use crate::tag::{TAG_BYTES, Tag, are_equal};

/// Records that one key may protect: 2^24.5 (RFC 9147 §4.5.3).
pub const CONFIDENTIALITY: u64 = 23_726_566;

/// Records that may fail to open under one key: 2^36.
pub const INTEGRITY: u64 = 1 << 36;

/// Protects or opens the records of one direction in one epoch; several threads may use it at once.
pub struct RecordProtection {
    keys: PacketKeys,
    protected: Protected,
    failed: FailedOpens,
}

/// Where the parts of a record's header are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where the record's number begins: behind the first byte and the connection ID.
    pub number_offset: usize,
    /// Its bytes: 1 or 2.
    pub number_bytes: usize,
    /// Bytes of the whole header, the length among them if there is one.
    pub bytes: usize,
}

impl RecordProtection {
    /// Expands a key of 16 or 32 bytes and a record-number key of as many for the backend we prefer here.
    ///
    /// # Errors
    /// [`Error::KeyLength`] for either.
    pub fn new(key: &[u8], iv: &[u8; 12], number_key: &[u8]) -> Result<Self, Error> {
        let found = Found::here();
        Self::with_features(key, iv, number_key, cpu::preferred(found.features()), found)
    }

    /// The same for a backend of the caller's choice, on a CPU that has no more than `found`: for tests.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::BackendUnavailable`], never another backend instead.
    pub fn with_features(
        key: &[u8],
        iv: &[u8; 12],
        number_key: &[u8],
        backend: Backend,
        found: Found,
    ) -> Result<Self, Error> {
        check_keys(key, number_key)?;
        Ok(Self {
            keys: PacketKeys::expand(key, iv, number_key, backend, found)?,
            protected: Protected::new(CONFIDENTIALITY),
            failed: FailedOpens::default(),
        })
    }

    /// The count of records that failed to open.
    #[must_use]
    pub fn failed_opens(&self) -> &FailedOpens {
        &self.failed
    }

    /// Protects a record in place: the header with the number as the caller wrote it, the text with its content type,
    /// and 16 bytes of room for the tag.
    ///
    /// # Errors
    /// [`Error::PacketTooShort`], [`Error::TextTooLong`], [`Error::PacketNumberBytes`], [`Error::PacketNumberOffset`],
    /// [`Error::PacketNumberTooLarge`] for numbers of more than 48 bits, [`Error::PacketNumberFell`],
    /// [`Error::ConfidentialityLimit`]. The record is then as it was.
    pub fn protect(&self, number: u64, record: &mut [u8], header: Header) -> Result<(), Error> {
        check(record.len(), header)?;
        check_number(number)?;
        self.protected.check(number)?;
        let mask = self.keys.seal(number, record, header.bytes, header.bytes);
        mask_number(record, header, mask);
        Ok(())
    }

    /// Takes the mask off the number, and decodes it against `expected`, the largest number opened so far and one.
    /// Nothing is verified yet.
    ///
    /// # Errors
    /// [`Error::PacketTooShort`], [`Error::TextTooLong`], [`Error::PacketNumberBytes`], [`Error::PacketNumberOffset`]; the
    /// record is then as it was.
    pub fn unmask(&self, expected: u64, record: &mut [u8], header: Header) -> Result<u64, Error> {
        check(record.len(), header)?;
        let Some(sample) = record[header.bytes..].first_chunk() else {
            return Err(Error::PacketNumberOffset); // never: the length was checked
        };
        let mask = self.keys.mask(sample);
        mask_number(record, header, mask);
        let number = &record[header.number_offset..header.number_offset + header.number_bytes];
        let truncated = number.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        Ok(number::decode(expected, truncated, header.number_bytes))
    }

    /// Verifies a record whose number was unmasked, and opens it in place; where its text lies.
    ///
    /// # Errors
    /// As [`protect`](Self::protect) for the record's form and its number's size, and [`Error::IntegrityLimit`], which leave
    /// the record as it was; [`Error::Forged`], after which the text is all zeros.
    pub fn open(&self, number: u64, record: &mut [u8], header: Header) -> Result<Range<usize>, Error> {
        check(record.len(), header)?;
        check_number(number)?;
        self.failed.check(INTEGRITY)?;
        let range = header.bytes..record.len() - TAG_BYTES;
        let (header, rest) = record.split_at_mut(range.start);
        let (text, tag) = rest.split_at_mut(range.len());
        let mut computed = [0; TAG_BYTES];
        self.keys.open(number, header, text, &mut computed);
        if Tag::try_from(&*tag).is_ok_and(|tag| are_equal(&computed, &tag)) {
            return Ok(range);
        }
        forged(text, &self.failed)
    }
}

impl core::fmt::Debug for RecordProtection {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("RecordProtection").field("backend", &self.keys.backend()).finish_non_exhaustive()
    }
}

/// Refuses a header that contradicts itself, and a record too short to be sampled (RFC 9147 §4.2.3) or too long for GCM.
fn check(record_bytes: usize, header: Header) -> Result<(), Error> {
    if !matches!(header.number_bytes, 1 | 2) {
        return Err(Error::PacketNumberBytes(header.number_bytes));
    }
    if header.number_offset == 0 || header.bytes.checked_sub(header.number_bytes) < Some(header.number_offset) {
        return Err(Error::PacketNumberOffset);
    }
    if record_bytes as u64 > TEXT_BYTES {
        return Err(Error::TextTooLong);
    }
    let least = header.bytes.saturating_add(SAMPLE_BYTES);
    if record_bytes < least { Err(Error::PacketTooShort { packet_bytes: record_bytes, least }) } else { Ok(()) }
}

/// Record numbers have 48 bits (RFC 9147 §4).
fn check_number(number: u64) -> Result<(), Error> {
    if number >> 48 == 0 { Ok(()) } else { Err(Error::PacketNumberTooLarge(number)) }
}

/// The mask's first bytes over the number.
fn mask_number(record: &mut [u8], header: Header, mask: Mask) {
    let number = &mut record[header.number_offset..header.number_offset + header.number_bytes];
    for (byte, mask) in number.iter_mut().zip(mask.to_le_bytes()) {
        *byte ^= mask;
    }
}
