//! Stores that somebody else made: what SQLite would run by itself in them is refused before anything is read.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use support::{Sandbox, error_of};

const DOCUMENT: &str = r#"{"schema": 1, "run": {"id": "r", "complete": true}, "machine": {"cpu": "c"}, "series": [
    {"level": "primitives", "operation": "seal", "algorithm": "aes-128-gcm", "bytes": 16, "library": "openssl",
     "library_version": "3.0.19", "acceleration": "on", "code_path": "aesni", "unit": "bytes/s",
     "samples": [{"process": 0, "round": 0, "iterations": 3, "ns": 5}], "median": 1e6, "ci95": null,
     "cycles_per_byte": 1.5, "verified": true, "note": null}]}"#;

/// A store with one run.
fn stored() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("a.json"), DOCUMENT).unwrap();
    let output = sandbox.kasoku(&["import", "a.json"]);
    assert!(output.status.success(), "{}", error_of(&output));
    sandbox
}

/// Changes the store by SQL, the schema itself too.
fn change(sandbox: &Sandbox, sql: &str) {
    let store = Connection::open(sandbox.path("store.sqlite")).unwrap();
    store.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false).unwrap();
    store.execute_batch(&format!("PRAGMA writable_schema = ON; {sql}; PRAGMA wal_checkpoint(TRUNCATE)")).unwrap();
}

/// The status with which a command ends, if it does, and what it says.
fn ended(sandbox: &Sandbox, arguments: &[&str]) -> (Option<i32>, String) {
    let errors = fs::File::create(sandbox.path("stderr")).unwrap();
    let mut child = sandbox.command(arguments).stdout(Stdio::null()).stderr(errors).spawn().unwrap();
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    (status.code(), fs::read_to_string(sandbox.path("stderr")).unwrap())
}

const ENDLESS: &str = "WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)";

#[test]
fn a_schema_that_is_not_ours_is_refused_before_it_is_run() {
    let columns = "number, 'a' AS id, 1 AS schema, '' AS started, '' AS kasoku, '' AS command, 1 AS complete, \
                   NULL AS seconds, '{}' AS method, '[]' AS notes, '[]' AS libraries, '[]' AS omissions, '{}' AS \
                   machine, 'null' AS origin, 1 AS device, NULL AS os";
    for (sql, named) in [
        (
            format!("ALTER TABLE run RENAME TO old; CREATE VIEW run AS {ENDLESS} SELECT n AS {columns} FROM more"),
            "index \"run_in_order\"",
        ),
        (
            format!(
                "PRAGMA foreign_keys = OFF; DROP TABLE run; CREATE VIEW run AS {ENDLESS} SELECT n AS {columns} FROM \
                 more"
            ),
            "view \"run\"",
        ),
        ("CREATE VIEW more AS SELECT 1".to_owned(), "view \"more\""),
        ("CREATE TABLE more (x)".to_owned(), "table \"more\""),
        ("CREATE TRIGGER more AFTER INSERT ON run BEGIN DELETE FROM sample; END".to_owned(), "trigger \"more\""),
        ("CREATE INDEX more ON run (abs(number))".to_owned(), "index \"more\""),
        ("ALTER TABLE run ADD COLUMN more TEXT AS (upper(command))".to_owned(), "table \"run\""),
        (
            "UPDATE sqlite_schema SET sql = replace(sql, 'id        TEXT', 'id        TEXT CHECK \
             (randomblob(1000000000))') WHERE name = 'run'"
                .to_owned(),
            "table \"run\"",
        ),
        (
            "INSERT INTO sqlite_schema VALUES ('table', 'more', 'more', 0, 'CREATE VIRTUAL TABLE more USING dbstat')"
                .to_owned(),
            "table \"more\"",
        ),
        ("ALTER TABLE run RENAME COLUMN os TO other".to_owned(), "index \"run_in_order\""),
        ("CREATE TABLE \"a\u{1b}[2Jb\" (x)".to_owned(), "table \"a\\u{1b}[2Jb\""),
        ("DROP INDEX run_in_order".to_owned(), "index \"run_in_order\" is missing"),
    ] {
        let sandbox = stored();
        change(&sandbox, &sql);
        let before = fs::read(sandbox.path("store.sqlite")).unwrap();
        let commands =
            [&["runs"][..], &["show"], &["export"], &["report"], &["import", "a.json"], &["rank", "sha-256"]];
        for arguments in commands {
            let (code, told) = ended(&sandbox, arguments);
            assert_eq!(code, Some(2), "{arguments:?}: {sql}: {told}");
            assert!(told.contains(named) && told.contains("move it aside"), "{arguments:?}: {sql}: {told}");
            assert!(!told.contains('\u{1b}'), "{told:?}");
        }
        assert!(fs::read(sandbox.path("store.sqlite")).unwrap() == before, "it was changed: {sql}");
    }
}

#[test]
fn a_run_that_is_larger_than_any_is_refused() {
    for (sql, what) in [
        ("series SET parameters = '{\"a\":\"' || hex(zeroblob(600000)) || '\"}'", "bytes in one place"),
        ("series SET note = hex(zeroblob(40000000))", "bytes of text"),
        ("series SET parameters = '[' || replace(hex(zeroblob(300000)), '0', '{') || ']'", "objects"),
        ("run SET libraries = '[{\"library\":\"s\",\"acceleration\":\"\\u001b[2J\"}]'", "unknown acceleration state"),
        ("run SET notes = '[' || replace(hex(zeroblob(4000)), '0', '\"\",') || '\"\"]'", "8001 notes"),
    ] {
        let sandbox = stored();
        change(&sandbox, &format!("UPDATE {sql}"));
        let output = sandbox.kasoku(&["show"]);
        let told = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{sql}: {told}");
        assert!(told.contains(what) && !told.contains('\u{1b}'), "{sql}: {told:?}");
    }
}

/// Beside a store there may lie anything.
#[cfg(target_os = "linux")]
#[test]
fn pipes_beside_a_store_are_not_waited_for() {
    for suffix in ["-wal", "-shm", "-journal"] {
        let sandbox = stored();
        let pipe = sandbox.path(&format!("store.sqlite{suffix}"));
        _ = fs::remove_file(&pipe);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let (code, told) = ended(&sandbox, &["runs"]);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains(suffix) && told.contains("not a regular file"), "{told}");
    }
}
