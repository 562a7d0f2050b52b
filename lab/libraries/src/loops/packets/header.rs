//! Header protection (RFC 9001 §5.4) and packet numbers (RFC 9000 A.3), for libraries that leave both to their users.

use super::super::super::{JobError, Result};
use super::{HeaderProtectionSample, Mask};
use kasoku_model::workload::packets::HEADER_BYTES;

pub(crate) const NUMBER_BYTES: usize = 2;
pub(crate) const NUMBER_OFFSET: usize = HEADER_BYTES - NUMBER_BYTES;
/// Offset of the header protection sample: four bytes behind the start of the packet number, whatever the number's
/// length.
const SAMPLE_OFFSET: usize = NUMBER_OFFSET + 4;
/// Exclusive upper bound of packet numbers.
const END: u64 = 1 << 62;

#[inline]
pub(super) fn sample(packet: &[u8]) -> Result<&HeaderProtectionSample> {
    let sample = packet.get(SAMPLE_OFFSET..).and_then(|rest| rest.first_chunk());
    sample.ok_or_else(|| JobError::new("a packet that is too short to be sampled"))
}

/// Applies `mask` to the header of `packet`, whose packet number has [`NUMBER_BYTES`].
#[inline]
pub(super) fn mask(packet: &mut [u8], mask: Mask) {
    packet[0] ^= mask[0] & protected_bits(packet[0]);
    for (byte, part) in packet[NUMBER_OFFSET..][..NUMBER_BYTES].iter_mut().zip(&mask[1..]) {
        *byte ^= part;
    }
}

/// Removes the header protection. Returns the truncated packet number and its length in bytes.
#[inline]
pub(super) fn unmask(packet: &mut [u8], mask: Mask) -> (u64, usize) {
    packet[0] ^= mask[0] & protected_bits(packet[0]);
    let number_bytes = usize::from(packet[0] & 3) + 1;
    let mut truncated = 0;
    for (byte, part) in packet[NUMBER_OFFSET..][..number_bytes].iter_mut().zip(&mask[1..]) {
        *byte ^= part;
        truncated = truncated << 8 | u64::from(*byte);
    }
    (truncated, number_bytes)
}

/// Returns the packet number nearest to `expected` that ends with the `number_bytes` bytes of `truncated`.
#[inline]
pub(super) fn decode(expected: u64, truncated: u64, number_bytes: usize) -> u64 {
    let window = 1 << (8 * number_bytes);
    let candidate = expected & !(window - 1) | truncated;
    if candidate + window / 2 <= expected && candidate < END - window {
        candidate + window
    } else if candidate > expected + window / 2 && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}

/// Returns the protected bits of the first byte: four in a long header, five in a short one.
#[inline]
fn protected_bits(first: u8) -> u8 {
    if first & 0x80 == 0 { 0x1f } else { 0x0f }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_numbers_decode_as_in_rfc_9000() {
        // RFC 9000 A.3
        assert_eq!(decode(0xa82f_30eb, 0x9b32, 2), 0xa82f_9b32);
        assert_eq!(decode(0x1_0001, 0xffff, 2), 0xffff);
        assert_eq!(decode(0xffff, 0, 2), 0x1_0000);
        assert_eq!(decode(0, 0, 2), 0);
    }

    #[test]
    fn header_unmask_reverses_mask() {
        for first in [0x41, 0xc1] {
            let mut packet = [0x11; 40];
            packet[0] = first;
            let before = packet;
            mask(&mut packet, [0xff; 5]);
            assert_eq!(packet[0] ^ first, if first == 0x41 { 0x1f } else { 0x0f });
            assert_eq!(unmask(&mut packet, [0xff; 5]), (0x1111, 2));
            assert_eq!(packet, before);
        }
    }
}
