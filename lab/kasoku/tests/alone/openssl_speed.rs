//! Compares Kasoku's figures for OpenSSL with those of the command `openssl speed`, measured in turns.

use std::process::Command;

use crate::lock_machine;
use crate::support::{Sandbox, check_status, has, series, text_of, words};

/// Algorithms by their names in Kasoku and in `openssl speed -evp`.
const ALGORITHMS: [(&str, &str); 2] = [("aes-256-cbc", "aes-256-cbc"), ("sha-256", "sha256")];
/// Largest accepted relative difference between the best figures.
const TOLERANCE: f64 = 0.15;
const MIN_ROUNDS: usize = 2;
/// Maximum number of measurements by each program. Other load on the machine makes single measurements disagree.
const MAX_ROUNDS: usize = 8;

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
    let (mut theirs, mut ours) = ([0.0_f64; ALGORITHMS.len()], [0.0_f64; ALGORITHMS.len()]);
    for round in 1..=MAX_ROUNDS {
        for (best, (_, name)) in theirs.iter_mut().zip(ALGORITHMS) {
            *best = best.max(openssl_speed(name));
        }
        for (best, figure) in ours.iter_mut().zip(kasoku_run()) {
            *best = best.max(figure);
        }
        let mut pairs = ours.iter().zip(&theirs);
        if round >= MIN_ROUNDS && pairs.all(|(ours, theirs)| (ours / theirs - 1.0).abs() <= TOLERANCE) {
            eprintln!("bytes per second after {round} rounds: Kasoku {ours:.0?}, openssl speed {theirs:.0?}");
            return;
        }
    }
    panic!("bytes per second: Kasoku {ours:.0?}, openssl speed {theirs:.0?}");
}
