//! The report page of a run beside other machines and earlier runs in the store: sections, rankings, history and
//! layout.

use kasoku_model::document::{Document, Origin, OriginKind};

use crate::browser;
use crate::page::{is_steering, plain, well_formed};
use crate::support::Sandbox;
use crate::synthetic::{self, HOSTILE};

const SECTIONS: &str = "choices libraries acceleration public-keys others history verdict charts ratios fastest steps \
                        advice missing notes machine figures repeat";

/// A small run, `days` after the first.
fn run(days: usize) -> Document {
    let mut document = synthetic::document();
    document.series.retain(|series| ["openssl", "ring"].contains(&series.library.as_str()));
    document.run.id = format!("run-{days}");
    document.run.started = format!("2026-11-{:02}T09:14:09Z", days + 1);
    document
}

fn scale(document: &mut Document, factor: f64) {
    document.series.iter_mut().for_each(|series| series.median = series.median.map(|median| median * factor));
}

/// A device with imported figures.
fn device(id: &str, name: &str) -> Document {
    let mut document = synthetic::quoted::published();
    document.run.id = id.to_owned();
    document.machine.name = Some(name.to_owned());
    document.machine.cpu.clear();
    let kind = OriginKind::Transcript;
    document.run.origin = Some(Origin { kind, source: "somebody.txt".to_owned(), address: None, note: None });
    scale(&mut document, 1.001);
    document
}

fn page_in(sandbox: &Sandbox, language: &str, runs: &[&str]) -> String {
    sandbox.text(&[&["--lang", language, "report", "--out", "page.html"], runs].concat());
    let page = sandbox.read("page.html");
    well_formed(&page);
    page
}

fn page_of(run: &str, stored: &[Document]) -> String {
    page_in(&Sandbox::with(stored), "en", &[run])
}

fn section<'p>(page: &'p str, name: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("id=\"r1-{name}\"")).unwrap_or_else(|| panic!("no section {name}"));
    rest.split_once("</section>").unwrap().0
}

/// Returns title and rows of each ranking in the section `others`.
fn rankings(page: &str) -> Vec<(&str, Vec<&str>)> {
    let tables = section(page, "others").split("<div class=\"card\">").skip(1);
    tables
        .map(|table| {
            let caption = table.split_once("<caption>").unwrap().1.split_once("</caption>").unwrap().0;
            let title = caption.split([' ', ',']).next().unwrap();
            let body = table.split_once("<tbody>").unwrap().1.split_once("</tbody>").unwrap().0;
            (title, body.split("</tr>").filter(|row| row.contains("<tr")).collect())
        })
        .collect()
}

#[test]
fn page_has_all_sections_in_order_and_in_its_contents() {
    let sandbox = Sandbox::with(&[run(0), run(1), run(2), device("other", "Another device")]);
    for language in ["en", "ja"] {
        let page = page_in(&sandbox, language, &["run-2"]);
        let mut position = page.find("<main").unwrap();
        for name in SECTIONS.split(' ') {
            let next = page.find(&format!("id=\"r1-{name}\"")).unwrap_or_else(|| panic!("no section {name}"));
            assert!(next > position, "the section {name} is in the wrong position");
            position = next;
            assert!(page.contains(&format!("<li><a href=\"#r1-{name}\">")), "{name} is not in the table of contents");
        }
        assert_eq!(page.matches("<h1>").count(), 1);
        // No heading skips a level of headings.
        let mut before = 1;
        for after in page.split("<h").skip(1) {
            let Some(level @ '1'..='6') = after.chars().next() else { continue };
            let level = level as usize - '0' as usize;
            assert!(level <= before + 1, "h{level} after h{before}");
            before = level;
        }
    }
}

#[test]
fn page_ranks_this_machine_among_other_machines() {
    let page = page_of("run-2", &[run(0), run(2), device("other", "Another device")]);
    let tables = rankings(&page);
    let titles: Vec<&str> = tables.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles.len(), 16, "{titles:?}");
    assert_eq!(titles[..5], ["AES-128-GCM", "AES-128-CBC", "AES-256-CBC", "AES-256-GCM", "ChaCha20-Poly1305"]);
    assert_eq!(titles[5..10], ["SHA-1", "SHA-256", "SHA-512", "BLAKE2s-256", "BLAKE2b-512"]);
    for (title, rows) in &tables {
        let this: Vec<&&str> = rows.iter().filter(|row| row.contains("class=\"this\"")).collect();
        assert_eq!(this.len(), 1, "{title}");
        assert!(plain(this[0]).contains("(this machine)"), "{title}: {}", this[0]);
        for row in rows {
            // Each bar has a figure beside it.
            let width = row.split_once("style=\"width:").unwrap().1.split_once('%').unwrap().0.parse::<f64>().unwrap();
            let cells: Vec<&str> =
                row.split("<td class=\"number\"").skip(1).map(|cell| cell.split_once('>').unwrap().1).collect();
            assert_eq!(cells.len(), 2, "{row}");
            let figure = plain(cells[0].split_once("</td>").unwrap().0);
            assert!((0.0..=100.0).contains(&width) && figure.starts_with(|c: char| c.is_ascii_digit()), "{row}");
            assert_eq!(figure.ends_with('*'), !row.contains("class=\"this\""), "quoted figures are marked: {row}");
        }
        assert!(rows[0].contains("width:100.00%"), "{title}");
    }
    // This machine, at 9.2 GB/s, ranks below the i7-13700 and a device that is 0.1 % faster.
    let (_, gcm) = &tables[0];
    assert!(gcm[2].contains("class=\"this\""), "{gcm:?}");
    assert!(gcm[0].contains("Another device") && gcm[1].contains("i7-13700"));
    let sources = section(&page, "others").rsplit("<caption>").next().unwrap();
    assert_eq!(sources.matches("Another device").count(), 1);
    assert_eq!(sources.matches("imported: somebody.txt").count(), 1);
}

#[test]
fn page_counts_machines_left_out_of_long_rankings() {
    let mut stored: Vec<Document> =
        (0..30).map(|index| device(&format!("device-{index}"), &format!("Device {index}"))).collect();
    stored.iter_mut().zip(1..).for_each(|(device, index)| scale(device, f64::from(index)));
    stored.push(run(0));
    let page = page_of("run-0", &stored);
    let (_, rows) = &rankings(&page)[0];
    assert!(rows.len() <= 15, "{}", rows.len());
    let number = |row: &&str| plain(row).trim().strip_prefix("… ")?.split(' ').next()?.parse::<usize>().ok();
    let left_out: usize = rows.iter().filter_map(number).sum();
    let shown = rows.iter().filter(|row| row.contains("scope=\"row\"")).count();
    assert_eq!(shown + left_out, 30 + 12 + 1);
    assert!(page.contains("<code>kasoku rank aes-128-gcm --bytes 16384</code>"));
}

#[test]
fn page_of_an_imported_device_highlights_the_device_in_rankings() {
    let page = page_of("other", &[run(0), device("other", "Another device")]);
    for (title, rows) in rankings(&page) {
        let this: Vec<&&str> = rows.iter().filter(|row| row.contains("class=\"this\"")).collect();
        assert!(this.len() == 1 && this[0].contains("Another device"), "{title}");
    }
    assert!(plain(section(&page, "history")).contains("no runs of that machine to follow"));
}

#[test]
fn page_history_claims_only_proven_changes() {
    let mut slower = run(1);
    for series in &mut slower.series {
        let factor = if series.algorithm.name() == "sha-256" { 0.5 } else { 1.001 };
        series.median = series.median.map(|median| median * factor);
        series.ci95 = series.ci95.map(|interval| interval.map(|value| value * factor));
    }
    let page = page_of("run-2", &[run(0), slower, run(2)]);
    let history = section(&page, "history");
    let text = plain(history);
    assert!(text.contains("SHA-256, 16 KiB, openssl: 0.50× on 2026-11-02"), "{text}");
    assert!(text.contains("SHA-256, 16 KiB, openssl: 2.0× on 2026-11-03"), "{text}");
    assert!(history.matches("<small>=</small>").count() >= 8, "{history}");
    assert_eq!((history.matches("<svg ").count(), history.matches("this run").count()), (5, 1));

    for (stored, says) in [
        (vec![run(2)], "There is one run of this machine so far."),
        (vec![run(0), run(2)], "No difference is shown between one run and the next"),
        ((0..27).map(run).collect(), "The newest 20 runs; all of them: kasoku history aes-128-gcm"),
    ] {
        let newest = &stored[stored.len() - 1].run.id;
        assert!(plain(section(&page_of(newest, &stored), "history")).contains(says), "{says}");
    }
}

#[test]
fn page_advice_has_lines_to_paste() {
    let page = page_of("run-0", &[run(0)]);
    let advice = section(&page, "advice");
    assert!(advice.contains(">In short</h3>") && advice.contains("<h3>TLS</h3>"), "{advice}");
    assert!(advice.contains("<code>ssl_protocols TLSv1.2 TLSv1.3;\nssl_prefer_server_ciphers"), "{advice}");
}

#[test]
fn page_of_an_incomplete_run_has_no_rankings_and_no_steps() {
    let mut incomplete = run(1);
    incomplete.run.complete = false;
    let page = page_of("run-1", &[run(0), incomplete]);
    assert!(!page.contains("r1-others") && !page.contains("r1-steps"));
}

/// A store with names of ten thousand characters, markup, control characters, right-to-left and wide text.
fn hostile_sandbox() -> Sandbox {
    let names = [
        HOSTILE.to_owned(),
        HOSTILE.repeat(150),
        "名".repeat(10_000),
        "سرعة التشفير ".repeat(40),
        "x".repeat(10_000),
        "  ".to_owned(),
    ];
    let mut stored = vec![run(0), run(1)];
    for (index, name) in names.iter().enumerate() {
        let mut device = device(&format!("device-{index}"), name);
        scale(&mut device, 1.5 + index as f64);
        device.machine.os = Some(name.clone());
        let origin = device.run.origin.as_mut().unwrap();
        origin.source.clone_from(name);
        origin.note = Some(name.clone());
        device.series.iter_mut().for_each(|series| series.library_version.clone_from(name));
        stored.push(device);
    }
    let mut named = run(2);
    named.machine.name = Some(HOSTILE.to_owned());
    named.run.started = HOSTILE.to_owned();
    stored.push(named);
    Sandbox::with(&stored)
}

/// Runs of [`hostile_sandbox`] that stand on one page.
const HOSTILE_RUNS: [&str; 3] = ["run-1", "device-1", "run-2"];

#[test]
fn page_of_several_runs_escapes_and_cuts_hostile_names() {
    let sandbox = hostile_sandbox();
    for language in ["en", "ja"] {
        let page = page_in(&sandbox, language, &HOSTILE_RUNS);
        assert!(!page.chars().any(is_steering) && !page.contains("<img"));
        assert!(page.contains("&lt;/script&gt;&lt;img src=https://evil"), "the name is shown as text");
        assert!(!page.contains(&"x".repeat(500)) && !page.contains(&"名".repeat(500)), "names are cut");
        assert_eq!(page.matches("<h1>").count(), 3);
    }
}

#[test]
fn page_fits_every_width_and_shows_every_bar() {
    let Some(browser) = browser::browser() else { return };
    let sandbox = Sandbox::with(&[run(0), run(1), run(2), device("other", "Another device")]);
    let mut pages: Vec<String> = ["en", "ja"].map(|language| page_in(&sandbox, language, &["run-2"])).into();
    pages.push(page_in(&hostile_sandbox(), "en", &HOSTILE_RUNS));
    for page in &pages {
        for width in [360, 390, 1280] {
            let measured = browser::open(&browser, &browser::measuring(page, width));
            assert!(measured.console.is_empty(), "{:#?}", measured.console);
            let figure = |name: &str| browser::figure(&measured.dom, name);
            assert!(figure("wide") <= f64::from(width), "at {width} px the page is {} wide", figure("wide"));
            assert_eq!(figure("outside"), 0.0, "at {width} px an element is outside the page");
            assert_eq!(figure("cut"), 0.0, "at {width} px a table of bars is wider than its card");
            assert!(
                figure("places") > 100.0 && figure("flat") == 0.0,
                "{} bars, {} of them without width or height",
                figure("places"),
                figure("flat")
            );
        }
    }
    let broken = pages[0].replacen("class=\"bar", "style=\"border:0\" class=\"", 1);
    let (before, others) = broken.split_once("id=\"r1-others\"").unwrap();
    let wide = others.replacen("scope=\"row\">", "scope=\"row\" style=\"min-width:900px\">", 1);
    let broken = format!("{before}id=\"r1-others\"{wide}").replacen("<h2 ", "<h2 style=\"width:3000px\" ", 1);
    let measured = browser::open(&browser, &browser::measuring(&broken, 360));
    assert!(
        !measured.dom.contains("cut=0;") && !measured.dom.contains("outside=0;"),
        "the check does not detect faults made on purpose"
    );
}
