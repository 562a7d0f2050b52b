//! What people see of data from end to end, against a run that is made up: the words follow the figures, and nothing in
//! a document steers the page, the terminal or the spreadsheet.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod synthetic;

use kasoku_model::document::{Document, Experiment, Outcome, Series, TransferDetails};
use kasoku_model::language::Language::{English, Japanese};
use kasoku_model::workload::transfer::{Protection, Transport};
use kasoku_report::Format;
use kasoku_report::export::export;
use kasoku_report::html::render;
use kasoku_report::language::messages;
use kasoku_report::terminal::{WIDTH, summary};
use kasoku_report::transfer::{TransferFinding, What};
use kasoku_report::verdict::{self, verdict};
use synthetic::HOSTILE;
use synthetic::transfer::document;

fn findings(document: &Document) -> Vec<TransferFinding> {
    let of_transfers = |finding| match finding {
        verdict::Finding::Transfer(finding) => Some(finding),
        _ => None,
    };
    verdict::findings(document, messages(English)).into_iter().filter_map(of_transfers).collect()
}

fn sentences(document: &Document) -> String {
    verdict(document, messages(English)).sentences.join("\n")
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.7
}

#[test]
fn what_ours_saves_is_told_of_the_better_way_with_its_interval() {
    let document = document();
    let costs: Vec<(usize, Vec<(String, f64)>)> = findings(&document)
        .into_iter()
        .filter_map(|finding| match finding {
            TransferFinding::Cost { what, who, against } => {
                assert_eq!(who.protection == Protection::OnePass, what.transport == Transport::Quic);
                assert!(against.iter().all(|(_, effect)| effect.is_shown && effect.ci95[0] <= effect.percent));
                Some((what.bytes, against.into_iter().map(|(library, effect)| (library, effect.percent)).collect()))
            }
            _ => None,
        })
        .collect();
    let [(1452, small), (8952, _), (16_384, records)] = costs.as_slice() else { panic!("{costs:?}") };
    let [(aws_lc, less), (ring, far_less)] = small.as_slice() else { panic!("{small:?}") };
    assert_eq!((aws_lc.as_str(), ring.as_str()), ("aws-lc", "ring"));
    assert!(near(*less, 100.0 * (1.1 / 1.5 - 1.0)) && near(*far_less, 100.0 * (1.1 / 1.7 - 1.0)), "{small:?}");
    assert!(near(records[0].1, 100.0 * (0.46 / 0.5 - 1.0)), "{records:?}");
    let told = sentences(&document);
    assert!(
        told.contains("move data over QUIC in packets of 1452 B (AES-128-GCM), with kasoku, one pass: 26."),
        "{told}"
    );
    assert!(told.contains("% less than with aws-lc (26.") && told.contains("% less than with ring ("), "{told}");
}

#[test]
fn quic_is_held_against_tls_at_both_sizes() {
    let document = document();
    let over = findings(&document).into_iter().find_map(|finding| match finding {
        TransferFinding::OverTls { who, sizes } if who.library == "kasoku" => Some(sizes),
        _ => None,
    });
    let sizes = over.unwrap();
    let [(1452, sender, both), (8952, large_sender, _)] = sizes.as_slice() else { panic!("{sizes:?}") };
    assert!(near(sender.percent, 100.0 * (0.6 / 0.25 - 1.0)) && near(both.percent, 100.0 * (1.1 / 0.46 - 1.0)));
    assert!(near(large_sender.percent, -12.0));
    let told = sentences(&document);
    assert!(told.contains("Published for another QUIC stack") && told.contains("the sender’s 12.0 % less ("), "{told}");
    assert!(told.contains("The kernel’s share of the CPU time") && told.contains("QUIC, 1452 B 50 %"), "{told}");
}

#[test]
fn nothing_is_claimed_that_the_rounds_do_not_show() {
    let mut document = document();
    document.series.retain(|one| !one.details.control);
    document.run.method.noise_floor = Some(0.9);
    assert!(sentences(&document).contains("no difference shown from aws-lc ("));
    document.run.complete = false;
    assert!(findings(&document).is_empty());
    assert!(!render(&[&document], English).contains("% less than with"));

    let mut few = synthetic::transfer::document();
    few.series.iter_mut().for_each(|one| one.samples.truncate(4));
    assert!(
        !findings(&few).iter().any(|finding| matches!(finding, TransferFinding::Cost { .. })),
        "four rounds have no interval"
    );
    let mut old = synthetic::transfer::document();
    old.series.iter_mut().flat_map(|one| &mut one.samples).for_each(|sample| sample.sides = None);
    let text = summary(&old, false, English);
    assert!(
        text.contains("1.50") && text.contains('–'),
        "without samples of both sides, what the document says: {text}"
    );

    let mut unverified = synthetic::transfer::document();
    unverified.series.iter_mut().for_each(|one| one.outcome = Outcome::Unverified);
    assert!(!render(&[&unverified], English).contains("id=\"r1-transfer\""));
}

/// aws-lc takes 2 % more than itself, so less than that is nothing.
#[test]
fn what_chance_can_do_is_not_claimed() {
    let of_records = |document: &Document| {
        let is_tls = |what: &What| what.transport == Transport::Tls;
        let is_one = |one: &TransferFinding| matches!(one, TransferFinding::Cost { what, .. } if is_tls(what));
        match findings(document).into_iter().find(is_one) {
            Some(TransferFinding::Cost { against, .. }) => against[0].1,
            _ => panic!("ours against aws-lc's"),
        }
    };
    let mut document = document();
    document.run.method.noise_floor = Some(0.001);
    for sides in document
        .series
        .iter_mut()
        .filter(|one| one.library == "kasoku" && one.bytes == 16_384)
        .flat_map(|one| one.samples.iter_mut().filter_map(|sample| sample.sides.as_mut()))
    {
        // 0.5 % to 1.5 % less than aws-lc.
        for side in [&mut sides.sender, &mut sides.receiver] {
            side.cpu_ns = (side.cpu_ns as f64 * 0.99 * 0.5 / 0.46) as u64;
        }
    }
    let text = summary(&document, false, English);
    let [again] =
        text.lines().filter(|line| line.contains("TLS") && line.contains("aws-lc, again")).collect::<Vec<_>>()[..]
    else {
        panic!("one row: {text}")
    };
    assert!(again.contains("= ("), "{again}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("differs from itself by up to 2.0 % in CPU time and 0.1 % in throughput"), "{text}");
    assert!(text.contains("During 14 of 406 transfers something else had a core"), "{text}");
    let effect = of_records(&document);
    assert!(near(effect.percent, -1.0) && !effect.is_shown, "{effect:?}");

    document.series.retain(|one| !one.details.control);
    assert!(of_records(&document).is_shown, "without that, the floor of the run holds");
    assert!(!summary(&document, false, English).contains("differs from itself"));
}

#[test]
fn every_form_has_the_table_and_it_fits_the_terminal() {
    let document = document();
    for language in [English, Japanese] {
        let text = summary(&document, false, language);
        let columns = |line: &str| line.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum::<usize>();
        assert!(text.lines().all(|line| columns(line) <= WIDTH), "{text}");
        assert!(!text.contains("measured twice"), "{text}");
    }
    let page = render(&[&document], English);
    let section =
        page.split_once("id=\"r1-transfer\"").unwrap().1.split_once("\n</section>").map_or("", |(inside, _)| inside);
    for text in
        ["kasoku, one pass", "CPU time of QUIC against TLS", "CPU time and throughput against aws-lc", "1.50 · 50 %"]
    {
        assert!(page.contains(text), "{text} in {section}");
    }
    for format in [Format::Table, Format::Markdown] {
        let text = export(&document, format, English);
        assert!(text.contains("10³ packets/s") && text.contains("kasoku, one pass"), "{text}");
    }
    let csv = export(&document, Format::Csv, English);
    assert_eq!(csv.lines().filter(|line| line.contains(",transfer,")).count(), document.series.len());
}

#[test]
fn what_the_system_lacks_is_said() {
    let mut document = document();
    for one in &mut document.series {
        let details = transfer_of(one);
        details.packets_per_call = details.packets_per_call.map(|_| 1.0);
        details.lost = details.lost.map(|_| 3);
        details.shares_cores = true;
    }
    let text = summary(&document, false, English);
    assert!(text.contains("no segmentation offload for UDP") && text.contains("shared a core"), "{text}");
    assert!(text.contains("were taken for lost"), "{text}");
}

fn transfer_of(series: &mut Series) -> &mut TransferDetails {
    match &mut series.details.experiment {
        Experiment::Transfer(details) => details,
        other => panic!("{other:?} is no transfer"),
    }
}

#[test]
fn hostile_documents_steer_nothing() {
    let mut document = document();
    let mut hostile = |index: usize, change: &dyn Fn(&mut Series)| change(&mut document.series[index]);
    hostile(0, &|one| one.library = HOSTILE.to_owned());
    hostile(1, &|one| one.bytes = usize::MAX);
    hostile(2, &|one| transfer_of(one).through = Some(HOSTILE.to_owned()));
    hostile(3, &|one| one.samples.iter_mut().for_each(|sample| sample.iterations = 0));
    hostile(4, &|one| {
        for sides in one.samples.iter_mut().filter_map(|sample| sample.sides.as_mut()) {
            (sides.sender.cpu_ns, sides.receiver.kernel_ns) = (u64::MAX, u64::MAX);
        }
    });
    hostile(5, &|one| transfer_of(one).sender_cpu_s_per_gb = Some(-1e300));
    for language in [English, Japanese] {
        let page = render(&[&document], language);
        assert!(!page.contains("</script") && !page.contains("<img") && !page.contains("NaN"));
        let texts = [page, summary(&document, false, language), export(&document, Format::Markdown, language)];
        assert!(texts.iter().all(|text| !text.contains(['\u{1b}', '\u{202e}', '\u{9b}'])));
    }
}
