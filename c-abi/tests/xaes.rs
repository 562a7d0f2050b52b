//! XAES-256-GCM through the C functions.

#![allow(unsafe_code, clippy::unwrap_used, reason = "calls the C API; tests may panic")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets arrays of this test, or arguments that it rejects"
)]

use std::ptr::{null, null_mut};

use kasoku::*;

const NONCE: &[u8; 24] = b"ABCDEFGHIJKLMNOPQRSTUVWX";
const AAD: &[u8; 21] = b"c2sp.org/XAES-256-GCM";

/// The second vector of c2sp.org/XAES-256-GCM: between buffers, in place, and with one bit of the tag changed.
#[test]
fn xaes_calls_match_published_vector() {
    let xaes = unsafe { kasoku_xaes_new([3; 32].as_ptr()) };
    let text = *b"XAES-256-GCM";
    let (mut out, mut tag) = ([0; 12], [0; 16]);
    let seal = |input: *const u8, out: *mut u8, tag: *mut u8| unsafe {
        kasoku_xaes_seal(xaes, NONCE.as_ptr(), 24, AAD.as_ptr(), AAD.len(), input, 12, out, tag)
    };
    let open = |input: *const u8, out: *mut u8, tag: *const u8| unsafe {
        kasoku_xaes_open(xaes, NONCE.as_ptr(), 24, AAD.as_ptr(), AAD.len(), input, 12, tag, out)
    };
    assert_eq!(seal(text.as_ptr(), out.as_mut_ptr(), tag.as_mut_ptr()), KASOKU_OK);
    assert_eq!(out, [0x98, 0x6e, 0xc1, 0x83, 0x25, 0x93, 0xdf, 0x54, 0x43, 0xa1, 0x79, 0x43]);
    assert_eq!(tag, 0x7fd0_83bf_3fdb_41ab_d740_a21f_71eb_769d_u128.to_be_bytes());

    let (mut in_place, mut its_tag) = (text, [0; 16]);
    assert_eq!(seal(in_place.as_ptr(), in_place.as_mut_ptr(), its_tag.as_mut_ptr()), KASOKU_OK);
    assert_eq!((in_place, its_tag), (out, tag));
    assert_eq!(open(in_place.as_ptr(), in_place.as_mut_ptr(), tag.as_ptr()), KASOKU_OK);
    assert_eq!(in_place, text);

    let mut opened = [0xEE; 12];
    tag[15] ^= 1;
    assert_eq!(open(out.as_ptr(), opened.as_mut_ptr(), tag.as_ptr()), KASOKU_ERR_AUTHENTICATION);
    assert_eq!(opened, [0; 12]);
    unsafe { kasoku_xaes_free(xaes) };
}

#[test]
fn xaes_calls_write_nothing_for_wrong_nonce_lengths() {
    let xaes = unsafe { kasoku_xaes_new([3; 32].as_ptr()) };
    for nonce_len in [0, 12, 23, 25, usize::MAX] {
        let (mut out, mut tag) = ([0xEE; 12], [0xEE; 16]);
        let (nonce, to, its_tag) = (NONCE.as_ptr(), out.as_mut_ptr(), tag.as_mut_ptr());
        let sealed = unsafe { kasoku_xaes_seal(xaes, nonce, nonce_len, null(), 0, AAD.as_ptr(), 12, to, its_tag) };
        let opened = unsafe { kasoku_xaes_open(xaes, nonce, nonce_len, null(), 0, AAD.as_ptr(), 12, its_tag, to) };
        assert_eq!([sealed, opened], [KASOKU_ERR_NONCE_LENGTH; 2], "{nonce_len}");
        assert_eq!((out, tag), ([0xEE; 12], [0xEE; 16]));
    }
    unsafe {
        kasoku_xaes_free(xaes);
        kasoku_xaes_free(null_mut());
        assert!(kasoku_xaes_new(null()).is_null());
    }
}
