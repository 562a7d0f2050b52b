//! Header protection (RFC 9001 §5.4): the position of the sample, and the bits of the header that the mask changes.

use crate::backend::{Cover, Mask, SAMPLE_DISTANCE};
use crate::error::Error;
use crate::limits::PLAINTEXT_BYTES;
use crate::tag::TAG_BYTES;

pub(crate) const SAMPLE_BYTES: usize = 16;

#[inline(always)]
pub(crate) const fn sample_offset(number_offset: usize) -> usize {
    number_offset + SAMPLE_DISTANCE
}

/// Rejects a packet that is too short for a header-protection sample, or too long for AES-GCM. `packet_bytes` is the
/// length of the packet in bytes, including the tag.
#[inline(always)]
pub(crate) const fn check_length(packet_bytes: usize, number_offset: usize) -> Result<(), Error> {
    const MIN: usize = SAMPLE_DISTANCE + SAMPLE_BYTES;
    // At least the first byte, which has masked bits of its own, precedes the packet number.
    if number_offset == 0 {
        return Err(Error::PacketNumberOffset);
    }
    if packet_bytes < MIN || packet_bytes - MIN < number_offset {
        return Err(Error::PacketTooShort { packet_bytes, least: number_offset.saturating_add(MIN) });
    }
    // A datagram is never this long, but a buffer may be, and the block counter would wrap.
    if packet_bytes as u64 > PLAINTEXT_BYTES {
        return Err(Error::MessageTooLong);
    }
    Ok(())
}

/// Checks that a packet number has one to four bytes.
#[inline(always)]
pub(crate) const fn check_number_bytes(number_bytes: usize) -> Result<(), Error> {
    if number_bytes == 0 || number_bytes > 4 {
        return Err(Error::PacketNumberBytes(number_bytes));
    }
    Ok(())
}

/// Returns the range of the payload, between header and tag, in a packet of `packet_bytes` bytes.
#[inline(always)]
pub(crate) const fn data_range(
    packet_bytes: usize,
    number_offset: usize,
    number_bytes: usize,
) -> core::ops::Range<usize> {
    number_offset + number_bytes..packet_bytes - TAG_BYTES
}

/// Masks the header: the low bits of the first byte, and the `number_bytes` bytes of the packet number.
///
/// No branch and no address depends on `number_bytes`, which an observer must not learn (RFC 9001 §9.5). So four bytes
/// are always rewritten. Those of these bytes that belong to the payload keep their values.
#[inline(always)]
pub(crate) fn mask_header(packet: &mut [u8], number_offset: usize, number_bytes: usize, mask: Mask) {
    cover(packet[0], number_offset, number_bytes, mask).apply(packet);
}

/// Decodes a masked header without changing it. Returns the bits of `mask` to XOR into the header, the truncated packet
/// number without its mask, and the length of the packet number in bytes.
#[inline(always)]
pub(crate) fn read(packet: &[u8], number_offset: usize, mask: Mask) -> (Cover, u32, usize) {
    let number_bytes = usize::from((packet[0] ^ mask as u8) & 0b11) + 1;
    let mut truncated = 0;
    if let Some(number) = packet[number_offset..].first_chunk::<4>() {
        let open = u32::from_be_bytes(*number) ^ ((mask >> 8) as u32).swap_bytes();
        truncated = open >> (32 - 8 * number_bytes as u32);
    }
    (cover(packet[0], number_offset, number_bytes, mask), truncated, number_bytes)
}

#[inline(always)]
const fn cover(first_byte: u8, number_offset: usize, number_bytes: usize, mask: Mask) -> Cover {
    Cover {
        first_byte: mask as u8 & first_byte_bits(first_byte),
        number: (mask >> 8) as u32 & number_cover(number_bytes),
        number_offset,
        header_bytes: number_offset + number_bytes,
    }
}

/// Unmasks the header. Returns the bytes of the packet number as an integer, and the length of the packet number.
/// (Reading and unmasking in one step takes 28 cycles, in two steps 36.)
#[inline(always)]
pub(crate) fn unmask_header(packet: &mut [u8], number_offset: usize, mask: Mask) -> (u32, usize) {
    packet[0] ^= mask as u8 & first_byte_bits(packet[0]);
    let number_bytes = usize::from(packet[0] & 0b11) + 1;
    let mut truncated = 0;
    if let Some(number) = packet[number_offset..].first_chunk_mut::<4>() {
        let open = u32::from_le_bytes(*number) ^ (mask >> 8) as u32 & number_cover(number_bytes);
        *number = open.to_le_bytes();
        truncated = u32::from_be_bytes(*number) >> (32 - 8 * number_bytes as u32);
    }
    (truncated, number_bytes)
}

/// Returns a mask of the protected bits of the first byte: four in a long header, five in a short one (RFC 9001
/// §5.4.1).
#[inline(always)]
const fn first_byte_bits(first_byte: u8) -> u8 {
    0x1F >> (first_byte >> 7)
}

/// Returns a mask with ones in the first `number_bytes` bytes of a little-endian integer.
#[inline(always)]
const fn number_cover(number_bytes: usize) -> u32 {
    u32::MAX >> (32 - 8 * number_bytes as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mask_covers_first_byte_bits_and_packet_number_only() {
        for (first, bits) in [(0x43_u8, 0x1F_u8), (0xC3, 0x0F)] {
            for number_bytes in 1..=4 {
                let mut packet = [0_u8; 40];
                packet[0] = first;
                mask_header(&mut packet, 9, number_bytes, u64::MAX);
                assert_eq!(packet[0] ^ first, bits);
                for (index, byte) in packet.iter().enumerate().skip(1) {
                    let is_number = (9..9 + number_bytes).contains(&index);
                    assert_eq!(*byte, if is_number { 0xFF } else { 0 }, "byte {index} of {number_bytes}");
                }
            }
        }
    }

    #[test]
    fn unmask_header_restores_header_and_packet_number() {
        for number_bytes in 1..=4 {
            let mut packet = [0x77_u8; 30];
            packet[0] = 0x40 | (number_bytes as u8 - 1);
            packet[5..9].copy_from_slice(&[1, 2, 3, 4]);
            let before = packet;
            mask_header(&mut packet, 5, number_bytes, 0xA5_9C33_F0E1);
            let expected = 0x0102_0304 >> (32 - 8 * number_bytes);
            assert_eq!(unmask_header(&mut packet, 5, 0xA5_9C33_F0E1), (expected, number_bytes));
            assert_eq!(packet, before);
        }
    }

    #[test]
    fn read_decodes_the_number_and_leaves_the_header_masked() {
        for (number_bytes, first) in (1..=4).flat_map(|bytes| [(bytes, 0x40_u8), (bytes, 0xC0)]) {
            let mut packet = [0x77_u8; 30];
            packet[0] = first | (number_bytes as u8 - 1);
            packet[7..11].copy_from_slice(&[0xA1, 0xB2, 0xC3, 0xD4]);
            let open = packet;
            mask_header(&mut packet, 7, number_bytes, 0x12_9C33_F0E6);
            let masked = packet;
            let (cover, truncated, bytes) = read(&packet, 7, 0x12_9C33_F0E6);
            assert_eq!((bytes, cover.header_bytes, packet), (number_bytes, 7 + number_bytes, masked));
            assert_eq!(truncated, 0xA1B2_C3D4 >> (32 - 8 * number_bytes));
            cover.apply(&mut packet);
            assert_eq!(packet, open);
        }
    }

    #[test]
    fn check_length_rejects_packets_without_a_whole_sample() {
        for number_offset in [1, 9, 18] {
            for bytes in 0..60 {
                let is_long_enough = bytes >= number_offset + 20;
                assert_eq!(check_length(bytes, number_offset).is_ok(), is_long_enough, "{bytes} bytes");
            }
        }
        assert!(check_length(usize::MAX, usize::MAX).is_err());
        assert_eq!(check_length(PLAINTEXT_BYTES as usize, 9), Ok(()));
        assert_eq!(check_length(PLAINTEXT_BYTES as usize + 1, 9), Err(Error::MessageTooLong));
        assert_eq!(check_length(100, 0), Err(Error::PacketNumberOffset));
    }
}
