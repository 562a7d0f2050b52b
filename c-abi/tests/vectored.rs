//! Messages in several slices through the C functions, compared with the same message in one buffer.

#![allow(unsafe_code, clippy::unwrap_used, reason = "calls the C API; tests may panic")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets arrays of this test, or arguments that it rejects"
)]

use std::ffi::c_int;
use std::ptr::{null, null_mut, without_provenance};

use kasoku::*;

const NONCE: [u8; 12] = [3; 12];

#[test]
fn vectored_calls_match_the_concatenated_message() {
    let key = Key::new();
    let text: Vec<u8> = (0..5000_u32).map(|index| (index % 251) as u8).collect();
    for bytes in [0, 1, 16, 100, 1445, 5000] {
        let (text, aad) = (&text[..bytes], &text[..bytes.min(100)]);
        let (mut sealed, mut tag) = (vec![0; bytes], [0; 16]);
        let code = unsafe {
            let (out, tag) = (sealed.as_mut_ptr(), tag.as_mut_ptr());
            kasoku_gcm_seal(key.0, NONCE.as_ptr(), 12, aad.as_ptr(), aad.len(), text.as_ptr(), bytes, out, tag)
        };
        assert_eq!(code, KASOKU_OK);
        for cut in [0, 1, 5, bytes / 2, bytes] {
            let cut = cut.min(bytes);
            let aad = cut_at(aad, cut.min(aad.len()));
            let (mut out, mut its_tag) = (vec![0xEE; bytes], [0xEE; 16]);
            assert_eq!(key.seal(&aad, &cut_at(text, cut), out.as_mut_ptr(), its_tag.as_mut_ptr()), KASOKU_OK);
            assert_eq!((&out, its_tag), (&sealed, tag), "{bytes} bytes cut at {cut}");

            let mut opened = vec![0xEE; bytes];
            assert_eq!(key.open(&aad, &cut_at(&sealed, cut), &tag, opened.as_mut_ptr()), KASOKU_OK);
            assert_eq!(opened, text, "{bytes} bytes cut at {cut}");
            tag[3] ^= 1;
            assert_eq!(key.open(&aad, &cut_at(&sealed, cut), &tag, opened.as_mut_ptr()), KASOKU_ERR_AUTHENTICATION);
            assert_eq!(opened, vec![0; bytes], "nothing of a forgery");
            tag[3] ^= 1;
        }
    }
}

/// Passes an array of slices at an unaligned address, and then an empty message.
#[test]
fn vectored_calls_accept_empty_messages_and_unaligned_arrays() {
    let key = Key::new();
    let (mut tag, mut whole_tag, mut out) = ([0; 16], [0; 16], [0; 7]);
    unsafe {
        let code = kasoku_gcm_seal(
            key.0,
            NONCE.as_ptr(),
            12,
            null(),
            0,
            b"the sea".as_ptr(),
            7,
            out.as_mut_ptr(),
            whole_tag.as_mut_ptr(),
        );
        assert_eq!(code, KASOKU_OK);
        let mut bytes = [0_u8; 1 + size_of::<kasoku_slice>()];
        let array = bytes.as_mut_ptr().add(1).cast::<kasoku_slice>();
        array.write_unaligned(kasoku_slice { data: b"the sea".as_ptr(), len: 7 });
        let mut sealed = [0; 7];
        let (nonce, to, its_tag) = (NONCE.as_ptr(), sealed.as_mut_ptr(), tag.as_mut_ptr());
        assert_eq!(kasoku_gcm_seal_vectored(key.0, nonce, 12, null(), 0, array, 1, to, its_tag), KASOKU_OK);
        assert_eq!((sealed, tag), (out, whole_tag));
        let code = kasoku_gcm_seal(key.0, nonce, 12, null(), 0, null(), 0, null_mut(), whole_tag.as_mut_ptr());
        assert_eq!(code, KASOKU_OK);
        assert_eq!(kasoku_gcm_seal_vectored(key.0, nonce, 12, null(), 0, null(), 0, null_mut(), its_tag), KASOKU_OK);
        assert_eq!(tag, whole_tag);
    }
}

#[test]
fn vectored_calls_write_nothing_for_invalid_arguments() {
    let key = Key::new();
    let mut arena = [0xEE_u8; 256];
    let base = arena.as_mut_ptr();
    let slice_at = |place: usize, len| kasoku_slice { data: base.wrapping_add(place), len };
    let nowhere = |len| kasoku_slice { data: without_provenance(64), len };
    let missing = kasoku_slice { data: null(), len: 1 };
    let (good, out, tag) = ([slice_at(0, 20), slice_at(30, 20)], base.wrapping_add(100), base.wrapping_add(200));
    type Case<'a> = (&'a [kasoku_slice], &'a [kasoku_slice], *mut u8, *mut u8, c_int);
    let cases: [Case<'_>; 12] = [
        (&[missing], &good, out, tag, KASOKU_ERR_NULL),
        (&[], &[slice_at(0, 20), missing], out, tag, KASOKU_ERR_NULL),
        (&[], &good, null_mut(), tag, KASOKU_ERR_NULL),
        (&[], &good, out, null_mut(), KASOKU_ERR_NULL),
        (&[nowhere(usize::MAX)], &good, out, tag, KASOKU_ERR_AAD_TOO_LONG),
        (&[nowhere(1 << 60), nowhere(1 << 60)], &good, out, tag, KASOKU_ERR_AAD_TOO_LONG),
        (&[], &[nowhere(1 << 35), nowhere(1 << 35)], out, tag, KASOKU_ERR_MESSAGE_TOO_LONG),
        (&[slice_at(139, 1)], &good, out, tag, KASOKU_ERR_OVERLAP),
        (&[], &[slice_at(0, 20), slice_at(101, 3)], out, tag, KASOKU_ERR_OVERLAP),
        (&[], &[slice_at(100, 40)], out, tag, KASOKU_ERR_OVERLAP),
        (&[], &good, out, base.wrapping_add(139), KASOKU_ERR_OVERLAP),
        (&[], &[slice_at(215, 1)], out, tag, KASOKU_ERR_OVERLAP),
    ];
    for (aad, text, out, tag, code) in cases {
        assert_eq!(key.seal(aad, text, out, tag), code);
        assert_eq!(arena, [0xEE; 256]);
    }
    // The array of slices is read too, up to its last byte.
    let mut slices = [kasoku_slice { data: NONCE.as_ptr(), len: 12 }; 4];
    let array = slices.as_mut_ptr();
    for place in [0, 2 * size_of::<kasoku_slice>() - 1] {
        let (nonce, out, tag) = (NONCE.as_ptr(), array.cast::<u8>().wrapping_add(place), arena.as_mut_ptr());
        let code = unsafe { kasoku_gcm_seal_vectored(key.0, nonce, 12, null(), 0, array, 2, out, tag) };
        assert_eq!(code, KASOKU_ERR_OVERLAP, "{place}");
    }
    let code = unsafe {
        let (nonce, out, tag) = (NONCE.as_ptr(), arena.as_mut_ptr(), arena.as_mut_ptr().add(100));
        kasoku_gcm_seal_vectored(key.0, nonce, 12, null(), 0, array, usize::MAX / 2, out, tag)
    };
    assert_eq!(code, KASOKU_ERR_MESSAGE_TOO_LONG);
    assert_eq!(arena, [0xEE; 256]);
}

fn cut_at(bytes: &[u8], place: usize) -> [kasoku_slice; 3] {
    let slice = |bytes: &[u8]| kasoku_slice { data: bytes.as_ptr(), len: bytes.len() };
    [slice(&bytes[..place]), kasoku_slice { data: null(), len: 0 }, slice(&bytes[place..])]
}

/// Key that is freed when dropped.
struct Key(*mut Gcm);

impl Key {
    fn new() -> Self {
        let key = unsafe { kasoku_gcm_new([9; 32].as_ptr(), 32) };
        assert!(!key.is_null());
        Self(key)
    }

    fn seal(&self, aad: &[kasoku_slice], text: &[kasoku_slice], out: *mut u8, tag: *mut u8) -> c_int {
        let (aad, aad_count, nonce) = (aad.as_ptr(), aad.len(), NONCE.as_ptr());
        unsafe { kasoku_gcm_seal_vectored(self.0, nonce, 12, aad, aad_count, text.as_ptr(), text.len(), out, tag) }
    }

    fn open(&self, aad: &[kasoku_slice], text: &[kasoku_slice], tag: &[u8; 16], out: *mut u8) -> c_int {
        let (aad, aad_count, nonce, tag) = (aad.as_ptr(), aad.len(), NONCE.as_ptr(), tag.as_ptr());
        unsafe { kasoku_gcm_open_vectored(self.0, nonce, 12, aad, aad_count, text.as_ptr(), text.len(), tag, out) }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        unsafe { kasoku_gcm_free(self.0) };
    }
}
