//! A run whose system clock is set back while it measures.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Sandbox, check_status, count_samples, list, wait_until};

/// Compiles a preload library that sets the clock back by an hour once the file of `CLOCK_SET_BACK` exists.
fn compile_shim(sandbox: &Sandbox) -> PathBuf {
    let library = sandbox.path("clock.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/clock.c");
    let mut compile = Command::new("gcc");
    compile.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]).arg(source).arg("-o").arg(&library);
    let output = compile.output().unwrap_or_else(|error| panic!("gcc: {error}"));
    check_status(&output, 0);
    library
}

#[test]
fn run_is_complete_and_unlocked_after_the_clock_was_set_back() {
    let sandbox = Sandbox::new();
    let (shim, set_back) = (compile_shim(&sandbox), sandbox.path("set-back"));
    let run = |json| {
        let what = ["run", "primitives", "--quick", "--libraries", "rustcrypto", "--algorithms", "sha-256,sha-512"];
        let rest = ["--sizes", "64,1024,16384", "--rounds", "30", "--slice", "10", "--json", json];
        let mut command = sandbox.command(&[&what[..], &rest].concat());
        command.env("LD_PRELOAD", &shim).env("CLOCK_SET_BACK", &set_back);
        command
    };
    let mut first = run("first.json").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the first run measures", || count_samples(&sandbox.last_if_any()) > 0);
    std::fs::write(&set_back, "").unwrap();
    assert!(first.try_wait().unwrap().is_none(), "the run ended before the clock was set back");
    assert_eq!(first.wait().unwrap().code(), Some(0));
    std::fs::File::open(sandbox.path("lock")).unwrap().try_lock().expect("a process still holds the lock");
    // By the clock, the second run starts before the first. It must not wait for the first run's lock.
    check_status(&run("second.json").output().unwrap(), 0);

    let [first, second] = ["first.json", "second.json"].map(|json| {
        let written = sandbox.written(json);
        assert_eq!(sandbox.shown(written["run"]["id"].as_str().unwrap()), written);
        assert_eq!(written["run"]["complete"], true);
        assert!(list(&written["series"]).iter().all(|series| series["outcome"] == "measured"));
        written["run"]["started"].as_str().unwrap().to_owned()
    });
    assert!(second < first, "the clock was not set back: {first}, then {second}");
}
