//! NIST's CAVP vectors for AES-GCM, which `vectors/fetch_cavp.sh` fetches into `target/vectors/`.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
}

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use kasoku_engine::{AesGcm, Error, Nonce};
use support::backends;

/// Number of vectors in each of the six files.
const VECTORS: usize = 7875;

/// Number of decryption vectors with a tag of 16 bytes for each key size, and for each key size the number of these
/// vectors that are forged.
const WHOLE_TAGS: usize = 1125;
const FORGED: [(usize, usize); 3] = [(128, 590), (192, 568), (256, 566)];

#[test]
fn backends_match_cavp_encryption_vectors() {
    let Some(folder) = folder() else { return };
    for key_bits in [128, 192, 256] {
        let vectors = read(&folder.join(format!("gcmEncryptExtIV{key_bits}.rsp")));
        assert_eq!(vectors.len(), VECTORS);
        for vector in &vectors {
            for key in vector.keys(key_bits) {
                vector.check_genuine(&key);
            }
        }
    }
}

/// The engine takes no tags of less than 16 bytes. A genuine short tag is the beginning of the whole tag; a forged tag
/// is not.
#[test]
fn backends_match_cavp_decryption_vectors() {
    let Some(folder) = folder() else { return };
    for (key_bits, forged_expected) in FORGED {
        let vectors = read(&folder.join(format!("gcmDecrypt{key_bits}.rsp")));
        assert_eq!(vectors.len(), VECTORS);
        let (mut whole_tags, mut forged) = (0, 0);
        for vector in &vectors {
            whole_tags += usize::from(vector.whole_tag().is_some());
            forged += usize::from(vector.whole_tag().is_some() && vector.is_forged());
            for key in vector.keys(key_bits) {
                if vector.is_forged() { vector.check_forged(&key) } else { vector.check_genuine(&key) }
            }
        }
        assert_eq!((whole_tags, forged), (WHOLE_TAGS, forged_expected), "{key_bits}");
    }
}

/// Returns the folder of the vectors. If it is missing, the test fails in continuous integration; elsewhere it prints
/// what to do.
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/vectors/cavp");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("CI").unwrap_or_default().is_empty(), "the CAVP vectors are missing: vectors/fetch_cavp.sh");
    eprintln!("LEFT OUT: the CAVP vectors are not here; run vectors/fetch_cavp.sh");
    None
}

/// The lines `NAME = value` of a vector. A line `FAIL` has no value.
struct Vector(HashMap<String, Vec<u8>>);

/// Reads the vectors of a file. Each vector begins with its number.
fn read(file: &Path) -> Vec<Vector> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut vectors = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '['])) {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        if name.trim() == "Count" {
            vectors.push(Vector(HashMap::new()));
            continue;
        }
        vectors.last_mut().unwrap().0.insert(name.trim().to_owned(), bytes(value.trim()));
    }
    vectors
}

impl Vector {
    fn keys(&self, key_bits: usize) -> Vec<AesGcm> {
        assert_eq!(self.0["Key"].len() * 8, key_bits);
        backends::keys(&self.0["Key"])
    }

    fn nonce(&self) -> Nonce<'_> {
        Nonce::try_from(&self.0["IV"][..]).unwrap()
    }

    fn is_forged(&self) -> bool {
        self.0.contains_key("FAIL")
    }

    fn whole_tag(&self) -> Option<&[u8; 16]> {
        self.0["Tag"][..].try_into().ok()
    }

    fn check_genuine(&self, key: &AesGcm) {
        let (nonce, aad, plaintext, ciphertext, tag) =
            (self.nonce(), &self.0["AAD"], &self.0["PT"], &self.0["CT"], &self.0["Tag"]);
        let mut text = plaintext.clone();
        let computed = key.seal(nonce, aad, &mut text).unwrap();
        assert_eq!(&text, ciphertext, "{key:?}: {:?}", self.0);
        assert_eq!(computed[..tag.len()], tag[..], "{key:?}: {:?}", self.0);
        assert_eq!(key.open(nonce, aad, &mut text, &computed), Ok(()));
        assert_eq!(&text, plaintext);
    }

    fn check_forged(&self, key: &AesGcm) {
        let (nonce, aad, ciphertext, tag) = (self.nonce(), &self.0["AAD"], &self.0["CT"], &self.0["Tag"]);
        if let Some(tag) = self.whole_tag() {
            let mut text = ciphertext.clone();
            assert_eq!(key.open(nonce, aad, &mut text, tag), Err(Error::AuthenticationFailed), "{key:?}: {:?}", self.0);
            assert!(text.iter().all(|&byte| byte == 0));
            return;
        }
        // Computes the expected tag: sealing the ciphertext gives the plaintext, because encryption is an XOR. Sealing
        // the plaintext gives the ciphertext and its tag.
        let mut text = ciphertext.clone();
        key.seal(nonce, aad, &mut text).unwrap();
        let computed = key.seal(nonce, aad, &mut text).unwrap();
        assert_eq!(&text, ciphertext);
        assert_ne!(computed[..tag.len()], tag[..], "{key:?}: {:?}", self.0);
    }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().as_chunks::<2>().0;
    digits.iter().map(|&pair| u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap()).collect()
}
