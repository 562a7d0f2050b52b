//! Measures the cost of one key for each message: XAES-256-GCM, AES-GCM-SIV, and the expansion of an AES-256-GCM key,
//! compared with AES-256-GCM under one key.
//!
//! ```text
//! cargo run --release -p kasoku-engine --example derived
//! ```
//!
//! Each figure is the minimum, in nanoseconds, of samples that alternate between the cases.

use std::hint::black_box;
use std::time::Instant;

use kasoku_engine::cpu::Found;
use kasoku_engine::{AesGcm, AesGcmSiv, CodePath, Error, XaesGcm};

const SAMPLES: usize = 200;
const TURNS: u32 = 500;
const LENGTHS: [usize; 8] = [16, 64, 256, 450, 1024, 1440, 4096, 16_384];
const AAD: &[u8] = &[5; 13];

fn main() -> Result<(), Error> {
    let found = Found::here().features();
    for path in CodePath::all().filter(|path| path.backend.runs_on(found)) {
        println!("{path}, seal, ns");
        println!("{:>8} {:>12} {:>24} {:>12} {:>12}", "bytes", "AES-256-GCM", "XAES-256-GCM", "GCM-SIV", "a new key");
        let (gcm, xaes) = (AesGcm::with_backend(&[7; 32], path)?, XaesGcm::with_backend(&[7; 32], path)?);
        let siv = AesGcmSiv::with_backend(&[7; 32], path)?;
        for length in LENGTHS {
            let mut data = [(); 3].map(|()| vec![1; length]);
            let [of_gcm, of_xaes, of_siv] = &mut data;
            let mut kinds: [&mut dyn FnMut(); 4] = [
                &mut || _ = black_box(gcm.seal(black_box(&[3; 12]), AAD, of_gcm)),
                &mut || _ = black_box(xaes.seal(black_box(&[3; 24]), AAD, of_xaes)),
                &mut || _ = black_box(siv.seal(black_box(&[3; 12]), AAD, of_siv)),
                &mut || _ = black_box(AesGcm::with_backend(black_box(&[7; 32]), path)),
            ];
            let mut fewest = [f64::MAX; 4];
            for _ in 0..SAMPLES {
                for (kind, fewest) in kinds.iter_mut().zip(&mut fewest) {
                    let started = Instant::now();
                    for _ in 0..TURNS {
                        kind();
                    }
                    *fewest = fewest.min(started.elapsed().as_nanos() as f64 / f64::from(TURNS));
                }
            }
            let [gcm, xaes, siv, new] = fewest;
            println!(
                "{length:>8} {gcm:>12.1} {:>24} {siv:>12.1} {new:>12.1}",
                format!("{xaes:.1} (+ {:.1})", xaes - gcm)
            );
        }
    }
    Ok(())
}
