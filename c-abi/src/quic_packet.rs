//! One QUIC packet at a time.

#![allow(unsafe_code, reason = "C's pointers are followed, and symbols exported by name")]

use std::ffi::c_int;

use kasoku_engine::TAG_BYTES;
use kasoku_engine::packet::number;

use crate::boundary;
use crate::buffers::{Output, Unverified};
use crate::code::Code;
use crate::quic::Quic;

/// Protects a packet in place: encrypts the payload, appends the tag, masks the header.
///
/// `packet` is the header, with the packet number in its last `pn_len` bytes, from `pn_offset` on, as the caller wrote
/// it; then the payload; then room for the tag. `packet_len` counts header and payload and NOT the tag: the buffer must
/// have 16 bytes more, and `packet_len` + 16 bytes are to be sent. (Where packets are received, `packet_len` counts the
/// tag.)
///
/// The bytes of packet number and payload must be at least four together, or the receiver could not take off the mask:
/// a shorter payload is padded. A packet number must never be used twice under one key.
///
/// Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
/// KASOKU_ERR_PACKET_NUMBER_LENGTH, KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
/// KASOKU_ERR_PACKET_NUMBER_FELL or KASOKU_ERR_CONFIDENTIALITY_LIMIT with the packet as it was: in the clear, not to be
/// sent.
///
/// # Safety
/// `quic` must be NULL or an object of this library; `packet` readable and writable for `packet_len` + 16 bytes, and
/// not be touched by anybody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_protect(
    quic: *const Quic,
    packet_number: u64,
    packet: *mut u8,
    pn_offset: usize,
    pn_len: usize,
    packet_len: usize,
) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let protection = unsafe { Quic::protection(quic) }?;
        let packet = Output::packet(packet, packet_len, TAG_BYTES)?;
        // SAFETY: as above.
        unsafe { change(packet, |packet| protection.protect(packet_number, packet, pn_offset, pn_len)) }
    })
}

/// Takes the mask off the header of a packet that was received, and decodes its packet number against
/// `expected_packet_number`, the largest one received so far and one. Then the key phase bit of a short header can be
/// read (0x04 of the first byte), and kasoku_quic_open() called on the object of that phase: the mask is the same in
/// all of them. Nothing is verified yet: what the header says may be forged.
///
/// `packet_len` is the whole packet with its tag. The header behind the mask ends at `pn_offset` + `*pn_len`, 1 to 4.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
/// KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or
/// more) or KASOKU_ERR_OVERLAP (of the packet with where the numbers go) with nothing written and the packet as it was.
///
/// # Safety
/// `quic` must be NULL or an object of this library; `packet` readable and writable for `packet_len` bytes, and not be
/// touched by anybody else meanwhile; `packet_number` and `pn_len` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_unmask(
    quic: *const Quic,
    expected_packet_number: u64,
    packet: *mut u8,
    pn_offset: usize,
    packet_len: usize,
    packet_number: *mut u64,
    pn_len: *mut usize,
) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let protection = unsafe { Quic::protection(quic) }?;
        let packet = Output::packet(packet, packet_len, 0)?;
        let (packet_number, pn_len) = (Output::number(packet_number)?, Output::number(pn_len)?);
        are_apart(&[packet, packet_number, pn_len])?;
        // SAFETY: as above.
        let unmasked =
            unsafe { change(packet, |packet| protection.unmask(expected_packet_number, packet, pn_offset)) }?;
        // SAFETY: as above; the slice of the packet is not used any more.
        unsafe {
            packet_number.write(&unmasked.number.to_ne_bytes());
            pn_len.write(&unmasked.number_bytes.to_ne_bytes());
        }
        Ok(())
    })
}

/// Verifies a packet whose header kasoku_quic_unmask() has uncovered, and opens it in place: the payload begins at
/// `pn_offset` + `pn_len` and has `packet_len` - `pn_offset` - `pn_len` - 16 bytes. `packet_len` is the whole packet
/// with its tag.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros where the payload was; or KASOKU_ERR_NULL,
/// KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_LENGTH,
/// KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE or KASOKU_ERR_INTEGRITY_LIMIT with the packet as
/// it was.
///
/// # Safety
/// `quic` must be NULL or an object of this library; `packet` readable and writable for `packet_len` bytes, and not be
/// touched by anybody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_open(
    quic: *const Quic,
    packet_number: u64,
    packet: *mut u8,
    pn_offset: usize,
    pn_len: usize,
    packet_len: usize,
) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let protection = unsafe { Quic::protection(quic) }?;
        let packet = Output::packet(packet, packet_len, 0)?;
        // SAFETY: as above.
        unsafe { change(packet, |packet| protection.open(packet_number, packet, pn_offset, pn_len)) }?;
        Ok(())
    })
}

/// Both steps in one, for packets whose key phase is known: takes the mask off the header, decodes the packet number
/// against `expected_packet_number`, the largest one received so far and one, verifies the packet and opens it in
/// place. `packet_len` is the whole packet with its tag; the payload is `*payload_len` bytes from `*payload_offset` on.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the mask taken off and zeros where the payload was; or
/// KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_OFFSET,
/// KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or more), KASOKU_ERR_INTEGRITY_LIMIT or
/// KASOKU_ERR_OVERLAP (of the packet with where the numbers go) with the packet as it was. Only KASOKU_OK writes the
/// three numbers.
///
/// # Safety
/// As kasoku_quic_unmask(); `packet_number`, `payload_offset` and `payload_len` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_unprotect(
    quic: *const Quic,
    expected_packet_number: u64,
    packet: *mut u8,
    pn_offset: usize,
    packet_len: usize,
    packet_number: *mut u64,
    payload_offset: *mut usize,
    payload_len: *mut usize,
) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let protection = unsafe { Quic::protection(quic) }?;
        let packet = Output::packet(packet, packet_len, 0)?;
        let packet_number = Output::number(packet_number)?;
        let (payload_offset, payload_len) = (Output::number(payload_offset)?, Output::number(payload_len)?);
        are_apart(&[packet, packet_number, payload_offset, payload_len])?;
        // SAFETY: as above.
        let opened =
            unsafe { change(packet, |packet| protection.unprotect(expected_packet_number, packet, pn_offset)) }?;
        // SAFETY: as above; the slice of the packet is not used any more.
        unsafe {
            packet_number.write(&opened.number.to_ne_bytes());
            payload_offset.write(&opened.payload.start.to_ne_bytes());
            payload_len.write(&opened.payload.len().to_ne_bytes());
        }
        Ok(())
    })
}

/// Returns the fewest bytes, 1 to 4, that let the receiver decode `packet_number`, given the largest packet number that
/// it has acknowledged, or UINT64_MAX if it has acknowledged none (RFC 9000 A.2). Returns 1 for a packet number that is
/// not above the largest acknowledged one, and so not that of a new packet.
///
/// Returns 0 if four bytes are not enough, because more than 2^31 packets are unacknowledged, and for a packet number
/// of 2^62 or more, which no packet has.
#[unsafe(no_mangle)]
pub extern "C" fn kasoku_quic_number_bytes(packet_number: u64, largest_acknowledged: u64) -> usize {
    boundary::guarded(0, || {
        let largest = (largest_acknowledged != u64::MAX).then_some(largest_acknowledged);
        number::bytes_needed(packet_number, largest).unwrap_or(0)
    })
}

/// Changes a packet in place. Should that panic, zeros are left: it may have been in the middle of a payload.
///
/// # Safety
/// The packet must be readable and writable, and nobody else may touch it meanwhile.
unsafe fn change<R>(
    packet: Output,
    change: impl FnOnce(&mut [u8]) -> Result<R, kasoku_engine::Error>,
) -> Result<R, Code> {
    // SAFETY: the caller vouches for the memory. The slice is gone when this is dropped.
    let if_it_panics = unsafe { Unverified::new([packet]) };
    // SAFETY: as above.
    let result = change(unsafe { packet.slice() });
    if_it_panics.keep();
    Ok(result?)
}

/// Refuses to write two things to one place.
fn are_apart(outputs: &[Output]) -> Result<(), Code> {
    let meets_one_before = |(at, output): (usize, &Output)| outputs[..at].iter().any(|before| output.meets(*before));
    if outputs.iter().enumerate().any(meets_one_before) { Err(Code::OVERLAP) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_leaves_no_unverified_plaintext() {
        let mut bytes = *b"a packet";
        let packet = Output::packet(bytes.as_mut_ptr(), bytes.len(), 0).unwrap();
        // SAFETY: the array outlives it, and nobody else uses it.
        let code = boundary::code(|| unsafe { change(packet, |_| panic!("a bug in the middle of a packet")) });
        assert_eq!((code, bytes), (crate::KASOKU_ERR_INTERNAL, [0; 8]));
    }
}
