//! Adapts rustls's QUIC keys to quinn's traits, for suites without AES-GCM (ChaCha20-Poly1305).

use bytes::BytesMut;
use quinn_proto::crypto::{CryptoError, HeaderKey, Keys, PacketKey};
use rustls::quic::{DirectionalKeys, HeaderProtectionKey};

use super::keys::{self, Direction};
use super::mask::sample_of;

pub(super) fn keys(keys: rustls::quic::Keys) -> Keys {
    keys::both(direction(keys.local), direction(keys.remote))
}

pub(super) fn direction(keys: DirectionalKeys) -> Direction {
    (Box::new(Header(keys.header)), packet_key(keys.packet))
}

pub(super) fn packet_key(key: Box<dyn rustls::quic::PacketKey>) -> Box<dyn PacketKey> {
    Box::new(Packet(key))
}

struct Packet(Box<dyn rustls::quic::PacketKey>);

impl Packet {
    /// Seals the packet; returns `None` if sealing fails.
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize) -> Option<()> {
        let (header, rest) = packet.split_at_mut_checked(header_bytes)?;
        let (payload, tag) = rest.split_at_mut_checked(rest.len().checked_sub(self.0.tag_len())?)?;
        let sealed = self.0.encrypt_in_place(number, header, payload).ok()?;
        tag.copy_from_slice(sealed.as_ref());
        Some(())
    }
}

impl PacketKey for Packet {
    /// Zeroes a packet that cannot be sealed, so that it is never sent in the clear, as with Kasoku's keys.
    fn encrypt(&self, number: u64, packet: &mut [u8], header_bytes: usize) {
        if self.seal(number, packet, header_bytes).is_none() {
            packet.fill(0);
        }
    }

    fn decrypt(&self, number: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let text = self.0.decrypt_in_place(number, header, payload).map_err(|_| CryptoError)?;
        let text_bytes = text.len();
        payload.truncate(text_bytes);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.0.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.0.integrity_limit()
    }
}

struct Header(Box<dyn HeaderProtectionKey>);

impl Header {
    /// Passes sample, first byte and packet number of a header to `change`. Does nothing for a too short packet, which
    /// quinn never passes.
    fn change_header(&self, number_offset: usize, packet: &mut [u8], change: impl FnOnce(&[u8], &mut u8, &mut [u8])) {
        let Some(sample) = sample_of(packet, number_offset).copied() else { return };
        let Some((first, rest)) = packet.split_first_mut() else { return };
        let Some(start) = number_offset.checked_sub(1) else { return };
        if let Some(number) = rest.get_mut(start..start + 4) {
            change(&sample, first, number);
        }
    }
}

impl HeaderKey for Header {
    fn decrypt(&self, number_offset: usize, packet: &mut [u8]) {
        self.change_header(number_offset, packet, |sample, first, number| {
            // Fails only if the sample or the packet number has a wrong length.
            let _ = self.0.decrypt_in_place(sample, first, number);
        });
    }

    fn encrypt(&self, number_offset: usize, packet: &mut [u8]) {
        self.change_header(number_offset, packet, |sample, first, number| {
            let _ = self.0.encrypt_in_place(sample, first, number);
        });
    }

    fn sample_size(&self) -> usize {
        self.0.sample_len()
    }
}

#[cfg(test)]
mod tests {
    use rustls::crypto::cipher::{AeadKey, Iv};
    use rustls::crypto::ring::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256;

    use super::*;

    const KEY: [u8; 32] = [
        0xc6, 0xd9, 0x8f, 0xf3, 0x44, 0x1c, 0x3f, 0xe1, 0xb2, 0x18, 0x20, 0x94, 0xf6, 0x9c, 0xaa, 0x2e, 0xd4, 0xb7,
        0x16, 0xb6, 0x54, 0x88, 0x96, 0x0a, 0x7a, 0x98, 0x49, 0x79, 0xfb, 0x23, 0xe1, 0xc8,
    ];
    const IV: [u8; 12] = [0xe0, 0x45, 0x9b, 0x34, 0x74, 0xbd, 0xd0, 0xe4, 0x4a, 0x41, 0xc1, 0x44];
    const HEADER_KEY: [u8; 32] = [
        0x25, 0xa2, 0x82, 0xb9, 0xe8, 0x2f, 0x06, 0xf2, 0x1f, 0x48, 0x89, 0x17, 0xa4, 0xfc, 0x8f, 0x1b, 0x73, 0x57,
        0x36, 0x85, 0x60, 0x85, 0x97, 0xd0, 0xef, 0xcb, 0x07, 0x6b, 0x0a, 0xb7, 0xa7, 0xa4,
    ];

    /// Uses the packet of RFC 9001 A.5, which has a short header.
    #[test]
    fn chacha20_key_matches_rfc_9001_packet() {
        let algorithm = TLS13_CHACHA20_POLY1305_SHA256.tls13().and_then(|suite| suite.quic).unwrap();
        let packet_key = packet_key(algorithm.packet_key(AeadKey::from(KEY), Iv::new(IV)));
        let header_key = Header(algorithm.header_protection_key(AeadKey::from(HEADER_KEY)));
        let number = 654_360_564;
        let header = [0x42, 0x00, 0xbf, 0xf4];
        let mut packet = [&header[..], &[0x01], &[0; 16]].concat();
        packet_key.encrypt(number, &mut packet, header.len());
        header_key.encrypt(1, &mut packet);
        let published = [
            0x4c, 0xfe, 0x41, 0x89, 0x65, 0x5e, 0x5c, 0xd5, 0x5c, 0x41, 0xf6, 0x90, 0x80, 0x57, 0x5d, 0x79, 0x99, 0xc2,
            0x5a, 0x5b, 0xfb,
        ];
        assert_eq!(packet, published);
        header_key.decrypt(1, &mut packet);
        assert_eq!(packet[..4], header);
        let mut payload = BytesMut::from(&packet[4..]);
        packet_key.decrypt(number, &header, &mut payload).unwrap();
        assert_eq!(payload[..], [0x01]);
        let mut changed = BytesMut::from(&published[4..]);
        changed[0] ^= 1;
        assert!(packet_key.decrypt(number, &header, &mut changed).is_err());
    }
}
