use serde_json::Value;

use super::*;
use crate::language::messages;
use crate::visible::is_hidden;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Origin, OriginKind, Unit};
use kasoku_model::language::Language;
use kasoku_model::openssl_speed::AeadRow;
use kasoku_store::collection::{
    Collection, FigureSource, History, HistoryChange, HistoryPoint, LeftOut, MachineIdentity, Ranking, RankingQuestion,
    RunsLeftOut, This,
};

const FORMATS: [Format; 4] = [Format::Table, Format::Json, Format::Csv, Format::Markdown];

fn published() -> Ranking {
    let question = RankingQuestion::new(Algorithm::Aes128Gcm);
    Collection::open(None).unwrap().ranking(&question, None).unwrap()
}

fn written(ranking: &Ranking, format: Format, language: Language) -> String {
    let runs = RunsLeftOut { not_genuine: 3, incomplete_imports: 0, incomplete: 1, unread: 0 };
    rank(ranking, &LeftOut { machines: 2, sizes: vec![256, 8192], runs }, messages(language), format)
}

#[test]
fn every_form_has_every_machine_in_order() {
    let ranking = published();
    for language in [Language::English, Language::Japanese] {
        for format in FORMATS {
            let text = written(&ranking, format, language);
            let mut after = 0;
            for row in &ranking.rows {
                let name = row.device.as_str();
                after += text[after..].find(name).unwrap_or_else(|| panic!("{name} is not in its place:\n{text}"));
            }
        }
    }
}

#[test]
fn programs_read_whole_figures_and_english_names_in_every_language() {
    let ranking = published();
    for format in [Format::Json, Format::Csv] {
        assert_eq!(written(&ranking, format, Language::English), written(&ranking, format, Language::Japanese));
    }
    let objects: Value = serde_json::from_str(&written(&ranking, Format::Json, Language::Japanese)).unwrap();
    assert_eq!(objects["machines"][0]["figure"], 9_862_949_550.0);
    assert_eq!(objects["machines"][0]["sources"][0]["origin"]["source"], "openssl_perf");
    assert_eq!(objects["left_out"]["sizes"], serde_json::json!([256, 8192]));
    let runs = serde_json::json!({ "not_genuine": 3, "incomplete_imports": 0, "incomplete": 1, "unread": 0 });
    assert_eq!(objects["left_out"]["runs"], runs);
    assert_eq!(objects["bytes"], 16_384);
    let text = written(&ranking, Format::Csv, Language::English);
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .starts_with("1,i7-13700,false,Linux(Ubuntu),Intel i7-13700,x86_64,9862949550,bytes/s,")
    );
}

#[test]
fn people_read_what_is_left_out_and_what_is_not_verified() {
    let mut ranking = published();
    let table = written(&ranking, Format::Table, Language::English);
    assert!(table.starts_with("AES-128-GCM seal, 16 KiB, MB/s, openssl, acceleration on\n"), "{table}");
    assert!(table.contains("2 machines are left out") && table.contains("256 B and 8 KiB"), "{table}");
    assert!(table.contains("did not verify") && !table.contains("running stream"), "{table}");
    assert!(!table.contains("× this machine"), "nothing is compared with a machine that is not there");
    let japanese = written(&ranking, Format::Table, Language::Japanese);
    assert!(japanese.contains("2台は含めていません") && japanese.contains("256 Bと8 KiB"), "{japanese}");
    assert!(!japanese.contains("このマシン"), "{japanese}");
    ranking.question = ranking.question.at(256);
    assert!(written(&ranking, Format::Table, Language::English).contains("running stream"));
    ranking.question = RankingQuestion::new(Algorithm::Sha256).at(256);
    assert!(!written(&ranking, Format::Table, Language::English).contains("running stream"));
}

#[test]
fn figures_of_two_meanings_are_marked() {
    let mut ranking = published();
    let alike = written(&ranking, Format::Table, Language::English);
    assert!(!alike.contains("one operation") && !alike.contains("changed what it measures"), "{alike}");
    ranking.rows[2].aead_row = Some(AeadRow::KeyedMessages);
    for (language, heading, row, note) in [
        (Language::English, "one operation", "key set-up and message", "changed what it measures"),
        (Language::Japanese, "1回の処理", "鍵の設定とメッセージ", "3.0.16・3.1.8"),
    ] {
        let table = written(&ranking, Format::Table, language);
        assert!(table.contains(heading) && table.contains(row) && table.contains(note), "{table}");
    }
    ranking.apart = Some((3, AeadRow::Updates));
    let table = written(&ranking, Format::Table, Language::English);
    assert!(table.contains("3 figures are left out") && table.contains("below 8 KiB"), "{table}");
    let objects: Value = serde_json::from_str(&written(&ranking, Format::Json, Language::English)).unwrap();
    assert_eq!(objects["machines"][2]["aead_row"], "keyed-messages");
    assert_eq!(objects["apart"], serde_json::json!({ "rows": 3, "aead_row": "updates" }));
    let csv = written(&ranking, Format::Csv, Language::English);
    assert!(csv.lines().nth(3).unwrap().ends_with(",keyed-messages"), "{csv}");
}

#[test]
fn what_is_missing_comes_with_what_to_do() {
    let words = messages(Language::English);
    let mut ranking = published();
    assert!(this_machine_is_missing(&ranking, words).unwrap().contains("kasoku run primitives --quick"));
    ranking.this = This::WithoutWorkload;
    let message = this_machine_is_missing(&ranking, words).unwrap();
    let command = "kasoku run primitives --algorithms aes-128-gcm --sizes 16384 --libraries openssl";
    assert!(message.contains(command), "{message}");
    ranking.question = RankingQuestion::new(Algorithm::QUOTED[0]);
    assert!(!this_machine_is_missing(&ranking, words).unwrap().contains("kasoku run"));
    ranking.this = This::Ranked;
    assert_eq!(this_machine_is_missing(&ranking, words), None);
    let sizes = LeftOut { machines: 1, sizes: vec![16], runs: RunsLeftOut::default() };
    assert_eq!(nothing_known(&ranking, &sizes, words), None);
    ranking.rows.clear();
    assert!(nothing_known(&ranking, &sizes, words).unwrap().contains("figures at 16 B"));
    assert_eq!(written(&ranking, Format::Table, Language::English), "");
}

/// Names come from files of anybody.
#[test]
fn no_form_lets_a_name_do_anything() {
    const HOSTILE: &str = "=\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}|<script>\n";
    let mut ranking = published();
    let origin = Origin {
        kind: OriginKind::Transcript,
        source: HOSTILE.into(),
        address: Some(HOSTILE.into()),
        note: Some(HOSTILE.into()),
    };
    let row = &mut ranking.rows[0];
    row.sources.push(FigureSource::Imported { run: HOSTILE.into(), origin });
    for text in
        [&mut row.device, &mut row.library, &mut row.library_version, &mut row.code_path, &mut row.cpu, &mut row.arch]
    {
        HOSTILE.clone_into(text);
    }
    row.os = Some(HOSTILE.into());
    for format in FORMATS {
        let text = written(&ranking, format, Language::Japanese);
        assert!(text.contains("owned"), "{text}");
        assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
    }
    assert!(!written(&ranking, Format::Markdown, Language::English).contains("<script>"));
    assert!(!written(&ranking, Format::Csv, Language::English).contains(",="));
}

fn point(run: &str, figure: f64, change: HistoryChange) -> HistoryPoint {
    HistoryPoint {
        run: run.into(),
        started: "2026-11-21T09:00:00Z".into(),
        kasoku: "0.1.0".into(),
        library: "openssl".into(),
        library_version: format!("OpenSSL 3.0.{}", if run == "d" { 20 } else { 19 }),
        code_path: "vaes512".into(),
        figure,
        ci95: matches!(change, HistoryChange::Shown(_) | HistoryChange::First)
            .then_some([figure * 0.99, figure * 1.01]),
        change,
    }
}

#[test]
fn a_history_claims_only_what_is_shown() {
    let told = History {
        question: RankingQuestion::new(Algorithm::Aes128Gcm),
        unit: Unit::BytesPerSecond,
        machine: Some(MachineIdentity { cpu: "A CPU".into(), ..MachineIdentity::default() }),
        points: vec![
            point("a", 1e9, HistoryChange::First),
            point("b", 1.5e9, HistoryChange::Shown(1.5)),
            point("c", 1.51e9, HistoryChange::NotShown(1.0067)),
            point("d", 3e9, HistoryChange::WithoutInterval(1.9868)),
        ],
    };
    let table = history(&told, messages(Language::English), Format::Table);
    assert!(table.starts_with("A CPU, AES-128-GCM seal, 16 KiB, MB/s, openssl, acceleration on\n"), "{table}");
    assert!(
        table.contains("×1.50") && table.contains("no difference shown") && table.contains("no interval"),
        "{table}"
    );
    assert!(!table.contains("1.0067") && !table.contains("×1.01"), "{table}");
    assert!(table.contains("more than 3 %") && table.contains("not the same in all"), "{table}");
    let japanese = history(&told, messages(Language::Japanese), Format::Markdown);
    assert!(
        japanese.contains(messages(Language::Japanese).words.no_difference) && japanese.contains("前回比"),
        "{japanese}"
    );
    let csv = history(&told, messages(Language::Japanese), Format::Csv);
    assert!(csv.contains(",not shown,1.0067\n") && csv.lines().count() == 5, "{csv}");
    let objects: Value = serde_json::from_str(&history(&told, messages(Language::Japanese), Format::Json)).unwrap();
    assert_eq!(objects["runs"][1]["change"], "shown");
    let nothing = History { points: vec![], ..told };
    assert!(nothing_in_history(&nothing, messages(Language::Japanese)).unwrap().contains("kasoku run primitives"));
    assert_eq!(history(&nothing, messages(Language::English), Format::Table), "");
}
