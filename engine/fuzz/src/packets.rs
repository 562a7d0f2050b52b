//! Fuzz bodies for packets: arbitrary received packets, and batches of sent and received packets.

use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aes::cipher::BlockCipherEncrypt;
use aes_gcm::aes::{Aes128, Aes256};
use aes_gcm::{AeadInOut, Aes128Gcm, Aes256Gcm, KeyInit};
use kasoku_engine::cpu::Found;
use kasoku_engine::packet::{Packet, PacketProtection, number};
use kasoku_engine::{CodePath, Error};

use super::input::Input;

/// Unprotects arbitrary bytes, in one step and in two, on every backend, and compares with two passes of RustCrypto's
/// primitives.
pub(crate) fn received_packets(input: &[u8]) {
    let mut input = Input(input);
    let keys = Keys::read(&mut input);
    let expected = u64::from_le_bytes(input.array());
    let number_offset = any_offset(&mut input);
    let packet = input.0;

    let (reference, mut result) = (Reference::new(&keys), packet.to_vec());
    let verdict = reference.unprotect(expected, &mut result, number_offset);
    for protection in keys.protections(0) {
        let mut work = packet.to_vec();
        let opened = protection.unprotect(expected, &mut work, number_offset);
        assert_eq!(opened.as_ref().map(|opened| opened.number), verdict.as_ref().map(|(number, _)| *number));
        assert!(work == result, "{protection:?}");
        let mut work = packet.to_vec();
        let opened = protection
            .unmask(expected, &mut work, number_offset)
            .and_then(|unmasked| protection.open(unmasked.number, &mut work, number_offset, unmasked.number_bytes));
        assert_eq!(opened.as_ref().err(), verdict.as_ref().err(), "{protection:?}");
        assert!(work == result, "{protection:?}");
        for unprotect in [PacketProtection::unprotect_batch, PacketProtection::unprotect_side_by_side] {
            let mut work = packet.to_vec();
            let mut batch = [Packet::incoming(&mut work, number_offset)];
            unprotect(&protection, expected, &mut batch);
            assert_eq!(batch[0].result().err(), verdict.as_ref().err().copied(), "{protection:?}");
            assert!(work == result, "{protection:?}");
        }
    }
}

/// Protects packets from the input in a batch, damages some as the input says, and unprotects them in a batch. Each
/// packet is compared with two passes of RustCrypto's primitives.
pub(crate) fn packet_batches(input: &[u8]) {
    let mut input = Input(input);
    let keys = Keys::read(&mut input);
    let first = u64::from_le_bytes(input.array()) >> 3;
    let mut packets = Vec::new();
    while !input.0.is_empty() && packets.len() < 80 {
        packets.push(Sent::read(&mut input, first));
    }
    let reference = Reference::new(&keys);
    let expected: Vec<_> = packets.iter().map(|packet| packet.protected(&reference, first)).collect();
    // Some of the sent packets are received with a changed bit or cut short.
    let received: Vec<_> = packets.iter().zip(&expected).map(|(packet, (sent, _))| packet.received(sent)).collect();
    let results: Vec<_> = packets
        .iter()
        .zip(&received)
        .map(|(packet, received)| {
            let mut work = received.clone();
            let verdict = reference.unprotect(first, &mut work, packet.number_offset);
            (work, verdict)
        })
        .collect();
    for protection in keys.protections(first) {
        let mut sent: Vec<_> = packets.iter().map(|packet| packet.bytes.clone()).collect();
        let mut batch: Vec<_> = sent
            .iter_mut()
            .zip(&packets)
            .map(|(bytes, packet)| Packet::outgoing(packet.number, bytes, packet.number_offset, packet.number_bytes))
            .collect();
        let good = expected.iter().filter(|(_, result)| result.is_ok()).count();
        assert_eq!(protection.protect_batch(&mut batch), good, "{protection:?}");
        for (packet, (bytes, result)) in batch.iter().zip(&expected) {
            assert_eq!(packet.result(), *result, "{protection:?}");
            assert!(packet.bytes() == bytes, "{protection:?}");
        }

        // Protects each packet by itself, with its payload in two slices.
        for (packet, (bytes, result)) in packets.iter().zip(&expected) {
            let mut work = packet.bytes.clone();
            let from = packet.number_offset.saturating_add(packet.number_bytes).min(work.len());
            let payload = &packet.bytes[from..packet.bytes.len().saturating_sub(16).max(from)];
            let (first, second) = payload.split_at(packet.changed % (payload.len() + 1));
            let slices = [first, second];
            let sent = protection.protect_vectored(
                packet.number,
                slices,
                &mut work,
                packet.number_offset,
                packet.number_bytes,
            );
            assert_eq!(sent, *result, "{protection:?}");
            assert!(work == *bytes, "{protection:?}");
        }

        for unprotect in [PacketProtection::unprotect_batch, PacketProtection::unprotect_side_by_side] {
            let mut work = received.clone();
            let mut batch: Vec<_> = work
                .iter_mut()
                .zip(&packets)
                .map(|(bytes, packet)| Packet::incoming(bytes, packet.number_offset))
                .collect();
            let good = results.iter().filter(|(_, verdict)| verdict.is_ok()).count();
            assert_eq!(unprotect(&protection, first, &mut batch), good, "{protection:?}");
            for (packet, (bytes, verdict)) in batch.iter().zip(&results) {
                assert_eq!(packet.result().err(), verdict.as_ref().err().copied(), "{protection:?}");
                assert!(packet.bytes() == bytes, "{protection:?}");
                if let Ok((number, number_bytes)) = verdict {
                    assert_eq!((packet.number(), packet.number_bytes()), (*number, *number_bytes), "{protection:?}");
                }
            }
        }
    }
}

/// A packet to be sent, and its damage in transit, both from the input.
struct Sent {
    bytes: Vec<u8>,
    number: u64,
    number_offset: usize,
    number_bytes: usize,
    change: u8,
    changed: usize,
}

impl Sent {
    fn read(input: &mut Input<'_>, first: u64) -> Self {
        let [shape, distance, change] = input.array();
        let number_offset = any_offset(input);
        let changed = usize::from(u16::from_le_bytes(input.array()));
        let length = usize::from(u16::from_le_bytes(input.array())) % 1700;
        // Pads with zeros, so that short inputs give long packets too.
        let mut bytes = input.take(length).to_vec();
        if shape & 0x40 == 0 {
            bytes.resize(length, 0);
        }
        // Most packets have valid numbers.
        let number_bytes = if shape & 0x30 == 0x30 { usize::from(shape & 7) } else { 1 + usize::from(shape & 3) };
        let number = match shape & 0x88 {
            0x88 => u64::from_le_bytes([distance; 8]),
            _ => first + u64::from(distance % 100),
        };
        let mut packet = Self { bytes, number, number_offset, number_bytes, change, changed };
        packet.write_number();
        packet
    }

    fn write_number(&mut self) {
        let encoded = self.number.to_be_bytes();
        let Some(encoded) = encoded.get(8 - self.number_bytes.min(8)..) else { return };
        let Some(place) = self.bytes.get_mut(self.number_offset..) else { return };
        if place.len() >= encoded.len() && matches!(self.number_bytes, 1..=4) && self.number_offset > 0 {
            place[..encoded.len()].copy_from_slice(encoded);
            self.bytes[0] = self.bytes[0] & !3 | (self.number_bytes as u8 - 1);
        }
    }

    fn protected(&self, reference: &Reference, first: u64) -> (Vec<u8>, Result<(), Error>) {
        let mut bytes = self.bytes.clone();
        let result = reference.protect(self.number, first, &mut bytes, self.number_offset, self.number_bytes);
        (bytes, result)
    }

    fn received(&self, sent: &[u8]) -> Vec<u8> {
        let mut bytes = sent.to_vec();
        if self.change & 0xC0 == 0xC0 {
            bytes.truncate(self.changed % (bytes.len() + 1));
        } else if self.change & 0x80 != 0 && !bytes.is_empty() {
            let at = self.changed % bytes.len();
            bytes[at] ^= 1 << (self.change & 7);
        }
        bytes
    }
}

/// Reads the offset of a packet number. The offset is possible for the packet in nearly all cases.
fn any_offset(input: &mut Input<'_>) -> usize {
    match input.byte() {
        0xFF => usize::MAX,
        0xFE => usize::MAX - 19,
        byte => usize::from(byte % 70),
    }
}

struct Keys {
    length: usize,
    key: [u8; 32],
    iv: [u8; 12],
    header_key: [u8; 32],
    path_id: u32,
}

impl Keys {
    fn read(input: &mut Input<'_>) -> Self {
        let first = input.byte();
        let length = 16 + 16 * usize::from(first & 1);
        let path_id = u32::from_be_bytes([first >> 1; 4]);
        Self { length, key: input.array(), iv: input.array(), header_key: input.array(), path_id }
    }

    /// Expands the keys for the network path, for every backend that runs on this CPU in each of its schedules.
    fn protections(&self, first: u64) -> impl Iterator<Item = PacketProtection> {
        let found = Found::here().features();
        let (key, header_key) = (&self.key[..self.length], &self.header_key[..self.length]);
        CodePath::all().filter(move |path| path.backend.runs_on(found)).map(move |path| {
            PacketProtection::with_backend(key, &self.iv, header_key, path)
                .and_then(|protection| protection.on_path(self.path_id).beginning_at(first))
                .expect("it runs here, and packets have the number")
        })
    }
}

/// Reference implementation in two passes, following RFC 9001 §5.
struct Reference {
    aead: Box<dyn Aead>,
    aes: Aes,
    /// IV of the network path: the IV XOR the path ID (RFC 10069).
    iv: [u8; 12],
}

enum Aes {
    With128(Box<Aes128>),
    With256(Box<Aes256>),
}

impl Reference {
    fn new(keys: &Keys) -> Self {
        let (key, header_key) = (&keys.key[..keys.length], &keys.header_key[..keys.length]);
        let length = "its length was chosen";
        let (aead, aes): (Box<dyn Aead>, _) = if keys.length == 16 {
            let aes = Aes::With128(Box::new(Aes128::new_from_slice(header_key).expect(length)));
            (Box::new(Aes128Gcm::new_from_slice(key).expect(length)), aes)
        } else {
            let aes = Aes::With256(Box::new(Aes256::new_from_slice(header_key).expect(length)));
            (Box::new(Aes256Gcm::new_from_slice(key).expect(length)), aes)
        };
        let mut iv = keys.iv;
        iv.iter_mut().zip(keys.path_id.to_be_bytes()).for_each(|(byte, part)| *byte ^= part);
        Self { aead, aes, iv }
    }

    fn protect(&self, number: u64, first: u64, packet: &mut [u8], offset: usize, bytes: usize) -> Result<(), Error> {
        if !matches!(bytes, 1..=4) {
            return Err(Error::PacketNumberBytes(bytes));
        }
        check_length(packet.len(), offset)?;
        if number >= number::END {
            return Err(Error::PacketNumberTooLarge(number));
        }
        if number < first {
            return Err(Error::PacketNumberFell { number, first });
        }
        if number - first >= 1 << 23 {
            return Err(Error::ConfidentialityLimit);
        }
        let (header, rest) = packet.split_at_mut(offset + bytes);
        let (text, room) = rest.split_last_chunk_mut::<16>().expect("its length was checked");
        *room = self.aead.seal(&self.nonce(number), header, text);
        let mask = self.mask(&packet[offset + 4..offset + 20]);
        packet[0] ^= mask[0] & if packet[0] < 0x80 { 0x1F } else { 0x0F };
        packet[offset..offset + bytes].iter_mut().zip(&mask[1..]).for_each(|(byte, mask)| *byte ^= mask);
        Ok(())
    }

    /// Returns the packet number and its length in bytes.
    fn unprotect(&self, expected: u64, packet: &mut [u8], offset: usize) -> Result<(u64, usize), Error> {
        check_length(packet.len(), offset)?;
        let masked = packet.to_vec();
        let mask = self.mask(&packet[offset + 4..offset + 20]);
        packet[0] ^= mask[0] & if packet[0] < 0x80 { 0x1F } else { 0x0F };
        let bytes = usize::from(packet[0] & 3) + 1;
        packet[offset..offset + bytes].iter_mut().zip(&mask[1..]).for_each(|(byte, mask)| *byte ^= mask);
        let truncated = packet[offset..offset + bytes].iter().fold(0, |number, &byte| number << 8 | u32::from(byte));
        let number = number::decode(expected, truncated, bytes);
        if number >= number::END {
            packet.copy_from_slice(&masked);
            return Err(Error::PacketNumberTooLarge(number));
        }
        let (header, rest) = packet.split_at_mut(offset + bytes);
        let (text, tag) = rest.split_last_chunk_mut::<16>().expect("its length was checked");
        if self.aead.open(&self.nonce(number), header, text, tag) {
            Ok((number, bytes))
        } else {
            text.fill(0);
            Err(Error::AuthenticationFailed)
        }
    }

    fn nonce(&self, number: u64) -> [u8; 12] {
        let mut nonce = self.iv;
        nonce[4..].iter_mut().zip(number.to_be_bytes()).for_each(|(byte, number)| *byte ^= number);
        nonce
    }

    fn mask(&self, sample: &[u8]) -> [u8; 16] {
        let mut block = sample.try_into().expect("a sample has 16 bytes");
        match &self.aes {
            Aes::With128(key) => key.encrypt_block(&mut block),
            Aes::With256(key) => key.encrypt_block(&mut block),
        }
        block.into()
    }
}

fn check_length(packet_bytes: usize, offset: usize) -> Result<(), Error> {
    let least = offset.saturating_add(20);
    match offset {
        0 => Err(Error::PacketNumberOffset),
        _ if packet_bytes < least => Err(Error::PacketTooShort { packet_bytes, least }),
        _ => Ok(()),
    }
}

trait Aead {
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: &mut [u8]) -> [u8; 16];
    fn open(&self, nonce: &[u8; 12], aad: &[u8], text: &mut [u8], tag: &[u8; 16]) -> bool;
}

impl<A: AeadInOut<NonceSize = aes_gcm::aead::consts::U12, TagSize = aes_gcm::aead::consts::U16>> Aead for A {
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: &mut [u8]) -> [u8; 16] {
        self.encrypt_inout_detached(nonce.into(), aad, InOutBuf::from(text)).expect("short").into()
    }

    fn open(&self, nonce: &[u8; 12], aad: &[u8], text: &mut [u8], tag: &[u8; 16]) -> bool {
        self.decrypt_inout_detached(nonce.into(), aad, InOutBuf::from(text), tag.into()).is_ok()
    }
}
