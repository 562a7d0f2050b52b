//! Compares the code paths that run on this CPU, each message size in one process:
//!
//! ```text
//! cargo run --release -p kasoku-engine --example schedules
//! ```
//!
//! Each figure is the minimum, in nanoseconds a message, of 200 short samples that alternate between the code paths.
//! This excludes contention from other programs as far as possible. The ratios are to the first column.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kasoku_engine::cpu::Found;
use kasoku_engine::{AesGcm, CodePath, Error, Tag};

const SIZES: [usize; 9] = [16, 64, 128, 256, 512, 1024, 1440, 4096, 16384];
const SAMPLES: usize = 200;
const SAMPLE: Duration = Duration::from_micros(100);

fn main() -> Result<(), Error> {
    let found = Found::here().features();
    let paths: Vec<CodePath> =
        CodePath::all().filter(|path| path.backend.runs_on(found)).collect::<Vec<_>>().into_iter().rev().collect();
    for (key_bytes, opens) in [(16, false), (16, true), (32, false), (32, true)] {
        println!("{} with AES-{}, ns a message", if opens { "open" } else { "seal" }, 8 * key_bytes);
        println!(
            "{:>6}  {}",
            "bytes",
            paths.iter().map(|path| format!("{:>22}", path.to_string())).collect::<String>()
        );
        let keys: Vec<AesGcm> =
            paths.iter().map(|path| AesGcm::with_backend(&[7; 32][..key_bytes], *path)).collect::<Result<_, _>>()?;
        for bytes in SIZES {
            let fewest = race(&keys, bytes, opens)?;
            let column = |ns: &f64| format!("{ns:>12.1} ({:>5.3}×)", fewest[0] / ns);
            println!("{bytes:>6}  {}", fewest.iter().map(column).collect::<String>());
        }
    }
    Ok(())
}

/// Returns, for each key, the minimum number of nanoseconds that a message takes.
fn race(keys: &[AesGcm], bytes: usize, opens: bool) -> Result<Vec<f64>, Error> {
    let mut message = Message { input: vec![1; bytes], output: vec![0; bytes], tag: [0; 16] };
    if opens {
        message.tag = keys[0].seal(&NONCE, AAD, &mut message.input)?;
    }
    let started = Instant::now();
    message.run(&keys[0], 1000, opens)?;
    let messages = (1000.0 * SAMPLE.as_secs_f64() / started.elapsed().as_secs_f64()) as u32 + 1;
    let mut fewest = vec![f64::MAX; keys.len()];
    for sample in 0..SAMPLES {
        for turn in 0..keys.len() {
            // Alternates direction, so that each key follows and precedes the same neighbours.
            let index = if sample % 2 == 0 { turn } else { keys.len() - 1 - turn };
            let started = Instant::now();
            message.run(&keys[index], messages, opens)?;
            let took = started.elapsed().as_nanos() as f64 / f64::from(messages);
            fewest[index] = fewest[index].min(took);
        }
    }
    Ok(fewest)
}

const NONCE: [u8; 12] = [3; 12];
const AAD: &[u8] = &[5; 13];

struct Message {
    input: Vec<u8>,
    output: Vec<u8>,
    tag: Tag,
}

impl Message {
    fn run(&mut self, key: &AesGcm, messages: u32, opens: bool) -> Result<(), Error> {
        for _ in 0..messages {
            let nonce = black_box(&NONCE);
            if opens {
                key.open_to(nonce, AAD, &self.input, &mut self.output, &self.tag)?;
            } else {
                key.seal_into(nonce, AAD, &self.input, &mut self.output, &mut self.tag)?;
            }
        }
        Ok(())
    }
}
