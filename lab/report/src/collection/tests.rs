use super::*;
use crate::Format;
use crate::block::{Block, Output};
use crate::language::Language;
use crate::render::{self, TerminalView, output};
use crate::selection::times;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Unit;
use kasoku_model::openssl_speed::AeadRow;
use kasoku_store::collection::{
    Collection, History, HistoryChange, HistoryPoint, LeftOut, MachineIdentity, Ranking, RankingQuestion, RunsLeftOut,
    This,
};

const FORMATS: [Format; 4] = [Format::Table, Format::Json, Format::Csv, Format::Markdown];

fn published() -> Ranking {
    let question = RankingQuestion::new(Algorithm::Aes128Gcm);
    Collection::open(None).unwrap().ranking(&question, None).unwrap()
}

fn ranked(ranking: &Ranking) -> Output {
    let runs = RunsLeftOut { not_genuine: 3, incomplete_imports: 0, incomplete: 1, unread: 0 };
    rank(ranking, &LeftOut { machines: 2, sizes: vec![256, 8192], runs })
}

fn written(ranked: &Output, format: Format, language: Language) -> String {
    output(ranked, format, TerminalView::plain(language))
}

fn notes(output: &Output) -> Vec<&str> {
    let [Block::Table(table)] = output.blocks.as_slice() else { panic!("expected one table") };
    table.notes.iter().filter_map(Text::key).collect()
}

#[test]
fn every_ranking_format_lists_all_machines_in_order() {
    let ranking = published();
    for language in Language::all() {
        for format in FORMATS {
            let text = written(&ranked(&ranking), format, language);
            let mut after = 0;
            for row in &ranking.rows {
                let name = row.device.as_str();
                after +=
                    text[after..].find(name).unwrap_or_else(|| panic!("{name} is missing or out of order:\n{text}"));
            }
        }
    }
}

#[test]
fn ranking_csv_and_json_have_unrounded_figures_and_english_names() {
    let Output { objects, csv, .. } = ranked(&published());
    assert_eq!(objects["machines"][0]["figure"], 9_862_949_550.0);
    assert_eq!(objects["machines"][0]["sources"][0]["origin"]["source"], "openssl_perf");
    assert_eq!(objects["left_out"]["sizes"], serde_json::json!([256, 8192]));
    let runs = serde_json::json!({ "not_genuine": 3, "incomplete_imports": 0, "incomplete": 1, "unread": 0 });
    assert_eq!(objects["left_out"]["runs"], runs);
    assert_eq!(objects["bytes"], 16_384);
    let names = "place,machine,this_machine,os,cpu,arch,figure,unit,times_this_machine,ci95_low,ci95_high,library,\
        library_version,code_path,known,sources,runs,aead_row";
    assert_eq!(csv.lines().next(), Some(names));
    let fields = |object: &serde_json::Value| object.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(",");
    let of_row = "aead_row,arch,ci95,code_path,cpu,figure,library,library_version,machine,os,place,sources,\
        this_machine,times_this_machine";
    assert_eq!(fields(&objects["machines"][0]), of_row);
    assert_eq!(fields(&objects["machines"][0]["sources"][0]), "known,origin,run");
    assert_eq!(objects["machines"][0]["sources"][0]["known"], "published");
    let first = "1,i7-13700,false,Linux(Ubuntu),Intel i7-13700,x86_64,9862949550,bytes/s,";
    assert!(csv.lines().nth(1).unwrap().starts_with(first), "{csv}");
}

#[test]
fn ranking_notes_mention_quoted_and_omitted_figures() {
    let mut ranking = published();
    let table = written(&ranked(&ranking), Format::Table, Language::ENGLISH);
    assert!(table.starts_with("AES-128-GCM seal, 16 KiB, MB/s, openssl, acceleration on\n"), "{table}");
    assert!(table.contains("2 machines") && table.contains("256 B and 8 KiB"), "{table}");
    assert!(!table.contains("× this machine"), "without a run of this machine, there is no comparison with it");
    let has = |ranking: &Ranking, note| notes(&ranked(ranking)).contains(&note);
    assert!(has(&ranking, "collection-quoted") && has(&ranking, "collection-left-out"));
    assert!(!has(&ranking, "collection-running-stream"));
    ranking.question = ranking.question.at(256);
    assert!(has(&ranking, "collection-running-stream"));
    ranking.question = RankingQuestion::new(Algorithm::Sha256).at(256);
    assert!(!has(&ranking, "collection-running-stream"));
}

#[test]
fn ranking_notes_aead_figures_that_measure_different_operations() {
    let mut ranking = published();
    let columns = |output: &Output| match output.blocks.as_slice() {
        [Block::Table(table)] => table.columns.len(),
        _ => 0,
    };
    let alike = ranked(&ranking);
    assert!(!notes(&alike).contains(&"collection-two-meanings"));
    ranking.rows[2].aead_row = Some(AeadRow::KeyedMessages);
    ranking.apart = Some((3, AeadRow::Updates));
    let mixed = ranked(&ranking);
    assert_eq!(columns(&mixed), columns(&alike) + 1);
    assert!(["collection-two-meanings", "collection-apart"].iter().all(|note| notes(&mixed).contains(note)));
    assert_eq!(mixed.objects["machines"][2]["aead_row"], "keyed-messages");
    assert_eq!(mixed.objects["apart"], serde_json::json!({ "rows": 3, "aead_row": "updates" }));
    assert!(mixed.csv.lines().nth(3).unwrap().ends_with(",keyed-messages"), "{}", mixed.csv);
}

#[test]
fn ranking_without_this_machine_names_the_command_that_measures_it() {
    let words = |text: Option<Text>| render::words(&text.unwrap(), Language::ENGLISH);
    let mut ranking = published();
    assert!(words(this_machine_is_missing(&ranking)).contains("kasoku run primitives --quick"));
    ranking.this = This::WithoutWorkload;
    let command = "kasoku run primitives --algorithms aes-128-gcm --sizes 16384 --libraries openssl";
    assert!(words(this_machine_is_missing(&ranking)).contains(command));
    ranking.question = RankingQuestion::new(Algorithm::QUOTED[0]);
    assert!(!words(this_machine_is_missing(&ranking)).contains("kasoku run"));
    ranking.this = This::Ranked;
    assert_eq!(this_machine_is_missing(&ranking), None);
    let sizes = LeftOut { machines: 1, sizes: vec![16], runs: RunsLeftOut::default() };
    assert_eq!(nothing_known(&ranking, &sizes), None);
    ranking.rows.clear();
    assert!(words(nothing_known(&ranking, &sizes)).contains("16 B"));
    assert!(ranked(&ranking).blocks.is_empty());
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
fn history_table_shows_ratios_of_proven_changes_only() {
    let known = History {
        question: RankingQuestion::new(Algorithm::Aes128Gcm),
        unit: Unit::BytesPerSecond,
        machine: MachineIdentity { cpu: "A CPU".into(), ..MachineIdentity::default() },
        points: vec![
            point("a", 1e9, HistoryChange::First),
            point("b", 1.5e9, HistoryChange::Shown(1.5)),
            point("c", 1.51e9, HistoryChange::NotShown(1.0067)),
            point("d", 3e9, HistoryChange::WithoutInterval(1.9868)),
        ],
    };
    let Output { blocks, csv, objects, .. } = history(&known);
    let [Block::Table(table)] = blocks.as_slice() else { panic!("expected one table") };
    let change = |row: usize| table.rows[row].last().unwrap().value.clone();
    assert_eq!([change(0), change(2)], [Text::EMPTY, "=".into()], "a change that is not shown has no ratio");
    assert_eq!(change(1), Text::list(Separator::Space, ["▲".into(), times(1.5)]));
    assert_eq!(change(3).key(), Some("collection-without-interval"));
    let notes: Vec<&str> = table.notes.iter().filter_map(Text::key).collect();
    assert_eq!(notes, ["history-rule", "history-versions-differ", "history-legend"]);
    let names =
        "run,started,machine,kasoku,library,library_version,code_path,figure,unit,ci95_low,ci95_high,change,ratio";
    let second = "b,2026-11-21T09:00:00Z,A CPU,0.1.0,openssl,OpenSSL 3.0.19,vaes512,1500000000,bytes/s,1485000000,";
    assert!(csv.starts_with(names) && csv.contains(second) && csv.lines().count() == 5, "{csv}");
    assert!(csv.contains(",not shown,1.0067\n"), "{csv}");
    let point = serde_json::json!({
        "run": "b", "started": "2026-11-21T09:00:00Z", "kasoku": "0.1.0", "library": "openssl", "code_path": "vaes512",
        "library_version": "OpenSSL 3.0.19", "figure": 1.5e9, "ci95": [1.5e9 * 0.99, 1.5e9 * 1.01], "change": "shown",
        "ratio": 1.5,
    });
    assert_eq!(objects["runs"][1], point);
    let nothing = History { points: vec![], ..known };
    assert_eq!(nothing_in_history(&nothing).unwrap().key(), Some("collection-no-figure"));
    assert!(history(&nothing).blocks.is_empty());
}
