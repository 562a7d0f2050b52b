//! Many packets at once.
//!
//! The buffer of a GSO or GRO call has packets of one length, the last one perhaps apart. Packets of one shape that follow
//! each other are a run, and for a run (`run.rs`) most of what a packet asks for beside its text is known beforehand or
//! done for as many packets as a vector has places (`ends.rs`). What is not part of a run, packets of mixed lengths or the
//! last few, goes one by one.
//!
//! Two things decide what is gained. A CPU looks ahead only some hundred instructions: so what is waited for must not stand
//! right before what waits. And nothing may be read soon after it was written in other pieces: such a load waits until
//! the stores have left the store buffer, and all that comes after waits for room.

mod ends;
mod run;

use super::lines::HEADER_BYTES;
use super::packet::{self, ExpandedPacket};
use super::vector::Vector;
use crate::packet::{FailedOpens, Numbers, Packet, Protected, Shape, number};
use ends::unmask_group;
pub(super) use run::long;

/// Functions out of the way of runs with short texts, with all registers for themselves. (Each needs the features of its
/// backend; the key is the proof.)
pub(super) struct Apart<V: Vector, D> {
    /// Seals or opens a packet that was admitted, by itself.
    pub(super) one: unsafe fn(&ExpandedPacket<V>, &mut Packet<'_>, Option<&FailedOpens>),
    /// A run of packets whose texts are not short; how many packets it has.
    pub(super) long: unsafe fn(&ExpandedPacket<V>, &mut [Packet<'_>], usize, &Shape, &mut D) -> usize,
}

/// Seals every packet that is admitted, and masks its header.
#[inline(always)]
pub(super) fn seal<'a, V: Vector, const ROUNDS: usize>(
    key: &ExpandedPacket<V>,
    packets: &mut [Packet<'_>],
    mut direction: Sending<'a>,
    apart: &Apart<V, Sending<'a>>,
) {
    all::<V, ROUNDS, true, _>(key, packets, &mut direction, apart);
}

/// Takes the masks off the headers of all packets that are long enough.
#[inline(always)]
pub(super) fn unmask<V: Vector, const ROUNDS: usize>(
    key: &ExpandedPacket<V>,
    packets: &mut [Packet<'_>],
    expected: u64,
) {
    for group in packets.chunks_mut(V::BLOCKS) {
        unmask_group::<V, ROUNDS>(key, group, expected);
    }
}

/// Opens every packet that is good, after taking the mask off if that is still to be done.
#[inline(always)]
pub(super) fn open<'a, V: Vector, const ROUNDS: usize>(
    key: &ExpandedPacket<V>,
    packets: &mut [Packet<'_>],
    mut direction: Receiving<'a>,
    apart: &Apart<V, Receiving<'a>>,
) {
    all::<V, ROUNDS, false, _>(key, packets, &mut direction, apart);
}

#[inline(always)]
fn all<V: Vector, const ROUNDS: usize, const SEAL: bool, D: Direction<V>>(
    key: &ExpandedPacket<V>,
    packets: &mut [Packet<'_>],
    direction: &mut D,
    apart: &Apart<V, D>,
) {
    let mut from = 0;
    while from < packets.len() {
        let to = packets.len().min(from + V::BLOCKS);
        direction.prepare::<ROUNDS>(key, packets, to + V::BLOCKS);
        let group = &mut packets[from..to];
        let are_admitted = group.iter_mut().fold(true, |all, packet| direction.admit(packet) & all);
        let shape = group[0].shape();
        let is_run = are_admitted && group.len() == V::BLOCKS && shape.header_bytes() <= HEADER_BYTES;
        if is_run && group.iter().all(|packet| packet.shape().is(&shape)) {
            // SAFETY: the key is the proof.
            from += run::short::<V, ROUNDS, SEAL, D>(key, packets, from, &shape, direction)
                .unwrap_or_else(|| unsafe { (apart.long)(key, packets, from, &shape, direction) });
            continue;
        }
        for packet in group.iter_mut().filter(|packet| packet.is_good()) {
            // SAFETY: the key is the proof.
            unsafe { (apart.one)(key, packet, direction.failed()) };
        }
        from = to;
    }
}

/// What is done with a packet beside its text.
pub(super) trait Direction<V: Vector> {
    /// Sees to it that the first `until` packets, as far as there are so many, can be admitted.
    fn prepare<const ROUNDS: usize>(&mut self, key: &ExpandedPacket<V>, packets: &mut [Packet<'_>], until: usize);

    /// Whether a packet may be sealed or opened.
    fn admit(&self, packet: &mut Packet<'_>) -> bool;

    /// The numbers of those that may.
    fn numbers(&self) -> Numbers;

    /// Whether a packet of a run may be sealed or opened, in few instructions.
    fn admit_as(&self, packet: &mut Packet<'_>, shape: &Shape, numbers: &Numbers) -> bool;

    /// Where failures are counted, if packets are received.
    fn failed(&self) -> Option<&FailedOpens>;
}

/// Packets are sent.
pub(super) struct Sending<'a>(pub(super) &'a Protected);

impl<V: Vector> Direction<V> for Sending<'_> {
    #[inline(always)]
    fn prepare<const ROUNDS: usize>(&mut self, _: &ExpandedPacket<V>, _: &mut [Packet<'_>], _: usize) {}

    #[inline(always)]
    fn admit(&self, packet: &mut Packet<'_>) -> bool {
        packet.admit(self.0)
    }

    #[inline(always)]
    fn numbers(&self) -> Numbers {
        self.0.numbers()
    }

    #[inline(always)]
    fn admit_as(&self, packet: &mut Packet<'_>, shape: &Shape, numbers: &Numbers) -> bool {
        packet.admit_as(shape, numbers)
    }

    #[inline(always)]
    fn failed(&self) -> Option<&FailedOpens> {
        None
    }
}

/// Packets are received, and `unmasked` of them have no mask any more.
pub(super) struct Receiving<'a> {
    pub(super) failed: &'a FailedOpens,
    pub(super) expected: u64,
    pub(super) unmasked: usize,
}

impl<V: Vector> Direction<V> for Receiving<'_> {
    #[inline(always)]
    fn prepare<const ROUNDS: usize>(&mut self, key: &ExpandedPacket<V>, packets: &mut [Packet<'_>], until: usize) {
        let until = until.min(packets.len());
        while self.unmasked < until {
            let to = packets.len().min(self.unmasked + V::BLOCKS);
            unmask_group::<V, ROUNDS>(key, &mut packets[self.unmasked..to], self.expected);
            self.unmasked = to;
        }
    }

    #[inline(always)]
    fn admit(&self, packet: &mut Packet<'_>) -> bool {
        packet.admit_unmasked()
    }

    #[inline(always)]
    fn numbers(&self) -> Numbers {
        Numbers { first: 0, count: number::END }
    }

    #[inline(always)]
    fn admit_as(&self, packet: &mut Packet<'_>, shape: &Shape, numbers: &Numbers) -> bool {
        packet.is_admitted_as(shape, numbers)
    }

    #[inline(always)]
    fn failed(&self) -> Option<&FailedOpens> {
        Some(self.failed)
    }
}

/// Seals a packet that was admitted and masks its header, or opens and verifies it.
#[inline(always)]
pub(super) fn one<V: Vector, const ROUNDS: usize>(
    key: &ExpandedPacket<V>,
    packet: &mut Packet<'_>,
    failed: Option<&FailedOpens>,
) {
    match failed {
        None => packet::protect_one::<V, ROUNDS>(key, packet),
        Some(failed) => packet::open_one::<V, ROUNDS>(key, packet, failed),
    }
}
