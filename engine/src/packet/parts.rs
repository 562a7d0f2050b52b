//! The steps of packet protection one by one, for QUIC stacks whose interfaces separate them: one call masks the header
//! and another seals the payload, or a packet arrives in two buffers. Stacks that can pass the whole packet should use
//! [`protect`](PacketProtection::protect) and [`unprotect`](PacketProtection::unprotect).

use super::header::{self, SAMPLE_BYTES};
use super::{PacketProtection, limits, number, refuse};
use crate::backend::{Key, Keys, Mask, PacketKey};
use crate::cpu::backend::Backend;
use crate::cpu::{self, Found};
use crate::error::Error;
use crate::limits as mode_limits;
use crate::tag::{TAG_BYTES, Tag, are_equal};

/// Mask for a packet's header, made from a sample of the same packet (RFC 9001 §5.4.1). It must not be used for another
/// packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderMask(Mask);

impl HeaderMask {
    /// Returns the first eight bytes of the encrypted sample as a number, the first byte lowest. The mask is the first
    /// five.
    #[must_use]
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// Creates a mask from the number that [`to_bits`](Self::to_bits) returned.
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

    /// Masks the header of an outgoing packet. The header's first byte tells the length of the packet number.
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

    /// Unmasks the header of a received packet. Unlike [`apply`](Self::apply), it reads the length of the packet number
    /// after unmasking the first byte.
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

/// A header-protection key by itself. [`PacketProtection`] contains one too, with which a mask costs less.
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
        Self::with_backend(key, cpu::preferred(Found::here().features()))
    }

    /// Expands a header-protection key for the given backend. For tests and measurements.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::BackendUnavailable`]: no other backend is used instead.
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, Error> {
        super::check_keys(key, key)?;
        Ok(Self { keys: Keys::expand(key, backend.into(), Found::here())? })
    }

    /// Returns the header mask for a sample.
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
    /// Seals a packet in place as [`protect`](Self::protect) does, but leaves its header unmasked. Returns the header's
    /// mask, made in the same pass.
    ///
    /// # Errors
    /// As for [`protect`](Self::protect); the packet is left unchanged.
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

    /// Returns the header mask for a sample.
    #[must_use]
    #[inline]
    pub fn header_mask(&self, sample: &[u8; SAMPLE_BYTES]) -> HeaderMask {
        HeaderMask(self.keys.mask(sample))
    }

    /// Verifies a packet whose header was unmasked and lies apart from its payload, and opens it in place. `payload`
    /// ends in the tag. Returns how many bytes of it are data.
    ///
    /// # Errors
    /// [`Error::PacketNumberTooLarge`], [`Error::AadTooLong`], [`Error::MessageTooLong`], [`Error::IntegrityLimit`],
    /// and [`Error::AuthenticationFailed`] if `payload` is shorter than a tag, all of which leave the payload
    /// unchanged; [`Error::AuthenticationFailed`] for a wrong tag, after which all of the payload but the tag is zeros.
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
