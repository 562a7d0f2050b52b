//! `kasoku run packets`: series, verification and plans.

use kasoku_model::document::Document;
use kasoku_model::workload::Packets;
use serde_json::{Value, json};

use crate::support::{Sandbox, list, series, short};

fn details<'a>(document: &'a Value, library: &str, operation: &str, bytes: u64) -> Vec<&'a Value> {
    let of_task = |one: &&Value| one["operation"] == operation && one["bytes"] == bytes;
    series(document, library).into_iter().filter(of_task).map(|one| &one["details"]).collect()
}

#[test]
fn run_packets_verifies_series_and_records_how_packets_were_made() {
    let sandbox = Sandbox::new();
    let line = "--libraries rustcrypto,kasoku --acceleration on --sizes 100,1440 --algorithms aes-128-gcm";
    let (_, document) = sandbox.measure("packets", &short(line));
    for one in list(&document["series"]) {
        assert_eq!(one["level"], "packets");
        let is_bound = one["library"].as_str().unwrap().starts_with("limit-");
        assert_eq!(one["outcome"] == "measured", !is_bound, "{one}");
        assert!(is_bound || one["note"].is_null(), "another library verifies the output, so there is no note: {one}");
        assert!(one["median"].as_f64().unwrap() > 1e6, "{one}");
        assert_eq!(one["unit"], "bytes/s");
    }
    let made = |packets: Packets| {
        let mut details = json!({"experiment": "packets", "threads": 1});
        details.as_object_mut().unwrap().extend(json!(packets).as_object().unwrap().clone());
        details
    };
    let [single, looped] = [Packets::SINGLE, Packets::looped(64)].map(made);
    for bytes in [100, 1440] {
        assert_eq!(details(&document, "kasoku", "seal", bytes), [&made(Packets::CIPHER), &single]);
        let protect = [&single, &made(Packets::batch(16)), &made(Packets::batch(64)), &looped];
        assert_eq!(details(&document, "kasoku", "protect", bytes), protect);
        assert_eq!(details(&document, "kasoku", "unprotect", bytes), protect);
        assert_eq!(details(&document, "rustcrypto", "seal", bytes), [&single]);
        assert_eq!(details(&document, "rustcrypto", "unprotect", bytes), [&single]);
    }
    assert_eq!(details(&document, "rustcrypto", "seal", 16384), [&made(Packets::RECORD)]);
    assert_eq!(sandbox.shown("last"), document);
    let runs = sandbox.json(&["runs", "--format", "json"]);
    assert_eq!(runs[0]["failed"], 0, "bounds must not count as failures: {runs}");

    let document: Document = serde_json::from_value(document).unwrap();
    for found in document.series.iter().filter(|one| one.library == "kasoku") {
        let packets = found.workload().packets().unwrap();
        // A sample counts packets, not batches.
        let (median, sample) = (found.median.unwrap(), found.samples[0]);
        let rate = (sample.iterations * found.bytes as u64) as f64 / (sample.ns as f64 * 1e-9);
        assert!((0.2..5.0).contains(&(rate / median)), "{rate} {median}");
        assert!(sample.iterations.is_multiple_of(packets.batch as u64));
    }
}

#[test]
fn one_run_measures_primitives_and_packets() {
    let sandbox = Sandbox::new();
    sandbox.text(&short("run --json out.json --libraries rustcrypto --sizes 64 --algorithms aes-128-gcm"));
    let document = sandbox.written("out.json");
    for level in ["primitives", "packets"] {
        assert!(series(&document, "rustcrypto").iter().any(|one| one["level"] == level), "{level}");
    }
    assert_eq!(sandbox.shown("last"), document);
}

#[test]
fn run_list_describes_default_and_published_plans() {
    let sandbox = Sandbox::new();
    let both = sandbox.text(&["run", "--list"]);
    assert!(both.starts_with("primitives: ") && both.contains("\n\npackets: "), "{both}");
    assert!(both.contains("aes-256-gcm unprotect, packets in batches of 64 at 1200, 1350, 1440"), "{both}");
    let published = sandbox.text(&["run", "--list", "packets", "--as-published"]);
    assert!(published.contains("aes-128-gcm seal, cipher alone at 1440, 16384 bytes"), "{published}");
    assert!(!published.contains("unprotect") && !published.contains("aes-256"), "{published}");
}
