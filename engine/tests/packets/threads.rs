//! One `PacketProtection` used by several threads at once.

use std::thread;

use kasoku_engine::packet::limits::CONFIDENTIALITY;
use kasoku_engine::packet::{FailedOpens, PacketProtection};

use crate::fixtures::{Keys, Lined, Plain, sparse};
use crate::support::random::Random;

const THREADS: u64 = 4;

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<PacketProtection>();
    is_shared::<FailedOpens>();
};

#[test]
fn threads_can_share_packet_keys_and_their_failure_count() {
    let mut random = Random::new(1);
    for keys in Keys::of_both_sizes(&mut random) {
        for protection in keys.protections_from(0) {
            thread::scope(|scope| {
                for thread in 0..THREADS {
                    let (protection, keys) = (&protection, &keys);
                    scope.spawn(move || work(protection, keys, thread));
                }
            });
            let rounds = (0..60).step_by(sparse(10)).count() as u64;
            assert_eq!(protection.failed_opens().count(), 2 * THREADS * rounds, "{protection:?}");
        }
    }
}

fn work(protection: &PacketProtection, keys: &Keys, thread: u64) {
    let (mut random, reference) = (Random::new(thread), keys.reference());
    for round in (0..60).step_by(sparse(10)) {
        let mut packet = |index: u64| {
            let bytes = 29 + random.below(400);
            Plain::new(&mut random, (thread << 20) + round * 16 + index, [bytes, 9, 4])
        };
        let plain: Vec<_> = (0..10).map(&mut packet).collect();
        let mut lined = Lined::new(plain.iter().map(|plain| &plain.bytes[..]));
        assert_eq!(protection.protect_batch(&mut lined.outgoing(&plain)), plain.len());
        for (bytes, plain) in lined.packets().zip(&plain) {
            assert!(*bytes == plain.protected(&reference), "{protection:?}, {}", plain.case());
            let mut alone = plain.bytes.clone();
            protection.protect(plain.number, &mut alone, 9, 4).unwrap();
            assert!(alone == bytes, "{protection:?}, {}", plain.case());
            assert!(protection.unprotect(plain.number, &mut alone, 9).is_ok(), "{protection:?}, {}", plain.case());
        }
        // Forges one packet of the batch, and one single packet.
        let forged = lined.packets().nth(3).unwrap();
        forged[20] ^= 1;
        assert!(protection.unprotect(plain[3].number, &mut forged.to_vec(), 9).is_err());
        let expected = (thread << 20) + round * 16;
        let mut batch = lined.incoming(&plain);
        assert_eq!(protection.unprotect_batch(expected, &mut batch), plain.len() - 1);
        for (index, (packet, plain)) in batch.iter().zip(&plain).enumerate() {
            assert_eq!(packet.payload(), if index == 3 { &[] } else { plain.payload() });
        }
    }
}

/// Any thread may set the first number. No packet may pass the limit counted from it.
#[test]
fn threads_share_one_confidentiality_limit() {
    let mut random = Random::new(2);
    let keys = Keys::new(&mut random, 16);
    for _ in 0..20 {
        for protection in keys.protections() {
            let sent: Vec<u64> = thread::scope(|scope| {
                let protect = |number| protection.protect(number, &mut [0x40; 60], 9, 1).is_ok().then_some(number);
                let numbers = (0..THREADS).map(|thread| thread * (CONFIDENTIALITY / 2));
                let threads: Vec<_> = numbers.map(|number| scope.spawn(move || protect(number))).collect();
                threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
            });
            let (first, last) = (sent.iter().min().unwrap(), sent.iter().max().unwrap());
            assert!(last - first < CONFIDENTIALITY, "{protection:?}: {sent:?}");
        }
    }
}
