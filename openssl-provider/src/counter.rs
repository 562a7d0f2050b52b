//! What was done, counted: a missing or refused provider leaves OpenSSL silently with its own, so that use must be
//! shown.
//!
//! Each context counts for itself and hands over now and then, so that counting costs nothing that could be measured.

use std::sync::atomic::{AtomicU64, Ordering};

/// Operations after which a context hands over.
const OPERATIONS: u64 = 256;

/// Bytes after which a context hands over.
const BYTES: u64 = 1 << 20;

/// Totals that all contexts add to. The names are those of the provider's parameters.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Totals {
    /// Contexts that did something.
    pub(crate) contexts: AtomicU64,
    /// Messages and records begun.
    pub(crate) operations: AtomicU64,
    /// Bytes of text encrypted or decrypted.
    pub(crate) bytes: AtomicU64,
}

/// What a context has not handed over yet.
#[derive(Default)]
pub(crate) struct Pending {
    has_counted: bool,
    operations: u64,
    bytes: u64,
}

/// What is handed over.
pub(crate) struct Counts {
    contexts: u64,
    operations: u64,
    bytes: u64,
}

impl Pending {
    /// Counts an operation; whether it is time to hand over. The first is handed over at once: a program that has done
    /// anything is seen.
    #[inline]
    #[must_use]
    pub(crate) fn operation(&mut self) -> bool {
        self.operations += 1;
        self.operations >= OPERATIONS || !self.has_counted
    }

    /// Counts bytes of text; whether it is time to hand over.
    #[inline]
    #[must_use]
    pub(crate) fn text(&mut self, bytes: usize) -> bool {
        self.bytes += bytes as u64;
        self.bytes >= BYTES
    }

    /// What there is to hand over.
    pub(crate) fn take(&mut self) -> Option<Counts> {
        if self.operations == 0 && self.bytes == 0 {
            return None;
        }
        let counts = Counts { contexts: u64::from(!self.has_counted), operations: self.operations, bytes: self.bytes };
        *self = Self { has_counted: true, operations: 0, bytes: 0 };
        Some(counts)
    }
}

impl Totals {
    pub(crate) fn add(&self, counts: &Counts) {
        for (total, more) in [&self.contexts, &self.operations, &self.bytes].into_iter().zip(counts.numbers()) {
            // What is handed over mostly has but one or two of them, and an addition that others see takes time.
            if more != 0 {
                total.fetch_add(more, Ordering::Relaxed);
            }
        }
    }

    /// What was added, which is not there any more.
    pub(crate) fn take(&self) -> Counts {
        Counts {
            contexts: self.contexts.swap(0, Ordering::Relaxed),
            operations: self.operations.swap(0, Ordering::Relaxed),
            bytes: self.bytes.swap(0, Ordering::Relaxed),
        }
    }
}

impl Counts {
    /// The numbers in the order of the file.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        [self.contexts, self.operations, self.bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_operation_is_seen_at_once_and_then_now_and_then() {
        let (totals, mut pending) = (Totals::default(), Pending::default());
        for operation in 1..=1000_u64 {
            let is_time = pending.operation();
            assert_eq!(is_time, operation == 1 || (operation - 1).is_multiple_of(OPERATIONS), "{operation}");
            if is_time {
                totals.add(&pending.take().expect("something"));
            }
        }
        assert!(!pending.text(BYTES as usize - 1));
        assert!(pending.text(1));
        totals.add(&pending.take().expect("something"));
        assert!(pending.take().is_none());
        let totals = [totals.contexts, totals.operations, totals.bytes].map(AtomicU64::into_inner);
        assert_eq!(totals, [1, 1000, BYTES]);
    }
}
