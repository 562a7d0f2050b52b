//! The buffer of packets, with their numbers and nonces.
//!
//! Incoming packets stay valid in each pass without copying. Decrypting in counter mode turns the ciphertext into the
//! text; decrypting that text, taken for a ciphertext, restores the first ciphertext. So each packet has two headers
//! and two tags, which take turns: 36 bytes, written right after the packet is processed, so that the stores have
//! retired when the packet comes again.

use super::super::super::Unsupported;
use super::super::super::buffer::Buffer;
use super::super::super::nonces::{Nonce, Slot};
use super::super::to_array;
use super::{NUMBER_BYTES, NUMBER_OFFSET, PacketOperation};
use crate::fixtures::Fixtures;
use kasoku_engine::numbered_nonce;
use kasoku_model::workload::Packets;
use kasoku_model::workload::packets::{HEADER_BYTES, MIN_PAYLOAD};

/// Maximum number of bytes of all packets together, unless a single batch is longer: less than the L1 data cache has.
const WORKING_SET: usize = 24 << 10;
/// Maximum number of packets in the buffer, unless a single batch has more. More packets would only need more nonces.
const MAX_PACKETS: usize = 64;
/// Maximum number of bytes of a batch; longer ones are rejected.
const MAX_BYTES: usize = 128 << 20;
const TAG_BYTES: usize = 16;

pub(super) struct Ring {
    packets: Buffer,
    /// Copy of the initial content of `packets`.
    original: Vec<u8>,
    /// Seals the packets again before each pass; `None` for outgoing packets.
    seals: Option<Seals>,
    /// Bytes of a packet, including header and tag.
    pub(super) packet_bytes: usize,
    header_bytes: usize,
    count: usize,
    pub(super) batch: usize,
    nonces: Vec<Slot>,
    first_number: u64,
    next: usize,
}

/// Headers and tags that make each packet valid in this pass and in the next.
struct Seals {
    by_pass: [Vec<Seal>; 2],
    pass: usize,
}

#[derive(Clone, Copy)]
struct Seal {
    header: [u8; HEADER_BYTES],
    tag: [u8; TAG_BYTES],
}

impl Ring {
    /// Creates outgoing packets. The first packet number is the one in the fixtures' header; records count from 0.
    pub(super) fn outgoing(packets: Packets, fixtures: &Fixtures) -> Result<Ring, Unsupported> {
        let refused = |why: String| Err(Unsupported::new(why));
        let header_bytes = packets.header_bytes();
        if fixtures.aad.len() != header_bytes {
            return refused(format!("a header of {} bytes instead of {header_bytes}", fixtures.aad.len()));
        }
        if fixtures.text.len() < MIN_PAYLOAD {
            return refused(format!("a payload under {MIN_PAYLOAD} bytes, which could not be sampled"));
        }
        let packet = [&fixtures.aad, &fixtures.text, &[0; TAG_BYTES][..]].concat();
        let (packet_bytes, batch) = (packet.len(), packets.batch.max(1));
        let fitting = (WORKING_SET / packet_bytes).min(MAX_PACKETS);
        let count = (fitting / batch * batch).max(batch);
        if count.saturating_mul(packet_bytes) > MAX_BYTES {
            return refused(format!("{batch} packets of {packet_bytes} bytes are too much for one buffer"));
        }
        let first_number = match fixtures.aad.last_chunk::<NUMBER_BYTES>() {
            Some(&bytes) if !packets.record => u64::from(u16::from_be_bytes(bytes)),
            _ => 0,
        };
        let iv = to_array("nonce", &fixtures.nonce)?;
        let mut original = packet.repeat(count);
        if !packets.record {
            for (packet, number) in original.chunks_exact_mut(packet_bytes).zip(first_number..) {
                packet[NUMBER_OFFSET..HEADER_BYTES].copy_from_slice(&(number as u16).to_be_bytes());
            }
        }
        Ok(Ring {
            packets: Buffer::input(&original),
            original,
            seals: None,
            packet_bytes,
            header_bytes,
            count,
            batch,
            nonces: (first_number..).take(count).map(|number| Slot(numbered_nonce(&iv, number))).collect(),
            first_number,
            next: 0,
        })
    }

    pub(super) fn incoming(
        packets: Packets,
        fixtures: &Fixtures,
        sender: &mut impl PacketOperation,
    ) -> Result<Ring, Unsupported> {
        let mut ring = Ring::outgoing(packets, fixtures)?;
        let mut protected = |ring: &mut Ring| {
            let (packet_bytes, number) = (ring.packet_bytes, ring.first_number);
            let result = sender.process_batch(number, &ring.nonces, &mut ring.packets, packet_bytes);
            result.map(|()| ring.seals_now())
        };
        let first = protected(&mut ring)?;
        let sent = ring.packets.to_vec();
        for (packet, plain) in
            ring.packets.chunks_exact_mut(ring.packet_bytes).zip(ring.original.chunks_exact(ring.packet_bytes))
        {
            packet[..HEADER_BYTES].copy_from_slice(&plain[..HEADER_BYTES]);
        }
        let second = protected(&mut ring)?;
        ring.seals = Some(Seals { by_pass: [first, second], pass: 0 });
        ring.original = sent;
        ring.restart();
        Ok(ring)
    }

    pub(super) fn first_nonce(&self) -> &Nonce {
        &self.nonces[0].0
    }

    pub(super) fn restart(&mut self) {
        self.packets.copy_from_slice(&self.original);
        self.next = 0;
        if let Some(seals) = &mut self.seals {
            seals.pass = 0;
        }
    }

    /// Returns the next batch: number of its first packet, nonces, packets.
    #[inline]
    pub(super) fn next(&mut self) -> (u64, &[Slot], &mut [u8]) {
        let (first, end) = (self.next, self.next + self.batch);
        let packets = &mut self.packets[first * self.packet_bytes..end * self.packet_bytes];
        (self.first_number + first as u64, &self.nonces[first..end], packets)
    }

    #[inline]
    pub(super) fn next_text(&mut self) -> &mut [u8] {
        let text = self.header_bytes..self.packet_bytes - TAG_BYTES;
        &mut self.next().2[text]
    }

    /// Advances to the next batch, and makes the packets of the processed batch valid for the next pass.
    #[inline]
    pub(super) fn advance(&mut self) {
        let (first, end) = (self.next, self.next + self.batch);
        self.next = if end == self.count { 0 } else { end };
        let Some(Seals { by_pass, pass }) = &mut self.seals else { return };
        let packets = &mut self.packets[first * self.packet_bytes..end * self.packet_bytes];
        let seals = &by_pass[1 - *pass][first..end];
        let tag = self.packet_bytes - TAG_BYTES;
        for (index, seal) in seals.iter().enumerate() {
            let start = index * self.packet_bytes;
            packets[start..start + HEADER_BYTES].copy_from_slice(&seal.header);
            packets[start + tag..start + tag + TAG_BYTES].copy_from_slice(&seal.tag);
        }
        if self.next == 0 {
            *pass = 1 - *pass;
        }
    }

    /// Returns the first batch of packets. For incoming packets: the packets as received, followed by their decrypted
    /// texts. The headers and tags in the buffer are left out, because they are already those of the next pass.
    pub(super) fn first_batch(&self) -> Vec<u8> {
        let now = &self.packets[..self.batch * self.packet_bytes];
        if self.seals.is_none() {
            return now.to_vec();
        }
        let texts = now.chunks_exact(self.packet_bytes).flat_map(|packet| &packet[HEADER_BYTES..][..self.text_bytes()]);
        self.original[..now.len()].iter().chain(texts).copied().collect()
    }

    pub(super) fn first_packet(&mut self) -> (&[u8], &mut [u8], &mut [u8]) {
        let text_bytes = self.text_bytes();
        let (header, sealed) = self.packets[..self.packet_bytes].split_at_mut(self.header_bytes);
        let (text, tag) = sealed.split_at_mut(text_bytes);
        (header, text, tag)
    }

    fn text_bytes(&self) -> usize {
        self.packet_bytes - self.header_bytes - TAG_BYTES
    }

    fn seals_now(&self) -> Vec<Seal> {
        let of = |packet: &[u8]| {
            let mut seal = Seal { header: [0; HEADER_BYTES], tag: [0; TAG_BYTES] };
            seal.header.copy_from_slice(&packet[..HEADER_BYTES]);
            seal.tag.copy_from_slice(&packet[packet.len() - TAG_BYTES..]);
            seal
        };
        self.packets.chunks_exact(self.packet_bytes).map(of).collect()
    }
}
