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

/// The mask of one packet's header (RFC 9001 §5.4.1): it covers what its sample was taken from, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderMask(Mask);

impl HeaderMask {
    /// The mask as a number: its five bytes and what else AES gave, the first byte lowest.
    #[must_use]
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// A mask that was a number.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Its five bytes: for the first byte of the header, and for a packet number of up to four.
    #[must_use]
    #[inline]
    pub const fn bytes(self) -> [u8; 5] {
        let [first, a, b, c, d, ..] = self.0.to_le_bytes();
        [first, a, b, c, d]
    }

    /// Masks the header of an outgoing packet, whose first byte says how many bytes its number has.
    ///
    /// # Errors
    /// [`Error::PacketTooShort`], [`Error::MessageTooLong`], [`Error::PacketNumberOffset`]; the packet is then as it
    /// was.
    #[inline]
    pub fn apply(self, packet: &mut [u8], number_offset: usize) -> Result<(), Error> {
        header::check_length(packet.len(), number_offset)?;
        let number_bytes = usize::from(packet[0] & 0b11) + 1;
        header::mask_header(packet, number_offset, number_bytes, self.0);
        Ok(())
    }

    /// Unmasks the header of a received packet: the same, except that the number's length can be read only without the
    /// mask.
    ///
    /// # Errors
    /// As [`apply`](Self::apply) has them.
    #[inline]
    pub fn remove(self, packet: &mut [u8], number_offset: usize) -> Result<(), Error> {
        header::check_length(packet.len(), number_offset)?;
        header::unmask_header(packet, number_offset, self.0);
        Ok(())
    }
}

/// A header-protection key by itself. [`PacketProtection`] has one too, with which a mask costs less.
pub struct HeaderProtection {
    /// GCM's tables come with it unused: it only needs to encrypt one block of AES.
    keys: Keys,
}

impl HeaderProtection {
    /// Expands a header-protection key of 16 or 32 bytes for the backend we prefer here.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::with_backend(key, cpu::preferred(Found::here().features()))
    }

    /// The same for a chosen backend: for tests and measurements.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::BackendUnavailable`], never another backend instead.
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, Error> {
        super::check_keys(key, key)?;
        Ok(Self { keys: Keys::expand(key, backend.into(), Found::here())? })
    }

    /// The mask of a sample.
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
    /// Seals a packet in place as [`protect`](Self::protect) does, and leaves its header as it is; returns the header's
    /// mask, made in the same pass.
    ///
    /// # Errors
    /// As [`protect`](Self::protect) has them; the packet is then as it was.
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

    /// The mask of a sample.
    #[must_use]
    #[inline]
    pub fn header_mask(&self, sample: &[u8; SAMPLE_BYTES]) -> HeaderMask {
        HeaderMask(self.keys.mask(sample))
    }

    /// Verifies a packet whose header was unmasked and lies apart from its payload, and opens it in place; `payload`
    /// ends in the tag. Returns how many bytes of it are data.
    ///
    /// # Errors
    /// [`Error::PacketNumberTooLarge`], [`Error::AadTooLong`], [`Error::MessageTooLong`] and [`Error::IntegrityLimit`],
    /// and [`Error::AuthenticationFailed`] where there is not even a tag, which leave the payload as it was;
    /// [`Error::AuthenticationFailed`], after which all of it but the tag is zeros.
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
