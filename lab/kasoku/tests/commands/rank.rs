//! `kasoku rank` and `kasoku history`, compared with the publication itself.

use kasoku_measure::machine;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Outcome, Run, SCHEMA, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::workload::{Operation, Workload};

use crate::support::{Sandbox, error_of, shared, text_of};

/// Adds a run of this machine to the store: AES-128-GCM at 16 KiB with `figure` bytes per second.
fn add_run(sandbox: &Sandbox, id: &str, started: &str, figure: f64) {
    let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 16_384);
    let version = "OpenSSL 3.5.4 30 Sep 2025".into();
    let series = Series {
        code_path: "vaes512".into(),
        median: Some(figure),
        ci95: Some([figure * 0.999, figure * 1.001]),
        outcome: Outcome::Measured,
        ..Series::empty(Level::Primitives, &workload, "openssl", version, Acceleration::On, Unit::BytesPerSecond)
    };
    let run = Run { id: id.into(), started: started.into(), kasoku: "0.1.0".into(), complete: true, ..Run::default() };
    let document = Document { schema: SCHEMA, run, machine: machine::this(), series: vec![series] };
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

/// Parses the columns `machine`, `this_machine` and `known` of a ranking in CSV.
fn rows(csv: &str) -> Vec<(String, bool, String)> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headings = reader.headers().unwrap().clone();
    let column = |name: &str| headings.iter().position(|heading| heading == name).unwrap();
    let [machine, this, known] = ["machine", "this_machine", "known"].map(column);
    let records = reader.records().map(|record| {
        let record = record.unwrap();
        (record[machine].to_owned(), &record[this] == "true", record[known].to_owned())
    });
    records.collect()
}

const RANK: [&str; 6] = ["rank", "aes-128-gcm", "--bytes", "16384", "--format", "csv"];

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
    add_run(&sandbox, "r1", "2026-11-21T09:00:00Z", 5.5e9);
    let import: Vec<&str> = std::iter::once("import").chain(files.iter().map(String::as_str)).collect();
    sandbox.text(&import);
    let ranked = rows(&sandbox.text(&RANK));
    let others: Vec<&(String, bool, String)> = ranked.iter().filter(|row| !row.1).collect();
    assert_eq!(others.iter().map(|row| row.0.clone()).collect::<Vec<_>>(), expected);
    for (device, _, known) in others {
        let only_published = ["i7-10750H", "i7-13700"].contains(&device.as_str());
        assert_eq!(known, if only_published { "published" } else { "imported; published" }, "{device}");
    }
    // Under another name, the figures identify a device.
    let nameless = Sandbox::new();
    for file in &files {
        nameless.text(&["import", "--name", "x", file]);
    }
    let ranked = rows(&nameless.text(&RANK));
    assert_eq!(ranked.iter().map(|row| row.0.clone()).collect::<Vec<_>>(), expected);
    assert_eq!(ranked.iter().filter(|row| row.2 == "imported; published").count(), 10);
    // Unpublished sizes come from the transcripts, under the published names.
    let small = rows(&sandbox.text(&["rank", "aes-128-gcm", "--bytes", "1024", "--format", "csv"]));
    assert_eq!(small.len(), 10);
    assert!(small.iter().all(|row| expected.contains(&row.0) && row.2 == "imported"), "{small:?}");
}

#[test]
fn rank_marks_this_machine_in_every_format_and_language() {
    let sandbox = Sandbox::new();
    add_run(&sandbox, "r1", "2026-11-21T09:00:00Z", 5.5e9);
    for (language, title, mark) in
        [("en", "AES-128-GCM seal", "(this machine)"), ("ja", "AES-128-GCM 暗号化", "（このマシン）")]
    {
        for format in ["table", "markdown"] {
            let printed = sandbox.text(&["rank", "aes-128-gcm", "--lang", language, "--format", format]);
            assert!(printed.contains(title) && printed.contains(mark), "{printed}");
        }
        let objects = sandbox.json(&["rank", "aes-128-gcm", "--lang", language, "--format", "json"]);
        assert_eq!(objects["machines"][3]["this_machine"], true);
        assert_eq!(objects["machines"][3]["sources"][0]["run"], "r1");
    }
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
    add_run(&sandbox, "r1", "2026-11-21T09:00:00Z", 5.5e9);
    let next = "kasoku run primitives --algorithms aes-256-gcm --sizes 16384 --libraries openssl";
    sandbox.message(&["rank", "aes-256-gcm"], 0, next);
    let output = sandbox.kasoku(&["rank", "aes-256-gcm", "--bytes", "1350", "--lang", "ja"]);
    assert_eq!((output.status.code(), text_of(&output).as_str()), (Some(1), ""));
    assert!(error_of(&output).contains("値があるのは16 KiBです"), "{}", error_of(&output));
    let error = sandbox.message(&["rank", "aes-128-gcm", "--library", "nosuch"], 1, "");
    assert!(!error.contains("did you mean"), "the algorithm is right: {error}");
}

#[test]
fn history_lists_every_run_and_claims_only_proven_changes() {
    let sandbox = Sandbox::new();
    sandbox.refusal(&["history", "aes-128-gcm"], "kasoku run");
    add_run(&sandbox, "first", "2026-11-19T09:00:00Z", 5.0e9);
    add_run(&sandbox, "second", "2026-11-20T09:00:00Z", 5.1e9);
    add_run(&sandbox, "third", "2026-11-21T09:00:00Z", 6.0e9);
    let table = sandbox.text(&["history", "aes-128-gcm"]);
    let lines: Vec<&str> = table.lines().filter(|line| line.starts_with("2026")).collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[1].ends_with("  =") && lines[2].ends_with("▲ 1.18×"), "{table}");
    let csv = sandbox.text(&["history", "aes-128-gcm", "--format", "csv", "--lang", "ja"]);
    let changes: Vec<&str> = csv.lines().skip(1).map(|line| line.rsplit(',').nth(1).unwrap()).collect();
    assert_eq!(changes, ["first", "not shown", "shown"]);
    let japanese = sandbox.text(&["history", "aes-128-gcm", "--lang", "ja"]);
    assert!(!japanese.contains("no difference") && japanese.contains("前回比"), "{japanese}");
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
    add_run(&sandbox, "whole", "2026-11-20T09:00:00Z", 1e9);
    add_run(&sandbox, "stopped", "2026-11-21T09:00:00Z", 2e9);
    sandbox.execute_sql("UPDATE run SET complete = 0 WHERE id = 'stopped'");
    let told = |arguments: &[&str]| error_of(&sandbox.kasoku(&[&["rank"], arguments].concat()));
    assert_eq!(told(&["aes-128-gcm"]).trim_end(), "Left out: incomplete runs (1)");
    assert_eq!(told(&["aes-128-gcm", "--lang", "ja"]).trim_end(), "含めていないもの：未完了の測定（1件）");
    assert!(!told(&["aes-256-gcm"]).contains("Left out"));
    let objects = sandbox.json(&["rank", "aes-128-gcm", "--format", "json"]);
    assert_eq!(objects["left_out"]["runs"]["incomplete"], 1);
}
