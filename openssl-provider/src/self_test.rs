//! Known answers, asked when the provider is loaded and whenever OpenSSL wants (`OSSL_PROVIDER_self_test`): a library
//! that was damaged on its way, or a CPU that is not what it says, must not serve a connection.

use kasoku_engine::{AesGcm, Backend, Tag};

/// A message under the key 0, 1, 2…, its tag known from OpenSSL 3.0.
struct Known {
    key_bytes: usize,
    tag: Tag,
}

/// Text of several groups of the widest vectors, with an end inside a block.
const TEXT_BYTES: usize = 1_357;

const KNOWN: [Known; 3] = [
    Known { key_bytes: 16, tag: u128::to_be_bytes(0x8dcc_fd7f_c8a9_5cbb_dc13_db79_2e77_a34b) },
    Known { key_bytes: 24, tag: u128::to_be_bytes(0xbacf_a78c_8d8b_0f4f_eaed_bbd2_7aa0_fa42) },
    Known { key_bytes: 32, tag: u128::to_be_bytes(0xfa94_6b66_a8df_19a8_ebed_4fef_386d_5ba3) },
];

/// Whether the backend gives the known answers, in both directions, and refuses a forgery.
pub(crate) fn passes(backend: Backend) -> bool {
    KNOWN.iter().all(|known| is_right(backend, known))
}

fn is_right(backend: Backend, known: &Known) -> bool {
    let bytes: [u8; TEXT_BYTES] = std::array::from_fn(|place| place as u8);
    let Ok(key) = AesGcm::with_backend(&bytes[..known.key_bytes], backend) else { return false };
    let (nonce, aad) = ([0xCA; 12], &bytes[..13]);
    let mut text = bytes;
    if key.seal(&nonce, aad, &mut text) != Ok(known.tag) {
        return false;
    }
    let mut forged = text;
    if key.open(&nonce, aad, &mut text, &known.tag).is_err() || text != bytes {
        return false;
    }
    forged[TEXT_BYTES / 2] ^= 1;
    key.open(&nonce, aad, &mut forged, &known.tag).is_err()
}

#[cfg(test)]
mod tests {
    use kasoku_engine::cpu::Found;

    use super::*;

    #[test]
    fn every_backend_passes_and_a_wrong_answer_does_not() {
        for backend in Backend::ALL.into_iter().filter(|backend| backend.runs_on(Found::here().features())) {
            assert!(passes(backend), "{backend}");
            let mut wrong = Known { ..KNOWN[0] };
            wrong.tag[15] ^= 1;
            assert!(!is_right(backend, &wrong), "{backend}");
        }
    }
}
