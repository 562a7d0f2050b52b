//! Compares messages in several slices with the same messages in one slice, each case in one process:
//!
//! ```text
//! cargo run --release -p kasoku-engine --example vectored
//! ```
//!
//! All figures are in nanoseconds a message. Each column has the minimum time; `vectored` and `copied` also have the
//! median extra time over `seal_to` from one slice, measured in alternating samples. `copied` copies the slices to the
//! output and seals the output in place. `zeroed` is the time for zeroing a new output first, which `copied` does not
//! need.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kasoku_engine::cpu::Found;
use kasoku_engine::{AesGcm, CodePath, Error};

const SAMPLES: usize = 400;
const SAMPLE: Duration = Duration::from_micros(100);
const NONCE: [u8; 12] = [3; 12];
const AAD: &[u8] = &[5; 13];

fn main() -> Result<(), Error> {
    let found = Found::here().features();
    for path in CodePath::all().filter(|path| path.backend.runs_on(found)) {
        println!("{path}, AES-128, seal, ns a message");
        println!("{:>28} {:>10}  {:>24} {:>24} {:>10}", "slices", "one slice", "vectored", "copied", "zeroed");
        let key = AesGcm::with_backend(&[7; 16], path)?;
        case(&key, "one of 1440", &[1440]);
        case(&key, "5 and 1440", &[5, 1440]);
        case(&key, "1440 and 1", &[1440, 1]);
        case(&key, "10 of 144", &[144; 10]);
        case(&key, "5 and 16384", &[5, 16384]);
        case(&key, "16384 and 1", &[16384, 1]);
        case(&key, "2 of 8192", &[8192; 2]);
        case(&key, "10 of 1638", &[1638; 10]);
        case(&key, "64 of 256", &[256; 64]);
        case(&key, "1024 of 16", &[16; 1024]);
    }
    Ok(())
}

fn case(key: &AesGcm, name: &str, lengths: &[usize]) {
    let bytes: usize = lengths.iter().sum();
    let whole = vec![1; bytes];
    // Each slice has a buffer of its own, apart from the others.
    let buffers: Vec<Vec<u8>> = lengths.iter().map(|&bytes| vec![1; bytes]).collect();
    let slices: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
    let mut outputs = [vec![0; bytes], vec![0; bytes], vec![0; bytes], vec![0; bytes]];
    let [one, vectored, copied, zeroed] = &mut outputs;
    let mut kinds: [&mut dyn FnMut(); 4] = [
        &mut || _ = black_box(key.seal_to(black_box(&NONCE), AAD, black_box(&whole), one)),
        &mut || {
            _ = black_box(key.seal_vectored(black_box(&NONCE), [AAD], black_box(&slices).iter().copied(), vectored));
        },
        &mut || {
            let mut rest = copied.as_mut_slice();
            for slice in black_box(&slices) {
                let (place, behind) = rest.split_at_mut(slice.len());
                place.copy_from_slice(slice);
                rest = behind;
            }
            _ = black_box(key.seal(black_box(&NONCE), AAD, copied));
        },
        &mut || black_box(&mut *zeroed).fill(0),
    ];
    let mut timed = |kind: usize, turns: u32| {
        let started = Instant::now();
        for _ in 0..turns {
            kinds[kind]();
        }
        started.elapsed().as_nanos() as f64 / f64::from(turns)
    };
    let turns = (SAMPLE.as_nanos() as f64 / timed(0, 1000)) as u32 + 1;
    let (mut samples, mut fewest) = ([const { Vec::new() }; 4], [f64::MAX; 4]);
    for sample in 0..SAMPLES {
        let order = if sample % 2 == 0 { [0, 1, 2, 3] } else { [3, 2, 1, 0] };
        let mut took = [0.0; 4];
        for kind in order {
            took[kind] = timed(kind, turns);
            fewest[kind] = fewest[kind].min(took[kind]);
        }
        for (samples, it) in samples.iter_mut().zip(took) {
            samples.push(it - took[0]);
        }
    }
    let mut more = samples.map(|mut samples| {
        samples.sort_by(f64::total_cmp);
        samples[SAMPLES / 2]
    });
    more[3] += fewest[0];
    let column = |kind: usize| {
        format!("{:>8.1} {:>+6.1} ({:>+5.1} %)", fewest[kind], more[kind], 100.0 * more[kind] / fewest[0])
    };
    println!("{name:>28} {:>10.1}  {:>24} {:>24} {:>10.1}", fewest[0], column(1), column(2), fewest[3]);
}
