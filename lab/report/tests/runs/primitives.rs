//! Checks all outputs of synthetic runs of the level primitives. Figures are complete, and the verdict follows them.

use std::collections::BTreeSet;

use super::between;
use crate::page::{ENGLISH, JAPANESE, full, headline, page_of, plain, sentences, summary, well_formed};
use crate::synthetic;
use crate::synthetic::{is_openssl, set};
use kasoku_model::acceleration::Acceleration::{Off, On};
use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::document::{Document, Machine, Outcome};
use kasoku_report::Format;
use kasoku_report::claim::{Claim, claims};
use kasoku_report::page::Shown;
use kasoku_report::render::{self, TerminalView, export};
use kasoku_report::text::Text;
use proptest::prelude::*;

fn small() -> Document {
    let mut document = synthetic::document();
    let wanted = [BlowfishCbc, Aes128Cbc, Aes256Cbc, Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha256, Sha512, Sha3_256];
    document.series.retain(|series| series.library == "openssl" && wanted.contains(&series.algorithm));
    document
}

fn kinds(document: &Document) -> Vec<&'static str> {
    claims(document).iter().map(|claim| claim.kind).collect()
}

#[test]
fn full_terminal_output_shows_figures_gains_and_verdict() {
    let text = summary(&synthetic::document(), ENGLISH);
    let ciphers = between(&text, "\nCiphers with openssl 3.0.19, MB/s", "\n\n");
    let row = ciphers.lines().find(|line| line.starts_with("AES-256-CBC ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["AES-256-CBC", "on", "vaes512", "155", "448", "849", "1094", "1120", "1194", "1202"]);
    assert!(ciphers.lines().any(|line| line.starts_with("Blowfish-CBC ") && line.contains("on, off")), "{ciphers}");

    let gains = between(&text, "\nWhat acceleration is worth", "\n\n");
    let row = |name: &str| gains.lines().find(|line| line.split_whitespace().next() == Some(name)).unwrap();
    assert!(row("AES-256-CBC").contains("6.8×") && row("AES-256-CBC").ends_with("41×"), "{gains}");
    assert_eq!(row("SHA-512").matches(" =").count(), 7, "{gains}");
    assert!(gains.contains("= no difference shown"));

    assert!(between(&text, "\nPublic keys, ops/s", "\n\n").contains("38,400"));
    assert!(between(&text, "\nFastest library at 16 KiB", "\n\n").contains("graviola 0.77×, openssl 0.76×"));
    assert!(full(&synthetic::document(), ENGLISH).contains("apt-get install libipsec-mb-dev"));
    assert!(
        between(&text, "\nVerdict\n", "\u{0}")
            .starts_with("- AES-256-CBC is 6.8 times as fast with the AES instructions")
    );
}

#[test]
fn colours_do_not_change_terminal_text() {
    let document = synthetic::hostile();
    for write in [render::full, render::screen] {
        let [bare, colored] =
            [false, true].map(|color| write(&document, TerminalView { color, ..TerminalView::plain(ENGLISH) }));
        let mut parts = colored.split('\u{1b}');
        let first = parts.next().unwrap().to_owned();
        let stripped = parts.fold(first, |text, part| text + part.split_once('m').unwrap().1);
        assert!(colored.contains("\u{1b}[1m") && stripped == bare, "{colored}");
    }
}

#[test]
fn failed_and_unverified_series_are_listed_and_not_ranked() {
    // The test double is the fastest at every hash, but its output is unverified.
    let document = synthetic::document();
    let text = full(&document, ENGLISH);
    assert!(!between(&text, "\nFastest library", "\n\n").contains("unchecked"));
    assert!(!between(&text, "\nVerdict\n", "\n\n").contains("unchecked"));
    let problems = between(&text, "\nFailed or not verified, and so not ranked", "\n\n");
    assert!(problems.contains("unchecked 1.4.2 (on): unverified · nobody checked its output"), "{problems}");
    assert!(
        problems.contains("ring 1.4.2 (on): failed · the worker ended with signal 4 (SIGILL) · AES-256-GCM (8 KiB)")
    );

    let page = page_of(&[&document], ENGLISH);
    for heading in [
        "\">Verdict</h2>",
        "\">Throughput by size</h2>",
        "\">What acceleration is worth</h2>",
        "\">The fastest library</h2>",
    ] {
        assert!(!between(&page, heading, "</section>").contains("unchecked"), "{heading}");
    }
    assert!(between(&page, "\">Every figure</h2>", "</section>").contains("unchecked"));
    let missing = between(&page, "\">What is missing</h2>", "</section>");
    assert!(missing.contains("nobody checked its output") && missing.contains("SIGILL"));

    // With verified output, the test double leads.
    let mut verified = document;
    verified
        .series
        .iter_mut()
        .filter(|series| series.library == "unchecked")
        .for_each(|series| series.outcome = Outcome::Measured);
    assert!(between(&full(&verified, ENGLISH), "\nFastest library", "\n\n").contains("unchecked"));
}

#[test]
fn unranked_runs_warn_and_claim_nothing() {
    let machine = synthetic::document().machine;
    let emulated = Machine { emulated_on: Some("x86_64".to_owned()), ..machine.clone() };
    let under_wine = Machine { wine: Some("8.0".to_owned()), ..machine.clone() };
    for (machine, kind, is_loud, alert, over_all) in [
        (emulated, "emulated", "EMULATED: there is no such CPU here.", "Emulated.", "An emulator did the work"),
        (
            under_wine,
            "under-wine",
            "UNDER WINE: there was no Windows here.",
            "Under Wine.",
            "Wine stood in for Windows",
        ),
        (machine, "incomplete", "INCOMPLETE: this run did not reach its end.", "Incomplete run.", "This run did not"),
    ] {
        let mut document = Document { machine, ..synthetic::document() };
        document.run.complete = false;
        assert_eq!(kinds(&document), [kind]);
        let text = full(&document, ENGLISH);
        assert!(text.contains(is_loud) && (kind == "incomplete" || !text.contains("INCOMPLETE")), "{text}");
        for absent in ["Fastest library", "What acceleration is worth", "×", "times as fast"] {
            assert!(!text.contains(absent), "{absent} in\n{text}");
        }
        let page = page_of(&[&document], ENGLISH);
        assert!(page.contains(&format!("class=\"alert\" role=\"alert\"><strong>{alert}")));
        let body = plain(&page);
        for absent in ["The fastest library", "× when on", "times as fast"] {
            assert!(!body.contains(absent), "{absent}");
        }
        assert!(body.contains("8938"), "the figures are still there");
        let (loud, _) = is_loud.split_once(':').unwrap();
        assert!(export(&document, Format::Table, ENGLISH).contains(loud));
        assert!(export(&document, Format::Csv, ENGLISH).lines().skip(1).all(|line| !line.contains(",true,true,")));
        assert!(headline(&document, ENGLISH).starts_with(over_all), "{}", headline(&document, ENGLISH));
    }
}

#[test]
fn runs_without_acceleration_off_claim_no_gains() {
    let mut document = synthetic::document();
    document.series.retain(|series| series.acceleration == On);
    let said = sentences(&document, ENGLISH).to_lowercase();
    for word in [" off", "without", "instructions"] {
        assert!(!said.contains(word), "{word} in\n{said}");
    }
    assert!(said.contains("with acceleration on, aes-256-gcm is the faster aead"));
    assert!(!plain(&page_of(&[&document], ENGLISH)).contains("acceleration off"));
    assert_eq!(
        headline(&document, ENGLISH),
        "Acceleration was not switched off in this run, so what it is worth cannot be said."
    );
}

/// Checks the page that shows the colours and markers. The tests of the palette check how they are chosen.
#[test]
fn page_gives_each_library_a_colour_and_each_version_a_marker() {
    let libraries = ["openssl", "aws-lc", "ring", "rustcrypto", "graviola", "kasoku", "ipsec-mb", "somebody-else"];
    let mut document = synthetic::document();
    document.series.retain(|series| series.library == "openssl" && series.algorithm == Aes128Gcm);
    let of_openssl = std::mem::take(&mut document.series);
    for (library, version) in libraries.iter().map(|library| (*library, "3.0.19")).chain([("openssl", "3.5.1")]) {
        document.series.extend(of_openssl.iter().cloned().map(|mut series| {
            (series.library, series.library_version) = (library.to_owned(), version.to_owned());
            series
        }));
    }
    let page = page_of(&[&document], ENGLISH);
    let mut legends = page.split("<p class=\"legend\">").skip(1).filter_map(|part| part.split("</p>").next());
    let legend = legends.find(|legend| legend.contains("kasoku")).unwrap();
    // Leave out the entry that explains dashed lines: it belongs to no library.
    let lines: Vec<&str> =
        legend.split("<span class=\"swatch").skip(1).filter(|line| !line.contains("var(--muted)")).collect();
    assert_eq!(lines.len(), libraries.len() + 1, "{legend}");
    let colors: BTreeSet<&str> = lines.iter().map(|line| between(line, "color:", "\"")).collect();
    let marked = lines.iter().filter(|line| line.contains('■')).count();
    assert_eq!((colors.len(), marked), (libraries.len(), 1), "{legend}");
    let kasoku: Vec<&&str> = lines.iter().filter(|line| line.contains("var(--kasoku)")).collect();
    assert!(kasoku.len() == 1 && kasoku[0].contains(">kasoku<"), "{legend}");
    // Each line of the chart is drawn in the colour that the legend names.
    let chart = page.split("<svg ").find(|svg| svg.contains("AES-128-GCM by size")).unwrap();
    assert!(colors.iter().all(|color| chart.contains(color)), "{chart}");
}

#[test]
fn blowfish_claims_agree_with_the_measured_figures() {
    let mut document = small();
    set(&mut document, is_openssl(Aes128Cbc, Off), 50e6);
    set(&mut document, |series| series.algorithm == BlowfishCbc, 100e6);
    let said = sentences(&document, ENGLISH);
    assert!(said.contains("Without the AES instructions, Blowfish is 2.0 times as fast as AES-128-CBC"), "{said}");
    assert!(!said.contains("even without") && !said.contains("never the fast choice"), "{said}");
    assert!(said.contains("With acceleration on, AES-128-CBC is at least"), "{said}");
    set(&mut document, is_openssl(Aes128Cbc, On), 50e6);
    assert!(!sentences(&document, ENGLISH).contains("times as fast as Blowfish"));
}

#[test]
fn fastest_library_claim_needs_a_proven_lead() {
    let mut document = synthetic::document();
    document.run.method.noise_floor = Some(0.5);
    let said = sentences(&document, ENGLISH);
    assert!(
        said.contains(
            "The fastest libraries for AES-128-GCM are aws-lc 1.4.2, graviola 1.4.2, openssl 3.0.19 and ring"
        ),
        "{said}"
    );
    assert!(said.contains(": none is shown to be slower than the first (16 KiB)"), "{said}");
}

#[test]
fn hash_claim_names_the_fastest_hash_but_never_sha_1() {
    let mut document = small();
    set(&mut document, is_openssl(Sha512, On), 9e9);
    assert!(sentences(&document, ENGLISH).contains("SHA-512 is the fastest hash"));
    document.run.method.noise_floor = Some(99.0);
    let said = sentences(&document, ENGLISH);
    assert!(said.contains("hashes: none is shown to be slower than the first (16 KiB, openssl 3.0.19;"), "{said}");
    let mut all = synthetic::document();
    set(&mut all, |series| series.algorithm == Sha1, 9e10);
    assert!(!sentences(&all, ENGLISH).contains("SHA-1 is the fastest"));
}

#[test]
fn aead_claim_names_sizes_at_which_the_slower_aead_wins() {
    let mut document = small();
    set(&mut document, |series| series.algorithm == ChaCha20Poly1305 && series.bytes == 16, 5e9);
    let said = sentences(&document, ENGLISH);
    assert!(said.contains("With acceleration on, AES-256-GCM is the faster AEAD"), "{said}");
    assert!(said.contains("reversed at 16 B)"), "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sentences_agree_with_random_figures(
        cbc in (1e7..1e10f64, 1e7..1e10f64),
        gcm in (1e7..1e10f64, 1e7..1e10f64),
        chacha in 1e7..1e10f64,
    ) {
        let mut document = small();
        set(&mut document, is_openssl(Aes256Cbc, On), cbc.0);
        set(&mut document, is_openssl(Aes256Cbc, Off), cbc.1);
        set(&mut document, is_openssl(Aes256Gcm, On), gcm.0);
        set(&mut document, is_openssl(Aes256Gcm, Off), gcm.1);
        set(&mut document, |series| series.algorithm == ChaCha20Poly1305, chacha);
        let claims = claims(&document);
        let clear = |ratio: f64| (ratio.ln()).abs() > 0.02;
        // Claims show two significant digits.
        let near = |said: f64, ratio: f64| (said / ratio - 1.0).abs() < 0.06;
        let times = |claim: &Claim| match claim.figure("times")? {
            Text::Plain(times) => times.parse::<f64>().ok(),
            other => panic!("{other:?}"),
        };

        let gain = cbc.0 / cbc.1;
        if clear(gain) {
            let of_cbc = claims.iter().filter(|claim| claim.subject.algorithm == Some(Aes256Cbc));
            let said = of_cbc.into_iter().find_map(|claim| match claim.kind {
                "accelerated" => times(claim),
                "hindered" => times(claim).map(|ratio| 1.0 / ratio),
                _ => None,
            });
            prop_assert!(said.is_some_and(|said| near(said, gain)), "{gain}: {claims:?}");
            let sentence = sentences(&document, ENGLISH).lines().find(|line| line.starts_with("AES-256-CBC \
                is")).map(str::to_owned);
            let word = if gain > 1.0 { "fast with the AES" } else { "fast without the AES" };
            prop_assert!(sentence.as_ref().is_some_and(|sentence| sentence.contains(word)), "{sentence:?}");
        }
        for (state, speed) in [(On, gcm.0), (Off, gcm.1)] {
            let ratio = speed / chacha;
            if clear(ratio) {
                let is_faster = |claim: &&Claim| {
                    claim.kind.starts_with("faster-aead") && claim.subject.state == Some(state)
                };
                let said = claims.iter().find(is_faster);
                let said = said.and_then(|claim| Some((claim.subject.algorithm?, times(claim)?)));
                let expected: (Algorithm, f64) =
                    if ratio > 1.0 { (Aes256Gcm, ratio) } else { (ChaCha20Poly1305, 1.0 / ratio) };
                prop_assert!(
                    said.is_some_and(|said| said.0 == expected.0 && near(said.1, expected.1)),
                    "{expected:?}: {said:?}"
                );
            }
        }
    }
}

#[test]
fn page_has_all_figures_and_needs_no_other_file() {
    let document = synthetic::document();
    let page = page_of(&[&document], ENGLISH);
    assert!(document.series.len() > 800);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    well_formed(&page);
    assert!(page == page_of(&[&document], ENGLISH), "rendering the run again gives another page");
    let title = between(&page, "<title>", "</title>");
    assert_eq!(title, "Kasoku: Intel(R) Xeon(R) Platinum 8581C CPU @ 2.60GHz");
    assert!(page.contains(&format!("<meta property=\"og:title\" content=\"{title}\">")));
    assert!(page.contains("<meta name=\"description\" content=\"With this CPU’s instructions: "));
    let body = plain(&page);
    for text in [
        "With this CPU’s instructions: AES-256-CBC 6.8 times, AES-128-GCM 22 times and SHA-256 3.9 times as fast",
        "8938",
        "11,709",
        "±0.4 %",
        "38,400",
        "no difference shown",
        "vaes512",
        "failed",
        "apt-get install libipsec-mb-dev",
        "ring has no CCM",
        "Debian GNU/Linux 12 (bookworm)",
        "3.90 GHz",
        "0.60 %, from rustcrypto against itself",
        "0.53 ns a call",
        "kasoku run primitives --report kasoku-report.html",
        "steal was 1.4 % in rounds 12 to 14",
    ] {
        assert!(body.contains(text), "{text:?} is not in the page");
    }
    // A chart for each of 24 bulk tasks and its overviews.
    assert!(page.matches("<svg ").count() >= 30);
    assert_eq!(page.matches("<svg ").count(), page.matches("role=\"img\" aria-labelledby=").count());
    assert!(!page.contains("NaN") && !page.contains("inf "));
}

#[test]
fn page_opens_the_main_sections_and_folds_the_others() {
    let page = page_of(&[&synthetic::document()], ENGLISH);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    let first_fold = place("<section class=\"folded\"");
    let open = ["class=\"headline\"", "class=\"quality\"", "class=\"key\"", ">What to choose</h2>"];
    let open =
        open.into_iter().chain([">AES-GCM by library</h2>", ">What acceleration is worth</h2>", ">Public keys</h2>"]);
    let places: Vec<usize> = open.map(place).collect();
    assert!(places.is_sorted() && places.last().is_some_and(|last| *last < first_fold), "{places:?} {first_fold}");
    assert!(between(&page, "class=\"key\"", "</section>").matches("class=\"card\"").count() <= 5);
    let acceleration = between(&page, ">What acceleration is worth</h2>", "</section>");
    assert_eq!(acceleration.matches("<svg ").count(), 1);
    assert!(acceleration.contains(">AES-128-GCM 22×</text>") && !acceleration.contains("DES"), "{acceleration}");
    for folded in ["Verdict", "Throughput by size", "Steps", "What is missing", "Notes", "Every figure"] {
        assert!(place(&format!(">{folded}</h2></summary>")) > first_fold, "{folded}");
    }
}

#[test]
fn every_chart_can_be_exported_by_its_name() {
    let document = synthetic::document();
    for language in [ENGLISH, *JAPANESE] {
        let page = page_of(&[&document], language);
        let charts = render::charts(Shown { document: &document, surroundings: None }, language);
        assert_eq!(charts.len(), page.matches("<svg ").count());
        let names: BTreeSet<&str> = charts.iter().map(|chart| chart.name.as_str()).collect();
        assert_eq!(names.len(), charts.len(), "{names:?}");
        for chart in &charts {
            let file = &chart.svg;
            assert!(
                file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && file.contains("prefers-color-scheme")
            );
            assert!(file.contains("<title id=") && file.contains("<desc id=") && file.contains("Xeon(R) Platinum"));
            assert!(!file.contains("class=") && !file.contains("NaN"), "{}", chart.name);
            for colour in file.split("var(--").skip(1).filter_map(|rest| rest.split(')').next()) {
                assert!(file.contains(&format!("--{colour}: ")), "{colour}");
            }
        }
    }
    let charts = render::charts(Shown { document: &document, surroundings: None }, ENGLISH);
    for (typed, name) in [
        ("AES-128-GCM", "aes-128-gcm"),
        ("aes128gcm", "aes-128-gcm"),
        ("aes-128-gcm by size", "aes-128-gcm"),
        ("Acceleration", "acceleration"),
        ("libraries", "libraries"),
    ] {
        let found: Vec<&str> =
            charts.iter().filter(|chart| chart.is_called(typed)).map(|chart| chart.name.as_str()).collect();
        assert_eq!(found, [name], "{typed}");
    }
    // The file of a chart explains its colours.
    let curve = &charts.iter().find(|chart| chart.name == "aes-128-gcm").unwrap().svg;
    assert!(curve.contains(">openssl</text>") && curve.contains("var(--s1)") && curve.contains(">off</text>"));
}

#[test]
fn documents_without_series_render_in_every_format() {
    let mut document = synthetic::document();
    document.series.clear();
    document.machine = Default::default();
    document.run = Default::default();
    document.run.complete = true;
    well_formed(&page_of(&[&document], ENGLISH));
    well_formed(&page_of(&[], ENGLISH));
    assert!(full(&document, ENGLISH).contains("nothing is ranked"));
    for format in [Format::Table, Format::Json, Format::Csv, Format::Markdown] {
        assert!(!export(&document, format, ENGLISH).is_empty());
    }
}

#[test]
fn page_and_terminal_omit_non_finite_figures() {
    let mut document = small();
    for (index, bad) in [f64::NAN, f64::INFINITY, 0.0, -1.0, f64::MAX].into_iter().enumerate() {
        let series = &mut document.series[index];
        series.median = Some(bad);
        series.ci95 = Some([bad, -bad]);
        series.cycles_per_byte = Some(bad);
        series.outcome = Outcome::Measured;
    }
    let page = page_of(&[&document], ENGLISH);
    well_formed(&page);
    assert!(!page.contains("NaN") && !page.contains("inf"), "a non-finite figure is in the page");
    assert!(!full(&document, ENGLISH).contains("NaN"));
}

#[test]
fn csv_has_a_line_for_each_series_and_no_spreadsheet_formula() {
    let document = synthetic::hostile();
    let text = export(&document, Format::Csv, ENGLISH);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headings = reader.headers().unwrap().clone();
    assert_eq!((headings.len(), &headings[0], &headings[22]), (23, "run", "details"));
    let column = |name: &str| headings.iter().position(|heading| heading == name).unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), document.series.len());
    for (record, series) in records.iter().zip(&document.series) {
        for cell in record {
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell}");
            assert!(!cell.chars().any(|character| character.is_control()));
        }
        assert_eq!(record[column("algorithm")], *series.algorithm.name());
        assert_eq!(record[column("median")].parse::<f64>().ok(), series.median);
        assert_eq!(record[column("verified")].parse::<bool>().unwrap(), series.is_verified());
    }
    assert!(records.iter().any(|record| record[column("library")].starts_with("'=cmd()|")));
}

#[test]
fn markdown_rows_have_as_many_cells_as_their_heading() {
    let text = export(&synthetic::hostile(), Format::Markdown, ENGLISH);
    let cells = |line: &str| line.replace("\\\\", "").replace("\\|", "").matches('|').count();
    let mut width = None;
    let mut rows = 0;
    for line in text.lines() {
        if line.starts_with('|') {
            assert_eq!(*width.get_or_insert(cells(line)), cells(line), "{line}");
            rows += 1;
        } else {
            width = None;
        }
    }
    assert!(rows > 100);
    assert!(
        !text.contains("<img")
            && !text.contains("://")
            && text.contains("| AES-256-CBC | openssl 3.0.19 | on | vaes512 | 155 |")
    );
}
