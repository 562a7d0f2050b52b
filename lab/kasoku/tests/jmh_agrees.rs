//! The Java side of the worker against the Java Microbenchmark Harness: the same loop, measured by both in turn.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // all of this file is tests; clippy sees only the functions marked so

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// How far they may differ.
const TOLERANCE: f64 = 0.05;
/// Each measures so often at least…
const MIN: usize = 2;
/// … and, as long as they do not agree, so often at most: others may use this machine.
const MAX: usize = 5;

/// JMH's files, if jvm/fetch_jmh.sh brought them and there is a JDK to run them.
fn harness() -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/jmh");
    let mut jars: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    jars.retain(|path| path.extension().is_some_and(|extension| extension == "jar"));
    let has_compiler = Command::new("javac").arg("-version").output().is_ok_and(|output| output.status.success());
    if jars.len() == 4 && has_compiler {
        return Some(jars.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":"));
    }
    assert!(std::env::var("CI").unwrap_or_default().is_empty(), "no JMH in target/jmh, or no javac: jvm/fetch_jmh.sh");
    eprintln!("not tested: no JMH in target/jmh (jvm/fetch_jmh.sh fetches it), or no javac");
    None
}

/// Nanoseconds of the fastest of 500 iterations under JMH: so short that on a busy machine some have the core to
/// themselves.
fn under_jmh(class_path: &str, folder: &Path) -> f64 {
    let results = folder.join("jmh.json");
    let output = Command::new("java")
        .args(["-cp", class_path, "org.openjdk.jmh.Main", "-f", "1", "-wi", "3", "-w", "1", "-i", "500", "-r", "2ms"])
        .args(["-foe", "true", "-rf", "json", "-rff"])
        .arg(&results)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let results: Value = serde_json::from_slice(&std::fs::read(results).unwrap()).unwrap();
    let iterations = results[0]["primaryMetric"]["rawData"][0].as_array().unwrap();
    iterations.iter().map(|one| one.as_f64().unwrap()).fold(f64::INFINITY, f64::min)
}

/// The same of parts of the same length in our worker.
fn under_the_worker() -> f64 {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_kasoku"))
        .args(["worker", "sunjce"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = r#"{"operation":"seal","algorithm":"aes-128-gcm","bytes":16384,"iterations":ITERATIONS,"parts":8}"#;
    // What fills 2 ms in each part is found out by the first.
    let mut input = worker.stdin.take().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(worker.stdout.take().unwrap()));
    let mut ask = |iterations: u64| {
        let line = line.replace("ITERATIONS", &iterations.to_string()) + "\n";
        std::io::Write::write_all(&mut input, line.as_bytes()).unwrap();
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        answer["nanoseconds"].as_f64().unwrap() / answer["iterations"].as_f64().unwrap()
    };
    let first = ask(800);
    let each = (8.0 * 2e6 / first) as u64;
    let fastest = (0..100).map(|_| ask(each)).fold(first, f64::min);
    drop(input);
    assert!(worker.wait().unwrap().success());
    fastest
}

#[test]
fn the_worker_measures_what_jmh_measures() {
    let Some(jars) = harness() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jvm/jmh/Gcm.java");
    let compiled = Command::new("javac").args(["-cp", &jars, "-d"]).arg(folder.path()).arg(source).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let class_path = format!("{jars}:{}", folder.path().display());
    let (mut theirs, mut ours) = (f64::INFINITY, f64::INFINITY);
    for round in 1..=MAX {
        theirs = theirs.min(under_jmh(&class_path, folder.path()));
        ours = ours.min(under_the_worker());
        if round >= MIN && (ours / theirs - 1.0).abs() <= TOLERANCE {
            eprintln!("JMH {theirs:.0} ns, the worker {ours:.0} ns, after {round} rounds");
            return;
        }
    }
    panic!("JMH measures {theirs:.0} ns, the worker {ours:.0} ns");
}
