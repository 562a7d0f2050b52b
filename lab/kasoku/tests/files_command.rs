//! `kasoku run files` as a user meets it: what it measures and verifies, what it leaves, and what happens when things
//! go wrong.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Sandbox, error_of, series, wait_until, words};

/// A folder for the files, beside the sandbox's own things.
fn place(sandbox: &Sandbox) -> PathBuf {
    let place = sandbox.path("place");
    std::fs::create_dir(&place).unwrap();
    place
}

fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn run(sandbox: &Sandbox, place: &Path, line: &str) -> (std::process::Output, Value) {
    sandbox.run_level("files", &[&["--dir", place.to_str().unwrap()], &words(line)[..]].concat())
}

#[test]
fn files_are_measured_verified_and_gone() {
    let sandbox = Sandbox::new();
    let place = place(&sandbox);
    let line = "--libraries kasoku,openssl --sizes 1M,3000000 --repetitions 2 --log log";
    let (output, document) = run(&sandbox, &place, line);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    assert_eq!(names(&place), [""; 0]);
    assert_eq!(document["run"]["complete"], true);

    let all = document["series"].as_array().unwrap();
    let mut states = std::collections::BTreeSet::new();
    for one in all {
        assert_eq!((&one["level"], &one["unit"]), (&Value::from("files"), &Value::from("s")), "{one}");
        assert_eq!(one["outcome"] == "measured", one["library"] != "limit-copy", "{one}");
        let samples = one["samples"].as_array().unwrap();
        let of = |process: u64| samples.iter().filter(|sample| sample["process"] == process).count();
        assert_eq!((samples.len(), of(0), of(1)), (4, 2, 2), "two test runs of two repetitions: {one}");
        assert!(one["median"].as_f64().unwrap() > 0.0);
        assert!(["file", "memory"].contains(&one["details"]["storage"].as_str().unwrap()));
        states.insert((one["library"].to_string(), one["acceleration"].to_string()));
    }
    assert!(states.contains(&("\"kasoku\"".to_owned(), "\"off\"".to_owned())), "{states:?}");
    for one in series(&document, "kasoku") {
        assert_eq!((&one["algorithm"], &one["details"]["form"]), (&"aes-256-gcm".into(), &"cobblestone-256".into()));
    }
    assert!(series(&document, "limit-copy").iter().any(|one| one["details"]["storage"] == "memory"));

    let log = std::fs::read_to_string(sandbox.path("log")).unwrap();
    assert_eq!(log.lines().count(), all.len() * 4);
    assert!(log.lines().all(|line| line.starts_with("test run ") && line.ends_with(" ms")), "{log}");
    let report = sandbox.page();
    assert!(report.contains("Encrypted files") && report.contains("333.13 †"));
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(!summary.contains("Nothing in this run"), "{summary}");
    let shown = sandbox.kasoku(&["show", "last"]);
    assert!(shown.status.success() && !String::from_utf8_lossy(&shown.stdout).contains("measured twice"));
}

#[test]
fn a_wrong_bit_and_a_crash_cost_their_own_series_only() {
    let sandbox = Sandbox::new();
    let place = place(&sandbox);
    for (library, reason) in [
        ("test-wrong", "not verified: another library does not open chunk"),
        ("test-crash", "aborted"),
        ("test-nonsense", "an invalid answer"),
    ] {
        let line = format!(
            "--libraries kasoku,{library} --algorithms aes-256-gcm --acceleration on --sizes 1M --repetitions 1"
        );
        let (output, document) = run(&sandbox, &place, &line);
        assert_eq!(output.status.code(), Some(1), "{library}: {}", error_of(&output));
        let wrong = series(&document, library);
        assert!(!wrong.is_empty() && wrong.iter().all(|one| one["outcome"] != "measured"), "{library}");
        assert!(wrong.iter().any(|one| one["note"].as_str().unwrap().contains(reason)), "{library}: {wrong:?}");
        assert!(series(&document, "kasoku").iter().all(|one| one["outcome"] == "measured"), "{library}");
        assert_eq!(document["run"]["complete"], true);
        assert_eq!(names(&place), [""; 0]);
    }
}

#[test]
fn one_crash_costs_nothing() {
    let sandbox = Sandbox::new();
    let place = place(&sandbox);
    // Once while it is got ready, and once in the repetitions.
    for (run, least) in [("1", 0), ("30", 1)] {
        std::fs::write(sandbox.path("crash"), run).unwrap();
        let line = "run files --libraries kasoku,test-crash-once --json out.json --acceleration on --sizes 1M \
                    --repetitions 10 --threads 1 --algorithms aes-256-gcm --dir";
        let mut command = sandbox.command(&words(line));
        let output = command.arg(&place).env("KASOKU_TEST_CRASH", sandbox.path("crash")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
        let document = sandbox.written("out.json");
        let crashed = series(&document, "test-crash-once");
        assert!(!sandbox.path("crash").exists() && !crashed.is_empty());
        assert!(
            crashed.iter().all(|one| one["outcome"] == "measured" && one["samples"].as_array().unwrap().len() == 20)
        );
        let restarts: u64 = crashed.iter().filter_map(|one| one["details"]["restarts"].as_u64()).sum();
        assert!((least..=1).contains(&restarts), "{crashed:?}");
    }
}

/// However little time there is, every combination is measured at one size before any is at another.
#[test]
fn every_combination_comes_before_a_second_size() {
    let sandbox = Sandbox::new();
    let place = place(&sandbox);
    let (output, document) = run(&sandbox, &place, "--quick --libraries kasoku,openssl --sizes 1M,256M");
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let of_size = |bytes: u64| -> std::collections::BTreeSet<String> {
        let all = document["series"].as_array().unwrap().iter().filter(|one| one["bytes"] == bytes);
        let parameters = |one: &Value| [&one["details"]["storage"], &one["details"]["threads"]].map(Value::to_string);
        all.map(|one| {
            let names = [&one["library"], &one["acceleration"], &one["algorithm"], &one["operation"]];
            format!("{} {}", names.map(Value::to_string).join(" "), parameters(one).join(" "))
        })
        .collect()
    };
    let (small, large) = (of_size(1 << 20), of_size(256 << 20));
    assert!(small.is_superset(&large), "{small:?}, {large:?}");
    let has = |library: &str| small.iter().any(|one| one.contains(library));
    assert!(has("kasoku") && has("limit-copy"), "{small:?}");
    let omissions = document["run"]["omissions"].as_array().unwrap();
    let late = omissions.iter().filter(|one| one["why"].as_str().unwrap().contains("no time was left"));
    assert!(late.count() <= 1, "{omissions:?}");
}

#[test]
fn what_does_not_fit_is_left_out_and_said() {
    let sandbox = Sandbox::new();
    let place = place(&sandbox);
    let line = "--libraries kasoku --acceleration on --sizes 1M,1024G --repetitions 1";
    let (output, document) = run(&sandbox, &place, line);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let omissions = document["run"]["omissions"].to_string();
    assert!(omissions.contains("files of 1024 GiB do not fit: ") && omissions.contains("must be free"), "{omissions}");
    assert!(series(&document, "kasoku").iter().all(|one| one["bytes"] == 1 << 20));
}

#[test]
fn leftovers_of_the_dead_are_removed_and_told() {
    let sandbox = Sandbox::new();
    let place = place(&sandbox);
    let left = place.join("kasoku-files-4999999-17");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("text"), b"text").unwrap();
    let (output, _) = run(&sandbox, &place, "--libraries kasoku --acceleration on --sizes 1M --repetitions 1");
    assert!(error_of(&output).contains("removed") && error_of(&output).contains("kasoku-files-4999999-17"));
    assert_eq!(names(&place), [""; 0]);
}

#[test]
fn killed_it_leaves_nothing_and_is_gone_on_with() {
    let sandbox = Sandbox::new();
    let place = place(&sandbox);
    let dir = place.to_str().unwrap().to_owned();
    let line = format!(
        "run files --libraries kasoku --algorithms aes-256-gcm --acceleration on --threads 1 --sizes 8M \
         --repetitions 60 --dir {dir}"
    );
    let arguments = words(&line);
    let mut child = sandbox.start(&arguments);
    let samples = || -> usize {
        let shown = sandbox.kasoku(&["show", "last", "--format", "json"]);
        let document: Value = serde_json::from_slice(&shown.stdout).unwrap_or_default();
        let series = document["series"].as_array().cloned().unwrap_or_default();
        series.iter().map(|one| one["samples"].as_array().map_or(0, Vec::len)).sum()
    };
    wait_until("it measures", || samples() >= 20);
    assert!(child.try_wait().unwrap().is_none(), "it should still be measuring");
    child.kill().unwrap();
    child.wait().unwrap();
    let before = samples();
    assert_eq!(names(&place), [""; 0], "files without names are gone with their process");

    sandbox.refusal(&words("run files --libraries kasoku --resume last"), "repeat the same arguments");
    assert!(sandbox.text(&[&arguments[..], &["--list"]].concat()).contains("of free space is needed"));

    let resumed = sandbox.command(&arguments).args(["--resume", "last", "--json", "out.json"]).output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", error_of(&resumed));
    assert!(error_of(&resumed).contains("resuming"), "{}", error_of(&resumed));
    let document = sandbox.written("out.json");
    for one in document["series"].as_array().unwrap() {
        let samples = one["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 120, "{one}");
        let rounds: std::collections::BTreeSet<u64> =
            samples.iter().map(|sample| sample["round"].as_u64().unwrap()).collect();
        assert_eq!(rounds.len(), 120, "each round once");
    }
    assert_eq!(document["run"]["complete"], true);
    let note = document["run"]["notes"].to_string();
    assert!(note.contains(&format!("{before} samples are from before the interruption")), "{note}, {before}");
    let stored = sandbox.json(&["show", "last", "--format", "json"]);
    assert_eq!(stored["series"], document["series"], "what is stored is what was written");
    sandbox.refusal(&[&arguments[..], &["--resume", "last"]].concat(), "is complete");
}

#[test]
fn a_cold_cache_is_seen_to_be_cold_or_said_not_to_be() {
    let sandbox = Sandbox::new();
    let place = place(&sandbox);
    let line = "--libraries kasoku --acceleration on --sizes 4M --repetitions 2 --cold";
    let (output, document) = run(&sandbox, &place, line);
    let cold: Vec<&Value> =
        series(&document, "kasoku").into_iter().filter(|one| one["details"]["cache"] == "cold").collect();
    assert!(!cold.is_empty());
    for one in cold {
        let note = one["note"].as_str().unwrap_or_default();
        let is_honest = one["outcome"] == "measured" || note.contains("page cache");
        assert!(is_honest, "{one}: {}", error_of(&output));
    }
    assert!(
        series(&document, "kasoku").iter().any(|one| one["details"]["cache"] == "warm" && one["outcome"] == "measured")
    );
}
