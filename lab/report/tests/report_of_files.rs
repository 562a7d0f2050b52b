//! What people see of the level files, against a run whose figures are the published ones: the tables come out as
//! printed, the figures stand beside the published ones, and nothing in a document steers the page or the terminal.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod synthetic;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Document, Outcome};
use kasoku_model::language::Language::{English, Japanese};
use kasoku_report::files::log;
use kasoku_report::html::render;
use kasoku_report::language::messages;
use kasoku_report::terminal::{WIDTH, summary};
use kasoku_report::verdict::verdict;
use synthetic::HOSTILE;
use synthetic::files::document;

fn section(page: &str) -> &str {
    let rest = page.split_once("id=\"r1-files\">").expect("no section").1;
    rest.split_once("\n</section>").map_or(rest, |(inside, _)| inside)
}

fn sentences(document: &Document) -> String {
    verdict(document, messages(English)).sentences.join("\n")
}

#[test]
fn the_published_tables_come_out_as_printed() {
    let page = render(&[&document()], English);
    let section = section(&page);
    // Of the first test run of each size, and the means of 50MB; the published table stands below with its slips.
    for improvement in ["47.18", "40.67", "45.81", "40.69", "46.49", "40.68", "33.00", "36.23", "38.53", "33.13"] {
        assert!(section.matches(&format!(">{improvement}<")).count() >= 2, "{improvement} is not there twice");
    }
    assert!(section.contains("333.13 †") && section.contains("2881/td&gt; †"), "slips are shown as printed");
    assert!(section.contains("nothing can take 333 % less time"));
    // The mean that the source left out.
    assert!(section.contains(">36.69<") && section.contains(">33.31<"));
}

#[test]
fn the_four_figures_stand_beside_the_published_ones() {
    let page = render(&[&document()], English);
    for name in ["times-128", "times-256", "improvement-encrypt", "improvement-decrypt"] {
        for id in [format!("r1-files-{name}-title"), format!("r1-files-published-{name}-title")] {
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }
}

#[test]
fn the_words_follow_the_figures() {
    let mut document = document();
    let told = sentences(&document);
    assert_eq!(verdict(&document, messages(English)).headline, told.lines().next().unwrap());
    assert!(
        told.contains("files take 39.0 % less time to encrypt and 37.1 % less to decrypt with AES-128-CBC (openssl)"),
        "{told}"
    );
    // 16,643 ms × 0.35, of which the copy takes 2,048; in memory 16,643 × 0.28.
    assert!(told.contains("Of the 5825 ms in which kasoku encrypts 1 GiB with AES-256-GCM, 35 %"), "{told}");
    assert!(told.contains("from memory to memory it takes 4660 ms"), "{told}");

    // One repetition without acceleration that was as fast as one with it: no difference is claimed.
    let off = |document: &mut Document| {
        let is_off = |one: &&mut kasoku_model::document::Series| one.acceleration == Acceleration::Off;
        document.series.iter_mut().filter(is_off).for_each(|one| one.samples[0].ns = 1);
    };
    off(&mut document);
    assert!(!sentences(&document).contains("less time"), "{}", sentences(&document));

    for one in &mut document.series {
        one.outcome = Outcome::Unverified;
    }
    assert_eq!(sentences(&document), "Nothing in this run is both measured and verified: nothing is ranked.");
}

#[test]
fn an_unverified_or_missing_series_has_no_figure() {
    let mut document = document();
    let total = render(&[&document], English).matches(">47.18<").count();
    for one in
        document.series.iter_mut().filter(|one| one.library == "openssl" && one.acceleration == Acceleration::Off)
    {
        one.outcome = Outcome::Unverified;
    }
    let page = render(&[&document], English);
    assert!(page.matches(">47.18<").count() < total && page.contains(">–<"));
    document.series.retain(|one| one.acceleration == Acceleration::On);
    let page = render(&[&document], English);
    assert!(page.contains("Encrypted files") && !page.contains("r1-files-times-128-title"));
}

#[test]
fn the_log_has_a_line_for_each_repetition_in_order() {
    let document = document();
    let log = log(&document);
    assert_eq!(log.lines().count(), document.series.iter().map(|one| one.samples.len()).sum::<usize>());
    let first = log.lines().next().unwrap();
    assert!(first.starts_with("test run 1, repetition 1: ") && first.contains(" of 52428800 bytes, "), "{first}");
    let page = render(&[&document], English);
    assert!(section(&page).contains(" lines. The whole log is written with"), "long logs are cut on the page");
}

#[test]
fn the_summary_fits_and_tells_the_copy() {
    let text = summary(&document(), false, English);
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    assert!(text.contains("copy") && !text.contains("unverified"), "{text}");
}

#[test]
fn japanese_is_japanese() {
    let page = render(&[&document()], Japanese);
    let section = section(&page);
    for text in ["ファイルの暗号化", "テスト実行", "向上率", "システム・コンポーネント", "公開値"]
    {
        assert!(section.contains(text) || page.contains(text), "{text}");
    }
    for text in ["Encrypted files", "test run<", "improvement", "published"] {
        let without_ids = section.replace("published-", "").replace("improvement-", "");
        assert!(!without_ids.contains(text), "{text} is English");
    }
}

#[test]
fn hostile_names_steer_nothing() {
    let mut document = document();
    for one in document.series.iter_mut().filter(|one| one.library == "openssl") {
        one.library = HOSTILE.to_owned();
        one.library_version = HOSTILE.to_owned();
    }
    document.machine.cpu = HOSTILE.to_owned();
    for page in [render(&[&document], English), render(&[&document], Japanese)] {
        assert!(!page.contains("</script") && !page.contains("<img"));
    }
    for text in [render(&[&document], English), render(&[&document], Japanese), log(&document)] {
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{9b}']));
    }
    assert!(!summary(&document, false, English).contains('\u{1b}'));
}
