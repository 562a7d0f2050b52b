//! `kasoku engine` as a user meets it, and the library `kasoku` in a run: every backend, and that it is the one that
//! ran.
#![allow(clippy::unwrap_used)] // all of this file is tests; clippy sees only the functions marked so

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use kasoku_libraries::kasoku::{BACKEND_VARIABLE, backend_of, backend_states};
use serde_json::Value;

fn kasoku(folder: &tempfile::TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kasoku"))
        .args(arguments)
        .current_dir(folder.path())
        .env("KASOKU_STORE", folder.path().join("store.sqlite"))
        .env("KASOKU_LOCK", folder.path().join("lock"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A comparison that any CPU with the backend `vaes512` holds, or one row that says why it is not held.
const SHORT: [&str; 10] =
    ["engine", "--quick", "--against", "ring", "--sizes", "1024", "--slice", "1", "--targets", TARGETS];
/// What the engine is meant to reach.
const TARGETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/targets.toml");

/// That a row has figures that agree, or says why it has none: a busy machine may leave none, or too few for an
/// interval.
fn assert_is_told(row: &Value) {
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
fn the_table_is_printed_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let output = kasoku(&folder, &[&SHORT[..], &["--format", "json", "--json", "samples.json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    let is_held = |row: &&Value| row["bytes"] == 1024;
    let backends: Vec<&str> = backend_states().into_iter().map(|state| backend_of(state).name()).collect();
    let comparisons = ["vaes512", "vaes256"].iter().filter(|name| backends.contains(name)).count();
    assert_eq!(rows.iter().filter(is_held).count(), 4 * comparisons, "{rows:?}");
    assert_eq!(rows.len(), 4 * comparisons + 2 - comparisons);
    for row in rows.iter().filter(is_held) {
        assert_eq!((&row["against"], &row["nonces"]), (&"ring".into(), &"ahead".into()));
        assert!(row["target"].is_number(), "{row}");
        assert_is_told(row);
    }
    let samples: Value = serde_json::from_slice(&std::fs::read(folder.path().join("samples.json")).unwrap()).unwrap();
    for one in samples["series"].as_array().unwrap() {
        assert!(one["verified"] == true || one["note"].as_str().unwrap().contains("never had a core"), "{one}");
    }
    for (format, sign) in [("table", "ring (on)"), ("csv", "against,backend"), ("markdown", "| against |")] {
        let short = ["--operations", "seal", "--algorithms", "aes-128-gcm", "--format", format];
        let output = kasoku(&folder, &[&SHORT[..], &short].concat());
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains(sign), "{}", text(&output.stdout));
    }
}

#[test]
fn a_missed_target_is_shown_and_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["engine", "--quick", "--against", "limit", "--slice", "1", "--format", "json", "--targets", TARGETS];
    let output = kasoku(&folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    // Which targets are met is the CPU's matter, and the neighbours'.
    rows.iter().for_each(assert_is_told);
    let is_left_out = |row: &Value| row["note"].as_str().is_some_and(|note| note.contains("this CPU"));
    if !rows.iter().any(is_left_out) {
        for target in [0.8, 0.9] {
            assert_eq!(rows.iter().filter(|row| row["target"] == target).count(), 1, "{rows:?}");
        }
    }
}

#[test]
fn a_gate_fails_where_a_target_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let targets = |name: &str, ratio: &str| {
        let both: Vec<String> = ["vaes512", "vaes256"]
            .map(|backend| format!("[[target]]\nagainst = [\"ring\"]\nbackend = \"{backend}\"\nratio = {ratio}\n"))
            .into();
        std::fs::write(folder.path().join(name), both.concat()).unwrap();
        kasoku(&folder, &[&SHORT[..8], &["--targets", name, "--gate", "--format", "json"]].concat())
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
fn wrong_words_are_answered_with_what_is_known() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (["engine", "--against", "rot13"], "ipsec-mb"),
        (["engine", "--operations", "hash"], "use seal or open"),
        (["engine", "--algorithms", "aes-256-cbc"], "aes-256-gcm"),
        (["engine", "--nonces", "guessed"], "counted"),
        (["engine", "--json", "no/such/folder.json"], "folder.json"),
    ] {
        let output = kasoku(&folder, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn each_state_runs_its_backend_and_the_code_path_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let states: Vec<String> = backend_states().into_iter().map(|state| state.to_string()).collect();
    let mut arguments = vec!["run", "primitives", "--libraries", "kasoku", "--algorithms", "aes-128-gcm,aes-256-gcm"];
    arguments.extend(["--operations", "seal,open", "--nonces", "ahead,counted", "--sizes", "4096", "--rounds", "3"]);
    arguments.extend(["--slice", "1", "--json", "out.json"]);
    let joined = states.join(",");
    arguments.extend(["--acceleration", &joined]);
    // A busy machine may leave a slow backend without a quiet slice in three rounds, which is not what is asked here.
    kasoku(&folder, &arguments);
    let document: Value = serde_json::from_slice(&std::fs::read(folder.path().join("out.json")).unwrap()).unwrap();
    let series = || document["series"].as_array().unwrap().iter().filter(|one| one["parameters"]["control"].is_null());
    assert_eq!(series().count(), states.len() * 8);
    for (state, name) in backend_states().into_iter().zip(&states) {
        let backend = backend_of(state).name();
        let libraries = document["run"]["libraries"].as_array().unwrap();
        let told = libraries.iter().find(|one| one["acceleration"] == name.as_str()).unwrap();
        assert_eq!(told["cpu_features"], backend);
        for one in series().filter(|one| one["acceleration"] == name.as_str()) {
            let note = one["note"].as_str().unwrap_or_default();
            assert!(one["verified"] == true || note.contains("never had a core"), "{one}");
            let path = one["code_path"].as_str().unwrap();
            let agrees = match backend {
                "portable" => !path.contains("aes") && !path.contains("clmul"),
                _ => path.starts_with(backend) && path.contains("clmul"),
            };
            assert!(agrees || path == "unknown" && cfg!(not(target_os = "linux")), "{name}: {backend} and {path}");
        }
    }
}

#[test]
fn a_backend_that_cannot_be_had_is_an_error_and_no_other_is_taken() {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_kasoku"))
        .args(["worker", "kasoku"])
        .env(BACKEND_VARIABLE, "vaes1024")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    worker.stdin.take().unwrap().write_all(b"{\"operation\":\"describe\"}\n").unwrap();
    let answer: Value = serde_json::from_slice(&worker.wait_with_output().unwrap().stdout).unwrap();
    let why = answer["unavailable"].as_str().unwrap();
    assert!(why.contains(BACKEND_VARIABLE) && why.contains("vaes1024") && why.contains("vaes512"), "{why}");
}
