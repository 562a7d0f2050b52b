//! Packet numbers, alone and inside packets, compared with a reference implementation of RFC 9000 appendix A.

use kasoku_engine::Error;
use kasoku_engine::packet::number::{END, bytes_needed, decode};
use kasoku_engine::packet::{Packet, PacketProtection, Unmasked, Unprotected};
use proptest::prelude::*;

use crate::support::backends;

const CASES: u32 = if cfg!(debug_assertions) { 200 } else { 2000 };

/// RFC 9000 A.3 over integers that do not wrap.
fn reference_decode(expected: u64, truncated: u32, bytes: usize) -> u64 {
    let (expected, truncated) = (i128::from(expected), i128::from(truncated));
    let window = 1_i128 << (8 * bytes);
    let candidate = expected / window * window + truncated;
    let nearest = if candidate <= expected - window / 2 && candidate < i128::from(END) - window {
        candidate + window
    } else if candidate > expected + window / 2 && candidate >= window {
        candidate - window
    } else {
        candidate
    };
    u64::try_from(nearest).unwrap()
}

/// Returns the number if a packet can have it.
fn valid(number: u64) -> Option<u64> {
    Some(number).filter(|&number| number < END)
}

/// RFC 9000 A.2: the window of numbers that the bytes can represent is at least twice as large as the count of
/// unacknowledged numbers.
fn needed(number: u64, acknowledged: Option<u64>) -> Option<usize> {
    let unacknowledged = i128::from(number) - acknowledged.map_or(-1, i128::from);
    (1..=4).find(|bytes| number < END && 2 * unacknowledged <= 1 << (8 * bytes))
}

/// Yields all 64-bit numbers at most 300 away from a power of two, from 2^0 to 2^64.
fn near_powers_of_two() -> impl Iterator<Item = u64> {
    let powers = (0..=64).map(|bit| 1_i128 << bit);
    powers.flat_map(|power| power - 300..=power + 300).filter_map(|number| u64::try_from(number).ok())
}

#[test]
fn decode_matches_rfc_9000_for_expected_numbers_near_powers_of_two() {
    for (expected, bytes) in near_powers_of_two().flat_map(|expected| (1..=4).map(move |bytes| (expected, bytes))) {
        let window = 1_u64 << (8 * bytes);
        for distance in [0, 1, 2, 3, 127, window / 2 - 1, window / 2, window / 2 + 1, window - 1] {
            for number in [expected.wrapping_add(distance), expected.wrapping_sub(distance), distance] {
                let truncated = (number & (window - 1)) as u32;
                let (got, right) = (decode(expected, truncated, bytes), reference_decode(expected, truncated, bytes));
                let case = format!("expected {expected:#x}, {truncated:#x} in {bytes} bytes");
                assert_eq!(valid(got), valid(right), "{case}: {got:#x}");
                assert!(got < END || expected >= END, "callers rely on it and check no number below: {case}");
            }
        }
    }
}

#[test]
fn bytes_needed_matches_rfc_9000_for_numbers_near_powers_of_two() {
    for number in near_powers_of_two() {
        let near_windows = [1, 7, 15, 23, 31, 61].into_iter().flat_map(|bit| (1 << bit) - 2..=(1 << bit) + 2);
        let acknowledged = near_windows.filter_map(|distance| number.checked_sub(distance));
        for acknowledged in acknowledged.map(Some).chain([None]) {
            let (got, right) = (bytes_needed(number, acknowledged), needed(number, acknowledged));
            assert_eq!(got, right, "{number:#x} after {acknowledged:?}");
        }
    }
}

#[test]
fn bytes_needed_rejects_numbers_of_2_to_the_62_and_more() {
    for number in [END, END + 1, 1 << 63, u64::MAX] {
        for acknowledged in [None, Some(0), Some(END - 1), Some(number - 1), Some(number), Some(u64::MAX)] {
            assert_eq!(bytes_needed(number, acknowledged), None, "{number:#x} after {acknowledged:?}");
        }
    }
}

/// Valid packet numbers, most of them near an end or near a power of two.
fn numbers() -> impl Strategy<Value = u64> {
    let near = |middle: u64| (0..600_u64).prop_map(move |more| middle.saturating_sub(300).saturating_add(more));
    prop_oneof![
        (0..62_u32).prop_flat_map(move |bit| near(1 << bit)),
        near(0),
        near(END).prop_map(|number| number.min(END - 1)),
        0..END,
    ]
}

/// Any 64-bit numbers, many of them near 2^62, 2^63 and 2^64.
fn any_numbers() -> impl Strategy<Value = u64> {
    let near = |middle: u64| (0..600_u64).prop_map(move |more| middle.saturating_sub(300).saturating_add(more));
    prop_oneof![numbers(), near(END), near(1 << 63), near(u64::MAX - 299), any::<u64>()]
}

fn protection(backend: usize, key_bytes: usize) -> PacketProtection {
    let backend = backends::paths()[backend % backends::paths().len()];
    PacketProtection::with_backend(&[1; 32][..key_bytes], &[2; 12], &[3; 32][..key_bytes], backend).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decode_matches_rfc_9000(expected in any_numbers(), truncated in any::<u32>(), bytes in 1..=4_usize) {
        let truncated = truncated & (u32::MAX >> (32 - 8 * bytes));
        let number = decode(expected, truncated, bytes);
        prop_assert_eq!(valid(number), valid(reference_decode(expected, truncated, bytes)));
        prop_assert!(number < END || expected >= END, "callers rely on it and check no number below");
    }

    /// Tests any expected packet number: decoding never panics.
    #[test]
    fn decode_and_bytes_needed_never_panic(expected in any::<u64>(), truncated in any::<u32>(), bytes in 1..=4_usize) {
        let _ = decode(expected, truncated, bytes);
        let _ = bytes_needed(expected, None);
        let _ = bytes_needed(expected, Some(u64::from(truncated)));
    }

    #[test]
    fn bytes_needed_matches_rfc_9000(
        acknowledged in proptest::option::of(0..END - (1 << 33)),
        distance in 1..1_u64 << 31,
    ) {
        let number = acknowledged.map_or(distance - 1, |acknowledged| acknowledged + distance);
        prop_assert_eq!(bytes_needed(number, acknowledged), needed(number, acknowledged));
    }

    /// The receiver expects any number whose window contains the packet's number.
    #[test]
    fn unprotect_recovers_numbers_within_half_a_window_of_the_expected_one(
        number in numbers(),
        bytes in 1..=4_usize,
        distance in any::<i64>(),
        backend in any::<usize>(),
        is_long in any::<bool>(),
        key_bytes in prop_oneof![Just(16), Just(32)],
    ) {
        let half = 1_i64 << (8 * bytes - 1);
        // The expected number is at most half a window before the packet number, and less than half a window after it.
        let expected = (number as i64 + distance.rem_euclid(2 * half) - half).clamp(0, END as i64 - 1) as u64;
        let protection = protection(backend, key_bytes);
        let mut packet = [0x11; 60];
        packet[0] = u8::from(is_long) << 7 | 0x40 | (bytes as u8 - 1);
        packet[5..5 + bytes].copy_from_slice(&number.to_be_bytes()[8 - bytes..]);
        let plain = packet;
        protection.protect(number, &mut packet, 5, bytes)?;
        let mut copy = packet;
        let protected = packet;

        let opened = protection.unprotect(expected, &mut packet, 5);
        prop_assert_eq!(opened, Ok(Unprotected { number, payload: 5 + bytes..44 }));
        prop_assert_eq!(&packet[..44], &plain[..44]);
        let unmasked = protection.unmask(expected, &mut copy, 5);
        prop_assert_eq!(unmasked, Ok(Unmasked { number, number_bytes: bytes }));
        for unprotect in [PacketProtection::unprotect_batch, PacketProtection::unprotect_side_by_side] {
            let mut packet = protected;
            let mut batch = [Packet::incoming(&mut packet, 5)];
            prop_assert_eq!(unprotect(&protection, expected, &mut batch), 1);
            prop_assert_eq!((batch[0].number(), batch[0].number_bytes()), (number, bytes));
        }
    }

    /// An expected number of 2^62 or more leads to an error, unless a packet can have the number nearest to it.
    #[test]
    fn unprotect_rejects_numbers_that_decode_to_2_to_the_62_and_more(
        expected in any_numbers(),
        number in numbers(),
        bytes in 1..=4_usize,
        backend in any::<usize>(),
    ) {
        let protection = protection(backend, 16);
        let mut packet = [0x11; 60];
        packet[0] = 0x40 | (bytes as u8 - 1);
        packet[5..5 + bytes].copy_from_slice(&number.to_be_bytes()[8 - bytes..]);
        protection.protect(number, &mut packet, 5, bytes)?;
        let protected = packet;
        let decoded = reference_decode(expected, number as u32 & (u32::MAX >> (32 - 8 * bytes)), bytes);
        let opened = protection.unprotect(expected, &mut packet, 5);
        for unprotect in [PacketProtection::unprotect_batch, PacketProtection::unprotect_side_by_side] {
            let mut copy = protected;
            let mut batch = [Packet::incoming(&mut copy, 5)];
            unprotect(&protection, expected, &mut batch);
            prop_assert_eq!(batch[0].result().err(), opened.as_ref().err().copied());
            prop_assert_eq!(copy, packet);
        }
        let mut alone = protected;
        let unmasked = protection.unmask(expected, &mut alone, 5);
        let mut copy = protected;
        let mut batch = [Packet::incoming(&mut copy, 5)];
        protection.unmask_batch(expected, &mut batch);
        prop_assert_eq!(batch[0].result().err(), unmasked.err());
        prop_assert_eq!(copy, alone);
        if decoded < END {
            prop_assert_eq!(unmasked, Ok(Unmasked { number: decoded, number_bytes: bytes }));
        } else {
            prop_assert!(matches!(unmasked, Err(Error::PacketNumberTooLarge(number)) if number >= END));
            prop_assert_eq!(alone, protected);
        }
        if decoded == number {
            prop_assert!(opened.is_ok());
        } else if decoded < END {
            prop_assert_eq!(opened, Err(Error::AuthenticationFailed));
            prop_assert!(packet[5 + bytes..44].iter().all(|&byte| byte == 0));
        } else {
            prop_assert!(matches!(opened, Err(Error::PacketNumberTooLarge(number)) if number >= END));
            prop_assert_eq!(packet, protected);
            prop_assert_eq!(protection.failed_opens().count(), 0);
        }
    }
}
