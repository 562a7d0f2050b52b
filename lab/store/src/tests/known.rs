//! Queries over all runs.

use super::super::reading::NEWEST_FIRST;
use super::*;
use crate::collection::RankingQuestion;

fn quoted(id: &str, name: &str) -> Document {
    let mut document = header(id, "");
    document.run.complete = true;
    document.run.kasoku = String::new();
    let source = format!("{name}.txt");
    document.run.origin = Some(Origin { kind: OriginKind::Transcript, source, address: None, note: None });
    document.machine = Machine { name: Some(name.into()), os: Some("OpenWrt".into()), ..Machine::default() };
    document.series = vec![Series { median: Some(2.0), acceleration: Acceleration::On, ..series("openssl") }];
    document
}

fn measured(id: &str, started: &str, cpu: &str) -> Document {
    let mut document = header(id, started);
    document.run.complete = true;
    document.machine.cpu = cpu.into();
    let verified =
        Series { median: Some(3.0), outcome: Outcome::Measured, acceleration: Acceleration::On, ..series("openssl") };
    document.series = vec![
        verified.clone(),
        Series { bytes: 256, ..verified.clone() },
        Series { level: Level::Packets, ..verified.clone() },
        Series { acceleration: Acceleration::Off, ..verified.clone() },
        Series { library: "ring".into(), median: Some(4.0), ..verified.clone() },
        Series { median: None, ..verified.clone() },
        Series { operation: Operation::Open, ..verified },
    ];
    document
}

#[test]
fn quoted_runs_are_listed_after_measured_ones() {
    let (_folder, mut store) = store();
    store.add_documents([&quoted("import-1", "router")]).unwrap();
    assert_eq!(store.find("last").unwrap(), "import-1", "without measured runs, `last` is an import");
    store.add_documents([&measured("older", "2026-11-20T09:00:00Z", "A CPU")]).unwrap();
    store.add_documents([&measured("newer", "2026-11-21T09:00:00Z", "A CPU")]).unwrap();
    let mut dated = quoted("import-2", "switch");
    dated.run.started = "2026-11-22T09:00:00Z".into();
    store.add_documents([&dated]).unwrap();
    assert_eq!(store.find("last").unwrap(), "newer");
    assert_eq!(store.find("last-1").unwrap(), "older");
    let runs = store.runs().unwrap();
    assert_eq!(runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["newer", "older", "import-2", "import-1"]);
    assert_eq!(runs.iter().map(RunSummary::machine).collect::<Vec<_>>(), ["A CPU", "A CPU", "switch", "router"]);
    assert_eq!((runs[0].origin, runs[2].origin), (None, Some(OriginKind::Transcript)));
    assert_eq!((runs[2].series, runs[2].failed), (1, 0), "unverified series of imports do not count as failed");
}

#[test]
fn known_separates_machines_by_hardware() {
    let (_folder, mut store) = store();
    for (id, cpu) in [("r1", "A CPU"), ("r2", "Another CPU"), ("r3", "A CPU")] {
        store.add_documents([&measured(id, "2026-11-20T09:00:00Z", cpu)]).unwrap();
    }
    let mut in_a_machine = measured("r4", "2026-11-20T09:00:00Z", "A CPU");
    in_a_machine.machine.hypervisor = Some("KVM".into());
    in_a_machine.machine.os = Some("Debian".into());
    store.add_documents([&in_a_machine]).unwrap();
    let known = store.known().unwrap();
    assert_eq!(known.machines.len(), 3);
    assert_eq!(known.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["r4", "r3", "r2", "r1"]);
    assert_eq!(known.runs[1].machine, known.runs[3].machine);
    assert_eq!(known.machines[known.runs[0].machine], MachineIdentity::from(&in_a_machine.machine));
    assert_eq!((known.runs[0].os.as_deref(), known.runs[1].os.as_deref()), (Some("Debian"), None));
}

#[test]
fn figures_are_found_by_workload() {
    let (_folder, mut store) = store();
    store.add_documents([&measured("r1", "2026-11-20T09:00:00Z", "A CPU")]).unwrap();
    store.add_documents([&quoted("import-1", "router")]).unwrap();
    let known = store.known().unwrap();
    let found = |question: &RankingQuestion, bytes: Option<usize>| {
        let figures = store.figures(question, bytes).unwrap();
        let told = figures.iter().map(|figure| {
            assert_eq!(store.series_of(figure).unwrap().unwrap().median, Some(figure.median));
            (known.runs[known.place(figure).unwrap()].id.clone(), figure.bytes, figure.median, figure.verified)
        });
        told.collect::<Vec<_>>()
    };
    let (ours, theirs) = (("r1".into(), 16_384, 3.0, true), ("import-1".into(), 16_384, 2.0, false));
    let openssl = RankingQuestion::new(Algorithm::Aes128Gcm);
    assert_eq!(found(&openssl, Some(16_384)), [theirs.clone(), ours.clone()]);
    let ring = ("r1".into(), 16_384, 4.0, true);
    assert_eq!(
        found(&RankingQuestion { library: None, ..openssl.clone() }, Some(16_384)),
        [theirs.clone(), ours.clone(), ring]
    );
    let small = ("r1".into(), 256, 3.0, true);
    assert_eq!(found(&openssl, None), [theirs, small, ours]);
    assert_eq!(found(&openssl, Some(257)), []);
    assert_eq!(found(&RankingQuestion::new(Algorithm::Aes256Gcm), None), []);
}

#[test]
fn queries_over_all_runs_use_covering_indexes() {
    let (_folder, mut store) = store();
    store.add_documents([&measured("r1", "2026-11-20T09:00:00Z", "A CPU")]).unwrap();
    let plan = |sql: &str| -> Vec<String> {
        let mut statement = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        statement.query_map([], |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let runs = plan(&format!(
        "SELECT number, id, started, kasoku, complete, device, os, origin FROM run ORDER BY {NEWEST_FIRST}"
    ));
    assert_eq!(runs, ["SCAN run USING COVERING INDEX run_in_order"]);
    let figures = plan(
        "SELECT run, number, bytes, library, verified, median FROM series WHERE level = 'primitives'
         AND verified IN (0, 1) AND algorithm = 'a' AND operation = 'b' AND acceleration = 'on' AND median IS NOT NULL
         AND bytes = 16384 AND library = 'openssl'",
    );
    assert_eq!(figures.len(), 1, "{figures:?}");
    assert!(figures[0].starts_with("SEARCH series USING COVERING INDEX series_by_workload"), "{figures:?}");
    let failed = plan(
        "SELECT count(*) FROM series WHERE run = 1 AND finished
         AND (median IS NULL OR NOT (verified OR role = 'bound'))",
    );
    assert!(failed[0].contains("INDEX series_without_figure"), "{failed:?}");
}

/// Text that is not UTF-8, as a damaged page may hold.
const NO_TEXT: &str = "CAST(x'ff' AS TEXT)";

#[test]
fn unreadable_rows_hide_only_their_run() {
    let change = |sql: &str| {
        let (_folder, mut store) = store();
        store.add_documents([&measured("good", "2026-11-20T09:00:00Z", "A CPU")]).unwrap();
        store.add_documents([&measured("bad", "2026-11-21T09:00:00Z", "Another CPU")]).unwrap();
        store.connection.execute_batch(sql).unwrap();
        let ids = |runs: Vec<RunSummary>| runs.into_iter().map(|run| run.id).collect::<Vec<_>>();
        assert_eq!(ids(store.runs().unwrap()), ["good"], "{sql}");
        let known = store.known().unwrap();
        assert_eq!(known.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["good"], "{sql}");
        let figures = store.figures(&RankingQuestion::new(Algorithm::Aes128Gcm), None).unwrap();
        assert!(figures.iter().any(|figure| known.place(figure) == Some(0)), "{sql}");
        assert_eq!(store.find("good").unwrap(), "good");
        let unread = store.unread();
        assert!(
            unread.len() == 1 && unread.values().all(|why| why.contains("kasoku runs delete")),
            "{sql}: {unread:?}"
        );
        unread.into_keys().next().unwrap()
    };
    for column in ["started", "kasoku"] {
        assert_eq!(change(&format!("UPDATE run SET {column} = {NO_TEXT} WHERE id = 'bad'")), "bad");
    }
    assert_eq!(change("UPDATE run SET origin = '{' WHERE id = 'bad'"), "bad");
    assert_eq!(change(&format!("UPDATE device SET cpu = {NO_TEXT} WHERE cpu = 'Another CPU'")), "bad");
    assert_eq!(change(&format!("UPDATE run SET id = {NO_TEXT} WHERE id = 'bad'")), "\u{fffd}");
}
