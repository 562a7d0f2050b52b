//! Checks in a real browser what the page shows, and that the page obeys its content security policy.
//!
//! Needs Chromium (`apt-get install chromium`). Without it, the test prints a message and, if `CI` is `true`, fails.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod browser;
mod page;
mod synthetic;

use browser::{browser, figure, measuring, open};
use page::{ENGLISH, JAPANESE, page_of};

#[test]
fn page_in_browser_shows_all_charts_and_rows_and_obeys_its_policy() {
    let Some(browser) = browser() else { return };
    for (document, said) in
        [(synthetic::document(), ">AES-256-CBC</span> is 6.8 times"), (synthetic::packets::document(), ">Packets</h2>")]
    {
        let page = page_of(&[&document], ENGLISH);
        let opened = open(&browser, &page);
        assert!(opened.console.is_empty(), "{:#?}", opened.console);
        assert!(page.contains("<svg ") && opened.dom.contains(said), "{said}");
        for part in ["<svg ", "<tr>"] {
            let [kept, all] = [&opened.dom, &page].map(|text| text.matches(part).count());
            assert_eq!(kept, all, "a {part} was lost in parsing");
        }
    }
}

#[test]
fn hostile_page_in_browser_runs_and_loads_nothing() {
    let Some(browser) = browser() else { return };
    let opened = open(&browser, &page_of(&[&synthetic::hostile()], ENGLISH));
    assert!(opened.console.is_empty(), "{:#?}", opened.console);
    assert!(!opened.dom.contains("<img") && !opened.dom.contains("<script"));
    assert!(opened.dom.contains("&lt;/script&gt;&lt;img"));
}

#[test]
fn pages_fit_phones_and_desktops_in_both_languages() {
    let Some(browser) = browser() else { return };
    let mut both = synthetic::document();
    both.series.extend(synthetic::packets::series());
    let (quoted, hostile) = (synthetic::quoted::transcript(), synthetic::quoted::hostile());
    for language in [ENGLISH, *JAPANESE] {
        let pages = [
            (page_of(&[&both], language), false),
            (page_of(&[&quoted], language), false),
            (page_of(&[&quoted, &synthetic::quoted::published()], language), false),
            (page_of(&[&hostile], language), true),
            (page_of(&[&synthetic::packets::document()], language), false),
            (page_of(&[&synthetic::packets::hostile()], language), true),
        ];
        for (page, is_hostile) in &pages {
            for width in [360, 1280] {
                let measured = open(&browser, &measuring(page, width));
                assert!(measured.console.is_empty(), "{:#?}", measured.console);
                let figure = |name: &str| figure(&measured.dom, name);
                let at = format!("{language:?} at {width} px");
                assert!(figure("wide") <= f64::from(width), "{at}: the page is {} wide", figure("wide"));
                assert_eq!(figure("outside"), 0.0, "{at}: an element is outside the page");
                // Charts clip the hostile page's extreme figures, which the table shows.
                assert!(*is_hostile || figure("labels") == 0.0, "{at}: a label is outside its chart");
                assert!(figure("links") > 4.0 && figure("lost") == 0.0, "{at}: a link leads nowhere");
                let least = if page.contains("in-packets\"") { 100.0 } else { 0.0 };
                let [bars, flat] = ["drawn", "flat"].map(figure);
                assert!(bars >= least && flat == 0.0, "{at}: {bars} bars of packets, {flat} without width or height");
            }
        }
    }
}

#[test]
fn layout_check_detects_overflow_and_flat_bars() {
    let Some(browser) = browser() else { return };
    let page = page_of(&[&synthetic::packets::document()], ENGLISH);
    let (before, packets) = page.split_once("in-packets\"").unwrap();
    let packets = packets.replacen("<h3>", "<h3 style=\"width:3000px\">", 1);
    let packets = packets.replacen("height=\"13\" fill=\"var(--s", "height=\"0\" fill=\"var(--s", 1);
    let measured = open(&browser, &measuring(&format!("{before}in-packets\"{packets}"), 400));
    assert!(!measured.dom.contains("outside=0;") && measured.dom.contains("flat=1;"), "{}", measured.dom.len());
}

/// Without this check, the tests above could pass although a policy violation goes unnoticed.
#[test]
fn browser_check_detects_policy_violations() {
    let Some(browser) = browser() else { return };
    let page =
        page_of(&[&synthetic::document()], ENGLISH).replace("</body>", "<script>document.title='ran'</script></body>");
    let opened = open(&browser, &page);
    assert!(opened.console.iter().any(|line| line.contains("Content Security Policy")), "{:#?}", opened.console);
    assert!(!opened.dom.contains("<title>ran</title>"), "the policy let a script run");
}
