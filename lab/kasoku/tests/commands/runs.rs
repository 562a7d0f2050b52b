//! `kasoku runs`: labels, deletion and verification; and the runs that other commands use by default.

use kasoku_measure::machine;
use kasoku_model::document::{Document, Origin, OriginKind, Series};

use crate::support::{SHORT, Sandbox, error_of, has, list, output_of, text_of, words};
use crate::synthetic;

/// The synthetic run as a run of this machine in November 2026, with copies of its series at each of `levels`.
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

fn names(sandbox: &Sandbox) -> Vec<String> {
    let runs = sandbox.json(&["runs", "--format", "json"]);
    list(&runs).iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn label_names_its_newest_run() {
    let sandbox = Sandbox::new();
    let few = words("run primitives --libraries rustcrypto --algorithms sha-256 --sizes 64 --acceleration on");
    for _ in 0..2 {
        sandbox.text(&[&few[..], &["--label", "before"], &SHORT].concat());
    }
    let newest = names(&sandbox)[0].clone();
    let shown = sandbox.shown("before");
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
fn delete_and_prune_need_confirmation_and_keep_protected_runs() {
    let mut labelled = run("labelled", 1, &["primitives"]);
    labelled.run.label = Some("before".to_owned());
    let mut elsewhere = run("elsewhere", 2, &["primitives"]);
    elsewhere.machine.cpu = "another CPU".to_owned();
    let mut imported = run("imported", 3, &["primitives"]);
    imported.run.origin =
        Some(Origin { kind: OriginKind::Transcript, source: "a file".into(), address: None, note: None });
    let mut stopped = run("stopped", 7, &["primitives"]);
    stopped.run.complete = false;
    let own = [run("a", 4, &["tls"]), run("b", 5, &["primitives"]), run("c", 6, &["primitives"]), stopped];
    let sandbox = Sandbox::with(&[&[labelled, elsewhere, imported][..], &own].concat());
    let all = names(&sandbox);

    sandbox.refusal(&["runs", "delete", "a"], "use --yes");
    sandbox.refusal(&["runs", "prune", "--keep", "0"], "use --yes");
    sandbox.refusal(&["runs", "delete", "a", "nosuch", "--yes"], "nosuch");
    assert_eq!(names(&sandbox), all, "one unknown name prevents all deletions");

    // Prune keeps the newest complete run of each level, labelled runs, imported runs and those of other machines.
    for arguments in [&["--keep", "3"][..], &["--older-than", "100000w"], &["--keep", "0", "--older-than", "100000w"]] {
        sandbox.message(&[&["runs", "prune"], arguments].concat(), 0, "Nothing to delete");
    }
    let told = sandbox.text(&["runs", "prune", "--keep", "1", "--yes"]);
    assert!(told.contains("b") && !told.contains("elsewhere"), "{told}");
    assert_eq!(names(&sandbox), ["stopped", "c", "a", "elsewhere", "labelled", "imported"]);
    sandbox.text(&["runs", "prune", "--older-than", "0h", "--yes"]);
    assert_eq!(names(&sandbox), ["c", "a", "elsewhere", "labelled", "imported"]);
    sandbox.message(&["runs", "prune", "--keep", "0"], 0, "Nothing to delete");
    sandbox.text(&["runs", "delete", "before", "imported", "--yes"]);
    assert_eq!(names(&sandbox), ["c", "a", "elsewhere"]);
    assert!(sandbox.text(&["show", "c"]).contains("Kasoku"));
}

#[test]
#[cfg(unix)]
fn delete_without_confirmation_deletes_nothing() {
    if !has(&["script"]) {
        return;
    }
    let sandbox = Sandbox::with(&[run("a", 1, &["primitives"])]);
    let delete = format!("{} runs delete a", env!("CARGO_BIN_EXE_kasoku"));
    let mut terminal = std::process::Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &delete, "/dev/null"]).stdin(std::process::Stdio::null());
    terminal.envs([("KASOKU_STORE", sandbox.path("store.sqlite")), ("KASOKU_LOCK", sandbox.path("lock"))]);
    let output = terminal.output().unwrap();
    assert!(output.status.code() == Some(2) && text_of(&output).contains("use --yes"), "{output:?}");
    assert_eq!(names(&sandbox), ["a"]);
}

#[test]
fn commands_without_a_run_use_the_newest_run_of_each_level() {
    let sandbox = Sandbox::with(&[run("whole", 1, &["primitives", "files"]), run("servers", 2, &["tls"])]);
    let advice = sandbox.json(&["advise", "--format", "json"]);
    let of_tls = list(&advice["advice"]).iter().find(|one| one["topic"] == "tls").unwrap();
    assert_eq!(of_tls["run"], "whole");
    let told = sandbox.text(&["advise", "--for", "tls"]);
    assert!(told.contains("From the run whole · 2026-11-01."), "{told}");
    assert!(sandbox.text(&["advise", "--for", "tls", "servers"]).contains("No advice on what was asked"));

    sandbox.text(&["report"]);
    let [page] = &sandbox.pages()[..] else { panic!("{:?}", sandbox.pages()) };
    assert_eq!(page.file_name().unwrap(), "kasoku-servers.html");
    assert!(sandbox.page().contains("whole") && sandbox.page().contains("servers"), "the page names both runs");
    sandbox.message(&["report"], 0, "replacing the existing file");
    let ranking = sandbox.json(&["rank", "aes-256-gcm", "--bytes", "16384", "--format", "json"]);
    assert!(ranking.to_string().contains("\"run\":\"whole\""), "{ranking}");
}

#[test]
fn compare_last_uses_the_newest_earlier_run_with_common_workloads() {
    let documents = [run("first", 1, &["packets"]), run("second", 2, &["primitives"]), run("third", 3, &["packets"])];
    let sandbox = Sandbox::with(&documents);
    let output = sandbox.kasoku(&["compare", "last-1", "last"]);
    let (said, table) = (error_of(&output), text_of(&output));
    assert!(said.contains("last-1 (second) has no workload in common with third; compared with first"), "{said}");
    assert!(table.contains("A  first") && table.contains("B  third"), "{table}");
    // Runs named explicitly are compared even without common workloads.
    let table = sandbox.text(&["compare", "second", "third"]).replace("\n  ", " ");
    assert!(table.contains("nothing to compare"), "{table}");
    sandbox.message(&["compare", "last", "last", "--fail-on-regression"], 0, "compared with itself");
    sandbox.message(&["compare", "last-1", "last-1"], 0, "compared with itself");
}

#[test]
#[cfg(target_os = "linux")]
fn run_pinned_to_one_cpu_belongs_to_this_machine() {
    let sandbox = Sandbox::new();
    let few = words("run primitives --libraries rustcrypto --algorithms sha-256 --sizes 64 --acceleration on");
    let pinned = [&few[..], &["--json", "one.json"], &SHORT].concat();
    output_of(&mut sandbox.under(&["taskset", "-c", "0"], &pinned), 0);
    let document = sandbox.written("one.json");
    assert_eq!(document["machine"]["cores"], 1);
    assert_eq!(document["machine"]["logical_cpus"].as_u64(), machine::this().logical_cpus.map(|count| count as u64));
    let history = sandbox.text(&["history", "sha-256", "--library", "rustcrypto", "--format", "csv"]);
    assert_eq!(history.lines().count(), 2, "{history}");
    let output = sandbox.kasoku(&["rank", "sha-256", "--library", "rustcrypto"]);
    assert!(output.status.success() && error_of(&output).is_empty(), "{}", error_of(&output));
}

#[test]
fn unreadable_run_is_named_everywhere_and_can_be_deleted() {
    let sandbox = Sandbox::with(&[run("good", 1, &["primitives"]), run("bad", 2, &["primitives"])]);
    sandbox.execute_sql("UPDATE run SET origin = '{' WHERE id = 'bad'");
    for arguments in [&["runs"][..], &["rank", "aes-256-gcm"], &["site", "--out", "site"]] {
        let said = sandbox.message(arguments, 1, "Left out: ");
        assert!(said.contains("\"bad\""), "{arguments:?}: {said}");
    }
    // The page of a readable run is complete, so the status is 0.
    sandbox.message(&["report", "good", "--out", "page.html"], 0, "\"bad\"");
    sandbox.text(&["runs", "delete", "bad", "--yes"]);
    assert_eq!(names(&sandbox), ["good"]);
}

#[test]
fn runs_verify_reports_unreadable_runs_and_store_damage() {
    let sandbox = Sandbox::with(&[run("a", 1, &["primitives"]), run("b", 2, &["primitives"])]);
    assert!(sandbox.text(&["runs", "--verify"]).contains("is undamaged; its 2 runs can be read"));
    sandbox.execute_sql("UPDATE run SET machine = '{' WHERE id = 'b'");
    assert!(sandbox.message(&["runs", "--verify"], 1, "Left out: ").contains("\"b\""));
    let mut damaged = std::fs::read(sandbox.path("store.sqlite")).unwrap();
    damaged[8192..16384].fill(0x5a);
    std::fs::write(sandbox.path("store.sqlite"), damaged).unwrap();
    sandbox.message(&["runs", "--verify"], 1, "is damaged: ");
}
