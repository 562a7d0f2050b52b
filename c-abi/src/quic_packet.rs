//! Single QUIC packets: protect, unmask, open and unprotect.

#![allow(unsafe_code, reason = "dereferences C pointers and exports symbols by name")]

use std::ffi::c_int;

use kasoku_engine::TAG_BYTES;
use kasoku_engine::packet::number;

use crate::boundary;
use crate::buffers::{Output, UnverifiedPlaintext};
use crate::code::Code;
use crate::quic::Quic;

/// Protects a packet in place: encrypts the payload, appends the tag, and masks the header.
///
/// `packet` holds the header, whose last `pn_len` bytes are the packet number at `pn_offset`; then the payload; then 16
/// bytes of room for the tag. `packet_len` counts header and payload but NOT the tag; `packet_len` + 16 bytes are sent.
/// (On the receiving side, `packet_len` counts the tag.)
///
/// Packet number and payload must have at least four bytes together, or the header could not be masked: pad shorter
/// payloads. Never use a packet number twice under one key.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
/// KASOKU_ERR_PACKET_NUMBER_LENGTH, KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
/// KASOKU_ERR_PACKET_NUMBER_FELL or KASOKU_ERR_CONFIDENTIALITY_LIMIT with the packet unchanged: unencrypted, not to be
/// sent.
///
/// # Safety
/// `quic` must be NULL or an object of this library. `packet` must be readable and writable for `packet_len` + 16
/// bytes, and nothing else may access it.
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
        // SAFETY: guaranteed by the caller.
        let protection = unsafe { Quic::protection(quic) }?;
        let packet = Output::packet(packet, packet_len, TAG_BYTES)?;
        // SAFETY: as above.
        unsafe { change_in_place(packet, |packet| protection.protect(packet_number, packet, pn_offset, pn_len)) }
    })
}

/// Removes the header protection of a received packet and decodes its packet number.
///
/// `expected_packet_number` is the largest packet number received so far, plus one. After this call the key phase bit
/// of a short header is readable (0x04 of the first byte). Pass the packet to kasoku_quic_open() with the object of
/// that phase; the header-protection key is the same in all phases. Nothing is verified yet: the header may be forged.
///
/// `packet_len` is the length of the whole packet with its tag. The header ends at `pn_offset` + `*pn_len`; `*pn_len`
/// is 1 to 4.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
/// KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or
/// more) or KASOKU_ERR_OVERLAP (the packet overlaps `packet_number` or `pn_len`) with nothing written.
///
/// # Safety
/// `quic` must be NULL or an object of this library. `packet` must be readable and writable for `packet_len` bytes, and
/// nothing else may access it. `packet_number` and `pn_len` must be NULL or writable.
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
        // SAFETY: guaranteed by the caller.
        let protection = unsafe { Quic::protection(quic) }?;
        let packet = Output::packet(packet, packet_len, 0)?;
        let (packet_number, pn_len) = (Output::number(packet_number)?, Output::number(pn_len)?);
        check_apart(&[packet, packet_number, pn_len])?;
        // SAFETY: as above.
        let unmasked =
            unsafe { change_in_place(packet, |packet| protection.unmask(expected_packet_number, packet, pn_offset)) }?;
        // SAFETY: as above; the slice of the packet is no longer used.
        unsafe {
            packet_number.write(&unmasked.number.to_ne_bytes());
            pn_len.write(&unmasked.number_bytes.to_ne_bytes());
        }
        Ok(())
    })
}

/// Verifies and opens in place a packet that kasoku_quic_unmask() has unmasked. The payload begins at `pn_offset` +
/// `pn_len` and has `packet_len` - `pn_offset` - `pn_len` - 16 bytes. `packet_len` is the length of the whole packet
/// with its tag.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the payload zeroed; or KASOKU_ERR_NULL,
/// KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_LENGTH,
/// KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE or KASOKU_ERR_INTEGRITY_LIMIT with the packet
/// unchanged.
///
/// # Safety
/// `quic` must be NULL or an object of this library. `packet` must be readable and writable for `packet_len` bytes, and
/// nothing else may access it.
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
        // SAFETY: guaranteed by the caller.
        let protection = unsafe { Quic::protection(quic) }?;
        let packet = Output::packet(packet, packet_len, 0)?;
        // SAFETY: as above.
        unsafe { change_in_place(packet, |packet| protection.open(packet_number, packet, pn_offset, pn_len)) }?;
        Ok(())
    })
}

/// Unmasks, verifies and opens in place a received packet whose key phase is known. This call combines
/// kasoku_quic_unmask() and kasoku_quic_open().
///
/// `expected_packet_number` is the largest packet number received so far, plus one. `packet_len` is the length of the
/// whole packet with its tag. The payload is the `*payload_len` bytes from `*payload_offset` on.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the header unmasked and the payload zeroed; or KASOKU_ERR_NULL,
/// KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_OFFSET,
/// KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or more), KASOKU_ERR_INTEGRITY_LIMIT or
/// KASOKU_ERR_OVERLAP (the packet or an output overlaps another output) with the packet unchanged. `packet_number`,
/// `payload_offset` and `payload_len` are written only with KASOKU_OK.
///
/// # Safety
/// The requirements are those of kasoku_quic_unmask(); `packet_number`, `payload_offset` and `payload_len` must be NULL
/// or writable.
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
        // SAFETY: guaranteed by the caller.
        let protection = unsafe { Quic::protection(quic) }?;
        let packet = Output::packet(packet, packet_len, 0)?;
        let packet_number = Output::number(packet_number)?;
        let (payload_offset, payload_len) = (Output::number(payload_offset)?, Output::number(payload_len)?);
        check_apart(&[packet, packet_number, payload_offset, payload_len])?;
        // SAFETY: as above.
        let opened = unsafe {
            change_in_place(packet, |packet| protection.unprotect(expected_packet_number, packet, pn_offset))
        }?;
        // SAFETY: as above; the slice of the packet is no longer used.
        unsafe {
            packet_number.write(&opened.number.to_ne_bytes());
            payload_offset.write(&opened.payload.start.to_ne_bytes());
            payload_len.write(&opened.payload.len().to_ne_bytes());
        }
        Ok(())
    })
}

/// Returns the smallest length, 1 to 4 bytes, from which the receiver can decode `packet_number` (RFC 9000 A.2).
/// `largest_acknowledged` is the largest packet number that the receiver has acknowledged, or UINT64_MAX if there is
/// none.
///
/// Returns 1 if `packet_number` is not above `largest_acknowledged`; a new packet cannot have such a number. Returns 0
/// if four bytes are not enough because more than 2^31 packets are unacknowledged, or if `packet_number` is 2^62 or
/// more.
#[unsafe(no_mangle)]
pub extern "C" fn kasoku_quic_number_bytes(packet_number: u64, largest_acknowledged: u64) -> usize {
    boundary::guarded(0, || {
        let largest = (largest_acknowledged != u64::MAX).then_some(largest_acknowledged);
        number::bytes_needed(packet_number, largest).unwrap_or(0)
    })
}

/// Changes a packet in place. Zeroes the packet after a panic, because part of the payload may already be decrypted.
///
/// # Safety
/// The packet must be readable and writable, and nothing else may access it.
unsafe fn change_in_place<R>(
    packet: Output,
    change: impl FnOnce(&mut [u8]) -> Result<R, kasoku_engine::Error>,
) -> Result<R, Code> {
    // SAFETY: the caller guarantees the memory. The slice ends before the guard is dropped.
    let unverified = unsafe { UnverifiedPlaintext::new([packet]) };
    // SAFETY: as above.
    let result = change(unsafe { packet.slice() });
    unverified.keep();
    Ok(result?)
}

/// Returns an overlap error if any two outputs share a byte.
fn check_apart(outputs: &[Output]) -> Result<(), Code> {
    let meets_one_before = |(at, output): (usize, &Output)| outputs[..at].iter().any(|before| output.overlaps(*before));
    if outputs.iter().enumerate().any(meets_one_before) { Err(Code::OVERLAP) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_zeroes_the_packet() {
        let mut bytes = *b"a packet";
        let packet = Output::packet(bytes.as_mut_ptr(), bytes.len(), 0).unwrap();
        // SAFETY: the array outlives the output, and nothing else uses it.
        let code = boundary::code(|| unsafe { change_in_place(packet, |_| panic!("a bug in the middle of a packet")) });
        assert_eq!((code, bytes), (crate::KASOKU_ERR_INTERNAL, [0; 8]));
    }
}
