//! `kasoku rank` and `kasoku history`, compared with the published tables.

use kasoku_measure::machine;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Run, SCHEMA};
use kasoku_model::workload::{Operation, Workload};
use serde_json::Value;

use crate::support::{Sandbox, error_of, list, shared, text_of};
use crate::synthetic;

/// Adds a run of this machine to the store: AES-128-GCM at 16 KiB with `figure` bytes per second.
fn add_run(sandbox: &Sandbox, id: &str, day: u32, figure: f64) {
    let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 16_384);
    let series = vec![synthetic::one("openssl", Acceleration::On, workload, figure)];
    let started = format!("2026-11-{day}T09:00:00Z");
    let run = Run { id: id.into(), started, complete: true, ..Run::default() };
    let document = Document { schema: SCHEMA, run, machine: machine::this(), series };
    sandbox.store().add_documents([&document]).unwrap();
}

/// Returns the devices of the publication's first table, sorted by its fourth column, the fastest first.
fn published_order(seed: &str) -> Vec<String> {
    let rows =
        seed.lines().skip_while(|line| !line.starts_with("| ターゲット")).skip(2).take_while(|l| l.starts_with('|'));
    let mut devices: Vec<(f64, String)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            (cells[5].trim_end_matches('k').parse().unwrap(), cells[1].to_owned())
        })
        .collect();
    devices.sort_by(|left, right| right.0.total_cmp(&left.0));
    devices.into_iter().map(|(_, device)| device).collect()
}

/// Returns the rows of a ranking: the machine, whether it is this one, and how its figure is known.
fn rows(ranking: &Value) -> Vec<(String, bool, String)> {
    let row = |row: &Value| {
        let known: Vec<&str> = list(&row["sources"]).iter().map(|source| source["known"].as_str().unwrap()).collect();
        (row["machine"].as_str().unwrap().to_owned(), row["this_machine"] == true, known.join("; "))
    };
    list(&ranking["machines"]).iter().map(row).collect()
}

const RANK: [&str; 6] = ["rank", "aes-128-gcm", "--bytes", "16384", "--format", "json"];

#[test]
fn rank_keeps_the_published_order_and_places_this_machine() {
    let Some(seed) = shared("seeds/004_92c08b4ab967beb1.txt") else { return };
    let mut expected = published_order(&std::fs::read_to_string(seed).unwrap());
    assert_eq!(expected.len(), 12);
    let names = |rows: &[(String, bool, String)]| rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>();
    let sandbox = Sandbox::new();
    assert_eq!(names(&rows(&serde_json::from_slice(&sandbox.kasoku_without_a_store(&RANK).stdout).unwrap())), expected);
    add_run(&sandbox, "r1", 21, 5.5e9);
    let ranked = rows(&sandbox.json(&RANK));
    assert_eq!((ranked[3].1, ranked[3].2.as_str()), (true, "measured"), "between the i7-10750H and the i5-7400");
    expected.insert(3, ranked[3].0.clone());
    assert_eq!(names(&ranked), expected);
}

#[test]
fn rank_lists_an_imported_published_device_once() {
    let Some(folder) = shared("devices") else { return };
    let Some(seed) = shared("seeds/004_92c08b4ab967beb1.txt") else { return };
    let expected = published_order(&std::fs::read_to_string(seed).unwrap());
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().to_str().unwrap().to_owned());
    let mut files: Vec<String> = files.filter(|path| path.ends_with(".txt")).collect();
    files.sort();
    assert_eq!(files.len(), 10);
    let sandbox = Sandbox::new();
    add_run(&sandbox, "r1", 21, 5.5e9);
    let import: Vec<&str> = std::iter::once("import").chain(files.iter().map(String::as_str)).collect();
    sandbox.text(&import);
    let ranked = rows(&sandbox.json(&RANK));
    let others: Vec<&(String, bool, String)> = ranked.iter().filter(|row| !row.1).collect();
    assert_eq!(others.iter().map(|row| row.0.clone()).collect::<Vec<_>>(), expected);
    for (device, _, known) in others {
        let only_published = ["i7-10750H", "i7-13700"].contains(&device.as_str());
        assert_eq!(known, if only_published { "published" } else { "imported; published" }, "{device}");
    }
    // Figures of unpublished sizes come from the transcripts. Their devices have the published names.
    let small = rows(&sandbox.json(&["rank", "aes-128-gcm", "--bytes", "1024", "--format", "json"]));
    assert_eq!(small.len(), 10);
    assert!(small.iter().all(|row| expected.contains(&row.0) && row.2 == "imported"), "{small:?}");
}

#[test]
fn rank_tells_which_run_would_add_missing_figures() {
    let sandbox = Sandbox::new();
    let output = sandbox.kasoku_without_a_store(&["rank", "aes-128-gcm"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(error_of(&output).contains("kasoku run primitives --quick"), "{}", error_of(&output));
    assert!(text_of(&output).contains("i7-13700"));
    // KASOKU_STORE names a store, which must exist.
    sandbox.refusal(&["rank", "aes-128-gcm"], "there is no store at");
    add_run(&sandbox, "r1", 21, 5.5e9);
    let next = "kasoku run primitives --algorithms aes-256-gcm --sizes 16384 --libraries openssl";
    sandbox.message(&["rank", "aes-256-gcm"], 0, next);
    sandbox.message(&["rank", "aes-256-gcm", "--bytes", "1350", "--lang", "ja"], 1, "値があるのは16 KiBです");
    let error = sandbox.message(&["rank", "aes-128-gcm", "--library", "nosuch"], 1, "");
    assert!(!error.contains("did you mean"), "the error must not suggest another algorithm: {error}");
}

#[test]
fn history_lists_every_run_and_claims_only_proven_changes() {
    let sandbox = Sandbox::new();
    sandbox.refusal(&["history", "aes-128-gcm"], "kasoku run");
    add_run(&sandbox, "first", 19, 5.0e9);
    add_run(&sandbox, "second", 20, 5.1e9);
    add_run(&sandbox, "third", 21, 6.0e9);
    let table = sandbox.text(&["history", "aes-128-gcm"]);
    let lines: Vec<&str> = table.lines().filter(|line| line.starts_with("2026")).collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[1].ends_with("  =") && lines[2].ends_with("▲ 1.18×"), "{table}");
    let named = sandbox.text(&["history", "aes-128-gcm", "--machine", &machine::this().cpu, "--format", "csv"]);
    assert_eq!(named.lines().count(), 4);
    assert_eq!(sandbox.text(&["history", "aes-256-gcm"]), "");
    sandbox.message(&["history", "aes-256-gcm"], 0, "no verified figure");
    let arguments = ["history", "aes-128-gcm", "--machine", "nobody's \u{1b}[2J"];
    assert!(!sandbox.refusal(&arguments, "known machines: ").contains('\u{1b}'));
}

#[test]
fn rank_counts_incomplete_runs_that_it_leaves_out() {
    let sandbox = Sandbox::new();
    add_run(&sandbox, "whole", 20, 1e9);
    add_run(&sandbox, "stopped", 21, 2e9);
    sandbox.execute_sql("UPDATE run SET complete = 0 WHERE id = 'stopped'");
    sandbox.message(&["rank", "aes-128-gcm"], 0, "Left out: incomplete runs (1)");
}
