//! Packet numbers, against RFC 9000 appendix A written down plainly, by themselves and inside packets.

use kasoku_engine::Error;
use kasoku_engine::packet::number::{END, bytes_needed, decode};
use kasoku_engine::packet::{Packet, PacketProtection, Unmasked, Unprotected};
use proptest::prelude::*;

use crate::support::backends;

const CASES: u32 = if cfg!(debug_assertions) { 200 } else { 2000 };

/// RFC 9000 A.3 over the integers, which do not wrap.
fn decoded(expected: u64, truncated: u32, bytes: usize) -> i128 {
    let (expected, truncated) = (i128::from(expected), i128::from(truncated));
    let window = 1_i128 << (8 * bytes);
    let candidate = expected / window * window + truncated;
    if candidate <= expected - window / 2 && candidate < i128::from(END) - window {
        candidate + window
    } else if candidate > expected + window / 2 && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}

/// RFC 9000 A.2: one bit more than the base-2 logarithm of what is unacknowledged, rounded up to bytes.
fn needed(number: u64, acknowledged: Option<u64>) -> usize {
    let unacknowledged = acknowledged.map_or(number + 1, |acknowledged| number - acknowledged);
    ((unacknowledged as f64).log2().ceil() as usize + 1).div_ceil(8).max(1)
}

/// Numbers as they come, most of them near an end or near a power of two.
fn numbers() -> impl Strategy<Value = u64> {
    let near = |middle: u64| (0..600_u64).prop_map(move |more| middle.saturating_sub(300).saturating_add(more));
    prop_oneof![
        (0..62_u32).prop_flat_map(move |bit| near(1 << bit)),
        near(0),
        near(END).prop_map(|number| number.min(END - 1)),
        0..END,
    ]
}

fn protection(backend: usize, key_bytes: usize) -> PacketProtection {
    let backend = backends::paths()[backend % backends::paths().len()];
    PacketProtection::with_backend(&[1; 32][..key_bytes], &[2; 12], &[3; 32][..key_bytes], backend).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn they_are_decoded_as_the_standard_does(expected in numbers(), truncated in any::<u32>(), bytes in 1..=4_usize) {
        let truncated = truncated & (u32::MAX >> (32 - 8 * bytes));
        prop_assert_eq!(i128::from(decode(expected, truncated, bytes)), decoded(expected, truncated, bytes));
        prop_assert_eq!(i128::from(decode(END, truncated, bytes)), decoded(END, truncated, bytes));
        prop_assert!(decode(expected, truncated, bytes) < END, "so packets need not be asked one by one");
    }

    /// Whatever is expected, nothing panics.
    #[test]
    fn nothing_is_too_much(expected in any::<u64>(), truncated in any::<u32>(), bytes in 1..=4_usize) {
        let _ = decode(expected, truncated, bytes);
        let _ = bytes_needed(expected, None);
        let _ = bytes_needed(expected, Some(u64::from(truncated)));
    }

    #[test]
    fn they_get_the_bytes_they_need(
        acknowledged in proptest::option::of(0..END - (1 << 33)),
        distance in 1..1_u64 << 31,
    ) {
        let number = acknowledged.map_or(distance - 1, |acknowledged| acknowledged + distance);
        prop_assert_eq!(bytes_needed(number, acknowledged), Some(needed(number, acknowledged)));
    }

    /// A packet says its number to whoever expects one in its window.
    #[test]
    fn packets_carry_them(
        number in numbers(),
        bytes in 1..=4_usize,
        distance in any::<i64>(),
        backend in any::<usize>(),
        is_long in any::<bool>(),
        key_bytes in prop_oneof![Just(16), Just(32)],
    ) {
        let half = 1_i64 << (8 * bytes - 1);
        // Half a window before, or less than that behind.
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

    /// Expected numbers that no packet can have: an error at most.
    #[test]
    fn any_number_may_be_expected(
        expected in any::<u64>(),
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
        let decoded = decode(expected, number as u32 & (u32::MAX >> (32 - 8 * bytes)), bytes);
        let opened = protection.unprotect(expected, &mut packet, 5);
        for unprotect in [PacketProtection::unprotect_batch, PacketProtection::unprotect_side_by_side] {
            let mut copy = protected;
            let mut batch = [Packet::incoming(&mut copy, 5)];
            unprotect(&protection, expected, &mut batch);
            prop_assert_eq!(batch[0].result().err(), opened.as_ref().err().copied());
            prop_assert_eq!(copy, packet);
        }
        if decoded == number {
            prop_assert!(opened.is_ok());
        } else if decoded < END {
            prop_assert_eq!(opened, Err(Error::AuthenticationFailed));
            prop_assert!(packet[5 + bytes..44].iter().all(|&byte| byte == 0));
        } else {
            prop_assert_eq!(opened, Err(Error::PacketNumberTooLarge(decoded)));
            prop_assert_eq!(packet, protected);
            prop_assert_eq!(protection.failed_opens().count(), 0);
        }
    }
}
