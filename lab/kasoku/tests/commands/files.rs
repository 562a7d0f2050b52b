//! `kasoku run files`: measurement, verification, failures and resuming.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Sandbox, check_status, count_samples, error_of, list, names, omissions, series, words};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("files")).unwrap();
    sandbox
}

fn leftovers(sandbox: &Sandbox) -> Vec<String> {
    names(&sandbox.path("files"))
}

fn run(sandbox: &Sandbox, line: &str) -> (std::process::Output, Value) {
    sandbox.run("files", &words(&format!("--dir files {line}")))
}

#[test]
fn run_files_verifies_each_encrypted_file_format_and_deletes_its_files() {
    let sandbox = sandbox();
    let line = "--dir files --libraries kasoku,openssl --sizes 1M,3000000 --repetitions 2 --log log";
    let (screen, document) = sandbox.measure("files", &words(line));
    assert_eq!(leftovers(&sandbox), [""; 0]);
    assert_eq!(document["run"]["complete"], true);

    let all = list(&document["series"]);
    let mut states = BTreeSet::new();
    for one in all {
        assert_eq!((&one["level"], &one["unit"]), (&Value::from("files"), &Value::from("s")), "{one}");
        assert_eq!(one["outcome"] == "measured", one["library"] != "limit-copy", "{one}");
        let samples = list(&one["samples"]);
        let count_of_start = |process: u64| samples.iter().filter(|sample| sample["process"] == process).count();
        assert_eq!(
            (samples.len(), count_of_start(0), count_of_start(1)),
            (4, 2, 2),
            "two test runs of two repetitions: {one}"
        );
        assert!(one["median"].as_f64().unwrap() > 0.0);
        assert!(["file", "memory"].contains(&one["details"]["storage"].as_str().unwrap()));
        states.insert((one["library"].to_string(), one["acceleration"].to_string()));
    }
    assert!(states.contains(&("\"kasoku\"".to_owned(), "\"off\"".to_owned())), "{states:?}");
    for one in series(&document, "kasoku") {
        assert_eq!((&one["algorithm"], &one["details"]["form"]), (&"aes-256-gcm".into(), &"cobblestone-256".into()));
    }
    assert!(series(&document, "limit-copy").iter().any(|one| one["details"]["storage"] == "memory"));

    let log = sandbox.read("log");
    assert_eq!(log.lines().count(), all.len() * 4);
    assert!(log.lines().all(|line| line.starts_with("test run ") && line.ends_with(" ms")), "{log}");
    let report = sandbox.page();
    assert!(report.contains("Encrypted files") && report.contains("333.13 †"));
    assert!(!screen.contains("Nothing in this run"), "{screen}");
    assert!(!sandbox.text(&["show", "last"]).contains("measured twice"));
}

#[test]
fn run_files_fails_only_files_of_faulty_libraries() {
    let sandbox = sandbox();
    for (library, reason) in [
        ("test-wrong", "not verified: another library does not open chunk"),
        ("test-crash", "aborted"),
        ("test-nonsense", "an invalid answer"),
    ] {
        let line = format!(
            "--libraries kasoku,{library} --algorithms aes-256-gcm --acceleration on --sizes 1M --repetitions 1"
        );
        let (output, document) = run(&sandbox, &line);
        check_status(&output, 1);
        let wrong = series(&document, library);
        assert!(!wrong.is_empty() && wrong.iter().all(|one| one["outcome"] != "measured"), "{library}");
        assert!(wrong.iter().any(|one| one["note"].as_str().unwrap().contains(reason)), "{library}: {wrong:?}");
        assert!(series(&document, "kasoku").iter().all(|one| one["outcome"] == "measured"), "{library}");
        assert_eq!(document["run"]["complete"], true);
        assert_eq!(leftovers(&sandbox), [""; 0]);
    }
}

#[test]
fn run_files_repeats_samples_lost_in_a_worker_crash() {
    let sandbox = sandbox();
    // Number of the request that crashes: once during preparation, once during the repetitions.
    for (request, least) in [("1", 0), ("30", 1)] {
        let line = "run files --libraries kasoku,test-crash-once --acceleration on --sizes 1M --repetitions 10 \
                    --threads 1 --algorithms aes-256-gcm --dir files";
        let (_, document) = sandbox.run_with_crash(request, line);
        let crashed = series(&document, "test-crash-once");
        assert!(!crashed.is_empty());
        assert!(crashed.iter().all(|one| one["outcome"] == "measured" && list(&one["samples"]).len() == 20));
        let restarts: u64 = crashed.iter().filter_map(|one| one["details"]["restarts"].as_u64()).sum();
        assert!((least..=1).contains(&restarts), "{crashed:?}");
    }
}

/// Even if time runs out, every combination is measured at one size before any is measured at another.
#[test]
fn run_files_measures_all_combinations_before_a_second_size() {
    let sandbox = sandbox();
    let line = words("--dir files --quick --libraries kasoku,openssl --sizes 1M,256M");
    let (_, document) = sandbox.measure("files", &line);
    let of_size = |bytes: u64| -> BTreeSet<String> {
        let all = list(&document["series"]).iter().filter(|one| one["bytes"] == bytes);
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
    let omissions = list(&document["run"]["omissions"]);
    let late = omissions.iter().filter(|one| one["why"].as_str().unwrap().contains("no time was left"));
    assert!(late.count() <= 1, "{omissions:?}");
}

#[test]
fn run_files_omits_files_that_do_not_fit_on_the_disk() {
    let line = words("--dir files --libraries kasoku --acceleration on --sizes 1M,1024G --repetitions 1");
    let (_, document) = sandbox().measure("files", &line);
    for why in ["files of 1024 GiB do not fit: ", "must be free"] {
        assert!(omissions(&document).contains(why), "{}", omissions(&document));
    }
    assert!(series(&document, "kasoku").iter().all(|one| one["bytes"] == 1 << 20));
}

#[test]
fn run_removes_and_names_files_and_servers_left_by_killed_runs() {
    let sandbox = sandbox();
    for (name, file) in [("kasoku-files-aB3xY9", "text"), ("kasoku-tls-aB3xY9", "rsa.key")] {
        std::fs::create_dir(sandbox.path("files").join(name)).unwrap();
        for file in [file, ".kasoku-lock"] {
            std::fs::write(sandbox.path("files").join(name).join(file), b"left").unwrap();
        }
        let output = sandbox.kasoku(&words("run files --quick --list --dir files --libraries kasoku"));
        assert!(error_of(&output).contains("removed") && error_of(&output).contains(name), "{}", error_of(&output));
        assert_eq!(leftovers(&sandbox), [""; 0]);
    }
}

#[test]
fn killed_run_files_resumes_without_repeating_rounds() {
    let sandbox = sandbox();
    let line = "run files --libraries kasoku --algorithms aes-256-gcm --acceleration on --threads 1 --sizes 8M \
                --repetitions 60 --dir files";
    let is_time = |document: &Value| count_samples(document) >= 20;
    let (before, document) = sandbox.kill_and_resume(line, is_time, || {
        assert_eq!(leftovers(&sandbox), [""; 0], "unlinked files must vanish with their process");
        assert!(sandbox.text(&words(&format!("{line} --list"))).contains("of free space is needed"));
    });
    for one in list(&document["series"]) {
        let rounds: BTreeSet<_> = list(&one["samples"]).iter().map(|sample| sample["round"].as_u64()).collect();
        assert_eq!((list(&one["samples"]).len(), rounds.len()), (120, 120), "expected each round exactly once: {one}");
    }
    let note = document["run"]["notes"].to_string();
    let told = format!("{} samples are from before the interruption", count_samples(&before));
    assert!(note.contains(&told), "{note}, {told}");
}

#[test]
fn cold_series_are_measured_or_say_that_the_cache_was_warm() {
    let line = "--libraries kasoku --acceleration on --sizes 4M --repetitions 2 --cold";
    let (output, document) = run(&sandbox(), line);
    let of_cache = |state: &str| -> Vec<&Value> {
        series(&document, "kasoku").into_iter().filter(|one| one["details"]["cache"] == state).collect()
    };
    assert!(!of_cache("cold").is_empty());
    for one in of_cache("cold") {
        let note = one["note"].as_str().unwrap_or_default();
        assert!(one["outcome"] == "measured" || note.contains("page cache"), "{one}: {}", error_of(&output));
    }
    assert!(of_cache("warm").iter().any(|one| one["outcome"] == "measured"));
}
