//! Properties of every message, tested with random inputs.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod reference;
}

use kasoku_engine::{AesGcm, Error, Nonce, Sealing};
use proptest::collection::vec;
use proptest::prelude::*;
use support::backends;
use support::reference::Reference;

const CASES: u32 = if cfg!(debug_assertions) { 64 } else { 512 };

fn keys() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 16), vec(any::<u8>(), 24), vec(any::<u8>(), 32)]
}

fn nonces() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![2 => vec(any::<u8>(), 12), 1 => vec(any::<u8>(), 1..100)]
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => vec(any::<u8>(), 0..600), 1 => vec(any::<u8>(), 0..9000)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn open_restores_sealed_texts(key in keys(), nonce in nonces(), aad in vec(any::<u8>(), 0..400), text in texts()) {
        let nonce = Nonce::try_from(&nonce[..]).expect("not empty");
        let mut before: Option<(Vec<u8>, [u8; 16])> = None;
        for key in backends::keys(&key) {
            let mut work = text.clone();
            let tag = key.seal(nonce, &aad, &mut work)?;
            // All backends must agree.
            let (sealed, tag_before) = before.get_or_insert_with(|| (work.clone(), tag));
            prop_assert_eq!((&*sealed, &*tag_before), (&work, &tag));
            prop_assert_eq!(key.open(nonce, &aad, &mut work, &tag), Ok(()));
            prop_assert_eq!(&work, &text);
        }
    }

    #[test]
    fn seal_matches_the_reference_for_random_messages(
        key in keys(),
        nonce in nonces(),
        aad in vec(any::<u8>(), 0..100),
        text in vec(any::<u8>(), 0..300),
    ) {
        let (ciphertext, tag) = Reference::new(&key).seal(&nonce, &aad, &text);
        let nonce = Nonce::try_from(&nonce[..]).expect("not empty");
        for key in backends::keys(&key) {
            let mut work = vec![0; text.len()];
            prop_assert_eq!(key.seal_to(nonce, &aad, &text, &mut work), Ok(tag));
            prop_assert_eq!(&work, &ciphertext);
        }
    }

    #[test]
    fn open_rejects_random_changes(
        key in keys(),
        nonce in nonces(),
        text in vec(any::<u8>(), 1..600),
        at in any::<prop::sample::Index>(),
        change in 1_u8..,
        other_tag in any::<[u8; 16]>(),
    ) {
        let nonce = Nonce::try_from(&nonce[..]).expect("not empty");
        for key in backends::keys(&key) {
            let mut sealed = text.clone();
            let tag = key.seal(nonce, b"", &mut sealed)?;
            let mut changed = sealed.clone();
            changed[at.index(text.len())] ^= change;
            check_forged(&key, nonce, changed, &tag)?;
            if other_tag != tag {
                check_forged(&key, nonce, sealed, &other_tag)?;
            }
        }
    }

    #[test]
    fn streaming_random_pieces_gives_the_same_result_as_the_whole_message(
        key in keys(),
        nonce in nonces(),
        aad in vec(vec(any::<u8>(), 0..50), 0..4),
        text in vec(vec(any::<u8>(), 0..700), 0..8),
    ) {
        let nonce = Nonce::try_from(&nonce[..]).expect("not empty");
        for key in backends::keys(&key) {
            let mut whole = text.concat();
            let tag = key.seal(nonce, &aad.concat(), &mut whole)?;
            let mut sealing = Sealing::new(&key, nonce)?;
            for piece in &aad {
                sealing.aad(piece)?;
            }
            let mut pieces = text.clone();
            for piece in &mut pieces {
                sealing.update(piece)?;
            }
            prop_assert_eq!(sealing.finish(), tag);
            prop_assert_eq!(pieces.concat(), whole);
        }
    }
}

fn check_forged(key: &AesGcm, nonce: Nonce<'_>, mut text: Vec<u8>, tag: &[u8; 16]) -> Result<(), TestCaseError> {
    prop_assert_eq!(key.open(nonce, b"", &mut text, tag), Err(Error::AuthenticationFailed));
    prop_assert!(text.iter().all(|&byte| byte == 0));
    Ok(())
}
