//! The keys of QUIC packets: made, followed by others, and counted for.

#![allow(unsafe_code, reason = "C's pointers are followed, and symbols exported by name")]

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
/// Packets that the client sends.
pub const KASOKU_QUIC_CLIENT: c_int = 0;
/// Packets that the server sends.
pub const KASOKU_QUIC_SERVER: c_int = 1;

/// What protects the packets of one direction in one key phase (RFC 9001): the packet key, the IV, and the
/// header-protection key, which key updates leave as it is. Several threads may use it at the same time.
pub struct Quic {
    /// None only if a panic came between taking it out and putting it back, or what was done to it meanwhile failed.
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
        // SAFETY: the caller vouches for it.
        let quic = unsafe { quic.as_ref() }.ok_or(Code::NULL)?;
        quic.protection.as_ref().ok_or(Code::INTERNAL)
    }

    /// Changes it; it is gone if that fails.
    fn change(&mut self, change: impl FnOnce(PacketProtection) -> Result<PacketProtection, Error>) -> Result<(), Code> {
        self.protection = Some(change(self.protection.take().ok_or(Code::INTERNAL)?)?);
        Ok(())
    }
}

/// Expands a packet key and a header-protection key, both of `key_len` bytes, 16 or 32, for the fastest backend of this
/// CPU, or for the one that the environment variable KASOKU_BACKEND names, as kasoku_gcm_new() does.
///
/// Returns NULL if the length is another one, a pointer is NULL, or KASOKU_BACKEND names a backend that does not exist
/// or that this CPU cannot run: never another backend instead. kasoku_quic_create() says which.
///
/// The keys can be wiped afterwards. The result is freed with kasoku_quic_free().
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
        // SAFETY: the caller vouches for the keys.
        let made = unsafe { expand(key, key_len, iv, hp_key, std::ptr::null()) };
        made.map_or(std::ptr::null_mut(), into_c)
    })
}

/// As kasoku_quic_new(), but says why there is no object, and uses the backend named by `backend` whatever the
/// environment says. With `backend` NULL it chooses as kasoku_quic_new() does.
///
/// Stores the object in `*quic`, or NULL if there is an error.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_BACKEND_UNKNOWN or
/// KASOKU_ERR_BACKEND_UNAVAILABLE.
///
/// cbindgen:ptrs-as-arrays=[[iv;12]]
///
/// # Safety
/// As kasoku_quic_new(); `backend` must be NULL or a string that ends with NUL, `quic` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_create(
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    hp_key: *const u8,
    backend: *const c_char,
    quic: *mut *mut Quic,
) -> c_int {
    // SAFETY: the caller vouches for all of it.
    unsafe { store(quic, || expand(key, key_len, iv, hp_key, backend)) }
}

/// Makes the keys of Initial packets (RFC 9001 section 5.2, RFC 9369) that `sender`, KASOKU_QUIC_CLIENT or
/// KASOKU_QUIC_SERVER, protects, from the destination connection ID of the client's first packet, of at most 20 bytes;
/// after a Retry packet, from the ID that the server chose. `version` is KASOKU_QUIC_V1 or KASOKU_QUIC_V2; `backend` as
/// for kasoku_quic_create().
///
/// Stores the object in `*quic`, or NULL if there is an error.
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
        // SAFETY: the caller vouches for it.
        let connection_id = unsafe { Input::connection_id(connection_id, connection_id_len)?.slice() };
        let Secrets { key, iv, header_key } = Secrets::new(version, sender, connection_id);
        // SAFETY: the caller vouches for the name; the keys are Rust's own.
        unsafe { expand(key.as_ptr(), key.len(), iv.as_ptr(), header_key.as_ptr(), backend) }
    };
    // SAFETY: the caller vouches for it.
    unsafe { store(quic, make) }
}

/// Makes the object of the next key phase (RFC 9001 section 6) with another packet key, of the same length, and IV:
/// under the same header-protection key, on the same backend, and counting failed packets in the same count. `quic`
/// stays as it is, for packets that are late.
///
/// Stores the object in `*next`, or NULL if there is an error. `next` must not be where the only pointer to `quic` is
/// kept.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, or KASOKU_ERR_KEY_LENGTH if the key is not as long as that of `quic`.
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
        // SAFETY: the caller vouches for it.
        let now = unsafe { Quic::protection(quic) }?;
        // SAFETY: as above.
        let (key, iv) = unsafe { (Input::key(key, key_len)?.slice(), read_iv(iv)?) };
        Ok(Quic::new(now.next_phase(key, &iv)?))
    };
    // SAFETY: the caller vouches for it.
    unsafe { store(next, make) }
}

/// Wipes the keys and frees them; NULL is nothing to free. Objects made of this one by kasoku_quic_next_phase() stay.
///
/// # Safety
/// `quic` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_free(quic: *mut Quic) {
    boundary::guarded((), || {
        if !quic.is_null() {
            // SAFETY: it was made by `into_c`, and the caller gives it back.
            drop(unsafe { Box::from_raw(quic) });
        }
    });
}

/// Says the first packet number that will be protected under this key: 2^23 numbers are from there on. Otherwise it is
/// the number of the first packet that is protected, which is right unless several threads protect packets out of
/// order.
///
/// To be called before `quic` protects its first packet, and while no other thread uses it.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL or KASOKU_ERR_PACKET_NUMBER_TOO_LARGE.
///
/// # Safety
/// `quic` must be NULL or an object of this library that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_begin_at(quic: *mut Quic, first_packet_number: u64) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let quic = unsafe { quic.as_mut() }.ok_or(Code::NULL)?;
        // The engine refuses it too, but would keep the keys.
        if first_packet_number >= number::END {
            return Err(Code::PACKET_NUMBER_TOO_LARGE);
        }
        quic.change(|protection| protection.beginning_at(first_packet_number))
    })
}

/// Makes `quic` count its failed packets in the count of `with`, which outlives either. RFC 9001 section 6.6 limits
/// their number over all keys of a connection, so all objects that open its packets should share one count: those of
/// Initial, Handshake, 0-RTT and 1-RTT packets. kasoku_quic_next_phase() does so by itself. What `quic` has counted
/// alone is forgotten.
///
/// To be called before `quic` opens its first packet, and while no other thread uses it.
///
/// Returns KASOKU_OK or KASOKU_ERR_NULL.
///
/// # Safety
/// Both must be NULL or objects of this library, and `quic` be used by nobody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_share_failed_opens(quic: *mut Quic, with: *const Quic) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it. The count is cloned, so that both may be the same object.
        let failed = unsafe { Quic::protection(with) }?.failed_opens().clone();
        // SAFETY: as above; nothing of `with` is borrowed any more.
        let quic = unsafe { quic.as_mut() }.ok_or(Code::NULL)?;
        quic.change(|protection| Ok(protection.counting(&failed)))
    })
}

/// How many packets failed to open, under this key and those that share its count. 0 for NULL.
///
/// # Safety
/// `quic` must be NULL or an object of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_failed_opens(quic: *const Quic) -> u64 {
    boundary::guarded(0, || {
        // SAFETY: the caller vouches for it.
        unsafe { Quic::protection(quic) }.map_or(0, |protection| protection.failed_opens().count())
    })
}

/// The name of the backend that does the work: portable, aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3. NULL for
/// NULL. Never to be freed.
///
/// # Safety
/// `quic` must be NULL or an object of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_backend(quic: *const Quic) -> *const c_char {
    boundary::guarded(std::ptr::null(), || {
        // SAFETY: the caller vouches for it.
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
    // SAFETY: the caller vouches for it.
    let (key, header_key) = unsafe { (Input::key(key, bytes)?.slice(), Input::key(header_key, bytes)?.slice()) };
    // SAFETY: as above.
    let (iv, backend) = unsafe { (read_iv(iv)?, environment::asked_for(backend)?) };
    let protection = match backend {
        Some(backend) => PacketProtection::with_backend(key, &iv, header_key, backend),
        None => PacketProtection::new(key, &iv, header_key),
    }?;
    Ok(Quic::new(protection))
}

/// # Safety
/// `iv` must be NULL or readable for 12 bytes.
unsafe fn read_iv(iv: *const u8) -> Result<[u8; 12], Code> {
    // SAFETY: the caller vouches for it.
    unsafe { Input::iv(iv)?.slice() }.try_into().map_err(|_| Code::NULL)
}

/// Stores what `make` makes, or NULL.
///
/// # Safety
/// `place` must be NULL or writable.
unsafe fn store(place: *mut *mut Quic, make: impl FnOnce() -> Result<Quic, Code>) -> c_int {
    boundary::code(|| {
        if place.is_null() {
            return Err(Code::NULL);
        }
        // SAFETY: the caller vouches for it.
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

    /// Nobody can forge 2^52 packets in a test: the count begins just before.
    #[test]
    fn past_the_integrity_limit_nothing_is_opened() {
        let failed = FailedOpens::from_count(limits::INTEGRITY - 1);
        let protection = PacketProtection::new(&[1; 16], &[2; 12], &[3; 16]).unwrap().counting(&failed);
        let quic = Quic::new(protection);
        let (mut number, mut offset, mut bytes) = (7, 7, 7);
        let mut unprotect = |packet: &mut [u8]| {
            let (start, length) = (packet.as_mut_ptr(), packet.len());
            // SAFETY: an object and arrays of this test.
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
