//! Seals a number of messages and nothing else, for instruments that count what a program executes:
//!
//! ```text
//! cargo run --release -p kasoku-engine --example messages -- aes-pmull 16 1350 100
//! ```
//!
//! The arguments are the backend, the length of the key in bytes, the length of a message in bytes, and the number of
//! messages. Each message has 13 bytes of AAD.

use std::error::Error;
use std::hint::black_box;

use kasoku_engine::{AesGcm, Backend};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [backend, key_bytes, bytes, messages] = &arguments[..] else {
        return Err("which backend, key bytes, message bytes, messages?".into());
    };
    let key = AesGcm::with_backend(&[7; 32][..key_bytes.parse()?], backend.parse::<Backend>()?)?;
    let mut message = vec![1; bytes.parse()?];
    for _ in 0..messages.parse()? {
        black_box(key.seal(&[5; 12], &[3; 13], black_box(&mut message))?);
    }
    Ok(())
}
