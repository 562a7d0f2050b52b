use kasoku_model::document::{Document, Experiment, Machine, Outcome, Run, SCHEMA, Sample, Series, Unit};
use kasoku_model::level::Level;

use super::{JvmSelection, tables, without_build};
use crate::claim::{Claim, Figure};
use crate::language::Language;
use crate::level::{Findings, LevelReport};
use crate::palette::Palette;
use crate::render::{catalogue, terminal};
use crate::table::{CellMark, Table};
use crate::text::{Text, say};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite, Suite};
use kasoku_model::workload::{Https, Operation, Setting, Workload};

const SCORE: Algorithm = Algorithm::Suite(Suite::CryptoAes);
const AES: Algorithm = Algorithm::Suite(Suite::CryptoAesAes);

/// Creates a series of `library` whose operation takes `ns` nanoseconds, slightly more with each start of the virtual
/// machine.
fn series(library: (&str, &str), state: Acceleration, algorithm: Algorithm, ns: u64, flags: &str) -> Series {
    let is_suite = !algorithm.parts().is_empty();
    let (operation, bytes) = if is_suite { (Operation::Roundtrip, 0) } else { (Operation::Seal, 16_384) };
    let threads = if is_suite { 2 } else { 1 };
    let rounds = if is_suite { 1 } else { 6 };
    let sample = |index: u32| Sample {
        process: index / rounds,
        round: index,
        iterations: threads,
        ns: (ns + u64::from(index / rounds) * (ns / 1000)) * if is_suite { 1 } else { threads },
        cpu_ns: ns * threads,
        ..Sample::default()
    };
    let unit = if is_suite { Unit::OperationsPerMinute } else { Unit::BytesPerSecond };
    let workload = Workload::new(operation, algorithm, bytes);
    let mut one = Series::empty(Level::Jvm, &workload, library.0, library.1.into(), state, unit);
    one.samples = (0..3 * rounds).map(sample).collect();
    one.outcome = Outcome::Measured;
    one.details.threads = threads;
    one.details.flags = Some(flags.to_owned());
    kasoku_model::statistics::summarize(&mut one);
    one
}

fn server(library: (&str, &str), seconds: f64) -> Series {
    const FILE: usize = 64 << 20;
    let suite = Algorithm::CipherSuite(CipherSuite::Tls13Aes128Gcm);
    let workload = Workload::new(Operation::Serve, suite, FILE).with_setting(Setting::Https(Https { connections: 2 }));
    let (name, version, unit) = (library.0, library.1.to_owned(), Unit::BytesPerSecond);
    let mut one = Series::empty(Level::Jvm, &workload, name, version, Acceleration::On, unit);
    one.outcome = Outcome::Measured;
    let sample = |round: u32| {
        let ns = (4.0 * FILE as f64 * seconds) as u64 + u64::from(round) * 1000;
        Sample { process: round / 3, round, iterations: 4, ns, cpu_ns: ns, ..Sample::default() }
    };
    one.samples = (0..6).map(sample).collect();
    if name == "kasoku-jca" {
        let Experiment::Https(details) = &mut one.details.experiment else { unreachable!("made above") };
        details.load.provider_share = Some(0.93);
    }
    kasoku_model::statistics::summarize(&mut one);
    one
}

fn document_with_servers(kasoku: f64) -> Document {
    let mut document = document();
    document.series.push(server(("sunjce", "25.0.3+9-LTS"), 1.0));
    document.series.push(server(("kasoku-jca", "0.1.0 (JDK 25.0.3+9-LTS)"), kasoku));
    document
}

fn document() -> Document {
    let (new, old) = (("sunjce", "25.0.3+9-LTS"), ("sunjce", "17.0.15+6-Debian-1deb12u1"));
    let (on, off, gcm) = (Acceleration::On, Acceleration::Off, Algorithm::Aes128Gcm);
    let off_flags = "-XX:-UseAES";
    Document {
        schema: SCHEMA,
        run: Run { id: "one".into(), complete: true, ..Run::default() },
        machine: Machine::default(),
        series: vec![
            series(new, on, gcm, 1_000, ""),
            series(new, off, gcm, 200_000, off_flags),
            series(new, on, gcm, 40_000, "-XX:-UseGHASHIntrinsics"),
            series(old, on, gcm, 3_000, ""),
            series(old, off, gcm, 200_000, off_flags),
            series(("nss", "3.87.1 (JDK 25.0.3+9-LTS)"), on, gcm, 8_000, ""),
            series(("kasoku-jca", "0.1.0 (JDK 25.0.3+9-LTS)"), on, gcm, 500, ""),
            series(("bouncy-castle", "1.87 (JDK 25.0.3+9-LTS)"), on, gcm, 300_000, ""),
            series(new, on, SCORE, 2_000_000_000, ""),
            series(new, off, SCORE, 2_200_000_000, off_flags),
            series(new, on, AES, 20_000_000, ""),
            series(new, off, AES, 200_000_000, off_flags),
        ],
    }
}

fn selection(document: &Document) -> JvmSelection<'_> {
    JvmSelection::new(document).unwrap()
}

fn claims(document: &Document) -> Vec<Claim> {
    Findings::new(document).levels.into_iter().flat_map(|(_, claims)| claims).collect()
}

fn claims_of_kind(document: &Document, kind: &str) -> Vec<Claim> {
    claims(document).into_iter().filter(|claim| claim.kind == kind).collect()
}

fn cells(table: &Table) -> Vec<Vec<String>> {
    terminal::cells(table, catalogue(Language::ENGLISH))
}

fn section(document: &Document, language: Language) -> Option<String> {
    let section = JvmSelection::new(document)?.section(&claims(document), &Palette::default());
    let view = terminal::TerminalView { columns: terminal::WIDTH, color: false, is_compact: false, language };
    Some(terminal::text(&section.blocks, view))
}

#[test]
fn server_claim_compares_throughput_and_cpu_time_with_javas_own_provider() {
    let document = document_with_servers(0.5);
    let serves = &claims_of_kind(&document, "jvm-serves")[0];
    let Some(Figure::Change(cpu)) = serves.figure("cpu") else { panic!("{serves:?}") };
    assert_eq!(serves.subject.library, Text::from("Kasoku 0.1.0 (JDK 25.0.3)"));
    assert_eq!(serves.subject.next, Text::from("JDK 25.0.3"));
    let times = serves.ratio("times").unwrap();
    assert!((1.99..2.01).contains(&times) && cpu.is_shown && (-50.1..-49.9).contains(&cpu.percent), "{serves:?}");
}

#[test]
fn server_table_has_throughput_cpu_time_and_provider_percentage() {
    let document = document_with_servers(0.5);
    let tables = selection(&document).server_tables(true);
    assert!(selection(&document).summary().iter().any(|table| table.title == tables[0].title));
    assert_eq!(
        tables[0].title,
        say!("jvm-https", suite = Algorithm::CipherSuite(CipherSuite::Tls13Aes128Gcm).title(), size = "64 MiB")
    );
    let rows = cells(&tables[0]);
    assert_eq!(rows[0], ["JDK 25.0.3", "1.00", "1.00", "–", "–"]);
    assert_eq!((rows[1][1].as_str(), rows[1][2].as_str()), ("2.00", "0.500"));
    assert!(rows[1][4].starts_with("−50.0 % ("), "{rows:?}");
    let counted = say!("jvm-https-counted", who = "Kasoku 0.1.0 (JDK 25.0.3)", share = "93 %");
    assert!(tables[0].notes.contains(&counted), "{:?}", tables[0].notes);
}

#[test]
fn server_claims_need_a_proven_difference_a_second_provider_and_a_complete_run() {
    let mut document = document_with_servers(1.0);
    assert!(claims_of_kind(&document, "jvm-serves").is_empty());
    assert_eq!(claims_of_kind(&document, "jvm-serves-alike").len(), 1);
    let servers = selection(&document).server_tables(false);
    assert_eq!(servers[0].rows[1][3].mark, Some(CellMark::Equal));
    document.series.retain(|one| one.operation != Operation::Serve || one.library == "sunjce");
    assert!(claims_of_kind(&document, "jvm-serves-alike").is_empty());
    let mut interrupted = document_with_servers(0.5);
    interrupted.run.complete = false;
    assert!(claims(&interrupted).is_empty());
}

/// Documents may state 0 threads. Then an operation takes no time, and the percentage that AES takes is undefined.
#[test]
fn score_parts_are_omitted_if_an_operation_takes_no_time() {
    for (threads, has_parts) in [(2, true), (0, false)] {
        let mut document = document();
        document.series.iter_mut().for_each(|one| one.details.threads = threads);
        assert_eq!(tables::parts(&selection(&document)).is_some(), has_parts);
        assert!(!section(&document, Language::ENGLISH).unwrap().contains("NaN"));
    }
}

#[test]
fn jvm_claims_state_gains_comparisons_effects_of_flags_and_the_score() {
    let document = document();
    let gains = &claims_of_kind(&document, "jvm-accelerated")[0];
    let gain = |effect: &crate::claim::ClaimEffect| match effect.figures[0] {
        (_, Figure::Times(ratio)) => (effect.of.clone(), ratio.round()),
        _ => panic!("{effect:?}"),
    };
    let gains: Vec<(Text, f64)> = gains.effects.iter().map(gain).collect();
    assert_eq!(gains, [("JDK 17.0.15".into(), 67.0), ("JDK 25.0.3".into(), 200.0)]);
    let faster = claims_of_kind(&document, "jvm-faster");
    let is_faster = |fast: &str, slow: &str| {
        faster.iter().any(|claim| claim.subject.library == fast.into() && claim.subject.next == slow.into())
    };
    for slow in ["JDK 17.0.15", "NSS 3.87.1 (JDK 25.0.3)", "Bouncy Castle 1.87 (JDK 25.0.3)"] {
        assert!(is_faster("JDK 25.0.3", slow), "{slow}: {faster:?}");
    }
    assert!(is_faster("Kasoku 0.1.0 (JDK 25.0.3)", "JDK 25.0.3"), "{faster:?}");
    let flag = &claims_of_kind(&document, "jvm-flag")[0];
    assert_eq!(flag.subject.library, Text::from("JDK 25.0.3 -XX:-UseGHASHIntrinsics"));
    assert!((39.0..41.0).contains(&flag.ratio("times").unwrap()), "{flag:?}");
    let score = claims(&document).pop().unwrap();
    assert!(score.kind == "jvm-score" && score.leads, "{score:?}");
    assert_eq!(score.figure("improvement"), Some(&"10.0".into()));
    assert!((9.9..10.1).contains(&score.ratio("times").unwrap()), "{score:?}");
    assert!(matches!(score.figure("share"), Some(Figure::Percent(share)) if (0.99..1.01).contains(share)), "{score:?}");
}

#[test]
fn score_table_lists_measured_runs_above_published_runs() {
    let document = document();
    let selection = selection(&document);
    let scores = cells(&tables::score_table(&selection, true).unwrap());
    assert_eq!(scores.len(), 8);
    assert_eq!(scores[0], ["JDK 25.0.3", "1", "54.5", "60.0", "10.0 %"]);
    assert_eq!(scores[4], ["Xeon X5690, published 2012", "1", "523.36", "627.18", "19.84 %"]);
    assert_eq!(scores[7][1..], ["mean", "522.92", "626.65", "19.84 %"]);
    let parts = cells(&tables::parts(&selection).unwrap());
    assert_eq!(parts[1][2..], ["2.00", "0.020", "1.98", "1.0 %"]);
    let flags = cells(&tables::flags(&selection).unwrap());
    assert_eq!(flags[0][2..], ["JDK 25.0.3 -XX:-UseGHASHIntrinsics", "409", "2.5 %"]);
}

#[test]
fn jdk_names_include_the_build_if_a_version_has_two_builds() {
    let mut document = document();
    for (library, version) in [("sunjce", "25.0.3+8"), ("nss", "3.87.1"), ("openssl", "3.0.19")] {
        document.series.push(series((library, version), Acceleration::On, Algorithm::Aes128Gcm, 2_000, ""));
    }
    let selection = selection(&document);
    let english = catalogue(Language::ENGLISH);
    let named: Vec<String> = selection.selection.contenders().map(|who| english.write(&selection.name(who))).collect();
    for name in ["JDK 25.0.3+8", "JDK 25.0.3+9-LTS", "JDK 17.0.15", "NSS 3.87.1 (JDK 25.0.3)", "openssl 3.0.19"] {
        assert!(named.iter().any(|one| one == name), "{name}: {named:?}");
    }
}

#[test]
fn interrupted_runs_have_no_jvm_claims_and_runs_without_java_no_section() {
    let mut document = document();
    document.run.complete = false;
    assert!(claims(&document).is_empty());
    document.series.clear();
    assert!(section(&document, Language::ENGLISH).is_none());
}

#[test]
fn jvm_section_escapes_control_characters_and_cuts_long_names() {
    let mut document = document();
    for one in &mut document.series {
        one.library_version = format!("<script>\u{1b}[2J{}", "x".repeat(500));
        one.details.flags = Some("<img src=x>\u{202e}".to_owned());
    }
    for language in [Language::ENGLISH, Language::from_tag("ja").unwrap()] {
        let words = section(&document, language).unwrap();
        assert!(!words.contains(['\u{1b}', '\u{202e}']) && !words.contains(&"x".repeat(100)));
    }
}

#[test]
fn without_build_keeps_version_and_virtual_machine() {
    assert_eq!(without_build("17.0.15+6-Debian-1deb12u1"), "17.0.15");
    assert_eq!(without_build("3.87.1 (JDK 25.0.3+9-LTS)"), "3.87.1 (JDK 25.0.3)");
    assert_eq!(without_build("21"), "21");
}
