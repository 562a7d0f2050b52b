//! Known-answer tests, run when the provider is loaded and when OpenSSL asks (`OSSL_PROVIDER_self_test`). A damaged
//! library, or a CPU that misreports its features, must not serve a connection.

use kasoku_engine::{AesGcm, AesGcmSiv, Backend, Error, OneTimeKey, Tag};

/// Expected tag of the test message under the key 0, 1, 2, …
struct Known {
    key_bytes: usize,
    tag: Tag,
}

/// Length in bytes of the test message: several groups of the widest vectors, and a partial block.
const TEXT_BYTES: usize = 1_357;

/// Tags computed with OpenSSL 3.0.
const KNOWN: [Known; 3] = [
    Known { key_bytes: 16, tag: u128::to_be_bytes(0x8dcc_fd7f_c8a9_5cbb_dc13_db79_2e77_a34b) },
    Known { key_bytes: 24, tag: u128::to_be_bytes(0xbacf_a78c_8d8b_0f4f_eaed_bbd2_7aa0_fa42) },
    Known { key_bytes: 32, tag: u128::to_be_bytes(0xfa94_6b66_a8df_19a8_ebed_4fef_386d_5ba3) },
];

/// AES-GCM-SIV tags computed with the OpenSSL in PyCA's cryptography 48.
const KNOWN_OF_SIV: [Known; 2] = [
    Known { key_bytes: 16, tag: u128::to_be_bytes(0x75b1_edc1_d506_55cf_4142_a00d_f6cd_e40c) },
    Known { key_bytes: 32, tag: u128::to_be_bytes(0x5af3_5e50_8a10_ccc9_01ee_11b6_5d3a_c337) },
];

const NONCE: [u8; 12] = [0xCA; 12];

/// Returns whether the backend gives the known answers in both directions and rejects a forgery.
pub(crate) fn passes(backend: Backend) -> bool {
    KNOWN.iter().all(|known| is_right(backend, known)) && KNOWN_OF_SIV.iter().all(|known| is_right_siv(backend, known))
}

fn is_right(backend: Backend, known: &Known) -> bool {
    let bytes = bytes();
    let Ok(key) = AesGcm::with_backend(&bytes[..known.key_bytes], backend) else { return false };
    let aad = &bytes[..13];
    let Ok(once) = OneTimeKey::with_backend(&bytes[..known.key_bytes], backend) else { return false };
    answers(known, |text| key.seal(&NONCE, aad, text), |text, tag| key.open(&NONCE, aad, text, tag))
        && answers(known, |text| once.seal(&NONCE, aad, text), |text, tag| once.open(&NONCE, aad, text, tag))
}

fn is_right_siv(backend: Backend, known: &Known) -> bool {
    let bytes = bytes();
    let Ok(key) = AesGcmSiv::with_backend(&bytes[..known.key_bytes], backend) else { return false };
    let aad = &bytes[..13];
    answers(known, |text| key.seal(&NONCE, aad, text), |text, tag| key.open(&NONCE, aad, text, tag))
}

fn answers(
    known: &Known,
    seal: impl Fn(&mut [u8]) -> Result<Tag, Error>,
    open: impl Fn(&mut [u8], &Tag) -> Result<(), Error>,
) -> bool {
    let mut text = bytes();
    if seal(&mut text) != Ok(known.tag) {
        return false;
    }
    let mut forged = text;
    if open(&mut text, &known.tag).is_err() || text != bytes() {
        return false;
    }
    forged[TEXT_BYTES / 2] ^= 1;
    open(&mut forged, &known.tag).is_err()
}

fn bytes() -> [u8; TEXT_BYTES] {
    std::array::from_fn(|place| place as u8)
}

#[cfg(test)]
mod tests {
    use kasoku_engine::cpu::Found;

    use super::*;

    #[test]
    fn self_test_passes_on_every_backend_and_detects_wrong_tags() {
        for backend in Backend::ALL.into_iter().filter(|backend| backend.runs_on(Found::here().features())) {
            assert!(passes(backend), "{backend}");
            let [mut wrong, mut wrong_of_siv] = [Known { ..KNOWN[0] }, Known { ..KNOWN_OF_SIV[0] }];
            wrong.tag[15] ^= 1;
            wrong_of_siv.tag[15] ^= 1;
            assert!(!is_right(backend, &wrong) && !is_right_siv(backend, &wrong_of_siv), "{backend}");
        }
    }
}
