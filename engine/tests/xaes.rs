//! XAES-256-GCM, compared with the vectors of its specification (c2sp.org/XAES-256-GCM).

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
    pub(crate) mod reference;
}

use kasoku_engine::{AesGcm, Error, XaesGcm};
use shake::Shake128;
use shake::digest::{ExtendableOutput, Update, XofReader};
use support::backends;
use support::random::Random;
use support::reference::xaes_key;

/// A byte that fills the key, the AAD, and ciphertext with tag. Nonce and plaintext are below.
const VECTORS: [(u8, &[u8], &str); 2] = [
    (1, b"", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
    (3, b"c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
];
const NONCE: &[u8; 24] = b"ABCDEFGHIJKLMNOPQRSTUVWX";
const PLAINTEXT: &[u8; 12] = b"XAES-256-GCM";

#[test]
fn xaes_matches_the_specifications_vectors() {
    for &path in backends::paths() {
        for (key, aad, sealed) in VECTORS {
            let key = XaesGcm::with_backend(&[key; 32], path).unwrap();
            let mut data = *PLAINTEXT;
            let tag = key.seal(NONCE, aad, &mut data).unwrap();
            assert_eq!(hexadecimal(&data) + &hexadecimal(&tag), sealed, "{path}");
            let mut apart = [0; 12];
            assert_eq!(key.seal_to(NONCE, aad, PLAINTEXT, &mut apart), Ok(tag));
            assert_eq!(apart, data);
            key.open_to(NONCE, aad, &data, &mut apart, &tag).unwrap();
            assert_eq!(&apart, PLAINTEXT);
            key.open(NONCE, aad, &mut data, &tag).unwrap();
            assert_eq!(&data, PLAINTEXT);
        }
    }
}

/// The specification's "accumulated randomized tests": keys, nonces and messages from SHAKE128, and SHAKE128 of the
/// sealed messages.
#[test]
fn xaes_matches_the_accumulated_vector_of_ten_thousand_messages() {
    for &path in backends::paths() {
        assert_eq!(accumulated(path, 10_000), "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939");
    }
}

#[test]
fn xaes_matches_the_accumulated_vector_of_a_million_messages() {
    if backends::is_brief() {
        return; // the ten thousand messages above are enough
    }
    let path = XaesGcm::new(&[0; 32]).backend();
    assert_eq!(accumulated(path, 1_000_000), "2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15");
}

/// A message key has only as many powers of H as its message needs. Each message must compute all powers of H that it
/// needs; the stack still holds powers of the previous message's key.
#[test]
fn xaes_matches_aes_gcm_with_derived_keys_for_every_length() {
    let mut random = Random::new(1);
    let brief = if backends::is_brief() { 37 } else { 1 };
    let lengths = (0..2_300).step_by(brief).chain([4_000, 8_191, 8_193, 8_700, 12_400, 16_384, 20_513, 40_000]);
    for (length, &path) in lengths.flat_map(|length| backends::paths().iter().map(move |path| (length, path))) {
        let (key, nonce) = (random.array(), random.array());
        let aad = random.bytes([0, 13, 16, 17, 32, 33, 48, 500, 3_000][length % 9]);
        let text = random.bytes(length);
        let mut expected = text.clone();
        let twin = AesGcm::with_backend(&xaes_key(&key, &nonce), path).unwrap();
        let expected_tag = twin.seal(&nonce[12..].try_into().unwrap(), &aad, &mut expected).unwrap();

        let key = XaesGcm::with_backend(&key, path).unwrap();
        let mut data = text.clone();
        let tag = key.seal(&nonce, &aad, &mut data).unwrap();
        assert!((&data, tag) == (&expected, expected_tag), "{path}: {length} bytes, AAD of {}", aad.len());
        key.open(&nonce, &aad, &mut data, &tag).unwrap();
        assert!(data == text, "{path}: {length} bytes opened");
    }
}

#[test]
fn xaes_rejects_flipped_bits_of_nonce_and_tag() {
    for &path in backends::paths() {
        let key = XaesGcm::with_backend(&[9; 32], path).unwrap();
        let mut sealed = [5; 100];
        let tag = key.seal(NONCE, b"header", &mut sealed).unwrap();
        for byte in 0..40 {
            let (mut nonce, mut forged, mut data) = (*NONCE, tag, sealed);
            if byte < 24 {
                nonce[byte] ^= 1
            } else {
                forged[byte - 24] ^= 1
            }
            assert_eq!(key.open(&nonce, b"header", &mut data, &forged), Err(Error::AuthenticationFailed));
            assert_eq!(data, [0; 100], "nothing of it is given away");
        }
    }
}

fn accumulated(path: impl Into<kasoku_engine::CodePath> + Copy, count: usize) -> String {
    let mut source = Shake128::default().finalize_xof();
    let mut hash = Shake128::default();
    for _ in 0..count {
        let (mut key, mut nonce) = ([0; 32], [0; 24]);
        source.read(&mut key);
        source.read(&mut nonce);
        let (mut data, aad) = (read_vector(&mut source), read_vector(&mut source));
        let plaintext = data.clone();
        let key = XaesGcm::with_backend(&key, path).unwrap();
        let tag = key.seal(&nonce, &aad, &mut data).unwrap();
        hash.update(&data);
        hash.update(&tag);
        key.open(&nonce, &aad, &mut data, &tag).unwrap();
        assert_eq!(data, plaintext);
    }
    let mut digest = [0; 32];
    hash.finalize_xof().read(&mut digest);
    hexadecimal(&digest)
}

/// Reads `opaque <0..255>` (RFC 8446 §3): a length byte, and as many bytes.
fn read_vector(source: &mut impl XofReader) -> Vec<u8> {
    let mut length = [0];
    source.read(&mut length);
    let mut bytes = vec![0; usize::from(length[0])];
    source.read(&mut bytes);
    bytes
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
