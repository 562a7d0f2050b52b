use serde_json::{Value, json};

use super::super::tables;
use super::*;
use crate::block::Block;
use crate::language::Language;
use crate::level::{Findings, LevelReport};
use crate::palette::Palette;
use crate::render::{catalogue, terminal};
use crate::text::{Argument, say};
use kasoku_model::document::Details;
use kasoku_model::statistics;

/// Creates a series of one worker; `ns` has the nanoseconds for a file in each round.
fn series(library: &str, suite: &str, bytes: usize, ns: &[u64], more: &[(&str, Value)]) -> Value {
    let sample =
        |(round, ns): (usize, &u64)| json!({"round": round, "iterations": 100, "ns": ns * 100, "cpu_ns": ns * 90});
    let samples: Vec<Value> = ns.iter().enumerate().map(sample).collect();
    let mut series = json!({
        "level": "tls", "operation": "serve", "algorithm": suite, "bytes": bytes,
        "library": library, "library_version": "3", "acceleration": "on", "code_path": "unknown",
        "unit": "bytes/s", "samples": samples, "median": null, "ci95": null,
        "cycles_per_byte": null, "outcome": "measured", "note": null,
        "details": {"experiment": "server", "workers": 1, "latency_of": "connection", "bottleneck": "server-cpu",
                       "server_cores": 1},
    });
    more.iter().for_each(|(name, value)| series["details"][*name] = value.clone());
    series
}

fn document(series: Vec<Value>) -> Document {
    let run = json!({"id": "r", "complete": true});
    let text = json!({"schema": 1, "run": run, "machine": {"cpu": "client"}, "series": series});
    let mut document: Document = serde_json::from_value(text).unwrap();
    document.series.iter_mut().for_each(statistics::summarize);
    document
}

const GCM_NAME: &str = "aes128-gcm-sha256";
/// Nanoseconds for a file of 1 MiB in each round; disturbances lengthen some rounds for all providers alike.
const SLOW: [u64; 5] = [1_000_000, 1_300_000, 1_010_000, 1_200_000, 1_005_000];

fn fast(by: f64) -> [u64; 5] {
    SLOW.map(|ns| (ns as f64 / by) as u64)
}

fn claim_of_kind(document: &Document, kind: &str) -> Option<Claim> {
    claims(&ServerSelection::new(document)?).into_iter().find(|claim| claim.kind == kind)
}

fn provider_of(document: &Document) -> Option<([f64; 2], [usize; 2])> {
    let claim = claim_of_kind(document, "tls-provider")?;
    match ["times", "others", "all"].map(|name| claim.figure(name).unwrap()) {
        [Figure::Range(ratios), Figure::Words(Argument::Count(others)), Figure::Words(Argument::Count(all))] => {
            Some((*ratios, [*others, *all]))
        }
        _ => panic!("{claim:?}"),
    }
}

fn cpu_change_of(document: &Document) -> f64 {
    match claim_of_kind(document, "tls-provider-cost").unwrap().figure("cpu") {
        Some(Figure::Change(change)) => change.percent,
        other => panic!("{other:?}"),
    }
}

#[test]
fn provider_claim_compares_shared_rounds_and_needs_a_complete_run() {
    let [openssl, kasoku] =
        [("openssl", SLOW), ("kasoku", fast(1.25))].map(|(library, ns)| series(library, GCM_NAME, 1 << 20, &ns, &[]));
    let mut all = document(vec![openssl, kasoku]);
    let (ratios, cases) = provider_of(&all).unwrap();
    assert!((ratios[0] - 1.25).abs() < 1e-3 && (cpu_change_of(&all) + 20.0).abs() < 0.1, "{ratios:?}");
    assert_eq!(cases, [0, 1]);
    all.run.complete = false;
    assert!(Findings::new(&all).levels.iter().all(|(_, claims)| claims.is_empty()), "interrupted runs claim nothing");
}

#[test]
fn provider_claim_needs_more_than_three_rounds_and_a_difference_beyond_noise() {
    let ours = |ns: &[u64]| {
        document(vec![
            series("openssl", GCM_NAME, 1 << 20, &SLOW[..ns.len()], &[]),
            series("kasoku", GCM_NAME, 1 << 20, ns, &[]),
        ])
    };
    // 1 % is within the noise of a server; a median that is better by chance is no gain either.
    assert_eq!(provider_of(&ours(&fast(1.01))), None);
    assert_eq!(provider_of(&ours(&[500_000, 1_500_000, 500_000, 1_500_000, 600_000])), None);
    assert_eq!(provider_of(&ours(&fast(1.25)[..3])), None);
    assert!(provider_of(&ours(&fast(1.25))).is_some());
}

#[test]
fn provider_claims_leave_out_cases_without_a_difference_or_limited_by_the_client() {
    let client_bound = [("bottleneck", json!("client-cpu"))];
    let one = document(vec![
        series("openssl", GCM_NAME, 1 << 20, &SLOW, &[]),
        series("kasoku", GCM_NAME, 1 << 20, &fast(1.25), &[]),
        series("openssl", GCM_NAME, 2 << 20, &SLOW, &[]),
        series("kasoku", GCM_NAME, 2 << 20, &fast(1.01), &[]),
        series("openssl", GCM_NAME, 4 << 20, &SLOW, &client_bound),
        series("kasoku", GCM_NAME, 4 << 20, &fast(4.0), &client_bound),
    ]);
    let (ratios, cases) = provider_of(&one).unwrap();
    assert!((ratios[1] - 1.25).abs() < 1e-3 && (cpu_change_of(&one) + 20.0).abs() < 0.1, "{ratios:?}");
    assert_eq!(cases, [1, 2]);
}

#[test]
fn throughput_of_a_core_counts_the_cores_of_all_serving_hosts() {
    // Two hosts of eight cores with a worker each, 12 Gbit/s for each worker.
    let ns = [(8.0 * f64::from(1 << 20) / 24e9 * 1e9) as u64; 5];
    let of = |more: &[(&str, Value)]| {
        let mut all = vec![("working_cores", json!(2)), ("server_cores", json!(16))];
        all.extend_from_slice(more);
        let one = document(vec![series("openssl", GCM_NAME, 1 << 20, &ns, &all)]);
        let notes = tables::overview(&ServerSelection::new(&one).unwrap()).unwrap().notes;
        (claim_of_kind(&one, "tls-a-core").unwrap(), notes)
    };
    let (claim, _) = of(&[]);
    assert!(matches!(claim.figure("gbit"), Some(Figure::Number(gbit)) if (gbit - 12.0).abs() < 0.1), "{claim:?}");
    // The CPU is of the serving hosts, not of the machine that the document names.
    let (claim, notes) = of(&[("server_machine", json!("big\u{1b}[2J"))]);
    let cpu = Text::name("big\u{1b}[2J", 120);
    assert_eq!(claim.subject.library, Text::list(Separator::Comma, ["openssl".into(), cpu.clone()]));
    assert!(notes.contains(&say!("tls-served-by", cpu = cpu)), "{notes:?}");
}

/// Documents may contain finite figures whose ratio is infinite.
#[test]
fn tls_section_hides_infinite_ratios_and_cpu_loads() {
    let mut all = document(vec![series("openssl", GCM_NAME, 1 << 20, &SLOW, &[("server_cpu", json!(f64::MAX))])]);
    for (algorithm, figure) in [(Algorithm::Aes128Gcm, 1e18), (Algorithm::Aes128CbcHmacSha1, 5e-324)] {
        let mut one = all.series[0].clone();
        (one.level, one.operation, one.algorithm, one.bytes) = (Level::Primitives, Operation::Seal, algorithm, 16_384);
        one.median = Some(figure);
        one.details = Details::default();
        all.series.push(one);
    }
    assert_eq!(raw_ratio(&all), None);
    let servers = &ServerSelection::new(&all).unwrap();
    let Some(Block::Fold(_, blocks)) = servers.section(&[], &Palette::default()).blocks.pop() else {
        panic!("no fold")
    };
    assert!(blocks.iter().any(|one| matches!(one, Block::Note(text) if text.key() == Some("tls-no-raw-ratio"))));
    let overview = tables::overview(servers).unwrap();
    let cells = terminal::cells(&overview, catalogue(Language::ENGLISH));
    assert!(!cells.iter().flatten().any(|cell| cell.contains("inf")), "{cells:?}");
}

#[test]
fn every_tls_claim_has_an_english_and_a_japanese_sentence() {
    let all: Vec<Value> = [("openssl", GCM_NAME, 1.0), ("kasoku", GCM_NAME, 1.25), ("openssl", "aes128-sha", 0.5)]
        .into_iter()
        .flat_map(|(library, suite, by)| [1, 2].map(|mib| series(library, suite, mib << 20, &fast(by), &[])))
        .chain([series("kasoku", "aes128-sha", 1 << 20, &SLOW, &[("bottleneck", json!("neither"))])])
        .collect();
    let document = document(all);
    let claims = claims(&ServerSelection::new(&document).unwrap());
    let kinds: Vec<&str> = claims.iter().map(|claim| claim.kind).collect();
    let expected = ["tls-gcm-over-cbc", "tls-provider", "tls-provider-cost", "tls-a-core", "tls-other-limits"];
    assert_eq!(kinds, expected);
    for language in [Language::ENGLISH, Language::from_tag("ja").unwrap()] {
        let sentences: Vec<String> = claims.iter().map(|claim| catalogue(language).write(&claim.sentence())).collect();
        assert!(sentences.iter().all(|sentence| sentence.ends_with(['.', '。'])), "{sentences:?}");
    }
}
