//! Single packets: AES-GCM with a nonce from the packet number. The header mask is computed in the same pass.

use core::mem::MaybeUninit;

use super::aesni::Lanes1;
use super::cipher::Counters;
use super::key::{Expanded, GrowingKey, KeyMemory, MAX_ROUNDS, Powers, wipe_in_vectors};
use super::key_schedule;
use super::lines::{HEADER_BYTES, Lines};
use super::message::{self, Aad, OutOfLine};
use super::parts::OnePlace;
use super::schedule::Schedule;
use super::vector::Vector;
use crate::backend::{Block, Cover, Mask, Packet, PacketMaterial, Plain, Reception, wipe};
use crate::cpu::proof;
use crate::tag::TAG_BYTES;

/// Keys and IV for packets of one direction in one key phase.
#[repr(C, align(64))]
pub(crate) struct ExpandedPacket<V: Schedule> {
    pub(super) aead: GrowingKey<V>,
    pub(super) header: HeaderKey,
    iv: Iv,
}

/// Round keys for header protection.
#[repr(C, align(16))]
pub(super) struct HeaderKey {
    pub(super) round_keys: [Block; MAX_ROUNDS + 1],
}

/// Length in bytes of the longest payload for which a new key has the powers of H: that of a packet in an Ethernet
/// frame. The first longer packet computes more powers.
const PAYLOAD_BYTES: usize = 1500;

/// The IV as two little-endian numbers: bytes 0 to 7 in `low`, bytes 8 to 11 in `high`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Iv {
    low: u64,
    high: u64,
}

impl Iv {
    #[inline(always)]
    fn new(bytes: &[u8; 12]) -> Self {
        let [low @ .., a, b, c, d] = *bytes;
        Self { low: u64::from_le_bytes(low), high: u64::from(u32::from_le_bytes([a, b, c, d])) }
    }
}

impl<V: Schedule> ExpandedPacket<V> {
    /// Returns the expanded AES-GCM key for payloads.
    #[inline(always)]
    pub(super) fn key(&self) -> &Expanded<V> {
        self.aead.key()
    }

    /// Returns whether the powers of H computed so far suffice for a payload of `bytes` bytes.
    #[inline(always)]
    pub(super) fn has_powers_for(&self, bytes: usize) -> bool {
        bytes <= PAYLOAD_BYTES || self.aead.has_powers_for(bytes)
    }

    /// Expands the packet key and the header-protection key into `place`, and stores the IV. (Returning the keys by
    /// value would copy their tables.)
    #[inline(always)]
    pub(super) fn expand_in(place: &mut MaybeUninit<Self>, proof: V::Proof, material: PacketMaterial<'_>) {
        let powers = Powers::for_text::<V>(PAYLOAD_BYTES);
        let (memory, header) = Self::begin_in(place, powers, Iv::new(material.iv));
        KeyMemory::empty_in(memory, proof).expand(material.key, powers);
        key_schedule::expand(proof.into(), material.header_key, &mut header.round_keys);
    }

    /// Expands the packet key of the next key phase into `place`; this key has the same length as the packet key of
    /// `old`. Copies the header-protection key of `old`.
    #[inline(always)]
    pub(super) fn expand_next_in(place: &mut MaybeUninit<Self>, key: &[u8], iv: &[u8; 12], old: &Self) {
        let powers = Powers::for_text::<V>(PAYLOAD_BYTES);
        let (memory, header) = Self::begin_in(place, powers, Iv::new(iv));
        KeyMemory::empty_in(memory, old.key().proof).expand(key, powers);
        header.round_keys = old.header.round_keys;
    }

    /// Copies all keys of `other` into `place`, and computes the powers of H for a payload of `bytes` bytes. Copies the
    /// IV with `difference` XORed into its first four bytes.
    #[inline(always)]
    pub(super) fn copy_in(place: &mut MaybeUninit<Self>, other: &Self, bytes: usize, difference: &[u8; 4]) {
        let powers = Powers::for_text::<V>(bytes.max(PAYLOAD_BYTES));
        let low = other.iv.low ^ u64::from(u32::from_le_bytes(*difference));
        let (memory, header) = Self::begin_in(place, powers, Iv { low, ..other.iv });
        KeyMemory::empty_in(memory, other.key().proof).expand_from_key(other.key(), powers);
        header.round_keys = other.header.round_keys;
    }

    /// Stores the IV in `place`, and returns the places of the packet key, which must be expanded with `powers`, and of
    /// the header-protection key, which is zeros so far. After that, `place` is initialised.
    #[inline(always)]
    fn begin_in(
        place: &mut MaybeUninit<Self>,
        powers: Powers,
        iv: Iv,
    ) -> (&mut MaybeUninit<KeyMemory<V>>, &mut HeaderKey) {
        let this = place.as_mut_ptr();
        // SAFETY: the fields are in the borrowed place, and apart; `MaybeUninit` has the layout of its content.
        unsafe {
            (&raw mut (*this).header).write(HeaderKey { round_keys: [[0; 16]; MAX_ROUNDS + 1] });
            (&raw mut (*this).iv).write(iv);
            let aead: &mut MaybeUninit<GrowingKey<V>> = &mut *(&raw mut (*this).aead).cast();
            (GrowingKey::place_in(aead, powers), &mut (*this).header)
        }
    }

    /// Wipes the keys and the IV.
    #[inline(always)]
    pub(super) fn wipe(&mut self) {
        let proof = self.key().proof;
        let (memory, powers) = self.aead.forget_powers();
        memory.wipe(powers);
        wipe_in_vectors::<V>(proof, &mut self.header.round_keys);
        wipe(&mut self.iv);
    }

    /// Returns the length of the packet key in bytes: 16 or 32.
    pub(super) fn key_bytes(&self) -> usize {
        4 * (self.key().rounds - 6)
    }

    /// Returns the counter blocks of a packet. The packet's nonce is the IV with the big-endian packet number XORed
    /// into the last eight bytes (RFC 9001 §5.3).
    #[inline(always)]
    pub(super) fn counters(&self, number: u64) -> Counters<V> {
        let number = number.swap_bytes();
        Counters::of_halves(self.key(), self.iv.low ^ number << 32, self.iv.high ^ number >> 32)
    }
}

// SAFETY: two numbers.
unsafe impl Plain for Iv {}

/// Seals a packet and writes the tag after the payload. Returns the header mask for the sample at offset `sample`. (The
/// packet is passed as a pointer and lengths, which fit into registers.)
///
/// # Safety
/// At `packet`, `header_bytes` + `payload_bytes` + 16 bytes can be read and written. The 16 bytes at offset `sample`
/// are among these. The payload has at most [`message::max_short_bytes`] bytes if `SHORT`, and more otherwise.
#[inline(always)]
pub(super) unsafe fn seal<V: OutOfLine, const SHORT: bool>(
    key: &ExpandedPacket<V>,
    number: u64,
    packet: *mut u8,
    header_bytes: usize,
    payload_bytes: usize,
    sample: usize,
) -> Mask {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match key.key().rounds {
            10 => seal_rounds::<V, 10, SHORT>(key, number, packet, header_bytes, payload_bytes, sample),
            _ => seal_rounds::<V, 14, SHORT>(key, number, packet, header_bytes, payload_bytes, sample),
        }
    }
}

/// Like [`seal`], for a key of `ROUNDS` AES rounds.
///
/// # Safety
/// As for [`seal`].
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn seal_rounds<V: OutOfLine, const ROUNDS: usize, const SHORT: bool>(
    key: &ExpandedPacket<V>,
    number: u64,
    packet: *mut u8,
    header_bytes: usize,
    payload_bytes: usize,
    sample: usize,
) -> Mask {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let payload = packet.add(header_bytes);
        let aad = Aad::new(key.key(), core::slice::from_raw_parts(packet.cast_const(), header_bytes));
        let lines = Lines::new(payload, payload, payload_bytes);
        let (tag, beginning) =
            message::process_lines::<V, ROUNDS, true, SHORT>(key.key(), &key.counters(number), &aad, lines, OnePlace);
        tag.store(payload.add(payload_bytes));
        let proof = key.key().proof.into();
        let sample = if SHORT && payload_bytes <= 32 {
            // From registers: a load would wait for the stores of ciphertext and tag, since each has only some of its
            // bytes. The sample begins at most three bytes behind the start of the payload.
            let before = sample - header_bytes;
            let [first, second] = beginning;
            let text = first.moved(-(before as i8)).xor(second.moved(16 - before as i8));
            // (A branch, since a sample of ciphertext alone need not wait for the tag.)
            if payload_bytes < before + 16 { text.xor(tag.moved((payload_bytes - before) as i8)) } else { text }
        } else {
            Lanes1::load(proof, packet.add(sample))
        };
        mask_rounds::<ROUNDS>(proof, &key.header, sample)
    }
}

/// Opens the payload of a packet. Writes the computed tag to `tag`; the caller compares this tag with the received tag.
///
/// # Safety
/// `payload_bytes` bytes can be read and written at `payload`: at most [`message::max_short_bytes`] if `SHORT`, and
/// more otherwise.
#[inline(always)]
pub(super) unsafe fn open<V: OutOfLine, const SHORT: bool>(
    key: &ExpandedPacket<V>,
    number: u64,
    header: &[u8],
    payload: *mut u8,
    payload_bytes: usize,
    tag: &mut Block,
) {
    // SAFETY: guaranteed by the caller.
    let computed = unsafe {
        let lines = Lines::new(payload, payload, payload_bytes);
        open_lines::<V, SHORT>(key, number, &Aad::new(key.key(), header), lines)
    };
    *tag = computed.to_bytes();
}

/// Opens a packet without unmasking its header in memory. Writes the computed tag to `tag`; the caller compares this
/// tag with the received tag.
///
/// # Safety
/// The packet contains the header that `cover` describes, and a tag. Its payload has at most
/// [`message::max_short_bytes`] bytes if `SHORT`, and more otherwise.
#[inline(always)]
pub(super) unsafe fn open_masked<V: OutOfLine, const SHORT: bool>(
    key: &ExpandedPacket<V>,
    number: u64,
    packet: &mut [u8],
    cover: Cover,
    tag: &mut Block,
) {
    let (bytes, start) = (packet.len(), packet.as_mut_ptr());
    let aad = if cover.number_offset + 4 <= HEADER_BYTES {
        // SAFETY: at least 20 bytes of the packet follow the offset of its number.
        unsafe { unmasked_aad(key, start, &cover) }
    } else {
        cover.apply(packet);
        let aad = Aad::new(key.key(), &packet[..cover.header_bytes]);
        cover.apply(packet); // masks the header again
        aad
    };
    let payload = start.wrapping_add(cover.header_bytes);
    // SAFETY: guaranteed by the caller.
    let computed = unsafe {
        let lines = Lines::new(payload, payload, bytes - cover.header_bytes - TAG_BYTES);
        open_lines::<V, SHORT>(key, number, &aad, lines)
    };
    *tag = computed.to_bytes();
}

/// Opens the payload of a packet, `lines`. Returns the computed tag; the caller compares this tag with the received
/// tag.
///
/// # Safety
/// The payload has at most [`message::max_short_bytes`] bytes if `SHORT`, and more otherwise.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn open_lines<V: OutOfLine, const SHORT: bool>(
    key: &ExpandedPacket<V>,
    number: u64,
    aad: &Aad,
    lines: Lines,
) -> Lanes1 {
    let counters = key.counters(number);
    // SAFETY: guaranteed by the caller.
    unsafe {
        match key.key().rounds {
            10 => message::process_lines::<V, 10, false, SHORT>(key.key(), &counters, aad, lines, OnePlace).0,
            _ => message::process_lines::<V, 14, false, SHORT>(key.key(), &counters, aad, lines, OnePlace).0,
        }
    }
}

/// Returns the unmasked header of a packet as AAD, without changing the packet. The header has at most two blocks.
///
/// # Safety
/// `cover.number_offset` + 20 bytes can be read at `start`.
#[inline(always)]
unsafe fn unmasked_aad<V: Schedule>(key: &ExpandedPacket<V>, start: *const u8, cover: &Cover) -> Aad {
    let proof = key.key().proof.into();
    let bytes = cover.header_bytes;
    // SAFETY: guaranteed by the caller: 16 bytes are read, or 32 if the number begins after byte 12.
    let (first, second) = unsafe {
        let first = Lanes1::load(proof, start);
        let has_second = cover.number_offset > 12;
        (first, if has_second { Lanes1::load(proof, start.wrapping_add(16)) } else { Lanes1::zero(proof) })
    };
    let number = Lanes1::of_halves(proof, u64::from(cover.number), 0);
    let first = first
        .xor(Lanes1::of_halves(proof, u64::from(cover.first_byte), 0))
        .xor(number.moved(cover.number_offset as i8));
    let second = second.xor(number.moved(cover.number_offset as i8 - 16));
    let blocks = if bytes > 16 {
        [first, second.first_bytes(bytes - 16)]
    } else {
        [Lanes1::zero(proof), first.first_bytes(bytes)]
    };
    Aad { blocks, may_have_two: cover.number_offset > 12, bytes }
}

/// Encrypts `sample` with the header-protection key, and returns the header mask.
#[inline(always)]
pub(super) fn mask<V: Schedule>(key: &ExpandedPacket<V>, sample: &Block) -> Mask {
    let proof = key.key().proof.into();
    let sample = Lanes1::of_bytes(proof, sample);
    match key.key().rounds {
        10 => mask_rounds::<10>(proof, &key.header, sample),
        _ => mask_rounds::<14>(proof, &key.header, sample),
    }
}

/// Encrypts `sample` with `key`, and returns the header mask.
#[cfg_attr(not(unoptimised), inline(always))]
fn mask_rounds<const ROUNDS: usize>(proof: proof::Aesni, key: &HeaderKey, sample: Lanes1) -> Mask {
    let mut state = sample.xor(Lanes1::of_bytes(proof, &key.round_keys[0]));
    for round_key in &key.round_keys[1..ROUNDS] {
        state = state.aes_round(Lanes1::of_bytes(proof, round_key));
    }
    state.aes_last_round(Lanes1::of_bytes(proof, &key.round_keys[ROUNDS])).low_half()
}

/// Functions for packets that are processed one at a time, either alone or within a batch.
pub(crate) trait OnePacket: OutOfLine {
    /// Seals a packet with a payload of any length. See [`seal`] for the arguments.
    ///
    /// # Safety
    /// As for [`seal`], without the condition on the payload's length.
    unsafe fn seal_packet(
        key: &ExpandedPacket<Self>,
        number: u64,
        packet: *mut u8,
        header_bytes: usize,
        payload_bytes: usize,
        sample: usize,
    ) -> Mask;

    /// Opens a packet with a payload of any length. See [`open`] for the arguments.
    ///
    /// # Safety
    /// As for [`open`], without the condition on the payload's length.
    unsafe fn open_packet(
        key: &ExpandedPacket<Self>,
        number: u64,
        header: &[u8],
        payload: *mut u8,
        payload_bytes: usize,
        tag: &mut Block,
    );
}

/// Seals a packet that [`admit`](crate::backend::Admission::admit) has accepted, and masks its header.
#[inline(always)]
pub(super) fn protect_one<V: OnePacket>(key: &ExpandedPacket<V>, packet: &mut impl Packet) {
    let (number, shape, start) = (packet.number(), packet.shape(), packet.bytes_mut().as_mut_ptr());
    let (header_bytes, payload_bytes, sample) = (shape.header_bytes(), shape.payload_bytes(), shape.sample_offset());
    // SAFETY: `shape` describes the packet, whose bytes are borrowed.
    let mask = unsafe { V::seal_packet(key, number, start, header_bytes, payload_bytes, sample) };
    packet.mask_header(mask, &shape);
}

/// Opens and verifies a packet that [`admit`](crate::backend::Admission::admit) has accepted.
#[inline(always)]
pub(super) fn open_one<V: OnePacket, P: Packet>(
    key: &ExpandedPacket<V>,
    packet: &mut P,
    reception: &impl Reception<P>,
) {
    let (number, shape, start) = (packet.number(), packet.shape(), packet.bytes_mut().as_mut_ptr());
    let payload = start.wrapping_add(shape.header_bytes());
    let mut computed = [0; TAG_BYTES];
    // SAFETY: `shape` describes the packet, whose bytes are borrowed.
    let tag = unsafe {
        let header = core::slice::from_raw_parts(start.cast_const(), shape.header_bytes());
        V::open_packet(key, number, header, payload, shape.payload_bytes(), &mut computed);
        payload.wrapping_add(shape.payload_bytes()).cast::<Block>().read()
    };
    reception.verify(packet, &computed, &tag);
}
