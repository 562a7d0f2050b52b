//! Keys and packets for the tests of QUIC functions.

#![allow(dead_code, unsafe_code, reason = "each test program uses a part of this module, which calls the C API")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "every call gets arrays of the test")]

use std::ffi::{CStr, CString, c_int};
use std::ptr::{null, null_mut};

use kasoku::*;
use kasoku_engine::packet::PacketProtection;
use kasoku_engine::{Backend, cpu::Found};

pub(crate) const KEY: [u8; 32] = [0x2B; 32];
pub(crate) const IV: [u8; 12] = [0x17; 12];
pub(crate) const HEADER_KEY: [u8; 32] = [0x4C; 32];

/// QUIC object that is freed when dropped.
pub(crate) struct Keys(pub(crate) *mut Quic);

// The header says that several threads may use an object at once.
unsafe impl Sync for Keys {}

impl Keys {
    /// Creates AES-128 keys on the preferred backend.
    pub(crate) fn new() -> Self {
        let quic = unsafe { kasoku_quic_new(KEY.as_ptr(), 16, IV.as_ptr(), HEADER_KEY.as_ptr()) };
        assert!(!quic.is_null());
        Self(quic)
    }

    pub(crate) fn with_backend(backend: Backend, key_bytes: usize) -> Self {
        let name = CString::new(backend.name()).unwrap();
        let mut quic = null_mut();
        let code = unsafe {
            kasoku_quic_create(KEY.as_ptr(), key_bytes, IV.as_ptr(), HEADER_KEY.as_ptr(), name.as_ptr(), &mut quic)
        };
        assert_eq!(code, KASOKU_OK);
        assert_eq!(unsafe { CStr::from_ptr(kasoku_quic_backend(quic)) }, name.as_c_str());
        Self(quic)
    }

    pub(crate) fn initial(sender: c_int, connection_id: &[u8]) -> Self {
        let mut quic = null_mut();
        let (id, length) = (connection_id.as_ptr(), connection_id.len());
        let code = unsafe { kasoku_quic_initial(KASOKU_QUIC_V1, sender, id, length, null(), &mut quic) };
        assert_eq!(code, KASOKU_OK);
        Self(quic)
    }

    pub(crate) fn next_phase(&self, key: &[u8], iv: &[u8; 12]) -> Self {
        let mut next = null_mut();
        let code = unsafe { kasoku_quic_next_phase(self.0, key.as_ptr(), key.len(), iv.as_ptr(), &mut next) };
        assert_eq!(code, KASOKU_OK);
        Self(next)
    }

    pub(crate) fn on_path(&self, path_id: u32) -> Self {
        let mut path = null_mut();
        assert_eq!(unsafe { kasoku_quic_on_path(self.0, path_id, &mut path) }, KASOKU_OK);
        Self(path)
    }

    /// Protects `packet`, whose last 16 bytes are room for the tag and not part of the length passed to C.
    pub(crate) fn protect(&self, number: u64, packet: &mut [u8], offset: usize, bytes: usize) -> c_int {
        let length = packet.len().checked_sub(16).unwrap();
        unsafe { kasoku_quic_protect(self.0, number, packet.as_mut_ptr(), offset, bytes, length) }
    }

    /// Returns the code, the packet number and its length.
    pub(crate) fn unmask(&self, expected: u64, packet: &mut [u8], offset: usize) -> (c_int, u64, usize) {
        let (mut number, mut bytes) = (77, 77);
        let (start, length) = (packet.as_mut_ptr(), packet.len());
        let code = unsafe { kasoku_quic_unmask(self.0, expected, start, offset, length, &mut number, &mut bytes) };
        (code, number, bytes)
    }

    pub(crate) fn open(&self, number: u64, packet: &mut [u8], offset: usize, bytes: usize) -> c_int {
        unsafe { kasoku_quic_open(self.0, number, packet.as_mut_ptr(), offset, bytes, packet.len()) }
    }

    /// Returns the code, the packet number, the payload's offset and its length.
    pub(crate) fn unprotect(&self, expected: u64, packet: &mut [u8], offset: usize) -> (c_int, u64, usize, usize) {
        let (mut number, mut from, mut bytes) = (77, 77, 77);
        let (start, length) = (packet.as_mut_ptr(), packet.len());
        let code = unsafe {
            kasoku_quic_unprotect(self.0, expected, start, offset, length, &mut number, &mut from, &mut bytes)
        };
        (code, number, from, bytes)
    }

    pub(crate) fn protect_batch(&self, packets: &mut [kasoku_quic_packet]) -> usize {
        unsafe { kasoku_quic_protect_batch(self.0, packets.as_mut_ptr(), packets.len()) }
    }

    pub(crate) fn unprotect_batch(&self, expected: u64, packets: &mut [kasoku_quic_packet]) -> usize {
        unsafe { kasoku_quic_unprotect_batch(self.0, expected, packets.as_mut_ptr(), packets.len()) }
    }

    pub(crate) fn unmask_batch(&self, expected: u64, packets: &mut [kasoku_quic_packet]) -> usize {
        unsafe { kasoku_quic_unmask_batch(self.0, expected, packets.as_mut_ptr(), packets.len()) }
    }

    pub(crate) fn open_batch(&self, packets: &mut [kasoku_quic_packet]) -> usize {
        unsafe { kasoku_quic_open_batch(self.0, packets.as_mut_ptr(), packets.len()) }
    }

    pub(crate) fn failed_opens(&self) -> u64 {
        unsafe { kasoku_quic_failed_opens(self.0) }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        unsafe { kasoku_quic_free(self.0) };
    }
}

/// Returns the engine's object for the keys of [`Keys::with_backend`].
pub(crate) fn engine_protection(backend: Backend, key_bytes: usize) -> PacketProtection {
    PacketProtection::with_backend(&KEY[..key_bytes], &IV, &HEADER_KEY[..key_bytes], backend).unwrap()
}

pub(crate) fn backends() -> impl Iterator<Item = Backend> {
    let features = Found::here().features();
    Backend::ALL.into_iter().filter(move |backend| backend.runs_on(features))
}

/// Returns an unprotected packet with room for the tag. Its header is short, or long for offsets above 9.
pub(crate) fn clear(number: u64, total: usize, offset: usize, bytes: usize) -> Vec<u8> {
    let mut packet: Vec<u8> = (0..total).map(|at| (at * 31 + total) as u8).collect();
    packet[0] = if offset > 9 { 0xC0 } else { 0x40 } | (bytes as u8 - 1);
    packet[offset..offset + bytes].copy_from_slice(&number.to_be_bytes()[8 - bytes..]);
    packet
}

/// Returns the structure for a packet; `room` bytes at its end are not counted.
pub(crate) fn described(
    number: u64,
    packet: &mut [u8],
    offset: usize,
    bytes: usize,
    room: usize,
) -> kasoku_quic_packet {
    kasoku_quic_packet {
        packet_number: number,
        packet: packet.as_mut_ptr(),
        pn_offset: offset,
        pn_len: bytes,
        packet_len: packet.len() - room,
        result: 77,
    }
}
