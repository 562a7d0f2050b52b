//! `kasoku run packets --end-to-end` as a user meets it: data that really goes from one process to another, and what
//! becomes of it when things go wrong.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // all of it is tests; clippy sees only functions marked so

mod support;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use kasoku_measure::tls::children_of;
use kasoku_model::document::Document;
use kasoku_model::workload::transfer::{Protection, Transport};
use kasoku_model::workload::{Operation, Transfer};
use serde_json::Value;
use support::{Sandbox, error_of, wait_until};

/// What makes a run short: two rounds of a few megabytes.
const SHORT: [&str; 5] = ["--end-to-end", "--rounds", "2", "--slice", "2"];

/// Which end of what the process `id` is; `None` if it is none, or gone.
fn end_of(id: u32) -> Option<String> {
    let line = std::fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    line.split_once(" endpoint ").map(|(_, rest)| rest.to_owned())
}

/// The endpoints that the process `id` has, once there are `count`.
fn endpoints_of(id: u32, count: usize) -> Vec<u32> {
    let mut all = Vec::new();
    wait_until(&format!("there are {count} endpoints"), || {
        all = children_of(id).into_iter().filter(|child| end_of(*child).is_some()).collect();
        all.len() >= count
    });
    all
}

#[test]
fn every_cryptography_moves_data_by_quic_and_tls() {
    let sandbox = Sandbox::new();
    let (output, document) = sandbox.run_level("packets", &SHORT);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let all = document["series"].as_array().unwrap();
    let mut seen = BTreeSet::new();
    for one in all {
        assert_eq!(
            (&one["level"], &one["operation"], &one["unit"]),
            (&"packets".into(), &"transfer".into(), &"bytes/s".into())
        );
        assert_eq!(one["outcome"], "measured", "{one}");
        assert!(one["median"].as_f64().unwrap() > 1e6, "{one}");
        let details = &one["details"];
        let number = |name: &str| details[name].as_f64().unwrap_or_else(|| panic!("no {name}: {one}"));
        assert!(number("sender_cpu_s_per_gb") > 0.0 && number("receiver_cpu_s_per_gb") > 0.0);
        assert!((0.0..=1.0).contains(&number("sender_kernel")) && (0.0..=1.0).contains(&number("receiver_kernel")));
        let (transport, bytes) = (details["transport"].as_str().unwrap(), one["bytes"].as_u64().unwrap());
        if transport == "quic" {
            assert!(number("packets_per_s") > 100.0 && number("lost") >= 0.0);
            // A packet has less of the data than its own size, and not much less.
            let samples = one["samples"].as_array().unwrap().iter();
            let payloads: u64 = samples.map(|sample| sample["iterations"].as_u64().unwrap()).sum();
            let a_payload = number("packets") / payloads as f64;
            assert!(
                (1.0..1.25).contains(&a_payload),
                "{a_payload} packets for as much data as one has room for: {one}"
            );
            assert!(details["through"].as_str().unwrap().starts_with("quinn 0."));
        }
        for sample in one["samples"].as_array().unwrap() {
            let side = |side: &str| sample["sides"][side]["cpu_ns"].as_u64().unwrap();
            assert_eq!(sample["cpu_ns"].as_u64().unwrap(), side("sender") + side("receiver"));
        }
        let protection = details["protection"].as_str().unwrap();
        let again = if details["control"] == true { " again" } else { "" };
        let [library, algorithm] = ["library", "algorithm"].map(|name| one[name].as_str().unwrap());
        assert!(seen.insert(format!("{algorithm} {library} {transport} {bytes} {protection}{again}")), "{one}");
    }
    let mut wanted = BTreeSet::new();
    for (algorithm, libraries) in
        [("aes-128-gcm", &["aws-lc", "ring", "kasoku"][..]), ("aes-256-gcm", &["aws-lc", "kasoku"])]
    {
        wanted.extend(libraries.iter().map(|library| format!("{algorithm} {library} tls 16384 provider")));
        for bytes in [1452, 8952] {
            wanted.extend(libraries.iter().map(|library| format!("{algorithm} {library} quic {bytes} provider")));
            wanted.insert(format!("{algorithm} kasoku quic {bytes} one-pass"));
        }
    }
    // What the others are held against, to see what chance does.
    wanted.extend(
        ["quic 1452", "quic 8952", "tls 16384"].map(|which| format!("aes-128-gcm aws-lc {which} provider again")),
    );
    assert_eq!(seen, wanted);

    let stored: Value = serde_json::from_slice(&sandbox.kasoku(&["show", "last", "--format", "json"]).stdout).unwrap();
    assert_eq!(stored, document, "what is stored is what was written");
    let read: Document = serde_json::from_value(document.clone()).unwrap();
    let one_pass = Transfer { transport: Transport::Quic, protection: Protection::OnePass };
    assert_eq!(read.series.iter().filter(|one| one.workload().transfer() == Some(one_pass)).count(), 4);
    assert!(read.series.iter().all(|one| one.operation == Operation::Transfer && one.samples[0].sides.is_some()));

    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(summary.contains("End to end with AES-128-GCM: CPU seconds for a gigabyte"), "{summary}");
    assert!(summary.contains("kasoku, one pass") && summary.contains("aws-lc, again"), "{summary}");
    assert!(summary.contains("Noise floor: aws-lc measured again"), "{summary}");
    let page = sandbox.page();
    assert!(page.contains("id=\"r1-transfer\"") && page.contains("CPU time of QUIC against TLS"));
}

#[test]
fn what_was_asked_for_is_what_is_moved() {
    let sandbox = Sandbox::new();
    let arguments = ["--libraries", "kasoku", "--algorithms", "aes-256-gcm", "--sizes", "1200,100"];
    let (output, document) = sandbox.run_level("packets", &[&arguments[..], &SHORT].concat());
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let all = document["series"].as_array().unwrap();
    assert_eq!(all.len(), 3 + 2, "two ways for packets of 1,200 bytes, and records; one of either a second time");
    for one in all {
        assert_eq!((&one["algorithm"], &one["outcome"]), (&"aes-256-gcm".into(), &"measured".into()), "{one}");
        assert!([1200, 16_384].contains(&one["bytes"].as_u64().unwrap()));
    }
    let list = String::from_utf8(sandbox.kasoku(&["run", "packets", "--list"]).stdout).unwrap();
    assert!(list.contains("packets, end to end: 7 series, 9 rounds in 3 starts"), "{list}");
    let list =
        String::from_utf8(sandbox.kasoku(&["run", "packets", "--list", "--libraries", "openssl"]).stdout).unwrap();
    assert!(!list.contains("end to end"), "{list}");
}

#[test]
fn an_endpoint_that_is_killed_costs_its_series_only() {
    let sandbox = Sandbox::new();
    let few = ["--libraries", "ring,kasoku", "--algorithms", "aes-128-gcm", "--sizes", "1452"];
    let arguments = ["--end-to-end", "--rounds", "2", "--slice", "700", "--json", "out.json"];
    let mut run = sandbox.start(&[&["run", "packets"][..], &few, &arguments].concat());
    // Two for each of five cases and two controls: all are connected, or about to be.
    let victim = endpoints_of(run.id(), 14).into_iter().find(|id| end_of(*id).unwrap().starts_with("sender")).unwrap();
    Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap();
    let status = run.wait().unwrap();
    assert_eq!(status.code(), Some(1), "a part failed");
    let document: Value = serde_json::from_slice(&std::fs::read(sandbox.path("out.json")).unwrap()).unwrap();
    let all = document["series"].as_array().unwrap();
    let failed: Vec<&Value> = all.iter().filter(|one| one["outcome"] != "measured").collect();
    assert_eq!((all.len(), failed.len()), (7, 1), "{failed:?}");
    assert_eq!(failed[0]["note"], "failed: the sender was killed (SIGKILL)");
    assert!(all.iter().all(|one| one["outcome"] != "measured" || one["median"].as_f64().unwrap() > 1e6));
}

#[test]
fn killed_it_leaves_no_process() {
    let sandbox = Sandbox::new();
    let mut run = sandbox.start(&["run", "packets", "--end-to-end", "--slice", "2000"]);
    let endpoints = endpoints_of(run.id(), 6);
    std::thread::sleep(Duration::from_millis(100));
    let endpoints: Vec<u32> = endpoints.into_iter().chain(endpoints_of(run.id(), 6)).collect();
    run.kill().unwrap();
    run.wait().unwrap();
    wait_until("no endpoint is left", || endpoints.iter().all(|id| end_of(*id).is_none()));
}

#[test]
fn wrong_usage_is_told() {
    let sandbox = Sandbox::new();
    for (arguments, told) in [
        (&["run", "--end-to-end"][..], "--end-to-end is for the level packets"),
        (&["run", "primitives", "--end-to-end"], "--end-to-end is for the level packets"),
        (&["run", "packets", "--end-to-end", "--sizes", "100"], "from 1200 to 65507 bytes"),
        (&["run", "packets", "--end-to-end", "--libraries", "openssl"], "the libraries aws-lc, ring and kasoku"),
        (&["run", "packets", "--end-to-end", "--algorithms", "sha-256"], "aes-128-gcm or aes-256-gcm"),
        (&["run", "packets", "--operations", "transfer", "--acceleration", "off"], "with acceleration on"),
    ] {
        let output = sandbox.kasoku(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(error_of(&output).contains(told), "{arguments:?}: {}", error_of(&output));
    }
}

#[test]
fn an_endpoint_says_what_is_wrong_with_its_lines() {
    let setting = |change: (&str, Value)| {
        let mut setting = serde_json::json!({"library": "ring", "algorithm": "aes-128-gcm", "transport": "quic",
                                             "protection": "provider", "bytes": 1452, "peer": null});
        setting[change.0] = change.1;
        setting.to_string()
    };
    let lost = serde_json::json!({"address": "127.0.0.1:9", "certificate": "no hexadecimal"});
    for (line, told) in [
        ("nonsense".to_owned(), "invalid line"),
        (setting(("library", "openssl".into())), "rustls has no aes-128-gcm by openssl"),
        (setting(("algorithm", "sha-256".into())), "rustls has no sha-256 by ring"),
        (setting(("transport", "carrier pigeon".into())), "expected `quic` or `tls`"),
        (setting(("bytes", 70_000.into())), "a datagram of 70000 bytes"),
        (setting(("bytes", 100.into())), "QUIC"),
        (setting(("peer", lost)), "the receiver's certificate is invalid"),
    ] {
        let sandbox = Sandbox::new();
        let mut command = sandbox.command(&["endpoint", "receiver"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        let error = said["error"].as_str().unwrap_or_else(|| panic!("{line}: {said}"));
        assert!(error.contains(told), "{line}: {error}");
    }
}

/// A process without a network of its own has a loopback that is down.
#[test]
fn where_there_are_no_sockets_that_is_said_and_the_rest_runs() {
    let isolated = |arguments: &[&str], sandbox: &Sandbox| sandbox.under(&["unshare", "-n"], arguments).output();
    let is_possible = Command::new("unshare").args(["-n", "true"]).status().is_ok_and(|status| status.success());
    if !is_possible {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "with CI set there must be networks of one's own");
        eprintln!("not tested: no network of one's own is to be had");
        return;
    }
    let sandbox = Sandbox::new();
    let output = isolated(&["run", "packets", "--end-to-end"], &sandbox).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error_of(&output).contains("sockets on the loopback do not work here"), "{}", error_of(&output));
    let arguments =
        ["run", "packets", "--libraries", "ring", "--algorithms", "aes-128-gcm", "--operations", "seal,transfer"];
    let output =
        isolated(&[&arguments[..], &["--rounds", "3", "--slice", "1", "--json", "out.json"]].concat(), &sandbox)
            .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let document: Value = serde_json::from_slice(&std::fs::read(sandbox.path("out.json")).unwrap()).unwrap();
    assert!(document["series"].as_array().unwrap().iter().all(|one| one["operation"] == "seal"));
    assert!(document["run"]["omissions"].to_string().contains("sockets on the loopback do not work here"));
}
