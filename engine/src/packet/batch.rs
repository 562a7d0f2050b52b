//! Batches of packets under one key, with a result for each packet.

use core::ops::Range;

use super::header;
use super::limits::{FailedOpens, Protected};
use super::{PacketProtection, Unmasked, check_position, number, refuse};
use crate::backend::{self, Admission, Block, Mask, Numbers, Packet as _, Reception, Shape};
use crate::error::Error;
use crate::tag::{TAG_BYTES, are_equal};

/// One packet of a batch, with its result.
#[derive(Debug)]
pub struct Packet<'a> {
    /// All bytes of the packet: header, payload, and the tag or room for it.
    bytes: &'a mut [u8],
    number_offset: usize,
    number: u64,
    result: Result<(), Error>,
    /// Length of the packet number: 1 to 4 bytes if `result` is `Ok` and the number is known. (The type is not `usize`,
    /// so that a packet fits into one cache line.)
    number_bytes: u32,
    /// Whether the packet was verified and opened. If not, [`payload`](Self::payload) returns an empty slice.
    is_opened: bool,
}

impl<'a> Packet<'a> {
    /// Creates a packet to be protected. `bytes` are the header, the payload, and 16 bytes of room for the tag. The
    /// header has the packet number in `number_bytes` bytes from `number_offset` on. (If `number_bytes` does not fit in
    /// 32 bits, errors report it as 2^32 − 1.)
    #[must_use]
    pub fn outgoing(number: u64, bytes: &'a mut [u8], number_offset: usize, number_bytes: usize) -> Self {
        let number_bytes = u32::try_from(number_bytes).unwrap_or(u32::MAX);
        Self { bytes, number_offset, number_bytes, number, result: Ok(()), is_opened: false }
    }

    /// Creates a packet to be unprotected, whose packet number begins at `number_offset`.
    #[must_use]
    pub fn incoming(bytes: &'a mut [u8], number_offset: usize) -> Self {
        Self::outgoing(0, bytes, number_offset, 0)
    }

    /// Returns the packet number: the given one for outgoing packets, the decoded one for received packets.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the length of the packet number in bytes: as given for outgoing packets, as read from the header for
    /// received packets.
    #[must_use]
    pub fn number_bytes(&self) -> usize {
        self.number_bytes as usize
    }

    /// Returns the packet's result in the last batch that processed the packet. Returns `Ok` before the first batch.
    ///
    /// # Errors
    /// As for the call that processes a single packet.
    pub fn result(&self) -> Result<(), Error> {
        self.result
    }

    /// Returns all bytes of the packet.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// Returns the payload of a packet that was opened, or an empty slice for other packets.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        if self.is_opened { &self.bytes[self.data_range()] } else { &[] }
    }

    #[cold]
    pub(super) fn refuse(&mut self, error: Error) {
        self.result = Err(error);
        self.is_opened = false;
    }

    /// Returns the length of the payload in bytes, or zero if the packet is too short for its header and tag.
    #[inline]
    pub(super) fn payload_bytes(&self) -> usize {
        let others = self.number_offset.saturating_add(self.number_bytes()).saturating_add(TAG_BYTES);
        self.bytes.len().saturating_sub(others)
    }

    /// Protects this packet alone, without interleaving. Returns whether this succeeded.
    #[inline]
    pub(super) fn protect(&mut self, protection: &PacketProtection) -> bool {
        let number_bytes = self.number_bytes();
        let result = protection.protect(self.number, self.bytes, self.number_offset, number_bytes);
        self.settle(result)
    }

    /// Unprotects this packet alone, without interleaving and without checking the integrity limit. Returns whether
    /// this succeeded.
    #[inline]
    pub(super) fn unprotect(&mut self, protection: &PacketProtection, expected: u64) -> bool {
        match protection.unprotect_one(expected, self.bytes, self.number_offset) {
            Ok((unmasked, is_genuine)) => {
                self.set_unmasked(unmasked);
                self.settle_opened(is_genuine, &protection.failed);
            }
            Err(error) => self.refuse(error),
        }
        self.is_opened
    }

    pub(super) fn unmask(&mut self, protection: &PacketProtection, expected: u64) {
        let unmasked = protection.unmask(expected, self.bytes, self.number_offset);
        self.settle(unmasked.map(|_| ()));
        if let Ok(unmasked) = unmasked {
            self.set_unmasked(unmasked);
        }
    }

    /// Stores the packet number and its length, which were read from the packet's header.
    #[inline(always)]
    fn set_unmasked(&mut self, Unmasked { number, number_bytes }: Unmasked) {
        self.number = number;
        self.number_bytes = number_bytes as u32;
    }

    /// Stores the result of verifying the packet. If the packet is forged, counts the failure and wipes the plaintext.
    #[inline(always)]
    fn settle_opened(&mut self, is_genuine: bool, failed: &FailedOpens) {
        self.result = Ok(());
        self.is_opened = is_genuine;
        if !is_genuine {
            let range = self.data_range();
            self.result = refuse(&mut self.bytes[range], failed);
        }
    }

    /// Stores `result` as the result of the packet, and returns whether `result` is `Ok`.
    #[inline(always)]
    fn settle(&mut self, result: Result<(), Error>) -> bool {
        // Two assignments, because a single one would go through memory.
        match result {
            Ok(()) => {
                self.result = Ok(());
                self.is_opened = false;
            }
            Err(error) => self.refuse(error),
        }
        result.is_ok()
    }

    #[inline(always)]
    fn check_position(&self) -> Result<(), Error> {
        check_position(self.number, self.bytes.len(), self.number_offset, self.number_bytes())
    }

    /// Returns the range of the payload in a packet that passed the checks of its lengths.
    #[inline(always)]
    fn data_range(&self) -> Range<usize> {
        header::data_range(self.bytes.len(), self.number_offset, self.number_bytes())
    }
}

impl backend::Packet for Packet<'_> {
    #[inline(always)]
    fn number(&self) -> u64 {
        self.number
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape { packet_bytes: self.bytes.len(), number_offset: self.number_offset, number_bytes: self.number_bytes() }
    }

    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    #[inline(always)]
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes
    }

    #[inline(always)]
    fn is_good(&self) -> bool {
        self.result.is_ok()
    }

    #[inline(always)]
    fn mask_header(&mut self, mask: Mask, shape: &Shape) {
        header::mask_header(&mut self.bytes[..shape.packet_bytes], shape.number_offset, shape.number_bytes, mask);
    }
}

/// Checks outgoing packets: their lengths and offsets, and the confidentiality limit of the key.
pub(super) struct Sending<'a>(pub(super) &'a Protected);

impl Admission<Packet<'_>> for Sending<'_> {
    #[inline(always)]
    fn admit(&self, packet: &mut Packet<'_>) -> bool {
        let position = packet.check_position();
        packet.settle(position.and_then(|()| self.0.check(packet.number)))
    }

    #[inline(always)]
    fn numbers(&self) -> Numbers {
        self.0.numbers()
    }

    #[inline(always)]
    fn admit_as(&self, packet: &mut Packet<'_>, shape: &Shape, numbers: &Numbers) -> bool {
        let is_admitted = packet.shape().equals(shape) & numbers.contains(packet.number);
        if is_admitted {
            packet.result = Ok(());
            packet.is_opened = false;
        }
        is_admitted
    }
}

/// Checks received packets, decodes their numbers relative to `expected`, and counts failed authentications.
pub(super) struct Receiving<'a> {
    pub(super) expected: u64,
    pub(super) failed: &'a FailedOpens,
}

impl Admission<Packet<'_>> for Receiving<'_> {
    /// Checks a packet whose header is unmasked, and which has no error yet. (Does not check the integrity limit. That
    /// check would reject later packets of a batch after their headers were unmasked.)
    #[inline(always)]
    fn admit(&self, packet: &mut Packet<'_>) -> bool {
        if !packet.is_good() {
            return false;
        }
        let position = packet.check_position();
        packet.settle(position)
    }

    #[inline(always)]
    fn numbers(&self) -> Numbers {
        Numbers { first: 0, count: number::END }
    }

    #[inline(always)]
    fn admit_as(&self, packet: &mut Packet<'_>, shape: &Shape, numbers: &Numbers) -> bool {
        packet.is_good() & packet.shape().equals(shape) & numbers.contains(packet.number)
    }
}

impl Reception<Packet<'_>> for Receiving<'_> {
    #[inline(always)]
    fn admit_masked(&self, packet: &mut Packet<'_>) -> bool {
        let length = header::check_length(packet.bytes.len(), packet.number_offset);
        packet.settle(length)
    }

    #[inline(always)]
    fn unmask_header(&self, packet: &mut Packet<'_>, mask: Mask) {
        let (truncated, number_bytes) = header::unmask_header(packet.bytes, packet.number_offset, mask);
        packet.set_unmasked(Unmasked { number: number::decode(self.expected, truncated, number_bytes), number_bytes });
    }

    #[inline(always)]
    fn verify(&self, packet: &mut Packet<'_>, computed: &Block, tag: &Block) {
        packet.settle_opened(are_equal(computed, tag), self.failed);
    }
}
