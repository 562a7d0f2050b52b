//! Checks all outputs of synthetic runs of the level packets. Figures and percentages are complete, and sentences
//! follow them.

use super::between;
use crate::page::{ENGLISH, claims_of, full, page_of, plain};
use crate::synthetic;
use crate::synthetic::packets::{document, is_of, packets_of, speed_up};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm::{Aes128Gcm, Aes256Gcm};
use kasoku_model::document::{Document, Outcome, Series};
use kasoku_model::workload::Operation::{Protect, Seal};
use kasoku_model::workload::Packets;
use kasoku_report::Format;
use kasoku_report::claim::{Claim, Effect, claims};
use kasoku_report::render::export;
use kasoku_report::text::Text;

/// Contender that most assertions are about, as claims name it.
const KASOKU: &str = "kasoku 1.4.2";
const OPENSSL: &str = "openssl 3.0.19";

fn find(document: &Document, kind: &str, library: &str) -> Option<Claim> {
    let is_meant = |claim: &Claim| claim.kind == kind && claim.subject.library == Text::from(library);
    claims_of(document, "packets-").into_iter().find(is_meant)
}

fn effect_at(claim: &Claim, size: &str) -> Effect {
    let effect = claim.effects.iter().find(|effect| effect.of == Text::from(size));
    effect.and_then(|effect| effect.change).unwrap_or_else(|| panic!("no effect at {size}: {claim:?}"))
}

fn header_protection(document: &Document, library: &str) -> Effect {
    effect_at(&find(document, "packets-header-protection", library).expect("a claim"), "1440 B")
}

fn batches(document: &Document) -> Effect {
    let claim = find(document, "packets-batches", KASOKU).expect("a claim");
    assert_eq!(claim.figure("batch"), Some(&64_usize.into()));
    effect_at(&claim, "1440 B")
}

fn section(page: &str) -> &str {
    between(page, "id=\"r1-packets\">Packets</h2>", "\n</section>")
}

fn near(one: f64, other: f64, by: f64) -> bool {
    (one - other).abs() <= by
}

#[test]
fn cost_of_header_protection_is_claimed_beyond_noise_only_and_may_be_negative() {
    assert!(header_protection(&document(), KASOKU).is_shown);
    // Header protection takes 1.9 ns. Without that time, the two differ only by noise.
    let aead = 17.0 + 1440.0 / 12.9;
    for (faster, percent, is_shown) in [(1.0, 0.0, false), (1.1, -9.1, true)] {
        let (mut document, factor) = (document(), faster * (aead + 1.9) / aead);
        speed_up(&mut document, |s| s.bytes == 1440 && is_of("kasoku", Protect, true, 1)(s), factor);
        let effect = header_protection(&document, KASOKU);
        assert!(effect.is_shown == is_shown && near(effect.percent, percent, 0.3), "{effect:?}");
        assert!(!page_of(&[&document], ENGLISH).contains("NaN"));
    }
}

#[test]
fn batch_is_compared_with_a_loop_over_single_packets_if_the_loop_was_measured() {
    let mut document = document();
    // Repeating one packet is faster than a loop over many, because it stays in the cache.
    let mut looped: Vec<_> = document.series.iter().filter(|s| is_of("kasoku", Protect, true, 1)(s)).cloned().collect();
    for series in &mut looped {
        *packets_of(series) = Packets::looped(64);
    }
    document.series.extend(looped);
    let against_one = batches(&document);
    let is_looped = |series: &Series| series.workload().packets().is_some_and(|packets| packets.looped);
    speed_up(&mut document, is_looped, 0.9);
    let against_loop = batches(&document);
    let expected = (1.0 + against_one.percent / 100.0) / 0.9 * 100.0 - 100.0;
    assert!(near(against_loop.percent, expected, 0.1), "{against_one:?} {against_loop:?}");
    let page = page_of(&[&document], ENGLISH);
    assert!(section(&page).contains("<td>64 in a loop</td>") && !section(&page).contains(">64 in a loop</text>"));
    assert!(!page.contains("measured twice"));
}

#[test]
fn packet_section_shows_every_size_library_and_percentage_of_the_upper_bound() {
    let document = document();
    let page = page_of(&[&document], ENGLISH);
    let packets = section(&page);
    // One chart for each size and key length.
    assert_eq!(packets.matches("<svg ").count(), 12);
    assert_eq!(packets.matches(">bound 13.4</text>").count(), 6, "the bound was measured for one key length");
    assert!(plain(packets).contains("not measured for AES-256-GCM"));
    for text in [
        "AES-128-GCM, sending, GB/s",
        "AES-128-GCM, receiving, GB/s",
        "AES-256-GCM, sending, GB/s",
        "13.4 GB/s",
        "AES alone would reach 19.8 GB/s",
        "<td>batches of 16</td>",
        "<td>TLS record</td>",
        "kasoku 1.4.2 (no-vaes)",
        "11.0 · 82 %</text>",
        "82 % · 56 %",
        "header protection: more time",
        "set-up: more time",
        "batches of 64: more packets",
        "QUIC packets over TLS records, cycles a byte",
    ] {
        assert!(packets.contains(text) || plain(packets).contains(text), "{text:?} is not in the section");
    }
    assert!(!page.contains("Every figure"), "a table of another level");
    assert!(!page.contains("Nothing in this run") && !page.contains("was not switched off"));
    assert!(!between(&page, ">What is missing</h2>", "</section>").contains("limit-"), "bounds are listed as missing");
    assert!(page == page_of(&[&document], ENGLISH), "rendering the run again gives another page");
}

#[test]
fn page_shows_packets_and_primitives_of_one_run_separately() {
    let mut document = synthetic::document();
    let alone = page_of(&[&document], ENGLISH);
    assert!(!alone.contains(">Packets</h2>") && claims_of(&document, "packets-").is_empty());
    document.series.extend(synthetic::packets::series());
    let page = page_of(&[&document], ENGLISH);
    assert!(page.contains(">Packets</h2>") && page.contains(">Every figure</h2>"));
    assert_eq!(
        between(&page, ">Every figure</h2>", ">What is missing<"),
        between(&alone, ">Every figure</h2>", ">What is missing<"),
        "packets changed the table of the primitives"
    );
    let kinds: Vec<&str> = claims(&document).iter().map(|claim| claim.kind).collect();
    assert!(!kinds[0].starts_with("packets-") && kinds.contains(&"packets-header-protection"), "{kinds:?}");
}

#[test]
fn unverified_packet_series_are_in_tables_but_not_in_charts_or_claims() {
    let mut document = document();
    let is_meant = is_of("openssl", Protect, true, 1);
    for series in document.series.iter_mut().filter(|series| is_meant(series)) {
        series.outcome = Outcome::Unverified;
        series.note = Some("two families disagree".to_owned());
    }
    assert!(find(&document, "packets-header-protection", OPENSSL).is_none());
    let page = page_of(&[&document], ENGLISH);
    assert!(section(&page).contains("4.13<span class=\"bad\">!</span>"));
    assert!(!section(&page).contains(">4.13 ·"), "an unverified figure has a bar");
    let missing = between(&page, ">What is missing</h2>", "</section>");
    assert!(
        missing.contains("openssl 3.0.19, AEAD + header protection (on)") && missing.contains("two families disagree")
    );

    let mut document = self::document();
    let is_meant = is_of("kasoku", Seal, true, 1);
    for series in document.series.iter_mut().filter(|series| is_meant(series)) {
        synthetic::fail(series, "failed: the worker ended");
    }
    assert!(section(&page_of(&[&document], ENGLISH)).contains(">failed</td>"));
    assert!(find(&document, "packets-header-protection", OPENSSL).is_some());
    assert!(find(&document, "packets-header-protection", KASOKU).is_none());
}

#[test]
fn incomplete_packet_run_has_figures_but_no_percentages_or_claims() {
    let mut document = document();
    document.run.complete = false;
    assert!(claims_of(&document, "packets-").is_empty());
    let page = page_of(&[&document], ENGLISH);
    assert!(page.contains("Incomplete run.") && section(&page).contains("11.0"));
    for absent in ["11.0 · 82 %</text>", "82 % · 56 %", "what costs what", "over TLS records"] {
        assert!(!section(&page).contains(absent), "{absent}");
    }
}

#[test]
fn packet_exports_have_every_series_and_report_no_duplicates() {
    let document = document();
    for format in [Format::Table, Format::Markdown] {
        let text = export(&document, format, ENGLISH);
        assert!(!text.contains("measured twice") && text.contains("Packets with AES"), "{text}");
        let is_meant =
            |line: &&str| line.trim_start_matches("| ").starts_with("kasoku 1.4.2") && line.contains("batches of 64");
        let row = text.lines().find(is_meant).unwrap();
        assert!(row.contains("12.0 (89 %)") || row.contains("12.0 (90 %)"), "{row}");
        assert!(text.contains("limit-mixed") && text.contains("what costs what"), "{text}");
    }
    let csv = export(&document, Format::Csv, ENGLISH);
    assert_eq!(csv.lines().count(), document.series.len() + 1);
    assert!(csv.contains("\"\"experiment\"\":\"\"packets\"\""));
}

#[test]
fn packet_section_works_with_one_acceleration_state_and_few_sizes() {
    let mut document = document();
    document
        .series
        .retain(|series| series.acceleration == Acceleration::NoVaes || series.library.starts_with("limit-"));
    let page = page_of(&[&document], ENGLISH);
    assert_eq!(section(&page).matches("<svg ").count(), 1);
    let speed = claims_of(&document, "packets-").into_iter().find(|claim| claim.kind == "packets-speed").unwrap();
    assert_eq!(speed.figure("rate"), Some(&"5.20 GB/s".into()));
    assert_eq!(speed.figure("share"), Some(&"39 %".into()));

    // A quick run has one key length and three sizes. The main sizes are 1,440 and the largest.
    let mut document = self::document();
    document.series.retain(|series| {
        series.algorithm == Aes128Gcm
            && ([1200, 1440, 9000].contains(&series.bytes) || series.workload().packets() == Some(Packets::RECORD))
    });
    assert!(!document.series.iter().any(|series| series.algorithm == Aes256Gcm));
    let text = full(&document, ENGLISH);
    assert!(
        text.contains("in packets of 1440 B") && text.contains("in packets of 8.79 KiB")
            || text.contains("in packets of 9000 B")
    );
    let over_tls = find(&document, "packets-over-tls", KASOKU).unwrap();
    assert_eq!(over_tls.figure("record"), Some(&"16 KiB".into()));
}

#[test]
fn packet_section_limits_charts_and_contenders() {
    let mut document = document();
    let model = document.series[2].clone();
    for number in 0..400 {
        let mut series = model.clone();
        series.bytes = 100 + number;
        series.library = format!("other-{number}");
        document.series.push(series);
    }
    let page = page_of(&[&document], ENGLISH);
    assert!(section(&page).matches("<svg ").count() <= 16);
    assert!(between(section(&page), "<svg ", "</svg>").matches("font-weight=\"bold\"").count() <= 14);
}
