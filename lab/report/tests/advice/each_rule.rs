//! Tests each rule of advice on an example to which it applies, and on a counterexample.

use super::page::{ENGLISH, page_of, plain};
use super::web_server::{Served, handshakes, server, versions};
use super::{Made, measured, quoted, rules_of};
use kasoku_advice::{Facts, rules};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm::*;
use kasoku_model::document::{Document, Experiment, MemoryDetails, Outcome};
use kasoku_model::level::Level;
use kasoku_model::workload::Operation;

const VAES_CPU: [&str; 8] = ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "avx512f", "avx512bw", "avx512vl"];

/// A rule, an example to which it applies, and a counterexample to which it does not apply.
type Case = (&'static str, fn() -> Document, fn() -> Document);

fn aes_wins() -> Document {
    quoted().figure(Aes128Gcm, 9e9).figure(ChaCha20Poly1305, 3e9)
}

fn chacha_wins() -> Document {
    quoted().figure(Aes128Gcm, 4e7).figure(ChaCha20Poly1305, 3e8).figure(Aes256Gcm, 3e7)
}

fn equal() -> Document {
    quoted().figure(Aes128Gcm, 3.0e9).figure(ChaCha20Poly1305, 2.9e9)
}

fn packets(gcm: f64) -> Document {
    let with_figure =
        |document: Document, algorithm, value| document.series(algorithm, value, |series| series.bytes = 1350);
    let winner = if gcm > 1e9 { aes_wins() } else { chacha_wins() };
    with_figure(with_figure(winner, Aes128Gcm, gcm), ChaCha20Poly1305, 1e9)
}

fn signatures(ed25519: f64, ecdsa: f64, rsa: f64) -> Document {
    quoted().figure(Ed25519, ed25519).figure(EcdsaP256, ecdsa).figure(Rsa2048, rsa)
}

fn hashes(sha256: f64, blake2b: f64) -> Document {
    quoted().figure(Sha256, sha256).figure(Blake2b512, blake2b)
}

fn sha2(sha512: f64, sha256: f64) -> Document {
    quoted().figure(Sha512, sha512).figure(Sha256, sha256)
}

fn curves() -> Document {
    quoted().figure(X25519, 3e4).figure(X448, 5e3)
}

fn kem() -> Document {
    let each = |operation| move |series: &mut kasoku_model::document::Series| series.operation = operation;
    let half = quoted().figure(X25519, 3e4).series(MlKem768, 5e4, each(Operation::Encapsulate));
    half.series(MlKem768, 4e4, each(Operation::Decapsulate))
}

fn openssl(version: &str) -> Document {
    measured(&VAES_CPU).figure(Aes128Gcm, 5e9).version(version)
}

fn openssl_path(version: &str, path: &str) -> Document {
    openssl(&format!("OpenSSL {version}")).path(path)
}

fn without_avx512(path: &str) -> Document {
    measured(&VAES_CPU[..5]).figure(Aes128Gcm, 5e9).version("OpenSSL 3.5.1").path(path)
}

const CASES: &[Case] = &[
    ("tls-aes-gcm", aes_wins, chacha_wins),
    ("tls-chacha20", chacha_wins, aes_wins),
    ("tls-either", equal, aes_wins),
    ("tls-not-measured", || quoted().figure(Aes256Cbc, 1e9), aes_wins),
    ("key-size-128", || aes_wins().figure(Aes256Gcm, 7e9), || aes_wins().figure(Aes256Gcm, 8.7e9)),
    ("key-size-256", || aes_wins().figure(Aes256Gcm, 8.7e9), || aes_wins().figure(Aes256Gcm, 7e9)),
    ("quic-aes-gcm", || packets(5e9), || packets(2e8)),
    ("quic-chacha20", || packets(2e8), || packets(5e9)),
    ("ssh-aes-gcm", aes_wins, chacha_wins),
    ("ssh-chacha20", chacha_wins, aes_wins),
    ("openvpn-aes-gcm", aes_wins, chacha_wins),
    ("openvpn-chacha20", chacha_wins, aes_wins),
    ("wireguard-fits", chacha_wins, aes_wins),
    ("wireguard-or-aes", aes_wins, equal),
    ("ipsec-aes-gcm", aes_wins, chacha_wins),
    ("ipsec-chacha20", chacha_wins, aes_wins),
    ("disk-aes-xts", || measured(&["aes"]).figure(Aes256Xts, 5e9), || measured(&["ssse3"]).figure(Aes256Xts, 5e8)),
    ("disk-adiantum", chacha_wins, aes_wins),
    ("never-64-bit-blocks", || quoted().figure(BlowfishCbc, 9e7), || quoted().figure(Camellia256Cbc, 9e7)),
    ("gcm-over-cbc", || aes_wins().figure(Aes128Cbc, 2e9), || chacha_wins().figure(Aes128Cbc, 5e7)),
    ("cbc-is-half-the-work", || chacha_wins().figure(Aes128Cbc, 5e7), || aes_wins().figure(Aes128Cbc, 2e9)),
    ("hash-fastest", || hashes(9e8, 3e8), || quoted().figure(Sha256, 9e8)),
    ("hash-either", || hashes(9.0e8, 9.2e8), || hashes(9e8, 3e8)),
    ("sha-512-over-256", || sha2(3e8, 2e8), || sha2(2e8, 2e8)),
    ("sha-256-over-512", || sha2(1e8, 2e8), || sha2(2e8, 2e8)),
    ("sha-1-legacy", || quoted().figure(Sha1, 1e9), || quoted().figure(Sha256, 1e9)),
    ("agree-x25519", curves, || curves().figure(EcdhP256, 5e4)),
    ("agree-p256", || curves().figure(EcdhP256, 5e4), || curves().figure(EcdhP256, 2e4)),
    ("agree-hybrid", kem, || quoted().figure(X25519, 3e4)),
    ("sign-ed25519", || signatures(4e4, 2e4, 2e3), || signatures(4e4, 5e4, 2e3)),
    ("sign-ecdsa-p256", || signatures(2e4, 5e4, 2e3), || signatures(4e4, 2e4, 2e3)),
    ("rsa-signs-slowly", || signatures(2e4, 5e4, 2e3), || signatures(2e4, 2e3, 5e3)),
    (
        "mask-set",
        || openssl("OpenSSL 3.5.1").settings("OPENSSL_ia32cap=0x7ffaf3ffffebffff:0x27ab env:~0x200000200000000"),
        || openssl("OpenSSL 3.5.1").settings("OPENSSL_ia32cap=0x7ffaf3ffffebffff:0x27ab"),
    ),
    ("library-ignores-aes", || openssl_path("3.5.1", "ssse3"), || openssl_path("3.5.1", "vaes512+vclmul512")),
    ("library-too-old-for-vaes", || openssl_path("3.0.2", "aesni+clmul"), || openssl_path("3.1.0", "vaes512")),
    ("vaes-without-avx512", || without_avx512("aesni+clmul"), || without_avx512("vaes256+vclmul256")),
    (
        "instructions-hidden",
        || hidden("family 25 model 33 stepping 2 (Zen 3)"),
        || hidden("family 23 model 49 stepping 0"),
    ),
    ("java-newer-jdk", || java(9e9, 1e9, 1e8), || java(1.02e9, 1e9, 1e8)),
    ("java-kasoku-provider", || with_kasoku(9e9, 1.8e10), || with_kasoku(9e9, 9.1e9)),
    ("java-own-provider", || java(9e9, 1e9, 1e8), || java(9e9, 1e9, 1e10)),
    ("java-nss", || java(9e9, 1e9, 1e10), || java(9e9, 1e9, 1e8)),
    ("java-keep-intrinsics", || java(9e9, 1e9, 1e8), || java(9e7, 8e7, 1e8)),
    ("nginx-kasoku-provider", || server(0.48, 0.63, 1.16, 0.67), || server(0.60, 0.63, 1.16, 0.67)),
    ("nginx-openssl-for-files", || versions(0.63, 0.40, 0.67), || versions(0.63, 0.60, 0.67)),
    ("nginx-openssl-for-handshakes", || handshakes(0.63, 0.40), || handshakes(0.63, 0.60)),
    ("nginx-aeads-only", || server(0.48, 0.63, 1.16, 0.67), || server(0.48, 0.63, 0.62, 0.67)),
    ("nginx-aes-gcm-first", || server(0.48, 0.63, 1.16, 0.67), || server(0.48, 0.63, 1.16, 0.60)),
    ("limit-reached", || server(0.48, 0.63, 1.16, 0.67).limits("nofile", 480, 480), || server(0.48, 0.63, 1.16, 0.67)),
    ("limit-first", || server(0.48, 0.63, 1.16, 0.67), || server(0.48, 0.63, 1.16, 0.67).limits("nofile", 480, 480)),
    ("openssl-out-of-support", || openssl("OpenSSL 1.1.1u"), || openssl("OpenSSL 3.0.2")),
    ("move-to-aarch64", || chacha_wins().arch("mips"), || aes_wins().arch("arm")),
    ("aarch64-without-crypto", || chacha_wins().arch("aarch64"), || aes_wins().arch("aarch64")),
    ("x86-without-aes", || chacha_wins().arch("x86_64"), || aes_wins().arch("x86_64")),
];

fn java(newer: f64, older: f64, nss: f64) -> Document {
    let on = in_java(measured(&["aes"]), ("sunjce", "25.0.3+9-LTS"), Acceleration::On, newer);
    let both = in_java(on, ("sunjce", "25.0.3+9-LTS"), Acceleration::Off, 9e7);
    let all = in_java(both, ("sunjce", "17.0.15+6-Debian-1deb12u1"), Acceleration::On, older);
    in_java(all, ("nss", "3.87.1 (JDK 25.0.3+9-LTS)"), Acceleration::On, nss)
}

fn with_kasoku(newer: f64, kasoku: f64) -> Document {
    in_java(java(newer, 1e9, 1e8), ("kasoku-jca", "0.1.0 (JDK 25.0.3+9-LTS)"), Acceleration::On, kasoku)
}

fn in_java(document: Document, (library, version): (&str, &str), state: Acceleration, value: f64) -> Document {
    document.series(Aes128Gcm, value, |series| {
        series.level = Level::Jvm;
        series.library = library.to_owned();
        series.library_version = version.to_owned();
        series.acceleration = state;
        let flags = if state == Acceleration::Off { "-XX:-UseAES" } else { "" };
        series.details.flags = Some(flags.to_owned());
    })
}

fn hidden(microarchitecture: &str) -> Document {
    let mut document = measured(&["aes", "pclmulqdq", "sha_ni"]);
    document.machine.microarchitecture = Some(format!("AMD {microarchitecture}"));
    document.machine.hypervisor = Some("KVM".to_owned());
    document
}

#[test]
fn each_advice_rule_applies_to_its_example_and_not_to_its_counterexample() {
    for (id, is_met, is_not_met) in CASES {
        assert!(rules_of(&is_met()).contains(id), "{id} does not apply: {:?}", rules_of(&is_met()));
        assert!(!rules_of(&is_not_met()).contains(id), "{id} applies to its counterexample");
    }
}

#[test]
fn every_advice_rule_has_an_example_and_a_unique_id() {
    let mut ids: Vec<&str> = rules::all().map(|rule| rule.id).collect();
    let mut cases: Vec<&str> = CASES.iter().map(|case| case.0).collect();
    ids.sort_unstable();
    cases.sort_unstable();
    assert_eq!(ids, cases);
    ids.dedup();
    assert_eq!(ids.len(), cases.len());
}

pub(super) fn documents() -> impl Iterator<Item = Document> {
    CASES.iter().map(|case| case.1())
}

#[test]
fn advice_prefers_no_aead_if_the_difference_is_within_noise() {
    // Quoted figures: advice for a difference of 11 %, none for 9 %.
    let printed = |gcm: f64| quoted().figure(Aes128Gcm, gcm).figure(ChaCha20Poly1305, 1e9);
    assert!(rules_of(&printed(1.09e9)).contains("tls-either"));
    assert!(rules_of(&printed(1.11e9)).contains("tls-aes-gcm"));
    // Measured figures have intervals, so the noise floor decides: here 1 %.
    let measured = |gcm: f64| measured(&[]).figure(Aes128Gcm, gcm).figure(ChaCha20Poly1305, 1e9);
    assert!(rules_of(&measured(1.005e9)).contains("tls-either"));
    assert!(rules_of(&measured(1.05e9)).contains("tls-aes-gcm"));
}

#[test]
fn advice_ignores_openssl_capability_masks_that_kasoku_set_itself() {
    const MASKED: &str = "OPENSSL_ia32cap=0x7cfaf3fdffebffff:0x27ab env:~0x200000200000000";
    let off = |mut document: Document| {
        document.run.libraries[0].acceleration = Some(Acceleration::Off);
        document.series.iter_mut().for_each(|series| series.acceleration = Acceleration::Off);
        document
    };
    // Kasoku itself sets the variable for `off`. In a transcript, it may be a setting of the machine.
    assert!(!rules_of(&off(openssl("OpenSSL 3.5.1").settings(MASKED))).contains("mask-set"));
    assert!(rules_of(&off(chacha_wins().settings(MASKED))).contains("mask-set"));
    // Under a mask, the library does not list all features of the CPU.
    let mut masked = chacha_wins().settings(MASKED).arch("x86_64");
    masked.machine.features = vec!["ssse3".to_owned()];
    assert_eq!(Facts::new(&masked).has("aes"), None);
    assert_eq!(Facts::new(&masked).has("ssse3"), Some(true));
    masked.run.libraries.clear();
    assert_eq!(Facts::new(&masked).has("aes"), Some(false));
}

#[test]
fn advice_prefers_chacha20_at_equal_speed_without_aes_instructions() {
    let equal = |features: &[&str]| measured(features).figure(Aes128Gcm, 1e9).figure(ChaCha20Poly1305, 1e9);
    assert!(rules_of(&equal(&["ssse3"])).contains("ssh-chacha20"));
    assert!(rules_of(&equal(&["aes"])).contains("ssh-aes-gcm"));
}

#[test]
fn page_names_the_recommended_algorithm_even_if_it_is_slower() {
    for (first, second, choice) in [
        ((X25519, 3.0e4), (EcdhP256, 5.0e4), "key agreementECDH P-256, 1.67× X25519"),
        ((X25519, 3.0e4), (EcdhP256, 3.6e4), "key agreementX25519, though ECDH P-256 is 1.20× as fast"),
        ((X25519, 3.0e4), (EcdhP256, 3.1e4), "key agreementX25519; no difference from ECDH P-256 is shown"),
        ((Aes128Gcm, 3.0e9), (ChaCha20Poly1305, 2.9e9), "ChaCha20-Poly1305; no difference from AES-128-GCM is shown"),
        ((Sha256, 9.0e8), (Blake2b512, 9.2e8), "hashSHA-256; no difference from BLAKE2b-512 is shown"),
    ] {
        let mut document = quoted().figure(first.0, first.1).figure(second.0, second.1);
        document.machine.features = vec!["ssse3".to_owned()];
        let page = plain(&page_of(&[&document], ENGLISH));
        assert!(page.contains(choice), "{choice}: {page}");
    }
}

#[test]
fn advice_ignores_unverified_invalid_and_incomplete_figures() {
    let unverified = measured(&[]).series(Aes128Gcm, 9e9, |series| series.outcome = Outcome::Unverified);
    assert!(!rules_of(&unverified.figure(ChaCha20Poly1305, 1e9)).contains("tls-aes-gcm"));
    let many_keys = |series: &mut kasoku_model::document::Series| {
        series.details.experiment = Experiment::Memory(MemoryDetails { keys: Some(64), ..MemoryDetails::default() });
    };
    let others = measured(&[]).series(Aes128Gcm, 9e9, many_keys).figure(ChaCha20Poly1305, 1e9);
    assert!(!rules_of(&others).contains("tls-aes-gcm"));
    let mut incomplete = aes_wins();
    incomplete.run.complete = false;
    assert!(rules_of(&incomplete).is_empty());
    for absurd in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let document = quoted().figure(Aes128Gcm, absurd).figure(ChaCha20Poly1305, 1e9);
        assert!(!rules_of(&document).contains("tls-chacha20"), "{absurd}");
    }
}

#[test]
fn advice_uses_figures_with_acceleration_off_only_for_algorithms_without_instructions() {
    let off = |series: &mut kasoku_model::document::Series| series.acceleration = Acceleration::Off;
    assert!(rules_of(&quoted().series(BlowfishCbc, 9e7, off)).contains("never-64-bit-blocks"));
    let document = quoted().series(Aes128Gcm, 9e9, off).figure(ChaCha20Poly1305, 1e9);
    assert!(!rules_of(&document).contains("tls-aes-gcm"));
}

#[test]
fn advice_takes_the_cost_of_missed_acceleration_from_another_library() {
    use kasoku_advice::{Evidence, advice};
    let old = openssl("OpenSSL 3.0.2").path("aesni+clmul");
    let cost = |document: &Document| {
        let advice = advice(document);
        let one = advice.iter().find(|one| one.rule.id == "library-too-old-for-vaes").unwrap();
        one.found.evidence.iter().find_map(|evidence| match evidence {
            Evidence::Comparison(comparison) => Some((comparison.first.library.clone(), comparison.ratio)),
            _ => None,
        })
    };
    assert_eq!(cost(&old), None);
    let with_another = old.series(Aes128Gcm, 2e10, |series| {
        series.library = "aws-lc".to_owned();
        series.code_path = "vaes512+vclmul512".to_owned();
    });
    let (library, ratio) = cost(&with_another).unwrap();
    assert_eq!(library, "aws-lc");
    assert!((ratio - 4.0).abs() < 0.01, "{ratio}");
}
