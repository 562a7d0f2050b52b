//! Usage limits of QUIC keys (RFC 9001 §6.6).

use alloc::sync::Arc;
use core::sync::atomic::{AtomicU64, Ordering};

use super::number;
use crate::backend::Numbers;
use crate::error::Error;

/// Maximum number of packets that one key may protect: 2^23, for both AES-128-GCM and AES-256-GCM.
pub const CONFIDENTIALITY: u64 = 1 << 23;

/// Maximum number of packets that may fail to open on one connection, under all its keys together: 2^52.
pub const INTEGRITY: u64 = 1 << 52;

/// Value that means "no first packet number yet". Its difference to any packet number exceeds all limits, because
/// packet numbers are below 2^62.
const NONE: u64 = 1 << 63;

/// Number of packet numbers that a path takes from the key's budget at once, a power of two.
const SHARE: u64 = 1 << 16;

/// Enforces the confidentiality limit of a key without counting each packet. Packet numbers of a path do not repeat and
/// are not below its first one, so the distance from the first number bounds the count. (An atomic counter that several
/// threads share would cost 5 to 10 % of the time for a packet of 1,440 bytes.)
///
/// All paths of a connection use the same key (RFC 10069). Each takes shares of packet numbers from a common budget.
pub(crate) struct Protected {
    first: AtomicU64,
    /// Number of packet numbers from `first` on that this path has taken from the budget.
    taken: AtomicU64,
    /// Packet numbers that no path has taken yet.
    budget: Arc<AtomicU64>,
}

impl Protected {
    pub(crate) fn new(limit: u64) -> Self {
        Self { first: AtomicU64::new(NONE), taken: AtomicU64::new(0), budget: Arc::new(AtomicU64::new(limit)) }
    }

    /// Returns the limit for another path of the same key.
    pub(crate) fn on_path(&self) -> Self {
        Self { first: AtomicU64::new(NONE), taken: AtomicU64::new(0), budget: Arc::clone(&self.budget) }
    }

    pub(crate) fn begin(&mut self, first: u64) {
        self.first = AtomicU64::new(first);
    }

    /// Checks that a packet with number `number` may be protected under this key.
    #[inline(always)]
    pub(crate) fn check(&self, number: u64) -> Result<(), Error> {
        let distance = number.wrapping_sub(self.first.load(Ordering::Relaxed));
        if distance < self.taken.load(Ordering::Relaxed) { Ok(()) } else { self.check_untaken(number) }
    }

    /// Returns the range of packet numbers that may be protected without taking more from the budget. The range is
    /// empty until the first packet sets its start.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "runs of packets are for vectors"))]
    #[inline(always)]
    pub(crate) fn numbers(&self) -> Numbers {
        let first = self.first.load(Ordering::Relaxed);
        Numbers { first, count: self.taken.load(Ordering::Relaxed).min(number::END.saturating_sub(first)) }
    }

    /// Checks a packet number that this path has not taken yet, and takes all numbers up to it from the budget.
    #[cold]
    #[inline(never)]
    fn check_untaken(&self, number: u64) -> Result<(), Error> {
        let first = match self.first.compare_exchange(NONE, number, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => number,
            Err(first) => first,
        };
        if number < first {
            return Err(Error::PacketNumberFell { number, first });
        }
        loop {
            // Another thread may have taken numbers meanwhile.
            let taken = self.taken.load(Ordering::Relaxed);
            if number - first < taken {
                return Ok(());
            }
            let wanted = (number - first + 1).next_multiple_of(SHARE) - taken;
            let take = |left: u64| left.checked_sub(wanted);
            if self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
                // Another thread of this path may have taken the last numbers for both. (If that thread has not stored
                // them yet, this packet is refused early, by less than a share.)
                if self.taken.load(Ordering::Relaxed) != taken {
                    continue;
                }
                return Err(Error::ConfidentialityLimit);
            }
            if self.taken.compare_exchange(taken, taken + wanted, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                self.budget.fetch_add(wanted, Ordering::Relaxed);
            }
        }
    }
}

/// Number of packets of a connection that failed to open, under all its keys together. Clones share the count.
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
    /// Creates a counter that starts at `count`.
    #[must_use]
    pub fn from_count(count: u64) -> Self {
        Self(Arc::new(AtomicU64::new(count)))
    }

    /// Returns the number of packets that have failed to open.
    #[must_use]
    #[inline]
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Checks that fewer than `limit` packets have failed to open, so that another packet may be opened.
    #[inline(always)]
    pub(crate) fn check(&self, limit: u64) -> Result<(), Error> {
        if self.count() < limit { Ok(()) } else { Err(Error::IntegrityLimit) }
    }

    #[cold]
    pub(crate) fn add_one(&self) {
        // Saturates: an ordinary addition would wrap at the end of the range.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_accepts_packet_numbers_from_first_to_first_plus_limit_minus_one() {
        let protected = Protected::new(CONFIDENTIALITY);
        assert_eq!(protected.check(1000), Ok(()));
        assert_eq!(protected.check(1000 + CONFIDENTIALITY - 1), Ok(()));
        assert_eq!(protected.check(1000 + CONFIDENTIALITY), Err(Error::ConfidentialityLimit));
        assert_eq!(protected.check(999), Err(Error::PacketNumberFell { number: 999, first: 1000 }));
        assert_eq!(protected.check(1000), Ok(()));
    }

    #[test]
    fn begin_sets_the_first_packet_number() {
        let mut protected = Protected::new(CONFIDENTIALITY);
        protected.begin(7);
        assert_eq!(protected.check(6 + CONFIDENTIALITY), Ok(()));
        assert_eq!(protected.check(7 + CONFIDENTIALITY), Err(Error::ConfidentialityLimit));
        assert_eq!(protected.check(7), Ok(()));
        assert_eq!(protected.check(6), Err(Error::PacketNumberFell { number: 6, first: 7 }));
    }

    #[test]
    fn paths_share_one_confidentiality_limit() {
        let first = Protected::new(CONFIDENTIALITY);
        let second = first.on_path();
        assert_eq!(second.check(5), Ok(()));
        assert_eq!(first.check(90), Ok(()));
        assert_eq!(first.check(90 + CONFIDENTIALITY - SHARE - 1), Ok(()));
        assert_eq!(first.check(90 + CONFIDENTIALITY - SHARE), Err(Error::ConfidentialityLimit));
        assert_eq!(second.check(5 + SHARE), Err(Error::ConfidentialityLimit));
        assert_eq!(second.check(4 + SHARE), Ok(()));
        assert_eq!(first.on_path().check(0), Err(Error::ConfidentialityLimit));
    }

    #[test]
    fn packet_number_beyond_the_limit_takes_nothing_from_the_budget() {
        let protected = Protected::new(CONFIDENTIALITY);
        assert_eq!(protected.check(0), Ok(()));
        assert_eq!(protected.check(1 << 60), Err(Error::ConfidentialityLimit));
        assert_eq!(protected.check(CONFIDENTIALITY - 1), Ok(()));
    }

    #[test]
    fn opening_is_refused_at_the_failure_limit_and_the_count_saturates() {
        let failed = FailedOpens::from_count(INTEGRITY - 1);
        assert_eq!(failed.check(INTEGRITY), Ok(()));
        failed.clone().add_one();
        assert_eq!(failed.check(INTEGRITY), Err(Error::IntegrityLimit));
        let failed = FailedOpens::from_count(u64::MAX);
        failed.add_one();
        assert_eq!(failed.count(), u64::MAX);
    }
}
