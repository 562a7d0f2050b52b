//! Measures the cost of the C interface: each call through C and in Rust, and a batch of one QUIC packet against the
//! call for single packets. Prints nanoseconds per message or packet; the compared calls alternate.
//!
//!   cargo run --release -p kasoku-c --example beside_rust

#![allow(unsafe_code, reason = "calls the C API")]

use std::hint::black_box;
use std::time::Instant;

use kasoku::{
    kasoku_gcm_free, kasoku_gcm_new, kasoku_gcm_open, kasoku_gcm_seal, kasoku_quic_free, kasoku_quic_new,
    kasoku_quic_packet, kasoku_quic_protect, kasoku_quic_protect_batch, kasoku_quic_unprotect,
    kasoku_quic_unprotect_batch,
};
use kasoku_engine::{AesGcm, Error};

const SIZES: [usize; 7] = [16, 64, 256, 1024, 1440, 4096, 16384];
const ROUNDS: usize = 301;
/// Duration of one measuring round, in nanoseconds, in which one call is repeated.
const ROUND: f64 = 50_000.0;

fn main() -> Result<(), Error> {
    let (key, nonce, aad) = ([7; 16], [3; 12], [5; 13]);
    let rust = AesGcm::new(&key)?;
    println!("AES-128-GCM, {} bytes of AAD, backend {}; the median of {ROUNDS} rounds", aad.len(), rust.backend());
    println!("  bytes   seal: Rust       C  more    open: Rust       C  more   nanoseconds");
    for bytes in SIZES {
        let plaintext = vec![1_u8; bytes];
        let (mut ciphertext, mut output, mut tag) = (vec![0; bytes], vec![0; bytes], [0; 16]);
        rust.seal_into(&nonce, &aad, &plaintext, &mut ciphertext, &mut tag)?;
        let (genuine, mut made) = (tag, tag);
        // SAFETY: the lengths are those of buffers that nothing else uses; the key is freed at the end.
        let [sealing, opening] = unsafe {
            let c = kasoku_gcm_new(key.as_ptr(), key.len());
            let sealing = in_turn(
                || _ = rust.seal_into(black_box(&nonce), &aad, &plaintext, &mut output, &mut made),
                || {
                    _ = kasoku_gcm_seal(
                        c,
                        nonce.as_ptr(),
                        12,
                        aad.as_ptr(),
                        aad.len(),
                        plaintext.as_ptr(),
                        bytes,
                        ciphertext.as_mut_ptr(),
                        tag.as_mut_ptr(),
                    )
                },
            );
            let mut opened = vec![0; bytes];
            let opening = in_turn(
                || _ = rust.open_to(black_box(&nonce), &aad, &ciphertext, &mut opened, &genuine),
                || {
                    _ = kasoku_gcm_open(
                        c,
                        nonce.as_ptr(),
                        12,
                        aad.as_ptr(),
                        aad.len(),
                        ciphertext.as_ptr(),
                        bytes,
                        genuine.as_ptr(),
                        output.as_mut_ptr(),
                    )
                },
            );
            kasoku_gcm_free(c);
            assert!(opened == plaintext && output == plaintext && tag == genuine && made == genuine);
            [sealing, opening]
        };
        let [[seal_rust, seal_c], [open_rust, open_c]] = [sealing, opening];
        println!(
            "{bytes:7}  {seal_rust:11.1} {seal_c:7.1} {:5.1}  {open_rust:12.1} {open_c:7.1} {:5.1}",
            seal_c - seal_rust,
            open_c - open_rust
        );
    }
    compare_packets();
    Ok(())
}

/// Compares the calls for single packets with batches of one packet. Received packets are copied before each call.
fn compare_packets() {
    const HEADER_BYTES: usize = 20;
    println!("\npayload   protect: one   batch  more   unprotect: one   batch  more   nanoseconds");
    for bytes in SIZES {
        let bytes_in_clear = HEADER_BYTES + bytes;
        let mut packet = vec![0x41; bytes_in_clear + 16];
        let (start, length) = (packet.as_mut_ptr(), packet.len());
        let mut batch = kasoku_quic_packet {
            packet_number: 1,
            packet: start,
            pn_offset: 18,
            pn_len: 2,
            packet_len: bytes_in_clear,
            result: 0,
        };
        let (mut number, mut payload_offset, mut payload_bytes) = (0, 0, 0);
        let key = [7; 16];
        // SAFETY: the length is that of a buffer that nothing else uses; the key is freed at the end.
        let [[one, many], [open_one, open_many]] = unsafe {
            let quic = kasoku_quic_new(key.as_ptr(), key.len(), key.as_ptr(), key.as_ptr());
            let protecting = in_turn(
                || _ = kasoku_quic_protect(quic, black_box(1), start, 18, 2, bytes_in_clear),
                || _ = kasoku_quic_protect_batch(quic, black_box(&mut batch), 1),
            );
            start.write_bytes(0x41, length);
            assert_eq!(kasoku_quic_protect(quic, 0x4141, start, 18, 2, bytes_in_clear), 0);
            let sealed = packet.clone();
            batch.packet_len = length;
            let (mut code, mut opened) = (-1, 0);
            let unprotecting = in_turn(
                || {
                    start.copy_from_nonoverlapping(sealed.as_ptr(), length);
                    let (offset, bytes) = (&raw mut payload_offset, &raw mut payload_bytes);
                    code = kasoku_quic_unprotect(quic, 0x4141, start, 18, length, &mut number, offset, bytes);
                },
                || {
                    start.copy_from_nonoverlapping(sealed.as_ptr(), length);
                    opened = kasoku_quic_unprotect_batch(quic, 0x4141, black_box(&mut batch), 1);
                },
            );
            assert!(code == 0 && opened == 1 && batch.packet_number == 0x4141);
            kasoku_quic_free(quic);
            [protecting, unprotecting]
        };
        println!(
            "{bytes:7}  {one:13.1} {many:7.1} {:5.1}  {open_one:15.1} {open_many:7.1} {:5.1}",
            many - one,
            open_many - open_one
        );
    }
}

/// Times `one` and `other` alternately in several rounds. Returns the nanoseconds per call of `one` and of `other` in
/// the round whose difference is the median.
fn in_turn(mut one: impl FnMut(), mut other: impl FnMut()) -> [f64; 2] {
    let calls = (ROUND / time(100, &mut one).max(1.0)) as usize + 1;
    let mut rounds: Vec<[f64; 2]> = (0..ROUNDS)
        .map(|round| {
            if round % 2 == 0 {
                return [time(calls, &mut one), time(calls, &mut other)];
            }
            let last = time(calls, &mut other);
            [time(calls, &mut one), last]
        })
        .collect();
    rounds.sort_by(|[a, b], [c, d]| (b - a).total_cmp(&(d - c)));
    rounds[ROUNDS / 2]
}

fn time(calls: usize, call: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed().as_nanos() as f64 / calls as f64
}
