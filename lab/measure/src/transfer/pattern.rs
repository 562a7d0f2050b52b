//! The pattern of transferred bytes. Each byte depends on its position, so that lost, repeated or displaced data is
//! noticed.

use bytes::Bytes;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Period of the pattern in bytes. It is prime, so no size of a packet, record or piece divides it. Data that is
/// displaced by any number of them therefore differs.
const PERIOD: usize = 1_000_003;
/// Maximum length in bytes of the piece of the transferred pattern that is written or compared at once.
pub(super) const MAX_PIECE: usize = 256 << 10;
/// Number of bytes that are compared at each end of a piece, if the piece is not compared as a whole.
const END: usize = 8;

const SEED: u64 = 0x656e_6420_746f;

pub(super) struct Pattern {
    bytes: Bytes,
}

impl Pattern {
    pub(super) fn new() -> Pattern {
        let mut bytes = vec![0; PERIOD];
        Xoshiro256PlusPlus::seed_from_u64(SEED).fill_bytes(&mut bytes);
        bytes.extend_from_within(..MAX_PIECE);
        Pattern { bytes: bytes.into() }
    }

    /// Returns `length` bytes of the pattern from `position` on, at most [`MAX_PIECE`], without copying them.
    pub(super) fn piece(&self, position: u64, length: usize) -> Bytes {
        let start = (position % PERIOD as u64) as usize;
        self.bytes.slice(start..start + length.min(MAX_PIECE))
    }

    /// Whether `piece` agrees with the pattern at `position`. If `is_looked_at` is false, compares only the ends of
    /// `piece`.
    pub(super) fn is_at(&self, position: u64, piece: &[u8], is_looked_at: bool) -> bool {
        let is_same = |position: u64, part: &[u8]| {
            let start = (position % PERIOD as u64) as usize;
            self.bytes.get(start..start + part.len()) == Some(part)
        };
        if is_looked_at {
            let parts = piece.chunks(MAX_PIECE).enumerate();
            return parts
                .map(|(index, part)| (position + (index * MAX_PIECE) as u64, part))
                .all(|(at, part)| is_same(at, part));
        }
        let end = piece.len().saturating_sub(END);
        is_same(position, &piece[..piece.len().min(END)]) && is_same(position + end as u64, &piece[end..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_detects_displaced_and_changed_data() {
        let pattern = Pattern::new();
        for position in [0, 1452, PERIOD as u64 - 3, 5 * PERIOD as u64 + 17] {
            let piece = pattern.piece(position, 4000);
            assert!(pattern.is_at(position, &piece, true) && pattern.is_at(position, &piece, false));
            for displaced in [1, 16, 1452, 16_384, 1 << 20] {
                assert!(!pattern.is_at(position + displaced, &piece, true), "{displaced}");
                assert!(!pattern.is_at(position + displaced, &piece, false), "{displaced}");
            }
            let mut changed = piece.to_vec();
            changed[2000] ^= 1;
            assert!(!pattern.is_at(position, &changed, true));
            changed[3999] ^= 1;
            assert!(!pattern.is_at(position, &changed, false));
        }
        assert!(pattern.is_at(7, &[], true) && pattern.is_at(7, &[], false));
        let long = [pattern.piece(9, MAX_PIECE), pattern.piece(9 + MAX_PIECE as u64, 10)].concat();
        assert!(pattern.is_at(9, &long, true));
    }
}
