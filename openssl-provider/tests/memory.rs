//! Runs a C program that uses the provider in every way: alone, across a fork, under valgrind, and with
//! AddressSanitizer.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod evp;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Compiles the program and writes its configuration.
fn prepare(folder: &Path, flags: &[&str], settings: &str) -> (PathBuf, PathBuf) {
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
    let printed = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {printed}", output.status);
    printed
}

#[test]
fn counter_includes_operations_of_a_program_and_its_forked_child() {
    let folder = tempfile::tempdir().unwrap();
    let counter = folder.path().join("counter");
    let (program, configuration) = prepare(folder.path(), &[], &format!("counter = {}", counter.display()));
    for argument in ["", "fork"] {
        let printed =
            succeeded(Command::new(&program).arg(argument).env("OPENSSL_CONF", &configuration).output().unwrap());
        assert!(printed.contains("every way is right"), "{printed}");
    }
    // Parent and child count in one file. Each processes 1,000 records in each direction.
    let numbers = std::fs::read(counter).unwrap();
    let operations = u64::from_ne_bytes(numbers[16..24].try_into().unwrap());
    assert!(operations > 4000, "{operations}");
}

/// Valgrind's CPU has no AVX-512, so that the provider chooses another backend there.
#[test]
fn provider_program_passes_valgrind() {
    let folder = tempfile::tempdir().unwrap();
    for settings in ["", "backend = portable"] {
        let (program, configuration) = prepare(folder.path(), &[], settings);
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite", "--quiet"]);
        let printed = succeeded(valgrind.arg(program).arg("fork").env("OPENSSL_CONF", configuration).output().unwrap());
        assert!(printed.contains("every way is right"), "{printed}");
    }
}

#[test]
fn provider_program_passes_address_sanitizer() {
    let folder = tempfile::tempdir().unwrap();
    // At a fixed address, because older versions of AddressSanitizer collide with programs that the kernel places
    // randomly.
    let flags = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-no-pie"];
    let (program, configuration) = prepare(folder.path(), flags, "");
    let mut run = Command::new(program);
    let printed = succeeded(run.arg("fork").env("OPENSSL_CONF", configuration).output().unwrap());
    assert!(printed.contains("every way is right"), "{printed}");
}
