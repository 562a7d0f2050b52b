//! What a backend does with packets: AEAD and header mask together, and many packets at once. It knows where their
//! parts lie; its callers decide which of them may be processed, and what becomes of them.

use super::block::Block;
use crate::tag::TAG_BYTES;

/// The first bytes of an encrypted sample, the first one lowest; five are used.
pub(crate) type Mask = u64;

/// Bytes between the beginning of the packet number and the sample: the packet number is taken to have four, since a
/// receiver does not know how many it has (RFC 9001 §5.4.2).
pub(crate) const SAMPLE_DISTANCE: usize = 4;

/// A packet key, an IV and a header-protection key. Lengths and positions were checked before it is called; tags are
/// compared, and plaintext of forgeries is wiped, by the caller.
pub(crate) trait PacketKey {
    /// Seals the payload of `packet`, which lies between `header_bytes` and 16 bytes for the tag, and writes the tag;
    /// the mask of the sample that begins at `sample`.
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask;

    /// Opens `payload`, and writes the tag it ought to have.
    fn open(&self, number: u64, header: &[u8], payload: &mut [u8], tag: &mut Block);

    /// The same for a packet whose header is still masked, and stays so.
    fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block);

    /// The mask of a sample.
    fn mask(&self, sample: &Block) -> Mask;

    /// The fewest packets of one shape, with about this many payload bytes, for which [`seal_batch`](Self::seal_batch)
    /// is faster than [`seal`](Self::seal) one after the other, or [`open_batch`](Self::open_batch) than
    /// [`open_masked`](Self::open_masked).
    fn least_batch(&self, _is_sealing: bool, _payload_bytes: usize) -> usize {
        1
    }

    /// Seals every admitted packet and masks its header. (Each is admitted when its turn comes: admitting all of them
    /// in advance would overlap with nothing.)
    fn seal_batch<P: Packet>(&self, packets: &mut [P], admission: &impl Admission<P>);

    /// Unmasks the header of every packet that can be sampled.
    fn unmask_batch<P: Packet>(&self, packets: &mut [P], reception: &impl Reception<P>);

    /// Opens every packet that is good and admitted, and has it verified; `are_masked` says whether their headers must
    /// first be unmasked.
    fn open_batch<P: Packet>(&self, packets: &mut [P], are_masked: bool, reception: &impl Reception<P>);
}

/// What packet keys are expanded from: two keys, both of 16 or both of 32 bytes, and an IV.
#[derive(Clone, Copy)]
pub(crate) struct PacketMaterial<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) iv: &'a [u8; 12],
    pub(crate) header_key: &'a [u8],
}

/// What a mask changes in a header: some bits of its first byte, and some of the four bytes from its number on.
#[derive(Clone, Copy)]
pub(crate) struct Cover {
    pub(crate) first_byte: u8,
    pub(crate) number: u32,
    pub(crate) number_offset: usize,
    /// Bytes of the header, the packet number among them.
    pub(crate) header_bytes: usize,
}

impl Cover {
    /// Takes the mask off a header, or puts it on.
    #[inline(always)]
    pub(crate) fn apply(&self, packet: &mut [u8]) {
        packet[0] ^= self.first_byte;
        if let Some(number) = packet[self.number_offset..].first_chunk_mut::<4>() {
            *number = (u32::from_le_bytes(*number) ^ self.number).to_le_bytes();
        }
    }
}

/// A packet of a batch.
pub(crate) trait Packet {
    fn number(&self) -> u64;

    /// Where its parts lie.
    fn shape(&self) -> Shape;

    /// From the first byte of the header to the end of the tag.
    fn bytes(&self) -> &[u8];

    /// The same, to write them.
    fn bytes_mut(&mut self) -> &mut [u8];

    /// Whether nothing has gone wrong with it so far.
    fn is_good(&self) -> bool;

    /// Masks its header. (Whatever is known of its shape is not computed again.)
    fn mask_header(&mut self, mask: Mask, shape: &Shape);
}

/// Decides which packets of a batch may be sealed or opened.
pub(crate) trait Admission<P> {
    /// Whether a packet may be. An admitted packet contains all its parts.
    fn admit(&self, packet: &mut P) -> bool;

    /// The packet numbers that may be admitted, as far as they are known.
    fn numbers(&self) -> Numbers;

    /// Whether a packet has the shape and one of the numbers, in few instructions. If so it is admitted; if not,
    /// nothing is decided.
    fn admit_as(&self, packet: &mut P, shape: &Shape, numbers: &Numbers) -> bool;
}

/// Who receives the packets of a batch.
pub(crate) trait Reception<P>: Admission<P> {
    /// Whether a packet can be sampled.
    fn admit_masked(&self, packet: &mut P) -> bool;

    /// Takes the mask off the header of such a packet.
    fn unmask_header(&self, packet: &mut P, mask: Mask);

    /// Compares the computed tag with the packet's, and wipes a forgery.
    fn verify(&self, packet: &mut P, computed: &Block, tag: &Block);
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
        self.number_offset + SAMPLE_DISTANCE
    }

    #[inline(always)]
    pub(crate) fn payload_bytes(&self) -> usize {
        self.packet_bytes - self.header_bytes() - TAG_BYTES
    }
}

/// This many packet numbers from the first on.
pub(crate) struct Numbers {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl Numbers {
    #[inline(always)]
    pub(crate) fn has(&self, number: u64) -> bool {
        number.wrapping_sub(self.first) < self.count
    }
}
