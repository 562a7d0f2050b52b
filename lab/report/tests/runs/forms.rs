//! Checks runs in every language and output format. Japanese output has the sentences, figures and names of English
//! output, and hostile text cannot change the page or the terminal.

use std::collections::BTreeSet;

use crate::page::{ENGLISH, JAPANESE, full, headline, is_steering, page_of, plain, sentences, summary, well_formed};
use crate::synthetic;
use kasoku_model::document::{Document, Reason, Remark};
use kasoku_report::render::{self, TerminalView, WIDTH, export};
use kasoku_report::width::columns_of;
use kasoku_report::{Format, file_log};

fn documents() -> Vec<(&'static str, Document)> {
    let mut both = synthetic::document();
    both.series.extend(synthetic::packets::series());
    let mut unequal = synthetic::document();
    unequal.run.method.noise_floor = Some(0.5);
    unequal.run.method.noise_floor_library = None;
    let mut bare = synthetic::document();
    bare.series.clear();
    bare.run = kasoku_model::document::Run { complete: true, ..Default::default() };
    bare.machine = Default::default();
    let others = [("both", both), ("unequal", unequal), ("bare", bare)];
    synthetic::documents().into_iter().chain(others).collect()
}

fn is_japanese(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')
}

#[test]
fn every_claim_and_headline_has_a_japanese_sentence() {
    for (name, document) in documents() {
        let page = page_of(&[&document], *JAPANESE);
        well_formed(&page);
        assert!(page.contains("<html lang=\"ja\">"), "{name}");
        let said = sentences(&document, *JAPANESE);
        for sentence in said.lines() {
            assert!(sentence.chars().any(is_japanese) && sentence.ends_with('。'), "{name}: {sentence}");
        }
        assert_eq!(said.lines().count(), sentences(&document, ENGLISH).lines().count(), "{name}");
        if document.run.origin.is_none() {
            let headline = headline(&document, *JAPANESE);
            assert!(headline.chars().any(is_japanese) && headline.ends_with('。'), "{name}: {headline}");
        }
    }
}

/// English needs "1.67 times as fast", and Japanese 「1.67倍の速さ」. Pages show commands as code, without the backticks
/// of Markdown.
#[test]
fn pages_and_screens_write_the_word_times_after_every_ratio_and_pages_no_backticks() {
    let mut ratios = 0;
    for (name, document) in documents() {
        for (language, missing, whole) in
            [(ENGLISH, [" as fast", " as long"], " times as fast"), (*JAPANESE, ["の速さ", "の時間"], "倍の速さ")]
        {
            let texts = [
                plain(&page_of(&[&document], language)),
                full(&document, language),
                render::output(
                    &render::advice(std::slice::from_ref(&document), &[], language),
                    Format::Table,
                    TerminalView::plain(language),
                ),
            ];
            assert!(!texts[0].contains('`'), "{name}: {}", texts[0].split('`').next().unwrap_or_default());
            for text in texts {
                ratios += text.matches(whole).count();
                for (place, _) in missing.iter().flat_map(|what| text.match_indices(what)) {
                    let before = &text[..place];
                    assert!(!before.trim_end().ends_with(|last: char| last.is_ascii_digit()), "{name}: {before}");
                }
            }
        }
    }
    assert!(ratios > 40, "{ratios}");
}

/// Ignores names, units and codes of the command line. Names of algorithms, libraries, code paths, CPUs and files are
/// equal in every language.
#[test]
fn japanese_page_has_no_english_words() {
    // The pages of Java and web servers have commands and names of programs and benchmarks, which are English words.
    for (name, document) in documents().into_iter().filter(|(name, _)| !["jvm", "tls", "openssls"].contains(name)) {
        let page = page_of(&[&document], *JAPANESE);
        let text = plain(&without_stored_text(page, &document).replace('<', " <"));
        let known: Vec<&str> = KNOWN.split(' ').collect();
        let left: BTreeSet<&str> = text
            .split(|c: char| !c.is_ascii_alphabetic() && c != '-' && c != '_')
            .filter(|word| word.len() > 2 && word.chars().all(|c| c.is_ascii_lowercase()) && !known.contains(word))
            .collect();
        assert!(left.is_empty(), "{name}: {left:?}");
    }
    let document = synthetic::document();
    let english = plain(&without_stored_text(page_of(&[&document], ENGLISH), &document));
    assert!(
        english.contains("algorithm") && english.contains("What acceleration is worth"),
        "the check must find English words on an English page"
    );
}

/// Names and codes in lower case, which are equal in every language.
const KNOWN: &str = "compare openssl rustcrypto ring graviola unchecked kasoku vaes vpaes sha unknown off ops aes \
    pclmulqdq vpclmulqdq sha_ni avx bookworm family model stepping txt openssl_perf opteron aws-lc \
    legacy quinn rustls transfer end-to-end aesni nss memfd files";

fn without_stored_text(mut page: String, document: &Document) -> String {
    let run = &document.run;
    let mut stored: Vec<&str> = run.notes.iter().map(String::as_str).collect();
    stored.extend(document.series.iter().filter_map(|series| series.note.as_deref()));
    stored.extend(run.omissions.iter().flat_map(|one| [Some(one.why.as_str()), one.install.as_deref()]).flatten());
    stored.extend(run.method.core_clock.as_deref());
    stored.extend([&run.command, "kasoku run files"]);
    let log = file_log(document);
    stored.extend(log.lines());
    for text in stored.into_iter().filter(|text| !text.is_empty()) {
        page = page.replace(text, "");
    }
    // Configuration lines and commands.
    let mut parts = page.split("<code>");
    let before = parts.next().unwrap().to_owned();
    parts.fold(before, |page, part| page + part.split_once("</code>").unwrap().1)
}

#[test]
fn english_text_from_documents_has_a_lang_attribute_on_japanese_pages() {
    let page = page_of(&[&synthetic::document()], *JAPANESE);
    for text in ["steal was 1.4 % in rounds 12 to 14", "ring has no CCM", "the worker ended with signal 4 (SIGILL)"] {
        assert!(page.contains(&format!("<span lang=\"en\">{text}</span>")), "{text}");
    }
    assert!(!page_of(&[&synthetic::document()], ENGLISH).contains("<span lang"));
}

/// Notes and reasons for omissions are translated if their kind is known.
#[test]
fn notes_and_reasons_of_a_known_kind_are_translated_on_japanese_pages() {
    let mut document = synthetic::document();
    document.run.note(Some(kasoku_model::level::Level::Primitives), Remark::DroppedSlices { percent: 10.9 });
    let reasons = [Reason::NotInstalled, Reason::Unsupported, Reason::NoTime];
    for (omission, reason) in document.run.omissions.iter_mut().zip(reasons) {
        omission.reason = Some(reason);
    }
    let page = page_of(&[&document], *JAPANESE);
    well_formed(&page);
    let text = plain(&page).replace('\u{a0}', " ");
    for said in ["暗号処理：スライスの10.9 %を捨てました。", "インストールされていません", "この実装にはありません"]
    {
        assert!(text.contains(said), "{said}");
    }
    for english in ["were dropped", "ring has no CCM", "was not found"] {
        assert!(!text.contains(english), "{english}");
    }
    assert!(plain(&page_of(&[&document], ENGLISH)).contains("primitives: 10.9 % of the slices were dropped"));
}

#[test]
fn japanese_page_has_the_figures_of_the_english_page() {
    for (name, document) in documents() {
        let [japanese, english] = [*JAPANESE, ENGLISH].map(|language| {
            let page = page_of(&[&document], language);
            let charts = page.matches("<svg ").count();
            let rows = page.matches("<tr>").count();
            let links = page.matches("<a href=\"#").count();
            let figures: Vec<String> = page
                .split("<td class=\"number\">")
                .skip(1)
                .map(|cell| cell.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect())
                .collect();
            (charts, rows, links, figures)
        });
        assert_eq!(japanese, english, "{name}");
    }
}

#[test]
fn terminal_tables_fit_the_width_and_align_columns() {
    // The overview of web servers is wider.
    for (name, document) in documents().into_iter().filter(|(name, _)| !["tls", "openssls"].contains(name)) {
        for (language, verdict) in [(ENGLISH, "\nVerdict\n- "), (*JAPANESE, "\n結論\n- ")] {
            let text = summary(&document, language);
            for line in text.lines() {
                assert!(columns_of(line) <= WIDTH, "{name}: {} columns: {line}", columns_of(line));
                assert_eq!(line, line.trim_end());
            }
            assert!(text.contains(verdict), "{name}: {text}");
        }
    }
    // The last column is right-aligned even after double-width characters.
    let text = summary(&synthetic::document(), *JAPANESE);
    let table = text.split("\n\n").find(|part| part.starts_with("共通鍵暗号：openssl")).unwrap();
    let rows: Vec<&str> = table.lines().skip(1).filter(|line| !line.starts_with("  ")).collect();
    let widths: BTreeSet<usize> = rows.iter().map(|row| columns_of(row)).collect();
    assert!(rows.len() > 10 && widths.len() == 1, "{widths:?}\n{table}");
    assert!(rows.iter().any(|row| row.starts_with("AES-128-CBC 復号")), "{table}");
}

#[test]
fn csv_and_json_are_equal_in_every_language() {
    let document = synthetic::document();
    for format in [Format::Table, Format::Markdown] {
        let text = export(&document, format, *JAPANESE);
        assert!(
            text.contains("共通鍵暗号（MB/s）") && text.contains("コードパス") && !text.contains("code path"),
            "{text}"
        );
    }
    for format in [Format::Json, Format::Csv] {
        assert_eq!(export(&document, format, *JAPANESE), export(&document, format, ENGLISH));
    }
    let markdown = export(&document, Format::Markdown, *JAPANESE);
    assert!(markdown.contains("| AES-256-CBC 復号 | openssl 3.0.19 | on | vaes512 | 171 |"), "{markdown}");
    assert!(markdown.contains("- AES-256-CBCは、AES命令により6.8倍の速さになります"), "{markdown}");
}

#[test]
fn every_format_escapes_hostile_documents() {
    for (document, has_long_names) in [
        (synthetic::hostile(), true),
        (synthetic::packets::hostile(), true),
        (synthetic::quoted::hostile(), true),
        (super::transfers::hostile(), false),
        (super::files::hostile(), false),
    ] {
        for language in [ENGLISH, *JAPANESE] {
            let page = page_of(&[&document], language);
            well_formed(&page);
            for absent in ["<img", "<script", "</script", ">inf"] {
                assert!(!page.contains(absent), "{absent}");
            }
            if has_long_names {
                assert!(page.contains("&lt;/script&gt;&lt;img src=https://evil"), "the name is shown, as text");
            }
            let markdown = export(&document, Format::Markdown, language);
            assert!(!markdown.contains("<img"));
            let view = TerminalView::plain(language);
            let screens = [render::screen(&document, view), render::left_out(&document, view)];
            let texts = [page, full(&document, language), export(&document, Format::Table, language), markdown];
            for text in texts.into_iter().chain(screens) {
                assert_eq!(text.chars().find(|character| is_steering(*character)), None);
                assert!(!text.contains("NaN"));
            }
        }
        assert!(!file_log(&document).chars().any(is_steering));
        assert!(export(&document, Format::Csv, ENGLISH).lines().all(|line| !line.starts_with('=')));
    }
    let hostile = synthetic::hostile();
    assert!(plain(&page_of(&[&hostile], ENGLISH)).contains("\\u{1b}[31m"), "the name is shown, escaped");
    assert!(full(&hostile, ENGLISH).contains("u{1b}"), "the name is shown, escaped");
    let json = export(&hostile, Format::Json, ENGLISH);
    assert!(!json.chars().any(is_steering));
    assert_eq!(serde_json::from_str::<Document>(&json).unwrap(), hostile);
    let address = plain(&page_of(&[&synthetic::quoted::hostile()], ENGLISH));
    assert!(address.contains("javascript:alert(1)"), "an address is text");
}
