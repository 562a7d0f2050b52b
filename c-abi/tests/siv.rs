//! AES-GCM-SIV through the C functions.

#![allow(unsafe_code, clippy::unwrap_used, reason = "calls the C API; tests may panic")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets arrays of this test, or arguments that it rejects"
)]

use std::ptr::{null, null_mut};

use kasoku::*;

const NONCE: &[u8; 12] = b"\x03\0\0\0\0\0\0\0\0\0\0\0";
const KEY: &[u8; 16] = b"\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// The second vector of RFC 8452 appendix C.1: between buffers, in place, and with one bit of the tag changed.
#[test]
fn siv_calls_match_rfc_8452_vector() {
    let siv = unsafe { kasoku_siv_new(KEY.as_ptr(), 16) };
    let text = [1, 0, 0, 0, 0, 0, 0, 0];
    let (mut out, mut tag) = ([0; 8], [0; 16]);
    let seal = |input: *const u8, out: *mut u8, tag: *mut u8| unsafe {
        kasoku_siv_seal(siv, NONCE.as_ptr(), 12, null(), 0, input, 8, out, tag)
    };
    let open = |input: *const u8, out: *mut u8, tag: *const u8| unsafe {
        kasoku_siv_open(siv, NONCE.as_ptr(), 12, null(), 0, input, 8, tag, out)
    };
    assert_eq!(seal(text.as_ptr(), out.as_mut_ptr(), tag.as_mut_ptr()), KASOKU_OK);
    assert_eq!(out, [0xb5, 0xd8, 0x39, 0x33, 0x0a, 0xc7, 0xb7, 0x86]);
    assert_eq!(tag, 0x5787_82ff_f601_3b81_5b28_7c22_493a_364c_u128.to_be_bytes());

    let (mut in_place, mut its_tag) = (text, [0; 16]);
    assert_eq!(seal(in_place.as_ptr(), in_place.as_mut_ptr(), its_tag.as_mut_ptr()), KASOKU_OK);
    assert_eq!((in_place, its_tag), (out, tag));
    assert_eq!(open(in_place.as_ptr(), in_place.as_mut_ptr(), tag.as_ptr()), KASOKU_OK);
    assert_eq!(in_place, text);

    let mut opened = [0xEE; 8];
    tag[15] ^= 1;
    assert_eq!(open(out.as_ptr(), opened.as_mut_ptr(), tag.as_ptr()), KASOKU_ERR_AUTHENTICATION);
    assert_eq!(opened, [0; 8]);
    unsafe { kasoku_siv_free(siv) };
}

#[test]
fn siv_calls_write_nothing_for_wrong_nonce_lengths() {
    let siv = unsafe { kasoku_siv_new(KEY.as_ptr(), 16) };
    for nonce_len in [0, 11, 13, 24, usize::MAX] {
        let (mut out, mut tag) = ([0xEE; 12], [0xEE; 16]);
        let (nonce, to, its_tag) = (NONCE.as_ptr(), out.as_mut_ptr(), tag.as_mut_ptr());
        let sealed = unsafe { kasoku_siv_seal(siv, nonce, nonce_len, null(), 0, KEY.as_ptr(), 12, to, its_tag) };
        let opened = unsafe { kasoku_siv_open(siv, nonce, nonce_len, null(), 0, KEY.as_ptr(), 12, its_tag, to) };
        assert_eq!([sealed, opened], [KASOKU_ERR_NONCE_LENGTH; 2], "{nonce_len}");
        assert_eq!((out, tag), ([0xEE; 12], [0xEE; 16]));
    }
    unsafe {
        kasoku_siv_free(siv);
        kasoku_siv_free(null_mut());
        assert!(kasoku_siv_new(null(), 16).is_null());
        assert!(kasoku_siv_new([0; 24].as_ptr(), 24).is_null());
    }
}

/// AAD of 2^36 + 1 bytes must be rejected without being read.
#[cfg(all(unix, target_pointer_width = "64"))]
#[test]
fn siv_calls_write_nothing_for_too_long_aad() {
    let aad_len = (1 << 36) + 1;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // Reserves addresses without memory behind them.
    let reserved = unsafe { libc::mmap(null_mut(), aad_len, libc::PROT_NONE, flags, -1, 0) };
    assert_ne!(reserved, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
    let siv = unsafe { kasoku_siv_new(KEY.as_ptr(), 16) };
    let (mut out, mut tag) = ([0xEE; 16], [0xEE; 16]);
    let (nonce, aad, to, its_tag) = (NONCE.as_ptr(), reserved.cast(), out.as_mut_ptr(), tag.as_mut_ptr());
    let sealed = unsafe { kasoku_siv_seal(siv, nonce, 12, aad, aad_len, KEY.as_ptr(), 16, to, its_tag) };
    let opened = unsafe { kasoku_siv_open(siv, nonce, 12, aad, aad_len, KEY.as_ptr(), 16, its_tag, to) };
    assert_eq!([sealed, opened], [KASOKU_ERR_AAD_TOO_LONG; 2]);
    assert_eq!((out, tag), ([0xEE; 16], [0xEE; 16]));
    unsafe {
        kasoku_siv_free(siv);
        libc::munmap(reserved, aad_len);
    }
}
