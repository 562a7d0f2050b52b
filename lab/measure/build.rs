//! Passes on the version of the compiler, with which runs tell the builds of Rust crates apart.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let output = env::var_os("RUSTC").and_then(|rustc| Command::new(rustc).arg("--version").output().ok());
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    println!("cargo::rustc-env=KASOKU_RUSTC={}", version.lines().next().unwrap_or_default());
}
