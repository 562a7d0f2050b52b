//! Generic functions over the traits of `aead` 0.6, run with these ciphers and with RustCrypto's: the same results for
//! the same calls.

#![allow(clippy::unwrap_used)]

#[path = "../../engine/tests/support/random.rs"]
mod random;

use std::panic::{RefUnwindSafe, UnwindSafe};

use aead::inout::InOutBuf;
use aead::{Aead, AeadInOut, Error, Key, KeyInit, Nonce, Payload, Tag};
use random::Random;

/// Lengths in bytes around the borders of blocks and of the engine's kernels.
const LENGTHS: [usize; 17] = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 127, 255, 256, 1_000, 1_440, 4_097, 16_384];

#[test]
fn gcm_gives_the_results_of_aes_gcm() {
    compare::<kasoku_aead::Aes128Gcm, aes_gcm::Aes128Gcm>();
    compare::<kasoku_aead::Aes192Gcm, aes_gcm::AesGcm<aes_gcm::aes::Aes192, aead::consts::U12>>();
    compare::<kasoku_aead::Aes256Gcm, aes_gcm::Aes256Gcm>();
}

#[test]
fn gcm_siv_gives_the_results_of_aes_gcm_siv() {
    compare::<kasoku_aead::Aes128GcmSiv, aes_gcm_siv::Aes128GcmSiv>();
    compare::<kasoku_aead::Aes256GcmSiv, aes_gcm_siv::Aes256GcmSiv>();
}

#[test]
fn xaes_gives_the_results_of_xaes_256_gcm() {
    compare::<kasoku_aead::Xaes256Gcm, xaes_256_gcm::Xaes256Gcm>();
}

/// Makes the same calls to two ciphers, and compares their results.
fn compare<Ours: KeyInit + AeadInOut, Theirs: KeyInit + AeadInOut>() {
    let mut random = Random::new(38);
    for length in LENGTHS {
        let [key, aad, plaintext] = [Ours::key_size(), length % 37, length].map(|bytes| random.bytes(bytes));
        assert_eq!(messages::<Ours>(&key, &aad, &plaintext), messages::<Theirs>(&key, &aad, &plaintext), "{length}");
    }
}

/// Seals a message with each call of the traits, and checks that each of the calls opens it. Returns the messages with
/// their tags.
fn messages<A: KeyInit + AeadInOut>(key: &[u8], aad: &[u8], plaintext: &[u8]) -> [Vec<u8>; 3] {
    let cipher = A::new_from_slice(key).unwrap();
    let nonce = Nonce::<A>::from_fn(|index| index as u8);

    let allocated = cipher.encrypt(&nonce, Payload { msg: plaintext, aad }).unwrap();
    assert_eq!(cipher.decrypt(&nonce, Payload { msg: &allocated, aad }).unwrap(), plaintext);

    let mut in_place = plaintext.to_vec();
    cipher.encrypt_in_place(&nonce, aad, &mut in_place).unwrap();
    let mut opened = in_place.clone();
    cipher.decrypt_in_place(&nonce, aad, &mut opened).unwrap();
    assert_eq!(opened, plaintext);

    let mut detached = vec![0xEE; plaintext.len()];
    let tag = cipher.encrypt_inout_detached(&nonce, aad, InOutBuf::new(plaintext, &mut detached).unwrap()).unwrap();
    let mut opened = vec![0xEE; plaintext.len()];
    cipher.decrypt_inout_detached(&nonce, aad, InOutBuf::new(&detached, &mut opened).unwrap(), &tag).unwrap();
    assert_eq!(opened, plaintext);
    detached.extend(tag);
    [allocated, in_place, detached]
}

#[test]
fn decrypt_rejects_what_the_peer_rejects() {
    rejects_forgeries::<kasoku_aead::Aes128Gcm>();
    rejects_forgeries::<aes_gcm::Aes128Gcm>();
    rejects_forgeries::<kasoku_aead::Aes256GcmSiv>();
    rejects_forgeries::<aes_gcm_siv::Aes256GcmSiv>();
    rejects_forgeries::<kasoku_aead::Xaes256Gcm>();
    rejects_forgeries::<xaes_256_gcm::Xaes256Gcm>();
}

fn rejects_forgeries<A: KeyInit + AeadInOut>() {
    let cipher = A::new(&Key::<A>::default());
    let nonce = Nonce::<A>::default();
    let sealed = cipher.encrypt(&nonce, Payload { msg: b"to be kept secret", aad: b"header" }).unwrap();
    for bit in 0..sealed.len() * 8 {
        let mut forged = sealed.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(cipher.decrypt(&nonce, Payload { msg: &forged, aad: b"header" }), Err(Error));
        assert_eq!(cipher.decrypt_in_place(&nonce, b"header", &mut forged), Err(Error));
    }
    for length in 0..sealed.len() {
        assert_eq!(cipher.decrypt(&nonce, Payload { msg: &sealed[..length], aad: b"header" }), Err(Error));
    }
    assert_eq!(cipher.decrypt(&nonce, Payload { msg: &sealed, aad: b"" }), Err(Error));
}

#[test]
fn new_from_slice_rejects_keys_of_other_lengths() {
    fn accepted<A: KeyInit>() -> Vec<usize> {
        (0..=64).filter(|&length| A::new_from_slice(&[0; 64][..length]).is_ok()).collect()
    }
    assert_eq!(accepted::<kasoku_aead::Aes128Gcm>(), [16]);
    assert_eq!(accepted::<kasoku_aead::Aes192Gcm>(), [24]);
    assert_eq!(accepted::<kasoku_aead::Aes256Gcm>(), [32]);
    assert_eq!(accepted::<kasoku_aead::Aes128GcmSiv>(), [16]);
    assert_eq!(accepted::<kasoku_aead::Aes256GcmSiv>(), [32]);
    assert_eq!(accepted::<kasoku_aead::Xaes256Gcm>(), [32]);
}

#[test]
fn failed_decryption_fills_the_output_with_zeros() {
    let cipher = kasoku_aead::Aes256Gcm::new(&[7; 32].into());
    let (nonce, tag) = (kasoku_aead::Nonce::default(), Tag::<kasoku_aead::Aes256Gcm>::default());
    let mut output = [0xEE; 40];
    let buffers = InOutBuf::new(&[1; 40], &mut output).unwrap();
    assert_eq!(cipher.decrypt_inout_detached(&nonce, b"", buffers, &tag), Err(Error));
    assert_eq!(output, [0; 40]);
    let mut data = [1; 40];
    assert_eq!(cipher.decrypt_inout_detached(&nonce, b"", data.as_mut_slice().into(), &tag), Err(Error));
    assert_eq!(data, [0; 40]);
}

#[test]
fn clones_seal_like_the_original_after_it_is_dropped() {
    let original = kasoku_aead::Aes128Gcm::new(&[7; 16].into());
    let nonce = kasoku_aead::Nonce::default();
    let expected = original.encrypt(&nonce, b"message".as_ref()).unwrap();
    let clone = original.clone();
    drop(original);
    assert_eq!(clone.encrypt(&nonce, b"message".as_ref()).unwrap(), expected);
}

#[test]
fn ciphers_have_the_traits_of_their_peers() {
    fn has_traits<A: Clone + std::fmt::Debug + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static>() {}
    has_traits::<kasoku_aead::Aes128Gcm>();
    has_traits::<kasoku_aead::Aes192Gcm>();
    has_traits::<kasoku_aead::Aes256Gcm>();
    has_traits::<kasoku_aead::Aes128GcmSiv>();
    has_traits::<kasoku_aead::Aes256GcmSiv>();
    has_traits::<kasoku_aead::Xaes256Gcm>();
}

#[cfg(feature = "zeroize")]
#[test]
fn zeroize_covers_ciphers_keys_and_nonces() {
    fn wiped_on_drop<A: zeroize::ZeroizeOnDrop>() {}
    fn wipeable<T: zeroize::Zeroize>() {}
    wiped_on_drop::<kasoku_aead::Aes256Gcm>();
    wiped_on_drop::<kasoku_aead::Aes256GcmSiv>();
    wiped_on_drop::<kasoku_aead::Xaes256Gcm>();
    wipeable::<kasoku_aead::Key<kasoku_aead::Aes256Gcm>>();
    wipeable::<kasoku_aead::Nonce>();
}

#[test]
fn debug_shows_no_bytes_of_the_key() {
    let shown = format!("{:?}", kasoku_aead::Aes256Gcm::new(&[0xA7; 32].into()));
    assert!(shown.starts_with("Aes256Gcm(AesGcm { backend: "), "{shown}");
    assert!(!shown.contains("167") && !shown.to_lowercase().contains("a7"), "{shown}");
}
