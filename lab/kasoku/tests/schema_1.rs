//! Documents and a store of the version before, which wrote schema 1: a library was a stack there, an A/A control a
//! twin.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{Sandbox, error_of};

const LEVELS: [&str; 6] = ["primitives", "packets", "transfer", "files", "tls", "jvm"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema_1")
}

/// The document of `level` as this version says it.
fn expected(level: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(format!("{level}.json"))).unwrap();
    let mut document: Value = text.parse().unwrap();
    assert_eq!(document["schema"], 1);
    document["schema"] = 2.into();
    in_new_words(&mut document);
    document["series"].as_array_mut().unwrap().iter_mut().for_each(add_what_came_of_it);
    document
}

fn in_new_words(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let words = [
                ("stack", "library"),
                ("stacks", "libraries"),
                ("stack_version", "library_version"),
                ("noise_floor_stack", "noise_floor_library"),
                ("twin", "control"),
            ];
            for (old, new) in words {
                if let Some(value) = members.remove(old) {
                    members.insert(new.to_owned(), value);
                }
            }
            members.values_mut().for_each(in_new_words);
        }
        Value::Array(values) => values.iter_mut().for_each(in_new_words),
        _ => (),
    }
}

/// What schema 1 told by `verified`, and by how notes and names begin.
fn add_what_came_of_it(series: &mut Value) {
    let failure = series["note"].as_str().and_then(|note| note.strip_prefix("failed: "));
    let outcome = match (failure, series["verified"] == true) {
        (Some(why), _) => json!({ "failed": why }),
        (None, true) => "measured".into(),
        (None, false) => "unverified".into(),
    };
    let is_bound = series["library"].as_str().unwrap().starts_with("limit-");
    series["outcome"] = outcome;
    series["role"] = if is_bound { "bound" } else { "library" }.into();
}

fn exported(sandbox: &Sandbox, run: &str) -> Value {
    let output = sandbox.kasoku(&["export", run, "--format", "json"]);
    assert!(output.status.success(), "{}", error_of(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn documents_are_imported_whole() {
    let sandbox = Sandbox::new();
    for level in LEVELS {
        let output = sandbox.kasoku(&["import", folder().join(format!("{level}.json")).to_str().unwrap()]);
        assert!(output.status.success(), "{level}: {}", error_of(&output));
        let expected = expected(level);
        assert_eq!(exported(&sandbox, expected["run"]["id"].as_str().unwrap()), expected, "{level}");
    }
}

#[test]
fn a_store_is_brought_to_this_version_and_shown() {
    let sandbox = Sandbox::new();
    std::fs::copy(folder().join("store.sqlite"), sandbox.path("store.sqlite")).unwrap();
    for level in LEVELS {
        let expected = expected(level);
        let run = expected["run"]["id"].as_str().unwrap();
        assert_eq!(exported(&sandbox, run), expected, "{level}");
        for arguments in [&["show", run][..], &["report", run, "--out", "page.html"]] {
            let output = sandbox.kasoku(arguments);
            assert!(output.status.success(), "{level}: {}", error_of(&output));
        }
    }
    let output = sandbox.kasoku(&["rank", "aes-128-gcm", "--bytes", "16384", "--library", "kasoku"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("kasoku"), "{}", error_of(&output));
}

/// Scripts of the version before go on working.
#[test]
fn commands_of_the_version_before_are_understood() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["stacks"][..],
        &["run", "primitives", "--stacks", "kasoku", "--list"],
        &["rank", "aes-128-gcm", "--stack", "openssl"],
        &["history", "aes-128-gcm", "--stack", "openssl"],
    ] {
        let output = sandbox.kasoku(arguments);
        let said = error_of(&output);
        assert!(!said.contains("unexpected") && !said.contains("unrecognized"), "{arguments:?}: {said}");
    }
}
