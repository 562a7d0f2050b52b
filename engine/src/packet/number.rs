//! Packet numbers: the number of bytes to send, and decoding (RFC 9000 appendix A).

/// Smallest integer that is too large for a packet number, 2^62 (RFC 9000 §12.3).
pub const END: u64 = 1 << 62;

/// Returns the minimum number of bytes, 1 to 4, from which the receiver can decode `number` (RFC 9000 A.2).
/// `largest_acknowledged` is the largest packet number that the receiver has acknowledged, or `None` if there is none.
/// Returns `None` if four bytes are not enough, because more than 2^31 packets are unacknowledged, or if `number` is
/// not below 2^62.
///
/// ```
/// use kasoku_engine::packet::number;
/// assert_eq!(number::bytes_needed(0xAC_5C02, Some(0xAB_E8B3)), Some(2));
/// assert_eq!(number::bytes_needed(0xAC_E8FE, Some(0xAB_E8B3)), Some(3));
/// ```
///
/// Returns 1 if `number` is not above the largest acknowledged number. A new packet never has such a number.
#[must_use]
pub const fn bytes_needed(number: u64, largest_acknowledged: Option<u64>) -> Option<usize> {
    if number >= END {
        return None;
    }
    let unacknowledged = match largest_acknowledged {
        Some(largest) => number.saturating_sub(largest),
        None => number + 1,
    };
    // The window must have at least twice as many numbers as are unacknowledged, so it needs one more bit than they do.
    match unacknowledged {
        0..=0x80 => Some(1),
        0x81..=0x8000 => Some(2),
        0x8001..=0x80_0000 => Some(3),
        0x80_0001..=0x8000_0000 => Some(4),
        _ => None,
    }
}

/// Decodes a packet number (RFC 9000 A.3). Returns the number nearest to `expected` whose last `bytes` bytes (1 to 4)
/// are `truncated`. `expected` is the largest packet number received so far plus one.
///
/// ```
/// use kasoku_engine::packet::number;
/// assert_eq!(number::decode(0xA82F_30EB, 0x9B32, 2), 0xA82F_9B32);
/// ```
///
/// If `expected` is below 2^62, the result is below 2^62 too. Otherwise the result is the nearest number, or is not a
/// valid packet number.
///
/// No branch depends on the packet number or its length, which an observer must not learn (RFC 9001 §9.5).
#[must_use]
#[inline(always)]
pub const fn decode(expected: u64, truncated: u32, bytes: usize) -> u64 {
    let unused_bits = 64 - 8 * bytes as u32;
    // Sign-extended distance from the nearest number to the expected one; at least minus half a window.
    let before = (expected.wrapping_sub(truncated as u64) << unused_bits).cast_signed() >> unused_bits;
    let nearest = expected.wrapping_sub(before.cast_unsigned());
    let window = 1_u64 << (64 - unused_bits);
    // 1 if the nearest number is negative, all ones (-1) if it is 2^64 or more: its highest bit has wrapped.
    let windows_up = (nearest >> 63).wrapping_sub(expected >> 63);
    let is_too_large = (nearest >> 62) & !(nearest >> 63) & !(expected >> 62) & 1;
    nearest.wrapping_add(window.wrapping_mul(windows_up.wrapping_sub(is_too_large)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_recovers_packet_numbers_from_their_shortest_encoding() {
        for acknowledged in [None, Some(0), Some(77), Some(0xAB_E8B3), Some(END - 0x1_0000_0000)] {
            for distance in [1, 2, 0x7F, 0x80, 0x81, 0x7FFF, 0x8000, 0x8001, 0x80_0000, 0x80_0001, 0x8000_0000] {
                let number = acknowledged.map_or(distance - 1, |largest| largest + distance);
                let bytes = bytes_needed(number, acknowledged).unwrap();
                let truncated = (number & ((1 << (8 * bytes)) - 1)) as u32;
                // The receiver has received at least what it acknowledged, and at most every earlier packet.
                for expected in [acknowledged.map_or(0, |largest| largest + 1), number] {
                    assert_eq!(decode(expected, truncated, bytes), number, "{number:#x} after {acknowledged:?}");
                }
            }
            let far = acknowledged.map_or(0x8000_0000, |largest| largest + 0x8000_0001);
            assert_eq!(bytes_needed(far, acknowledged), None);
        }
        assert_eq!(bytes_needed(5, Some(9)), Some(1));
    }
}
