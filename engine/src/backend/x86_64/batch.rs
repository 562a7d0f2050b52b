//! Batches of packets that are sealed or opened together.
//!
//! The buffer of a GSO or GRO call has packets of one length, except perhaps the last packet. Consecutive packets with
//! equal lengths of header, payload and tag form a run. In a run (`run.rs`), most of the work outside the payload is
//! known in advance, or is executed for several packets at once, one in each lane of a vector (`ends.rs`). Other
//! packets are processed one at a time.
//!
//! Two rules decide how much time is saved. First, a CPU looks ahead only some hundred instructions, so a result must
//! not be computed just before its use. Second, memory must not be loaded soon after it was written in smaller pieces.
//! Such a load waits until the stores have left the store buffer, and later instructions wait too.

mod ends;
mod run;

use super::aesni::Lanes1;
use super::lines::HEADER_BYTES;
use super::message;
use super::packet::{self, ExpandedPacket, OnePacket};
use super::vector::Vector;
use crate::backend::{Admission, Packet, Reception, Shape};
use crate::tag::TAG_BYTES;
use ends::unmask_group;
pub(super) use run::long;

/// A function that seals or opens consecutive packets of equal lengths with long payloads. Returns the number of
/// packets processed. The function is not inlined, so that all registers are free for it. (The CPU needs the features
/// of the backend, which the key proves.)
pub(super) type LongRun<V, T, D> = unsafe fn(&ExpandedPacket<V>, &mut [T], usize, &Shape, &mut D) -> usize;

/// Unmasks the headers of all packets that are long enough to contain a header-protection sample.
#[inline(always)]
pub(super) fn unmask<V: OnePacket, const ROUNDS: usize, T: Packet>(
    key: &ExpandedPacket<V>,
    packets: &mut [T],
    reception: &impl Reception<T>,
) {
    for group in packets.chunks_mut(V::BLOCKS) {
        unmask_group::<V, ROUNDS, T>(key, group, reception);
    }
}

/// Seals or opens every packet that [`Admission::admit`] accepts. Interleaves packets of equal lengths if their
/// payloads are short; packets with long payloads are interleaved only if `long` has a function for them.
#[inline(always)]
pub(super) fn all<V: OnePacket, const ROUNDS: usize, const SEAL: bool, T: Packet, D: Direction<V, T>>(
    key: &ExpandedPacket<V>,
    packets: &mut [T],
    direction: &mut D,
    long: Option<LongRun<V, T, D>>,
) {
    let mut from = 0;
    while from < packets.len() {
        let to = packets.len().min(from + V::BLOCKS);
        direction.prepare::<ROUNDS>(key, packets, to + V::BLOCKS);
        let group = &mut packets[from..to];
        let are_admitted = group.iter_mut().fold(true, |all, packet| direction.admission().admit(packet) & all);
        let shape = group[0].shape();
        let is_run = are_admitted && group.len() == V::BLOCKS && shape.header_bytes() <= HEADER_BYTES;
        if is_run && group.iter().all(|packet| packet.shape().equals(&shape)) {
            let mut done = run::short::<V, ROUNDS, SEAL, T, D>(key, packets, from, &shape, direction);
            if let (None, Some(long)) = (done, long)
                && shape.payload_bytes() > message::max_short_bytes::<V>()
            {
                // SAFETY: the key holds the proof that the CPU has the features.
                done = Some(unsafe { long(key, packets, from, &shape, direction) });
            }
            if let Some(done) = done {
                from += done;
                continue;
            }
        }
        let group = &mut packets[from..to];
        for packet in group.iter_mut().filter(|packet| packet.is_good()) {
            direction.process_one(key, packet);
        }
        from = to;
    }
}

/// Defines the parts of batch processing that differ between sending and receiving packets.
pub(crate) trait Direction<V: OnePacket, T: Packet> {
    /// Prepares the first `until` packets, or all packets if there are fewer, for [`Admission::admit`]. For received
    /// packets, this unmasks the headers.
    fn prepare<const ROUNDS: usize>(&mut self, key: &ExpandedPacket<V>, packets: &mut [T], until: usize);

    fn admission(&self) -> &impl Admission<T>;

    /// Processes one accepted packet without interleaving. An outgoing packet is sealed and its header masked; a
    /// received packet is opened and verified.
    fn process_one(&self, key: &ExpandedPacket<V>, packet: &mut T);

    /// Finishes a packet that was interleaved with others. For an outgoing packet, writes the `computed` tag. For a
    /// received packet, compares it with `tag`, the received tag.
    fn finish(&self, packet: &mut T, shape: &Shape, computed: Lanes1, tag: Lanes1);
}

/// Batch processing of outgoing packets: seals each packet and masks its header.
pub(super) struct Sending<'a, A>(pub(super) &'a A);

impl<V: OnePacket, T: Packet, A: Admission<T>> Direction<V, T> for Sending<'_, A> {
    #[inline(always)]
    fn prepare<const ROUNDS: usize>(&mut self, _: &ExpandedPacket<V>, _: &mut [T], _: usize) {}

    #[inline(always)]
    fn admission(&self) -> &impl Admission<T> {
        self.0
    }

    #[inline(always)]
    fn process_one(&self, key: &ExpandedPacket<V>, packet: &mut T) {
        packet::protect_one(key, packet);
    }

    #[inline(always)]
    fn finish(&self, packet: &mut T, shape: &Shape, computed: Lanes1, _: Lanes1) {
        // SAFETY: an admitted packet has room for its tag.
        unsafe { computed.store(packet.bytes_mut().as_mut_ptr().wrapping_add(shape.packet_bytes - TAG_BYTES)) };
    }
}

/// Batch processing of received packets. The headers of the first `unmasked` packets are unmasked already.
pub(super) struct Receiving<'a, R> {
    pub(super) reception: &'a R,
    pub(super) unmasked: usize,
}

impl<V: OnePacket, T: Packet, R: Reception<T>> Direction<V, T> for Receiving<'_, R> {
    #[inline(always)]
    fn prepare<const ROUNDS: usize>(&mut self, key: &ExpandedPacket<V>, packets: &mut [T], until: usize) {
        let until = until.min(packets.len());
        while self.unmasked < until {
            let to = packets.len().min(self.unmasked + V::BLOCKS);
            unmask_group::<V, ROUNDS, T>(key, &mut packets[self.unmasked..to], self.reception);
            self.unmasked = to;
        }
    }

    #[inline(always)]
    fn admission(&self) -> &impl Admission<T> {
        self.reception
    }

    #[inline(always)]
    fn process_one(&self, key: &ExpandedPacket<V>, packet: &mut T) {
        packet::open_one(key, packet, self.reception);
    }

    #[inline(always)]
    fn finish(&self, packet: &mut T, _: &Shape, computed: Lanes1, tag: Lanes1) {
        self.reception.verify(packet, &computed.to_bytes(), &tag.to_bytes());
    }
}
