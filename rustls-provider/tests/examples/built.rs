//! Finds the built examples.

use std::path::Path;
use std::process::Command;

use crate::support::children;

/// Returns a command that runs the example. Cargo builds it with the tests; if only one test was requested, it is built
/// now.
pub(crate) fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let path = profile.join("examples").join(name);
    if !path.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
        cargo.args(["--features", "quinn", "--example", name]);
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
    }
    children::command(&path)
}
