//! The interface of each backend's keys for packets: AEAD and header mask in one call, and batches of packets. A
//! backend knows the positions of a packet's parts. The callers decide which packets are processed, and handle the
//! results.

use super::block::Block;
use crate::tag::TAG_BYTES;

/// First eight bytes of an encrypted header-protection sample, as a little-endian number. The first five of these bytes
/// are the mask.
pub(crate) type Mask = u64;

/// Distance in bytes from the start of the packet number to the header-protection sample. It is the maximum length of a
/// packet number, since a receiver does not know the actual length before unmasking (RFC 9001 §5.4.2).
pub(crate) const SAMPLE_DISTANCE: usize = 4;

/// Keys and IV for QUIC packets, expanded by a backend. The caller checks lengths and positions before a call. After
/// opening, the caller compares the tags, and wipes the plaintext of forgeries.
pub(crate) trait PacketKey {
    /// Seals the payload of `packet`, which follows `header_bytes` bytes of header. Writes the tag to the last 16 bytes
    /// of the packet. Returns the header mask for the sample at offset `sample`.
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask;

    /// Opens `payload` in place. Writes the computed tag to `tag`; the caller compares this tag with the received one.
    fn open(&self, number: u64, header: &[u8], payload: &mut [u8], tag: &mut Block);

    /// Opens the payload of a packet without unmasking the header in memory. Writes the computed tag to `tag`; the
    /// caller compares this tag with the received one.
    fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block);

    fn mask(&self, sample: &Block) -> Mask;

    /// Returns the minimum number of packets for which one batch call is faster than single calls. The packets have
    /// equal lengths, with about `_payload_bytes` bytes of payload. For sealing, compares
    /// [`seal_batch`](Self::seal_batch) with [`seal`](Self::seal); for opening, [`open_batch`](Self::open_batch) with
    /// [`open_masked`](Self::open_masked).
    fn least_batch(&self, _is_sealing: bool, _payload_bytes: usize) -> usize {
        1
    }

    /// Seals and masks every packet that [`Admission::admit`] accepts. (Each packet is checked just before it is
    /// processed, so that this check overlaps with the AES rounds of other packets.)
    fn seal_batch<P: Packet>(&self, packets: &mut [P], admission: &impl Admission<P>);

    /// Unmasks the header of every packet that is long enough to contain a header-protection sample.
    fn unmask_batch<P: Packet>(&self, packets: &mut [P], reception: &impl Reception<P>);

    /// Opens every packet that has no error and that [`Admission::admit`] accepts. Passes the computed and the received
    /// tag of each to [`Reception::verify`]. Unmasks the headers first if `are_masked`.
    fn open_batch<P: Packet>(&self, packets: &mut [P], are_masked: bool, reception: &impl Reception<P>);
}

/// A packet key and a header-protection key, both of 16 bytes or both of 32 bytes, and an IV.
#[derive(Clone, Copy)]
pub(crate) struct PacketMaterial<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) iv: &'a [u8; 12],
    pub(crate) header_key: &'a [u8],
}

/// The bits of a header that header protection changes: some bits of the first byte, and the packet number, which is in
/// the four bytes from its offset on.
#[derive(Clone, Copy)]
pub(crate) struct Cover {
    pub(crate) first_byte: u8,
    pub(crate) number: u32,
    pub(crate) number_offset: usize,
    /// Length of the header in bytes, including the packet number.
    pub(crate) header_bytes: usize,
}

impl Cover {
    /// XORs the mask into the header of `packet`, which masks or unmasks the header.
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

    /// Returns the lengths and offsets of the packet's header, payload and tag.
    fn shape(&self) -> Shape;

    /// Returns the bytes from the first byte of the header to the end of the tag.
    fn bytes(&self) -> &[u8];

    fn bytes_mut(&mut self) -> &mut [u8];

    /// Returns whether this packet has no error so far.
    fn is_good(&self) -> bool;

    /// Masks the packet's header. (`shape` is a parameter so that it is computed only once for packets of equal
    /// lengths.)
    fn mask_header(&mut self, mask: Mask, shape: &Shape);
}

/// Checks of the lengths, packet numbers and limits of a packet before it is sealed or opened in a batch.
pub(crate) trait Admission<P> {
    /// Returns whether `packet` may be sealed or opened. If so, the packet's slice contains header, payload and tag.
    fn admit(&self, packet: &mut P) -> bool;

    /// Returns the range of packet numbers that the key may protect; [`admit`](Self::admit) rejects all others. The
    /// range is empty until the key's first packet sets its start.
    fn numbers(&self) -> Numbers;

    /// Returns `true` if `packet` may be processed because it has the lengths in `shape` and a number in `numbers`.
    /// This check is fast. If it returns `false`, [`admit`](Self::admit) must decide.
    fn admit_as(&self, packet: &mut P, shape: &Shape, numbers: &Numbers) -> bool;
}

/// Checks, header decoding and verification of received packets in a batch.
pub(crate) trait Reception<P>: Admission<P> {
    /// Returns whether `packet` is long enough to contain a header-protection sample.
    fn admit_masked(&self, packet: &mut P) -> bool;

    /// Unmasks the header of a packet that is long enough to contain a header-protection sample, and decodes the packet
    /// number.
    fn unmask_header(&self, packet: &mut P, mask: Mask);

    /// Compares the computed tag of a packet with `tag`, the received one. Wipes the plaintext if the two tags differ.
    fn verify(&self, packet: &mut P, computed: &Block, tag: &Block);
}

/// Lengths and offsets of a packet's header, payload and tag. Consecutive packets with equal shapes are processed
/// together.
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

    /// Returns the length of the header in bytes, including the packet number.
    #[inline(always)]
    pub(crate) fn header_bytes(&self) -> usize {
        self.number_offset + self.number_bytes
    }

    /// Returns the offset of the header-protection sample in the packet.
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
