//! Implements quinn's key traits with the engine.

use std::sync::Arc;

use bytes::BytesMut;
use kasoku_engine::TAG_BYTES;
use kasoku_engine::packet::initial::{Secrets, Sender, Version};
use kasoku_engine::packet::{HeaderProtection, PacketProtection, limits};
use quinn_proto::crypto::{CryptoError, HeaderKey, KeyPair, Keys, PacketKey};
use quinn_proto::{ConnectionId, Side};

use super::mask::{KeptMask, SAMPLE_BYTES, sample_of};
use super::secrets::Material;
use crate::aead::made;

/// Header-protection key and packet key of one direction.
pub(super) type Direction = (Box<dyn HeaderKey>, Box<dyn PacketKey>);

/// Derives the keys of Initial packets from the client's first destination connection ID.
pub(super) fn initial_keys(connection_id: &ConnectionId, side: Side) -> Keys {
    let of = |sender| {
        let secrets = Secrets::new(Version::V1, sender, connection_id);
        direction(&Material::new(&secrets.key, secrets.iv, &secrets.header_key), &Arc::default())
    };
    let (client, server) = (of(Sender::Client), of(Sender::Server));
    match side {
        Side::Client => both(client, server),
        Side::Server => both(server, client),
    }
}

/// Creates the keys of one direction. The packet key passes header masks to the header key through `kept`.
pub(super) fn direction(material: &Material, kept: &Arc<KeptMask>) -> Direction {
    let header = Header { key: made(HeaderProtection::new(material.header_key())), kept: Arc::clone(kept) };
    (Box::new(header), packet_key(material, kept))
}

/// Creates only the packet key, for another key phase with the same header key.
pub(super) fn packet_key(material: &Material, kept: &Arc<KeptMask>) -> Box<dyn PacketKey> {
    let protection = made(PacketProtection::new(material.key(), material.iv(), material.header_key()));
    Box::new(Packet { protection, kept: Arc::clone(kept) })
}

pub(super) fn both(local: Direction, remote: Direction) -> Keys {
    Keys { header: KeyPair { local: local.0, remote: remote.0 }, packet: KeyPair { local: local.1, remote: remote.1 } }
}

/// Packet key of one direction in one key phase.
struct Packet {
    protection: PacketProtection,
    kept: Arc<KeptMask>,
}

impl Packet {
    /// Seals the packet and keeps its header mask; returns whether sealing succeeded.
    #[inline]
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize) -> bool {
        let number_bytes = packet.first().map_or(0, |first| usize::from(first & 0b11) + 1);
        let Some(number_offset) = header_bytes.checked_sub(number_bytes) else { return false };
        let Ok(mask) = self.protection.seal(number, packet, number_offset, number_bytes) else { return false };
        if let Some(sample) = sample_of(packet, number_offset) {
            self.kept.keep(sample, mask);
        }
        true
    }
}

impl PacketKey for Packet {
    /// Seals the packet. The trait cannot return an error, so a packet that the engine refuses to seal (past the key's
    /// limit) is zeroed: it is not sent in the clear, and no receiver accepts it.
    #[inline]
    fn encrypt(&self, number: u64, packet: &mut [u8], header_bytes: usize) {
        if !self.seal(number, packet, header_bytes) {
            packet.fill(0);
        }
    }

    #[inline]
    fn decrypt(&self, number: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let text_bytes = self.protection.open_payload(number, header, payload).map_err(|_| CryptoError)?;
        payload.truncate(text_bytes);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    fn confidentiality_limit(&self) -> u64 {
        limits::CONFIDENTIALITY
    }

    fn integrity_limit(&self) -> u64 {
        limits::INTEGRITY
    }
}

/// Header-protection key of one direction.
struct Header {
    /// Key for headers alone. A packet key kept here would outlive its key phase.
    key: HeaderProtection,
    kept: Arc<KeptMask>,
}

impl HeaderKey for Header {
    #[inline]
    fn decrypt(&self, number_offset: usize, packet: &mut [u8]) {
        if let Some(sample) = sample_of(packet, number_offset) {
            let mask = self.key.mask(sample);
            // An error means that the packet is too short for a header; the packet is then unchanged.
            let _ = mask.remove(packet, number_offset);
        }
    }

    #[inline]
    fn encrypt(&self, number_offset: usize, packet: &mut [u8]) {
        if let Some(sample) = sample_of(packet, number_offset) {
            let mask = self.kept.get(sample).unwrap_or_else(|| self.key.mask(sample));
            let _ = mask.apply(packet, number_offset);
        }
    }

    fn sample_size(&self) -> usize {
        SAMPLE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material() -> Material {
        Material::new(&[1; 16], [2; 12], &[3; 16])
    }

    fn packet(number: u8) -> Vec<u8> {
        [&[0x40][..], b"id", &[number], &[7; 60], &[0; 16]].concat()
    }

    #[test]
    fn kept_mask_equals_recomputed_mask() {
        let whole = PacketProtection::new(&[1; 16], &[2; 12], &[3; 16]).unwrap();
        let mut expected = packet(9);
        whole.protect(9, &mut expected, 3, 1).unwrap();
        let kept = Arc::default();
        let (header, key) = direction(&material(), &kept);
        let mut kept_mask = packet(9);
        key.encrypt(9, &mut kept_mask, 4);
        let mut made_anew = kept_mask.clone();
        header.encrypt(3, &mut kept_mask);
        // Protects another packet in between.
        key.encrypt(10, &mut packet(10), 4);
        assert_eq!(kept.get(sample_of(&made_anew, 3).unwrap()), None);
        header.encrypt(3, &mut made_anew);
        assert_eq!((kept_mask, made_anew), (expected.clone(), expected));
    }

    #[test]
    fn packet_past_the_key_limit_is_zeroed() {
        let (_, key) = direction(&material(), &Arc::default());
        key.encrypt(5, &mut packet(5), 4);
        let mut past = packet(6);
        key.encrypt(5 + limits::CONFIDENTIALITY, &mut past, 4);
        assert_eq!(past, [0; 80], "past the limit");
        let mut again = packet(4);
        key.encrypt(4, &mut again, 4);
        assert_eq!(again, [0; 80], "a number before the first");
        let mut short = vec![0x43; 10];
        key.encrypt(6, &mut short, 3);
        assert_eq!(short, [0; 10], "no room for its number");
        let mut last = packet(6);
        key.encrypt(5 + limits::CONFIDENTIALITY - 1, &mut last, 4);
        assert_ne!(last, [0; 80]);
    }
}
