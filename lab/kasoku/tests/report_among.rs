//! A run's page with what stands around it: other machines, earlier runs, steps, advice.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

#[path = "../../report/tests/browser/mod.rs"]
mod browser;
#[path = "../../report/tests/page/mod.rs"]
mod page;
mod support;
#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use kasoku_command::cmd::surroundings::gather;
use kasoku_model::document::{Document, Origin, OriginKind};
use kasoku_report::collection::{MAX_RUNS, Surroundings};
use kasoku_report::language::Language;
use kasoku_report::page::Shown;
use kasoku_report::render;
use kasoku_store::collection::HistoryChange;
use page::{ENGLISH, JAPANESE, is_steering, plain, well_formed};
use support::Sandbox;
use synthetic::HOSTILE;

/// The sections of a page in their order.
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

/// A device with figures from elsewhere.
fn device(id: &str, name: &str) -> Document {
    let mut document = synthetic::quoted::published();
    document.run.id = id.to_owned();
    document.machine.name = Some(name.to_owned());
    document.machine.cpu.clear();
    let kind = OriginKind::Transcript;
    document.run.origin = Some(Origin { kind, source: "somebody.txt".to_owned(), address: None, note: None });
    document.series.iter_mut().for_each(|series| series.median = series.median.map(|median| median * 1.001));
    document
}

fn around(documents: &[Document], stored: &[Document]) -> Vec<Surroundings> {
    let sandbox = Sandbox::with(stored);
    gather(&documents.iter().collect::<Vec<_>>(), Some(&sandbox.path("store.sqlite")))
}

fn page(documents: &[Document], around: &[Surroundings], language: Language) -> String {
    let shown = documents.iter().zip(around).map(|(document, around)| Shown { document, surroundings: Some(around) });
    render::page(&shown.collect::<Vec<_>>(), language)
}

/// What stands between the heading of a section and its end.
fn section<'p>(page: &'p str, name: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("id=\"r1-{name}\"")).unwrap_or_else(|| panic!("no section {name}"));
    rest.split_once("</section>").unwrap().0
}

/// The tables of the section of others: titles and rows.
fn tables(page: &str) -> Vec<(&str, Vec<&str>)> {
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
fn every_section_is_there_in_order_and_in_the_table_of_contents() {
    let documents = [run(2)];
    let around = around(&documents, &[run(0), run(1), run(2), device("other", "Another device")]);
    for language in [ENGLISH, *JAPANESE] {
        let page = page(&documents, &around, language);
        well_formed(&page);
        let mut place = page.find("<main").unwrap();
        for name in SECTIONS.split(' ') {
            let at = page.find(&format!("id=\"r1-{name}\"")).unwrap_or_else(|| panic!("no section {name}"));
            assert!(at > place, "{name} is not in its place");
            place = at;
            assert!(page.contains(&format!("<li><a href=\"#r1-{name}\">")), "{name} is not in the table of contents");
        }
        assert_eq!(page.matches("<h1>").count(), 1);
        // No heading skips a level.
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
fn this_machine_stands_among_the_others_in_its_place() {
    let documents = [run(2)];
    let around = around(&documents, &[run(0), run(2), device("other", "Another device")]);
    let page = page(&documents, &around, ENGLISH);
    let tables = tables(&page);
    let titles: Vec<&str> = tables.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles.len(), 16, "{titles:?}");
    assert_eq!(titles[..5], ["AES-128-GCM", "AES-128-CBC", "AES-256-CBC", "AES-256-GCM", "ChaCha20-Poly1305"]);
    assert_eq!(titles[5..10], ["SHA-1", "SHA-256", "SHA-512", "BLAKE2s-256", "BLAKE2b-512"]);
    for (title, rows) in &tables {
        let this: Vec<&&str> = rows.iter().filter(|row| row.contains("class=\"this\"")).collect();
        assert_eq!(this.len(), 1, "{title}");
        assert!(plain(this[0]).contains("(this machine)"), "{title}: {}", this[0]);
        for row in rows {
            // Every bar has its figure beside it, and its length is that of the figure.
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
    // 9.2 GB/s: after the i7-13700 and the device that has a thousandth more than it.
    let (_, gcm) = &tables[0];
    assert!(gcm[2].contains("class=\"this\""), "{gcm:?}");
    assert!(gcm[0].contains("Another device") && gcm[1].contains("i7-13700"));
    let sources = section(&page, "others").rsplit("<caption>").next().unwrap();
    assert_eq!(sources.matches("Another device").count(), 1);
    assert_eq!(sources.matches("imported: somebody.txt").count(), 1);
}

#[test]
fn with_many_machines_some_are_left_out_and_counted() {
    let mut stored: Vec<Document> = vec![run(0)];
    for index in 0..30 {
        let mut device = device(&format!("device-{index}"), &format!("Device {index}"));
        device.series.iter_mut().for_each(|series| series.median = series.median.map(|m| m * (1.1 + index as f64)));
        stored.push(device);
    }
    let documents = [run(0)];
    let page = page(&documents, &around(&documents, &stored), ENGLISH);
    well_formed(&page);
    let (_, rows) = &tables(&page)[0];
    assert!(rows.len() <= 15, "{}", rows.len());
    let left_out: usize = rows
        .iter()
        .filter_map(|row| plain(row).trim().strip_prefix("… ")?.split(' ').next()?.parse::<usize>().ok())
        .sum();
    let shown = rows.iter().filter(|row| row.contains("scope=\"row\"")).count();
    assert_eq!(shown + left_out, 30 + 12 + 1);
    assert!(page.contains("<code>kasoku rank aes-128-gcm --bytes 16384</code>"));
}

#[test]
fn a_device_from_elsewhere_is_this_machine_of_its_own_page() {
    let documents = [device("other", "Another device")];
    let around = around(&documents, &[run(0), documents[0].clone()]);
    let page = page(&documents, &around, ENGLISH);
    well_formed(&page);
    for (title, rows) in tables(&page) {
        let this: Vec<&&str> = rows.iter().filter(|row| row.contains("class=\"this\"")).collect();
        assert!(this.len() == 1 && this[0].contains("Another device"), "{title}");
    }
    assert!(plain(section(&page, "history")).contains("no runs of that machine to follow"));
}

#[test]
fn history_claims_only_changes_that_are_shown() {
    let mut slower = run(1);
    for series in &mut slower.series {
        let factor = if series.algorithm.name() == "sha-256" { 0.5 } else { 1.001 };
        series.median = series.median.map(|median| median * factor);
        series.ci95 = series.ci95.map(|interval| interval.map(|value| value * factor));
    }
    let documents = [run(2)];
    let surroundings = around(&documents, &[run(0), slower, run(2)]);
    let shown = surroundings[0].histories.iter().flat_map(|history| &history.points);
    assert_eq!(shown.filter(|point| matches!(point.change, HistoryChange::Shown(_))).count(), 2);
    let page = page(&documents, &surroundings, ENGLISH);
    let history = section(&page, "history");
    let text = plain(history);
    assert!(text.contains("SHA-256, 16 KiB, openssl: 0.50× on 2026-11-02"), "{text}");
    assert!(text.contains("SHA-256, 16 KiB, openssl: 2.0× on 2026-11-03"), "{text}");
    assert!(history.matches("<small>=</small>").count() >= 8, "{history}");
    assert_eq!(history.matches("<svg ").count(), 5);
    assert_eq!(history.matches("this run").count(), 1);

    let alone = around(&documents, &[run(2)]);
    let page = page_of_one(&documents, &alone);
    assert!(plain(section(&page, "history")).contains("There is one run of this machine so far."));

    let same = around(&documents, &[run(0), run(2)]);
    let page = page_of_one(&documents, &same);
    assert!(plain(section(&page, "history")).contains("No difference is shown between one run and the next"));
}

fn page_of_one(documents: &[Document], around: &[Surroundings]) -> String {
    let page = page(documents, around, ENGLISH);
    well_formed(&page);
    page
}

#[test]
fn history_shows_the_newest_runs_and_says_so() {
    let stored: Vec<Document> = (0..27).map(run).collect();
    let documents = [run(26)];
    let surroundings = around(&documents, &stored);
    let history = &surroundings[0].histories[0];
    assert_eq!(history.points.len(), MAX_RUNS);
    assert_eq!(history.points.last().unwrap().run, "run-26");
    assert!(history.points.iter().all(|point| point.change != HistoryChange::First), "the first has one before it too");
    let text = plain(section(&page_of_one(&documents, &surroundings), "history")).to_owned();
    assert!(text.contains("The newest 20 runs; all of them: kasoku history aes-128-gcm"), "{text}");
}

#[test]
fn advice_has_its_figures_its_reason_and_its_lines() {
    let documents = [run(0)];
    let page = page(&documents, &around(&documents, &[run(0)]), ENGLISH);
    let advice = section(&page, "advice");
    assert!(advice.contains(">In short</h3>") && advice.contains("<h3>TLS</h3>"), "{advice}");
    assert!(advice.contains("<code>ssl_protocols TLSv1.2 TLSv1.3;\nssl_prefer_server_ciphers"), "{advice}");
    assert_eq!(advice.matches("<pre>").count(), advice.matches("</pre>").count());
}

#[test]
fn an_incomplete_run_is_not_put_among_others() {
    let mut document = run(1);
    document.run.complete = false;
    let documents = [document];
    let page = page(&documents, &around(&documents, &[run(0), documents[0].clone()]), ENGLISH);
    well_formed(&page);
    assert!(!page.contains("r1-others") && !page.contains("r1-steps"));
}

/// Names of ten thousand characters, markup, steering, right to left, wide.
fn hostile() -> (Vec<Document>, Vec<Surroundings>) {
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
        let factor = 1.5 + index as f64;
        device.series.iter_mut().for_each(|series| series.median = series.median.map(|median| median * factor));
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
    stored.push(named.clone());
    let documents = vec![run(1), stored[3].clone(), named];
    let around = around(&documents, &stored);
    (documents, around)
}

#[test]
fn hostile_names_break_nothing_even_on_a_page_of_several_runs() {
    let (documents, around) = hostile();
    for language in [ENGLISH, *JAPANESE] {
        let page = page(&documents, &around, language);
        well_formed(&page);
        assert!(!page.chars().any(is_steering) && !page.contains("<img"));
        assert!(page.contains("&lt;/script&gt;&lt;img src=https://evil"), "the name is shown, as text");
        assert!(!page.contains(&"x".repeat(500)) && !page.contains(&"名".repeat(500)), "names are cut");
        assert_eq!(page.matches("<h1>").count(), 3);
    }
}

#[test]
fn nothing_stands_out_at_any_width_and_every_bar_can_be_seen() {
    let Some(browser) = browser::browser() else { return };
    let (hostile, around_hostile) = hostile();
    let documents = [run(2)];
    let around = around(&documents, &[run(0), run(1), run(2), device("other", "Another device")]);
    let mut pages: Vec<String> = [ENGLISH, *JAPANESE].map(|language| page(&documents, &around, language)).into();
    pages.push(page(&hostile, &around_hostile, ENGLISH));
    for page in &pages {
        for width in [360, 390, 1280] {
            let measured = browser::open(&browser, &measuring(page, width));
            assert!(measured.console.is_empty(), "{:#?}", measured.console);
            let figure = |name: &str| -> f64 {
                let text = measured.dom.split_once(&format!("{name}=")).expect("nothing was measured").1;
                text.split([';', '<']).next().unwrap().parse().unwrap()
            };
            assert!(figure("wide") <= f64::from(width), "at {width} px the page is {} wide", figure("wide"));
            assert_eq!(
                figure("outside"),
                0.0,
                "at {width} px something stands out of the page: {}",
                measured.dom.len()
            );
            assert_eq!(figure("cut"), 0.0, "at {width} px a table of bars is wider than its card");
            assert!(figure("bars") > 100.0 && figure("flat") == 0.0, "{} bars", figure("bars"));
        }
    }
    let broken = pages[0].replacen("class=\"bar", "style=\"border:0\" class=\"", 1);
    let (before, others) = broken.split_once("id=\"r1-others\"").unwrap();
    let wide = others.replacen("scope=\"row\">", "scope=\"row\" style=\"min-width:900px\">", 1);
    let broken = format!("{before}id=\"r1-others\"{wide}").replacen("<h2 ", "<h2 style=\"width:3000px\" ", 1);
    let measured = browser::open(&browser, &measuring(&broken, 360));
    assert!(!measured.dom.contains("cut=0;") && !measured.dom.contains("outside=0;"), "a fault would be seen");
}

/// A page that holds `page` in a frame of that width and says what it measured there.
fn measuring(page: &str, width: u32) -> String {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    let script = "
        const inner = document.getElementById('frame').contentDocument;
        const width = inner.documentElement.clientWidth;
        inner.querySelectorAll('details').forEach(fold => fold.open = true);
        const box = element => element.getBoundingClientRect();
        const scrolls = element => element.closest('.scroll table, pre code');
        const outside = [...inner.body.querySelectorAll('*')].filter(element => !scrolls(element)
            && !element.closest('defs') && (box(element).right > width + 1 || box(element).left < -1));
        const cut = [...inner.querySelectorAll('.places table')].filter(table =>
            box(table).width > box(table.parentElement).width + 1);
        const bars = [...inner.querySelectorAll('.places .bar')];
        const flat = bars.filter(bar => !(box(bar).width >= 1 && box(bar).height >= 3));
        document.getElementById('result').textContent = 'wide=' + inner.documentElement.scrollWidth + ';outside='
            + outside.length + ';cut=' + cut.length + ';bars=' + bars.length + ';flat=' + flat.length + ';';";
    format!(
        "<!DOCTYPE html><meta charset=utf-8><p id=result></p><iframe id=frame \
         style=\"width:{width}px;height:900px;border:0\" srcdoc=\"{escaped}\"></iframe><script>window.onload = () => \
         {{{script}}};</script>"
    )
}
