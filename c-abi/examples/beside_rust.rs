//! What a call through C costs beside the same call in Rust: nanoseconds a message, the two in turn.
//!
//!   cargo run --release -p kasoku-c --example beside_rust

#![allow(unsafe_code, reason = "it calls what C calls")]

use std::hint::black_box;
use std::time::Instant;

use kasoku::{kasoku_gcm_free, kasoku_gcm_new, kasoku_gcm_open, kasoku_gcm_seal};
use kasoku_engine::{AesGcm, Error};

const SIZES: [usize; 7] = [16, 64, 256, 1024, 1440, 4096, 16384];
const ROUNDS: usize = 301;
/// Nanoseconds of a round of each.
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
        // SAFETY: as many bytes as are said, of buffers that nothing else uses meanwhile; the key is freed at the end.
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
    Ok(())
}

/// Nanoseconds of a call of each: those of the round whose difference is the median.
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
