//! `kasoku compare` as people and continuous integration use it.

#![allow(clippy::unwrap_used)]

mod support;
#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Origin, OriginKind, Outcome, Sample};
use serde_json::Value;
use support::{Sandbox, error_of, keys};
use synthetic::HOSTILE;

/// The synthetic run under another name, with ten starts of the workers, as a default run has.
fn run(id: &str) -> Document {
    let mut document = synthetic::document();
    document.run.id = id.to_owned();
    ten_starts(&mut document);
    document
}

fn ten_starts(document: &mut Document) {
    let samples = document.series.iter_mut().flat_map(|series| &mut series.samples);
    samples.for_each(|sample: &mut Sample| sample.process = sample.round / 3);
}

fn slower(id: &str) -> Document {
    let mut document = run(id);
    for series in &mut document.series {
        if series.library == "openssl"
            && series.algorithm == Algorithm::Aes256Gcm
            && series.acceleration == Acceleration::On
            && series.bytes == 1350
        {
            series.samples.iter_mut().for_each(|sample| sample.ns = sample.ns * 21 / 20);
            series.code_path = "aesni".to_owned();
        }
    }
    document
}

#[test]
fn a_regression_comes_first_and_ends_ci_if_asked_to() {
    let sandbox = Sandbox::with(&[run("before"), slower("after")]);
    let table = sandbox.text(&["compare", "before", "after"]);
    let rows: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("──")).skip(1).collect();
    assert!(rows[0].starts_with("slower") && rows[0].contains("AES-256-GCM"), "{table}");
    assert!(rows[0].contains("vaes512 → aesni") && rows[0].contains("1350 B"), "{table}");
    assert!(rows[1].contains("no difference shown (--all"), "only one: {table}");
    assert!(table.contains("1 slower, 0 faster"), "{table}");

    assert_eq!(sandbox.kasoku(&["compare", "before", "after", "--fail-on-regression"]).status.code(), Some(1));
    assert_eq!(sandbox.kasoku(&["compare", "after", "before", "--fail-on-regression"]).status.code(), Some(0));
    let lenient = ["compare", "before", "after", "--fail-on-regression", "--threshold", "10"];
    assert_eq!(sandbox.kasoku(&lenient).status.code(), Some(0));
    assert!(sandbox.text(&["compare", "before", "after", "--all"]).lines().count() > 300);
    assert!(sandbox.text(&["compare", "before", "before"]).contains("0 slower, 0 faster"));
}

#[test]
fn every_form_says_the_same() {
    let sandbox = Sandbox::with(&[run("before"), slower("after")]);
    let form = |format| sandbox.text(&["compare", "before", "after", "--format", format]);
    let json: Value = serde_json::from_str(&form("json")).unwrap();
    assert_eq!(keys(&json), "counts first is_one_machine only_first only_second pairs second unsound");
    let pair = &json["pairs"][0];
    let expected = "acceleration algorithm bytes ci95 code_paths figures floor level library library_versions operation \
                    quoted settings times_as_fast unit verdict";
    assert_eq!(keys(pair), expected);
    assert_eq!((pair["verdict"].as_str(), pair["bytes"].as_u64()), (Some("slower"), Some(1350)));
    assert_eq!(json["counts"]["slower"], 1);
    assert!(!json["unsound"].as_array().unwrap().is_empty(), "what failed is told");

    let csv = form("csv");
    let pairs = json["pairs"].as_array().unwrap().len();
    assert_eq!(csv.lines().count(), pairs + 1);
    assert!(csv.lines().nth(1).unwrap().starts_with("slower,primitives,seal,aes-256-gcm,1350,openssl,on,"), "{csv}");
    let japanese = sandbox.text(&["--lang", "ja", "compare", "before", "after"]);
    assert!(japanese.contains("低下") && japanese.contains("差は認められない"), "{japanese}");
    let markdown = form("markdown");
    assert!(markdown.starts_with("# ") && markdown.contains("| slower | AES-256-GCM |"), "{markdown}");
}

#[test]
fn a_run_that_did_not_reach_its_end_another_machine_and_nothing_in_common_are_said() {
    let mut unfinished = slower("unfinished");
    unfinished.run.complete = false;
    unfinished.series.iter_mut().for_each(|series| series.median = None);
    let mut elsewhere = run("elsewhere");
    elsewhere.machine.cpu = "another CPU".to_owned();
    let mut other = run("other");
    other.series.retain(|series| series.library == "ring");
    let mut third = run("third");
    third.series.retain(|series| series.library == "graviola");
    let sandbox = Sandbox::with(&[run("before"), unfinished, elsewhere, other, third]);
    let told = sandbox.text(&["compare", "before", "unfinished"]);
    assert!(told.contains("INCOMPLETE: B") && told.contains("1 slower"), "{told}");
    assert!(told.contains("It is compared by the samples it has; nothing in it is ranked."), "{told}");
    let shown = sandbox.text(&["show", "unfinished"]);
    assert!(shown.contains("Nothing in it is ranked; compare uses its samples."), "{shown}");
    let told = sandbox.text(&["compare", "before", "elsewhere"]);
    assert!(told.contains("Two machines") && told.contains("another CPU"), "{told}");
    let told = sandbox.text(&["compare", "other", "third"]).replace("\n  ", " ");
    assert!(
        told.contains("nothing to compare") && told.contains("Only in A (") && told.contains("Only in B ("),
        "{told}"
    );
}

#[test]
fn quoted_figures_are_shown_without_a_claim() {
    let mut published = run("published");
    published.run.origin =
        Some(Origin { kind: OriginKind::Published, source: "a page".into(), address: None, note: None });
    published.series.retain(|series| series.library == "openssl" && series.bytes == 1024);
    for series in &mut published.series {
        series.samples.clear();
        series.outcome = Outcome::Unverified;
        series.median = series.median.map(|median| median * 3.0);
        series.ci95 = None;
    }
    let sandbox = Sandbox::with(&[run("before"), published]);
    let told = sandbox.text(&["compare", "before", "published"]);
    assert!(told.contains("no interval: published figures") && told.contains("0 slower, 0 faster"), "{told}");
    assert!(told.replace("\n     ", " ").contains("published in: a page") && told.contains("3.0"), "{told}");
}

/// In continuous integration a comparison that judged nothing must not look like one that found nothing.
#[test]
fn ci_is_told_that_nothing_could_be_judged() {
    let mut elsewhere = run("elsewhere");
    elsewhere.series.retain(|series| series.library == "ring");
    let mut other = run("other");
    other.series.retain(|series| series.library == "graviola");
    let mut short = run("short");
    short.run.complete = false;
    short.series.iter_mut().for_each(|series| series.samples.truncate(2));
    let mut failed = run("failed");
    failed.series.iter_mut().for_each(|series| synthetic::fail(series, "it crashed"));
    let sandbox = Sandbox::with(&[run("before"), run("after"), elsewhere, other, short, failed]);
    let ends = |arguments: &[&str]| {
        let output = sandbox.kasoku(&[&["compare"][..], arguments].concat());
        (output.status.code(), error_of(&output))
    };
    for (runs, why) in [
        (["elsewhere", "other"], "are in only one of the runs (measure the same levels"),
        (["before", "short"], "have too few samples for an interval (measure again"),
        (["before", "failed"], "failed or were not verified"),
    ] {
        let (status, error) = ends(&[&runs[..], &["--fail-on-regression"]].concat());
        assert_eq!(status, Some(1), "{runs:?}: {error}");
        assert!(error.starts_with("error: nothing could be compared: ") && error.contains(why), "{error}");
        assert_eq!(ends(&runs).0, Some(0), "{runs:?}: nothing was asked of it");
    }
    assert_eq!(ends(&["before", "after", "--fail-on-regression", "--require", "100"]), (Some(0), String::new()));
    let (status, error) = ends(&["before", "after", "--require", "100000"]);
    assert_eq!(status, Some(1), "{error}");
    assert!(error.contains("only ") && error.contains("100000 workloads must be"), "{error}");
    assert_eq!(ends(&["before", "after", "--require", "0"]).0, Some(2));
}

#[test]
fn hostile_names_do_nothing() {
    let mut hostile = synthetic::hostile();
    hostile.run.complete = false;
    ten_starts(&mut hostile);
    let mut second = hostile.clone();
    second.run.id = format!("2{HOSTILE}");
    for series in &mut second.series {
        series.library_version.push_str(HOSTILE);
        series.code_path.push_str(HOSTILE);
        series.details.flags = Some(HOSTILE.into());
        series.samples.iter_mut().for_each(|sample| sample.ns *= 2);
    }
    for series in &mut hostile.series {
        series.details.flags = Some(HOSTILE.into());
    }
    let sandbox = Sandbox::with(&[hostile, second]);
    for format in ["table", "json", "csv", "markdown"] {
        for language in ["en", "ja"] {
            let told = sandbox.text(&["--lang", language, "compare", "=cmd", "2=cmd", "--all", "--format", format]);
            let obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            assert!(told.contains("cmd()") && !told.chars().any(obeyed), "{format}");
            assert!(format != "markdown" || !told.contains("<img"), "{told}");
            let cells = told.split([',', '\n']);
            assert!(
                format != "csv" || !cells.into_iter().any(|cell| cell.trim_matches('"').starts_with('=')),
                "{told}"
            );
        }
    }
}
