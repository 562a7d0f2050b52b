//! Gives the advised configuration lines to OpenSSL itself and checks the ciphers that it then offers.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use kasoku_advice::{Advice, advice, lines::NAMES};
use kasoku_model::document::Document;
use kasoku_store::published;

/// A device that prefers AES-GCM, and one that prefers ChaCha20-Poly1305.
const DEVICES: [&str; 2] = ["i7-13700", "Raspberry Pi4"];

fn device(name: &str) -> &'static Document {
    published::documents().iter().find(|document| document.machine.label() == name).unwrap()
}

fn lines(advice: &[Advice], rule: &str, place: &str) -> String {
    let one = advice.iter().find(|one| one.rule.id.starts_with(rule)).unwrap();
    one.lines.iter().find(|(own, _)| own.starts_with(place)).unwrap().1.clone()
}

/// Whether the command `openssl` is installed. Panics in continuous integration if it is not.
fn has_openssl() -> bool {
    let is_here = Command::new("openssl").arg("version").output().is_ok_and(|output| output.status.success());
    assert!(is_here || std::env::var("CI").unwrap_or_default().is_empty(), "the command openssl is missing");
    if !is_here {
        eprintln!("left out: the command openssl is not here");
    }
    is_here
}

/// Returns the ciphers that OpenSSL offers with this configuration, in order.
fn ciphers_with(configuration: &str, folder: &Path) -> Vec<String> {
    let file = folder.join("openssl.cnf");
    std::fs::write(&file, configuration).unwrap();
    let output = Command::new("openssl").args(["ciphers", "-s"]).env("OPENSSL_CONF", &file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().split(':').map(str::to_owned).collect()
}

/// Returns the value in the line `key = value`.
fn value<'t>(text: &'t str, key: &str) -> &'t str {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = ")).unwrap()
}

#[test]
fn openssl_accepts_advised_lines_and_offers_ciphers_in_their_order() {
    if !has_openssl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for name in DEVICES {
        let advice = advice(device(name));
        let configuration = lines(&advice, "tls-", "openssl.cnf");
        let groups = advice.iter().find(|one| one.rule.id == "agree-x25519").unwrap().lines.iter();
        let groups = groups.filter(|(place, _)| place.contains("< 3.5") && place.starts_with("openssl.cnf"));
        let groups: Vec<&str> = groups.map(|(_, text)| text.as_str()).collect();
        assert_eq!(groups.len(), 1);
        let wanted = [value(&configuration, "Ciphersuites"), value(&configuration, "CipherString")].join(":");
        let found = ciphers_with(&format!("{configuration}\n{}\n", groups[0]), folder.path());
        assert_eq!(found.join(":"), wanted, "{name}");
    }
}

/// Checks that the other tests detect unknown cipher names, which OpenSSL ignores without an error.
#[test]
fn openssl_offers_other_ciphers_for_lines_with_unknown_names() {
    if !has_openssl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let configuration = lines(&advice(device(DEVICES[0])), "tls-", "openssl.cnf");
    for (_, _, [right, ..]) in &NAMES[..2] {
        let wrong = configuration.replace(right, "NO-SUCH-CIPHER");
        let wanted = [value(&configuration, "Ciphersuites"), value(&configuration, "CipherString")].join(":");
        assert_ne!(ciphers_with(&wrong, folder.path()).join(":"), wanted);
    }
}

#[test]
fn advised_lines_for_nginx_and_openssl_have_the_same_ciphers() {
    for name in DEVICES {
        let advice = advice(device(name));
        let nginx = lines(&advice, "tls-", "nginx.conf");
        let openssl = lines(&advice, "tls-", "openssl.cnf");
        assert!(nginx.contains(&format!("ssl_ciphers {};", value(&openssl, "CipherString"))));
        assert!(nginx.contains(&format!("ssl_conf_command Ciphersuites {};", value(&openssl, "Ciphersuites"))));
        let follows_clients = name == DEVICES[0];
        assert_eq!(nginx.contains("Options PrioritizeChaCha"), follows_clients);
        assert_eq!(openssl.contains("PrioritizeChaCha"), follows_clients);
    }
}
