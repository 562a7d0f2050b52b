//! Compares Kasoku's figures for OpenSSL with those of the command `openssl speed`, measured in turns.

use std::process::Command;

use crate::support::{Sandbox, check_status, has, series, text_of, words};
use crate::{check_agreement, lock_machine};

/// Algorithms by their names in Kasoku and in `openssl speed -evp`.
const ALGORITHMS: [(&str, &str); 2] = [("aes-256-cbc", "aes-256-cbc"), ("sha-256", "sha256")];
/// Returns the throughput that `openssl speed` prints for messages of 16 KiB, in bytes per second of CPU time.
/// Wall-clock time (`-elapsed`) would count what other programs do meanwhile, which Kasoku leaves out too.
fn openssl_speed(name: &str) -> f64 {
    let output = Command::new("openssl")
        .args(["speed", "-mr", "-seconds", "1", "-bytes", "16384", "-evp", name])
        // The machine's configuration may load another provider.
        .env("OPENSSL_CONF", "/dev/null")
        .output()
        .unwrap();
    check_status(&output, 0);
    let printed = text_of(&output);
    // `+F:25:AES-256-CBC:1446019072.00`
    let row = printed.lines().find(|line| line.starts_with("+F:")).unwrap_or_else(|| panic!("{name}: {printed}"));
    row.rsplit(':').next().unwrap().parse().unwrap()
}

/// Returns the median throughput that `kasoku run` measures for each of [`ALGORITHMS`], in bytes per second.
fn kasoku_run() -> [f64; ALGORITHMS.len()] {
    let algorithms = ALGORITHMS.map(|(name, _)| name).join(",");
    let line = format!(
        "--libraries openssl --algorithms {algorithms} --operations encrypt,hash --sizes 16384 --acceleration on \
         --rounds 20"
    );
    let (_, document) = Sandbox::new().measure("primitives", &words(&line));
    ALGORITHMS.map(|(name, _)| {
        let found = series(&document, "openssl").into_iter().find(|one| one["algorithm"] == name);
        found.and_then(|one| one["median"].as_f64()).unwrap_or_else(|| panic!("{name} was not measured"))
    })
}

#[test]
fn kasoku_and_openssl_speed_agree_on_throughput() {
    let _machine = lock_machine();
    if !has(&["openssl"]) {
        return;
    }
    check_agreement(0.15, 8, || {
        let theirs = ALGORITHMS.map(|(_, name)| openssl_speed(name));
        kasoku_run().into_iter().zip(theirs).map(|(ours, theirs)| [ours, theirs]).collect()
    });
}
