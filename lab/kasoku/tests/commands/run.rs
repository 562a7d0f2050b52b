//! `kasoku run primitives`: results, failing libraries, and conditions that stop a run.

use std::process::{Command, Stdio};

use kasoku_measure::tls::children_of;
use serde_json::Value;

use crate::support::{
    Sandbox, check_status, error_of, is_there, list, omissions, output_of, peak_memory, series, short, text_of,
    wait_until, words,
};

#[test]
fn run_writes_document_and_report_and_stores_the_run() {
    let sandbox = Sandbox::new();
    let line = "--libraries rustcrypto,ring --algorithms aes-128-gcm,sha-256 --sizes 64,1350";
    let (screen, document) = sandbox.measure("primitives", &short(line));
    assert_eq!(document["schema"], 1);
    assert_eq!(document["run"]["complete"], true);
    let own = series(&document, "ring");
    assert_eq!(own.len(), 4);
    for one in own {
        assert_eq!(one["outcome"], "measured", "{one}");
        let [low, median, high] = [&one["ci95"][0], &one["median"], &one["ci95"][1]].map(|n| n.as_f64().unwrap());
        assert!(median > 1e6 && low <= median && median <= high, "{one}");
        assert_eq!(list(&one["samples"]).len(), 18);
        let kept = list(&one["samples"]).iter().filter(|sample| sample["dropped"] == false);
        let rate = |sample: &Value| sample["iterations"].as_f64().unwrap() / (sample["ns"].as_f64().unwrap() * 1e-9);
        let mut figures: Vec<f64> = kept.map(|sample| one["bytes"].as_f64().unwrap() * rate(sample)).collect();
        let of_kept = kasoku_model::statistics::median(&mut figures).unwrap();
        assert!((median / of_kept - 1.0).abs() < 1e-9, "{one}");
        if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            assert!(one["cycles_per_byte"].as_f64().unwrap() > 0.0);
        }
    }
    let report = sandbox.page();
    assert!(report.contains("<svg") && report.contains("Content-Security-Policy"));
    assert_eq!(sandbox.shown("last"), document);
    assert!(screen.contains("AES-128-GCM"), "{screen}");
    for shown in [screen, report] {
        assert!(!shown.contains("measured twice"), "a table lists an A/A control: {shown}");
    }
}

#[test]
fn faulty_libraries_fail_only_their_own_series() {
    let sandbox = Sandbox::new();
    let few = "--sizes 64 --algorithms aes-128-gcm,sha-256";
    let many = "--sizes 16,64,256,1024 --algorithms sha-1,sha-256,sha-512,blake2s-256,blake2b-512";
    for (level, line, library, count, reason) in [
        ("primitives", few, "test-wrong", 2, "not verified"),
        ("primitives", many, "test-crash", 20, "aborted"),
        ("primitives", few, "test-nonsense", 2, "an invalid answer"),
        ("primitives", few, "test-hang", 2, "no answer within"),
        // Series: seal, protect, unprotect, and seal of a TLS record.
        ("packets", "--sizes 1440 --algorithms aes-128-gcm", "test-wrong", 4, "not verified"),
    ] {
        let line = format!("{line} --libraries rustcrypto,{library}");
        let (output, document) = sandbox.run(level, &short(&line));
        check_status(&output, 1);
        let failed = series(&document, library);
        assert_eq!(failed.len(), count, "{library}");
        for one in failed {
            assert!(one["note"].as_str().unwrap().contains(reason) && one["outcome"] != "measured", "{one}");
            assert!(library == "test-wrong" || one["median"].is_null(), "{one}");
        }
        assert!(series(&document, "rustcrypto").iter().all(|one| one["outcome"] == "measured"), "{library}");
        assert_eq!(document["run"]["complete"], true);
    }
}

/// A worker that answers without being asked must not fill the memory of the laboratory.
#[cfg(target_os = "linux")]
#[test]
fn flooding_worker_fails_its_series_and_takes_no_memory() {
    let sandbox = Sandbox::new();
    let line = "run primitives --libraries rustcrypto,test-flood --algorithms sha-256 --sizes 64 --rounds 60";
    let mut run = sandbox.start(&[&words(line)[..], &["--json", "out.json"]].concat());
    let mut memory = 0;
    wait_until("the run ends", || {
        memory = peak_memory(run.id()).unwrap_or(memory);
        run.try_wait().unwrap().is_some()
    });
    assert_eq!(run.wait().unwrap().code(), Some(1));
    assert!((1..200 << 20).contains(&memory), "{memory} bytes");
    let document = sandbox.written("out.json");
    assert!(series(&document, "test-flood").iter().all(|one| one["median"].is_null() && one["outcome"] != "measured"));
    assert!(series(&document, "rustcrypto").iter().all(|one| one["outcome"] == "measured"));
    assert_eq!(document["run"]["complete"], true);
}

#[test]
fn run_repeats_samples_lost_in_a_worker_crash() {
    // Number of the request that crashes: once during preparation, once during the rounds.
    for request in ["1", "100"] {
        let sandbox = Sandbox::new();
        let line = "run primitives --libraries rustcrypto,test-crash-once --algorithms sha-256 --sizes 64 --rounds 27 \
                    --slice 1";
        let (output, document) = sandbox.run_with_crash(request, line);
        let crashed = series(&document, "test-crash-once")[0];
        let ended = (&crashed["outcome"], &crashed["details"]["restarts"], list(&crashed["samples"]).len());
        assert_eq!(ended, (&"measured".into(), &1.into(), 27), "{crashed}");
        assert!(crashed["note"].as_str().unwrap().contains("aborted; it was started again"), "{}", crashed["note"]);
        assert!(document["run"]["notes"].to_string().contains("restarted (test-crash-once)"));
        let screen = text_of(&output);
        assert!(screen.contains("Restarted") && screen.contains("aborted"), "{screen}");
    }
}

#[test]
fn second_run_is_rejected_unless_wait_is_given() {
    let sandbox = Sandbox::new();
    let few = words("run --libraries rustcrypto --algorithms sha-256 --sizes 64");
    let mut first = sandbox.start(&[&few[..], &["--rounds", "9000", "--slice", "9"]].concat());
    wait_until("the first run has workers", || children_of(first.id()).len() > 1);
    let said = sandbox.refusal(&few, &format!("another run (process {}, since ", first.id()));
    assert!(said.contains("--wait"), "{said}");
    first.kill().unwrap();
    first.wait().unwrap();
    sandbox.text(&[&few[..], &["--wait", "--rounds", "18", "--slice", "1"]].concat());
}

#[test]
#[cfg(target_os = "linux")]
fn run_checks_for_a_full_disk_before_it_measures() {
    let sandbox = Sandbox::new();
    let disk = sandbox.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&disk).output();
    // Mounting a small disk needs root. CI, which must run every test, runs as root.
    if !is_there(mounted.is_ok_and(|output| output.status.success()), "a small disk") {
        return;
    }
    let output = sandbox.kasoku(&["run", "--report", "disk/report.html"]);
    Command::new("umount").arg(&disk).status().unwrap();
    check_status(&output, 2);
    assert!(error_of(&output).contains("report.html"), "{}", error_of(&output));
}

#[test]
fn unsupported_size_is_omitted_and_other_sizes_measured() {
    let (_, document) =
        Sandbox::new().run("primitives", &short("--libraries rustcrypto --algorithms aes-256-xts --sizes 8,64"));
    let sizes: Vec<u64> = series(&document, "rustcrypto").iter().map(|one| one["bytes"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [64]);
    assert!(omissions(&document).contains("aes-256-xts"));
}

#[test]
fn run_continues_when_standard_error_is_closed() {
    let sandbox = Sandbox::new();
    let arguments = short("run --libraries rustcrypto --algorithms sha-256 --sizes 64");
    let mut child = sandbox.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn libcrypto_file_with_the_systems_version_gets_a_separate_series() {
    let sandbox = Sandbox::new();
    let libraries = sandbox.json(&["libraries", "--format", "json"]);
    let Some(library) = libraries[0]["loaded_from"].as_str() else {
        is_there(false, "libcrypto");
        return;
    };
    std::fs::copy(library, sandbox.path("other.so")).unwrap();
    let line = "--libraries openssl --libcrypto other.so --acceleration on --algorithms sha-256 --sizes 64";
    let (_, document) = sandbox.run("primitives", &short(line));
    let mut versions: Vec<&str> =
        series(&document, "openssl").iter().map(|one| one["library_version"].as_str().unwrap()).collect();
    versions.sort_unstable();
    assert_eq!(versions.len(), 2);
    assert!(versions[1].starts_with(versions[0]) && versions[1].ends_with("other.so"), "{versions:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn help_takes_less_than_50_ms() {
    let sandbox = Sandbox::new();
    assert!(sandbox.text(&["--help"]).contains("kasoku run --quick"));
    let best = (0..10).map(|_| crate::support::cost_of(&sandbox, &["--help"]).seconds).fold(f64::MAX, f64::min);
    assert!(best < 0.05, "{best} s");
}

#[test]
fn openssl_code_paths_show_acceleration_on_and_off() {
    let sandbox = Sandbox::new();
    let line = "run primitives --json out.json --libraries openssl --algorithms aes-256-cbc,blowfish-cbc --sizes 8192";
    let output = sandbox.kasoku(&short(line));
    if output.status.code() == Some(2) {
        is_there(false, &format!("libcrypto ({})", error_of(&output)));
        return;
    }
    let document = sandbox.written("out.json");
    let all = series(&document, "openssl");
    let find = |algorithm: &str, state: &str| {
        let one = *all.iter().find(|one| one["algorithm"] == algorithm && one["acceleration"] == state).unwrap();
        assert_eq!(one["outcome"], "measured", "{one}");
        one
    };
    for state in ["on", "off"] {
        find("blowfish-cbc", state);
    }
    let (on, off) = (find("aes-256-cbc", "on"), find("aes-256-cbc", "off"));
    if std::arch::is_x86_feature_detected!("aes") {
        assert!(on["code_path"].as_str().unwrap().contains("aes"), "{}", on["code_path"]);
        assert!(!off["code_path"].as_str().unwrap().contains("aes"), "{}", off["code_path"]);
        assert!(on["median"].as_f64().unwrap() > 1.5 * off["median"].as_f64().unwrap());
    }
}

/// Workers start from the running program's file, not from its path, so that a run has one build even if another is
/// installed meanwhile.
#[cfg(target_os = "linux")]
#[test]
fn run_uses_its_own_program_after_the_file_was_replaced() {
    use std::os::fd::AsRawFd as _;
    let sandbox = Sandbox::new();
    let old = sandbox.copy_of_kasoku();
    let held = std::fs::File::open(&old).unwrap();
    std::fs::remove_file(&old).unwrap();
    std::fs::write(&old, "another build").unwrap();
    let few = "run primitives --libraries rustcrypto --algorithms sha-256 --sizes 64 --json out.json";
    let mut replaced =
        sandbox.command_of(&format!("/proc/{}/fd/{}", std::process::id(), held.as_raw_fd()), &short(few));
    output_of(&mut replaced, 0);
    assert_eq!(series(&sandbox.written("out.json"), "rustcrypto").len(), 1);
}
