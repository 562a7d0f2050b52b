//! Fixtures: keys on every backend, their reference implementation, and packets to be protected.

use kasoku_engine::packet::{Packet, PacketProtection};

use crate::reference::Reference;
use crate::support::backends;
use crate::support::random::Random;

/// A packet key, an IV and a header-protection key.
pub(crate) struct Keys {
    pub(crate) key: Vec<u8>,
    pub(crate) iv: [u8; 12],
    pub(crate) header_key: Vec<u8>,
}

impl Keys {
    /// Makes random keys: one set of 16-byte keys, and one set of 32-byte keys.
    pub(crate) fn of_both_sizes(random: &mut Random) -> [Self; 2] {
        [16, 32].map(|bytes| Self::new(random, bytes))
    }

    pub(crate) fn new(random: &mut Random, bytes: usize) -> Self {
        Self { key: random.bytes(bytes), iv: random.array(), header_key: random.bytes(bytes) }
    }

    pub(crate) fn reference(&self) -> Reference {
        Reference::new(&self.key, &self.iv, &self.header_key)
    }

    /// Expands the keys for every backend that runs on this CPU, in each of its schedules.
    pub(crate) fn protections(&self) -> Vec<PacketProtection> {
        let expand = |&path| {
            let protection = PacketProtection::with_backend(&self.key, &self.iv, &self.header_key, path).unwrap();
            assert_eq!(protection.code_path(), path);
            protection
        };
        backends::paths().iter().map(expand).collect()
    }

    /// Like [`protections`](Self::protections), for packet numbers from `number` on.
    pub(crate) fn protections_from(&self, number: u64) -> Vec<PacketProtection> {
        self.protections().into_iter().map(|protection| protection.beginning_at(number).unwrap()).collect()
    }
}

/// A packet before it is protected: header, payload, and 16 arbitrary bytes as room for the tag.
#[derive(Clone)]
pub(crate) struct Plain {
    pub(crate) number: u64,
    pub(crate) number_offset: usize,
    pub(crate) number_bytes: usize,
    pub(crate) bytes: Vec<u8>,
}

impl Plain {
    /// Makes a packet of `bytes` random bytes, with a long or short header. Only the packet number and the bits for its
    /// length are set.
    pub(crate) fn new(random: &mut Random, number: u64, [bytes, number_offset, number_bytes]: [usize; 3]) -> Self {
        let mut bytes = random.bytes(bytes);
        bytes[0] = bytes[0] & 0b1111_1100 | (number_bytes as u8 - 1);
        let encoded = number.to_be_bytes();
        bytes[number_offset..number_offset + number_bytes].copy_from_slice(&encoded[8 - number_bytes..]);
        Self { number, number_offset, number_bytes, bytes }
    }

    /// Returns the protected packet, as the reference makes it.
    pub(crate) fn protected(&self, reference: &Reference) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        reference.protect(self.number, &mut bytes, self.number_offset, self.number_bytes);
        bytes
    }

    pub(crate) fn header_and_payload(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - 16]
    }

    pub(crate) fn payload(&self) -> &[u8] {
        &self.header_and_payload()[self.number_offset + self.number_bytes..]
    }

    /// Describes the packet for messages of assertions.
    pub(crate) fn case(&self) -> String {
        let Self { number, number_offset, number_bytes, bytes } = self;
        format!("{} bytes, number {number:#x} at {number_offset} in {number_bytes} bytes", bytes.len())
    }
}

/// Packets one after the other in one buffer, as in system calls for many datagrams.
pub(crate) struct Lined {
    buffer: Vec<u8>,
    lengths: Vec<usize>,
}

impl Lined {
    pub(crate) fn new<'p>(packets: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let (mut buffer, mut lengths) = (Vec::new(), Vec::new());
        for packet in packets {
            buffer.extend_from_slice(packet);
            lengths.push(packet.len());
        }
        Self { buffer, lengths }
    }

    pub(crate) fn packets(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let mut rest = &mut self.buffer[..];
        self.lengths.iter().map(move |&length| {
            let (packet, behind) = std::mem::take(&mut rest).split_at_mut(length);
            rest = behind;
            packet
        })
    }

    pub(crate) fn outgoing<'p>(&'p mut self, plain: &[Plain]) -> Vec<Packet<'p>> {
        let packets = self.packets().zip(plain);
        packets.map(|(bytes, p)| Packet::outgoing(p.number, bytes, p.number_offset, p.number_bytes)).collect()
    }

    pub(crate) fn incoming<'p>(&'p mut self, plain: &[Plain]) -> Vec<Packet<'p>> {
        self.packets().zip(plain).map(|(bytes, p)| Packet::incoming(bytes, p.number_offset)).collect()
    }
}

/// Returns `stride` if tests are to be brief, and 1 otherwise.
pub(crate) fn sparse(stride: usize) -> usize {
    if backends::is_brief() { stride } else { 1 }
}

/// Length of the packet key in bytes.
pub(crate) fn key_bytes(protection: &PacketProtection) -> usize {
    if protection.next_phase(&[0; 16], &[0; 12]).is_ok() { 16 } else { 32 }
}
