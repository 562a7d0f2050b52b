//! The model of a growing key. Checks all orders in which threads can execute its atomic operations. Compiles the
//! engine's own file `growth.rs` with the atomic types of the model checker loom.

#![cfg(test)]

#[allow(dead_code, reason = "keys here are neither wiped nor marked as growing")]
#[path = "../../src/backend/growth.rs"]
mod growth;

/// Atomic types for `growth`, instead of those in `core`.
mod atomic {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
}

use growth::Growth;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// Lengths of texts in bytes; each needs one power of H more than the text before.
const TEXTS: [usize; 3] = [16, 300, 5_000];

/// A key whose powers of H are numbers. loom fails the test if a thread reads a power while another thread writes that
/// power, or before it is written.
struct Key {
    growth: Growth,
    /// The number of each power, or zero if the power is not computed yet.
    powers: [UnsafeCell<usize>; TEXTS.len()],
    /// Number of powers computed so far. Only the thread that computes powers accesses this number.
    count: UnsafeCell<usize>,
}

impl Key {
    /// Creates a key with the power for the shortest text.
    fn new() -> Self {
        let powers = [1, 0, 0].map(UnsafeCell::new);
        Self { growth: Growth::new(TEXTS[0]), powers, count: UnsafeCell::new(1) }
    }

    /// Hashes text `text` with its powers of H, as a backend does: computes missing powers, or does without the key's
    /// table if another thread is computing powers. Returns the sum of the powers.
    fn hash(&self, text: usize) -> usize {
        if !self.growth.has_powers_for(TEXTS[text]) {
            if !self.growth.begin() {
                return (1..=text + 1).sum();
            }
            self.growth.finish(self.compute(text));
        }
        self.powers[..=text].iter().map(|power| power.with(|power| unsafe { *power })).sum()
    }

    /// Computes the missing powers for text `text`. Returns the length in bytes of the longest text that has its
    /// powers.
    fn compute(&self, text: usize) -> usize {
        self.count.with_mut(|count| {
            // SAFETY: `growth` admits one thread, which loom checks.
            let count = unsafe { &mut *count };
            for power in *count..=text {
                self.powers[power].with_mut(|value| unsafe { *value = power + 1 });
            }
            *count = (*count).max(text + 1);
            TEXTS[*count - 1]
        })
    }
}

/// Lets each thread hash its texts with one key, in all orders of their atomic operations.
fn check<const N: usize>(threads: [&'static [usize]; N]) {
    loom::model(move || {
        let key = Arc::new(Key::new());
        let hash_all = |key: &Key, texts: &[usize]| {
            for &text in texts {
                assert_eq!(key.hash(text), [1, 3, 6][text], "text {text}");
            }
        };
        let [first, others @ ..] = &threads[..] else { return };
        let others: Vec<_> = others
            .iter()
            .map(|&texts| {
                let key = Arc::clone(&key);
                thread::spawn(move || hash_all(&key, texts))
            })
            .collect();
        hash_all(&key, first);
        for other in others {
            other.join().unwrap();
        }
        // (Whether the key has all powers now is not checked: loom also tries orders in which the store of `false` to
        // `is_growing` comes between the two halves of another thread's swap. That is a fault of loom,
        // https://github.com/tokio-rs/loom/issues/254.)
        assert_eq!(key.hash(2), 6);
    });
}

#[test]
fn two_threads_with_the_same_first_long_text_hash_correctly() {
    check([&[2], &[2]]);
}

#[test]
fn key_that_grows_twice_hashes_correctly_on_two_threads() {
    check([&[1, 2], &[2, 1]]);
}

#[test]
fn three_threads_with_texts_of_different_lengths_hash_correctly() {
    check([&[2], &[1], &[0]]);
}
