//! Keys that protect QUIC packets: creation, key updates and counters.

#![allow(unsafe_code, reason = "dereferences C pointers and exports symbols by name")]

use std::ffi::{c_char, c_int};

use kasoku_engine::Error;
use kasoku_engine::packet::initial::{Secrets, Sender, Version};
use kasoku_engine::packet::{PacketProtection, number};

use crate::boundary;
use crate::buffers::Input;
use crate::code::Code;
use crate::environment;

/// QUIC version 1 (RFC 9000).
pub const KASOKU_QUIC_V1: u32 = 1;
/// QUIC version 2 (RFC 9369): 0x6b3343cf.
pub const KASOKU_QUIC_V2: u32 = 0x6b33_43cf;
/// The client sends the packets.
pub const KASOKU_QUIC_CLIENT: c_int = 0;
/// The server sends the packets.
pub const KASOKU_QUIC_SERVER: c_int = 1;

/// Keys for the QUIC packets of one direction in one key phase (RFC 9001): packet key, IV and header-protection key. A
/// key update keeps the header-protection key. Several threads may use the object at the same time.
pub struct Quic {
    /// `None` only after a panic or an error in `replace`.
    protection: Option<PacketProtection>,
}

impl Quic {
    fn new(protection: PacketProtection) -> Self {
        Self { protection: Some(protection) }
    }

    /// # Safety
    /// `quic` must be NULL or an object of this library, which outlives `'a`.
    #[inline]
    pub(crate) unsafe fn protection<'a>(quic: *const Self) -> Result<&'a PacketProtection, Code> {
        // SAFETY: guaranteed by the caller.
        let quic = unsafe { quic.as_ref() }.ok_or(Code::NULL)?;
        quic.protection.as_ref().ok_or(Code::INTERNAL)
    }

    /// Passes the object's keys and limits to `change`, and replaces them with the result. If `change` fails, the
    /// object has no keys any more, and later calls with the object return an error.
    fn replace(
        &mut self,
        change: impl FnOnce(PacketProtection) -> Result<PacketProtection, Error>,
    ) -> Result<(), Code> {
        self.protection = Some(change(self.protection.take().ok_or(Code::INTERNAL)?)?);
        Ok(())
    }
}

/// Expands a packet key and a header-protection key, both of `key_len` bytes (16 or 32). The backend is chosen as
/// described for kasoku_gcm_new().
///
/// Returns NULL if a pointer is NULL, `key_len` has another value, or the environment names a backend or schedule that
/// does not exist or that this CPU lacks. There is no fallback to another backend. kasoku_quic_create() reports the
/// reason.
///
/// The keys may be wiped afterwards. Free the result with kasoku_quic_free().
///
/// cbindgen:ptrs-as-arrays=[[iv;12]]
///
/// # Safety
/// `key` and `hp_key` must be readable for `key_len` bytes, `iv` for 12.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_new(
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    hp_key: *const u8,
) -> *mut Quic {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller guarantees the keys.
        let made = unsafe { expand(key, key_len, iv, hp_key, std::ptr::null()) };
        made.map_or(std::ptr::null_mut(), into_c)
    })
}

/// Expands keys like kasoku_quic_new(), but returns an error code, and uses the backend named `backend` and ignores the
/// environment. With `backend` NULL it chooses the backend as kasoku_quic_new() does.
///
/// Stores the object in `*quic`, or NULL after an error.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_BACKEND_UNKNOWN or
/// KASOKU_ERR_BACKEND_UNAVAILABLE.
///
/// cbindgen:ptrs-as-arrays=[[iv;12]]
///
/// # Safety
/// The requirements are those of kasoku_quic_new(); `backend` must be NULL or a string that ends with NUL, `quic` NULL
/// or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_create(
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    hp_key: *const u8,
    backend: *const c_char,
    quic: *mut *mut Quic,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { store_or_null(quic, || expand(key, key_len, iv, hp_key, backend)) }
}

/// Derives the keys of the Initial packets that `sender` sends (RFC 9001 section 5.2, RFC 9369).
///
/// `connection_id` is the destination connection ID of the client's first packet, at most 20 bytes; after a Retry
/// packet, the ID that the server chose. `version` is KASOKU_QUIC_V1 or KASOKU_QUIC_V2, `sender` KASOKU_QUIC_CLIENT or
/// KASOKU_QUIC_SERVER. `backend` works as in kasoku_quic_create().
///
/// Stores the object in `*quic`, or NULL after an error.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_QUIC_VERSION, KASOKU_ERR_QUIC_SENDER,
/// KASOKU_ERR_CONNECTION_ID_LENGTH, KASOKU_ERR_BACKEND_UNKNOWN or KASOKU_ERR_BACKEND_UNAVAILABLE.
///
/// # Safety
/// `connection_id` must be readable for `connection_id_len` bytes, `backend` NULL or a string that ends with NUL,
/// `quic` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_initial(
    version: u32,
    sender: c_int,
    connection_id: *const u8,
    connection_id_len: usize,
    backend: *const c_char,
    quic: *mut *mut Quic,
) -> c_int {
    let make = || {
        let version = match version {
            KASOKU_QUIC_V1 => Version::V1,
            KASOKU_QUIC_V2 => Version::V2,
            _ => return Err(Code::QUIC_VERSION),
        };
        let sender = match sender {
            KASOKU_QUIC_CLIENT => Sender::Client,
            KASOKU_QUIC_SERVER => Sender::Server,
            _ => return Err(Code::QUIC_SENDER),
        };
        // SAFETY: guaranteed by the caller.
        let connection_id = unsafe { Input::connection_id(connection_id, connection_id_len)?.slice() };
        let Secrets { key, iv, header_key } = Secrets::new(version, sender, connection_id);
        // SAFETY: the caller guarantees the name; the keys are memory of this library.
        unsafe { expand(key.as_ptr(), key.len(), iv.as_ptr(), header_key.as_ptr(), backend) }
    };
    // SAFETY: guaranteed by the caller.
    unsafe { store_or_null(quic, make) }
}

/// Creates the object of the next key phase (RFC 9001 section 6) from a new packet key, of the same length, and a new
/// IV. It keeps the header-protection key and the backend of `quic`, and shares its count of failed packets. `quic`
/// stays valid for late packets.
///
/// Stores the object in `*next`, or NULL after an error. `next` must not point to the only copy of the pointer `quic`.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, or KASOKU_ERR_KEY_LENGTH if the key's length differs from that of `quic`.
///
/// cbindgen:ptrs-as-arrays=[[iv;12]]
///
/// # Safety
/// `quic` must be NULL or an object of this library, `key` readable for `key_len` bytes and `iv` for 12, `next` NULL or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_next_phase(
    quic: *const Quic,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    next: *mut *mut Quic,
) -> c_int {
    let make = || {
        // SAFETY: guaranteed by the caller.
        let now = unsafe { Quic::protection(quic) }?;
        // SAFETY: as above.
        let (key, iv) = unsafe { (Input::key(key, key_len)?.slice(), read_iv(iv)?) };
        Ok(Quic::new(now.next_phase(key, &iv)?))
    };
    // SAFETY: guaranteed by the caller.
    unsafe { store_or_null(next, make) }
}

/// Creates the object for another path of a multipath connection (RFC 10069): with the same keys, and with `path_id` in
/// the nonce, in the 32 bits before the packet number. Each path has its own packet numbers, and its packets need its
/// object. The object that kasoku_quic_create(), kasoku_quic_initial() or kasoku_quic_next_phase() made is for path 0.
///
/// All paths of a key count their packets together for the limits of RFC 9001 section 6.6. Each takes packet numbers
/// from the limit of 2^23 in steps of 65,536. For the next key phase, call kasoku_quic_next_phase() once, then this
/// function for each path.
///
/// Stores the object in `*path`, or NULL after an error. `path` must not point to the only copy of the pointer `quic`.
///
/// Returns KASOKU_OK or KASOKU_ERR_NULL.
///
/// # Safety
/// `quic` must be NULL or an object of this library, `path` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_on_path(quic: *const Quic, path_id: u32, path: *mut *mut Quic) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { store_or_null(path, || Ok(Quic::new(Quic::protection(quic)?.on_path(path_id)))) }
}

/// Wipes and frees the keys; does nothing for NULL. Objects that kasoku_quic_next_phase() or kasoku_quic_on_path() made
/// from `quic` stay valid.
///
/// # Safety
/// `quic` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_free(quic: *mut Quic) {
    boundary::guarded((), || {
        if !quic.is_null() {
            // SAFETY: `into_c` made the pointer, and the caller gives it back.
            drop(unsafe { Box::from_raw(quic) });
        }
    });
}

/// Sets the first packet number that will be protected under this key. The key then protects 2^23 packet numbers from
/// there on. By default, the first protected packet sets this number. A call is only needed if several threads protect
/// packets out of order.
///
/// Call it before `quic` protects its first packet, and while no other thread uses `quic`.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL or KASOKU_ERR_PACKET_NUMBER_TOO_LARGE.
///
/// # Safety
/// `quic` must be NULL or an object of this library that nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_begin_at(quic: *mut Quic, first_packet_number: u64) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let quic = unsafe { quic.as_mut() }.ok_or(Code::NULL)?;
        // Checked here, because `replace` loses the keys if the engine returns an error.
        if first_packet_number >= number::END {
            return Err(Code::PACKET_NUMBER_TOO_LARGE);
        }
        quic.replace(|protection| protection.beginning_at(first_packet_number))
    })
}

/// Makes `quic` share the count of failed packets with `with`. The shared count lives until the last object that uses
/// it is freed.
///
/// RFC 9001 section 6.6 limits the number of failed packets over all keys of a connection. All objects that open
/// packets of a connection (Initial, Handshake, 0-RTT and 1-RTT) should therefore share one count.
/// kasoku_quic_next_phase() shares it automatically. The previous count of `quic` is lost.
///
/// Call it before `quic` opens its first packet, and while no other thread uses `quic`.
///
/// Returns KASOKU_OK or KASOKU_ERR_NULL.
///
/// # Safety
/// `quic` and `with` must be NULL or objects of this library, and nothing else may use `quic` during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_share_failed_opens(quic: *mut Quic, with: *const Quic) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller. The count is cloned, so that `quic` and `with` may be the same object.
        let failed = unsafe { Quic::protection(with) }?.failed_opens().clone();
        // SAFETY: as above; no borrow of `with` is left.
        let quic = unsafe { quic.as_mut() }.ok_or(Code::NULL)?;
        quic.replace(|protection| Ok(protection.counting(&failed)))
    })
}

/// Returns the number of packets that failed authentication, over all objects that share the count of `quic`. Returns 0
/// if `quic` is NULL.
///
/// # Safety
/// `quic` must be NULL or an object of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_failed_opens(quic: *const Quic) -> u64 {
    boundary::guarded(0, || {
        // SAFETY: guaranteed by the caller.
        unsafe { Quic::protection(quic) }.map_or(0, |protection| protection.failed_opens().count())
    })
}

/// Returns the name of the backend that the keys use: portable, aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3.
/// Returns NULL if `quic` is NULL. The name must not be freed.
///
/// # Safety
/// `quic` must be NULL or an object of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_backend(quic: *const Quic) -> *const c_char {
    boundary::guarded(std::ptr::null(), || {
        // SAFETY: guaranteed by the caller.
        let protection = unsafe { Quic::protection(quic) };
        protection.map_or(std::ptr::null(), |protection| protection.backend().c_name().as_ptr())
    })
}

/// # Safety
/// `key` and `header_key` must be readable for `bytes` bytes, `iv` for 12, `backend` NULL or a string that ends with
/// NUL.
unsafe fn expand(
    key: *const u8,
    bytes: usize,
    iv: *const u8,
    header_key: *const u8,
    backend: *const c_char,
) -> Result<Quic, Code> {
    // SAFETY: guaranteed by the caller.
    let (key, header_key) = unsafe { (Input::key(key, bytes)?.slice(), Input::key(header_key, bytes)?.slice()) };
    // SAFETY: as above.
    let (iv, path) = unsafe { (read_iv(iv)?, environment::requested_code_path(backend)?) };
    Ok(Quic::new(PacketProtection::with_backend(key, &iv, header_key, path)?))
}

/// # Safety
/// `iv` must be NULL or readable for 12 bytes.
unsafe fn read_iv(iv: *const u8) -> Result<[u8; 12], Code> {
    // SAFETY: guaranteed by the caller.
    unsafe { Input::iv(iv)?.slice() }.try_into().map_err(|_| Code::NULL)
}

/// Stores the object that `make` returns in `*place`, or NULL after an error.
///
/// # Safety
/// `place` must be NULL or writable.
unsafe fn store_or_null(place: *mut *mut Quic, make: impl FnOnce() -> Result<Quic, Code>) -> c_int {
    boundary::code(|| {
        if place.is_null() {
            return Err(Code::NULL);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { place.write(std::ptr::null_mut()) };
        let made = make()?;
        // SAFETY: as above.
        unsafe { place.write(into_c(made)) };
        Ok(())
    })
}

fn into_c(quic: Quic) -> *mut Quic {
    Box::into_raw(Box::new(quic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kasoku_quic_open, kasoku_quic_packet, kasoku_quic_unprotect, kasoku_quic_unprotect_batch};
    use kasoku_engine::packet::{FailedOpens, limits};

    /// A test cannot forge 2^52 packets, so the count starts just below that number.
    #[test]
    fn quic_open_fails_past_the_integrity_limit() {
        let failed = FailedOpens::from_count(limits::INTEGRITY - 1);
        let protection = PacketProtection::new(&[1; 16], &[2; 12], &[3; 16]).unwrap().counting(&failed);
        let quic = Quic::new(protection);
        let (mut number, mut offset, mut bytes) = (7, 7, 7);
        let mut unprotect = |packet: &mut [u8]| {
            let (start, length) = (packet.as_mut_ptr(), packet.len());
            // SAFETY: object and arrays belong to this test.
            unsafe { kasoku_quic_unprotect(&quic, 0, start, 1, length, &mut number, &mut offset, &mut bytes) }
        };
        assert_eq!(unprotect(&mut [0x40; 50]), crate::KASOKU_ERR_AUTHENTICATION);
        let mut packet = [0x40; 50];
        assert_eq!(unprotect(&mut packet), crate::KASOKU_ERR_INTEGRITY_LIMIT);
        assert_eq!((number, offset, bytes), (7, 7, 7));
        let start = packet.as_mut_ptr();
        let mut one =
            kasoku_quic_packet { packet_number: 0, packet: start, pn_offset: 1, pn_len: 1, packet_len: 50, result: 0 };
        // SAFETY: as above.
        unsafe {
            assert_eq!(kasoku_quic_open(&quic, 0, start, 1, 1, 50), crate::KASOKU_ERR_INTEGRITY_LIMIT);
            assert_eq!(kasoku_quic_unprotect_batch(&quic, 0, &mut one, 1), 0);
            assert_eq!(kasoku_quic_failed_opens(&quic), 1 << 52);
        }
        assert_eq!(one.result, crate::KASOKU_ERR_INTEGRITY_LIMIT);
        assert_eq!(packet, [0x40; 50]);
    }
}
