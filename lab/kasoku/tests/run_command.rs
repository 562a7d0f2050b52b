//! `kasoku run` as a user meets it: what it leaves behind, and what happens when things go wrong.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;

use kasoku_measure::tls::children_of;
use serde_json::Value;
use support::{Sandbox, error_of, is_there, series, short, timed, wait_until, words};

#[test]
fn a_run_leaves_a_document_a_report_and_a_stored_run() {
    let sandbox = Sandbox::new();
    let line = "--libraries rustcrypto,ring --algorithms aes-128-gcm,sha-256 --sizes 64,1350";
    let (output, document) = sandbox.run(&short(&words(line)));
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    assert_eq!(document["schema"], 1);
    assert_eq!(document["run"]["complete"], true);
    let own: Vec<&Value> = series(&document, "ring");
    assert_eq!(own.len(), 4);
    for one in own {
        assert_eq!(one["outcome"], "measured", "{one}");
        assert!(one["median"].as_f64().unwrap() > 1e6);
        let (low, high) = (one["ci95"][0].as_f64().unwrap(), one["ci95"][1].as_f64().unwrap());
        assert!(low <= one["median"].as_f64().unwrap() && one["median"].as_f64().unwrap() <= high);
        assert_eq!(one["samples"].as_array().unwrap().len(), 18);
        if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            assert!(one["cycles_per_byte"].as_f64().unwrap() > 0.0);
        }
    }
    let report = sandbox.page();
    assert!(report.contains("<svg") && report.contains("Content-Security-Policy"));
    assert_eq!(sandbox.json(&["show", "last", "--format", "json"]), document, "what is stored is what was written");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("AES-128-GCM"), "{text}");
    assert!(
        !text.contains("measured twice") && !report.contains("measured twice"),
        "controls stand in no table: {text}"
    );
}

#[test]
fn the_median_can_be_computed_again_from_the_samples() {
    let sandbox = Sandbox::new();
    let (_, document) =
        sandbox.run(&short(&["--libraries", "rustcrypto", "--algorithms", "sha-256", "--sizes", "1024"]));
    let one = series(&document, "rustcrypto")[0];
    let samples = one["samples"].as_array().unwrap().iter().filter(|sample| sample["dropped"] == false);
    let rate = |sample: &Value| sample["iterations"].as_f64().unwrap() / (sample["ns"].as_f64().unwrap() * 1e-9);
    let mut figures: Vec<f64> = samples.map(|sample| 1024.0 * rate(sample)).collect();
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let median = if figures.len() % 2 == 1 { figures[middle] } else { (figures[middle - 1] + figures[middle]) / 2.0 };
    assert!((one["median"].as_f64().unwrap() / median - 1.0).abs() < 1e-9);
}

#[test]
fn a_faulty_library_costs_its_own_series_only() {
    let sandbox = Sandbox::new();
    for (library, reason) in [
        ("test-wrong", "not verified"),
        ("test-crash", "aborted"),
        ("test-nonsense", "an invalid answer"),
        ("test-hang", "no answer within"),
    ] {
        let line = format!("--libraries rustcrypto,{library} --algorithms aes-128-gcm,sha-256 --sizes 64");
        let (output, document) = sandbox.run(&short(&words(&line)));
        assert_eq!(output.status.code(), Some(1), "{library}");
        let failed = series(&document, library);
        assert_eq!(failed.len(), 2, "{library}");
        for one in failed {
            assert!(one["note"].as_str().unwrap().contains(reason) && one["outcome"] != "measured", "{one}");
            assert!(library == "test-wrong" || one["median"].is_null(), "{one}");
        }
        assert!(series(&document, "rustcrypto").iter().all(|one| one["outcome"] == "measured"), "{library}");
        assert_eq!(document["run"]["complete"], true);
    }
}

/// One that says more than it is asked is heard no faster than it is asked: nothing piles up.
#[cfg(target_os = "linux")]
#[test]
fn a_flood_costs_its_own_series_and_no_memory() {
    let sandbox = Sandbox::new();
    let line = "run primitives --libraries rustcrypto,test-flood --algorithms sha-256 --sizes 64 --rounds 60";
    let mut run = sandbox.start(&[&words(line)[..], &["--json", "out.json"]].concat());
    let status = format!("/proc/{}/status", run.id());
    let mut most_kib = 0;
    wait_until("it ends", || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
        most_kib = most_kib.max(peak.map_or(0, |kib| kib.parse::<u64>().unwrap()));
        run.try_wait().unwrap().is_some()
    });
    assert_eq!(run.wait().unwrap().code(), Some(1));
    assert!((1..200_000).contains(&most_kib), "{most_kib} KiB");
    let document = sandbox.written("out.json");
    assert!(series(&document, "test-flood").iter().all(|one| one["median"].is_null() && one["outcome"] != "measured"));
    assert!(series(&document, "rustcrypto").iter().all(|one| one["outcome"] == "measured"));
    assert_eq!(document["run"]["complete"], true);
}

/// Once while it is made ready or verified, and once in the rounds.
#[test]
fn one_crash_costs_nothing() {
    for run in ["1", "100"] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.path("crash"), run).unwrap();
        let line = "run primitives --libraries rustcrypto,test-crash-once --algorithms sha-256 --sizes 64 --rounds 27";
        let mut command = sandbox.command(&[&words(line)[..], &["--slice", "1", "--json", "out.json"]].concat());
        let output = command.env("KASOKU_TEST_CRASH", sandbox.path("crash")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
        assert!(!sandbox.path("crash").exists(), "it should have crashed");
        let document = sandbox.written("out.json");
        let crashed = series(&document, "test-crash-once")[0];
        assert_eq!(
            (&crashed["outcome"], &crashed["details"]["restarts"]),
            (&"measured".into(), &1.into()),
            "{crashed}"
        );
        assert_eq!(crashed["samples"].as_array().unwrap().len(), 27, "what was lost was done once more");
        assert!(crashed["note"].as_str().unwrap().contains("aborted; it was started again"), "{}", crashed["note"]);
        assert!(document["run"]["notes"].to_string().contains("restarted (test-crash-once)"));
        let screen = String::from_utf8(output.stdout).unwrap();
        assert!(screen.contains("Restarted") && screen.contains("aborted"), "{screen}");
    }
}

#[test]
fn two_runs_at_once_are_refused_or_wait() {
    let sandbox = Sandbox::new();
    let few = words("run --libraries rustcrypto --algorithms sha-256 --sizes 64");
    let mut first = sandbox.start(&[&few[..], &["--rounds", "9000", "--slice", "9"]].concat());
    wait_until("it has workers", || children_of(first.id()).len() > 1);
    assert!(sandbox.refusal(&few, "measuring on this machine").contains("--wait"));
    first.kill().unwrap();
    first.wait().unwrap();
    sandbox.text(&short(&[&few[..], &["--wait"]].concat()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_before_anything_is_measured() {
    let sandbox = Sandbox::new();
    let disk = sandbox.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&disk).output();
    // Only root may mount a small disk; where the tests must be whole they run as root.
    if !is_there(mounted.is_ok_and(|output| output.status.success()), "a small disk") {
        return;
    }
    let output = sandbox.kasoku(&["run", "--report", "disk/report.html"]);
    Command::new("umount").arg(&disk).status().unwrap();
    assert!(output.status.code() == Some(2) && error_of(&output).contains("report.html"), "{}", error_of(&output));
}

/// Whoever names a library means to measure it: a run without it would compare something else.
#[test]
fn a_library_that_is_named_and_cannot_be_loaded_ends_it_before_it_measures() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("text.so"), "this is no library").unwrap();
    for list in [&[][..], &["--list"]] {
        let line = "run primitives --libraries openssl --algorithms sha-256 --libcrypto text.so";
        let output = sandbox.kasoku(&[&words(line)[..], list].concat());
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{list:?}: {error}");
        assert!(error.starts_with("error: --libcrypto text.so: "), "{error}");
        // What the loader says is its own; that it says it, and not only that it failed, is ours.
        #[cfg(target_os = "linux")]
        assert!(error.contains("ELF") || error.contains("file too short"), "{error}");
        assert!(output.stdout.is_empty() && !sandbox.path("store.sqlite").exists());
    }
}

#[test]
fn what_one_size_does_not_have_is_measured_at_the_others() {
    let sandbox = Sandbox::new();
    let arguments = short(&["--libraries", "rustcrypto", "--algorithms", "aes-256-xts", "--sizes", "8,64"]);
    let (_, document) = sandbox.run(&arguments);
    let sizes: Vec<u64> = series(&document, "rustcrypto").iter().map(|one| one["bytes"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [64]);
    assert!(document["run"]["omissions"].to_string().contains("aes-256-xts"));
}

#[test]
fn what_kills_a_worker_at_one_size_leaves_its_other_algorithms() {
    let sandbox = Sandbox::new();
    let line = "--libraries rustcrypto,test-crash --sizes 16,64,256,1024 \
                --algorithms sha-1,sha-256,sha-512,blake2s-256,blake2b-512";
    let (_, document) = sandbox.run(&short(&words(line)));
    let crashed = series(&document, "test-crash");
    assert_eq!(crashed.len(), 20);
    assert!(crashed.iter().all(|one| one["note"].as_str().unwrap().contains("aborted")), "{crashed:?}");
}

#[test]
fn nobody_reading_its_progress_is_no_reason_to_stop() {
    let sandbox = Sandbox::new();
    let arguments = short(&["run", "--libraries", "rustcrypto", "--algorithms", "sha-256", "--sizes", "64"]);
    let mut child = sandbox.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn another_build_of_the_same_version_has_its_own_series() {
    let sandbox = Sandbox::new();
    let libraries = sandbox.json(&["libraries", "--format", "json"]);
    let Some(library) = libraries[0]["loaded_from"].as_str() else {
        is_there(false, "libcrypto");
        return;
    };
    std::fs::copy(library, sandbox.path("other.so")).unwrap();
    let line = "--libraries openssl --libcrypto other.so --acceleration on --algorithms sha-256 --sizes 64";
    let (_, document) = sandbox.run(&short(&words(line)));
    let mut versions: Vec<&str> =
        series(&document, "openssl").iter().map(|one| one["library_version"].as_str().unwrap()).collect();
    versions.sort_unstable();
    assert_eq!(versions.len(), 2);
    assert!(versions[1].starts_with(versions[0]) && versions[1].ends_with("other.so"), "{versions:?}");
}

#[test]
#[cfg(unix)]
fn help_answers_at_once() {
    let sandbox = Sandbox::new();
    let once = |_| {
        let (said, taken) = timed(&sandbox.command(&["--help"]));
        assert!(said.contains("kasoku run --quick"), "{said}");
        taken
    };
    let best = (0..10).map(once).min().unwrap();
    assert!(best < Duration::from_millis(50), "{best:?}");
}

#[test]
fn openssl_is_measured_on_and_off_and_the_code_paths_show_it() {
    let sandbox = Sandbox::new();
    let arguments = short(&["--libraries", "openssl", "--algorithms", "aes-256-cbc,blowfish-cbc", "--sizes", "8192"]);
    let output = sandbox.kasoku(&[vec!["run", "--json", "out.json"], arguments].concat());
    if output.status.code() == Some(2) && std::env::var("CI").unwrap_or_default().is_empty() {
        println!("no libcrypto here: {}", error_of(&output));
        return;
    }
    let document = sandbox.written("out.json");
    let figure = |algorithm: &str, state: &str| {
        let is_it = |one: &&&Value| one["algorithm"] == algorithm && one["acceleration"] == state;
        let all = series(&document, "openssl");
        (*all.iter().find(is_it).unwrap_or_else(|| panic!("no series {algorithm} {state}"))).clone()
    };
    for algorithm in ["aes-256-cbc", "blowfish-cbc"] {
        for state in ["on", "off"] {
            let one = figure(algorithm, state);
            assert_eq!(one["outcome"], "measured", "{algorithm} {state}: {}", one["note"]);
        }
    }
    if std::arch::is_x86_feature_detected!("aes") {
        let (on, off) = (figure("aes-256-cbc", "on"), figure("aes-256-cbc", "off"));
        assert!(on["code_path"].as_str().unwrap().contains("aes"), "{}", on["code_path"]);
        assert!(!off["code_path"].as_str().unwrap().contains("aes"), "{}", off["code_path"]);
        assert!(on["median"].as_f64().unwrap() > 1.5 * off["median"].as_f64().unwrap());
    }
}

/// A run is of one build, though another is installed meanwhile: workers are started from what runs, not from what has
/// its name.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_was_replaced_measures_on() {
    use std::os::fd::AsRawFd as _;
    let sandbox = Sandbox::new();
    let (usual, old) = (sandbox.command(&[]), sandbox.path("kasoku"));
    // By another process: a file that this one ever wrote, a child of another test could hold open, and it would not
    // start.
    assert!(Command::new("cp").arg(usual.get_program()).arg(&old).status().unwrap().success());
    let held = std::fs::File::open(&old).unwrap();
    std::fs::remove_file(&old).unwrap();
    std::fs::write(&old, "another build").unwrap();
    let mut replaced = Command::new(format!("/proc/{}/fd/{}", std::process::id(), held.as_raw_fd()));
    replaced.args(short(&words("run primitives --libraries rustcrypto --algorithms sha-256 --sizes 64")));
    replaced.args(["--json", "out.json"]).current_dir(sandbox.path(""));
    replaced.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
    let output = replaced.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let document = sandbox.written("out.json");
    assert_eq!(series(&document, "rustcrypto").len(), 1);
}
