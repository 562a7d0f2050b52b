//! Compares the advice on every published device with expectations written by hand from the published tables.

use super::rules_of;
use kasoku_advice::facts::{Aead, Facts};
use kasoku_advice::{Value, advice};
use kasoku_model::document::Document;
use kasoku_store::published;

/// Expected advice on a device: name, AEAD, fastest hash, choice of SHA-2, and advice on the machine. The boolean
/// states whether GCM is at least 10 % faster than CBC with 128-bit keys.
type Expected = (&'static str, Aead, bool, &'static str, &'static str, Option<&'static str>);

const MOVE: Option<&str> = Some("move-to-aarch64");

#[rustfmt::skip]
const DEVICES: [Expected; 12] = [
    ("mt7621", Aead::ChaCha20, false, "SHA-256", "sha-256-over-512", MOVE),
    ("bcm4708", Aead::ChaCha20, false, "SHA-256", "sha-256-over-512", MOVE),
    // BLAKE2s 18,530 and SHA-256 18,388: less than 1 % apart.
    ("i.MX6 UL", Aead::ChaCha20, false, "", "sha-256-over-512", MOVE),
    ("Raspberry Pi4", Aead::ChaCha20, false, "BLAKE2b-512", "sha-512-over-256", Some("aarch64-without-crypto")),
    // GCM 1,475,952 and CBC 1,348,409: 9.5 % apart.
    ("Nanopi M4", Aead::AesGcm, false, "SHA-256", "sha-256-over-512", None),
    ("i.MX8 MP", Aead::AesGcm, false, "SHA-256", "sha-256-over-512", None),
    ("i7-950", Aead::ChaCha20, false, "BLAKE2b-512", "sha-512-over-256", Some("x86-without-aes")),
    ("i7-4790", Aead::AesGcm, true, "BLAKE2b-512", "sha-512-over-256", None),
    ("i5-7400", Aead::AesGcm, true, "BLAKE2b-512", "sha-512-over-256", None),
    ("i7-10750H", Aead::AesGcm, true, "BLAKE2b-512", "sha-512-over-256", None),
    ("i5-12400", Aead::AesGcm, true, "SHA-256", "sha-256-over-512", None),
    ("i7-13700", Aead::AesGcm, true, "SHA-256", "sha-256-over-512", None),
];

/// Devices whose transcripts state OpenSSL 1.1.1i or 1.1.1u.
const WITH_1_1_1: [&str; 3] = ["mt7621", "bcm4708", "i5-12400"];

fn device(name: &str) -> &'static Document {
    published::documents().iter().find(|document| document.machine.label() == name).unwrap()
}

#[test]
fn advice_on_every_published_device_follows_its_figures() {
    let devices = published::documents().iter().filter(|document| document.run.id.contains("openssl-perf"));
    let names: Vec<&str> = devices.map(|document| document.machine.label()).collect();
    assert!(names.len() == DEVICES.len() && DEVICES.iter().all(|(name, ..)| names.contains(name)), "{names:?}");
    for (name, aead, is_gcm_faster_than_cbc, hash, sha2, machine) in DEVICES {
        let document = device(name);
        let (cipher, others) = match aead {
            Aead::AesGcm => ("aes-gcm", ["wireguard-or-aes", "disk-aes-xts"]),
            Aead::ChaCha20 => ("chacha20", ["wireguard-fits", "disk-adiantum"]),
        };
        let mut rules = vec![
            // On all devices AES-256 costs over 10 % more, and all have figures of X25519, X448, Ed25519 and Ed448.
            "key-size-128",
            "agree-x25519",
            "sign-ed25519",
            "sha-1-legacy",
            sha2,
            if hash.is_empty() { "hash-either" } else { "hash-fastest" },
            if is_gcm_faster_than_cbc { "gcm-over-cbc" } else { "cbc-is-half-the-work" },
        ];
        let of_cipher = ["tls", "ssh", "openvpn", "ipsec"].map(|protocol| format!("{protocol}-{cipher}"));
        rules.extend(of_cipher.iter().map(String::as_str).chain(others));
        rules.extend(machine);
        rules.extend(WITH_1_1_1.contains(&name).then_some("openssl-out-of-support"));
        assert_eq!(rules_of(document), rules.into_iter().collect(), "{}", name);
        assert_eq!(Facts::new(document).aead(), Some(aead));

        let advice = advice(document);
        let fastest = advice.iter().find(|one| one.rule.id == "hash-fastest");
        let values = fastest.map(|one| one.found.values.as_slice()).unwrap_or_default();
        let winner = values.iter().find_map(|(name, value)| match value {
            Value::Algorithm(algorithm) if *name == "winner" => Some(algorithm.title()),
            _ => None,
        });
        assert_eq!(winner.unwrap_or_default(), hash, "{}", name);
    }
}

/// The devices have figures for 3DES, Blowfish, Camellia and AES-256 in CBC, but not for any AEAD. Their AES gains 2.8
/// and 4.8 times.
#[test]
fn devices_without_aead_figures_are_advised_to_measure_an_aead() {
    for cpu in ["AMD Opteron(R) 6276", "Intel(R) Xeon(R) CPU E5-2620 v2 @ 2.10GHz"] {
        let rules = ["openssl-out-of-support", "tls-not-measured", "disk-aes-xts", "never-64-bit-blocks"];
        assert_eq!(rules_of(device(cpu)), rules.into_iter().collect(), "{cpu}");
    }
}
