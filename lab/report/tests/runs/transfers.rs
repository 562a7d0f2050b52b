//! Checks all outputs of a synthetic run with end-to-end transfers. Sentences follow the figures.

use crate::page::{ENGLISH, JAPANESE, claims_of, full, page_of, summary};
use crate::synthetic;
use crate::synthetic::HOSTILE;
use crate::synthetic::transfer::document;
use kasoku_model::document::{Document, Experiment, Outcome, Series, TransferDetails};
use kasoku_report::Format;
use kasoku_report::claim::{Claim, Effect};
use kasoku_report::render::export;
use kasoku_report::text::Text;

fn effects(claim: &Claim) -> Vec<(&Text, Effect)> {
    claim.effects.iter().map(|effect| (&effect.of, effect.change.expect("the effect has no difference"))).collect()
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.7
}

#[test]
fn transfer_differences_that_the_rounds_do_not_prove_are_not_claimed() {
    let mut document = document();
    document.series.retain(|one| !one.details.control);
    document.run.method.noise_floor = Some(0.9);
    assert!(claims_of(&document, "transfer-cost").iter().all(|claim| !effects(claim)[0].1.is_shown));
    document.run.complete = false;
    assert_eq!(claims_of(&document, "transfer-"), []);
    assert!(!page_of(&[&document], ENGLISH).contains("% less than with"));

    let mut few = synthetic::transfer::document();
    few.series.iter_mut().for_each(|one| one.samples.truncate(4));
    assert!(claims_of(&few, "transfer-cost").is_empty(), "four rounds have no interval");
    let mut old = synthetic::transfer::document();
    old.series.iter_mut().flat_map(|one| &mut one.samples).for_each(|sample| sample.sides = None);
    let text = full(&old, ENGLISH);
    assert!(
        text.contains("1.50") && text.contains('–'),
        "without samples of both sides, the document's figures are shown: {text}"
    );

    let mut unverified = synthetic::transfer::document();
    unverified.series.iter_mut().for_each(|one| one.outcome = Outcome::Unverified);
    assert!(!page_of(&[&unverified], ENGLISH).contains("id=\"r1-transfer\""));
}

/// The A/A control shows aws-lc 2 % slower than itself, so smaller differences are noise.
#[test]
fn transfer_differences_within_the_noise_floor_are_not_claimed() {
    let of_records = |document: &Document| {
        let costs = claims_of(document, "transfer-cost");
        let of_records = costs.iter().find(|claim| claim.subject.bytes == Some(16_384));
        effects(of_records.expect("no claim about Kasoku and aws-lc"))[0].1
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
    let text = summary(&document, ENGLISH);
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
    assert!(of_records(&document).is_shown, "without the A/A control, the noise floor of the run applies");
    assert!(!full(&document, ENGLISH).contains("differs from itself"));
}

#[test]
fn every_format_has_the_transfer_tables() {
    let document = document();
    for language in [ENGLISH, *JAPANESE] {
        let text = summary(&document, language);
        assert!(!text.contains("measured twice"), "{text}");
    }
    let page = page_of(&[&document], ENGLISH);
    let section =
        page.split_once("id=\"r1-transfer\"").unwrap().1.split_once("\n</section>").map_or("", |(inside, _)| inside);
    for text in
        ["kasoku, one pass", "CPU time of QUIC against TLS", "CPU time and throughput against aws-lc", "1.50 · 50 %"]
    {
        assert!(page.contains(text), "{text} in {section}");
    }
    for format in [Format::Table, Format::Markdown] {
        let text = export(&document, format, ENGLISH);
        assert!(text.contains("10³ packets/s") && text.contains("kasoku, one pass"), "{text}");
    }
    let csv = export(&document, Format::Csv, ENGLISH);
    assert_eq!(csv.lines().filter(|line| line.contains(",transfer,")).count(), document.series.len());
}

#[test]
fn transfer_notes_state_missing_udp_offload_and_shared_cores() {
    let mut document = document();
    for one in &mut document.series {
        let details = transfer_of(one);
        details.packets_per_call = details.packets_per_call.map(|_| 1.0);
        details.lost = details.lost.map(|_| 3);
        details.shares_cores = true;
    }
    let text = full(&document, ENGLISH);
    assert!(text.contains("no segmentation offload for UDP") && text.contains("shared a core"), "{text}");
    assert_eq!(claims_of(&document, "transfer-lost")[0].figure("lost"), Some(&24_usize.into()));
}

fn transfer_of(series: &mut Series) -> &mut TransferDetails {
    match &mut series.details.experiment {
        Experiment::Transfer(details) => details,
        other => panic!("{other:?} are no details of a transfer"),
    }
}

/// Returns [`document`] with hostile names and impossible figures.
pub(crate) fn hostile() -> Document {
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
    document
}
