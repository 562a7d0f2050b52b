//! Packet numbers: how many bytes of one are sent, and which one was meant (RFC 9000 appendix A).

/// The first number that no packet has (RFC 9000 §12.3).
pub const END: u64 = 1 << 62;

/// The fewest bytes, 1 to 4, that let the other side decode `number`, given the largest number it is known to have
/// received, if any (RFC 9000 A.2). `None` if not even four are enough: more than 2^31 packets are on their way.
///
/// ```
/// use kasoku_engine::packet::number;
/// assert_eq!(number::bytes_needed(0xAC_5C02, Some(0xAB_E8B3)), Some(2));
/// assert_eq!(number::bytes_needed(0xAC_E8FE, Some(0xAB_E8B3)), Some(3));
/// ```
///
/// A `number` not above the largest acknowledged one is not a new packet's; it gets the one byte it would need.
#[must_use]
pub const fn bytes_needed(number: u64, largest_acknowledged: Option<u64>) -> Option<usize> {
    let unacknowledged = match largest_acknowledged {
        Some(largest) => number.saturating_sub(largest),
        None => number.saturating_add(1),
    };
    // A window of twice as many numbers: one bit more than counts them.
    match unacknowledged {
        0..=0x80 => Some(1),
        0x81..=0x8000 => Some(2),
        0x8001..=0x80_0000 => Some(3),
        0x80_0001..=0x8000_0000 => Some(4),
        _ => None,
    }
}

/// The number whose last `bytes` bytes (1 to 4) are `truncated` and that is nearest to `expected`, the largest number
/// received so far and one (RFC 9000 A.3).
///
/// ```
/// use kasoku_engine::packet::number;
/// assert_eq!(number::decode(0xA82F_30EB, 0x9B32, 2), 0xA82F_9B32);
/// ```
///
/// It takes no branch on the numbers or their size, which an observer must not learn (RFC 9001 §9.5).
#[must_use]
#[inline(always)]
pub const fn decode(expected: u64, truncated: u32, bytes: usize) -> u64 {
    let unused_bits = 64 - 8 * bytes as u32;
    // How far it lies before the expected number, as a signed number of this many bits: from half a window behind to
    // nearly half a window before.
    let before = (expected.wrapping_sub(truncated as u64) << unused_bits).cast_signed() >> unused_bits;
    let nearest = expected.wrapping_sub(before.cast_unsigned());
    // At both ends of the range the nearest may lie outside. (An expected number outside it has no effect.)
    let window = 1_u64 << (64 - unused_bits);
    let is_negative = nearest >> 63;
    let is_too_large = (nearest >> 62) & !(expected >> 62) & !is_negative & 1;
    nearest.wrapping_add(window * is_negative).wrapping_sub(window * is_too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9000 A.3 as it is printed.
    fn decode_as_printed(expected: u64, truncated: u64, bits: u32) -> u64 {
        let win = 1 << bits;
        let hwin = win / 2;
        let candidate = (expected & !(win - 1)) | truncated;
        if expected >= hwin && candidate <= expected - hwin && candidate < (1 << 62) - win {
            return candidate + win;
        }
        if candidate > expected + hwin && candidate >= win {
            return candidate - win;
        }
        candidate
    }

    #[test]
    fn it_decodes_as_the_standard_does() {
        let around = |middle: u64| (middle.saturating_sub(300)..middle.saturating_add(300)).step_by(7);
        let expected = [0, 1 << 8, 1 << 16, (1 << 24) + 5, 1 << 32, 0xA82F_30EB, END - (1 << 32), END - 1];
        for expected in expected.into_iter().flat_map(around).filter(|&expected| expected <= END) {
            for bytes in 1..=4 {
                let window = 1_u64 << (8 * bytes);
                for near in [0, 1, window / 2 - 1, window / 2, window / 2 + 1, window - 1] {
                    for number in [expected.wrapping_add(near), expected.wrapping_sub(near), near] {
                        let truncated = number & (window - 1);
                        assert_eq!(
                            decode(expected, truncated as u32, bytes as usize),
                            decode_as_printed(expected, truncated, 8 * bytes),
                            "expected {expected:#x}, truncated {truncated:#x}, {bytes} bytes"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_written_in_the_bytes_needed_is_read_again() {
        for acknowledged in [None, Some(0), Some(77), Some(0xAB_E8B3), Some(END - 0x1_0000_0000)] {
            for distance in [1, 2, 0x7F, 0x80, 0x81, 0x7FFF, 0x8000, 0x8001, 0x80_0000, 0x80_0001, 0x8000_0000] {
                let number = acknowledged.map_or(distance - 1, |largest| largest + distance);
                let bytes = bytes_needed(number, acknowledged).unwrap();
                let truncated = (number & ((1 << (8 * bytes)) - 1)) as u32;
                // The receiver has at least what it acknowledged, at most everything before.
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
