//! No branch and no address depends on keys or plaintexts marked undefined, says valgrind's memcheck.
//!
//! It does not know 256-bit VAES nor AVX-512; the backends that use them are in `single_step.rs`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::process::{Command, Output};

use kasoku_constant_time::call::{Extent, Group};
use kasoku_constant_time::planted::Leak;
use kasoku_engine::Backend;

/// What valgrind exits with if memcheck complained.
const COMPLAINED: i32 = 99;

/// Nothing if valgrind is not here.
fn memcheck(backend: Backend, group: Group) -> Option<Output> {
    let run = Command::new("valgrind")
        .args(["--quiet", "--leak-check=no", "--error-limit=no", &format!("--error-exitcode={COMPLAINED}")])
        .arg(env!("CARGO_BIN_EXE_memchecked"))
        .args([backend.name(), &group.to_string(), &Extent::Full.to_string()])
        .output();
    match run {
        Ok(output) => {
            eprint!("{}", String::from_utf8_lossy(&output.stdout));
            Some(output)
        }
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "valgrind: {error}");
            eprintln!("left out: valgrind: {error}; apt-get install valgrind");
            None
        }
    }
}

fn assert_no_complaint(backend: Backend) {
    let Some(output) = memcheck(backend, Group::Sealing) else { return };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaints:.8000}");
    assert_eq!(complaints, "");
    assert_all_calls_were_made(&output, Group::Sealing);
}

/// Every opening ends in a branch on its verdict, which is made from secrets: one complaint each, and no other.
fn assert_the_verdict_only(backend: Backend) {
    let Some(output) = memcheck(backend, Group::Opening) else { return };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(COMPLAINED), "{complaints:.8000}");
    assert_all_calls_were_made(&output, Group::Opening);
}

fn assert_all_calls_were_made(output: &Output, group: Group) {
    let calls = group.calls(Extent::Full).len();
    let complaints = if group == Group::Opening { calls } else { 0 };
    let told = String::from_utf8_lossy(&output.stdout);
    let expected = format!("{calls} calls, {complaints} complaints, 0 calls not as they should be");
    assert!(told.contains(&expected), "{told}instead of: {expected}");
}

#[test]
fn portable_seals() {
    assert_no_complaint(Backend::Portable);
}

#[test]
fn portable_opens() {
    assert_the_verdict_only(Backend::Portable);
}

#[test]
fn aesni_seals() {
    assert_no_complaint(Backend::Aesni);
}

#[test]
fn aesni_opens() {
    assert_the_verdict_only(Backend::Aesni);
}

#[test]
fn planted_leaks_are_caught() {
    for backend in [Backend::Portable, Backend::Aesni] {
        for (leak, complaint) in [
            (Leak::Lookup, "Use of uninitialised value of size 8"),
            (Leak::Branch, "Conditional jump or move depends on uninitialised value"),
        ] {
            let Some(output) = memcheck(backend, Group::Leaking(leak)) else { return };
            let complaints = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(COMPLAINED), "{complaints}");
            assert!(complaints.contains(complaint) && complaints.contains("planted"), "{complaints}");
        }
    }
}
