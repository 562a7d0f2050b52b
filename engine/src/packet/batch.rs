//! Many packets under one key.

use core::ops::Range;

use super::header::{self, Mask};
use super::limits::{FailedOpens, Protected};
use super::{PacketProtection, Unmasked, check_position, forged, number};
use crate::backend::Block;
use crate::error::Error;
use crate::tag::{TAG_BYTES, are_equal};

/// One packet of a batch, and what became of it.
#[derive(Debug)]
pub struct Packet<'a> {
    /// From the first byte of the header to the end of the tag, or of the room for it.
    bytes: &'a mut [u8],
    number_offset: usize,
    number: u64,
    result: Result<(), Error>,
    /// 1 to 4 when `result` is `Ok` and the number is known. (Not a `usize`: so a packet is one cache line.)
    number_bytes: u32,
    /// Whether it was verified and opened: nothing else is given as its payload.
    is_opened: bool,
}

impl<'a> Packet<'a> {
    /// A packet to be protected: `bytes` are its header, its packet number in `number_bytes` bytes from `number_offset`
    /// on, its payload, and 16 bytes of room for the tag. (A wrong `number_bytes` of more than 32 bits is reported as
    /// 2^32 − 1.)
    #[must_use]
    pub fn outgoing(number: u64, bytes: &'a mut [u8], number_offset: usize, number_bytes: usize) -> Self {
        let number_bytes = u32::try_from(number_bytes).unwrap_or(u32::MAX);
        Self { bytes, number_offset, number_bytes, number, result: Ok(()), is_opened: false }
    }

    /// A packet to be unprotected, its packet number at `number_offset`.
    #[must_use]
    pub fn incoming(bytes: &'a mut [u8], number_offset: usize) -> Self {
        Self::outgoing(0, bytes, number_offset, 0)
    }

    /// The packet number: as it was given, or as it was decoded.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of the packet number: as they were given, or as the header said.
    #[must_use]
    pub fn number_bytes(&self) -> usize {
        self.number_bytes as usize
    }

    /// What became of it. Before it was in a batch: `Ok`.
    ///
    /// # Errors
    /// As the call for single packets has them.
    pub fn result(&self) -> Result<(), Error> {
        self.result
    }

    /// All bytes of the packet.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// The payload of a packet that was opened; empty if it was not.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        if self.is_opened { &self.bytes[self.text_range()] } else { &[] }
    }

    /// Whether nothing has gone wrong with it so far.
    #[inline(always)]
    pub(crate) fn is_good(&self) -> bool {
        self.result.is_ok()
    }

    /// All its bytes.
    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// Says that it was not tried, and why.
    #[cold]
    pub(crate) fn refuse(&mut self, error: Error) {
        self.result = Err(error);
        self.is_opened = false;
    }

    /// Whether it may be protected.
    #[inline(always)]
    pub(crate) fn admit(&mut self, protected: &Protected) -> bool {
        let position = check_position(self.number, self.bytes.len(), self.number_offset, self.number_bytes());
        self.settle(position.and_then(|()| protected.check(self.number)))
    }

    /// Whether it can be sampled.
    #[inline(always)]
    pub(crate) fn admit_masked(&mut self) -> bool {
        self.settle(header::check_length(self.bytes.len(), self.number_offset))
    }

    /// Whether it may be opened: it is good, and its header unmasked. (The integrity limit is not looked at: between two
    /// packets of a batch it would refuse such as have lost their mask.)
    #[inline(always)]
    pub(crate) fn admit_unmasked(&mut self) -> bool {
        if !self.is_good() {
            return false;
        }
        self.settle(check_position(self.number, self.bytes.len(), self.number_offset, self.number_bytes()))
    }

    /// Keeps the result, and says whether it is good. (Two assignments: one of either would go through memory.)
    #[inline(always)]
    fn settle(&mut self, result: Result<(), Error>) -> bool {
        match result {
            Ok(()) => {
                self.result = Ok(());
                self.is_opened = false;
            }
            Err(error) => self.refuse(error),
        }
        result.is_ok()
    }

    /// Where in the packet its sample begins.
    #[inline(always)]
    pub(crate) fn sample_offset(&self) -> usize {
        header::sample_offset(self.number_offset)
    }

    /// The same as a pointer. It was admitted, so that the sample has its bytes.
    #[inline(always)]
    pub(crate) fn sample(&self) -> *const u8 {
        self.bytes.as_ptr().wrapping_add(self.sample_offset())
    }

    /// Where its text lies. It was admitted.
    #[inline(always)]
    pub(crate) fn text_range(&self) -> Range<usize> {
        header::text_range(self.bytes.len(), self.number_offset, self.number_bytes())
    }

    /// Where it begins, for backends that write.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr()
    }

    /// What it has in common with others of a run.
    #[inline(always)]
    pub(crate) fn shape(&self) -> Shape {
        Shape { packet_bytes: self.bytes.len(), number_offset: self.number_offset, number_bytes: self.number_bytes() }
    }

    /// Whether it has the shape and one of the numbers, in few instructions. If so it is good; if not nothing is said about
    /// it.
    #[inline(always)]
    pub(crate) fn admit_as(&mut self, shape: &Shape, numbers: &Numbers) -> bool {
        let is_admitted = self.shape().is(shape) & (self.number.wrapping_sub(numbers.first) < numbers.count);
        if is_admitted {
            self.result = Ok(());
            self.is_opened = false;
        }
        is_admitted
    }

    /// Whether it is good and has the shape and one of the numbers.
    #[inline(always)]
    pub(crate) fn is_admitted_as(&self, shape: &Shape, numbers: &Numbers) -> bool {
        self.is_good() & self.shape().is(shape) & (self.number.wrapping_sub(numbers.first) < numbers.count)
    }

    /// Where its parts lie, for backends. It was admitted, so that they are all inside.
    #[inline(always)]
    pub(crate) fn parts(&mut self) -> Parts {
        let (header, range) = (self.bytes.as_mut_ptr(), self.text_range());
        Parts {
            header,
            header_bytes: range.start,
            text: header.wrapping_add(range.start),
            text_bytes: range.end - range.start,
        }
    }

    /// Masks its header.
    #[inline(always)]
    pub(crate) fn mask_header(&mut self, mask: Mask) {
        header::mask_header(self.bytes, self.number_offset, self.number_bytes(), mask);
    }

    /// The same for a packet that has this shape: so far as the shape is known before, nothing is computed again.
    #[inline(always)]
    pub(crate) fn mask_header_as(&mut self, mask: Mask, shape: &Shape) {
        header::mask_header(&mut self.bytes[..shape.packet_bytes], shape.number_offset, shape.number_bytes, mask);
    }

    /// Takes the mask off its header by itself, as a packet that is in no batch.
    pub(super) fn unmask(&mut self, protection: &PacketProtection, expected: u64) {
        let unmasked = protection.unmask(expected, self.bytes, self.number_offset);
        self.settle(unmasked.map(|_| ()));
        if let Ok(Unmasked { number, number_bytes }) = unmasked {
            self.number = number;
            self.number_bytes = number_bytes as u32;
        }
    }

    /// Takes the mask off its header, and decodes its number.
    #[inline(always)]
    pub(crate) fn unmask_header(&mut self, mask: Mask, expected: u64) {
        let (truncated, number_bytes) = header::unmask_header(self.bytes, self.number_offset, mask);
        self.number = number::decode(expected, truncated, number_bytes);
        self.number_bytes = number_bytes as u32;
    }

    /// Compares its tag with what it ought to be, and leaves nothing of a forgery.
    #[inline(always)]
    pub(crate) fn verify(&mut self, computed: &Block, failed: &FailedOpens) {
        let is_genuine = self.bytes.last_chunk().is_some_and(|tag| are_equal(computed, tag));
        self.keep(is_genuine, failed);
    }

    /// The same where its tag has been loaded.
    #[inline(always)]
    pub(crate) fn verify_as(&mut self, computed: &Block, tag: &Block, failed: &FailedOpens) {
        self.keep(are_equal(computed, tag), failed);
    }

    #[inline(always)]
    fn keep(&mut self, is_genuine: bool, failed: &FailedOpens) {
        self.is_opened = is_genuine;
        if !is_genuine {
            let range = self.text_range();
            self.result = forged(&mut self.bytes[range], failed);
        }
    }
}

/// What packets of a run have in common.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) packet_bytes: usize,
    pub(crate) number_offset: usize,
    pub(crate) number_bytes: usize,
}

impl Shape {
    #[inline(always)]
    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.packet_bytes ^ other.packet_bytes)
            | (self.number_offset ^ other.number_offset)
            | (self.number_bytes ^ other.number_bytes)
            == 0
    }

    /// Bytes of the header, the packet number among them.
    #[inline(always)]
    pub(crate) fn header_bytes(&self) -> usize {
        self.number_offset + self.number_bytes
    }

    /// Where the sample begins.
    #[inline(always)]
    pub(crate) fn sample_offset(&self) -> usize {
        header::sample_offset(self.number_offset)
    }

    /// Bytes of the text.
    #[inline(always)]
    pub(crate) fn text_bytes(&self) -> usize {
        self.packet_bytes - self.header_bytes() - TAG_BYTES
    }
}

/// So many packet numbers from the first on.
pub(crate) struct Numbers {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

/// Where the parts of a packet lie.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) header: *mut u8,
    pub(crate) header_bytes: usize,
    pub(crate) text: *mut u8,
    pub(crate) text_bytes: usize,
}
