//! Observes the code paths of real libraries, and compares them with the CPU's features.
//!
//! Each library chooses at run time. It must use an instruction that the CPU has, and must not be seen using one that
//! the CPU lacks.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used)] // in helpers of tests

use std::convert::Infallible;
use std::time::Duration;

use kasoku_measure::code_path::{SingleStepping, observe};
use kasoku_model::code_path::{
    uses_aes_instructions, uses_clmul_instructions, uses_sha_instructions, uses_vaes_instructions,
};

const SIZE: usize = 16 * 1024;

fn path_of(mut work: impl FnMut()) -> String {
    let Ok(path) = observe(
        || {
            work();
            Ok::<(), Infallible>(())
        },
        Duration::from_millis(30),
        SingleStepping::Sampled,
    );
    path
}

/// Returns the path of ring's AEAD on texts of `bytes`, with `texts` of them in a call.
fn path_of_ring(algorithm: &'static ring::aead::Algorithm, bytes: usize, texts: usize) -> String {
    use ring::aead::{Aad, LessSafeKey, Nonce, UnboundKey};
    let key = LessSafeKey::new(UnboundKey::new(algorithm, &vec![1; algorithm.key_len()]).unwrap());
    let mut text = vec![2; bytes];
    path_of(|| {
        for _ in 0..texts {
            let nonce = Nonce::assume_unique_for_key([3; 12]);
            let tag = key.seal_in_place_separate_tag(nonce, Aad::from([0; 13]), &mut text).unwrap();
            let _ = std::hint::black_box(tag);
        }
    })
}

/// Asserts that AES and carry-less multiplication are seen if the CPU has them.
fn assert_gcm(path: &str) {
    assert_eq!(uses_aes_instructions(path), cpu_has_aes(), "{path}");
    assert_eq!(uses_clmul_instructions(path), std::is_x86_feature_detected!("pclmulqdq"), "{path}");
}

fn cpu_has_aes() -> bool {
    std::is_x86_feature_detected!("aes")
}

#[test]
fn ring_aes_gcm_uses_cpu_features_for_long_and_short_messages() {
    assert_gcm(&path_of_ring(&ring::aead::AES_128_GCM, SIZE, 1));
    let path = path_of_ring(&ring::aead::AES_128_GCM, 16, 100);
    assert_eq!(uses_aes_instructions(&path), cpu_has_aes(), "{path}");
}

#[test]
fn aws_lc_aes_gcm_uses_vaes_where_available() {
    use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &[1; 32]).unwrap());
    let mut text = vec![2; SIZE];
    let path = path_of(|| {
        let nonce = Nonce::assume_unique_for_key([3; 12]);
        let tag = key.seal_in_place_separate_tag(nonce, Aad::from([0; 13]), &mut text).unwrap();
        let _ = std::hint::black_box(tag);
    });
    assert_gcm(&path);
    // AWS-LC's vector path needs AVX-512 too.
    let has_vaes = std::is_x86_feature_detected!("vaes") && std::is_x86_feature_detected!("vpclmulqdq");
    let has_avx512 = std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vl");
    assert_eq!(uses_vaes_instructions(&path), has_vaes && has_avx512, "{path}");
}

#[test]
fn rustcrypto_aes_gcm_in_two_passes_shows_aes_and_clmul() {
    use aes_gcm::aead::{AeadInOut, KeyInit};
    let cipher = aes_gcm::Aes128Gcm::new(&[1; 16].into());
    let mut text = vec![2; SIZE];
    let path = path_of(|| {
        let tag = cipher.encrypt_inout_detached(&[3; 12].into(), &[0; 13], text.as_mut_slice().into()).unwrap();
        let _ = std::hint::black_box(tag);
    });
    assert_gcm(&path);
}

#[test]
fn block_cipher_alone_shows_aes_without_clmul() {
    use aes::cipher::{BlockCipherEncrypt, KeyInit};
    let cipher = aes::Aes128::new(&[1; 16].into());
    let mut blocks = vec![aes::Block::default(); SIZE / 16];
    let path = path_of(|| cipher.encrypt_blocks(std::hint::black_box(&mut blocks)));
    assert_eq!(uses_aes_instructions(&path), cpu_has_aes(), "{path}");
    assert!(!uses_clmul_instructions(&path), "{path}");
    assert!(!uses_sha_instructions(&path), "{path}");
}

#[test]
fn sha256_uses_sha_instructions_where_available() {
    use sha2::Digest;
    let text = vec![2; SIZE];
    let rustcrypto = path_of(|| _ = std::hint::black_box(sha2::Sha256::digest(&text)));
    let ring = path_of(|| _ = std::hint::black_box(ring::digest::digest(&ring::digest::SHA256, &text)));
    for path in [rustcrypto, ring] {
        assert_eq!(uses_sha_instructions(&path), std::is_x86_feature_detected!("sha"), "{path}");
        assert!(!uses_aes_instructions(&path), "{path}");
    }
}

#[test]
fn triple_des_blowfish_and_copying_are_scalar() {
    use des::cipher::{BlockCipherEncrypt, KeyInit};
    let des = des::TdesEde3::new(&[7; 24].into());
    let mut blocks = vec![des::cipher::Block::<des::TdesEde3>::default(); 512];
    assert_eq!(path_of(|| des.encrypt_blocks(std::hint::black_box(&mut blocks))), "scalar");

    let blowfish: blowfish::Blowfish = blowfish::Blowfish::new_from_slice(&[7; 16]).unwrap();
    let mut blocks = vec![blowfish::cipher::Block::<blowfish::Blowfish>::default(); 512];
    assert_eq!(path_of(|| blowfish.encrypt_blocks(std::hint::black_box(&mut blocks))), "scalar");

    let from = vec![1_u8; SIZE];
    let mut to = vec![0_u8; SIZE];
    assert_eq!(path_of(|| std::hint::black_box(&mut to).copy_from_slice(std::hint::black_box(&from))), "scalar");
}

#[test]
fn chacha20_uses_vector_instructions() {
    let expected = if std::is_x86_feature_detected!("avx2") { "avx2" } else { "ssse3" };
    assert_eq!(path_of_ring(&ring::aead::CHACHA20_POLY1305, SIZE, 1), expected);
}
