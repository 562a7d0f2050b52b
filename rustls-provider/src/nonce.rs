//! Nonces: the IV and a number (RFC 8446 §5.3, RFC 9001 §5.3).

use rustls::crypto::cipher::{Iv, NONCE_LEN};

/// An IV as two numbers, so that a nonce is two XORs.
#[derive(Clone, Copy)]
pub(crate) struct Base {
    first: u32,
    last: u64,
}

impl Base {
    pub(crate) fn new(iv: &Iv) -> Self {
        Self::from_bytes(iv.as_ref())
    }

    /// Of the first twelve of `iv`'s bytes; zeros where there are none.
    pub(crate) fn from_bytes(iv: &[u8]) -> Self {
        let mut all = [0; 16];
        let length = iv.len().min(NONCE_LEN);
        all[..length].copy_from_slice(&iv[..length]);
        let all = u128::from_be_bytes(all);
        Self { first: (all >> 96) as u32, last: (all >> 32) as u64 }
    }

    /// The nonce of the record or packet `number`.
    #[inline]
    pub(crate) fn nonce(self, number: u64) -> [u8; NONCE_LEN] {
        self.nonce_on_path(0, number)
    }

    /// The nonce of the packet `number` on a path of multipath QUIC.
    #[inline]
    pub(crate) fn nonce_on_path(self, path: u32, number: u64) -> [u8; NONCE_LEN] {
        let first = u128::from(self.first ^ path);
        let all = (first << 96 | u128::from(self.last ^ number) << 32).to_be_bytes();
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(&all[..NONCE_LEN]);
        nonce
    }
}

#[cfg(test)]
mod tests {
    use rustls::crypto::cipher::Nonce;

    use super::*;

    #[test]
    fn nonces_are_those_of_rustls() {
        let iv = Iv::new([0x6b, 0x26, 0x11, 0x4b, 0x9c, 0xba, 0x2b, 0x63, 0xa9, 0xe8, 0xdd, 0x4f]);
        for number in [0, 1, 0x0102_0304_0506_0708, u64::MAX] {
            assert_eq!(Base::new(&iv).nonce(number), Nonce::new(&iv, number).0);
            for path in [0, 7, u32::MAX] {
                assert_eq!(Base::new(&iv).nonce_on_path(path, number), Nonce::for_path(path, &iv, number).0);
            }
        }
    }
}
