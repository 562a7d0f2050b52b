//! Checks all outputs of synthetic runs of the level tls.

use crate::page::{ENGLISH, claims_of, full, page_of, plain};
use crate::synthetic::tls::{CBC, GCM, SLOW, details_of, document, fast, of, openssls, series};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Details, Document};
use kasoku_model::level::Level;
use kasoku_model::workload::Operation;
use kasoku_model::workload::served::Bottleneck;

/// Returns three variables of the claim about the provider: the ratio of throughputs, the number of cases without a
/// difference, and the number of all cases.
fn provider(document: &Document) -> Option<[String; 3]> {
    let claim = claims_of(document, "tls-provider").pop()?;
    Some(["times", "others", "all"].map(|name| format!("{:?}", claim.figure(name).unwrap())))
}

fn providers(bytes: usize, kasoku: &[u64]) -> Document {
    of(vec![series("openssl", GCM, bytes, &SLOW[..kasoku.len()]), series("kasoku", GCM, bytes, kasoku)])
}

#[test]
fn provider_claim_needs_a_complete_run_more_than_three_rounds_and_a_difference_beyond_noise() {
    let ours = |ns: &[u64]| provider(&providers(1 << 20, ns));
    // 1 % is within the noise of a server. A median that is better by chance is no gain either.
    assert_eq!(ours(&fast(1.01)), None);
    assert_eq!(ours(&[500_000, 1_500_000, 500_000, 1_500_000, 600_000]), None);
    assert_eq!(ours(&fast(1.25)[..3]), None);
    assert!(ours(&fast(1.25)).is_some());
    let mut interrupted = document();
    interrupted.run.complete = false;
    assert!(claims_of(&interrupted, "tls-").is_empty());
}

#[test]
fn provider_claims_leave_out_cases_without_a_difference_or_limited_by_the_client() {
    let mut document = providers(1 << 20, &fast(1.25));
    document.series.extend(providers(2 << 20, &fast(1.01)).series);
    document.series.extend(providers(4 << 20, &fast(4.0)).series);
    for series in document.series.iter_mut().filter(|series| series.bytes == 4 << 20) {
        details_of(series).bottleneck = Some(Bottleneck::ClientCpu);
    }
    let [times, others, all] = provider(&document).unwrap();
    assert!(times.contains("\"1.25\"") && others == "Count(1)" && all == "Count(2)", "{times} {others} {all}");
}

#[test]
fn openssl_versions_are_compared_suite_by_suite_and_by_handshake() {
    let document = openssls();
    let words = |kind| -> Vec<String> { claims_of(&document, kind).iter().map(|one| format!("{one:?}")).collect() };
    let throughput = words("tls-openssl");
    assert_eq!(throughput.len(), 2, "GCM and CBC: {throughput:?}");
    assert!(throughput.iter().all(|one| one.contains("3.5.5") && one.contains("3.0.19") && one.contains("\"1.50\"")));
    assert_eq!(words("tls-openssl-cost").len(), 2);
    let handshakes = words("tls-handshake-cost");
    assert!(handshakes.len() == 1 && handshakes[0].contains("33.3"), "{handshakes:?}");
    // Each provider is compared with the OpenSSL under it.
    let [times, _, all] = provider(&document).unwrap();
    assert!(times.contains("1.20") && times.contains("1.80") && all == "Count(2)", "{times} {all}");
    let ratios = claims_of(&document, "tls-gcm-over-cbc");
    assert!(ratios.len() == 1 && format!("{ratios:?}").contains("2.0"), "{ratios:?}");
}

#[test]
fn handshakes_have_a_table_of_their_own() {
    let document = openssls();
    let text = full(&document, ENGLISH);
    for said in ["handshakes a second", "server µs", "openssl 3.0.19", "kasoku on OpenSSL 3.5.5", "client’s CPU"] {
        assert!(text.contains(said), "{said} in {text}");
    }
    let mut alone = document.clone();
    alone.series.retain(|series| series.operation == Operation::Handshake);
    assert!(plain(&page_of(&[&alone], ENGLISH)).contains("handshakes a second"));
    assert_eq!(claims_of(&alone, "tls-").len(), 1);
    // One version needs no name, and no comparison.
    alone.series.truncate(2);
    assert!(!full(&alone, ENGLISH).contains("kasoku on") && claims_of(&alone, "tls-").is_empty());
}

/// A library chooses the text of its version.
#[test]
fn hostile_versions_of_openssl_are_escaped() {
    let mut document = openssls();
    for series in document.series.iter_mut().filter(|series| series.library == "openssl") {
        if series.library_version == "3.5.5" {
            series.library_version = format!("3.5.5\u{1b}[2J<b>{}", "9".repeat(500));
        }
    }
    let (text, page) = (full(&document, ENGLISH), page_of(&[&document], ENGLISH));
    assert!(!text.contains('\u{1b}') && text.contains("3.5.5\\u{1b}[2J"), "{text}");
    assert!(!page.contains("<b>99") && !text.contains(&"9".repeat(100)));
}

#[test]
fn throughput_of_a_core_counts_the_cores_of_all_serving_hosts() {
    // Two hosts of eight cores with a worker each, 12 Gbit/s for each worker.
    let mut document = of(vec![series("openssl", GCM, 1 << 20, &[349_525; 5])]);
    let details = details_of(&mut document.series[0]);
    (details.working_cores, details.server_cores) = (Some(2), Some(16));
    // The CPU is that of the serving hosts, not of the document's machine.
    details.server_machine = Some("big\u{1b}[2J".to_owned());
    let text = full(&document, ENGLISH).replace("\n  ", " ");
    for said in ["up to 12.0 Gbit/s (AES128-GCM-SHA256, openssl, big\\u{1b}[2J)", "Served by: big\\u{1b}[2J"] {
        assert!(text.contains(said), "{said} in {text}");
    }
}

/// Documents may contain finite figures whose ratio is infinite.
#[test]
fn page_hides_infinite_ratios_and_cpu_loads() {
    let mut document = of(vec![series("openssl", GCM, 1 << 20, &SLOW), series("openssl", CBC, 1 << 20, &SLOW)]);
    details_of(&mut document.series[0]).load.server_cpu = Some(f64::MAX);
    for (algorithm, figure) in [(Algorithm::Aes128Gcm, 1e18), (Algorithm::Aes128CbcHmacSha1, 5e-324)] {
        let mut one = document.series[0].clone();
        (one.level, one.operation, one.algorithm, one.bytes) = (Level::Primitives, Operation::Seal, algorithm, 16_384);
        one.median = Some(figure);
        one.details = Details::default();
        document.series.push(one);
    }
    let page = page_of(&[&document], ENGLISH);
    assert!(page.contains("id=\"r1-tls\"") && !page.contains("r1-tls-raw") && !plain(&page).contains(">inf"));
}
