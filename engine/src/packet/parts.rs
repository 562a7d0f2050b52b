//! Separate steps of packet protection. They are for QUIC stacks that call one function to mask the header and another
//! to seal the payload, or that receive a packet in two buffers. Stacks that can pass the whole packet should use
//! [`protect`](PacketProtection::protect) and [`unprotect`](PacketProtection::unprotect).

use super::header::{self, SAMPLE_BYTES};
use super::{PacketProtection, limits, number, refuse};
use crate::backend::{Key, Keys, Mask, PacketKey};
use crate::cpu::backend::Backend;
use crate::cpu::{Found, RunnablePath};
use crate::error::Error;
use crate::limits as mode_limits;
use crate::tag::{TAG_BYTES, Tag, are_equal};

/// Mask for the header of a packet, computed from a sample of the same packet (RFC 9001 §5.4.1). It must not be used
/// for another packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderMask(Mask);

impl HeaderMask {
    /// Returns the first eight bytes of the encrypted header-protection sample as a little-endian integer. The first
    /// five of these bytes are the mask.
    #[must_use]
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// Creates a mask from the integer that [`to_bits`](Self::to_bits) returned.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the mask's five bytes: one for the first byte of the header, and four for the packet number.
    #[must_use]
    #[inline]
    pub const fn bytes(self) -> [u8; 5] {
        let [first, a, b, c, d, ..] = self.0.to_le_bytes();
        [first, a, b, c, d]
    }

    /// Masks the header of an outgoing packet. Reads the length of the packet number from the first byte of the header.
    ///
    /// # Errors
    /// [`Error::PacketTooShort`], [`Error::MessageTooLong`], [`Error::PacketNumberOffset`]; the packet is left
    /// unchanged.
    #[inline]
    pub fn apply(self, packet: &mut [u8], number_offset: usize) -> Result<(), Error> {
        header::check_length(packet.len(), number_offset)?;
        let number_bytes = usize::from(packet[0] & 0b11) + 1;
        header::mask_header(packet, number_offset, number_bytes, self.0);
        Ok(())
    }

    /// Unmasks the header of a received packet. Reads the length of the packet number after unmasking the first byte;
    /// [`apply`](Self::apply) reads it before masking that byte.
    ///
    /// # Errors
    /// As for [`apply`](Self::apply).
    #[inline]
    pub fn remove(self, packet: &mut [u8], number_offset: usize) -> Result<(), Error> {
        header::check_length(packet.len(), number_offset)?;
        header::unmask_header(packet, number_offset, self.0);
        Ok(())
    }
}

/// A header-protection key without a packet key. [`PacketProtection`] also contains a header-protection key, and
/// computes masks faster.
pub struct HeaderProtection {
    /// A whole AES-GCM key, of which only the encryption of single AES blocks is used.
    keys: Keys,
}

impl HeaderProtection {
    /// Expands a header-protection key of 16 or 32 bytes for the preferred backend of this CPU.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::for_path(RunnablePath::preferred(), key)
    }

    /// Expands a header-protection key for the given backend. For tests and measurements.
    ///
    /// # Errors
    /// [`Error::KeyLength`]. [`Error::BackendUnavailable`] if this CPU cannot run the backend; no other backend is used
    /// instead.
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, Error> {
        super::check_keys(key, key)?;
        Self::for_path(RunnablePath::new(backend, Found::here())?, key)
    }

    fn for_path(path: RunnablePath, key: &[u8]) -> Result<Self, Error> {
        super::check_keys(key, key)?;
        Ok(Self { keys: Keys::expand(path, (key, None)) })
    }

    /// Computes the header mask from a header-protection sample.
    #[must_use]
    #[inline]
    pub fn mask(&self, sample: &[u8; SAMPLE_BYTES]) -> HeaderMask {
        let [a, b, c, d, e, f, g, h, ..] = self.keys.encrypt_block(sample);
        HeaderMask(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }
}

impl core::fmt::Debug for HeaderProtection {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HeaderProtection").field("backend", &self.keys.code_path().backend).finish_non_exhaustive()
    }
}

impl PacketProtection {
    /// Seals a packet in place like [`protect`](Self::protect), but does not mask its header. Returns the header mask.
    ///
    /// # Errors
    /// As for [`protect`](Self::protect). After an error, the packet is unchanged.
    #[inline]
    pub fn seal(
        &self,
        number: u64,
        packet: &mut [u8],
        number_offset: usize,
        number_bytes: usize,
    ) -> Result<HeaderMask, Error> {
        self.check_outgoing(number, packet.len(), number_offset, number_bytes)?;
        let header_bytes = number_offset + number_bytes;
        Ok(HeaderMask(self.keys.seal(number, packet, header_bytes, header::sample_offset(number_offset))))
    }

    /// Computes the header mask from a header-protection sample.
    #[must_use]
    #[inline]
    pub fn header_mask(&self, sample: &[u8; SAMPLE_BYTES]) -> HeaderMask {
        HeaderMask(self.keys.mask(sample))
    }

    /// Verifies a packet whose unmasked header is in a separate buffer, and opens its payload in place. `payload` ends
    /// with the tag. Returns the length of the data without the tag.
    ///
    /// # Errors
    /// * [`Error::PacketNumberTooLarge`], [`Error::AadTooLong`], [`Error::MessageTooLong`] and
    ///   [`Error::IntegrityLimit`] leave `payload` unchanged.
    /// * [`Error::AuthenticationFailed`] for a wrong tag: `payload` is filled with zeros, except for the tag. If
    ///   `payload` is shorter than a tag, it is left unchanged.
    #[inline]
    pub fn open_payload(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<usize, Error> {
        if number >= number::END {
            return Err(Error::PacketNumberTooLarge(number));
        }
        mode_limits::check(header.len(), payload.len())?;
        self.failed.check(limits::INTEGRITY)?;
        let Some((data, tag)) = payload.split_last_chunk_mut::<TAG_BYTES>() else {
            return refuse(&mut [], &self.failed);
        };
        let (tag, mut computed): (Tag, Tag) = (*tag, [0; TAG_BYTES]);
        self.keys.open(number, header, data, &mut computed);
        if are_equal(&computed, &tag) { Ok(data.len()) } else { refuse(data, &self.failed) }
    }
}
