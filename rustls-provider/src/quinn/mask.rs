//! Passes a header mask from the packet key, which computes it while sealing, to the header key.

use std::sync::atomic::{AtomicU64, Ordering};

use kasoku_engine::packet::HeaderMask;

/// Length of a header-protection sample in bytes (RFC 9001 §5.4.2).
pub(super) const SAMPLE_BYTES: usize = 16;

/// Header mask of the last sealed packet, and the sample from which the mask was computed.
///
/// quinn seals a packet and then masks its header in one thread. If two threads did so at once, parts of two masks
/// could mix. Each half of the sample is therefore stored XORed with the mask, so that mask and halves match a sample
/// only if one call wrote all of them. (A stored mask has 64 bits of cipher output. With a mask from another call, both
/// halves match by chance with a probability of 2^-128.)
#[derive(Default)]
pub(super) struct KeptMask {
    first: AtomicU64,
    second: AtomicU64,
    mask: AtomicU64,
}

impl KeptMask {
    /// Stores the mask that was computed from `sample`.
    #[inline]
    pub(super) fn keep(&self, sample: &[u8; SAMPLE_BYTES], mask: HeaderMask) {
        let (first, second) = halves(sample);
        let mask = mask.to_bits();
        self.mask.store(mask, Ordering::Relaxed);
        self.first.store(first ^ mask, Ordering::Relaxed);
        self.second.store(second ^ mask, Ordering::Relaxed);
    }

    /// Returns the stored mask if it was computed from `sample`.
    #[inline]
    pub(super) fn get(&self, sample: &[u8; SAMPLE_BYTES]) -> Option<HeaderMask> {
        let (first, second) = halves(sample);
        let mask = self.mask.load(Ordering::Relaxed);
        let differs =
            (self.first.load(Ordering::Relaxed) ^ mask ^ first) | (self.second.load(Ordering::Relaxed) ^ mask ^ second);
        (differs == 0).then(|| HeaderMask::from_bits(mask))
    }
}

/// Returns the packet's header-protection sample, or `None` if the packet is too short.
#[inline]
pub(super) fn sample_of(packet: &[u8], number_offset: usize) -> Option<&[u8; SAMPLE_BYTES]> {
    // The sample begins four bytes after the start of the packet number, whatever that number's length.
    packet.get(number_offset.checked_add(4)?..)?.first_chunk()
}

#[inline]
fn halves(sample: &[u8; SAMPLE_BYTES]) -> (u64, u64) {
    let all = u128::from_le_bytes(*sample);
    (all as u64, (all >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_mask_is_returned_for_its_sample_only() {
        let kept = KeptMask::default();
        let mask = HeaderMask::from_bits(0x0123_4567_89AB_CDEF);
        assert_eq!(kept.get(&[1; 16]), None);
        kept.keep(&[1; 16], mask);
        assert_eq!(kept.get(&[1; 16]), Some(mask));
        assert_eq!(kept.get(&[1; 16]), Some(mask), "again, for a header that is masked a second time");
        for byte in 0..16 {
            let mut other = [1; 16];
            other[byte] ^= 0x80;
            assert_eq!(kept.get(&other), None, "byte {byte}");
        }
        kept.keep(&[2; 16], HeaderMask::from_bits(7));
        assert_eq!(kept.get(&[1; 16]), None);
    }

    #[test]
    fn mask_mixed_from_two_threads_matches_no_sample() {
        let kept = KeptMask::default();
        kept.keep(&[1; 16], HeaderMask::from_bits(0xAAAA));
        // Simulates another thread between the writes.
        kept.mask.store(0xBBBB, Ordering::Relaxed);
        assert_eq!(kept.get(&[1; 16]), None);
        assert_eq!(kept.get(&[2; 16]), None);
    }

    #[test]
    fn sample_of_returns_none_for_short_packets() {
        assert_eq!(sample_of(&[0; 24], 5), None);
        assert_eq!(sample_of(&[0; 25], 5), Some(&[0; 16]));
        assert_eq!(sample_of(&[0; 25], usize::MAX), None);
    }
}
