//! Messages in parts through the C functions.

#![allow(unsafe_code, clippy::unwrap_used, reason = "calls the C API; tests may panic")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets arrays of this test, or arguments that it rejects"
)]

use std::ptr::{null, null_mut, without_provenance};

use kasoku::*;

const NONCE: [u8; 12] = [0x21; 12];

fn key() -> *mut Gcm {
    let key = unsafe { kasoku_gcm_new([0x42; 32].as_ptr(), 32) };
    assert!(!key.is_null());
    key
}

/// Seals at once, then seals and opens in parts of every size from 1 to 70, between buffers and in place.
#[test]
fn streaming_in_parts_of_any_size_matches_the_whole_message() {
    let aad: Vec<u8> = (0..61).collect();
    let plaintext: Vec<u8> = (0..777_u32).map(|number| number as u8).collect();
    let (mut whole, mut tag) = (vec![0; plaintext.len()], [0; 16]);
    let key = key();
    unsafe {
        let (text, out) = (plaintext.as_ptr(), whole.as_mut_ptr());
        let code = kasoku_gcm_seal(key, NONCE.as_ptr(), 12, aad.as_ptr(), 61, text, 777, out, tag.as_mut_ptr());
        assert_eq!(code, KASOKU_OK);
    }
    for size in 1..=70 {
        let in_place = size % 2 == 0;
        let mut sealed = if in_place { plaintext.clone() } else { vec![0xEE; 777] };
        let mut opened = if in_place { whole.clone() } else { vec![0xEE; 777] };
        let mut sealed_tag = [0; 16];
        unsafe {
            let sealing = kasoku_gcm_sealing_new(key, NONCE.as_ptr(), 12);
            let opening = kasoku_gcm_opening_new(key, NONCE.as_ptr(), 12);
            for piece in aad.chunks(size) {
                assert_eq!(kasoku_gcm_sealing_aad(sealing, piece.as_ptr(), piece.len()), KASOKU_OK);
                assert_eq!(kasoku_gcm_opening_aad(opening, piece.as_ptr(), piece.len()), KASOKU_OK);
            }
            for start in (0..777).step_by(size) {
                let bytes = size.min(777 - start);
                let out = sealed.as_mut_ptr().add(start);
                let from = if in_place { out.cast_const() } else { plaintext.as_ptr().add(start) };
                assert_eq!(kasoku_gcm_sealing_update(sealing, from, bytes, out), KASOKU_OK);
                let out = opened.as_mut_ptr().add(start);
                let from = if in_place { out.cast_const() } else { whole.as_ptr().add(start) };
                assert_eq!(kasoku_gcm_opening_update(opening, from, bytes, out), KASOKU_OK);
            }
            assert_eq!(kasoku_gcm_sealing_finish(sealing, sealed_tag.as_mut_ptr()), KASOKU_OK);
            assert_eq!(kasoku_gcm_opening_finish(opening, tag.as_ptr()), KASOKU_OK);
            kasoku_gcm_sealing_free(sealing);
            kasoku_gcm_opening_free(opening);
        }
        assert_eq!((&sealed, sealed_tag, &opened), (&whole, tag, &plaintext), "{size}");
    }
    unsafe { kasoku_gcm_free(key) };
}

/// A message in progress keeps its key after the caller has freed it.
#[test]
fn streamed_message_continues_after_its_key_is_freed() {
    let (first, second) = (key(), key());
    let (mut tag, mut other) = ([0; 16], [1; 16]);
    unsafe {
        let sealing = kasoku_gcm_sealing_new(first, NONCE.as_ptr(), 12);
        kasoku_gcm_free(first);
        assert_eq!(kasoku_gcm_sealing_aad(sealing, NONCE.as_ptr(), 12), KASOKU_OK);
        assert_eq!(kasoku_gcm_sealing_finish(sealing, tag.as_mut_ptr()), KASOKU_OK);
        kasoku_gcm_sealing_free(sealing);
        let (nonce, none) = (NONCE.as_ptr(), null_mut());
        assert_eq!(kasoku_gcm_seal(second, nonce, 12, nonce, 12, none, 0, none, other.as_mut_ptr()), KASOKU_OK);
        kasoku_gcm_free(second);
    }
    assert_eq!(tag, other);
}

#[test]
fn streaming_finish_reports_a_forged_tag() {
    let key = key();
    let (mut text, mut tag) = ([5; 40], [0; 16]);
    unsafe {
        let both = text.as_mut_ptr();
        let code = kasoku_gcm_seal(key, NONCE.as_ptr(), 12, null(), 0, both, 40, both, tag.as_mut_ptr());
        assert_eq!(code, KASOKU_OK);
        for bit in 0..128 {
            let mut forged = tag;
            forged[bit / 8] ^= 1 << (bit % 8);
            let mut out = [0; 40];
            let opening = kasoku_gcm_opening_new(key, NONCE.as_ptr(), 12);
            assert_eq!(kasoku_gcm_opening_update(opening, text.as_ptr(), 40, out.as_mut_ptr()), KASOKU_OK);
            assert_eq!(kasoku_gcm_opening_finish(opening, forged.as_ptr()), KASOKU_ERR_AUTHENTICATION);
            // There is no second attempt, because a forger could guess the tag repeatedly.
            assert_eq!(kasoku_gcm_opening_finish(opening, tag.as_ptr()), KASOKU_ERR_FINISHED);
            kasoku_gcm_opening_free(opening);
        }
        kasoku_gcm_free(key);
    }
}

#[test]
fn failed_calls_leave_a_streamed_message_unchanged() {
    let key = key();
    let (mut tag, mut expected) = ([0xEE; 16], [0; 16]);
    let mut arena = [3; 64];
    unsafe {
        let nonce = NONCE.as_ptr();
        assert!(kasoku_gcm_sealing_new(null(), nonce, 12).is_null());
        assert!(kasoku_gcm_sealing_new(key, null(), 12).is_null());
        assert!(kasoku_gcm_sealing_new(key, nonce, 0).is_null());
        assert!(kasoku_gcm_sealing_new(key, nonce, usize::MAX).is_null());
        assert!(kasoku_gcm_opening_new(null(), nonce, 12).is_null());
        assert!(kasoku_gcm_opening_new(key, null(), 12).is_null());
        assert!(kasoku_gcm_opening_new(key, nonce, 0).is_null());

        let none = null_mut();
        assert_eq!(kasoku_gcm_sealing_aad(null_mut(), nonce, 1), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_sealing_update(null_mut(), none, 0, none), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_sealing_finish(null_mut(), tag.as_mut_ptr()), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_opening_aad(null_mut(), nonce, 1), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_opening_update(null_mut(), none, 0, none), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_opening_finish(null_mut(), tag.as_ptr()), KASOKU_ERR_NULL);
        kasoku_gcm_sealing_free(null_mut());
        kasoku_gcm_opening_free(null_mut());

        let sealing = kasoku_gcm_sealing_new(key, nonce, 12);
        let opening = kasoku_gcm_opening_new(key, nonce, 12);
        let text = arena.as_mut_ptr();
        assert_eq!(kasoku_gcm_sealing_aad(sealing, null(), 1), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_opening_aad(opening, null(), 1), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_sealing_aad(sealing, null(), 0), KASOKU_OK);
        assert_eq!(kasoku_gcm_sealing_aad(sealing, without_provenance(64), 1 << 61), KASOKU_ERR_AAD_TOO_LONG);
        for distance in -20_isize..=20 {
            let from = text.offset(20);
            let to = from.offset(distance);
            if distance == 0 || distance.unsigned_abs() >= 16 {
                continue;
            }
            assert_eq!(kasoku_gcm_sealing_update(sealing, from, 16, to), KASOKU_ERR_OVERLAP, "{distance}");
            assert_eq!(kasoku_gcm_opening_update(opening, from, 16, to), KASOKU_ERR_OVERLAP, "{distance}");
        }
        assert_eq!(kasoku_gcm_sealing_update(sealing, null(), 1, text), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_sealing_update(sealing, text, 1, null_mut()), KASOKU_ERR_NULL);
        let nowhere = without_provenance(64);
        assert_eq!(kasoku_gcm_sealing_update(sealing, nowhere, (1 << 36) - 31, text), KASOKU_ERR_MESSAGE_TOO_LONG);
        assert_eq!(kasoku_gcm_opening_update(opening, nowhere, usize::MAX, text), KASOKU_ERR_MESSAGE_TOO_LONG);
        assert_eq!(kasoku_gcm_sealing_finish(sealing, null_mut()), KASOKU_ERR_NULL);
        assert_eq!(kasoku_gcm_opening_finish(opening, null()), KASOKU_ERR_NULL);
        assert_eq!(arena, [3; 64]);

        let both = arena.as_mut_ptr();
        assert_eq!(kasoku_gcm_sealing_update(sealing, both, 64, both), KASOKU_OK);
        assert_eq!(kasoku_gcm_sealing_aad(sealing, nonce, 12), KASOKU_ERR_AAD_TOO_LATE);
        assert_eq!(kasoku_gcm_sealing_aad(sealing, nonce, 0), KASOKU_OK);
        assert_eq!(kasoku_gcm_sealing_finish(sealing, tag.as_mut_ptr()), KASOKU_OK);
        assert_eq!(kasoku_gcm_sealing_finish(sealing, tag.as_mut_ptr()), KASOKU_ERR_FINISHED);
        assert_eq!(kasoku_gcm_sealing_update(sealing, both, 64, both), KASOKU_ERR_FINISHED);
        assert_eq!(kasoku_gcm_sealing_aad(sealing, nonce, 12), KASOKU_ERR_FINISHED);
        kasoku_gcm_sealing_free(sealing);
        kasoku_gcm_opening_free(opening);

        let mut whole = [3; 64];
        let both = whole.as_mut_ptr();
        assert_eq!(kasoku_gcm_seal(key, nonce, 12, null(), 0, both, 64, both, expected.as_mut_ptr()), KASOKU_OK);
        assert_eq!((arena, tag), (whole, expected));
        kasoku_gcm_free(key);
    }
}
