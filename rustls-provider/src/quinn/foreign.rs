//! Keys of suites that are not ours, ChaCha20-Poly1305's: rustls's traits under quinn's.

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
    /// Seals; whether it did.
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize) -> Option<()> {
        let (header, rest) = packet.split_at_mut_checked(header_bytes)?;
        let (payload, tag) = rest.split_at_mut_checked(rest.len().checked_sub(self.0.tag_len())?)?;
        let sealed = self.0.encrypt_in_place(number, header, payload).ok()?;
        tag.copy_from_slice(sealed.as_ref());
        Some(())
    }
}

impl PacketKey for Packet {
    /// As with our own keys: what was not sealed is not sent.
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
    /// Hands the parts of a header to `change`; a packet too short for them, which quinn does not give, stays as it is.
    fn with(&self, number_offset: usize, packet: &mut [u8], change: impl FnOnce(&[u8], &mut u8, &mut [u8])) {
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
        self.with(number_offset, packet, |sample, first, number| {
            // It fails for a sample or a number of a wrong length only.
            let _ = self.0.decrypt_in_place(sample, first, number);
        });
    }

    fn encrypt(&self, number_offset: usize, packet: &mut [u8]) {
        self.with(number_offset, packet, |sample, first, number| {
            let _ = self.0.encrypt_in_place(sample, first, number);
        });
    }

    fn sample_size(&self) -> usize {
        self.0.sample_len()
    }
}
