//! Whole AES-GCM messages through the C functions, including calls of a careless C program.

#![allow(unsafe_code, clippy::unwrap_used, reason = "calls the C API; tests may panic")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets arrays of this test, or arguments that it rejects"
)]

use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut, without_provenance, without_provenance_mut};

use kasoku::*;

/// Key that is freed when dropped.
struct Key(*mut Gcm);

// The header says that several threads may use a key at once.
unsafe impl Sync for Key {}

impl Key {
    fn new(bytes: &[u8]) -> Self {
        let key = unsafe { kasoku_gcm_new(bytes.as_ptr(), bytes.len()) };
        assert!(!key.is_null());
        Self(key)
    }

    fn seal(&self, nonce: &[u8], aad: &[u8], text: &[u8]) -> (Vec<u8>, [u8; 16]) {
        let (mut out, mut tag) = (vec![0xEE; text.len()], [0xEE; 16]);
        let code = unsafe {
            kasoku_gcm_seal(
                self.0,
                nonce.as_ptr(),
                nonce.len(),
                aad.as_ptr(),
                aad.len(),
                text.as_ptr(),
                text.len(),
                out.as_mut_ptr(),
                tag.as_mut_ptr(),
            )
        };
        assert_eq!(code, KASOKU_OK);
        (out, tag)
    }

    /// Returns the code and the output.
    fn open(&self, nonce: &[u8], aad: &[u8], text: &[u8], tag: &[u8; 16]) -> (c_int, Vec<u8>) {
        let mut out = vec![0xEE; text.len()];
        let code = unsafe {
            kasoku_gcm_open(
                self.0,
                nonce.as_ptr(),
                nonce.len(),
                aad.as_ptr(),
                aad.len(),
                text.as_ptr(),
                text.len(),
                tag.as_ptr(),
                out.as_mut_ptr(),
            )
        };
        (code, out)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        unsafe { kasoku_gcm_free(self.0) };
    }
}

fn text_of(code: c_int) -> &'static str {
    unsafe { CStr::from_ptr(kasoku_strerror(code)) }.to_str().unwrap()
}

/// Test case 4 of the GCM specification (McGrew and Viega, appendix B).
#[test]
fn gcm_calls_match_specification_test_case_4() {
    let key = Key::new(&hex("feffe9928665731c6d6a8f9467308308"));
    let nonce = hex("cafebabefacedbaddecaf888");
    let aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let plaintext = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
         1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
    let (ciphertext, tag) = key.seal(&nonce, &aad, &plaintext);
    assert_eq!(
        ciphertext,
        hex("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
         21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091")
    );
    assert_eq!(tag[..], hex("5bc94fbc3221a5db94fae95ae7121a47"));
    assert_eq!(key.open(&nonce, &aad, &ciphertext, &tag), (KASOKU_OK, plaintext));
}

#[test]
fn gcm_new_returns_null_for_invalid_keys() {
    let bytes = [7; 64];
    for length in 0..=64 {
        let key = unsafe { kasoku_gcm_new(bytes.as_ptr(), length) };
        assert_eq!(key.is_null(), !matches!(length, 16 | 24 | 32), "{length}");
        unsafe { kasoku_gcm_free(key) };
    }
    for length in [usize::MAX, isize::MAX as usize, 1 << 40] {
        assert!(unsafe { kasoku_gcm_new(bytes.as_ptr(), length) }.is_null());
    }
    assert!(unsafe { kasoku_gcm_new(null(), 0) }.is_null());
    assert!(unsafe { kasoku_gcm_new(null(), 16) }.is_null());
}

#[test]
fn gcm_create_reports_why_it_failed() {
    let bytes = [7; 16];
    let create = |key: *const u8, length, backend: Option<&CStr>| {
        let mut made = without_provenance_mut(1);
        let backend = backend.map_or(null(), CStr::as_ptr);
        let code = unsafe { kasoku_gcm_create(key, length, backend, &mut made) };
        assert_eq!(code == KASOKU_OK, !made.is_null(), "a pointer is stored in any case");
        (code, (!made.is_null()).then_some(Key(made)))
    };
    assert_eq!(create(bytes.as_ptr(), 16, None).0, KASOKU_OK);
    assert_eq!(create(bytes.as_ptr(), 15, None).0, KASOKU_ERR_KEY_LENGTH);
    assert_eq!(create(null(), 16, None).0, KASOKU_ERR_NULL);
    assert_eq!(create(bytes.as_ptr(), 16, Some(c"fastest")).0, KASOKU_ERR_BACKEND_UNKNOWN);
    assert_eq!(create(bytes.as_ptr(), 16, Some(c"")).0, KASOKU_ERR_BACKEND_UNKNOWN);
    assert_eq!(create(bytes.as_ptr(), 16, Some(c"\xff")).0, KASOKU_ERR_BACKEND_UNKNOWN);
    assert_eq!(unsafe { kasoku_gcm_create(bytes.as_ptr(), 16, null(), null_mut()) }, KASOKU_ERR_NULL);
    for backend in kasoku_engine::Backend::ALL {
        let name = std::ffi::CString::new(backend.name()).unwrap();
        let runs = backend.runs_on(kasoku_engine::cpu::Found::here().features());
        let (code, made) = create(bytes.as_ptr(), 16, Some(&name));
        assert_eq!(code, if runs { KASOKU_OK } else { KASOKU_ERR_BACKEND_UNAVAILABLE });
        if let Some(made) = made {
            assert_eq!(unsafe { CStr::from_ptr(kasoku_gcm_backend(made.0)) }, name.as_c_str());
        }
    }
}

/// Tests every combination of NULL pointers and zero lengths. A call must fail exactly if NULL would be read or
/// written.
#[test]
fn gcm_calls_allow_null_only_for_empty_buffers() {
    let key = Key::new(&[1; 32]);
    for case in 0..1_u32 << 9 {
        let is_null = |bit: u32| case >> bit & 1 != 0;
        let (nonce, aad, input) = ([3; 12], [4; 5], [5; 7]);
        let (mut out, mut tag) = ([0xEE; 7], [0xEE; 16]);
        let nonce_bytes = if is_null(6) { 0 } else { nonce.len() };
        let aad_bytes = if is_null(7) { 0 } else { aad.len() };
        let bytes = if is_null(8) { 0 } else { input.len() };
        let or_null = |bit, pointer: *const u8| if is_null(bit) { null() } else { pointer };
        let or_null_mut = |bit, pointer: *mut u8| if is_null(bit) { null_mut() } else { pointer };
        let gcm = if is_null(0) { null_mut() } else { key.0 };
        let arguments = (
            or_null(1, nonce.as_ptr()),
            or_null(2, aad.as_ptr()),
            or_null(3, input.as_ptr()),
            or_null_mut(4, out.as_mut_ptr()),
            or_null_mut(5, tag.as_mut_ptr()),
        );
        let sealed = unsafe {
            let (nonce, aad, input, out, tag) = arguments;
            kasoku_gcm_seal(gcm, nonce, nonce_bytes, aad, aad_bytes, input, bytes, out, tag)
        };
        let is_missing = is_null(0)
            || is_null(1) && nonce_bytes > 0
            || is_null(2) && aad_bytes > 0
            || (is_null(3) || is_null(4)) && bytes > 0
            || is_null(5);
        if is_missing || nonce_bytes == 0 {
            assert!(matches!(sealed, KASOKU_ERR_NULL | KASOKU_ERR_NONCE_LENGTH), "{case:#b}: {}", text_of(sealed));
            assert!(is_missing || sealed == KASOKU_ERR_NONCE_LENGTH, "{case:#b}");
            assert!(nonce_bytes == 0 || sealed == KASOKU_ERR_NULL, "{case:#b}");
            assert_eq!((out, tag), ([0xEE; 7], [0xEE; 16]), "something was written: {case:#b}");
        } else {
            assert_eq!(sealed, KASOKU_OK, "{case:#b}");
        }
        let mut opened_text = [0xEE; 7];
        let opened = unsafe {
            let (nonce, aad, _, out, tag) = arguments;
            let to = or_null_mut(4, opened_text.as_mut_ptr());
            let from = or_null(3, out);
            kasoku_gcm_open(gcm, nonce, nonce_bytes, aad, aad_bytes, from, bytes, tag, to)
        };
        assert_eq!(opened, sealed, "{case:#b}");
        let expected = if sealed == KASOKU_OK && bytes > 0 { [5; 7] } else { [0xEE; 7] };
        assert_eq!(opened_text, expected, "{case:#b}");
    }
    assert!(unsafe { kasoku_gcm_backend(null()) }.is_null());
    unsafe { kasoku_gcm_free(null_mut()) };
}

/// Argument that the test moves over another argument. All other arguments keep their places in the arena.
#[derive(Clone, Copy, Debug, PartialEq)]
enum MovedArgument {
    Nonce,
    Aad,
    Input,
    Tag,
}

const BYTES: usize = 16;
const OUTPUT: usize = 200;

/// Tests distances of -20 to 20 bytes. Outputs may touch other arguments but not overlap them; the output may be the
/// input.
#[test]
fn gcm_calls_reject_overlaps_at_every_distance() {
    let key = Key::new(&[2; 16]);
    for moved in [MovedArgument::Nonce, MovedArgument::Aad, MovedArgument::Input, MovedArgument::Tag] {
        for distance in -20_isize..=20 {
            for from in if moved == MovedArgument::Tag { &[0, 50, 100, 200][..] } else { &[200][..] } {
                check_overlap(&key, moved, distance, *from);
            }
        }
    }
}

/// Places `moved` `distance` bytes from `from`; the output is at 200, and every argument has 16 bytes.
fn check_overlap(key: &Key, moved: MovedArgument, distance: isize, from: usize) {
    let start = 24;
    let mut arena: Vec<u8> = (0..400_u32).map(|number| (number * 7) as u8).collect();
    let before = arena.clone();
    let base = arena.as_mut_ptr().wrapping_add(start);
    let place = |which, usual| if moved == which { from.strict_add_signed(distance) } else { usual };
    let outside = |place: usize| base.wrapping_add(place);
    // Signed, because a moved tag may begin before `base`, in the first 24 bytes of the arena.
    let place_of_tag = if moved == MovedArgument::Tag { from as isize + distance } else { 300 };
    let nonce = outside(place(MovedArgument::Nonce, 0));
    let aad = outside(place(MovedArgument::Aad, 50));
    let input = outside(place(MovedArgument::Input, 100));
    let (out, tag) = (outside(OUTPUT), base.wrapping_offset(place_of_tag));

    let is_near = distance.unsigned_abs() < BYTES;
    let is_in_place = moved == MovedArgument::Input && distance == 0;
    let refused = is_near && !is_in_place;
    let sealed = unsafe { kasoku_gcm_seal(key.0, nonce, BYTES, aad, BYTES, input, BYTES, out, tag) };
    assert_eq!(sealed, if refused { KASOKU_ERR_OVERLAP } else { KASOKU_OK }, "{moved:?} {distance} {from}");
    if refused {
        assert_eq!(arena, before, "something was written: {moved:?} {distance}");
    } else {
        // The output must equal that of a call with separate buffers, and nothing else may change.
        let arena_range = |pointer: *mut u8| {
            let place = pointer.addr() - before_start(&arena);
            place..place + BYTES
        };
        let (ciphertext, computed) =
            key.seal(&before[arena_range(nonce)], &before[arena_range(aad)], &before[arena_range(input)]);
        let mut expected = before.clone();
        expected[arena_range(out)].copy_from_slice(&ciphertext);
        expected[arena_range(tag)].copy_from_slice(&computed);
        assert_eq!(arena, expected, "{moved:?} {distance}");
    }

    // Opening writes only the output: the tag is an input, and inputs may overlap.
    let opened = unsafe { kasoku_gcm_open(key.0, nonce, BYTES, aad, BYTES, input, BYTES, tag, out) };
    let refused = refused && from == OUTPUT;
    let sealed_in_place = is_in_place && sealed == KASOKU_OK;
    let expected = match (refused, sealed_in_place) {
        (true, _) => KASOKU_ERR_OVERLAP,
        (_, true) => KASOKU_OK,
        _ => KASOKU_ERR_AUTHENTICATION,
    };
    assert_eq!(opened, expected, "{moved:?} {distance} {from}");
}

fn before_start(arena: &[u8]) -> usize {
    arena.as_ptr().addr()
}

#[test]
fn gcm_calls_allow_empty_buffers_inside_other_buffers() {
    let key = Key::new(&[2; 16]);
    let (nonce, mut text, mut tag) = ([1; 12], [9; 32], [0; 16]);
    let inside = text.as_mut_ptr().wrapping_add(5);
    let out = text.as_mut_ptr();
    unsafe {
        let code = kasoku_gcm_seal(key.0, nonce.as_ptr(), 12, inside, 0, out, 32, out, tag.as_mut_ptr());
        assert_eq!(code, KASOKU_OK);
        // Seals an empty text whose output pointer points into the AAD.
        let code = kasoku_gcm_seal(key.0, nonce.as_ptr(), 12, out, 32, null(), 0, inside, tag.as_mut_ptr());
        assert_eq!(code, KASOKU_OK);
    }
}

/// Lengths that no memory can have, at unmapped addresses: the calls must fail before they access memory.
#[test]
fn gcm_calls_reject_impossible_lengths_without_memory_access() {
    const TEXT_LIMIT: usize = (1 << 36) - 32;
    const AAD_LIMIT: usize = (1 << 61) - 1;
    let key = Key::new(&[3; 24]);
    let nowhere: *const u8 = without_provenance(64);
    let elsewhere: *mut u8 = without_provenance_mut(1 << 62);
    let mut tag = [0xEE; 16];
    let (nonce, mut small) = ([1; 12], [7_u8; 4]);
    let mut seal_and_open = |nonce_bytes, aad_bytes, bytes, expected| {
        let nonce = if nonce_bytes == 12 { nonce.as_ptr() } else { nowhere };
        let (input, out) = if bytes == 4 { (small.as_ptr(), small.as_mut_ptr()) } else { (nowhere, elsewhere) };
        unsafe {
            let sealed =
                kasoku_gcm_seal(key.0, nonce, nonce_bytes, nowhere, aad_bytes, input, bytes, out, tag.as_mut_ptr());
            let opened =
                kasoku_gcm_open(key.0, nonce, nonce_bytes, nowhere, aad_bytes, input, bytes, tag.as_ptr(), out);
            assert_eq!((sealed, opened), (expected, expected), "{nonce_bytes} {aad_bytes} {bytes}");
        }
    };
    let beyond = [isize::MAX as usize, isize::MAX as usize + 1, usize::MAX - 1, usize::MAX];
    for bytes in [TEXT_LIMIT + 1, TEXT_LIMIT + 32, 1 << 40].into_iter().chain(beyond) {
        seal_and_open(12, 0, bytes, KASOKU_ERR_MESSAGE_TOO_LONG);
    }
    for bytes in [AAD_LIMIT + 1, 1 << 62].into_iter().chain(beyond) {
        seal_and_open(12, bytes, 4, KASOKU_ERR_AAD_TOO_LONG);
        seal_and_open(bytes, 0, 4, KASOKU_ERR_NONCE_LENGTH);
    }
    assert_eq!((tag, small), ([0xEE; 16], [7; 4]));

    // The maximum length is allowed. The buffers overlap, so that the call fails before it reads so much memory.
    let sealed = unsafe {
        let inside = nowhere.cast_mut().wrapping_add(1);
        kasoku_gcm_seal(key.0, nonce.as_ptr(), 12, null(), 0, nowhere, TEXT_LIMIT, inside, tag.as_mut_ptr())
    };
    assert_eq!(sealed, KASOKU_ERR_OVERLAP);
}

/// Flips every bit of nonce, AAD, ciphertext and tag.
#[test]
fn gcm_open_zeroes_output_for_any_flipped_bit() {
    for key in [&[4; 16][..], &[4; 24], &[4; 32]] {
        let key = Key::new(key);
        for bytes in [0, 1, 15, 16, 17, 100] {
            let (nonce, aad, plaintext) = ([6; 12], [8; 21], vec![0xA7; bytes]);
            let (ciphertext, tag) = key.seal(&nonce, &aad, &plaintext);
            let message = [&nonce[..], &aad, &ciphertext, &tag].concat();
            let open = |message: &[u8]| {
                let (nonce, rest) = message.split_at(12);
                let (aad, rest) = rest.split_at(21);
                let (text, tag) = rest.split_at(bytes);
                key.open(nonce, aad, text, tag.try_into().unwrap())
            };
            assert_eq!(open(&message), (KASOKU_OK, plaintext));
            for bit in 0..8 * message.len() {
                let mut forged = message.clone();
                forged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(open(&forged), (KASOKU_ERR_AUTHENTICATION, vec![0; bytes]), "bit {bit} of {bytes}");
            }
        }
    }
}

#[test]
fn gcm_open_in_place_zeroes_forged_messages() {
    let key = Key::new(&[4; 16]);
    let (nonce, tag) = ([6; 12], [0; 16]);
    let mut text = [0xA7; 77];
    let both = text.as_mut_ptr();
    let code = unsafe { kasoku_gcm_open(key.0, nonce.as_ptr(), 12, null(), 0, both, 77, tag.as_ptr(), both) };
    assert_eq!((code, text), (KASOKU_ERR_AUTHENTICATION, [0; 77]));
}

#[test]
fn gcm_seal_accepts_nonces_of_1_to_255_bytes() {
    let key = Key::new(&[5; 32]);
    let nonce: Vec<u8> = (0..=255).collect();
    let mut seen = Vec::new();
    for length in 1..=255 {
        let (ciphertext, tag) = key.seal(&nonce[..length], b"", b"text");
        assert_eq!(key.open(&nonce[..length], b"", &ciphertext, &tag), (KASOKU_OK, b"text".to_vec()));
        seen.push(tag);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 255);
}

#[test]
fn threads_can_share_a_gcm_key() {
    let key = Key::new(&[9; 16]);
    let expected: Vec<_> = (0..64_u8).map(|number| key.seal(&[number; 12], &[number], &[number; 333])).collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    for (number, (ciphertext, tag)) in (0..).zip(&expected) {
                        assert_eq!(key.seal(&[number; 12], &[number], &[number; 333]), (ciphertext.clone(), *tag));
                        let opened = key.open(&[number; 12], &[number], ciphertext, tag);
                        assert_eq!(opened, (KASOKU_OK, vec![number; 333]));
                    }
                }
            });
        }
    });
}

#[test]
fn version_call_returns_the_package_version() {
    assert_eq!(unsafe { CStr::from_ptr(kasoku_version()) }.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// Calls `kasoku_gcm_seal_once`, or `kasoku_gcm_open_once` if `seals` is false, in place.
fn once(key: &[u8], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16], seals: bool) -> c_int {
    let (nonce, at, bytes) = ([9_u8; 12], text.as_mut_ptr(), text.len());
    let (key, key_bytes, nonce, aad_at) = (key.as_ptr(), key.len(), nonce.as_ptr(), aad.as_ptr());
    unsafe {
        if seals {
            kasoku_gcm_seal_once(key, key_bytes, nonce, 12, aad_at, aad.len(), at, bytes, at, tag.as_mut_ptr())
        } else {
            kasoku_gcm_open_once(key, key_bytes, nonce, 12, aad_at, aad.len(), at, bytes, tag.as_ptr(), at)
        }
    }
}

#[test]
fn key_in_lent_memory_matches_key_object() {
    let mut memory = vec![0_u128; kasoku_gcm_size().div_ceil(16)];
    for (key_bytes, bytes) in [16, 24, 32].into_iter().flat_map(|key| [0, 1, 80, 300, 1_440, 20_000].map(|n| (key, n)))
    {
        let (key, text) = (vec![7; key_bytes], vec![3; bytes]);
        let (expected, expected_tag) = Key::new(&key).seal(&[9; 12], b"header", &text);
        let (mut gcm, mut data, mut tag) = (null_mut(), text, [0; 16]);
        unsafe {
            let (start, size) = (memory.as_mut_ptr().cast(), kasoku_gcm_size());
            assert_eq!(kasoku_gcm_init(start, size, key.as_ptr(), key_bytes, &mut gcm), KASOKU_OK);
            assert_eq!(gcm.cast::<u128>(), memory.as_mut_ptr());
            let (nonce, at) = ([9_u8; 12], data.as_mut_ptr());
            let aad = b"header".as_ptr();
            assert_eq!(kasoku_gcm_seal(gcm, nonce.as_ptr(), 12, aad, 6, at, bytes, at, tag.as_mut_ptr()), KASOKU_OK);
            kasoku_gcm_wipe(gcm);
        }
        assert_eq!((data, tag), (expected, expected_tag), "{key_bytes}, {bytes}");
    }
}

#[test]
fn seal_once_and_open_once_match_key_objects() {
    for (key_bytes, bytes) in [16, 24, 32].into_iter().flat_map(|key| [0, 1, 16, 300, 1_440, 20_000].map(|n| (key, n)))
    {
        let (key, text) = (vec![7; key_bytes], vec![3; bytes]);
        let (expected, expected_tag) = Key::new(&key).seal(&[9; 12], b"header", &text);
        let (mut data, mut tag) = (text.clone(), [0; 16]);
        assert_eq!(once(&key, b"header", &mut data, &mut tag, true), KASOKU_OK);
        assert_eq!((&data, tag), (&expected, expected_tag), "{key_bytes}, {bytes}");
        assert_eq!(once(&key, b"header", &mut data, &mut tag, false), KASOKU_OK);
        assert_eq!(data, text);
        let mut forged = expected;
        assert_eq!(once(&key, b"Header", &mut forged, &mut tag, false), KASOKU_ERR_AUTHENTICATION);
        assert!(forged.iter().all(|&byte| byte == 0));
    }
}

#[test]
fn seal_once_and_open_once_reject_invalid_and_overlapping_keys() {
    let (mut data, mut tag) = ([3; 64], [0xEE; 16]);
    for seals in [true, false] {
        for bytes in (0..40).filter(|bytes| !matches!(bytes, 16 | 24 | 32)) {
            assert_eq!(once(&[1; 40][..bytes], b"", &mut data, &mut tag, seals), KASOKU_ERR_KEY_LENGTH);
        }
    }
    let mut arena = [5_u8; 200];
    let at = arena.as_mut_ptr();
    let call = |key: usize, out: usize, tag: usize| unsafe {
        let (nonce, input) = (at.add(150), at.add(170));
        kasoku_gcm_seal_once(at.add(key), 16, nonce, 12, null(), 0, input, 8, at.add(out), at.add(tag))
    };
    for (key, out, tag) in [(0, 15, 60), (15, 8, 60), (0, 40, 15), (30, 60, 15), (0, 0, 60)] {
        assert_eq!(call(key, out, tag), KASOKU_ERR_OVERLAP, "{key} {out} {tag}");
    }
    assert_eq!(call(0, 16, 24), KASOKU_OK);
    assert_eq!(
        unsafe { kasoku_gcm_seal_once(null(), 16, at, 12, null(), 0, null(), 0, null_mut(), at.add(100)) },
        KASOKU_ERR_NULL
    );
}
