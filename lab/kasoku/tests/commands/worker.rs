//! Workers that users write: the examples in `lab/workers/`, and workers that lie.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Sandbox, has, is_there, list, output_of, series, short, text_of};

/// A program that passes requests on to another worker and changes one thing, named by its first argument.
const LIAR: &str = r#"
import json, subprocess, sys, time
lie = sys.argv[1]
worker = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def flip(answer):
    if answer.get("output"):
        answer["output"] = answer["output"][:-1] + ("1" if answer["output"][-1] == "0" else "0")

for line in sys.stdin:
    request = json.loads(line)
    request = request if isinstance(request, dict) else {}
    iterations, is_open = request.get("iterations"), request.get("operation") == "open"
    if lie == "works once" and isinstance(iterations, int) and iterations > 1:
        line = json.dumps({**request, "iterations": 1}, separators=(",", ":")) + "\n"
    if lie == "ignores parts" and "parts" in request:
        line = json.dumps({**request, "parts": 1}, separators=(",", ":")) + "\n"
    if lie == "never answers" and is_open:
        time.sleep(3600)
    if lie == "answers without end" and is_open:
        while True:
            sys.stdout.write("x" * 65536)
    worker.stdin.write(line)
    worker.stdin.flush()
    answer = json.loads(worker.stdout.readline())
    is_timed = "nanoseconds" in answer
    if lie == "wrong output" or lie == "wrong long output" and request.get("bytes", 0) > 1000:
        flip(answer)
    if lie == "wrong output of 4,096 bytes" and request.get("bytes") == 4096:
        flip(answer)
    if lie == "output changes" and iterations == 1000:
        flip(answer)
    if lie == "half the time" and is_timed:
        answer["nanoseconds"] //= 2
        answer["cpu_nanoseconds"] //= 2
    if lie == "triple time" and is_timed:
        answer["nanoseconds"] *= 3
    if lie == "CPU time of two threads" and is_timed:
        answer["cpu_nanoseconds"] = 2 * answer["nanoseconds"] + 2000000
    if lie == "more operations" and is_timed:
        answer["iterations"] = 2 * iterations + 2
    if lie == "works once" and is_timed:
        answer["iterations"] = iterations
    if lie == "opens forgeries" and "error" in answer and request.get("fixtures", {}).get("tag"):
        answer = {"nanoseconds": 100, "cpu_nanoseconds": 100, "iterations": 1, "output": "00" * 100}
    if lie == "accepts wrong requests" and "error" in answer:
        answer = {}
    if lie == "dies of wrong requests" and "error" in answer:
        sys.exit(1)
    if lie == "another protocol" and "protocol" in answer:
        answer["protocol"] = 2
    if lie == "colours its version" and "version" in answer:
        answer["version"] = "\033[31mred"
    print(json.dumps(answer), flush=True)
    if lie == "chatters":
        print("done", flush=True)
if lie == "stays":
    time.sleep(3600)
"#;

/// Lies, each with the rule that the check has to find broken.
const LIES: [(&str, &str); 17] = [
    ("another protocol", "describes itself"),
    ("colours its version", "describes itself"),
    ("wrong output", "meets published vectors"),
    ("never answers", "meets published vectors"),
    ("answers without end", "meets published vectors"),
    ("chatters", "meets published vectors"),
    ("wrong long output", "agrees with another library"),
    ("output changes", "gives the same output after many operations"),
    ("more operations", "gives the same output after many operations"),
    ("ignores parts", "divides operations into parts"),
    ("half the time", "tells the time that passed"),
    ("triple time", "tells the time that passed"),
    ("works once", "tells the time that passed"),
    ("CPU time of two threads", "agrees with another library"),
    ("accepts wrong requests", "answers wrong requests with an error"),
    ("dies of wrong requests", "answers wrong requests with an error"),
    ("opens forgeries", "refuses forged messages"),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compiles the example in C. Returns `None` without a C compiler, Python or libkasoku.
fn c_worker(sandbox: &Sandbox) -> Option<String> {
    let libraries = Path::new(env!("CARGO_BIN_EXE_kasoku")).parent().unwrap();
    let library = libraries.join("libkasoku.so");
    let is_built = is_there(library.is_file(), &format!("{} (cargo build --release -p kasoku-c)", library.display()));
    if !is_built || !has(&["cc", "python3"]) {
        return None;
    }
    let program = sandbox.path("worker");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    compiler.arg(repository().join("lab/workers/worker.c")).arg("-I").arg(repository().join("c-abi/include"));
    compiler.arg("-L").arg(libraries).args(["-lkasoku", "-Wl,-rpath,$ORIGIN"]);
    output_of(&mut compiler, 0);
    // The name that the loader looks for, which Cargo does not make.
    std::os::unix::fs::symlink(&library, sandbox.path("libkasoku.so.0")).unwrap();
    Some(program.display().to_string())
}

/// Compiles the example in Go, whose compiled standard library later tests use again. Returns `None` without Go.
fn go_worker(sandbox: &Sandbox) -> Option<String> {
    if !cfg!(target_os = "linux") || !has(&["go"]) {
        return None;
    }
    let program = sandbox.path("go-worker");
    let mut compiler = Command::new("go");
    compiler.env("GOCACHE", Path::new(env!("CARGO_BIN_EXE_kasoku")).with_file_name("go-cache"));
    compiler.args(["build", "-o"]).arg(&program).arg(repository().join("lab/workers/worker.go"));
    output_of(&mut compiler, 0);
    Some(program.display().to_string())
}

fn liar(sandbox: &Sandbox, lie: &str, worker: &str) -> String {
    std::fs::write(sandbox.path("liar.py"), LIAR).unwrap();
    format!("python3 liar.py '{lie}' {worker}")
}

/// Checks a worker, which must end with `status`. Returns the rules.
fn check(sandbox: &Sandbox, worker: &str, status: i32) -> Vec<Value> {
    let mut command = sandbox.command(&["libraries", "--format", "json", "--check-worker", worker]);
    let rules: Value = serde_json::from_str(&text_of(&output_of(&mut command, status))).unwrap();
    list(&rules).to_vec()
}

#[test]
fn example_workers_keep_all_rules() {
    let sandbox = Sandbox::new();
    let mut workers: Vec<String> = c_worker(&sandbox).into_iter().chain(go_worker(&sandbox)).collect();
    let python = repository().join("target/python/bin/python");
    if is_there(python.is_file(), "target/python (./test.sh --all)") {
        workers.push(format!("{} {}", python.display(), repository().join("lab/workers/worker.py").display()));
    }
    for worker in workers {
        let rules = check(&sandbox, &worker, 0);
        assert_eq!(rules.len(), 10);
        assert!(rules.iter().all(|rule| rule["outcome"] == "kept"), "{worker}: {rules:#?}");
    }
}

#[test]
fn built_in_workers_pass_the_worker_check() {
    let sandbox = Sandbox::new();
    for library in ["rustcrypto", "ring"] {
        let rules = check(&sandbox, &format!("{} worker {library}", env!("CARGO_BIN_EXE_kasoku")), 0);
        let not_checked: Vec<&Value> = rules.iter().filter(|rule| rule["outcome"] != "kept").collect();
        assert!(not_checked.iter().all(|rule| rule["rule"] == "refuses forged messages"), "{not_checked:#?}");
    }
}

#[test]
fn check_worker_finds_each_lie() {
    let sandbox = Sandbox::new();
    let Some(worker) = c_worker(&sandbox) else { return };
    assert_eq!(check(&sandbox, &liar(&sandbox, "none", &worker), 0).len(), 10);
    for (lie, broken_rule) in LIES.into_iter().chain([("stays", "ends with its input")]) {
        let rules = check(&sandbox, &liar(&sandbox, lie, &worker), 1);
        let broken: Vec<&Value> = rules.iter().filter(|rule| rule["outcome"] == "broken").collect();
        assert!(broken.iter().any(|rule| rule["rule"] == broken_rule), "{lie}: {broken:#?}");
    }
    for nothing in ["/nonexistent", "false", "cat"] {
        let rules = check(&sandbox, nothing, 1);
        assert_eq!(rules[0]["outcome"], "broken", "{nothing}");
    }
}

#[test]
fn foreign_worker_is_measured_beside_libraries() {
    let sandbox = Sandbox::new();
    let Some(worker) = c_worker(&sandbox) else { return };
    let named = format!("mine={worker}");
    let line = short("--libraries rustcrypto,ring --algorithms aes-128-gcm --sizes 64,4096");
    let (screen, document) = sandbox.measure("primitives", &[&line[..], &["--worker", &named]].concat());
    let own = series(&document, "mine");
    assert_eq!(own.len(), 2);
    assert!(own.iter().all(|one| one["outcome"] == "measured"), "{own:#?}");
    assert!(screen.contains("mine") && sandbox.page().contains("mine"), "{screen}");
}

#[test]
fn lying_worker_is_refused_or_its_series_is_not_verified() {
    let sandbox = Sandbox::new();
    let Some(worker) = c_worker(&sandbox) else { return };
    let half = format!("mine={}", liar(&sandbox, "half the time", &worker));
    sandbox.refusal(&["run", "primitives", "--worker", &half], "tells the time that passed");
    let twice = format!("mine={worker}");
    sandbox.refusal(&["run", "primitives", "--worker", &twice, "--worker", &twice], "two workers have this name");
    // No check has texts of this length.
    let wrong = format!("mine={}", liar(&sandbox, "wrong output of 4,096 bytes", &worker));
    let line = "--libraries rustcrypto --algorithms aes-128-gcm --sizes 64,4096 --rounds 3 --slice 1 --worker";
    let arguments: Vec<&str> = line.split(' ').chain([wrong.as_str()]).collect();
    let (_, document) = sandbox.run("primitives", &arguments);
    let outcome = |library: &str, bytes: u64| {
        let one = series(&document, library).into_iter().find(|one| one["bytes"] == bytes).unwrap();
        one["outcome"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!([outcome("mine", 64), outcome("mine", 4096)], ["measured", "unverified"]);
    assert_eq!([outcome("rustcrypto", 64), outcome("rustcrypto", 4096)], ["measured", "measured"]);
}
