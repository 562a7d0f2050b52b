//! Compares the reference implementation with the standards' examples, and every backend with the reference
//! implementation.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
    pub(crate) mod reference;
}

use kasoku_engine::{AesGcm, Error, Nonce};
use support::backends;
use support::random::Random;
use support::reference::Reference;

/// FIPS 197 appendix C.
#[test]
fn reference_matches_fips_197_vectors() {
    let key: Vec<u8> = (0..32).collect();
    let plaintext = std::array::from_fn(|at| 0x11 * at as u8);
    let expected = [
        (16, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128),
        (24, 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191),
        (32, 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089),
    ];
    for (key_bytes, ciphertext) in expected {
        assert_eq!(Reference::new(&key[..key_bytes]).encrypt_block(plaintext), ciphertext.to_be_bytes());
    }
}

/// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B: test cases 2 (one block, no AAD) and 6 (a
/// partial block, AAD, a nonce of 60 bytes).
#[test]
fn reference_matches_vectors_of_mcgrew_and_viega() {
    let (ciphertext, tag) = Reference::new(&[0; 16]).seal(&[0; 12], &[], &[0; 16]);
    assert_eq!(ciphertext, 0x0388_dace_60b6_a392_f328_c2b9_71b2_fe78_u128.to_be_bytes());
    assert_eq!(tag, 0xab6e_47d4_2cec_13bd_f53a_67b2_1257_bddf_u128.to_be_bytes());

    let key = bytes("feffe9928665731c6d6a8f9467308308");
    let nonce = bytes(concat!(
        "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539",
        "fcf0e2429a6b525416aedbf5a0de6a57a637b39b"
    ));
    let aad = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let text = bytes(concat!(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c9595680953",
        "2fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    ));
    let (ciphertext, tag) = Reference::new(&key).seal(&nonce, &aad, &text);
    let expected = bytes(concat!(
        "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90",
        "ccdcb281d48c7c6fd62875d2aca417034c34aee5"
    ));
    assert_eq!(ciphertext, expected);
    assert_eq!(tag, 0x619c_c5ae_fffe_0bfa_462a_f43c_1699_d050_u128.to_be_bytes());
}

#[test]
fn reference_finds_the_nonce_that_gives_a_chosen_j0() {
    let mut random = Random::new(1);
    for key_bytes in [16, 24, 32] {
        let reference = Reference::new(&random.bytes(key_bytes));
        let counter = random.array();
        assert_eq!(reference.first_counter(&reference.nonce_of(counter)), counter);
    }
}

/// Every nonce length up to 160 bytes and some longer ones, every key size, texts and AAD around block boundaries.
#[test]
fn backends_match_the_reference_for_nonces_of_any_length() {
    let mut random = Random::new(2);
    let nonce_lengths = (1..=160).chain([255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 4096, 5000]);
    for (index, nonce_bytes) in nonce_lengths.enumerate() {
        let key = random.bytes([16, 24, 32][index % 3]);
        let nonce = random.bytes(nonce_bytes);
        let aad = random.bytes(index % 50);
        let text = random.bytes(7 * index % 600);
        let (ciphertext, tag) = Reference::new(&key).seal(&nonce, &aad, &text);
        for key in backends::keys(&key) {
            let nonce = Nonce::try_from(&nonce[..]).unwrap();
            let mut sealed = text.clone();
            assert_eq!(key.seal(nonce, &aad, &mut sealed), Ok(tag), "{key:?}, nonce of {nonce_bytes} bytes");
            assert_eq!(sealed, ciphertext, "{key:?}, nonce of {nonce_bytes} bytes");
            assert_eq!(key.open(nonce, &aad, &mut sealed, &tag), Ok(()));
            assert_eq!(sealed, text);
        }
    }
}

#[test]
fn nonce_slices_of_12_bytes_are_96_bit_nonces() {
    let nonce = [5; 12];
    for key in backends::keys(&[6; 16]) {
        let direct = key.seal(&nonce, b"aad", &mut [1, 2, 3]);
        assert_eq!(key.seal(Nonce::try_from(&nonce[..]).unwrap(), b"aad", &mut [1, 2, 3]), direct);
    }
}

#[test]
fn empty_nonces_and_invalid_key_lengths_are_rejected() {
    assert_eq!(Nonce::try_from(&[][..]).map(|_| ()), Err(Error::EmptyNonce));
    for length in 0..100 {
        let is_allowed = matches!(length, 16 | 24 | 32);
        for &backend in backends::available() {
            let made = AesGcm::with_backend(&vec![0; length], backend);
            assert_eq!(made.map(|_| ()), if is_allowed { Ok(()) } else { Err(Error::KeyLength(length)) });
        }
    }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().as_chunks::<2>().0;
    digits.iter().map(|&pair| u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap()).collect()
}
