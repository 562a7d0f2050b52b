use serde_json::{Value, json};

use super::*;
use crate::language::messages;
use crate::tls::summary;
use kasoku_model::document::Details;
use kasoku_model::language::Language;
use kasoku_model::statistics;

/// A series of one worker for which a file took this many nanoseconds, a little more from round to round.
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

fn document(is_complete: bool, series: Vec<Value>) -> Document {
    let run = json!({"id": "r", "complete": is_complete});
    let text = json!({"schema": 1, "run": run, "machine": {"cpu": "client"}, "series": series});
    let mut document: Document = serde_json::from_value(text).unwrap();
    document.series.iter_mut().for_each(statistics::summarize);
    document
}

const GCM_NAME: &str = "aes128-gcm-sha256";
/// Rounds of a file of 1 MiB: what others do makes some of them longer, for everybody alike.
const SLOW: [u64; 5] = [1_000_000, 1_300_000, 1_010_000, 1_200_000, 1_005_000];

fn fast(by: f64) -> [u64; 5] {
    SLOW.map(|ns| (ns as f64 / by) as u64)
}

fn found(document: &Document) -> Vec<TlsFinding> {
    findings(document, messages(Language::English))
}

fn provider_of(document: &Document) -> Option<TlsFinding> {
    found(document).into_iter().find(|finding| matches!(finding, TlsFinding::Provider { .. }))
}

#[test]
fn a_gain_is_claimed_by_the_rounds_that_both_have() {
    let all = |is_complete| {
        document(
            is_complete,
            vec![
                series("openssl", GCM_NAME, 1 << 20, &SLOW, &[]),
                series("kasoku", GCM_NAME, 1 << 20, &fast(1.25), &[]),
            ],
        )
    };
    let Some(TlsFinding::Provider { ratios, saved, of, .. }) = provider_of(&all(true)) else { panic!() };
    assert!((ratios[0] - 1.25).abs() < 1e-3 && (saved.unwrap() - 20.0).abs() < 0.1, "{ratios:?} {saved:?}");
    assert_eq!(of, (1, 1));
    assert_eq!(found(&all(false)), [], "a run that did not reach its end claims nothing");
}

#[test]
fn noise_and_too_few_rounds_are_no_gain() {
    let ours = |ns: &[u64]| {
        document(
            true,
            vec![
                series("openssl", GCM_NAME, 1 << 20, &SLOW[..ns.len()], &[]),
                series("kasoku", GCM_NAME, 1 << 20, ns, &[]),
            ],
        )
    };
    // 1 % is within what a server shows against itself; and a median that is better by chance is no gain either.
    assert_eq!(provider_of(&ours(&fast(1.01))), None);
    assert_eq!(provider_of(&ours(&[500_000, 1_500_000, 500_000, 1_500_000, 600_000])), None);
    assert_eq!(provider_of(&ours(&fast(1.25)[..3])), None);
    assert!(provider_of(&ours(&fast(1.25))).is_some());
}

#[test]
fn throughput_and_cpu_time_are_of_the_same_cases() {
    let client_bound = [("bottleneck", json!("client-cpu"))];
    let one = document(
        true,
        vec![
            series("openssl", GCM_NAME, 1 << 20, &SLOW, &[]),
            series("kasoku", GCM_NAME, 1 << 20, &fast(1.25), &[]),
            series("openssl", GCM_NAME, 2 << 20, &SLOW, &[]),
            series("kasoku", GCM_NAME, 2 << 20, &fast(1.01), &[]),
            series("openssl", GCM_NAME, 4 << 20, &SLOW, &client_bound),
            series("kasoku", GCM_NAME, 4 << 20, &fast(4.0), &client_bound),
        ],
    );
    let Some(TlsFinding::Provider { ratios, saved, of, .. }) = provider_of(&one) else { panic!() };
    assert!((ratios[1] - 1.25).abs() < 1e-3 && (saved.unwrap() - 20.0).abs() < 0.1, "{ratios:?} {saved:?}");
    assert_eq!(of, (1, 2));
    for (language, text) in
        [(Language::English, "In 1 of 2 cases no difference"), (Language::Japanese, "2通りのうち1通り")]
    {
        let sentence = provider_of(&one).unwrap().sentence(language);
        assert!(sentence.contains(text), "{sentence}");
    }
}

#[test]
fn a_core_of_two_hosts_that_serve_is_one_of_two() {
    // 12 Gbit/s each, with a worker each, on hosts of eight cores.
    let ns = [(8.0 * f64::from(1 << 20) / 24e9 * 1e9) as u64; 5];
    let of = |more: &[(&str, Value)]| {
        let mut all = vec![("working_cores", json!(2)), ("server_cores", json!(16))];
        all.extend_from_slice(more);
        let one = document(true, vec![series("openssl", GCM_NAME, 1 << 20, &ns, &all)]);
        let found = found(&one).into_iter().find_map(|finding| match finding {
            TlsFinding::ACore { gbit, cpu, .. } => Some((gbit, cpu)),
            _ => None,
        });
        let (gbit, cpu) = found.unwrap();
        let shown: String =
            summary(&one, messages(Language::English)).iter().flat_map(|grid| grid.notes.clone()).collect();
        (gbit, cpu, shown)
    };
    assert!((of(&[]).0 - 12.0).abs() < 0.1);
    // The CPU is that of the hosts that serve, not of the machine that the document names.
    let (_, cpu, shown) = of(&[("server_machine", json!("big\u{1b}[2J"))]);
    let cpu = cpu.unwrap();
    assert!(cpu.contains("big") && !cpu.contains('\u{1b}') && shown.contains(&cpu), "{cpu:?}: {shown}");
}

/// Documents come from anybody: figures whose ratio is beyond every number, and loads that are.
#[test]
fn what_is_beyond_every_number_is_not_shown() {
    let mut all = document(true, vec![series("openssl", GCM_NAME, 1 << 20, &SLOW, &[("server_cpu", json!(f64::MAX))])]);
    for (algorithm, figure) in [(Algorithm::Aes128Gcm, 1e18), (Algorithm::Aes128CbcHmacSha1, 5e-324)] {
        let mut one = all.series[0].clone();
        (one.level, one.operation, one.algorithm, one.bytes) = (Level::Primitives, Operation::Seal, algorithm, 16_384);
        one.median = Some(figure);
        one.details = Details::default();
        all.series.push(one);
    }
    assert_eq!(raw_ratio(&all), None);
    let page = crate::html::render(&[&all], Language::English);
    assert!(page.contains(messages(Language::English).tls.no_raw_ratio) && !page.contains(">inf<"), "{page}");
}
