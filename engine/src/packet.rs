//! QUIC packet protection (RFC 9001 §5): a packet's AEAD and its header protection in one pass.
//!
//! [`PacketProtection`] is one direction in one key phase: the packet key, the IV, and the header-protection key, which
//! key updates do not change. A packet lies in one buffer, header first, and is protected in place:
//!
//! ```
//! use kasoku_engine::packet::PacketProtection;
//!
//! let (key, iv, header_key) = ([1; 16], [2; 12], [3; 16]);
//! let sender = PacketProtection::new(&key, &iv, &header_key)?;
//! let receiver = PacketProtection::new(&key, &iv, &header_key)?;
//!
//! // A short header (one byte, an 8-byte connection ID, a packet number of two bytes), a payload, room for the tag.
//! let mut packet = [&[0x41][..], b"connecti", &[0x12, 0x34], b"the payload", &[0; 16]].concat();
//! sender.protect(0x1234, &mut packet, 9, 2)?;
//!
//! let opened = receiver.unprotect(0x1230, &mut packet, 9)?;
//! assert_eq!(opened.number, 0x1234);
//! assert_eq!(&packet[opened.payload], b"the payload");
//! # Ok::<(), kasoku_engine::Error>(())
//! ```
//!
//! [`protect_batch`](PacketProtection::protect_batch) and [`unprotect_batch`](PacketProtection::unprotect_batch) take
//! many packets at once, as they lie in the buffer of a GSO or GRO call. Short packets are then faster than in a loop.
//!
//! [`number`] encodes and decodes packet numbers; [`initial`] makes the keys of Initial packets.

mod batch;
mod header;
pub mod initial;
pub mod limits;
pub mod number;
mod parts;

use core::ops::Range;

use crate::backend::in_out::check_slices;
use crate::backend::{Keys, Mask, Packet as _, PacketKey, PacketMaterial, Packets, gather};
use crate::cpu::backend::Backend;
use crate::cpu::schedule::CodePath;
use crate::cpu::{Found, RunnablePath};
use crate::error::Error;
use crate::tag::{TAG_BYTES, Tag, are_equal};

pub use batch::Packet;
use batch::{Receiving, Sending};
pub use limits::FailedOpens;
use limits::Protected;
pub use parts::{HeaderMask, HeaderProtection};

/// Protects or unprotects the packets of one direction in one key phase, with AES-128-GCM or AES-256-GCM. Several
/// threads may use one object at the same time.
///
/// Two limits apply (RFC 9001 §6.6). The key protects up to 2^23 packets. Instead of a count, the distance of packet
/// numbers from the first one is limited, so packet numbers must not be below the first one. The key opens no more
/// packets once 2^52 packets of the connection have [failed to open](FailedOpens).
///
/// Packet numbers must never repeat under one key: as with any nonce, a repetition would reveal the plaintext. Only the
/// caller can ensure this.
pub struct PacketProtection {
    keys: Keys<Packets>,
    protected: Protected,
    failed: FailedOpens,
    path_id: u32,
}

/// Decoded packet number of an unmasked header. The payload begins after this number, whose length is also decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmasked {
    /// Decoded packet number.
    pub number: u64,
    /// Length of the packet number in the header, 1 to 4 bytes.
    pub number_bytes: usize,
}

/// A packet that was opened successfully.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprotected {
    /// Decoded packet number.
    pub number: u64,
    /// Range of the payload within the packet.
    pub payload: Range<usize>,
}

impl PacketProtection {
    /// Expands a packet key and a header-protection key for the preferred backend of this CPU. Both keys have 16 bytes,
    /// or both have 32 bytes.
    ///
    /// # Errors
    /// [`Error::KeyLength`] if either key has an invalid length.
    pub fn new(key: &[u8], iv: &[u8; 12], header_key: &[u8]) -> Result<Self, Error> {
        Self::for_path(RunnablePath::preferred(), PacketMaterial { key, iv, header_key })
    }

    /// Expands the keys for the given code path: a backend in its preferred instruction schedule, or a [`CodePath`]
    /// with a given schedule. For tests and measurements.
    ///
    /// # Errors
    /// [`Error::KeyLength`]. [`Error::BackendUnavailable`] or [`Error::ScheduleUnavailable`] if the code path is not
    /// available; no other code path is used instead.
    pub fn with_backend(
        key: &[u8],
        iv: &[u8; 12],
        header_key: &[u8],
        path: impl Into<CodePath>,
    ) -> Result<Self, Error> {
        Self::with_features(key, iv, header_key, path, Found::here())
    }

    /// Like [`with_backend`](Self::with_backend), but treats the CPU as if it had only the features in `found`.
    ///
    /// # Errors
    /// As for [`with_backend`](Self::with_backend).
    pub fn with_features(
        key: &[u8],
        iv: &[u8; 12],
        header_key: &[u8],
        path: impl Into<CodePath>,
        found: Found,
    ) -> Result<Self, Error> {
        check_keys(key, header_key)?;
        Self::for_path(RunnablePath::new(path, found)?, PacketMaterial { key, iv, header_key })
    }

    fn for_path(path: RunnablePath, material: PacketMaterial<'_>) -> Result<Self, Error> {
        check_keys(material.key, material.header_key)?;
        Ok(Self {
            keys: Keys::expand(path, material),
            protected: Protected::new(limits::CONFIDENTIALITY),
            failed: FailedOpens::default(),
            path_id: 0,
        })
    }

    /// Creates the object for the next key phase (RFC 9001 §6): with a new packet key of the same length and a new IV.
    /// The header-protection key, the backend and the count of failed packets stay the same. The path ID is 0.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn next_phase(&self, key: &[u8], iv: &[u8; 12]) -> Result<Self, Error> {
        if key.len() != self.keys.key_bytes() {
            return Err(Error::KeyLength(key.len()));
        }
        Ok(Self {
            keys: self.keys.next_phase(key, iv),
            protected: Protected::new(limits::CONFIDENTIALITY),
            failed: self.failed.clone(),
            path_id: 0,
        })
    }

    /// Creates the object for another path of a multipath connection (RFC 10069): with the same keys, and with the path
    /// ID in the nonce, in the 32 bits before the packet number. All paths have packet numbers of their own.
    ///
    /// All objects made in this way count their packets together for the confidentiality limit. Each takes numbers from
    /// the limit 65,536 at a time, so with many paths some numbers stay unused. For the next key phase, call
    /// [`next_phase`](Self::next_phase) once, then this method for each path.
    ///
    /// ```
    /// use kasoku_engine::packet::PacketProtection;
    ///
    /// let sender = PacketProtection::new(&[1; 16], &[2; 12], &[3; 16])?;
    /// let second_path = sender.on_path(1);
    /// let mut packets = [[0x40; 40]; 2];
    /// sender.protect(7, &mut packets[0], 1, 1)?;
    /// second_path.protect(7, &mut packets[1], 1, 1)?;
    /// assert_ne!(packets[0], packets[1]);
    /// # Ok::<(), kasoku_engine::Error>(())
    /// ```
    #[must_use]
    pub fn on_path(&self, path_id: u32) -> Self {
        Self {
            keys: self.keys.on_path(&(self.path_id ^ path_id).to_be_bytes()),
            protected: self.protected.on_path(),
            failed: self.failed.clone(),
            path_id,
        }
    }

    /// Makes `failed` count the packets that fail to open. All keys of a connection should share this counter.
    #[must_use]
    pub fn counting(mut self, failed: &FailedOpens) -> Self {
        self.failed = failed.clone();
        self
    }

    /// Sets the first packet number to be protected under this key. Must be called before any packet is protected. By
    /// default, the first packet that is protected sets this number, which is right unless several threads protect
    /// packets out of order.
    ///
    /// # Errors
    /// [`Error::PacketNumberTooLarge`] for a number that no packet can have.
    pub fn beginning_at(mut self, number: u64) -> Result<Self, Error> {
        if number >= number::END {
            return Err(Error::PacketNumberTooLarge(number));
        }
        self.protected.begin(number);
        Ok(self)
    }

    /// Returns the count of packets that failed to open.
    #[must_use]
    pub fn failed_opens(&self) -> &FailedOpens {
        &self.failed
    }

    /// Returns the backend that the keys were expanded for.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.keys.code_path().backend
    }

    /// Returns the backend and the instruction schedule that the keys were expanded for.
    #[must_use]
    pub fn code_path(&self) -> CodePath {
        self.keys.code_path()
    }

    /// Protects a packet in place. `packet` is the whole packet: the header as the caller wrote it, with the packet
    /// number in `number_bytes` bytes from `number_offset` on, the payload, and 16 bytes of room for the tag.
    ///
    /// Payload and packet number must have at least four bytes together; otherwise the packet would be too short for a
    /// header-protection sample. Callers must pad shorter payloads (RFC 9001 §5.4.2).
    ///
    /// # Errors
    /// [`Error::PacketTooShort`], [`Error::MessageTooLong`], [`Error::PacketNumberBytes`],
    /// [`Error::PacketNumberOffset`], [`Error::PacketNumberTooLarge`], [`Error::PacketNumberFell`],
    /// [`Error::ConfidentialityLimit`]. After any of these errors, the packet is unchanged.
    #[inline]
    pub fn protect(
        &self,
        number: u64,
        packet: &mut [u8],
        number_offset: usize,
        number_bytes: usize,
    ) -> Result<(), Error> {
        self.check_outgoing(number, packet.len(), number_offset, number_bytes)?;
        let header_bytes = number_offset + number_bytes;
        let mask = self.keys.seal(number, packet, header_bytes, header::sample_offset(number_offset));
        header::mask_header(packet, number_offset, number_bytes, mask);
        Ok(())
    }

    /// Like [`protect`](Self::protect), for a payload in several slices. The slices are copied into `packet`, between
    /// the header, which the caller wrote, and the room for the tag.
    ///
    /// ```
    /// use kasoku_engine::packet::PacketProtection;
    ///
    /// let sender = PacketProtection::new(&[1; 16], &[2; 12], &[3; 16])?;
    /// let (header, frames) = ([0x40, 0x07], [&[6, 0, 5][..], b"crypt"]);
    /// let mut packet = [&header[..], &[0; 8 + 16]].concat();
    /// sender.protect_vectored(7, frames, &mut packet, 1, 1)?;
    /// # Ok::<(), kasoku_engine::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`protect`](Self::protect), and [`Error::LengthsDiffer`]. After an error, the packet is unchanged. (If
    /// the iterator returns slices of other lengths when it is used a second time, the payload is filled with zeros.)
    pub fn protect_vectored<'p>(
        &self,
        number: u64,
        payload: impl IntoIterator<Item = &'p [u8], IntoIter: Clone>,
        packet: &mut [u8],
        number_offset: usize,
        number_bytes: usize,
    ) -> Result<(), Error> {
        check_position(number, packet.len(), number_offset, number_bytes)?;
        let (payload, place) = (payload.into_iter(), header::data_range(packet.len(), number_offset, number_bytes));
        check_slices(payload.clone(), &packet[place.clone()])?;
        self.protected.check(number)?;
        if let Err(error) = gather(payload, &mut packet[place.clone()]) {
            packet[place].fill(0);
            return Err(error);
        }
        self.protect(number, packet, number_offset, number_bytes)
    }

    /// Removes header protection, decodes the packet number, verifies the packet and opens it in place. `expected` is
    /// the largest packet number received so far plus one; it determines how the packet number is decoded.
    ///
    /// This method is for packets whose key is known beforehand. After a key update, the key depends on the key phase
    /// bit, which can be read only between [`unmask`](Self::unmask) and [`open`](Self::open).
    ///
    /// # Errors
    /// * [`Error::PacketTooShort`], [`Error::MessageTooLong`], [`Error::PacketNumberOffset`] and
    ///   [`Error::IntegrityLimit`] leave the packet unchanged.
    /// * [`Error::PacketNumberTooLarge`] also leaves the packet unchanged. It is possible only if `expected` and the
    ///   packet number nearest to it are both 2^62 or more.
    /// * [`Error::AuthenticationFailed`]: the header is unmasked, and the payload is filled with zeros.
    #[inline]
    pub fn unprotect(&self, expected: u64, packet: &mut [u8], number_offset: usize) -> Result<Unprotected, Error> {
        self.failed.check(limits::INTEGRITY)?;
        let (Unmasked { number, number_bytes }, is_genuine) = self.unprotect_one(expected, packet, number_offset)?;
        let payload = header::data_range(packet.len(), number_offset, number_bytes);
        if is_genuine { Ok(Unprotected { number, payload }) } else { refuse(&mut packet[payload], &self.failed) }
    }

    /// Like [`unprotect`](Self::unprotect), but does not check the integrity limit, and does not wipe forged plaintext.
    /// Returns the unmasked header and whether the packet is genuine.
    #[inline(always)]
    fn unprotect_one(&self, expected: u64, packet: &mut [u8], number_offset: usize) -> Result<(Unmasked, bool), Error> {
        let mask = self.mask(packet, number_offset)?;
        let (cover, truncated, number_bytes) = header::read(packet, number_offset, mask);
        let number = number::decode(expected, truncated, number_bytes);
        check_number(number)?;
        // A load waits for recent stores to a part of its bytes. So this reads the tag before it writes the data, and
        // writes the header after reading it.
        let (tag, mut computed) = (packet.last_chunk().copied().unwrap_or_default(), [0; TAG_BYTES]);
        self.keys.open_masked(number, packet, cover, &mut computed);
        cover.apply(packet);
        Ok((Unmasked { number, number_bytes }, are_equal(&computed, &tag)))
    }

    /// Removes header protection and decodes the packet number. `expected` is the largest packet number received so far
    /// plus one. The packet is not verified yet, so the header may be forged.
    ///
    /// # Errors
    /// [`Error::PacketTooShort`], [`Error::MessageTooLong`], [`Error::PacketNumberOffset`] and, as for
    /// [`unprotect`](Self::unprotect), [`Error::PacketNumberTooLarge`]. After any of these errors, the packet is
    /// unchanged.
    #[inline]
    pub fn unmask(&self, expected: u64, packet: &mut [u8], number_offset: usize) -> Result<Unmasked, Error> {
        let mask = self.mask(packet, number_offset)?;
        if may_decode_too_large(expected) {
            let (_, truncated, number_bytes) = header::read(packet, number_offset, mask);
            check_number(number::decode(expected, truncated, number_bytes))?;
        }
        let (truncated, number_bytes) = header::unmask_header(packet, number_offset, mask);
        Ok(Unmasked { number: number::decode(expected, truncated, number_bytes), number_bytes })
    }

    /// Verifies a packet whose header was unmasked, opens the packet in place, and returns the range of its payload.
    ///
    /// # Errors
    /// [`Error::PacketTooShort`], [`Error::MessageTooLong`], [`Error::PacketNumberBytes`],
    /// [`Error::PacketNumberOffset`], [`Error::PacketNumberTooLarge`] and [`Error::IntegrityLimit`], which leave the
    /// packet unchanged. [`Error::AuthenticationFailed`], after which the payload is filled with zeros.
    #[inline]
    pub fn open(
        &self,
        number: u64,
        packet: &mut [u8],
        number_offset: usize,
        number_bytes: usize,
    ) -> Result<Range<usize>, Error> {
        check_position(number, packet.len(), number_offset, number_bytes)?;
        self.failed.check(limits::INTEGRITY)?;
        let payload = header::data_range(packet.len(), number_offset, number_bytes);
        let (header, rest) = packet.split_at_mut(payload.start);
        let (data, tag) = rest.split_at_mut(payload.len());
        let mut computed = [0; TAG_BYTES];
        self.keys.open(number, header, data, &mut computed);
        let is_genuine = Tag::try_from(&*tag).is_ok_and(|tag| are_equal(&computed, &tag));
        if is_genuine { Ok(payload) } else { refuse(data, &self.failed) }
    }

    /// Protects many packets in one call, and returns how many succeeded. Each packet has its own
    /// [result](Packet::result); a packet that fails does not affect the others. The packet numbers may have gaps and
    /// any order, but none may be below the first number protected under this key.
    ///
    /// ```
    /// use kasoku_engine::packet::{Packet, PacketProtection};
    ///
    /// let sender = PacketProtection::new(&[1; 16], &[2; 12], &[3; 16])?;
    /// let mut buffer = [0x40; 3 * 1200];
    /// let packets = buffer.chunks_mut(1200).zip(7..);
    /// let mut packets: Vec<_> = packets.map(|(bytes, number)| Packet::outgoing(number, bytes, 9, 1)).collect();
    /// assert_eq!(sender.protect_batch(&mut packets), 3);
    /// # Ok::<(), kasoku_engine::Error>(())
    /// ```
    pub fn protect_batch(&self, packets: &mut [Packet<'_>]) -> usize {
        if self.is_small_batch(true, packets) {
            return packets.iter_mut().map(|packet| usize::from(packet.protect(self))).sum();
        }
        self.protect_side_by_side(packets)
    }

    /// Like [`protect_batch`](Self::protect_batch), but interleaves packets even where processing packets one at a time
    /// is faster. For tests.
    #[doc(hidden)]
    pub fn protect_side_by_side(&self, packets: &mut [Packet<'_>]) -> usize {
        self.keys.seal_batch(packets, &Sending(&self.protected));
        succeeded(packets)
    }

    /// Unprotects many packets in one call, and returns how many succeeded. `expected` is the largest packet number
    /// received so far plus one. All packet numbers are decoded relative to this number: senders write enough bytes for
    /// any number from the largest acknowledged one to the packet's own number. The integrity limit is checked only
    /// before the batch, so the packets of the batch may exceed this limit.
    pub fn unprotect_batch(&self, expected: u64, packets: &mut [Packet<'_>]) -> usize {
        if let Err(error) = self.failed.check(limits::INTEGRITY) {
            packets.iter_mut().for_each(|packet| packet.refuse(error));
            return 0;
        }
        if self.is_small_batch(false, packets) {
            return packets.iter_mut().map(|packet| usize::from(packet.unprotect(self, expected))).sum();
        }
        self.unprotect_side_by_side(expected, packets)
    }

    /// Like [`unprotect_batch`](Self::unprotect_batch), but interleaves packets even where processing packets one at a
    /// time is faster, and does not check the integrity limit. For tests.
    #[doc(hidden)]
    pub fn unprotect_side_by_side(&self, expected: u64, packets: &mut [Packet<'_>]) -> usize {
        if may_decode_too_large(expected) {
            packets.iter_mut().for_each(|packet| packet.unmask(self, expected));
        }
        self.keys.open_batch(packets, !may_decode_too_large(expected), &self.receiving(expected));
        succeeded(packets)
    }

    /// Removes header protection from many packets, as [`unmask`](Self::unmask) does from one, and returns how many
    /// succeeded.
    pub fn unmask_batch(&self, expected: u64, packets: &mut [Packet<'_>]) -> usize {
        if may_decode_too_large(expected) {
            packets.iter_mut().for_each(|packet| packet.unmask(self, expected));
        } else {
            self.keys.unmask_batch(packets, &self.receiving(expected));
        }
        succeeded(packets)
    }

    /// Verifies and opens the packets that [`unmask_batch`](Self::unmask_batch) has unmasked, and returns how many
    /// succeeded. If packets belong to several key phases, pass each phase's packets to its own [`PacketProtection`].
    /// The integrity limit is checked only before the batch, as in [`unprotect_batch`](Self::unprotect_batch).
    pub fn open_batch(&self, packets: &mut [Packet<'_>]) -> usize {
        if let Err(error) = self.failed.check(limits::INTEGRITY) {
            packets.iter_mut().filter(|packet| packet.is_good()).for_each(|packet| packet.refuse(error));
            return 0;
        }
        self.keys.open_batch(packets, false, &self.receiving(0));
        succeeded(packets)
    }

    /// Returns whether the batch is so small that processing packets one at a time is faster than interleaving them.
    #[inline(always)]
    fn is_small_batch(&self, is_sealing: bool, packets: &[Packet<'_>]) -> bool {
        packets.first().is_none_or(|first| packets.len() < self.keys.least_batch(is_sealing, first.payload_bytes()))
    }

    fn receiving(&self, expected: u64) -> Receiving<'_> {
        Receiving { expected, failed: &self.failed }
    }

    /// Returns the header mask of a packet, or an error if the packet is too short for a header-protection sample.
    #[inline]
    fn mask(&self, packet: &[u8], number_offset: usize) -> Result<Mask, Error> {
        header::check_length(packet.len(), number_offset)?;
        match packet[header::sample_offset(number_offset)..].first_chunk() {
            Some(sample) => Ok(self.keys.mask(sample)),
            None => Err(Error::PacketNumberOffset), // impossible: the length was checked
        }
    }

    #[inline]
    fn check_outgoing(
        &self,
        number: u64,
        packet_bytes: usize,
        number_offset: usize,
        number_bytes: usize,
    ) -> Result<(), Error> {
        check_position(number, packet_bytes, number_offset, number_bytes)?;
        self.protected.check(number)
    }
}

impl core::fmt::Debug for PacketProtection {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("PacketProtection").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

/// Checks that the packet key and the header-protection key both have 16 bytes, or both have 32 bytes.
fn check_keys(key: &[u8], header_key: &[u8]) -> Result<(), Error> {
    if !matches!(key.len(), 16 | 32) {
        return Err(Error::KeyLength(key.len()));
    }
    if header_key.len() != key.len() {
        return Err(Error::KeyLength(header_key.len()));
    }
    Ok(())
}

#[inline(always)]
fn check_position(number: u64, packet_bytes: usize, number_offset: usize, number_bytes: usize) -> Result<(), Error> {
    header::check_number_bytes(number_bytes)?;
    header::check_length(packet_bytes, number_offset)?;
    check_number(number)
}

#[inline(always)]
fn check_number(number: u64) -> Result<(), Error> {
    if number >= number::END { Err(Error::PacketNumberTooLarge(number)) } else { Ok(()) }
}

/// Returns whether a packet number decoded relative to `expected` can be too large for any packet. If so, each header
/// is read before its mask is removed, one packet at a time, so that rejected packets stay unchanged. (Doing this for
/// every packet would cost some cycles each.)
#[inline(always)]
fn may_decode_too_large(expected: u64) -> bool {
    expected >= number::END
}

fn succeeded(packets: &[Packet<'_>]) -> usize {
    packets.iter().filter(|packet| packet.is_good()).count()
}

/// Wipes the plaintext of a forgery, counts the failure in `failed`, and returns the error.
#[cold]
fn refuse<T>(data: &mut [u8], failed: &FailedOpens) -> Result<T, Error> {
    data.fill(0);
    failed.add_one();
    Err(Error::AuthenticationFailed)
}
