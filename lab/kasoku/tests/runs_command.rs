//! Runs by their labels, runs that go, and which run is meant where none is named.

#![allow(clippy::unwrap_used)]

mod support;
#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use kasoku_measure::machine;
use kasoku_model::document::{Document, Origin, OriginKind, Series};
use support::{SHORT, Sandbox, error_of, words};

/// The synthetic run as one of this machine, on that day, with these levels.
fn run(id: &str, day: u32, levels: &[&str]) -> Document {
    let mut document = synthetic::document();
    document.run.id = id.to_owned();
    document.run.started = format!("2026-11-{day:02}T09:14:09Z");
    document.machine = machine::this();
    document.series.retain(|series| series.library == "openssl" && series.bytes >= 1350);
    let of_level = |level: &&str| {
        let level = level.parse().unwrap();
        document.series.iter().map(move |series| Series { level, ..series.clone() })
    };
    document.series = levels.iter().flat_map(of_level).collect();
    document
}

/// Changes the store of a sandbox as no Kasoku does.
fn change(sandbox: &Sandbox, sql: &str) {
    rusqlite::Connection::open(sandbox.path("store.sqlite")).unwrap().execute(sql, []).unwrap();
}

fn names(sandbox: &Sandbox) -> Vec<String> {
    let runs = sandbox.json(&["runs", "--format", "json"]);
    runs.as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_label_names_the_newest_run_that_has_it() {
    let sandbox = Sandbox::new();
    let few = words("run primitives --libraries rustcrypto --algorithms sha-256 --sizes 64 --acceleration on");
    for _ in 0..2 {
        sandbox.text(&[&few[..], &["--label", "before"], &SHORT].concat());
    }
    let newest = names(&sandbox)[0].clone();
    let shown = sandbox.json(&["show", "before", "--format", "json"]);
    assert_eq!((shown["run"]["id"].as_str(), shown["run"]["label"].as_str()), (Some(newest.as_str()), Some("before")));
    assert!(sandbox.text(&["show", "before"]).contains("label before"));
    let listed = sandbox.text(&["runs"]);
    assert!(listed.contains("label") && listed.matches(" before").count() >= 2, "{listed}");
    assert_eq!(sandbox.pages().len(), 2, "each run has a page of its own");
    assert!(sandbox.path(&format!("kasoku-{newest}.html")).exists());
    for bad in ["last", "last-2", "a b", "-x", "a/b", "\u{1b}[31m", ""] {
        assert!(!sandbox.refusal(&[&few[..], &["--label", bad]].concat(), "").contains("\u{1b}[31m"));
    }
}

#[test]
fn runs_go_only_if_they_are_named_or_old_and_somebody_agrees() {
    let mut labelled = run("labelled", 1, &["primitives"]);
    labelled.run.label = Some("before".to_owned());
    let mut elsewhere = run("elsewhere", 2, &["primitives"]);
    elsewhere.machine.cpu = "another CPU".to_owned();
    let mut imported = run("imported", 3, &["primitives"]);
    imported.run.origin =
        Some(Origin { kind: OriginKind::Transcript, source: "a file".into(), address: None, note: None });
    let own = [run("a", 4, &["tls"]), run("b", 5, &["primitives"]), run("c", 6, &["primitives"])];
    let sandbox = Sandbox::with(&[&[labelled, elsewhere, imported][..], &own].concat());
    let all = names(&sandbox);

    sandbox.refusal(&["runs", "delete", "a"], "use --yes");
    sandbox.refusal(&["runs", "prune", "--keep", "0"], "use --yes");
    sandbox.refusal(&["runs", "delete", "a", "nosuch", "--yes"], "nosuch");
    assert_eq!(names(&sandbox), all, "all of them or none");

    // The newest of the levels, what has a label, and what is not of this machine stays.
    let told = sandbox.text(&["runs", "prune", "--keep", "0", "--yes"]);
    assert!(told.contains("b") && !told.contains("elsewhere"), "{told}");
    assert_eq!(names(&sandbox), ["c", "a", "elsewhere", "labelled", "imported"]);
    assert!(error_of(&sandbox.kasoku(&["runs", "prune", "--keep", "0"])).contains("Nothing to delete"));
    sandbox.text(&["runs", "delete", "before", "imported", "--yes"]);
    assert_eq!(names(&sandbox), ["c", "a", "elsewhere"]);
    assert!(sandbox.text(&["show", "c"]).contains("Kasoku"), "what stays can be read");
}

#[test]
#[cfg(unix)]
fn end_of_input_at_the_question_deletes_nothing() {
    if !support::has(&["script"]) {
        return;
    }
    let sandbox = Sandbox::with(&[run("a", 1, &["primitives"])]);
    let delete = format!("{} runs delete a", env!("CARGO_BIN_EXE_kasoku"));
    let mut terminal = std::process::Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &delete, "/dev/null"]).stdin(std::process::Stdio::null());
    terminal.envs([("KASOKU_STORE", sandbox.path("store.sqlite")), ("KASOKU_LOCK", sandbox.path("lock"))]);
    let output = terminal.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(2) && shown.contains("use --yes"), "{output:?}");
    assert_eq!(names(&sandbox), ["a"]);
}

#[test]
fn a_run_of_one_level_hides_nothing_where_no_run_is_named() {
    let sandbox = Sandbox::with(&[run("whole", 1, &["primitives", "files"]), run("servers", 2, &["tls"])]);
    let advice = sandbox.json(&["advise", "--format", "json"]);
    let of_tls = advice["advice"].as_array().unwrap().iter().find(|one| one["topic"] == "tls").unwrap();
    assert_eq!(of_tls["run"], "whole");
    let told = sandbox.text(&["advise", "--for", "tls"]);
    assert!(told.contains("From the run whole · 2026-11-01."), "{told}");
    assert!(sandbox.text(&["advise", "--for", "tls", "servers"]).contains("No advice on what was asked"));

    sandbox.text(&["report"]);
    let [page] = &sandbox.pages()[..] else { panic!("{:?}", sandbox.pages()) };
    assert_eq!(page.file_name().unwrap(), "kasoku-servers.html");
    assert!(sandbox.page().contains("whole") && sandbox.page().contains("servers"), "both are named");
    let again = error_of(&sandbox.kasoku(&["report"]));
    assert!(again.contains("replacing the existing file"), "{again}");
    let ranking = sandbox.json(&["rank", "aes-256-gcm", "--bytes", "16384", "--format", "json"]);
    assert!(ranking.to_string().contains("\"run\":\"whole\""), "{ranking}");
}

#[test]
fn the_last_two_runs_are_compared_that_have_anything_in_common() {
    let documents = [run("first", 1, &["packets"]), run("second", 2, &["primitives"]), run("third", 3, &["packets"])];
    let sandbox = Sandbox::with(&documents);
    let output = sandbox.kasoku(&["compare", "last-1", "last"]);
    let (said, table) = (error_of(&output), String::from_utf8(output.stdout).unwrap());
    assert!(said.contains("last-1 (second) has no workload in common with third; compared with first"), "{said}");
    assert!(table.contains("A  first") && table.contains("B  third"), "{table}");
    let output = sandbox.kasoku(&["compare", "second", "third"]);
    let told = String::from_utf8(output.stdout).unwrap().replace("\n  ", " ");
    assert!(told.contains("nothing to compare"), "those that were named");
    let output = sandbox.kasoku(&["compare", "last", "last", "--fail-on-regression"]);
    assert!(output.status.success() && error_of(&output).contains("compared with itself"), "{}", error_of(&output));
    let output = sandbox.kasoku(&["compare", "last-1", "last-1"]);
    assert!(error_of(&output).contains("compared with itself"), "{}", error_of(&output));
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_on_some_of_the_cpus_is_one_of_this_machine() {
    let sandbox = Sandbox::new();
    let few = words("run primitives --libraries rustcrypto --algorithms sha-256 --sizes 64 --acceleration on");
    let pinned = [&few[..], &["--json", "one.json"], &SHORT].concat();
    let output = sandbox.under(&["taskset", "-c", "0"], &pinned).output().unwrap();
    assert!(output.status.success(), "{}", error_of(&output));
    let document = sandbox.written("one.json");
    assert_eq!(document["machine"]["cores"], 1);
    assert_eq!(document["machine"]["logical_cpus"].as_u64(), machine::this().logical_cpus.map(|count| count as u64));
    let history = sandbox.text(&["history", "sha-256", "--library", "rustcrypto", "--format", "csv"]);
    assert_eq!(history.lines().count(), 2, "{history}");
    let output = sandbox.kasoku(&["rank", "sha-256", "--library", "rustcrypto"]);
    assert!(output.status.success() && error_of(&output).is_empty(), "{}", error_of(&output));
}

#[test]
fn a_run_that_cannot_be_read_is_named_and_can_be_deleted() {
    let sandbox = Sandbox::with(&[run("good", 1, &["primitives"]), run("bad", 2, &["primitives"])]);
    change(&sandbox, "UPDATE run SET origin = '{' WHERE id = 'bad'");
    for arguments in [&["runs"][..], &["rank", "aes-256-gcm"], &["site", "--out", "site"]] {
        let output = sandbox.kasoku(arguments);
        let said = error_of(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("Left out: ") && said.contains("\"bad\""), "{arguments:?}: {said}");
    }
    // A page is about the runs that were asked for.
    let output = sandbox.kasoku(&["report", "good", "--out", "page.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    assert!(error_of(&output).contains("\"bad\""), "{}", error_of(&output));
    sandbox.text(&["runs", "delete", "bad", "--yes"]);
    assert_eq!(names(&sandbox), ["good"]);
}

#[test]
fn verify_tells_damage_by_words_and_status() {
    let sandbox = Sandbox::with(&[run("a", 1, &["primitives"]), run("b", 2, &["primitives"])]);
    assert!(sandbox.text(&["runs", "--verify"]).contains("is undamaged; its 2 runs can be read"));
    change(&sandbox, "UPDATE run SET machine = '{' WHERE id = 'b'");
    let output = sandbox.kasoku(&["runs", "--verify"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).contains("Left out: ") && error_of(&output).contains("\"b\""), "{}", error_of(&output));
    let mut damaged = std::fs::read(sandbox.path("store.sqlite")).unwrap();
    damaged[8192..16384].fill(0x5a);
    std::fs::write(sandbox.path("store.sqlite"), damaged).unwrap();
    let output = sandbox.kasoku(&["runs", "--verify"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).contains("is damaged: "), "{}", error_of(&output));
}
