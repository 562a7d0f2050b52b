//! Measures what a call through EVP costs: OpenSSL's own provider, Kasoku's, and the engine without OpenSSL.
//!
//! ```text
//! cargo run --release -p kasoku-openssl --example calls
//! ```
//!
//! Each figure is the least over rounds. Each round measures all contenders, so that drift affects them equally. A
//! *message* is the sequence of calls of a TLS 1.3 library: an IV, 13 bytes of AAD, the text in one update, the end,
//! the tag. A *record* is a TLS 1.2 record. A *stream* is one endless message, one update at a time, as `openssl speed
//! -evp` measures. *With a key* sets a key for each message: the previous key again, or a new one. *With a context*
//! uses a new context for each message, as Python's `cryptography` does.
//!
//! Arguments restrict the run: a part of a name, a size, or a file for the provider's counter.

#![allow(unsafe_code, clippy::unwrap_used, reason = "a benchmark may panic")]

#[path = "../tests/evp/mod.rs"]
mod evp;

use std::time::{Duration, Instant};

use evp::{Cipher, Context, Library, ctrl};
use kasoku_engine::AesGcm;

const SIZES: [usize; 6] = [16, 64, 256, 1350, 8192, 16_384];
const ROUNDS: usize = 201;
const SLICE: Duration = Duration::from_millis(1);

fn main() {
    let counter = std::env::args().nth(3).map(|path| format!("counter = {path}"));
    let library = Library::new(&counter.unwrap_or_default());
    println!("backend {}", library.text(c"kasoku-backend"));
    println!(
        "{:<22}{:>8}{:>12}{:>12}{:>12}{:>14}{:>14}",
        "", "bytes", "openssl ns", "kasoku ns", "engine ns", "to openssl", "of the engine"
    );
    let only = std::env::args().nth(1);
    let sizes: Vec<usize> = std::env::args().nth(2).map_or(SIZES.to_vec(), |size| vec![size.parse().unwrap()]);
    for work in WORKS.iter().filter(|work| only.as_deref().is_none_or(|only| work.name.contains(only))) {
        for (name, key_bytes) in [(c"AES-128-GCM", 16), (c"AES-256-GCM", 32)] {
            for &bytes in &sizes {
                let mut contenders: Vec<Operation> = vec![
                    (work.evp)(&library.cipher(name, "default"), key_bytes, bytes),
                    (work.evp)(&library.cipher(name, "kasoku"), key_bytes, bytes),
                    (work.engine)(key_bytes, bytes),
                ];
                let [openssl, kasoku, engine] = rounds(&mut contenders);
                let label = format!("{} {}", work.name, 8 * key_bytes);
                println!(
                    "{label:<22}{bytes:>8}{openssl:>12.1}{kasoku:>12.1}{engine:>12.1}{:>13.2}x{:>13.0}%",
                    openssl / kasoku,
                    100.0 * engine / kasoku
                );
            }
        }
    }
}

/// Returns the least nanoseconds of one operation of each contender, since other work only adds time.
fn rounds(contenders: &mut [Operation]) -> [f64; 3] {
    let operations: Vec<u32> = contenders.iter_mut().map(|operation| calibrated(operation)).collect();
    let mut least = [f64::INFINITY; 3];
    for round in 0..ROUNDS {
        for turn in 0..3 {
            let which = (round + turn) % 3;
            let start = Instant::now();
            for _ in 0..operations[which] {
                contenders[which]();
            }
            least[which] = least[which].min(start.elapsed().as_nanos() as f64 / f64::from(operations[which]));
        }
    }
    least
}

fn calibrated(operation: &mut dyn FnMut()) -> u32 {
    let mut count = 1;
    loop {
        let start = Instant::now();
        for _ in 0..count {
            operation();
        }
        if start.elapsed() > SLICE {
            return count;
        }
        count *= 2;
    }
}

/// Closure that performs the measured operation once.
type Operation = Box<dyn FnMut()>;

struct Work {
    name: &'static str,
    evp: fn(&Cipher, usize, usize) -> Operation,
    engine: fn(usize, usize) -> Operation,
}

const WORKS: [Work; 8] = [
    Work { name: "message seal", evp: seal_message, engine: engine_seal },
    Work { name: "message open", evp: open_message, engine: engine_open },
    Work { name: "record seal", evp: seal_record, engine: engine_seal },
    Work { name: "record open", evp: open_record, engine: engine_open_in_place },
    Work { name: "stream seal", evp: stream, engine: engine_seal },
    Work { name: "same key, seal", evp: same_key_and_seal, engine: engine_seal },
    Work { name: "new key, seal", evp: new_key_and_seal, engine: engine_new_key_and_seal },
    Work { name: "context, seal", evp: context_and_seal, engine: engine_new_key_and_seal },
];

const AAD: [u8; 13] = [5; 13];

/// Nonce from a counter.
#[derive(Default)]
struct Nonce(u32);

impl Nonce {
    fn next(&mut self) -> [u8; 12] {
        self.0 += 1;
        let mut nonce = [9; 12];
        nonce[8..].copy_from_slice(&self.0.to_be_bytes());
        nonce
    }
}

fn key(bytes: usize) -> Vec<u8> {
    (0..bytes as u8).collect()
}

fn seal_message(cipher: &Cipher, key_bytes: usize, bytes: usize) -> Operation {
    let context = cipher.with_key(true, &key(key_bytes));
    let (text, mut output, mut nonce) = (vec![7; bytes], vec![0; bytes], Nonce::default());
    Box::new(move || {
        context.init(None, None, Some(&nonce.next()), 1);
        context.aad(&AAD);
        context.update(&text, &mut output);
        assert_eq!(context.finish(), 1);
        std::hint::black_box(context.tag());
    })
}

fn open_message(cipher: &Cipher, key_bytes: usize, bytes: usize) -> Operation {
    let sealer = AesGcm::new(&key(key_bytes)).unwrap();
    let (mut text, mut output) = (vec![7; bytes], vec![0; bytes]);
    let tag = sealer.seal(&[9; 12], &AAD, &mut text).unwrap();
    let context = cipher.with_key(false, &key(key_bytes));
    Box::new(move || {
        context.init(None, None, Some(&[9; 12]), 0);
        context.set(ctrl::SET_TAG, &tag);
        context.aad(&AAD);
        context.update(&text, &mut output);
        assert_eq!(context.finish(), 1);
    })
}

fn same_key_and_seal(cipher: &Cipher, key_bytes: usize, bytes: usize) -> Operation {
    key_and_seal(cipher, key_bytes, bytes, |_| ())
}

fn new_key_and_seal(cipher: &Cipher, key_bytes: usize, bytes: usize) -> Operation {
    key_and_seal(cipher, key_bytes, bytes, |key| key[0] = key[0].wrapping_add(1))
}

fn key_and_seal(cipher: &Cipher, key_bytes: usize, bytes: usize, change: fn(&mut [u8])) -> Operation {
    let context = cipher.with_key(true, &key(key_bytes));
    let (text, mut output, mut nonce, mut key) = (vec![7; bytes], vec![0; bytes], Nonce::default(), key(key_bytes));
    Box::new(move || {
        change(&mut key);
        context.init(None, Some(&key), Some(&nonce.next()), 1);
        context.aad(&AAD);
        context.update(&text, &mut output);
        assert_eq!(context.finish(), 1);
        std::hint::black_box(context.tag());
    })
}

fn context_and_seal(cipher: &Cipher, key_bytes: usize, bytes: usize) -> Operation {
    let cipher = cipher.again();
    let (text, mut output, mut nonce, key) = (vec![7; bytes], vec![0; bytes], Nonce::default(), key(key_bytes));
    Box::new(move || {
        let context = cipher.context();
        context.init(Some(&cipher), Some(&key), Some(&nonce.next()), 1);
        context.aad(&AAD);
        context.update(&text, &mut output);
        assert_eq!(context.finish(), 1);
        std::hint::black_box(context.tag());
    })
}

fn stream(cipher: &Cipher, key_bytes: usize, bytes: usize) -> Operation {
    let context = cipher.with_key(true, &key(key_bytes));
    let (text, mut output, mut nonce) = (vec![7; bytes], vec![0; bytes], Nonce::default());
    context.init(None, None, Some(&nonce.next()), 1);
    Box::new(move || {
        if context.update(&text, &mut output).0 != 1 {
            context.init(None, None, Some(&nonce.next()), 1);
        }
    })
}

fn record_context(cipher: &Cipher, encrypts: bool, key_bytes: usize) -> Context {
    let context = cipher.with_key(encrypts, &key(key_bytes));
    assert_eq!(context.set(ctrl::SET_IV_FIXED, &[1; 4]), 1);
    context
}

/// Returns the AAD of a record of `bytes` bytes. Its length field includes `around` bytes: the explicit IV and, when
/// opening, the tag.
fn record_aad(bytes: usize, around: u16) -> [u8; 13] {
    let mut aad = AAD;
    aad[11..].copy_from_slice(&(bytes as u16 + around).to_be_bytes());
    aad
}

fn seal_record(cipher: &Cipher, key_bytes: usize, bytes: usize) -> Operation {
    let context = record_context(cipher, true, key_bytes);
    let (mut record, aad) = (vec![7; bytes + 24], record_aad(bytes, 8));
    Box::new(move || {
        context.set(ctrl::TLS1_AAD, &aad);
        assert_eq!(context.update_in_place(&mut record).0, 1);
    })
}

fn open_record(cipher: &Cipher, key_bytes: usize, bytes: usize) -> Operation {
    let (mut record, aad) = (vec![7; bytes + 24], record_aad(bytes, 24));
    let sender = record_context(cipher, true, key_bytes);
    assert_eq!(sender.set(ctrl::TLS1_AAD, &record_aad(bytes, 8)), 16);
    assert_eq!(sender.update_in_place(&mut record).0, 1);
    let context = record_context(cipher, false, key_bytes);
    let mut place = record.clone();
    // All contenders copy the record first, because it can only be opened in place.
    Box::new(move || {
        place.copy_from_slice(&record);
        context.set(ctrl::TLS1_AAD, &aad);
        assert_eq!(context.update_in_place(&mut place).0, 1);
    })
}

fn engine_seal(key_bytes: usize, bytes: usize) -> Operation {
    let key = AesGcm::new(&key(key_bytes)).unwrap();
    let (text, mut output, mut nonce) = (vec![7; bytes], vec![0; bytes], Nonce::default());
    Box::new(move || {
        std::hint::black_box(key.seal_to(&nonce.next(), &AAD, &text, &mut output).unwrap());
    })
}

fn engine_new_key_and_seal(key_bytes: usize, bytes: usize) -> Operation {
    let (text, mut output, mut nonce, key) = (vec![7; bytes], vec![0; bytes], Nonce::default(), key(key_bytes));
    Box::new(move || {
        let key = AesGcm::new(&key).unwrap();
        std::hint::black_box(key.seal_to(&nonce.next(), &AAD, &text, &mut output).unwrap());
    })
}

fn engine_open(key_bytes: usize, bytes: usize) -> Operation {
    let (key, text, tag) = sealed(key_bytes, bytes);
    let mut output = vec![0; bytes];
    Box::new(move || key.open_to(&[9; 12], &AAD, &text, &mut output, &tag).unwrap())
}

/// Opens a message in place with the engine. Copies the ciphertext to the buffer before each call, like
/// [`open_record`].
fn engine_open_in_place(key_bytes: usize, bytes: usize) -> Operation {
    let (key, text, tag) = sealed(key_bytes, bytes);
    let mut place = text.clone();
    Box::new(move || {
        place.copy_from_slice(&text);
        key.open(&[9; 12], &AAD, &mut place, &tag).unwrap();
    })
}

fn sealed(key_bytes: usize, bytes: usize) -> (AesGcm, Vec<u8>, [u8; 16]) {
    let key = AesGcm::new(&key(key_bytes)).unwrap();
    let mut text = vec![7; bytes];
    let tag = key.seal(&[9; 12], &AAD, &mut text).unwrap();
    (key, text, tag)
}
