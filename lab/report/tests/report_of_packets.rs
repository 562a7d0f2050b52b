//! What people see of the level packets, against runs that are made up: the figures and shares are there, the words
//! follow them, and nothing in a document steers the page, the terminal or the spreadsheet.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod synthetic;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm::{Aes128Gcm, Aes256Gcm};
use kasoku_model::document::{Document, Outcome, Series};
use kasoku_model::language::Language::English;
use kasoku_model::workload::Operation::{Protect, Seal};
use kasoku_model::workload::Packets;
use kasoku_report::Format;
use kasoku_report::export::export;
use kasoku_report::html::render;
use kasoku_report::language::messages;
use kasoku_report::packets::finding::{Cost, Effect, PacketFinding};
use kasoku_report::terminal::{WIDTH, summary};
use kasoku_report::verdict::{self, verdict};
use synthetic::packets::{document, hostile, is_of, packets_of, speed_up};

fn sentences(document: &Document) -> String {
    verdict(document, messages(English)).sentences.join("\n")
}

fn findings(document: &Document) -> Vec<PacketFinding> {
    let of_packets = |finding| match finding {
        verdict::Finding::Packets(finding) => Some(finding),
        _ => None,
    };
    verdict::findings(document, messages(English)).into_iter().filter_map(of_packets).collect()
}

/// The effect at 1,440 bytes of what `is_meant` picks.
fn at_1440(document: &Document, is_meant: impl Fn(&PacketFinding) -> Option<Vec<(usize, Effect)>>) -> Effect {
    let effects = findings(document).iter().find_map(is_meant).expect("no such finding");
    effects.into_iter().find(|(bytes, _)| *bytes == 1440).expect("not at 1,440 bytes").1
}

fn header_protection(document: &Document, library: &'static str) -> Effect {
    at_1440(document, |finding| match finding {
        PacketFinding::Cost { what: Cost::HeaderProtection, library: who, effects, .. } if who.starts_with(library) => {
            Some(effects.clone())
        }
        _ => None,
    })
}

fn is_steering(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What stands between `from` and `to`, or the end.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from:?} in\n{text}")).1;
    rest.split_once(to).map_or(rest, |(inside, _)| inside)
}

fn section(page: &str) -> &str {
    between(page, "id=\"r1-packets\">Packets</h2>", "\n</section>")
}

fn near(one: f64, other: f64, by: f64) -> bool {
    (one - other).abs() <= by
}

#[test]
fn the_words_follow_the_figures() {
    let document = document();
    // 128 ns and 1,440 bytes at 9.3 a nanosecond, and 66 ns more.
    let aead = 128.0 + 1440.0 / 9.3;
    let effect = header_protection(&document, "openssl");
    assert!(near(effect.percent, 66.0 / aead * 100.0, 1.0) && effect.is_shown, "{effect:?}");
    assert!(effect.ci95[0] <= effect.percent && effect.percent <= effect.ci95[1], "{effect:?}");
    let setup = at_1440(&document, |finding| match finding {
        PacketFinding::Cost { what: Cost::Setup, library, effects, .. } if library.starts_with("openssl") => {
            Some(effects.clone())
        }
        _ => None,
    });
    assert!(near(setup.percent, (aead / (16.0 + 1440.0 / 9.4) - 1.0) * 100.0, 2.0), "{setup:?}");
    let batches = at_1440(&document, |finding| match finding {
        PacketFinding::Batches { batch: 64, effects, .. } => Some(effects.clone()),
        _ => None,
    });
    let one = 17.0 + 1.9 + 1440.0 / 12.9;
    assert!(near(batches.percent, 10.5 / (one - 10.5) * 100.0, 0.7), "{batches:?}");
    let over_tls = |library: &'static str, batch: usize| {
        at_1440(&document, |finding| match finding {
            PacketFinding::OverTls { library: who, batch: of, effects, .. }
                if who.starts_with(library) && *of == batch =>
            {
                Some(effects.iter().map(|(bytes, effect, _)| (*bytes, *effect)).collect())
            }
            _ => None,
        })
    };
    let record = (17.0 + 16_384.0 / 12.9) / 16_384.0;
    assert!(near(over_tls("kasoku", 1).percent, (one / 1440.0 / record - 1.0) * 100.0, 0.7));
    assert!(near(over_tls("kasoku", 64).percent, ((one - 10.5) / 1440.0 / record - 1.0) * 100.0, 0.7));
    assert!(over_tls("openssl", 1).percent > 90.0);

    let said = sentences(&document);
    for text in [
        "Packets of 1440 B with AES-128-GCM, header protection included: kasoku 1.4.2 in batches of 64 12.0 GB/s, 90 % \
         of this CPU’s bound; kasoku 1.4.2 11.0 GB/s, 82 % of this CPU’s bound; openssl 3.0.19 4.13 GB/s, 31 %",
        "Header protection (openssl 3.0.19, AES-128-GCM): 23.3 % more time than the AEAD (23.3 to 23.5 %) at 1440 B; \
         3.5 % more time (3.",
        "Setup, AAD and tag (openssl 3.0.19, AES-128-GCM): 67.2 % more time than the cipher alone (67",
        "Batches of 64 (kasoku 1.4.2, AES-128-GCM): 8.7 % more packets in the same time than one at a time",
        "QUIC over TLS, the cipher’s share (openssl 3.0.19, AES-128-GCM), against a TLS record of 16 KiB (0.450 a \
         byte): 110 % more cycles (0.945 a byte, 110 to 110 %) in packets of 1440 B; 11.8 % more cycles (0.503 a byte, \
         11.7",
        "belongs to whole QUIC stacks",
    ] {
        assert!(said.contains(text), "{text:?} is not in\n{said}");
    }
    assert!(
        verdict(&document, messages(English)).headline.starts_with("Packets of 1440 B, AES-128-GCM, header protection")
    );
}

#[test]
fn no_difference_is_claimed_where_none_is_shown() {
    let mut document = document();
    assert!(header_protection(&document, "kasoku").is_shown);
    // 1.9 ns are what header protection takes; without them the two are the same but for noise.
    let aead = 17.0 + 1440.0 / 12.9;
    speed_up(&mut document, |s| s.bytes == 1440 && is_of("kasoku", Protect, true, 1)(s), (aead + 1.9) / aead);
    let effect = header_protection(&document, "kasoku");
    assert!(!effect.is_shown && effect.percent.abs() < 0.3, "{effect:?}");
    let said = sentences(&document);
    assert!(said.contains("Header protection (kasoku 1.4.2, AES-128-GCM): no difference "), "{said}");
    assert!(!render(&[&document], English).contains("NaN"));

    // Faster with than without is told as it is.
    speed_up(&mut document, |s| s.bytes == 1440 && is_of("kasoku", Protect, true, 1)(s), 1.1);
    let said = sentences(&document);
    assert!(said.contains("Header protection (kasoku 1.4.2, AES-128-GCM): 9.1 % less time than the AEAD (−"), "{said}");
}

#[test]
fn a_batch_is_held_against_as_many_packets_one_by_one() {
    let mut document = document();
    let batches = |document: &Document| {
        at_1440(document, |finding| match finding {
            PacketFinding::Batches { batch: 64, effects, .. } => Some(effects.clone()),
            _ => None,
        })
    };
    // One packet again and again is faster than many packets one by one, since it stays where it is.
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
    let page = render(&[&document], English);
    assert!(section(&page).contains("<td>64 in a loop</td>") && !section(&page).contains(">64 in a loop</text>"));
    assert!(!page.contains("measured twice"));
}

#[test]
fn the_page_shows_every_size_library_and_share() {
    let document = document();
    let page = render(&[&document], English);
    let packets = section(&page);
    // A chart a size and key length.
    assert_eq!(packets.matches("<svg ").count(), 12);
    assert_eq!(packets.matches(">bound 13.4</text>").count(), 6, "the bound was measured for one key length");
    assert!(packets.contains("not measured for AES-256-GCM"));
    for text in [
        "AES-128-GCM, sending, GB/s",
        "AES-128-GCM, receiving, GB/s",
        "AES-256-GCM, sending, GB/s",
        "<strong>13.4 GB/s</strong>",
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
        assert!(packets.contains(text), "{text:?} is not in the section");
    }
    assert!(!page.contains("Every figure"), "no table of other levels");
    assert!(!page.contains("Nothing in this run") && !page.contains("was not switched off"));
    assert!(!between(&page, ">What is missing</h2>", "</section>").contains("limit-"), "the bounds are no failures");
    assert!(page == render(&[&document], English), "the same run gives the same page");
}

#[test]
fn beside_primitives_both_are_told() {
    let mut document = synthetic::document();
    let alone = render(&[&document], English);
    assert!(!alone.contains(">Packets</h2>") && !sentences(&document).contains("Header protection"));
    document.series.extend(synthetic::packets::series());
    let page = render(&[&document], English);
    assert!(page.contains(">Packets</h2>") && page.contains(">Every figure</h2>"));
    assert_eq!(
        between(&page, ">Every figure</h2>", ">What is missing<"),
        between(&alone, ">Every figure</h2>", ">What is missing<"),
        "packets are in no table of the primitives"
    );
    assert!(
        sentences(&document).starts_with("AES-256-CBC is 6.8 times")
            && sentences(&document).contains("Header protection")
    );
    assert!(verdict(&document, messages(English)).headline.starts_with("With this CPU’s instructions"));
}

#[test]
fn the_terminal_has_a_line_a_library_within_its_width() {
    let text = summary(&document(), false, English);
    for line in text.lines() {
        assert!(line.chars().count() <= WIDTH, "{} columns: {line}", line.chars().count());
        assert_eq!(line, line.trim_end());
    }
    let table = between(&text, "AES-128-GCM in packets of 1440 B, GB/s (bound 13.4, AES alone 19.8)", "\n\n");
    let row = table.lines().find(|line| line.starts_with("kasoku ")).unwrap();
    let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(
        cells,
        ["kasoku", "18.0 (135 %)", "11.2 (84 %)", "11.0 (82 %)", "11.8 (88 %)", "12.0 (90 %)", "10.8 (81 %)"]
    );
    assert!(text.contains("in packets of 16 KiB") && text.contains("\nVerdict\n"));
    assert!(!text.contains("not verified"), "the bounds are no failures: {text}");
}

#[test]
fn what_was_not_verified_is_shown_and_neither_drawn_nor_compared() {
    let mut document = document();
    let is_meant = is_of("openssl", Protect, true, 1);
    for series in document.series.iter_mut().filter(|series| is_meant(series)) {
        series.outcome = Outcome::Unverified;
        series.note = Some("two families disagree".to_owned());
    }
    assert!(!findings(&document).iter().any(|finding| matches!(finding,
        PacketFinding::Cost { what: Cost::HeaderProtection, library, .. } if library.starts_with("openssl"))));
    let page = render(&[&document], English);
    assert!(section(&page).contains("4.13<span class=\"bad\">!</span>"));
    assert!(!section(&page).contains(">4.13 ·"), "it has no bar");
    let missing = between(&page, ">What is missing</h2>", "</section>");
    assert!(
        missing.contains("openssl 3.0.19, AEAD + header protection (on)") && missing.contains("two families disagree")
    );

    let mut document = self::document();
    let is_meant = is_of("kasoku", Seal, true, 1);
    for series in document.series.iter_mut().filter(|series| is_meant(series)) {
        synthetic::fail(series, "failed: the worker ended");
    }
    assert!(section(&render(&[&document], English)).contains(">failed</td>"));
    assert!(sentences(&document).contains("Header protection (openssl"));
    assert!(!sentences(&document).contains("Header protection (kasoku"));
}

#[test]
fn an_incomplete_run_has_figures_and_no_shares_or_claims() {
    let mut document = document();
    document.run.complete = false;
    assert!(findings(&document).is_empty());
    let page = render(&[&document], English);
    assert!(page.contains("Incomplete run.") && section(&page).contains("11.0"));
    for absent in ["11.0 · 82 %</text>", "82 % · 56 %", "what costs what", "over TLS records"] {
        assert!(!section(&page).contains(absent), "{absent}");
    }
}

#[test]
fn exports_have_every_series_and_none_is_said_to_be_measured_twice() {
    let document = document();
    for format in [Format::Table, Format::Markdown] {
        let text = export(&document, format, English);
        assert!(!text.contains("measured twice") && text.contains("Packets with AES"), "{text}");
        let is_meant =
            |line: &&str| line.trim_start_matches("| ").starts_with("kasoku 1.4.2") && line.contains("batches of 64");
        let row = text.lines().find(is_meant).unwrap();
        assert!(row.contains("12.0 (89 %)") || row.contains("12.0 (90 %)"), "{row}");
        assert!(text.contains("limit-mixed") && text.contains("what costs what"), "{text}");
    }
    let csv = export(&document, Format::Csv, English);
    assert_eq!(csv.lines().count(), document.series.len() + 1);
    assert!(csv.contains("\"\"experiment\"\":\"\"packets\"\""));
}

#[test]
fn a_state_alone_and_other_sizes_are_shown_too() {
    let mut document = document();
    document
        .series
        .retain(|series| series.acceleration == Acceleration::NoVaes || series.library.starts_with("limit-"));
    let page = render(&[&document], English);
    assert_eq!(section(&page).matches("<svg ").count(), 1);
    assert!(sentences(&document).contains("kasoku 1.4.2 (no-vaes) 5.20 GB/s, 39 % of this CPU’s bound"));

    // A quick run: one key length, three sizes. The two that stand for all are 1,440 and the largest.
    let mut document = self::document();
    document.series.retain(|series| {
        series.algorithm == Aes128Gcm
            && ([1200, 1440, 9000].contains(&series.bytes) || series.workload().packets() == Some(Packets::RECORD))
    });
    assert!(!document.series.iter().any(|series| series.algorithm == Aes256Gcm));
    let text = summary(&document, false, English);
    assert!(
        text.contains("in packets of 1440 B") && text.contains("in packets of 8.79 KiB")
            || text.contains("in packets of 9000 B")
    );
    assert!(sentences(&document).contains("against a TLS record of 16 KiB"), "{}", sentences(&document));
}

#[test]
fn a_hostile_document_does_nothing() {
    let document = hostile();
    let page = render(&[&document], English);
    assert!(!page.chars().any(is_steering) && !page.contains("<img") && !page.contains("<script"));
    assert!(section(&page).contains("&lt;/script&gt;&lt;img"), "the name is shown, as text");
    assert!(!page.contains("NaN") && !page.contains(">inf"));
    for text in [
        summary(&document, false, English),
        export(&document, Format::Table, English),
        export(&document, Format::Markdown, English),
    ] {
        assert_eq!(text.chars().find(|character| is_steering(*character)), None);
        assert!(!text.contains("NaN"));
    }
    assert!(!export(&document, Format::Markdown, English).contains("<img"));
    for line in export(&document, Format::Csv, English).lines() {
        assert!(!line.starts_with('='));
    }
}

#[test]
fn many_sizes_and_libraries_do_not_make_a_page_without_end() {
    let mut document = document();
    let model = document.series[2].clone();
    for number in 0..400 {
        let mut series = model.clone();
        series.bytes = 100 + number;
        series.library = format!("other-{number}");
        document.series.push(series);
    }
    let page = render(&[&document], English);
    assert!(section(&page).matches("<svg ").count() <= 16);
    assert!(between(section(&page), "<svg ", "</svg>").matches("font-weight=\"bold\"").count() <= 14);
}
