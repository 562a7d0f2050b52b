//! `kasoku compare`: tables, output formats and exit status.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, FoundLibrary};
use serde_json::Value;

use crate::support::{Sandbox, error_of, keys, list};
use crate::synthetic;

/// The synthetic run under another name, with ten starts of the workers, as a default run has.
fn run(id: &str) -> Document {
    let mut document = synthetic::document();
    document.run.id = id.to_owned();
    let samples = document.series.iter_mut().flat_map(|series| &mut series.samples);
    samples.for_each(|sample| sample.process = sample.round / 3);
    document
}

/// [`run`] with the series of one library.
fn run_of(library: &str) -> Document {
    let mut document = run(library);
    document.series.retain(|series| series.library == library);
    document
}

/// [`run`] in which OpenSSL's AES-256-GCM at 1,350 bytes is 5 % slower.
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
fn compare_lists_regressions_first_and_fails_with_fail_on_regression() {
    let sandbox = Sandbox::with(&[run("before"), slower("after")]);
    let table = sandbox.text(&["compare", "before", "after"]);
    let rows: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("──")).skip(1).collect();
    assert!(rows[0].starts_with("slower") && rows[0].contains("AES-256-GCM"), "{table}");
    assert!(rows[0].contains("vaes512 → aesni") && rows[0].contains("1350 B"), "{table}");
    assert!(rows[1].contains("no difference shown (--all"), "expected a single difference: {table}");
    assert!(table.contains("1 slower, 0 faster"), "{table}");

    sandbox.message(&["compare", "before", "after", "--fail-on-regression"], 1, "");
    sandbox.text(&["compare", "after", "before", "--fail-on-regression"]);
    sandbox.text(&["compare", "before", "after", "--fail-on-regression", "--threshold", "10"]);
    assert!(sandbox.text(&["compare", "before", "after", "--all"]).lines().count() > 300);
    assert!(sandbox.text(&["compare", "before", "before"]).contains("0 slower, 0 faster"));
}

#[test]
fn compare_shows_the_same_pairs_in_every_format() {
    let sandbox = Sandbox::with(&[run("before"), slower("after")]);
    let form = |format| sandbox.text(&["compare", "before", "after", "--format", format]);
    let json: Value = serde_json::from_str(&form("json")).unwrap();
    assert_eq!(keys(&json), "counts environment first is_one_machine only_first only_second pairs second unsound");
    let pair = &json["pairs"][0];
    let expected = "acceleration algorithm bytes ci95 code_paths figures floor level library library_versions operation \
                    quoted settings times_as_fast unit verdict";
    assert_eq!(keys(pair), expected);
    assert_eq!((pair["verdict"].as_str(), pair["bytes"].as_u64()), (Some("slower"), Some(1350)));
    assert_eq!(json["counts"]["slower"], 1);
    assert!(!list(&json["unsound"]).is_empty(), "the failed series is listed as unsound");

    let csv = form("csv");
    let pairs = list(&json["pairs"]).len();
    assert_eq!(csv.lines().count(), pairs + 1);
    assert!(csv.lines().nth(1).unwrap().starts_with("slower,primitives,seal,aes-256-gcm,1350,openssl,on,"), "{csv}");
    let japanese = sandbox.text(&["--lang", "ja", "compare", "before", "after"]);
    assert!(japanese.contains("低下") && japanese.contains("差は認められない"), "{japanese}");
    let markdown = form("markdown");
    assert!(markdown.starts_with("# ") && markdown.contains("| slower | AES-256-GCM |"), "{markdown}");
}

#[test]
fn compare_lists_everything_that_differs_between_the_environments() {
    let of_openssl = |id: &str, version: &str| {
        let mut document = run(id);
        let (library, version) = ("openssl".to_owned(), version.to_owned());
        document.run.libraries.push(FoundLibrary { library, version, ..FoundLibrary::default() });
        document
    };
    let mut after = of_openssl("after", "3.5.0\u{1b}[31m|x");
    (after.machine.kernel, after.machine.governor) = ("Linux 6.8.0".into(), Some("powersave".into()));
    after.machine.mitigations.insert("retbleed".into(), "Mitigation: untrained return thunk".into());
    after.machine.memory = Some(16 << 30);
    let sandbox = Sandbox::with(&[of_openssl("before", "3.0.13"), after]);
    let markdown = sandbox.text(&["compare", "before", "after", "--format", "markdown"]);
    for row in [
        "| Kernel | Linux 6.1.0 | Linux 6.8.0 |",
        "| Frequency governor | – | powersave |",
        "| Mitigation of retbleed | – | Mitigation: untrained return thunk |",
        "| Memory | 8388608 kB | 16777216 kB |",
        "| openssl: version | 3.0.13 | 3.5.0",
    ] {
        assert!(markdown.contains(row), "{row}: {markdown}");
    }
    assert!(!markdown.contains('\u{1b}') && !markdown.contains("m|x"), "{markdown}");
    let json = sandbox.json(&["compare", "before", "after", "--format", "json"]);
    let governor = serde_json::json!({ "property": ["machine", "governor"], "first": null, "second": "powersave" });
    assert!(list(&json["environment"]).contains(&governor), "{json}");
    let same = sandbox.text(&["--lang", "ja", "compare", "before", "before"]);
    assert!(same.contains("違いはありません"), "{same}");
}

#[test]
fn compare_marks_incomplete_runs_other_machines_and_disjoint_runs() {
    let mut unfinished = slower("unfinished");
    unfinished.run.complete = false;
    unfinished.series.iter_mut().for_each(|series| series.median = None);
    let mut elsewhere = run("elsewhere");
    elsewhere.machine.cpu = "another CPU".to_owned();
    let sandbox = Sandbox::with(&[run("before"), unfinished, elsewhere, run_of("ring"), run_of("graviola")]);
    let told = sandbox.text(&["compare", "before", "unfinished"]);
    assert!(told.contains("INCOMPLETE: B") && told.contains("1 slower"), "{told}");
    assert!(told.contains("It is compared by the samples it has; nothing in it is ranked."), "{told}");
    let shown = sandbox.text(&["show", "unfinished"]);
    assert!(shown.contains("Nothing in it is ranked; compare uses its samples."), "{shown}");
    let told = sandbox.text(&["compare", "before", "elsewhere"]);
    assert!(told.contains("Two machines") && told.contains("another CPU"), "{told}");
    let told = sandbox.text(&["compare", "ring", "graviola"]).replace("\n  ", " ");
    assert!(
        told.contains("nothing to compare") && told.contains("Only in A (") && told.contains("Only in B ("),
        "{told}"
    );
}

#[test]
fn compare_claims_no_difference_to_published_figures() {
    let sandbox = Sandbox::with(&[run("before")]);
    let told = sandbox.text(&["compare", "before", "i7-13700"]);
    assert!(told.contains("no interval: published figures") && told.contains("0 slower, 0 faster"), "{told}");
    assert!(told.replace("\n     ", " ").contains("published in: openssl_perf"), "{told}");
}

/// In continuous integration, a comparison without any interval must not pass for one without a regression.
#[test]
fn compare_fails_in_ci_if_too_few_workloads_could_be_compared() {
    let mut short = run("short");
    short.run.complete = false;
    short.series.iter_mut().for_each(|series| series.samples.truncate(2));
    let mut failed = run("failed");
    failed.series.iter_mut().for_each(|series| synthetic::fail(series, "it crashed"));
    let sandbox = Sandbox::with(&[run("before"), run("after"), run_of("ring"), run_of("graviola"), short, failed]);
    for ([first, second], why) in [
        (["ring", "graviola"], "are in only one of the runs (measure the same levels"),
        (["before", "short"], "have too few samples for an interval (measure again"),
        (["before", "failed"], "failed or were not verified"),
    ] {
        let error = sandbox.message(&["compare", first, second, "--fail-on-regression"], 1, why);
        assert!(error.starts_with("error: nothing could be compared: "), "{error}");
        sandbox.text(&["compare", first, second]);
    }
    let enough = sandbox.kasoku(&["compare", "before", "after", "--fail-on-regression", "--require", "100"]);
    assert_eq!((enough.status.code(), error_of(&enough)), (Some(0), String::new()));
    let error = sandbox.message(&["compare", "before", "after", "--require", "100000"], 1, "100000 workloads must be");
    assert!(error.contains("only "), "{error}");
}
