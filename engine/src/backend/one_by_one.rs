//! Packet protection in two passes, for backends without packet kernels: the first pass processes the payload, the
//! second masks the header. The header masks of a batch are computed together.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::{Admission, Block, Cover, Key, Mask, Packet, PacketMaterial, Reception, wipe};
use crate::backend::in_out::InOut;
use crate::nonce::numbered_nonce;
use crate::tag::TAG_BYTES;

/// An AES-GCM key expanded by a backend. The backend's round keys are also used alone, to compute header masks and to
/// derive keys.
pub(crate) trait AesBackend: Key {
    type RoundKeys;

    type Proof: Copy;

    /// Expands an AES-GCM key for messages, of 16 or 32 bytes.
    fn new(proof: Self::Proof, key: &[u8]) -> Box<Self>;

    fn proof(&self) -> Self::Proof;

    fn empty(proof: Self::Proof) -> Self::RoundKeys;

    /// Expands an AES key of 16 or 32 bytes into `round_keys`.
    fn expand(round_keys: &mut Self::RoundKeys, key: &[u8]);

    fn copy(round_keys: &mut Self::RoundKeys, others: &Self::RoundKeys);

    /// Encrypts each block of `blocks`, which has at most [`BATCH`] blocks, in place.
    fn encrypt(round_keys: &Self::RoundKeys, blocks: &mut [Block]);

    fn wipe(round_keys: &mut Self::RoundKeys);
}

/// Maximum number of packets whose header masks are computed with one call of AES: the number of blocks that bitsliced
/// AES encrypts in parallel.
pub(super) const BATCH: usize = 16;

/// Keys for the packets of one path. Paths share their AES-GCM key and header-protection key.
pub(crate) struct PacketKey<K: AesBackend> {
    shared: Arc<SharedKeys<K>>,
    iv: [u8; 12],
}

struct SharedKeys<K: AesBackend> {
    aead: Box<K>,
    key_bytes: usize,
    header_key: K::RoundKeys,
}

impl<K: AesBackend> PacketKey<K> {
    /// Expands a packet key and a header-protection key, both of 16 or both of 32 bytes.
    pub(crate) fn new(proof: K::Proof, material: PacketMaterial<'_>) -> Box<Self> {
        Self::with_header_key(proof, material.key, material.iv, |new| K::expand(new, material.header_key))
    }

    /// Expands the packet key of the next key phase, and keeps the header-protection key.
    pub(crate) fn next_phase(&self, key: &[u8], iv: &[u8; 12]) -> Box<Self> {
        let old = &self.shared;
        Self::with_header_key(old.aead.proof(), key, iv, |new| K::copy(new, &old.header_key))
    }

    fn with_header_key(
        proof: K::Proof,
        key: &[u8],
        iv: &[u8; 12],
        expand: impl FnOnce(&mut K::RoundKeys),
    ) -> Box<Self> {
        let (aead, header_key) = (K::new(proof, key), K::empty(proof));
        let mut shared = Arc::new(SharedKeys { aead, key_bytes: key.len(), header_key });
        // The round keys are expanded where they stay, so that moving them leaves no copies.
        if let Some(shared) = Arc::get_mut(&mut shared) {
            expand(&mut shared.header_key);
        }
        Box::new(Self { shared, iv: *iv })
    }

    /// Returns the keys for the packets of another path, whose IV differs from this one by `difference`.
    pub(crate) fn on_path(&self, difference: &[u8; 4]) -> Box<Self> {
        let mut new = Box::new(Self { shared: Arc::clone(&self.shared), iv: self.iv });
        new.iv.iter_mut().zip(difference).for_each(|(byte, difference)| *byte ^= difference);
        new
    }

    pub(crate) fn key_bytes(&self) -> usize {
        self.shared.key_bytes
    }

    /// Computes the header masks of at most [`BATCH`] packets together. Calls `apply` with the mask of each packet that
    /// has no error.
    fn for_each_mask<P: Packet>(&self, packets: &mut [P], mut apply: impl FnMut(&mut P, Mask)) {
        let mut blocks = [[0; 16]; BATCH];
        for (block, packet) in blocks.iter_mut().zip(&*packets).filter(|(_, packet)| packet.is_good()) {
            let sample = packet.shape().sample_offset();
            block.copy_from_slice(&packet.bytes()[sample..sample + 16]);
        }
        K::encrypt(&self.shared.header_key, &mut blocks[..packets.len()]);
        for (block, packet) in blocks.iter().zip(packets).filter(|(_, packet)| packet.is_good()) {
            apply(packet, first_bytes(block));
        }
        wipe(&mut blocks);
    }

    /// Seals the payload of a packet, but does not mask the header.
    fn seal_only(&self, number: u64, packet: &mut [u8], header_bytes: usize) {
        let (header, rest) = packet.split_at_mut(header_bytes);
        let (payload, room) = rest.split_at_mut(rest.len() - TAG_BYTES);
        let mut tag = [0; TAG_BYTES];
        self.shared.aead.seal(&numbered_nonce(&self.iv, number), header, InOut::in_place(payload), &mut tag);
        room.copy_from_slice(&tag);
    }
}

impl<K: AesBackend> super::PacketKey for PacketKey<K> {
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask {
        self.seal_only(number, packet, header_bytes);
        let mut block = [0; 16];
        block.copy_from_slice(&packet[sample..sample + 16]);
        self.mask(&block)
    }

    fn open(&self, number: u64, header: &[u8], payload: &mut [u8], tag: &mut Block) {
        self.shared.aead.open(&numbered_nonce(&self.iv, number), header, InOut::in_place(payload), tag);
    }

    fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block) {
        cover.apply(packet);
        let end = packet.len() - TAG_BYTES;
        let (header, payload) = packet[..end].split_at_mut(cover.header_bytes);
        self.open(number, header, payload, tag);
        cover.apply(packet); // masks the header again
    }

    fn mask(&self, sample: &Block) -> Mask {
        let mut block = [*sample];
        K::encrypt(&self.shared.header_key, &mut block);
        first_bytes(&block[0])
    }

    fn seal_batch<P: Packet>(&self, packets: &mut [P], admission: &impl Admission<P>) {
        for packets in packets.chunks_mut(BATCH) {
            for packet in packets.iter_mut() {
                if admission.admit(packet) {
                    let header_bytes = packet.shape().header_bytes();
                    self.seal_only(packet.number(), packet.bytes_mut(), header_bytes);
                }
            }
            self.for_each_mask(packets, |packet, mask| packet.mask_header(mask, &packet.shape()));
        }
    }

    fn unmask_batch<P: Packet>(&self, packets: &mut [P], reception: &impl Reception<P>) {
        for packets in packets.chunks_mut(BATCH) {
            for packet in packets.iter_mut() {
                reception.admit_masked(packet);
            }
            self.for_each_mask(packets, |packet, mask| reception.unmask_header(packet, mask));
        }
    }

    fn open_batch<P: Packet>(&self, packets: &mut [P], are_masked: bool, reception: &impl Reception<P>) {
        if are_masked {
            self.unmask_batch(packets, reception);
        }
        for packet in packets {
            if reception.admit(packet) {
                let (number, header_bytes) = (packet.number(), packet.shape().header_bytes());
                let (header, rest) = packet.bytes_mut().split_at_mut(header_bytes);
                if let Some((payload, tag)) = rest.split_last_chunk_mut::<TAG_BYTES>() {
                    let (tag, mut computed) = (*tag, [0; TAG_BYTES]);
                    self.open(number, header, payload, &mut computed);
                    reception.verify(packet, &computed, &tag);
                }
            }
        }
    }
}

impl<K: AesBackend> Drop for SharedKeys<K> {
    fn drop(&mut self) {
        K::wipe(&mut self.header_key);
    }
}

impl<K: AesBackend> Drop for PacketKey<K> {
    fn drop(&mut self) {
        wipe(&mut self.iv);
    }
}

/// Returns the first eight bytes of `block` as a little-endian number.
fn first_bytes(block: &Block) -> Mask {
    u128::from_le_bytes(*block) as u64
}
