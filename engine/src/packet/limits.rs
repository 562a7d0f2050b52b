//! How long keys may be used (RFC 9001 §6.6), counted without an atomic addition per packet.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicU64, Ordering};

use super::number;
use crate::backend::Numbers;
use crate::error::Error;

/// Packets that one key may protect: 2^23, for AES-128-GCM and AES-256-GCM alike.
pub const CONFIDENTIALITY: u64 = 1 << 23;

/// Packets that may fail to open, over all keys of a connection: 2^52.
pub const INTEGRITY: u64 = 1 << 52;

/// No packet number (they end below 2^62), and further from each of them than any limit.
const NONE: u64 = 1 << 63;

/// Counts protected packets by the distance of their numbers from the first: under one key numbers only rise, and an
/// addition that several threads can see would cost 5 to 10 % of a packet of 1,440 bytes.
pub(crate) struct Protected {
    limit: u64,
    first: AtomicU64,
}

impl Protected {
    pub(crate) const fn new(limit: u64) -> Self {
        Self { limit, first: AtomicU64::new(NONE) }
    }

    /// Sets the first number.
    pub(crate) fn begin(&mut self, first: u64) {
        self.first = AtomicU64::new(first);
    }

    /// Whether a packet with this number may be protected.
    #[inline(always)]
    pub(crate) fn check(&self, number: u64) -> Result<(), Error> {
        let distance = number.wrapping_sub(self.first.load(Ordering::Relaxed));
        if distance < self.limit { Ok(()) } else { self.check_first(number) }
    }

    /// The numbers that may be protected, once there was a first.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "runs of packets are for vectors"))]
    #[inline(always)]
    pub(crate) fn numbers(&self) -> Numbers {
        let first = self.first.load(Ordering::Relaxed);
        Numbers { first, count: self.limit.min(number::END.saturating_sub(first)) }
    }

    #[cold]
    #[inline(never)]
    fn check_first(&self, number: u64) -> Result<(), Error> {
        let first = match self.first.compare_exchange(NONE, number, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => number,
            Err(first) => first,
        };
        if number < first {
            return Err(Error::PacketNumberFell { number, first });
        }
        // Another thread may have set the first number meanwhile.
        if number - first < self.limit { Ok(()) } else { Err(Error::ConfidentialityLimit) }
    }
}

/// How many packets of a connection failed to open: one count for all its keys, which clones share.
///
/// ```
/// use kasoku_engine::packet::{FailedOpens, PacketProtection};
///
/// let failed = FailedOpens::default();
/// let handshake = PacketProtection::new(&[1; 16], &[2; 12], &[3; 16])?.counting(&failed);
/// let application = PacketProtection::new(&[4; 16], &[5; 12], &[6; 16])?.counting(&failed);
/// assert!(handshake.unprotect(0, &mut [0x40; 50], 1).is_err());
/// assert!(application.unprotect(0, &mut [0x40; 50], 1).is_err());
/// assert_eq!(failed.count(), 2);
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FailedOpens(Arc<AtomicU64>);

impl FailedOpens {
    /// A count that continues from `count`.
    #[must_use]
    pub fn from_count(count: u64) -> Self {
        Self(Arc::new(AtomicU64::new(count)))
    }

    /// Packets that failed so far.
    #[must_use]
    #[inline]
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether another packet may be tried.
    #[inline(always)]
    pub(crate) fn check(&self, limit: u64) -> Result<(), Error> {
        if self.count() < limit { Ok(()) } else { Err(Error::IntegrityLimit) }
    }

    /// Counts one more.
    #[cold]
    pub(crate) fn add_one(&self) {
        // It stops at the end of its range; otherwise it would wrap.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_numbers_as_the_limit_says_from_the_first_on() {
        let protected = Protected::new(CONFIDENTIALITY);
        assert_eq!(protected.check(1000), Ok(()));
        assert_eq!(protected.check(1000 + CONFIDENTIALITY - 1), Ok(()));
        assert_eq!(protected.check(1000 + CONFIDENTIALITY), Err(Error::ConfidentialityLimit));
        assert_eq!(protected.check(999), Err(Error::PacketNumberFell { number: 999, first: 1000 }));
        assert_eq!(protected.check(1000), Ok(()));
    }

    #[test]
    fn the_first_number_can_be_said() {
        let mut protected = Protected::new(4);
        protected.begin(7);
        assert_eq!(protected.check(10), Ok(()));
        assert_eq!(protected.check(11), Err(Error::ConfidentialityLimit));
        assert_eq!(protected.check(7), Ok(()));
    }

    #[test]
    fn failures_stop_at_the_limit_and_at_the_end_of_the_range() {
        let failed = FailedOpens::from_count(INTEGRITY - 1);
        assert_eq!(failed.check(INTEGRITY), Ok(()));
        failed.clone().add_one();
        assert_eq!(failed.check(INTEGRITY), Err(Error::IntegrityLimit));
        let failed = FailedOpens::from_count(u64::MAX);
        failed.add_one();
        assert_eq!(failed.count(), u64::MAX);
    }
}
