//! Checks all outputs of a run of the level files with the published figures. The tables match the published tables,
//! and hostile text in a document cannot change the page or the terminal.

use crate::page::{ENGLISH, claims_of, page_of};
use crate::synthetic::HOSTILE;
use crate::synthetic::files::document;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Document, Outcome, Series};
use kasoku_report::file_log;

fn section(page: &str) -> &str {
    let rest = page.split_once("id=\"r1-files\">").expect("no section").1;
    rest.split_once("\n</section>").map_or(rest, |(inside, _)| inside)
}

#[test]
fn file_tables_match_the_published_tables() {
    let page = page_of(&[&document()], ENGLISH);
    let section = section(&page);
    // Improvements of the first test run of each size, and the means of 50MB. Each appears twice, because the published
    // table follows.
    for improvement in ["47.18", "40.67", "45.81", "40.69", "46.49", "40.68", "33.00", "36.23", "38.53", "33.13"] {
        assert!(section.matches(&format!(">{improvement}<")).count() >= 2, "{improvement} is not there twice");
    }
    assert!(section.contains("333.13 †") && section.contains("2881/td&gt; †"), "slips are shown as printed");
    assert!(section.contains("nothing can take 333 % less time"));
    // The mean that is missing in the source.
    assert!(section.contains(">36.69<") && section.contains(">33.31<"));
}

#[test]
fn page_has_a_published_chart_for_each_file_chart() {
    let page = page_of(&[&document()], ENGLISH);
    for name in ["times-128", "times-256", "improvement-encrypt", "improvement-decrypt"] {
        for id in [format!("r1-files-{name}-title"), format!("r1-files-published-{name}-title")] {
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }
}

#[test]
fn file_claims_need_clear_differences_and_verified_series() {
    let mut document = document();
    // Make one repetition without acceleration as fast as those with it.
    let is_off = |one: &&mut Series| one.acceleration == Acceleration::Off;
    document.series.iter_mut().filter(is_off).for_each(|one| one.samples[0].ns = 1);
    assert!(claims_of(&document, "files-saved").is_empty());
    assert!(!claims_of(&document, "files-").is_empty());
    document.series.iter_mut().for_each(|one| one.outcome = Outcome::Unverified);
    assert_eq!(claims_of(&document, "files-"), []);
}

#[test]
fn unverified_file_series_have_no_figures_on_the_page() {
    let mut document = document();
    let total = page_of(&[&document], ENGLISH).matches(">47.18<").count();
    for one in
        document.series.iter_mut().filter(|one| one.library == "openssl" && one.acceleration == Acceleration::Off)
    {
        one.outcome = Outcome::Unverified;
    }
    let page = page_of(&[&document], ENGLISH);
    assert!(page.matches(">47.18<").count() < total && page.contains(">–<"));
    document.series.retain(|one| one.acceleration == Acceleration::On);
    let page = page_of(&[&document], ENGLISH);
    assert!(page.contains("Encrypted files") && !page.contains("r1-files-times-128-title"));
}

#[test]
fn file_log_has_a_line_for_each_repetition_in_order() {
    let document = document();
    let log = file_log(&document);
    assert_eq!(log.lines().count(), document.series.iter().map(|one| one.samples.len()).sum::<usize>());
    let first = log.lines().next().unwrap();
    assert!(first.starts_with("test run 1, repetition 1: ") && first.contains(" of 52428800 bytes, "), "{first}");
    let page = page_of(&[&document], ENGLISH);
    assert!(section(&page).contains(" lines. The whole log is written with"), "long logs are cut on the page");
}

/// Returns [`document`] with hostile names.
pub(crate) fn hostile() -> Document {
    let mut document = document();
    for one in document.series.iter_mut().filter(|one| one.library == "openssl") {
        one.library = HOSTILE.to_owned();
        one.library_version = HOSTILE.to_owned();
    }
    document.machine.cpu = HOSTILE.to_owned();
    document
}
