use kasoku_model::document::{Document, Experiment, Machine, Outcome, Run, SCHEMA, Sample, Series, Unit};
use kasoku_model::level::Level;

use super::finding::JvmFinding;
use super::name::JvmNames;
use super::{findings, section, tables};
use crate::html::gallery::Gallery;
use crate::language::messages;
use crate::selection::Selection;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite, Suite};
use kasoku_model::language::Language;
use kasoku_model::workload::{Https, Operation, Setting, Workload};

const SCORE: Algorithm = Algorithm::Suite(Suite::CryptoAes);
const AES: Algorithm = Algorithm::Suite(Suite::CryptoAesAes);

/// A series of `library` whose operation takes this many nanoseconds, a little more from start to start.
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

/// A server that sends a gigabyte in this many seconds of its one core, a little more from start to start.
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

fn with_servers(kasoku: f64) -> Document {
    let mut document = document();
    document.series.push(server(("sunjce", "25.0.3+9-LTS"), 1.0));
    document.series.push(server(("kasoku-jca", "0.1.0 (JDK 25.0.3+9-LTS)"), kasoku));
    document
}

#[test]
fn a_server_is_told_with_what_it_sends_and_what_that_costs() {
    let (english, document) = (messages(Language::English), with_servers(0.5));
    let found = findings(&document, english);
    let Some(JvmFinding::Serves { who, own, sends: Some(sends), cpu, .. }) =
        found.iter().find(|finding| matches!(finding, JvmFinding::Serves { .. }))
    else {
        panic!("{found:?}")
    };
    assert_eq!((who.as_str(), own.as_str()), ("Kasoku 0.1.0 (JDK 25.0.3)", "JDK 25.0.3"));
    assert!((1.99..2.01).contains(sends) && cpu.is_shown && (-50.1..-49.9).contains(&cpu.percent), "{found:?}");
    let told = crate::verdict::verdict(&document, english).sentences.join("\n");
    let sentence = "An HTTPS server in Java (TLS_AES_128_GCM_SHA256) sends 2.0 times as much with Kasoku 0.1.0 (JDK \
                    25.0.3) as with JDK 25.0.3; CPU time for a gigabyte: 50.0 % less";
    assert!(told.contains(sentence), "{told}");
    for (language, title) in [
        (Language::English, "HTTPS servers in Java: TLS_AES_128_GCM_SHA256, files of 64 MiB"),
        (Language::Japanese, "JavaのHTTPSサーバー（TLS_AES_128_GCM_SHA256、64 MiBのファイル）"),
    ] {
        let tables = tables::summary(&document, messages(language));
        let table = tables.iter().find(|table| table.title == title).unwrap();
        assert_eq!(table.texts()[0], ["JDK 25.0.3", "1.00", "1.00", "–", "–"]);
        let cells = &table.texts()[1];
        assert_eq!((cells[1].as_str(), cells[2].as_str(), cells[4].as_str()), ("2.00", "0.500", "−50.0 %"));
        let page = section(&document, &Gallery::default(), messages(language)).unwrap().body.into_string();
        let page = page.replace('\u{a0}', " ");
        assert!(page.contains(title) && page.contains("93 %"), "{page}");
        let exported = crate::export::markdown::markdown(&document, messages(language));
        assert!(exported.contains("| 0.500 |"), "{exported}");
    }
}

#[test]
fn servers_that_are_alike_are_told_to_be_and_one_alone_is_held_against_nothing() {
    let english = messages(Language::English);
    let mut document = with_servers(1.0);
    let told = crate::verdict::verdict(&document, english).sentences.join("\n");
    assert!(told.contains("no difference between Kasoku 0.1.0 (JDK 25.0.3) and JDK 25.0.3 is shown"), "{told}");
    let is_server = |finding: &JvmFinding| matches!(finding, JvmFinding::Serves { .. });
    document.series.retain(|one| one.operation != Operation::Serve || one.library == "sunjce");
    assert!(!findings(&document, english).iter().any(is_server));
    let mut interrupted = with_servers(0.5);
    interrupted.run.complete = false;
    assert!(!findings(&interrupted, english).iter().any(is_server));
}

/// A document may say that no thread worked: then an operation takes no time, and no share of it is AES.
#[test]
fn a_share_of_nothing_is_not_told() {
    for (threads, has_parts) in [(2, true), (0, false)] {
        let mut document = document();
        document.series.iter_mut().for_each(|one| one.details.threads = threads);
        let english = messages(Language::English);
        let page = section(&document, &Gallery::default(), english).unwrap().body.into_string();
        assert_eq!(page.contains(english.jvm.share), has_parts, "{page}");
        assert!(!page.contains("NaN"), "{page}");
    }
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

#[test]
fn a_run_tells_what_a_configuration_gains_and_loses() {
    let found = findings(&document(), messages(Language::English));
    let gains = found.iter().find_map(|finding| match finding {
        JvmFinding::Accelerated { gains, .. } => Some(gains.clone()),
        _ => None,
    });
    let names: Vec<String> = gains.unwrap().into_iter().map(|(who, ratio)| format!("{who} {ratio:.0}")).collect();
    assert_eq!(names, ["JDK 17.0.15 67", "JDK 25.0.3 200"]);
    let faster = |fast: &str, slow: &str| {
        found.iter().any(|finding| {
            matches!(finding, JvmFinding::Faster { faster, slower, .. }
            if faster == fast && slower == slow)
        })
    };
    for slow in ["JDK 17.0.15", "NSS 3.87.1 (JDK 25.0.3)", "Bouncy Castle 1.87 (JDK 25.0.3)"] {
        assert!(faster("JDK 25.0.3", slow), "{slow}: {found:?}");
    }
    assert!(faster("Kasoku 0.1.0 (JDK 25.0.3)", "JDK 25.0.3"), "{found:?}");
    assert!(
        found.iter().any(|finding| matches!(finding, JvmFinding::Flag { with_flag, ratio, .. }
            if with_flag == "JDK 25.0.3 -XX:-UseGHASHIntrinsics" && (39.0..41.0).contains(ratio))),
        "{found:?}"
    );
    let Some(JvmFinding::Score { improvement, aes: Some((ratio, share)), .. }) = found.last() else {
        panic!("{found:?}")
    };
    assert!((9.9..10.1).contains(improvement) && (9.9..10.1).contains(ratio) && (0.99..1.01).contains(share));
}

#[test]
fn every_run_of_the_score_stands_above_the_published_ones_as_they_are_printed() {
    let document = document();
    let selection = Selection::of_level(&document, Level::Jvm, messages(Language::English));
    let table = tables::score_table(&selection, true).unwrap();
    assert_eq!(table.rows.len(), 8);
    assert_eq!(table.texts()[0], ["JDK 25.0.3", "1", "54.5", "60.0", "10.0 %"]);
    assert_eq!(table.texts()[4], ["Xeon X5690, published 2012", "1", "523.36", "627.18", "19.84 %"]);
    assert_eq!(table.texts()[7][1..], ["mean", "522.92", "626.65", "19.84 %"]);
    let parts = tables::parts(&selection).unwrap();
    assert_eq!(parts.texts()[1][2..], ["2.00", "0.020", "1.98", "1.0 %"]);
    let flags = tables::flags(&selection).unwrap();
    assert_eq!(flags.texts()[0][2..], ["JDK 25.0.3 -XX:-UseGHASHIntrinsics", "409", "2.5 %"]);
}

#[test]
fn a_build_is_named_where_there_are_two_of_a_version() {
    let mut document = document();
    for (library, version) in [("sunjce", "25.0.3+8"), ("nss", "3.87.1"), ("openssl", "3.0.19")] {
        document.series.push(series((library, version), Acceleration::On, Algorithm::Aes128Gcm, 2_000, ""));
    }
    let selection = Selection::of_level(&document, Level::Jvm, messages(Language::English));
    let names = JvmNames::new(&selection);
    let named: Vec<String> = selection.contenders().map(|who| names.of(who)).collect();
    for name in ["JDK 25.0.3+8", "JDK 25.0.3+9-LTS", "JDK 17.0.15", "NSS 3.87.1 (JDK 25.0.3)", "openssl 3.0.19"] {
        assert!(named.iter().any(|one| one == name), "{name}: {named:?}");
    }
}

#[test]
fn a_run_that_did_not_end_or_has_no_java_claims_nothing() {
    let english = messages(Language::English);
    let mut document = document();
    document.run.complete = false;
    assert!(findings(&document, english).is_empty());
    document.series.clear();
    assert!(section(&document, &Gallery::default(), english).is_none());
}

#[test]
fn what_is_to_be_typed_is_code() {
    for language in [Language::English, Language::Japanese] {
        let page = section(&document(), &Gallery::default(), messages(language)).unwrap().body.into_string();
        assert!(page.contains("<code>-XX:-UseAESIntrinsics</code>") && !page.contains('`'), "{page}");
    }
}

#[test]
fn hostile_words_are_made_harmless() {
    let mut document = document();
    for one in &mut document.series {
        one.library_version = format!("<script>\u{1b}[2J{}", "x".repeat(500));
        one.details.flags = Some("<img src=x>\u{202e}".to_owned());
    }
    for language in [Language::English, Language::Japanese] {
        let page = section(&document, &Gallery::default(), messages(language)).unwrap().body.into_string();
        assert!(!page.contains("<script>") && !page.contains("<img") && !page.contains('\u{1b}'));
        assert!(!page.contains('\u{202e}') && !page.contains(&"x".repeat(100)));
    }
}
