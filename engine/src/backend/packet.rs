//! The interface of a backend's keys for packets: AEAD and header mask together, and many packets at once. A backend
//! knows where a packet's parts lie; its callers decide which packets are processed, and handle the results.

use super::block::Block;
use crate::tag::TAG_BYTES;

/// The first eight bytes of an encrypted sample, the first byte lowest; five of them are used.
pub(crate) type Mask = u64;

/// Distance in bytes from the start of the packet number to the sample. The packet number is taken to have four bytes,
/// since a receiver does not know its length (RFC 9001 §5.4.2).
pub(crate) const SAMPLE_DISTANCE: usize = 4;

/// A packet key, an IV and a header-protection key. The caller checks lengths and positions before a call, compares
/// tags after it, and wipes the plaintext of forgeries.
pub(crate) trait PacketKey {
    /// Seals the payload of `packet`, which lies between `header_bytes` bytes of header and 16 bytes for the tag, and
    /// writes the tag. Returns the mask for the sample at offset `sample`.
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask;

    /// Opens `payload`, and writes the expected tag to `tag`.
    fn open(&self, number: u64, header: &[u8], payload: &mut [u8], tag: &mut Block);

    /// Opens the payload of a packet whose header is still masked and stays masked, and writes the expected tag to
    /// `tag`.
    fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block);

    fn mask(&self, sample: &Block) -> Mask;

    /// Minimum number of packets of one shape, with about this many payload bytes, for which a batch call is faster
    /// than single calls: [`seal_batch`](Self::seal_batch) than [`seal`](Self::seal), or
    /// [`open_batch`](Self::open_batch) than [`open_masked`](Self::open_masked).
    fn least_batch(&self, _is_sealing: bool, _payload_bytes: usize) -> usize {
        1
    }

    /// Seals every packet that passes the checks of `admission`, and masks its header. (Each packet is checked right
    /// before it is processed: checking all of them in advance would overlap with nothing.)
    fn seal_batch<P: Packet>(&self, packets: &mut [P], admission: &impl Admission<P>);

    /// Unmasks the header of every packet that is long enough to be sampled.
    fn unmask_batch<P: Packet>(&self, packets: &mut [P], reception: &impl Reception<P>);

    /// Opens every packet that has no error and passes the checks of `reception`, and passes its tags to
    /// [`Reception::verify`]. If `are_masked`, the headers are unmasked first.
    fn open_batch<P: Packet>(&self, packets: &mut [P], are_masked: bool, reception: &impl Reception<P>);
}

/// Key material for packets: two keys, both of 16 or both of 32 bytes, and an IV.
#[derive(Clone, Copy)]
pub(crate) struct PacketMaterial<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) iv: &'a [u8; 12],
    pub(crate) header_key: &'a [u8],
}

/// Bits that a mask changes in a header: some of its first byte, and some of the four bytes from the packet number on.
#[derive(Clone, Copy)]
pub(crate) struct Cover {
    pub(crate) first_byte: u8,
    pub(crate) number: u32,
    pub(crate) number_offset: usize,
    /// Length of the header in bytes, including the packet number.
    pub(crate) header_bytes: usize,
}

impl Cover {
    /// Removes or applies the mask of a header.
    #[inline(always)]
    pub(crate) fn apply(&self, packet: &mut [u8]) {
        packet[0] ^= self.first_byte;
        if let Some(number) = packet[self.number_offset..].first_chunk_mut::<4>() {
            *number = (u32::from_le_bytes(*number) ^ self.number).to_le_bytes();
        }
    }
}

pub(crate) trait Packet {
    fn number(&self) -> u64;

    /// Returns the lengths of the packet's parts.
    fn shape(&self) -> Shape;

    /// Returns the bytes from the first byte of the header to the end of the tag.
    fn bytes(&self) -> &[u8];

    fn bytes_mut(&mut self) -> &mut [u8];

    /// Returns whether this packet has no error so far.
    fn is_good(&self) -> bool;

    /// Masks the packet's header. (`shape` is a parameter so that it is not computed again.)
    fn mask_header(&mut self, mask: Mask, shape: &Shape);
}

/// Checks that precede sealing or opening each packet of a batch.
pub(crate) trait Admission<P> {
    /// Checks whether `packet` may be processed. If so, the packet contains its header, payload and tag.
    fn admit(&self, packet: &mut P) -> bool;

    /// Returns the range of packet numbers that [`admit`](Self::admit) accepts, as far as it is known.
    fn numbers(&self) -> Numbers;

    /// Checks with few instructions whether a packet has the lengths in `shape` and one of `numbers`, and may be
    /// processed. If this returns `false`, [`admit`](Self::admit) must still decide.
    fn admit_as(&self, packet: &mut P, shape: &Shape, numbers: &Numbers) -> bool;
}

/// Decodes and verifies the received packets of a batch.
pub(crate) trait Reception<P>: Admission<P> {
    /// Returns whether `packet` is long enough to contain a sample for the header mask.
    fn admit_masked(&self, packet: &mut P) -> bool;

    /// Unmasks the header of a packet for which [`admit_masked`](Self::admit_masked) returned `true`.
    fn unmask_header(&self, packet: &mut P, mask: Mask);

    /// Compares the computed tag with the received one, and wipes the plaintext of a forgery.
    fn verify(&self, packet: &mut P, computed: &Block, tag: &Block);
}

/// Lengths and offsets of a packet's parts. Packets with equal shapes are processed together.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) packet_bytes: usize,
    pub(crate) number_offset: usize,
    pub(crate) number_bytes: usize,
}

impl Shape {
    #[inline(always)]
    pub(crate) fn equals(&self, other: &Self) -> bool {
        (self.packet_bytes ^ other.packet_bytes)
            | (self.number_offset ^ other.number_offset)
            | (self.number_bytes ^ other.number_bytes)
            == 0
    }

    /// Length of the header in bytes, including the packet number.
    #[inline(always)]
    pub(crate) fn header_bytes(&self) -> usize {
        self.number_offset + self.number_bytes
    }

    /// Offset of the sample.
    #[inline(always)]
    pub(crate) fn sample_offset(&self) -> usize {
        self.number_offset + SAMPLE_DISTANCE
    }

    #[inline(always)]
    pub(crate) fn payload_bytes(&self) -> usize {
        self.packet_bytes - self.header_bytes() - TAG_BYTES
    }
}

/// A range of packet numbers.
pub(crate) struct Numbers {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl Numbers {
    #[inline(always)]
    pub(crate) fn contains(&self, number: u64) -> bool {
        number.wrapping_sub(self.first) < self.count
    }
}
