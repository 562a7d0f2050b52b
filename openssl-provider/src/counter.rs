//! Counters of the work that the provider did. If a provider is missing or rejected, OpenSSL silently uses its own, so
//! programs need evidence of use.
//!
//! Each context counts by itself and adds its counts to the totals now and then, so that counting has no measurable
//! cost.

use std::sync::atomic::{AtomicU64, Ordering};

/// Number of operations after which a context adds its counts to the totals.
const OPERATIONS: u64 = 256;

/// Number of bytes after which a context adds its counts to the totals.
const BYTES: u64 = 1 << 20;

/// Totals of all contexts. The provider's parameters have the names of the fields.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Totals {
    /// Number of contexts that began at least one message or record.
    pub(crate) contexts: AtomicU64,
    /// Number of messages and records begun.
    pub(crate) operations: AtomicU64,
    /// Number of text bytes encrypted or decrypted.
    pub(crate) bytes: AtomicU64,
}

/// Counts that a context has not added to the totals yet.
#[derive(Default)]
pub(crate) struct Pending {
    has_counted: bool,
    operations: u64,
    bytes: u64,
}

/// Counts to add to the totals.
pub(crate) struct Counts {
    contexts: u64,
    operations: u64,
    bytes: u64,
}

impl Pending {
    /// Counts an operation. Returns whether the context must now add its counts to the totals. That is after its first
    /// operation, so that short programs show up, and then after every [`OPERATIONS`] operations.
    #[inline]
    #[must_use]
    pub(crate) fn operation(&mut self) -> bool {
        self.operations += 1;
        self.operations >= OPERATIONS || !self.has_counted
    }

    /// Counts bytes of text. Returns whether the context must now add its counts to the totals: after every [`BYTES`]
    /// bytes.
    #[inline]
    #[must_use]
    pub(crate) fn text(&mut self, bytes: usize) -> bool {
        self.bytes += bytes as u64;
        self.bytes >= BYTES
    }

    /// Returns the pending counts, if any, and resets them to 0.
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
            // Most calls change only one or two totals, and an atomic addition takes time.
            if more != 0 {
                total.fetch_add(more, Ordering::Relaxed);
            }
        }
    }

    /// Returns the totals and resets them to 0.
    pub(crate) fn take(&self) -> Counts {
        Counts {
            contexts: self.contexts.swap(0, Ordering::Relaxed),
            operations: self.operations.swap(0, Ordering::Relaxed),
            bytes: self.bytes.swap(0, Ordering::Relaxed),
        }
    }
}

impl Counts {
    /// Returns the counts in the order of the counter file: contexts, operations, bytes.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        [self.contexts, self.operations, self.bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_due_after_the_first_and_then_every_256_operations() {
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
