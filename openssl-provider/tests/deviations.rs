//! Intended differences from the default provider, and random values that cannot be compared call by call.

#![allow(unsafe_code, clippy::unwrap_used, clippy::undocumented_unsafe_blocks, reason = "tests may panic")]

mod evp;

use std::collections::BTreeSet;
use std::ffi::c_int;
use std::ptr::{null, null_mut};

use evp::{Cipher, Library, Param, crypto, ctrl, error_texts, errors};

fn with_cipher(test: impl Fn(&Cipher)) {
    let library = Library::new("");
    test(&library.cipher(c"AES-128-GCM", "kasoku"));
    errors();
}

/// The default provider continues with a zero counter block and mask.
#[test]
fn new_key_ends_the_current_message() {
    with_cipher(|cipher| {
        let context = cipher.with_key(true, &[1; 16]);
        assert_eq!(context.init(None, None, Some(&[2; 12]), 1), 1);
        assert_eq!(context.update(&[3; 20], &mut [0; 20]).0, 1);
        assert_eq!(context.init(None, Some(&[4; 16]), None, 1), 1);
        assert_eq!(context.update(&[3; 20], &mut [0; 20]).0, 0);
        assert_eq!(context.finish(), 0);
        assert_eq!(context.init(None, None, Some(&[5; 12]), 1), 1);
        assert_eq!(context.update(&[3; 20], &mut [0; 20]).0, 1);
    });
}

/// The default provider continues to decrypt, and would verify something else at the next end.
#[test]
fn decryption_cannot_continue_after_a_forged_message() {
    with_cipher(|cipher| {
        for text_bytes in [0, 20, 300] {
            let context = cipher.with_key(false, &[1; 16]);
            assert_eq!(context.init(None, None, Some(&[2; 12]), 0), 1);
            let mut text = vec![3; text_bytes];
            context.update_in_place(&mut text);
            assert_eq!(context.finish(), 0, "no tag was set");
            assert_eq!(context.set(ctrl::SET_TAG, &[0; 16]), 1);
            assert_eq!(context.finish(), 0);
            assert_eq!(context.update(&[3; 20], &mut [0; 20]).0, 0);
            assert_eq!(context.finish(), 0);
        }
    });
}

/// The default provider begins another message or record although no call has incremented the used IV.
#[test]
fn iv_used_by_a_message_is_rejected_for_increment_and_record() {
    const AAD: [u8; 13] = [0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 40];
    with_cipher(|cipher| {
        let context = cipher.with_key(true, &[1; 16]);
        let next_iv = || context.ctrl(ctrl::IV_GEN, 8, [0_u8; 8].as_mut_ptr().cast());
        let record = || {
            assert_eq!(context.set(ctrl::TLS1_AAD, &AAD), 16);
            context.update_in_place(&mut [9; 56]).0
        };
        let message = || {
            assert_eq!(context.update(&[3; 20], &mut [0; 20]).0, 1);
            assert_eq!(context.finish(), 1);
        };
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        message();
        assert!(next_iv() <= 0);
        assert_eq!(record(), 0);
        // An IV that was set otherwise cannot be incremented either.
        assert_eq!(context.init(None, None, Some(&[5; 12]), 1), 1);
        message();
        assert!(next_iv() <= 0);
        assert_eq!(record(), 0);
        // Increments the IV as intended.
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!(next_iv(), 1);
        message();
        assert_eq!(next_iv(), 1);
        message();
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!(record(), 1);
        assert_eq!(record(), 1);
    });
}

/// The default provider increments IVs from decryption and encrypts with them.
#[test]
fn iv_from_decryption_cannot_be_used_for_encryption() {
    with_cipher(|cipher| {
        let turn = |context: &evp::Context, encrypts| assert_eq!(context.init(None, None, None, encrypts), 1);
        let next_iv = |context: &evp::Context| context.ctrl(ctrl::IV_GEN, 8, [0_u8; 8].as_mut_ptr().cast());
        let text = |context: &evp::Context| context.update(&[3; 20], &mut [0; 20]).0;
        let encrypts_nothing = |context: &evp::Context| {
            turn(context, 1);
            assert_eq!((text(context), context.finish()), (0, 0));
            assert!(next_iv(context) <= 0);
            assert_eq!(context.set(ctrl::TLS1_AAD, &[0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 40]), 16);
            assert_eq!(context.update_in_place(&mut [9; 56]).0, 0);
            // After a new IV, encryption works.
            assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
            assert_eq!((next_iv(context), text(context)), (1, 1));
        };
        // After a received IV, with and without text.
        for has_text in [false, true] {
            let context = cipher.with_key(false, &[1; 16]);
            assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
            assert_eq!(context.set(ctrl::SET_IV_INV, &[3; 8]), 1);
            if has_text {
                assert_eq!(text(&context), 1);
            }
            encrypts_nothing(&context);
        }
        // After an incremented IV.
        let context = cipher.with_key(false, &[1; 16]);
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!((next_iv(&context), text(&context)), (1, 1));
        encrypts_nothing(&context);
        // After an IV that was used for encryption, and whose first bytes are set again while decrypting.
        let context = cipher.with_key(true, &[1; 16]);
        assert_eq!(context.init(None, None, Some(&[2; 12]), 1), 1);
        assert_eq!((text(&context), context.finish()), (1, 1));
        turn(&context, 0);
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        encrypts_nothing(&context);
        // After the IV of an authentic or forged record.
        let context = cipher.with_key(false, &[1; 16]);
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!(context.set(ctrl::TLS1_AAD, &[0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 40]), 16);
        assert_eq!(context.update_in_place(&mut [9; 40]).0, 0);
        encrypts_nothing(&context);
        // In the middle of a message.
        let context = cipher.with_key(false, &[1; 16]);
        assert_eq!(context.init(None, None, Some(&[2; 12]), 0), 1);
        assert_eq!(text(&context), 1);
        turn(&context, 1);
        assert_eq!((text(&context), context.finish()), (0, 0));
    });
}

/// The default provider increments bytes left from an earlier IV.
#[test]
fn iv_cannot_be_incremented_after_its_length_changed() {
    with_cipher(|cipher| {
        let context = cipher.with_key(true, &[1; 16]);
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!(context.ctrl(ctrl::SET_IVLEN, 16, null_mut()), 1);
        assert!(context.ctrl(ctrl::IV_GEN, 8, [0_u8; 8].as_mut_ptr().cast()) <= 0);
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!(context.ctrl(ctrl::IV_GEN, 8, [0_u8; 8].as_mut_ptr().cast()), 1);
    });
}

/// The default provider writes before its IV buffer.
#[test]
fn incrementing_rejects_ivs_shorter_than_8_bytes() {
    with_cipher(|cipher| {
        let context = cipher.with_key(true, &[1; 16]);
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!(context.ctrl(ctrl::SET_IVLEN, 7, null_mut()), 1);
        assert!(context.ctrl(ctrl::IV_GEN, 7, [0_u8; 7].as_mut_ptr().cast()) <= 0);
        assert_eq!(context.set(ctrl::TLS1_AAD, &[0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 40]), 16);
        let mut record = [9; 56];
        assert_eq!(context.update_in_place(&mut record).0, 0);
        assert_eq!(record, [9; 56]);
    });
}

/// The default provider of OpenSSL 3.0 reads and writes past its IV buffer.
#[test]
fn set_iv_rejects_parts_longer_than_the_iv() {
    with_cipher(|cipher| {
        let context = cipher.with_key(false, &[1; 16]);
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        for bytes in [13, 128, 129, 4096] {
            assert!(context.set(ctrl::SET_IV_FIXED, &vec![2; bytes]) <= 0);
            assert!(context.set(ctrl::SET_IV_INV, &vec![2; bytes]) <= 0);
        }
        assert_eq!(context.updated_iv(12)[..4], [2; 4]);
    });
}

#[test]
fn context_parameters_reject_null_data() {
    with_cipher(|cipher| {
        for encrypts in [true, false] {
            let context = cipher.with_key(encrypts, &[1; 16]);
            for kind in [ctrl::SET_TAG, ctrl::SET_IV_FIXED, ctrl::SET_IV_INV, ctrl::TLS1_AAD, ctrl::IV_GEN] {
                for bytes in [-1, 0, 4, 8, 13, 16] {
                    assert!(context.ctrl(kind, bytes, null_mut()) <= 0, "{kind} {bytes}");
                }
            }
            assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
            let aad = [0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0, 60];
            assert_eq!(context.set(ctrl::TLS1_AAD, &aad), 16);
            let mut out = 0;
            let done = unsafe { (crypto().EVP_CipherUpdate)(context.0, null_mut(), &raw mut out, null(), 60) };
            assert_eq!(done, 0);
        }
    });
}

#[test]
fn update_rejects_negative_lengths() {
    with_cipher(|cipher| {
        let context = cipher.with_key(true, &[1; 16]);
        assert_eq!(context.init(None, None, Some(&[2; 12]), 1), 1);
        let (mut out, mut text) = (0, [0; 4]);
        for output in [null_mut(), text.as_mut_ptr()] {
            let done = unsafe { (crypto().EVP_CipherUpdate)(context.0, output, &raw mut out, text.as_ptr(), -1) };
            assert_eq!(done, 0);
        }
    });
}

/// The default provider ends its AAD at an empty text, and fails if more AAD follows.
#[test]
fn update_ignores_empty_text() {
    with_cipher(|cipher| {
        let tag = |with_nothing: bool| {
            let context = cipher.with_key(true, &[1; 16]);
            assert_eq!(context.init(None, None, Some(&[2; 12]), 1), 1);
            assert_eq!(context.aad(b"five!"), 1);
            if with_nothing {
                let mut byte = 0;
                assert_eq!(unsafe { (crypto().EVP_Cipher)(context.0, &raw mut byte, &raw const byte, 0) }, 0);
            }
            assert_eq!(context.aad(b"and more"), 1);
            assert_eq!(context.finish(), 1);
            context.tag()
        };
        assert_eq!(tag(true), tag(false));
    });
}

/// Encrypts between buffers that overlap in part. The result must equal that of separate buffers.
#[test]
fn update_handles_partially_overlapping_buffers() {
    with_cipher(|cipher| {
        for (bytes, distance) in [(5, 1), (40, 8), (40, 39), (300, 8), (5000, 8), (5000, 4096)] {
            let plaintext: Vec<u8> = (0..bytes).map(|place| place as u8).collect();
            let context = cipher.with_key(true, &[1; 16]);
            let mut expected = vec![0; bytes];
            assert_eq!(context.init(None, None, Some(&[2; 12]), 1), 1);
            assert_eq!(context.update(&plaintext, &mut expected).0, 1);
            for (from, to) in [(0, distance), (distance, 0)] {
                let mut arena = vec![0; bytes + distance];
                arena[from..from + bytes].copy_from_slice(&plaintext);
                let start = arena.as_mut_ptr();
                assert_eq!(context.init(None, None, Some(&[2; 12]), 1), 1);
                let mut out = 0;
                let done = unsafe {
                    (crypto().EVP_CipherUpdate)(
                        context.0,
                        start.wrapping_add(to),
                        &raw mut out,
                        start.wrapping_add(from),
                        bytes as c_int,
                    )
                };
                assert_eq!((done, out), (1, bytes as c_int));
                assert_eq!(arena[to..to + bytes], expected, "{bytes} {distance}");
            }
        }
    });
}

/// Encrypting without an IV draws a random IV, which can be read. Encrypting fails if the IV would be shorter than 96
/// bits.
#[test]
fn random_iv_can_be_read_and_used_to_decrypt() {
    let library = Library::new("");
    let ciphers = [library.cipher(c"AES-128-GCM", "kasoku"), library.cipher(c"AES-128-GCM", "default")];
    let mut drawn = BTreeSet::new();
    for iv_bytes in [12, 13, 16, 128, 11, 1] {
        for cipher in &ciphers {
            let context = cipher.with_key(true, &[1; 16]);
            assert_eq!(context.ctrl(ctrl::SET_IVLEN, iv_bytes, null_mut()), 1);
            let mut text = *b"drawn at random";
            let done = context.update_in_place(&mut text).0;
            assert_eq!(done, c_int::from(iv_bytes >= 12), "{iv_bytes}");
            if done != 1 {
                continue;
            }
            assert_eq!(context.finish(), 1);
            let (iv, tag) = (context.updated_iv(iv_bytes as usize), context.tag());
            assert!(drawn.insert(iv.clone()));
            assert_eq!(context.update_in_place(&mut [0; 4]).0, 0, "an IV serves once");
            for other in &ciphers {
                let other = other.with_key(false, &[1; 16]);
                assert_eq!(other.ctrl(ctrl::SET_IVLEN, iv_bytes, null_mut()), 1);
                assert_eq!(other.init(None, None, Some(&iv), 0), 1);
                let mut opened = text;
                assert_eq!(other.update_in_place(&mut opened).0, 1);
                assert_eq!(other.set(ctrl::SET_TAG, &tag), 1);
                assert_eq!((other.finish(), &opened), (1, b"drawn at random"));
            }
        }
    }
    errors();
}

/// When encrypting, the incremented part of an IV begins at random; when decrypting, it is not set.
#[test]
fn incremented_iv_part_begins_at_random() {
    with_cipher(|cipher| {
        let mut seen = BTreeSet::new();
        for _ in 0..1000 {
            let context = cipher.with_key(true, &[1; 16]);
            assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
            let iv = context.updated_iv(12);
            assert_eq!(iv[..4], [2; 4]);
            assert!(seen.insert(iv));
        }
        // Reads the parameter that OpenSSL 3.4 and later have.
        let mut is_random = 0_u32;
        let context = cipher.with_key(true, &[1; 16]);
        let mut ask = || {
            let mut asked =
                [Param::new(c"iv-generated", evp::UNSIGNED_INTEGER, (&raw mut is_random).cast(), 4), Param::END];
            assert_eq!(unsafe { (crypto().EVP_CIPHER_CTX_get_params)(context.0, asked.as_mut_ptr()) }, 1);
            is_random
        };
        assert_eq!(ask(), 0);
        assert_eq!(context.set(ctrl::SET_IV_FIXED, &[2; 4]), 1);
        assert_eq!(ask(), 1);
    });
}

#[test]
fn errors_name_the_provider_and_the_reason() {
    with_cipher(|cipher| {
        errors();
        let context = cipher.with_key(true, &[1; 16]);
        assert_eq!(context.ctrl(ctrl::SET_IVLEN, 129, null_mut()), 0);
        assert_eq!(context.set(ctrl::SET_TAG, &[1; 16]), 0);
        assert_eq!(context.set(ctrl::TLS1_AAD, &[1; 12]), 0);
        assert_eq!(error_texts(), ["invalid iv length: ", "invalid tag: ", "invalid aad: "]);
    });
}
