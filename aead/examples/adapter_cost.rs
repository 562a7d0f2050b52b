//! Measures what RustCrypto's traits cost over the engine's own calls. Prints the least nanoseconds of a call for
//! AES-256-GCM with 13 bytes of AAD: through the engine, through the traits of `aead` 0.6 and 0.5, and with the crate
//! `aes-gcm`. The interfaces alternate. Version 0.5 has no calls between two buffers, so its figures include a copy.
//!
//! ```sh
//! cargo run --release -p kasoku-aead --features aead-05 --example adapter_cost
//! ```

#![allow(clippy::unwrap_used, reason = "an example may panic")]

use std::hint::black_box;
use std::time::Instant;

use aead::consts::{U12, U16, U32};
use aead::inout::InOutBuf;
use aead::{AeadInOut, KeyInit};
use kasoku_aead::aead_05::{self, AeadInPlace};

const ROUNDS: usize = 401;
const CALLS: u32 = 2000;
const KEY: [u8; 32] = [7; 32];
const NONCE: [u8; 12] = [1; 12];
const AAD: [u8; 13] = [2; 13];

/// A message and the output of each call. The key is public, so repeated nonces reveal nothing.
struct Message {
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: [u8; 16],
    output: Vec<u8>,
}

/// An operation and its name.
const OPERATIONS: [(&str, Operation); 5] = [
    ("seal in place", Operation::Seal),
    ("seal to a buffer", Operation::SealTo),
    ("copy, open in place", Operation::Open),
    ("open to a buffer", Operation::OpenTo),
    ("new key, seal, drop", Operation::SealWithNewKey),
];

#[derive(Clone, Copy)]
enum Operation {
    Seal,
    SealTo,
    Open,
    OpenTo,
    SealWithNewKey,
}

trait Interface {
    fn expand(key: &[u8; 32]) -> Self
    where
        Self: Sized;
    fn seal(&self, message: &mut Message);
    fn seal_to(&self, message: &mut Message);
    fn open(&self, message: &mut Message);
    fn open_to(&self, message: &mut Message);
}

/// The times of an interface. The loop over calls is compiled for each interface, so that calls are inlined.
trait Timed {
    fn nanoseconds(&self, operation: Operation, message: &mut Message) -> f64;
}

impl<I: Interface> Timed for I {
    fn nanoseconds(&self, operation: Operation, message: &mut Message) -> f64 {
        match operation {
            Operation::Seal => nanoseconds(|| self.seal(message)),
            Operation::SealTo => nanoseconds(|| self.seal_to(message)),
            Operation::Open => nanoseconds(|| {
                message.output.copy_from_slice(&message.ciphertext);
                self.open(message);
            }),
            Operation::OpenTo => nanoseconds(|| self.open_to(message)),
            Operation::SealWithNewKey => nanoseconds(|| I::expand(black_box(&KEY)).seal(message)),
        }
    }
}

fn main() {
    let interfaces: [(&str, Box<dyn Timed>); 4] = [
        ("engine", Box::new(kasoku_engine::AesGcm::expand(&KEY))),
        ("aead 0.6", Box::new(Traits::<kasoku_aead::Aes256Gcm>::expand(&KEY))),
        ("aead 0.5", Box::new(OldTraits::expand(&KEY))),
        ("aes-gcm", Box::new(Traits::<aes_gcm::Aes256Gcm>::expand(&KEY))),
    ];
    println!("{:?}", kasoku_aead::Aes256Gcm::new(&KEY.into()));
    print!("{:<28}", "least nanoseconds");
    interfaces.iter().for_each(|(name, _)| print!("{name:>10}"));
    println!();
    for bytes in [16, 1440] {
        let mut message = message(bytes);
        for (name, operation) in OPERATIONS {
            let mut least = [f64::INFINITY; 4];
            for round in 0..ROUNDS {
                for turn in 0..interfaces.len() {
                    let which = (round + turn) % interfaces.len();
                    least[which] = least[which].min(interfaces[which].1.nanoseconds(operation, &mut message));
                }
            }
            print!("{:<28}", format!("{bytes} bytes, {name}"));
            least.iter().for_each(|figure| print!("{figure:>10.1}"));
            println!();
        }
    }
}

impl Interface for kasoku_engine::AesGcm {
    fn expand(key: &[u8; 32]) -> Self {
        Self::new(key).unwrap()
    }

    fn seal(&self, message: &mut Message) {
        black_box(Self::seal(self, black_box(&NONCE), black_box(&AAD), &mut message.output)).unwrap();
    }

    fn seal_to(&self, message: &mut Message) {
        black_box(Self::seal_to(self, black_box(&NONCE), black_box(&AAD), &message.plaintext, &mut message.output))
            .unwrap();
    }

    fn open(&self, message: &mut Message) {
        black_box(Self::open(self, black_box(&NONCE), black_box(&AAD), &mut message.output, &message.tag)).unwrap();
    }

    fn open_to(&self, message: &mut Message) {
        let Message { ciphertext, tag, output, .. } = message;
        black_box(Self::open_to(self, black_box(&NONCE), black_box(&AAD), ciphertext, output, tag)).unwrap();
    }
}

/// A cipher through the traits of `aead` 0.6.
struct Traits<A>(A);

impl<A: KeyInit<KeySize = U32> + AeadInOut<NonceSize = U12, TagSize = U16>> Interface for Traits<A> {
    fn expand(key: &[u8; 32]) -> Self {
        Self(A::new(key.into()))
    }

    fn seal(&self, message: &mut Message) {
        let output = message.output.as_mut_slice();
        black_box(self.0.encrypt_inout_detached(black_box(&NONCE).into(), black_box(&AAD), output.into())).unwrap();
    }

    fn seal_to(&self, message: &mut Message) {
        let buffers = InOutBuf::new(&message.plaintext, &mut message.output).unwrap();
        black_box(self.0.encrypt_inout_detached(black_box(&NONCE).into(), black_box(&AAD), buffers)).unwrap();
    }

    fn open(&self, message: &mut Message) {
        let (output, tag) = (message.output.as_mut_slice(), (&message.tag).into());
        black_box(self.0.decrypt_inout_detached(black_box(&NONCE).into(), black_box(&AAD), output.into(), tag))
            .unwrap();
    }

    fn open_to(&self, message: &mut Message) {
        let buffers = InOutBuf::new(&message.ciphertext, &mut message.output).unwrap();
        let tag = (&message.tag).into();
        black_box(self.0.decrypt_inout_detached(black_box(&NONCE).into(), black_box(&AAD), buffers, tag)).unwrap();
    }
}

/// AES-256-GCM through the traits of `aead` 0.5.
struct OldTraits(kasoku_aead::Aes256Gcm);

impl Interface for OldTraits {
    fn expand(key: &[u8; 32]) -> Self {
        Self(aead_05::KeyInit::new(key.into()))
    }

    fn seal(&self, message: &mut Message) {
        let output = message.output.as_mut_slice();
        black_box(self.0.encrypt_in_place_detached(black_box(&NONCE).into(), black_box(&AAD), output)).unwrap();
    }

    fn seal_to(&self, message: &mut Message) {
        message.output.copy_from_slice(&message.plaintext);
        self.seal(message);
    }

    fn open(&self, message: &mut Message) {
        let (output, tag) = (message.output.as_mut_slice(), (&message.tag).into());
        black_box(self.0.decrypt_in_place_detached(black_box(&NONCE).into(), black_box(&AAD), output, tag)).unwrap();
    }

    fn open_to(&self, message: &mut Message) {
        message.output.copy_from_slice(&message.ciphertext);
        self.open(message);
    }
}

fn message(bytes: usize) -> Message {
    let plaintext = vec![0x5A; bytes];
    let mut ciphertext = plaintext.clone();
    let tag = kasoku_engine::AesGcm::new(&KEY).unwrap().seal(&NONCE, black_box(&AAD), &mut ciphertext).unwrap();
    Message { output: vec![0; bytes], plaintext, ciphertext, tag }
}

/// Returns the nanoseconds of one of `CALLS` calls.
fn nanoseconds(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_nanos() as f64 / f64::from(CALLS)
}
