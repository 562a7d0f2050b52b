//! Integrity tag of Retry packets (RFC 9001 §5.8): authenticates the packet and the client's first destination
//! connection ID under a public key.

use kasoku_engine::{AesGcm, TAG_BYTES, Tag};
use quinn_proto::ConnectionId;

use crate::aead::made;

const KEY: [u8; 16] = [0xbe, 0x0c, 0x69, 0x0b, 0x9f, 0x66, 0x57, 0x5a, 0x1d, 0x76, 0x6b, 0x54, 0xe3, 0x68, 0xc8, 0x4e];
const NONCE: [u8; 12] = [0x46, 0x15, 0x99, 0xd3, 0x5d, 0x63, 0x2b, 0xf2, 0x23, 0x98, 0x25, 0xbb];

/// Computes the tag of a Retry packet. `parts` is the packet without its tag.
pub(super) fn tag(original_id: &ConnectionId, parts: &[&[u8]]) -> Tag {
    let aad = pseudo_packet(original_id, parts);
    made(made(AesGcm::new(&KEY)).seal(&NONCE, &aad, &mut []))
}

/// Returns whether a Retry packet ends with the correct tag.
pub(super) fn is_valid(original_id: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
    let Some((token, tag)) = payload.split_last_chunk::<TAG_BYTES>() else { return false };
    let aad = pseudo_packet(original_id, &[header, token]);
    made(AesGcm::new(&KEY)).open(&NONCE, &aad, &mut [], tag).is_ok()
}

fn pseudo_packet(original_id: &ConnectionId, parts: &[&[u8]]) -> Vec<u8> {
    [&[original_id.len() as u8][..], original_id, &parts.concat()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses the Retry packet of RFC 9001 A.4.
    #[test]
    fn retry_tag_matches_rfc_9001_packet() {
        let id = ConnectionId::new(&[0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08]);
        let header = [0xff, 0, 0, 0, 1, 0, 8, 0xf0, 0x67, 0xa5, 0x50, 0x2a, 0x42, 0x62, 0xb5];
        let payload = [
            &b"token"[..],
            &[0x04, 0xa2, 0x65, 0xba, 0x2e, 0xff, 0x4d, 0x82, 0x90, 0x58, 0xfb, 0x3f, 0x0f, 0x24, 0x96, 0xba],
        ]
        .concat();
        assert_eq!(tag(&id, &[&header, b"token"])[..], payload[5..]);
        assert!(is_valid(&id, &header, &payload));
        for position in 0..payload.len() {
            let mut changed = payload.clone();
            changed[position] ^= 1;
            assert!(!is_valid(&id, &header, &changed), "byte {position}");
        }
        assert!(!is_valid(&ConnectionId::new(&[1]), &header, &payload));
        assert!(!is_valid(&id, &header, &payload[..15]));
    }
}
