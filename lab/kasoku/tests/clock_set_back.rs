//! The system's clock is set back while a run measures: the run is stored and shown, and the lock is free again.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use support::{Sandbox, error_of, wait_until};

/// A library that sets the clock back by an hour once a file is there.
fn shim(sandbox: &Sandbox) -> PathBuf {
    let library = sandbox.path("clock.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/clock.c");
    let mut compile = Command::new("gcc");
    compile.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]).arg(source).arg("-o").arg(&library);
    let output = compile.output().unwrap_or_else(|error| panic!("gcc: {error}"));
    assert!(output.status.success(), "{}", error_of(&output));
    library
}

/// How many samples the store has by now.
fn samples(sandbox: &Sandbox) -> i64 {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY; // it is not there at first, and not made here
    let Ok(store) = Connection::open_with_flags(sandbox.path("store.sqlite"), flags) else { return 0 };
    store.query_row("SELECT count(*) FROM sample", [], |row| row.get(0)).unwrap_or(0)
}

#[test]
fn a_clock_that_is_set_back_costs_a_run_nothing() {
    let sandbox = Sandbox::new();
    let (shim, set_back) = (shim(&sandbox), sandbox.path("set-back"));
    let run = |json| {
        let what = ["run", "primitives", "--quick", "--libraries", "rustcrypto", "--algorithms", "sha-256,sha-512"];
        let rest = ["--sizes", "64,1024,16384", "--rounds", "30", "--slice", "10", "--json", json];
        let mut command = sandbox.command(&[&what[..], &rest].concat());
        command.env("LD_PRELOAD", &shim).env("CLOCK_SET_BACK", &set_back);
        command
    };
    let mut first = run("first.json").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("it measures", || samples(&sandbox) > 0);
    std::fs::write(&set_back, "").unwrap();
    assert!(first.try_wait().unwrap().is_none(), "it was over before the clock was set back");
    assert_eq!(first.wait().unwrap().code(), Some(0));
    std::fs::File::open(sandbox.path("lock")).unwrap().try_lock().expect("nobody has the lock any more");
    // Nobody is waited for: by the clock it begins before the other one did.
    let second = run("second.json").output().unwrap();
    assert_eq!(second.status.code(), Some(0), "{}", error_of(&second));

    let [first, second] = ["first.json", "second.json"].map(|json| {
        let written = sandbox.written(json);
        let shown = sandbox.kasoku(&["show", written["run"]["id"].as_str().unwrap(), "--format", "json"]);
        assert_eq!(
            serde_json::from_slice::<Value>(&shown.stdout).unwrap(),
            written,
            "what is stored is what was written"
        );
        assert_eq!(written["run"]["complete"], true);
        assert!(written["series"].as_array().unwrap().iter().all(|series| series["outcome"] == "measured"));
        written["run"]["started"].as_str().unwrap().to_owned()
    });
    assert!(second < first, "the clock was not set back: {first}, then {second}");
}
