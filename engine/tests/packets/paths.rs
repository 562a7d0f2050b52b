//! Packets of multipath connections (RFC 10069): one key for all paths, and the path ID in the nonce.

use kasoku_engine::Error;
use kasoku_engine::packet::limits::CONFIDENTIALITY;

use crate::fixtures::{Keys, Lined, Plain};
use crate::support::random::Random;

const PATH_IDS: [u32; 5] = [1, 2, 0x0102_0304, u32::MAX, 0];

#[test]
fn packets_of_each_path_match_the_reference() {
    let mut random = Random::new(1);
    for keys in Keys::of_both_sizes(&mut random) {
        for path_id in PATH_IDS {
            let reference = keys.reference().on_path(path_id);
            let plain: Vec<_> = [30, 60, 200, 1_300, 1_300, 9_000]
                .into_iter()
                .zip([0, 1, 0x1234, (1 << 62) - 3, (1 << 62) - 2, (1 << 62) - 1])
                .map(|(bytes, number)| Plain::new(&mut random, number, [bytes, 9, 4]))
                .collect();
            let protected: Vec<_> = plain.iter().map(|plain| plain.protected(&reference)).collect();
            for protection in keys.protections() {
                // The path of the object that another one is made from does not matter.
                let path = protection.on_path(77).on_path(path_id);
                let (name, path_zero) = (protection.code_path(), protection.on_path(0));
                drop(protection);
                for (plain, protected) in plain.iter().zip(&protected) {
                    let path = path_zero.on_path(path_id);
                    let mut packet = plain.bytes.clone();
                    path.protect(plain.number, &mut packet, 9, 4).unwrap();
                    assert!(packet == *protected, "{name}, path {path_id:#x}, {}", plain.case());
                    let opened = path.unprotect(plain.number, &mut packet.clone(), 9).map(|opened| opened.number);
                    assert_eq!(opened, Ok(plain.number), "{name}, path {path_id:#x}, {}", plain.case());
                    let on_other_path = path.on_path(!path_id).unprotect(plain.number, &mut packet, 9);
                    assert_eq!(on_other_path, Err(Error::AuthenticationFailed), "{name}");
                }
                let batch = &plain[..3];
                let mut lined = Lined::new(batch.iter().map(|plain| &plain.bytes[..]));
                assert_eq!(path.protect_batch(&mut lined.outgoing(batch)), batch.len(), "{name}");
                assert!(lined.packets().zip(&protected).all(|(packet, protected)| packet == &protected[..]), "{name}");
            }
        }
    }
}

#[test]
fn paths_share_limit_and_failed_opens() {
    let mut random = Random::new(2);
    for first in Keys::new(&mut random, 16).protections() {
        let second = first.on_path(1);
        let mut packet = [0x41; 60];
        assert_eq!(second.protect(1 << 40, &mut packet, 9, 2), Ok(()));
        assert_eq!(first.protect(7, &mut packet, 9, 2), Ok(()));
        let last = 7 + CONFIDENTIALITY - (1 << 16) - 1;
        assert_eq!(first.protect(last, &mut packet, 9, 2), Ok(()));
        assert_eq!(first.protect(last + 1, &mut packet, 9, 2), Err(Error::ConfidentialityLimit));
        assert_eq!(first.on_path(2).protect(0, &mut packet, 9, 2), Err(Error::ConfidentialityLimit));
        assert!(first.unprotect(0, &mut packet, 9).is_err());
        assert_eq!(second.failed_opens().count(), 1);
        // The next key phase is for path 0, and has a limit of its own.
        let next = second.next_phase(&[5; 16], &[6; 12]).unwrap();
        let mut packets = [[0x41; 60]; 2];
        next.protect(3, &mut packets[0], 9, 2).unwrap();
        first.next_phase(&[5; 16], &[6; 12]).unwrap().protect(3, &mut packets[1], 9, 2).unwrap();
        assert_eq!(packets[0], packets[1]);
    }
}
