//! Every kind of call fits into a stack of 1 MiB, half of the 2 MiB that tokio's threads have. This also holds without
//! optimisation, where the kernels are not inlined into one function (`build.rs`).

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
}

use kasoku_engine::packet::{Packet, PacketProtection};
use kasoku_engine::{AesGcm, CodePath, Nonce, Sealing};
use support::backends;

const STACK: usize = 1 << 20;

#[test]
fn calls_fit_into_a_stack_of_1_mib() {
    for &path in backends::paths() {
        for bytes in [16, 24, 32] {
            on_a_small_stack(move || messages(path, &[7; 32][..bytes]));
        }
        for bytes in [16, 32] {
            on_a_small_stack(move || packets(path, &[7; 32][..bytes]));
        }
    }
}

fn on_a_small_stack(calls: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(calls).unwrap().join().unwrap();
}

fn messages(path: CodePath, key: &[u8]) {
    let key = AesGcm::with_backend(key, path).unwrap();
    for bytes in [0, 16, 100, 400, 600, 5_000, 70_000] {
        for aad in [&[1; 13][..], &[1; 100]] {
            let mut data = vec![3; bytes];
            let tag = key.seal(&[9; 12], aad, &mut data).unwrap();
            key.open(&[9; 12], aad, &mut data, &tag).unwrap();
            key.open(Nonce::try_from(&[9; 16][..]).unwrap(), aad, &mut data, &tag).unwrap_err();
        }
    }
    let mut data = vec![3; 5_000];
    let mut sealing = Sealing::new(&key, &[9; 12]).unwrap();
    for end in [1, 100, 150, 1_000, 5_000] {
        sealing.update(&mut data[..end]).unwrap();
    }
    _ = sealing.finish();
}

fn packets(path: CodePath, key: &[u8]) {
    let keys = PacketProtection::with_backend(key, &[2; 12], key, path).unwrap().beginning_at(0).unwrap();
    for (turn, bytes) in (0..).zip([40, 256, 600, 1_500]) {
        let first = turn * 1_000;
        let mut buffer = vec![0x41; bytes * 64];
        for (number, packet) in (first..).zip(buffer.chunks_exact_mut(bytes)) {
            packet[18..20].copy_from_slice(&(number as u16).to_be_bytes());
            keys.protect(number, packet, 18, 2).unwrap();
            keys.unprotect(number, packet, 18).unwrap();
        }
        let mut batch: Vec<Packet<'_>> = Vec::new();
        for (number, packet) in (first + 100..).zip(buffer.chunks_exact_mut(bytes)) {
            packet[18..20].copy_from_slice(&(number as u16).to_be_bytes());
            batch.push(Packet::outgoing(number, packet, 18, 2));
        }
        assert_eq!(keys.protect_batch(&mut batch), 64);
        let mut batch: Vec<_> = buffer.chunks_exact_mut(bytes).map(|packet| Packet::incoming(packet, 18)).collect();
        assert_eq!(keys.unprotect_batch(first + 164, &mut batch), 64);
    }
}
