//! Computes nonces from the IV and a record or packet number (RFC 8446 §5.3, RFC 9001 §5.3).

use kasoku_engine::numbered_nonce;
use rustls::crypto::cipher::NONCE_LEN;

/// Returns the first twelve bytes of the IV, padded with zeros.
pub(crate) fn iv_bytes(iv: &[u8]) -> [u8; NONCE_LEN] {
    let mut bytes = [0; NONCE_LEN];
    bytes.iter_mut().zip(iv).for_each(|(byte, given)| *byte = *given);
    bytes
}

/// Returns the nonce for packet `number` on the given path of multipath QUIC.
pub(crate) fn nonce_on_path(iv: &[u8; NONCE_LEN], path: u32, number: u64) -> [u8; NONCE_LEN] {
    let mut nonce = numbered_nonce(iv, number);
    nonce.iter_mut().zip(path.to_be_bytes()).for_each(|(byte, part)| *byte ^= part);
    nonce
}

#[cfg(test)]
mod tests {
    use rustls::crypto::cipher::{Iv, Nonce};

    use super::*;

    #[test]
    fn record_and_path_nonces_match_rustls() {
        let iv = Iv::new([0x6b, 0x26, 0x11, 0x4b, 0x9c, 0xba, 0x2b, 0x63, 0xa9, 0xe8, 0xdd, 0x4f]);
        let bytes = iv_bytes(iv.as_ref());
        for number in [0, 1, 0x0102_0304_0506_0708, u64::MAX] {
            assert_eq!(numbered_nonce(&bytes, number), Nonce::new(&iv, number).0);
            for path in [0, 7, u32::MAX] {
                assert_eq!(nonce_on_path(&bytes, path, number), Nonce::for_path(path, &iv, number).0);
            }
        }
    }
}
