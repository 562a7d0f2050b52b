//! Nonces for the messages that a job seals or opens: precomputed, or counted for each message as protocols do.
//!
//! Counted nonces make small messages slower. The library loads a nonce in other pieces than those in which the counter
//! just stored it, so the load waits until the store is complete.

use std::hint::black_box;

use kasoku_engine::numbered_nonce;

/// Nonce of an AEAD: 96 bits, or 192 bits for XAES.
pub(crate) type Nonce<const BYTES: usize = 12> = [u8; BYTES];

/// A source of nonces: the fixtures' nonce with a sequence number XORed into its last eight bytes, as in TLS 1.3 and
/// QUIC.
pub(crate) trait Nonces<const BYTES: usize = 12> {
    fn restart(&mut self);

    fn next(&mut self) -> &Nonce<BYTES>;

    /// Returns the first nonce, for a message that is opened repeatedly. Computes or loads the nonce as `next` does.
    fn repeat_first(&mut self) -> &Nonce<BYTES>;
}

/// A nonce in a slot of 16 or 32 bytes, so that none crosses a cache line.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub(crate) struct Slot<const BYTES: usize = 12>(pub(crate) Nonce<BYTES>);

#[repr(align(64))]
struct Ring<const BYTES: usize>([Slot<BYTES>; 256]);

/// 256 precomputed nonces, used cyclically.
pub(crate) struct PrecomputedNonces<const BYTES: usize> {
    ring: Box<Ring<BYTES>>,
    next: u8,
}

impl<const BYTES: usize> From<Nonce<BYTES>> for PrecomputedNonces<BYTES> {
    fn from(first: Nonce<BYTES>) -> Self {
        let mut ring = Box::new(Ring([Slot(first); 256]));
        for (sequence, slot) in ring.0.iter_mut().enumerate() {
            slot.0 = numbered(&first, sequence as u64);
        }
        PrecomputedNonces { ring, next: 0 }
    }
}

impl<const BYTES: usize> Nonces<BYTES> for PrecomputedNonces<BYTES> {
    fn restart(&mut self) {
        self.next = 0;
    }

    #[inline]
    fn next(&mut self) -> &Nonce<BYTES> {
        let slot = &self.ring.0[usize::from(self.next)];
        self.next = self.next.wrapping_add(1);
        &slot.0
    }

    #[inline]
    fn repeat_first(&mut self) -> &Nonce<BYTES> {
        &self.ring.0[0].0
    }
}

/// Computes a nonce for each message, and stores it just before its use.
pub(crate) struct CountedNonces<const BYTES: usize> {
    first: Nonce<BYTES>,
    sequence: u64,
    nonce: Slot<BYTES>,
}

impl<const BYTES: usize> From<Nonce<BYTES>> for CountedNonces<BYTES> {
    fn from(first: Nonce<BYTES>) -> Self {
        CountedNonces { first, sequence: 0, nonce: Slot(first) }
    }
}

impl<const BYTES: usize> Nonces<BYTES> for CountedNonces<BYTES> {
    fn restart(&mut self) {
        self.sequence = 0;
    }

    #[inline]
    fn next(&mut self) -> &Nonce<BYTES> {
        self.nonce.0 = numbered(&self.first, self.sequence);
        self.sequence += 1;
        &self.nonce.0
    }

    #[inline]
    fn repeat_first(&mut self) -> &Nonce<BYTES> {
        self.nonce.0 = numbered(&self.first, black_box(0));
        &self.nonce.0
    }
}

#[inline]
fn numbered<const BYTES: usize>(first: &Nonce<BYTES>, sequence: u64) -> Nonce<BYTES> {
    let mut nonce = *first;
    if let Some(last) = nonce.last_chunk_mut() {
        *last = numbered_nonce(last, sequence);
    }
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precomputed_and_counted_nonces_are_equal_and_restart() {
        let (mut ahead, mut counted) = (PrecomputedNonces::from([0xff; 12]), CountedNonces::from([0xff; 12]));
        for number in 0..256_u32 {
            let expected = [[0xff; 8].as_slice(), &(!number).to_be_bytes()].concat();
            assert_eq!((ahead.next()[..].to_vec(), counted.next()[..].to_vec()), (expected.clone(), expected));
        }
        assert_eq!(*ahead.next(), [0xff; 12], "precomputed nonces repeat after 256");
        assert_eq!(counted.next()[10], 0xfe, "counted nonces do not repeat");
        let begun = |nonces: &mut dyn Nonces| {
            nonces.restart();
            (*nonces.repeat_first(), *nonces.next())
        };
        assert_eq!(begun(&mut ahead), ([0xff; 12], [0xff; 12]));
        assert_eq!(begun(&mut counted), ([0xff; 12], [0xff; 12]));
    }
}
