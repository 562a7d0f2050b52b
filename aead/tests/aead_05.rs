//! Generic functions over the traits of `aead` 0.5, run with these ciphers and with those of `aes-gcm` 0.10: the same
//! results for the same calls.

#![allow(clippy::unwrap_used)]

#[path = "../../engine/tests/support/random.rs"]
mod random;

use aes_gcm_010 as aes_gcm;
use kasoku_aead::aead_05;
use kasoku_aead::aead_05::aead::{AeadInPlace, Error, KeyInit, Nonce};
use random::Random;

#[test]
fn gcm_gives_the_results_of_aes_gcm_010() {
    compare::<aead_05::Aes128Gcm, aes_gcm::Aes128Gcm>();
    compare::<aead_05::Aes192Gcm, aes_gcm::AesGcm<aes_gcm::aes::Aes192, aes_gcm::aead::consts::U12>>();
    compare::<aead_05::Aes256Gcm, aes_gcm::Aes256Gcm>();
}

/// Makes the same calls to two ciphers, and compares their results.
fn compare<Ours: KeyInit + AeadInPlace, Theirs: KeyInit + AeadInPlace>() {
    let mut random = Random::new(38);
    for length in [0, 1, 15, 16, 17, 63, 64, 255, 256, 1_440, 16_384] {
        let [key, aad, plaintext] = [Ours::key_size(), length % 37, length].map(|bytes| random.bytes(bytes));
        assert_eq!(messages::<Ours>(&key, &aad, &plaintext), messages::<Theirs>(&key, &aad, &plaintext), "{length}");
    }
}

/// Seals a message with each call of the traits, and checks that it opens again and a forgery does not. Returns the
/// messages with their tags.
fn messages<A: KeyInit + AeadInPlace>(key: &[u8], aad: &[u8], plaintext: &[u8]) -> [Vec<u8>; 2] {
    let cipher = A::new_from_slice(key).unwrap();
    let nonce: Nonce<A> = (0..).take(Nonce::<A>::default().len()).collect();

    let mut in_place = plaintext.to_vec();
    cipher.encrypt_in_place(&nonce, aad, &mut in_place).unwrap();
    let mut opened = in_place.clone();
    cipher.decrypt_in_place(&nonce, aad, &mut opened).unwrap();
    assert_eq!(opened, plaintext);

    let mut detached = plaintext.to_vec();
    let mut tag = cipher.encrypt_in_place_detached(&nonce, aad, &mut detached).unwrap();
    let mut opened = detached.clone();
    cipher.decrypt_in_place_detached(&nonce, aad, &mut opened, &tag).unwrap();
    assert_eq!(opened, plaintext);
    let whole = [&detached[..], &tag].concat();
    tag[15] ^= 1;
    assert_eq!(cipher.decrypt_in_place_detached(&nonce, aad, &mut detached, &tag), Err(Error));
    [in_place, whole]
}

#[test]
fn both_generations_of_the_traits_give_the_same_message() {
    fn compare<A>()
    where
        A: KeyInit + AeadInPlace + aead::KeyInit + aead::AeadInOut,
    {
        let key = Random::new(5).bytes(<A as aead::KeySizeUser>::key_size());
        let old = <A as KeyInit>::new_from_slice(&key).unwrap();
        let new = <A as aead::KeyInit>::new_from_slice(&key).unwrap();
        let (mut sealed_by_old, mut sealed_by_new) = (vec![3; 100], vec![3; 100]);
        AeadInPlace::encrypt_in_place(&old, &Nonce::<A>::default(), b"header", &mut sealed_by_old).unwrap();
        aead::AeadInOut::encrypt_in_place(&new, &aead::Nonce::<A>::default(), b"header", &mut sealed_by_new).unwrap();
        assert_eq!(sealed_by_old, sealed_by_new);
    }
    compare::<aead_05::Aes128Gcm>();
    compare::<aead_05::Aes192Gcm>();
    compare::<aead_05::Aes256Gcm>();
    compare::<aead_05::Aes128GcmSiv>();
    compare::<aead_05::Aes256GcmSiv>();
    compare::<aead_05::Xaes256Gcm>();
}
