//! A C program that uses the provider in every way: by itself, across a fork, under valgrind, with AddressSanitizer.

#![allow(clippy::unwrap_used, reason = "a test")]

mod evp;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Compiles the program, and writes a configuration for it.
fn prepared(folder: &Path, flags: &[&str], settings: &str) -> (PathBuf, PathBuf) {
    let (program, configuration) = (folder.join("every_way"), folder.join("openssl.cnf"));
    std::fs::write(&configuration, evp::configuration(settings)).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/every_way.c");
    let mut compile = Command::new("gcc");
    compile.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-O1"]).args(flags);
    succeeded(compile.arg(source).arg("-o").arg(&program).arg("-l:libcrypto.so.3").output().unwrap());
    (program, configuration)
}

#[track_caller]
fn succeeded(output: Output) -> String {
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {said}", output.status);
    said
}

#[test]
fn by_itself_and_across_a_fork() {
    let folder = tempfile::tempdir().unwrap();
    let counter = folder.path().join("counter");
    let (program, configuration) = prepared(folder.path(), &[], &format!("counter = {}", counter.display()));
    for argument in ["", "fork"] {
        let said =
            succeeded(Command::new(&program).arg(argument).env("OPENSSL_CONF", &configuration).output().unwrap());
        assert!(said.contains("every way is right"), "{said}");
    }
    // Parent and child count into one file: 1,000 records each way of both are in it.
    let numbers = std::fs::read(counter).unwrap();
    let operations = u64::from_ne_bytes(numbers[16..24].try_into().unwrap());
    assert!(operations > 4000, "{operations}");
}

/// Valgrind's CPU has no AVX-512: the backend is another than outside.
#[test]
fn valgrind_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for settings in ["", "backend = portable"] {
        let (program, configuration) = prepared(folder.path(), &[], settings);
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite", "--quiet"]);
        let said = succeeded(valgrind.arg(program).arg("fork").env("OPENSSL_CONF", configuration).output().unwrap());
        assert!(said.contains("every way is right"), "{said}");
    }
}

#[test]
fn address_sanitizer_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // At a fixed address: where the kernel places programs more freely, older sanitizers meet them in their own memory.
    let flags = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-no-pie"];
    let (program, configuration) = prepared(folder.path(), flags, "");
    let mut run = Command::new(program);
    let said = succeeded(run.arg("fork").env("OPENSSL_CONF", configuration).output().unwrap());
    assert!(said.contains("every way is right"), "{said}");
}
