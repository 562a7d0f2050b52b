//! Requirements on all advice: complete in both languages, harmless, and never weaker security for speed.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use super::each_rule::documents;
use super::{Made, quoted, rules_of};
use clap::ValueEnum;
use kasoku_advice::{Topic, advice, rules};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::printable::is_hidden;
use kasoku_report::Format;
use kasoku_report::advice::{AdviceReport, AdviceText, texts, topic_heading};
use kasoku_report::language::Language;
use kasoku_report::render::{self, TerminalView, words};
use kasoku_report::text::Text;
use kasoku_store::published;

const HOSTILE: &str =
    "=cmd()|</script><img src=https://evil.example/x>\u{1b}[31m\u{9b}2J\u{202e}$x$`{winner}\n```\nssl_ciphers NULL;";

fn render(document: &Document, topics: &[Topic], format: Format, language: Language) -> String {
    render::output(&render::advice(slice::from_ref(document), topics, language), format, TerminalView::plain(language))
}

fn all_documents() -> impl Iterator<Item = Document> {
    documents().chain(published::documents().iter().cloned())
}

fn is_japanese(text: &str) -> bool {
    text.chars().any(|character| matches!(character, 'ぁ'..='ヿ' | '一'..='龯'))
}

fn sentences(text: &AdviceText, language: Language) -> Vec<String> {
    [&text.says, &text.reason].into_iter().chain(&text.figures).map(|text| words(text, language)).collect()
}

fn says(text: &AdviceText, language: Language, value: impl Fn(&str) -> String) -> String {
    let Text::Message { key, arguments } = &text.says else { panic!("{:?}", text.says) };
    let arguments = arguments.iter().map(|(name, _)| (*name, Text::from(value(name)))).collect();
    words(&Text::Message { key: key.clone(), arguments }, language)
}

fn all_texts() -> impl Iterator<Item = AdviceText> {
    all_documents().flat_map(|document| texts(&document, &[]))
}

#[test]
fn advice_rules_and_topics_have_english_and_japanese_sentences() {
    for rule in rules::all() {
        assert!(rule.when.ends_with('.') && !is_japanese(rule.when) && !rule.when.contains("  "), "{}", rule.id);
    }
    for text in all_texts() {
        for sentence in &sentences(&text, Language::ENGLISH)[..2] {
            assert!(sentence.ends_with('.') && !is_japanese(sentence) && !sentence.contains("  "), "{sentence}");
        }
        for sentence in &sentences(&text, Language::from_tag("ja").unwrap_or_default())[..2] {
            assert!(sentence.ends_with('。') && is_japanese(sentence) && !sentence.contains("  "), "{sentence}");
        }
    }
    for language in Language::all() {
        let headings = Topic::value_variants().iter().map(|topic| words(&topic_heading(*topic), language));
        assert_eq!(headings.collect::<BTreeSet<_>>().len(), Topic::value_variants().len());
    }
}

/// English needs "1.67 times as fast", and Japanese 「1.67倍の速さ」.
#[test]
fn advice_sentences_have_all_values_and_the_word_times_after_every_ratio() {
    for text in all_texts() {
        for sentence in Language::all().flat_map(|language| sentences(&text, language)) {
            let is_whole = ["{", "}", "NaN", "inf "].iter().all(|sign| !sentence.contains(sign));
            assert!(is_whole, "{}: {sentence}", text.rule.id);
        }
        for (language, times) in [(Language::ENGLISH, " times "), (Language::from_tag("ja").unwrap_or_default(), "倍")]
        {
            let says = says(&text, language, |name| format!("<{name}>"));
            assert!(says.split("<times>").skip(1).all(|behind| behind.starts_with(times)), "{says}");
        }
    }
}

#[test]
fn configuration_lines_contain_no_weak_cipher_and_no_text_of_the_document() {
    let mut hostile: Vec<Document> = all_documents().collect();
    hostile.iter_mut().for_each(replace_names);
    for (plain, hostile) in all_documents().zip(&hostile) {
        for one in advice(hostile).iter().chain(&advice(&plain)) {
            for (_, lines) in &one.lines {
                let text = lines.to_lowercase();
                for weak in [
                    "cbc", "null", "gmac", "ccm8", "ccm_8", "des", "rc4", "md5", "sha1", "export", "gcm8", "gcm12",
                    "evil",
                ] {
                    let is_there =
                        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == weak);
                    assert!(!is_there && !text.contains("cbc"), "{}: {text}", one.rule.id);
                }
                assert!(!lines.contains('`') && !lines.chars().any(|c| c != '\n' && is_hidden(c)));
            }
        }
    }
}

/// Replaces every name in a document with hostile text, except the values that rules check.
fn replace_names(document: &mut Document) {
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
fn advice_escapes_hostile_names_in_every_format() {
    for mut document in all_documents() {
        replace_names(&mut document);
        for language in Language::all() {
            for format in [Format::Table, Format::Json, Format::Csv, Format::Markdown] {
                let text = render(&document, &[], format, language);
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
fn note_on_missing_advice_differs_if_a_topic_was_requested() {
    let said = |document: Document, topics: &[Topic]| {
        let documents = [document];
        let report = AdviceReport::new(&documents, topics);
        assert!(report.advice.is_empty());
        report.notes.iter().any(|note| note.key() == Some("advice-nothing"))
    };
    assert!(rules_of(&quoted()).is_empty());
    assert!(said(quoted(), &[]));
    assert!(!said(quoted().figure(Algorithm::Sha1, 1e9), &[Topic::Ssh]));
}

#[test]
fn advice_has_evidence_is_sorted_by_topic_and_limited_to_wanted_topics() {
    for document in all_documents() {
        let advice = advice(&document);
        let order: Vec<_> = advice.iter().map(|one| (one.rule.topic, one.rule.weight)).collect();
        assert!(order.is_sorted());
        for one in &advice {
            let needs_none = ["openssl-out-of-support", "tls-not-measured"];
            assert!(!one.found.evidence.is_empty() || needs_none.contains(&one.rule.id), "{}", one.rule.id);
        }
        let topics = [Topic::Tls, Topic::Curves];
        assert!(texts(&document, &topics).iter().all(|text| topics.contains(&text.rule.topic)));
    }
}

#[test]
fn advice_on_a_topic_comes_from_the_first_run_with_advice_on_it() {
    let [mut newest, mut older] = [quoted().figure(Algorithm::Sha1, 1e9), quoted().figure(Algorithm::Aes128Gcm, 9e9)];
    older = older.figure(Algorithm::ChaCha20Poly1305, 1e9).figure(Algorithm::Sha1, 2e9);
    newest.run.id = "newest".to_owned();
    older.run.id = "older".to_owned();
    let documents = [newest, older];
    let report = AdviceReport::new(&documents, &[Topic::Hashes, Topic::Tls]);
    let found: Vec<_> = report.advice.iter().map(|(run, text)| (run.run.id.as_str(), text.rule.id)).collect();
    assert_eq!(found, [("older", "tls-aes-gcm"), ("newest", "sha-1-legacy")]);
    let runs: Vec<&str> = report.runs.iter().map(|run| run.run.id.as_str()).collect();
    assert_eq!(runs, ["older", "newest"]);
}

#[test]
fn advice_fits_the_terminal_width_except_for_configuration_lines() {
    use kasoku_report::width::columns_of;
    for document in all_documents() {
        for language in Language::all() {
            for line in render(&document, &[], Format::Table, language).lines() {
                assert!(columns_of(line) <= 100 || line.starts_with("        "), "{line}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}

#[test]
fn every_format_lists_rules_with_condition_advice_and_reason() {
    let listed = render::rules(&[]);
    let made: BTreeMap<&str, AdviceText> = all_texts().map(|text| (text.rule.id, text)).collect();
    let objects = listed.objects.as_array().unwrap();
    assert_eq!(objects.len(), rules::all().count());
    for (rule, object) in rules::all().zip(objects) {
        let text = &made[rule.id];
        assert_eq!(object["rule"], rule.id);
        assert_eq!(object["when"], rule.when);
        assert_eq!(object["advice"], says(text, Language::ENGLISH, |name| format!("<{name}>")).as_str());
        assert_eq!(object["reason"], words(&text.reason, Language::ENGLISH).as_str());
    }
    for format in [Format::Table, Format::Csv, Format::Markdown] {
        let text = render::output(&listed, format, TerminalView::plain(Language::ENGLISH));
        assert!(rules::all().all(|rule| text.contains(rule.id)), "{text}");
    }
    let of_topic = render::rules(&[Topic::Quic]);
    assert!(of_topic.objects.as_array().unwrap().iter().all(|object| object["topic"] == "quic"));
}
