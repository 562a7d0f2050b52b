//! What holds for all advice: complete in both languages, harmless, never weaker for speed.

use std::collections::BTreeSet;

use super::each_rule::documents;
use super::{Made, quoted, rules_of};
use kasoku_advice::{Value, advice, rules};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::language;
use kasoku_model::language::Language;
use kasoku_model::printable::is_hidden;
use kasoku_report::Format;
use kasoku_report::advice::{AdviceText, render, texts, topic_heading};
use kasoku_report::width::wrap;
use kasoku_store::published;

const LANGUAGES: [Language; 2] = [Language::English, Language::Japanese];

const HOSTILE: &str =
    "=cmd()|</script><img src=https://evil.example/x>\u{1b}[31m\u{9b}2J\u{202e}$x$`{winner}\n```\nssl_ciphers NULL;";

fn all_documents() -> impl Iterator<Item = Document> {
    documents().chain(published::documents().iter().cloned())
}

fn is_japanese(text: &str) -> bool {
    text.chars().any(|character| matches!(character, 'ぁ'..='ヿ' | '一'..='龯'))
}

#[test]
fn every_rule_speaks_both_languages() {
    for rule in rules::all() {
        let kasoku_advice::Rule { when, says, why, .. } = rule;
        for text in [when, says.english, why.english] {
            assert!(!text.is_empty() && text.ends_with('.') && !is_japanese(text), "{}: {text}", rule.id);
            assert!(!text.contains("  "), "{}: {text}", rule.id);
        }
        for text in [says.japanese, why.japanese] {
            assert!(text.ends_with('。') && is_japanese(text) && !text.contains("  "), "{}: {text}", rule.id);
        }
    }
}

#[test]
fn every_gap_is_filled() {
    for document in all_documents() {
        for language in LANGUAGES {
            for AdviceText { rule, says, figures, .. } in texts(&document, &[], language) {
                let all = [&[says][..], &figures].concat();
                assert!(all.iter().all(|text| !text.contains(['{', '}'])), "{rule}: {all:?}");
                assert!(all.iter().all(|text| !text.contains("NaN") && !text.contains("inf ")), "{rule}: {all:?}");
            }
        }
    }
}

/// "1.67 as fast" is no English, and 「1.67の速さ」 no Japanese.
#[test]
fn a_ratio_never_stands_without_times() {
    let mut met = BTreeSet::new();
    for document in all_documents() {
        for one in advice(&document) {
            let ratios = one.found.values.iter().filter(|(_, value)| matches!(value, Value::Times(_)));
            for gap in ratios.map(|(name, _)| format!("{{{name}}}")) {
                let says = one.rule.says;
                for (says, times) in [(says.english, " times "), (says.japanese, "倍")] {
                    for behind in says.split(&gap).skip(1) {
                        assert!(behind.starts_with(times), "{}: {says}", one.rule.id);
                        met.insert(one.rule.id);
                    }
                }
            }
        }
    }
    // No sentence with a ratio went by unseen.
    let with_ratios = rules::all().filter(|rule| rule.says.english.contains("{times}")).map(|rule| rule.id);
    assert_eq!(met, with_ratios.collect());
}

#[test]
fn every_choice_has_a_figure_or_an_observation_behind_it() {
    for document in all_documents() {
        for text in texts(&document, &[], Language::English) {
            let needs_none = ["openssl-out-of-support", "tls-not-measured"];
            assert!(!text.figures.is_empty() || needs_none.contains(&text.rule), "{}", text.rule);
        }
    }
}

#[test]
fn lines_never_weaken_and_never_hold_what_a_document_says() {
    let mut hostile: Vec<Document> = all_documents().collect();
    hostile.iter_mut().for_each(disfigure);
    for (plain, hostile) in all_documents().zip(&hostile) {
        for one in advice(hostile).iter().chain(&advice(&plain)) {
            for lines in &one.lines {
                let text = lines.text.to_lowercase();
                for weak in [
                    "cbc", "null", "gmac", "ccm8", "ccm_8", "des", "rc4", "md5", "sha1", "export", "gcm8", "gcm12",
                    "evil",
                ] {
                    let is_there =
                        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == weak);
                    assert!(!is_there && !text.contains("cbc"), "{}: {text}", one.rule.id);
                }
                assert!(!lines.text.contains('`') && !lines.text.chars().any(|c| c != '\n' && is_hidden(c)));
            }
        }
    }
}

/// Every name in a document becomes hostile; what rules look at stays.
fn disfigure(document: &mut Document) {
    document.machine.cpu = HOSTILE.to_owned();
    document.machine.name = Some(HOSTILE.to_owned());
    document.machine.features.iter_mut().for_each(|name| name.push_str(HOSTILE));
    document.machine.hypervisor = Some(HOSTILE.to_owned());
    document.run.id = HOSTILE.to_owned();
    if let Some(origin) = &mut document.run.origin {
        origin.source = HOSTILE.to_owned();
    }
    for series in &mut document.series {
        series.library_version = format!("OpenSSL 1.0 {HOSTILE}");
        series.code_path.push_str(HOSTILE);
    }
}

#[test]
fn hostile_names_stay_text_in_every_form() {
    for mut document in all_documents() {
        disfigure(&mut document);
        for language in LANGUAGES {
            for format in [Format::Table, Format::Json, Format::Csv, Format::Markdown] {
                let text = render(&document, &[], format, language, false);
                assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
                if format == Format::Markdown {
                    assert!(
                        !text.contains("<script") && !text.contains("<img") && !text.contains("https://evil"),
                        "{text}"
                    );
                    assert_eq!(text.lines().filter(|line| line.starts_with("```")).count() % 2, 0);
                    assert!(!text.lines().any(|line| line.starts_with("ssl_ciphers NULL")), "{text}");
                }
                if format == Format::Csv {
                    assert!(!text.lines().any(|line| line.starts_with('=')), "{text}");
                }
            }
        }
    }
}

#[test]
fn with_nothing_to_go_by_that_is_what_is_said() {
    let empty = quoted();
    assert!(rules_of(&empty).is_empty());
    let text = render(&empty, &[], Format::Table, Language::English, false);
    assert!(text.contains("No advice:"), "{text}");
    let text = render(&empty, &[], Format::Table, Language::Japanese, false);
    assert!(text.contains("助言につながる値も"), "{text}");
    // A topic without advice is told from a document without any.
    let hashes = quoted().figure(Algorithm::Sha1, 1e9);
    let text = render(&hashes, &[kasoku_advice::Topic::Ssh], Format::Table, Language::English, false);
    assert!(text.contains("No advice on what was asked"), "{text}");
}

#[test]
fn advice_comes_by_topic_and_only_on_what_is_asked() {
    for document in all_documents() {
        let advice = advice(&document);
        let order: Vec<_> = advice.iter().map(|one| (one.rule.topic, one.rule.weight)).collect();
        assert!(order.is_sorted());
        let topics = [kasoku_advice::Topic::Tls, kasoku_advice::Topic::Curves];
        assert!(texts(&document, &topics, Language::English).iter().all(|text| topics.contains(&text.topic)));
    }
}

#[test]
fn lines_fit_the_terminal_but_for_what_is_pasted() {
    use kasoku_report::width::columns_of;
    for document in all_documents() {
        for language in LANGUAGES {
            for line in render(&document, &[], Format::Table, language, false).lines() {
                assert!(columns_of(line) <= 100 || line.starts_with("        "), "{line}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}

/// The listing in the documentation is made from the rules. `KASOKU_WRITE_DOCS=1` writes it anew.
#[test]
fn the_documentation_lists_every_rule_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ADVICE.md");
    let page = std::fs::read_to_string(path).unwrap();
    let wanted = with_part(&with_part(&page, "rules", &listing()), "output", &sample());
    if std::env::var_os("KASOKU_WRITE_DOCS").is_some() {
        std::fs::write(path, wanted).unwrap();
        return;
    }
    assert!(
        page == wanted,
        "docs/ADVICE.md is out of date: KASOKU_WRITE_DOCS=1 cargo test --release -p kasoku-report --test advice \
         writes it"
    );
}

/// `page` with `text` between the marks of the part of that name.
fn with_part(page: &str, name: &str, text: &str) -> String {
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = page.split_once(&begin).unwrap();
    let (_, after) = rest.split_once(&end).unwrap();
    format!("{before}{begin}{text}{end}{after}")
}

fn sample() -> String {
    let device = published::documents().iter().find(|document| document.machine.label() == "mt7621").unwrap();
    let topics = [kasoku_advice::Topic::Tls, kasoku_advice::Topic::Wireguard, kasoku_advice::Topic::Machine];
    format!("```text\n{}```\n", render(device, &topics, Format::Table, Language::English, false))
}

fn listing() -> String {
    let mut out = String::new();
    let mut before = None;
    for rule in rules::all() {
        if before.replace(rule.topic) != Some(rule.topic) {
            out.push_str(&format!("\n### {}\n", topic_heading(rule.topic, language::Language::English)));
        }
        let when = wrap(&format!("**`{}`** – {}", rule.id, rule.when), 120).join("\n");
        let says = wrap(&rule.says.english.replace(['{', '}'], "*"), 118).join("\n> ");
        let why = wrap(rule.why.english, 120).join("\n");
        out.push_str(&format!("\n{when}\n\n> {says}\n\n{why}\n"));
    }
    out.push('\n');
    out
}
