//! Lets several threads seal a key's first long messages at the same time, for ThreadSanitizer, which reports data
//! races. (A program without the test harness and without scoped threads: std is not instrumented, so ThreadSanitizer
//! would report those.)

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kasoku_engine::{AesGcm, Error};

const THREADS: usize = 4;

/// Message lengths in bytes. Each needs more powers of H than the length before.
const LENGTHS: [usize; 4] = [300, 1_440, 5_000, 20_000];

fn seal(key: &AesGcm, length: usize) -> Result<(Vec<u8>, [u8; 16]), Error> {
    let mut data = vec![5; length];
    let tag = key.seal(&[9; 12], b"aad", &mut data)?;
    Ok((data, tag))
}

/// Seals the messages, beginning with length `first`, as soon as no thread is `waiting` any more.
fn seal_all(key: &AesGcm, waiting: &AtomicUsize, first: usize) -> [Result<(Vec<u8>, [u8; 16]), Error>; LENGTHS.len()] {
    // Relaxed: the threads start together, but this does not order their accesses to the key.
    waiting.fetch_sub(1, Ordering::Relaxed);
    while waiting.load(Ordering::Relaxed) > 0 {
        std::hint::spin_loop();
    }
    let mut sealed = LENGTHS;
    sealed.rotate_left(first % LENGTHS.len());
    let mut sealed = sealed.map(|length| seal(key, length));
    sealed.rotate_right(first % LENGTHS.len());
    sealed
}

fn main() -> Result<(), Error> {
    let alone = AesGcm::new(&[7; 16])?;
    let expected = LENGTHS.map(|length| seal(&alone, length));
    for round in 0..200 {
        // Leaked, so that threads which std joins can borrow them.
        let key: &AesGcm = Box::leak(Box::new(AesGcm::new(&[7; 16])?));
        let waiting: &AtomicUsize = Box::leak(Box::new(AtomicUsize::new(THREADS)));
        let threads = [0, 1, 2, 3].map(|thread: usize| thread::spawn(move || seal_all(key, waiting, thread + round)));
        for thread in threads {
            assert!(thread.join().is_ok_and(|sealed| sealed == expected));
        }
    }
    println!("{THREADS} threads sealed the first messages of 200 keys");
    Ok(())
}
