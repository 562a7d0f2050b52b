//! The program `kasoku-bench`: its table, its targets, its gate.
#![allow(clippy::unwrap_used)] // all code here is test code, but clippy recognises only functions with #[test]

use std::process::{Command, Output, Stdio};

use kasoku_libraries::kasoku::{backend_of, backend_states};
use serde_json::Value;

fn bench(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kasoku-bench"))
        .args(arguments)
        .current_dir(folder.path())
        .env("KASOKU_LOCK", folder.path().join("lock"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A short comparison: figures on a CPU with the backend `vaes512`, otherwise a row that says why there are none.
const SHORT: [&str; 9] = ["--quick", "--against", "ring", "--sizes", "1024", "--slice", "1", "--targets", TARGETS];
const TARGETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/targets.toml");

/// Asserts that the figures of a row agree, or that it says why it has none: a busy machine may leave none, or too few
/// for an interval.
fn assert_row(row: &Value) {
    let number = |name: &str| row[name].as_f64();
    let Some(ratio) = number("ratio") else {
        assert!(row["note"].is_string() && row["met"].is_null() && row["ci95"].is_null(), "{row}");
        return;
    };
    assert!(ratio > 0.0 && number("ours") > Some(0.0) && number("theirs") > Some(0.0), "{row}");
    if let [low, high] = row["ci95"].as_array().map_or(&[][..], Vec::as_slice) {
        assert!(low.as_f64() <= Some(ratio) && Some(ratio) <= high.as_f64(), "{row}");
    }
    assert_eq!(row["met"].as_bool(), number("target").map(|target| ratio >= target), "{row}");
}

#[test]
fn table_is_printed_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let output = bench(&folder, &[&SHORT[..], &["--format", "json", "--json", "samples.json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    let is_measured = |row: &&Value| row["bytes"] == 1024;
    let backends: Vec<&str> = backend_states().into_iter().map(|state| backend_of(state).name()).collect();
    let comparisons = ["vaes512", "vaes256"].iter().filter(|name| backends.contains(name)).count();
    assert_eq!(rows.iter().filter(is_measured).count(), 4 * comparisons, "{rows:?}");
    assert_eq!(rows.len(), 4 * comparisons + 2 - comparisons);
    for row in rows.iter().filter(is_measured) {
        assert_eq!((&row["against"], &row["nonces"]), (&"ring".into(), &"ahead".into()));
        assert!(row["target"].is_number(), "{row}");
        assert_row(row);
    }
    let samples: Value = serde_json::from_slice(&std::fs::read(folder.path().join("samples.json")).unwrap()).unwrap();
    for one in samples["series"].as_array().unwrap() {
        assert!(one["outcome"] == "measured" || one["note"].as_str().unwrap().contains("never had a core"), "{one}");
    }
    for (format, sign) in [("table", "ring (on)"), ("csv", "against,backend"), ("markdown", "| against |")] {
        let short = ["--operations", "seal", "--algorithms", "aes-128-gcm", "--format", format];
        let output = bench(&folder, &[&SHORT[..], &short].concat());
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains(sign), "{}", text(&output.stdout));
    }
}

#[test]
fn missed_target_is_shown_and_exits_with_status_0() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--quick", "--against", "limit", "--slice", "1", "--format", "json", "--targets", TARGETS];
    let output = bench(&folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    // Which targets are met depends on the CPU and on its other load.
    rows.iter().for_each(assert_row);
    let is_left_out = |row: &Value| row["note"].as_str().is_some_and(|note| note.contains("this CPU"));
    if !rows.iter().any(is_left_out) {
        for target in [0.8, 0.9] {
            assert_eq!(rows.iter().filter(|row| row["target"] == target).count(), 1, "{rows:?}");
        }
    }
}

#[test]
fn gate_fails_if_a_target_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let targets = |name: &str, ratio: &str| {
        let both: Vec<String> = ["vaes512", "vaes256"]
            .map(|backend| format!("[[target]]\nagainst = [\"ring\"]\nbackend = \"{backend}\"\nratio = {ratio}\n"))
            .into();
        std::fs::write(folder.path().join(name), both.concat()).unwrap();
        bench(&folder, &[&SHORT[..7], &["--targets", name, "--gate", "--format", "json"]].concat())
    };
    let (low, high) = (targets("low", "0.001"), targets("high", "1000.0"));
    assert_eq!(low.status.code(), Some(0), "{}", text(&low.stderr));
    let rows: Value = serde_json::from_slice(&high.stdout).unwrap();
    let is_missed = rows.as_array().unwrap().iter().any(|row| row["met"] == false);
    assert_eq!(high.status.code(), Some(i32::from(is_missed)));
    let unknown = targets("unknown", "1.0\n[[target]]\nagainst = [\"rings\"]\nbackend = \"aesni\"\nratio = 1.0");
    assert!(text(&unknown.stderr).contains("unknown competitor or backend rings"), "{}", text(&unknown.stderr));
}

#[test]
fn invalid_option_values_are_rejected_with_the_valid_ones() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (["--against", "rot13"], "ipsec-mb"),
        (["--operations", "hash"], "use seal or open"),
        (["--algorithms", "aes-256-cbc"], "aes-256-gcm"),
        (["--nonces", "guessed"], "counted"),
        (["--json", "no/such/folder.json"], "folder.json"),
    ] {
        let output = bench(&folder, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
}
