//! `kasoku engine` as a user meets it, and the stack `kasoku` in a run: every backend, and that it is the one that ran.
#![allow(clippy::unwrap_used)] // all of this file is tests; clippy sees only the functions marked so

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use kasoku_lab::stack::kasoku::{BACKEND_VARIABLE, backend_of, backend_states};
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

/// A contest that any CPU with the backend `vaes512` holds, or one row that says why it is not held.
const SHORT: [&str; 8] = ["engine", "--quick", "--against", "ring", "--sizes", "1024", "--slice", "1"];

#[test]
fn the_table_is_printed_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let output = kasoku(&folder, &[&SHORT[..], &["--format", "json", "--json", "samples.json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    let is_held = |row: &&Value| row["bytes"] == 1024;
    let backends: Vec<&str> = backend_states().into_iter().map(|state| backend_of(state).name()).collect();
    let contests = ["vaes512", "vaes256"].iter().filter(|name| backends.contains(name)).count();
    assert_eq!(rows.iter().filter(is_held).count(), 4 * contests, "{rows:?}");
    assert_eq!(rows.len(), 4 * contests + 2 - contests);
    for row in rows.iter().filter(is_held) {
        let ratio = row["ratio"].as_f64().unwrap();
        let [low, high] = [0, 1].map(|index| row["ci95"][index].as_f64().unwrap());
        assert!(low <= ratio && ratio <= high && row["ours"].as_f64() > row["ci95"][0].as_f64(), "{row}");
        assert_eq!(row["met"], ratio >= row["target"].as_f64().unwrap());
        assert_eq!((&row["against"], &row["nonces"]), (&"ring".into(), &"ahead".into()));
    }
    let samples: Value = serde_json::from_slice(&std::fs::read(folder.path().join("samples.json")).unwrap()).unwrap();
    assert!(samples["series"].as_array().unwrap().iter().all(|one| one["verified"] == true), "{samples}");
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
    let arguments = ["engine", "--quick", "--against", "limit", "--slice", "1", "--format", "json"];
    let output = kasoku(&folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    let (held, left_out): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row["ratio"].is_number());
    assert!(left_out.iter().all(|row| row["note"].as_str().unwrap().contains("this CPU")), "{left_out:?}");
    // The bare instructions are never slower than the cipher made of them; two of the rows have a target.
    assert!(held.iter().all(|row| row["ratio"].as_f64().unwrap() < 1.05), "{held:?}");
    if left_out.is_empty() {
        assert_eq!(held.iter().filter(|row| row["target"] == 0.8 && row["met"].is_boolean()).count(), 1);
        assert_eq!(held.iter().filter(|row| row["target"] == 0.9 && row["met"].is_boolean()).count(), 1);
    }
}

#[test]
fn wrong_words_are_answered_with_what_is_known() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (["engine", "--against", "rot13"], "ipsec-mb"),
        (["engine", "--operations", "hash"], "seals and opens"),
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
    let mut arguments = vec!["run", "primitives", "--stacks", "kasoku", "--algorithms", "aes-128-gcm,aes-256-gcm"];
    arguments.extend(["--operations", "seal,open", "--nonces", "ahead,counted", "--sizes", "4096", "--rounds", "3"]);
    arguments.extend(["--slice", "1", "--json", "out.json"]);
    let joined = states.join(",");
    arguments.extend(["--acceleration", &joined]);
    // A busy machine may leave a slow backend without a quiet slice in three rounds, which is not what is asked here.
    kasoku(&folder, &arguments);
    let document: Value = serde_json::from_slice(&std::fs::read(folder.path().join("out.json")).unwrap()).unwrap();
    let series = || document["series"].as_array().unwrap().iter().filter(|one| one["parameters"]["twin"].is_null());
    assert_eq!(series().count(), states.len() * 8);
    for (state, name) in backend_states().into_iter().zip(&states) {
        let backend = backend_of(state).name();
        let stacks = document["run"]["stacks"].as_array().unwrap();
        let told = stacks.iter().find(|one| one["acceleration"] == name.as_str()).unwrap();
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
    let mut probe = Command::new(env!("CARGO_BIN_EXE_kasoku"))
        .args(["probe", "kasoku"])
        .env(BACKEND_VARIABLE, "vaes1024")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    probe.stdin.take().unwrap().write_all(b"{\"operation\":\"describe\"}\n").unwrap();
    let answer: Value = serde_json::from_slice(&probe.wait_with_output().unwrap().stdout).unwrap();
    let why = answer["unavailable"].as_str().unwrap();
    assert!(why.contains(BACKEND_VARIABLE) && why.contains("vaes1024") && why.contains("vaes512"), "{why}");
}
