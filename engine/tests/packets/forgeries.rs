//! Packets with one changed bit, at every position: the receiver returns an error and no plaintext, and counts one more
//! failure.

use kasoku_engine::Error;
use kasoku_engine::packet::{Packet, PacketProtection, Unmasked};

use crate::fixtures::{Keys, Lined, Plain, sparse};
use crate::reference::Reference;
use crate::support::random::Random;

const NUMBER: u64 = 0xBEEF_0123;

#[test]
fn unprotect_rejects_every_flipped_bit() {
    let mut random = Random::new(1);
    for keys in Keys::of_both_sizes(&mut random) {
        let (reference, protections) = (keys.reference(), keys.protections());
        for (index, payload) in [3, 16, 17, 45, 100, 259].into_iter().enumerate().step_by(sparse(2)) {
            for number_offset in [1, 9, 18].into_iter().step_by(sparse(2)) {
                for first in [0x40, 0xC0] {
                    let number_bytes = 1 + (index + number_offset) % 4;
                    let bytes = number_offset + number_bytes + payload + 16;
                    let mut plain = Plain::new(&mut random, NUMBER, [bytes, number_offset, number_bytes]);
                    plain.bytes[0] = first | plain.bytes[0] & 0x3F;
                    let protected = plain.protected(&reference);
                    for protection in &protections {
                        for bit in (0..8 * bytes).step_by(sparse(11)) {
                            check(&reference, protection, &plain, &protected, bit);
                        }
                    }
                }
            }
        }
    }
}

/// One bad packet in a batch, at every position, with a bit changed in each of its parts.
#[test]
fn batch_rejects_only_the_forged_packet() {
    let mut random = Random::new(2);
    for keys in Keys::of_both_sizes(&mut random) {
        let (reference, protections) = (keys.reference(), keys.protections());
        for count in [2, 3, 5, 8, 13, 33].into_iter().step_by(sparse(2)) {
            let mut packet = |index: usize| Plain::new(&mut random, NUMBER, [70 + 50 * (index % 3), 9, 2]);
            let plain: Vec<_> = (0..count).map(&mut packet).collect();
            let protected: Vec<_> = plain.iter().map(|plain| plain.protected(&reference)).collect();
            for protection in &protections {
                for place in 0..count {
                    for byte in [0, 4, 9, 10, 11, 40, protected[place].len() - 16, protected[place].len() - 1] {
                        let mut lined = Lined::new(protected.iter().map(Vec::as_slice));
                        if let Some(packet) = lined.packets().nth(place) {
                            packet[byte] ^= 0x08;
                        }
                        let before = protection.failed_opens().count();
                        let mut batch = lined.incoming(&plain);
                        let succeeded = protection.unprotect_side_by_side(NUMBER, &mut batch);
                        assert_eq!(succeeded, count - 1, "{protection:?}");
                        assert_eq!(protection.failed_opens().count(), before + 1);
                        for (index, packet) in batch.iter().enumerate() {
                            let case = format!("{protection:?}, packet {index} of {count}, byte {byte} of {place}");
                            if index == place {
                                assert_eq!(packet.result(), Err(Error::AuthenticationFailed), "{case}");
                                let text = 9 + packet.number_bytes()..packet.bytes().len() - 16;
                                assert!(packet.bytes()[text].iter().all(|&byte| byte == 0), "{case}");
                                assert!(packet.payload().is_empty(), "{case}");
                            } else {
                                assert_eq!(packet.result(), Ok(()), "{case}");
                                assert!(packet.payload() == plain[index].payload(), "{case}");
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Each key, the IV or the number differs from the one that the packet was protected with.
#[test]
fn unprotect_rejects_packets_of_other_keys_and_numbers() {
    let mut random = Random::new(3);
    for keys in Keys::of_both_sizes(&mut random) {
        let plain = Plain::new(&mut random, NUMBER, [300, 9, 4]);
        let protected = plain.protected(&keys.reference());
        let change = |bytes: &[u8]| bytes.iter().enumerate().map(|(i, b)| b ^ u8::from(i == 5)).collect::<Vec<_>>();
        let Keys { key, iv, header_key } = &keys;
        let others = [
            Keys { key: change(key), iv: *iv, header_key: header_key.clone() },
            Keys { key: key.clone(), iv: change(iv).try_into().unwrap(), header_key: header_key.clone() },
            Keys { key: key.clone(), iv: *iv, header_key: change(header_key) },
        ];
        for protection in others.iter().flat_map(Keys::protections) {
            let result = protection.unprotect(NUMBER, &mut protected.clone(), 9);
            assert_eq!(result, Err(Error::AuthenticationFailed), "{protection:?}");
        }
        for protection in keys.protections() {
            // The packet number is right only in its lowest 32 bits.
            let mut packet = protected.clone();
            assert_eq!(
                protection.unprotect(NUMBER + (1 << 32), &mut packet, 9),
                Err(Error::AuthenticationFailed),
                "{protection:?}"
            );
            assert!(packet[13..284].iter().all(|&byte| byte == 0), "{protection:?}");
            assert_eq!(protection.failed_opens().count(), 1);
        }
    }
}

fn check(reference: &Reference, protection: &PacketProtection, plain: &Plain, protected: &[u8], bit: usize) {
    let case = || format!("{protection:?}, bit {bit} of {}", plain.case());
    let mut forged = protected.to_vec();
    forged[bit / 8] ^= 1 << (bit % 8);
    // Expected: the header of the received packet without its mask, zeros, and the tag as received.
    let mut expected = forged.clone();
    let (truncated, number_bytes) = reference.unmask(&mut expected, plain.number_offset);
    let text = plain.number_offset + number_bytes..forged.len() - 16;
    let unmasked = expected.clone();
    expected[text.clone()].fill(0);

    let before = protection.failed_opens().count();
    let mut packet = forged.clone();
    assert_eq!(
        protection.unprotect(NUMBER, &mut packet, plain.number_offset),
        Err(Error::AuthenticationFailed),
        "{}",
        case()
    );
    assert!(packet == expected, "{}", case());

    let mut packet = forged.clone();
    let result = protection.unmask(NUMBER, &mut packet, plain.number_offset);
    let Ok(Unmasked { number, number_bytes: in_bytes }) = result else { panic!("{result:?}, {}", case()) };
    assert_eq!(in_bytes, number_bytes, "{}", case());
    assert_eq!(number & (u64::MAX >> (64 - 8 * number_bytes)), u64::from(truncated), "{}", case());
    assert!(packet == unmasked, "{}", case());
    assert_eq!(protection.failed_opens().count(), before + 1, "nothing was verified, {}", case());
    let opened = protection.open(number, &mut packet, plain.number_offset, number_bytes);
    assert_eq!(opened, Err(Error::AuthenticationFailed), "{}", case());
    assert!(packet == expected, "{}", case());
    assert_eq!(protection.failed_opens().count(), before + 2, "{}", case());

    for unprotect in [PacketProtection::unprotect_batch, PacketProtection::unprotect_side_by_side] {
        let before = protection.failed_opens().count();
        let mut packet = forged.clone();
        let mut batch = [Packet::incoming(&mut packet, plain.number_offset)];
        assert_eq!(unprotect(protection, NUMBER, &mut batch), 0, "{}", case());
        assert_eq!(batch[0].result(), Err(Error::AuthenticationFailed), "{}", case());
        assert!(batch[0].payload().is_empty() && batch[0].bytes() == expected, "{}", case());
        assert_eq!(protection.failed_opens().count(), before + 1, "{}", case());
    }
}
