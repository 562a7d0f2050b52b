//! Compares the Java worker with the Java Microbenchmark Harness (JMH): each measures the same loop in turn.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{check_status, is_there, output_of};
use crate::{check_agreement, lock_machine};

/// Returns the class path of JMH, if jvm/fetch_jmh.sh fetched it and there is a JDK.
fn jmh() -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/jmh");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut jars: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    jars.retain(|path| path.extension().is_some_and(|extension| extension == "jar"));
    let has_compiler = Command::new("javac").arg("-version").output().is_ok_and(|output| output.status.success());
    let is_complete = is_there(jars.len() == 4 && has_compiler, "JMH in target/jmh (jvm/fetch_jmh.sh), or javac");
    is_complete.then(|| jars.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":"))
}

/// Returns the nanoseconds of the fastest of 500 iterations. An iteration takes 2 ms, so that even on a busy machine
/// some iterations have the core to themselves.
fn measure_with_jmh(class_path: &str, folder: &Path) -> f64 {
    let results = folder.join("jmh.json");
    let output = Command::new("java")
        .args(["-cp", class_path, "org.openjdk.jmh.Main", "-f", "1", "-wi", "3", "-w", "1", "-i", "500", "-r", "2ms"])
        .args(["-foe", "true", "-rf", "json", "-rff"])
        .arg(&results)
        .output()
        .unwrap();
    check_status(&output, 0);
    let results: Value = serde_json::from_slice(&std::fs::read(results).unwrap()).unwrap();
    let iterations = results[0]["primaryMetric"]["rawData"][0].as_array().unwrap();
    iterations.iter().map(|one| one.as_f64().unwrap()).fold(f64::INFINITY, f64::min)
}

/// Returns the nanoseconds of the fastest iteration in Kasoku's worker, measured in parts as long as JMH's iterations.
fn measure_with_worker() -> f64 {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_kasoku"))
        .args(["worker", "sunjce"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = r#"{"operation":"seal","algorithm":"aes-128-gcm","bytes":16384,"iterations":ITERATIONS,"parts":8}"#;
    // The first request finds how many iterations fill 2 ms in each part.
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
fn java_worker_agrees_with_jmh() {
    let _machine = lock_machine();
    let Some(jars) = jmh() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jvm/jmh/Gcm.java");
    output_of(Command::new("javac").args(["-cp", &jars, "-d"]).arg(folder.path()).arg(source), 0);
    let class_path = format!("{jars}:{}", folder.path().display());
    check_agreement(0.05, 5, || {
        vec![[measure_with_worker(), measure_with_jmh(&class_path, folder.path())].map(|ns| 1e9 / ns)]
    });
}
