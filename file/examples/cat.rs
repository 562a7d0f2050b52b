//! Encrypts or decrypts standard input to standard output, under a constant, public key:
//!
//! ```text
//! cargo run --release -p kasoku-file --example cat -- encrypt <text >sealed
//! ```

use std::error::Error;
use std::io::{stdin, stdout};

use kasoku_file::{Key, Options, decrypt, encrypt};

fn main() -> Result<(), Box<dyn Error>> {
    let (key, options) = (Key::from_bytes(&[7; 32])?, Options::default());
    let bytes = match std::env::args().nth(1).as_deref() {
        Some("encrypt") => encrypt(&key, b"example", stdin().lock(), stdout(), &options)?,
        Some("decrypt") => decrypt(&key, b"example", stdin().lock(), stdout(), &options)?,
        _ => return Err("encrypt or decrypt?".into()),
    };
    eprintln!("{bytes} bytes of text");
    Ok(())
}
