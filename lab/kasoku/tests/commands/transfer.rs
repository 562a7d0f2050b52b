//! `kasoku run packets --end-to-end`: data moved between processes, and failures of the endpoints.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use kasoku_measure::tls::children_of;
use kasoku_model::document::Document;
use kasoku_model::workload::transfer::{Protection, Transport};
use kasoku_model::workload::{Operation, Transfer};
use serde_json::Value;

use crate::support::{
    Sandbox, ask_worker, check_status, command_line, is_there, list, omissions, send_signal, wait_until, words,
};

/// Options of a short run: two rounds of a few megabytes.
const SHORT: [&str; 5] = ["--end-to-end", "--rounds", "2", "--slice", "2"];

fn is_endpoint(process: &u32) -> bool {
    command_line(*process).contains(" endpoint ")
}

/// Waits until the process `id` has started `count` endpoints, and returns their process IDs.
fn wait_for_endpoints(id: u32, count: usize) -> Vec<u32> {
    let mut all = Vec::new();
    wait_until(&format!("there are {count} endpoints"), || {
        all = children_of(id).into_iter().filter(is_endpoint).collect();
        all.len() >= count
    });
    all
}

#[test]
fn every_provider_transfers_data_over_quic_and_tls() {
    let sandbox = Sandbox::new();
    let (screen, document) = sandbox.measure("packets", &SHORT);
    let mut seen = BTreeSet::new();
    for one in list(&document["series"]) {
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
            // Headers and tags take a little space in each packet, so a payload needs slightly more than one packet.
            let samples = list(&one["samples"]).iter();
            let payloads: u64 = samples.map(|sample| sample["iterations"].as_u64().unwrap()).sum();
            let packets_per_payload = number("packets") / payloads as f64;
            assert!((1.0..1.25).contains(&packets_per_payload), "{packets_per_payload}: {one}");
            assert!(details["through"].as_str().unwrap().starts_with("quinn 0."));
        }
        for sample in list(&one["samples"]) {
            let side = |side: &str| sample["sides"][side]["cpu_ns"].as_u64().unwrap();
            assert_eq!(sample["cpu_ns"].as_u64().unwrap(), side("sender") + side("receiver"));
        }
        let protection = details["protection"].as_str().unwrap();
        let again = if details["control"] == true { " again" } else { "" };
        let [library, algorithm] = ["library", "algorithm"].map(|name| one[name].as_str().unwrap());
        assert!(seen.insert(format!("{algorithm} {library} {transport} {bytes} {protection}{again}")), "{one}");
    }
    let (with_ring, without_ring, controls) = (4 + 4 + 3, 3 + 3 + 2, 3);
    assert_eq!(seen.len(), with_ring + without_ring + controls, "two sizes of QUIC packets, and TLS: {seen:?}");

    assert_eq!(sandbox.shown("last"), document);
    let read: Document = serde_json::from_value(document.clone()).unwrap();
    let one_pass = Transfer { transport: Transport::Quic, protection: Protection::OnePass };
    assert_eq!(read.series.iter().filter(|one| one.workload().transfer() == Some(one_pass)).count(), 4);
    assert!(read.series.iter().all(|one| one.operation == Operation::Transfer && one.samples[0].sides.is_some()));

    assert!(screen.contains("End to end with AES-128-GCM: CPU seconds for a gigabyte"), "{screen}");
    assert!(sandbox.page().contains("id=\"r1-transfer\""));
}

#[test]
fn run_list_counts_the_transfers_that_were_asked_for() {
    let sandbox = Sandbox::new();
    let default = "packets, end to end: 7 series, 9 rounds in 3 starts";
    assert!(sandbox.text(&words("run packets --list")).contains(default));
    // Two protections of packets of 1,200 bytes, one of TLS records, and an A/A control of each transport.
    let chosen = "run packets --list --end-to-end --libraries kasoku --algorithms aes-256-gcm --sizes 1200,100";
    assert!(sandbox.text(&words(chosen)).contains("packets, end to end: 5 series"));
    assert!(!sandbox.text(&words("run packets --list --libraries openssl")).contains("end to end"));
}

#[test]
fn killed_endpoint_fails_only_its_own_series() {
    let sandbox = Sandbox::new();
    let line = "run packets --libraries ring,kasoku --algorithms aes-128-gcm --sizes 1452 --end-to-end --rounds 2 \
                --slice 700 --json out.json";
    let mut run = sandbox.start(&words(line));
    // Two endpoints for each of five cases and two controls.
    let endpoints = wait_for_endpoints(run.id(), 14);
    let is_sender = |id: &u32| command_line(*id).contains(" endpoint sender ");
    send_signal("-9", endpoints.into_iter().find(is_sender).unwrap());
    assert_eq!(run.wait().unwrap().code(), Some(1), "a failed series gives status 1");
    let document = sandbox.written("out.json");
    let all = list(&document["series"]);
    let failed: Vec<&Value> = all.iter().filter(|one| one["outcome"] != "measured").collect();
    assert_eq!((all.len(), failed.len()), (7, 1), "{failed:?}");
    assert_eq!(failed[0]["note"], "failed: the sender was killed (SIGKILL)");
    assert!(all.iter().all(|one| one["outcome"] != "measured" || one["median"].as_f64().unwrap() > 1e6));
}

#[test]
fn killed_run_leaves_no_endpoint() {
    let sandbox = Sandbox::new();
    let mut run = sandbox.start(&words("run packets --end-to-end --slice 2000"));
    let endpoints = wait_for_endpoints(run.id(), 6);
    std::thread::sleep(Duration::from_millis(100));
    let endpoints: Vec<u32> = endpoints.into_iter().chain(wait_for_endpoints(run.id(), 6)).collect();
    run.kill().unwrap();
    run.wait().unwrap();
    wait_until("no endpoint is left", || !endpoints.iter().any(is_endpoint));
}

#[test]
fn endpoint_names_the_fault_in_its_first_line() {
    let setting = |name: &str, value: Value| {
        let mut setting = serde_json::json!({"library": "ring", "algorithm": "aes-128-gcm", "transport": "quic",
                                             "protection": "provider", "bytes": 1452, "peer": null});
        setting[name] = value;
        setting.to_string()
    };
    let lost = serde_json::json!({"address": "127.0.0.1:9", "certificate": "no hexadecimal"});
    for (line, told) in [
        ("nonsense".to_owned(), "invalid line"),
        (setting("library", "openssl".into()), "rustls has no aes-128-gcm by openssl"),
        (setting("algorithm", "sha-256".into()), "rustls has no sha-256 by ring"),
        (setting("transport", "carrier pigeon".into()), "expected `quic` or `tls`"),
        (setting("bytes", 70_000.into()), "a datagram of 70000 bytes"),
        (setting("bytes", 100.into()), "QUIC"),
        (setting("peer", lost), "the receiver's certificate is invalid"),
    ] {
        let answers = ask_worker(&mut Sandbox::new().command(&["endpoint", "receiver"]), &format!("{line}\n"));
        let [answer] = &answers[..] else { panic!("{line}: {answers:?}") };
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{line}: {answer}"));
        assert!(error.contains(told), "{line}: {error}");
    }
}

/// A process in a network namespace of its own has a loopback that is down.
#[test]
fn transfers_without_sockets_are_omitted_and_packets_measured() {
    let can_isolate = Command::new("unshare").args(["-n", "true"]).status().is_ok_and(|status| status.success());
    if !is_there(can_isolate, "permission for network namespaces") {
        return;
    }
    let sandbox = Sandbox::new();
    let isolated = |line: &str| sandbox.under(&["unshare", "-n"], &words(line)).output().unwrap();
    const WHY: &str = "sockets on the loopback do not work here";
    let refused = isolated("run packets --end-to-end");
    check_status(&refused, 2);
    assert!(String::from_utf8_lossy(&refused.stderr).contains(WHY));
    let line = "run packets --libraries ring --algorithms aes-128-gcm --operations seal,transfer --rounds 3 --slice 1 \
                --json out.json";
    check_status(&isolated(line), 0);
    let document = sandbox.written("out.json");
    assert!(list(&document["series"]).iter().all(|one| one["operation"] == "seal"));
    assert!(omissions(&document).contains(WHY));
}
