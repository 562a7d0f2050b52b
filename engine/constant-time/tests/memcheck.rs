//! Checks with valgrind's memcheck that no branch or address depends on keys or plaintexts.
//!
//! Memcheck supports neither 256-bit VAES nor AVX-512; `single_step.rs` checks the backends that use these
//! instructions.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fmt::Display;
use std::process::{Command, Output};

use kasoku_constant_time::call::{Extent, Group, packets};
use kasoku_constant_time::fixture::packets::PacketFixture;
use kasoku_constant_time::fixture::{CallFixture, MessageFixture};
use kasoku_constant_time::planted::Leak;
use kasoku_engine::Backend;
use kasoku_engine::cpu::Found;

/// Exit status of valgrind if memcheck reports errors.
const COMPLAINED: i32 = 99;

/// Runs memcheck. Returns `None` if valgrind is missing or this CPU cannot run the backend.
fn memcheck(backend: Backend, group: &impl Display) -> Option<Output> {
    if !backend.runs_on(Found::here().features()) {
        eprintln!("{backend} left out: this CPU cannot run it");
        return None;
    }
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
            assert!(std::env::var("CI").unwrap_or_default().is_empty(), "valgrind: {error}");
            eprintln!("left out: valgrind: {error}; apt-get install valgrind");
            None
        }
    }
}

/// Checks that memcheck reports nothing except the branch on each tag's validity.
fn assert_the_verdicts_only<D: CallFixture>(backend: Backend, group: &impl Display, calls: &[D::Call]) {
    let Some(output) = memcheck(backend, group) else { return };
    let complaints = String::from_utf8_lossy(&output.stderr);
    let verdicts: usize = calls.iter().map(D::verdicts).sum();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let expected = format!("{} calls, {verdicts} complaints, 0 calls not as they should be", calls.len());
    assert!(stdout.contains(&expected), "{stdout}instead of: {expected}\n{complaints:.8000}");
    if verdicts == 0 {
        assert_eq!((output.status.code(), &*complaints), (Some(0), ""));
    } else {
        assert_eq!(output.status.code(), Some(COMPLAINED), "{complaints:.8000}");
    }
}

fn assert_messages(backend: Backend, group: Group) {
    assert_the_verdicts_only::<MessageFixture>(backend, &group, &group.calls(Extent::Full));
}

fn assert_packets(backend: Backend, group: packets::Group) {
    assert_the_verdicts_only::<PacketFixture>(backend, &group, &group.calls(Extent::Full));
}

#[test]
fn portable_sealing_has_no_memcheck_errors() {
    assert_messages(Backend::Portable, Group::Sealing);
}

#[test]
fn portable_opening_has_memcheck_errors_only_where_tags_are_compared() {
    assert_messages(Backend::Portable, Group::Opening);
}

#[test]
fn aesni_sealing_has_no_memcheck_errors() {
    assert_messages(Backend::Aesni, Group::Sealing);
}

#[test]
fn aesni_opening_has_memcheck_errors_only_where_tags_are_compared() {
    assert_messages(Backend::Aesni, Group::Opening);
}

#[test]
fn portable_packets_have_memcheck_errors_only_where_tags_are_compared() {
    for group in [packets::Group::Protecting, packets::Group::Unmasking, packets::Group::Unprotecting] {
        assert_packets(Backend::Portable, group);
    }
}

#[test]
fn aesni_packets_have_memcheck_errors_only_where_tags_are_compared() {
    for group in [packets::Group::Protecting, packets::Group::Unmasking, packets::Group::Unprotecting] {
        assert_packets(Backend::Aesni, group);
    }
}

#[test]
fn memcheck_reports_planted_leaks() {
    for backend in [Backend::Portable, Backend::Aesni] {
        for (leak, complaint) in [
            (Leak::Lookup, "Use of uninitialised value of size 8"),
            (Leak::Branch, "Conditional jump or move depends on uninitialised value"),
        ] {
            let Some(output) = memcheck(backend, &Group::Leaking(leak)) else { continue };
            let complaints = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(COMPLAINED), "{complaints}");
            assert!(complaints.contains(complaint) && complaints.contains("planted"), "{complaints}");
        }
    }
}
