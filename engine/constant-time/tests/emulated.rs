//! Checks with an emulator that AArch64 backends execute the same instructions and addresses for all secrets.
//!
//! The tests are ignored by default; `.ci/aarch64` builds the program and runs them.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used)]

use std::fmt::Display;

use kasoku_constant_time::call::{Extent, Group, packets};
use kasoku_constant_time::planted::Leak;
use kasoku_constant_time::trace::{AesWidth, Difference, Report, compare_emulated_runs};
use kasoku_engine::Backend;

/// Backends for AArch64.
const BACKENDS: [Backend; 4] = [Backend::Portable, Backend::Neon, Backend::AesPmull, Backend::AesEor3];

/// Number of keys and plaintexts: zeros, ones, and a pseudorandom one.
const SECRETS: usize = 3;

/// Name of the environment variable with the path of the program `stepped` for AArch64.
const PROGRAM: &str = "KASOKU_STEPPED";

fn compare(backend: Backend, group: &impl Display, extent: Extent, list: &[impl Display]) -> Report {
    let program = std::env::var_os(PROGRAM).unwrap_or_else(|| panic!("{PROGRAM} names the program for AArch64"));
    let arguments = [backend.name(), &group.to_string(), &extent.to_string(), &SECRETS.to_string()];
    let report = compare_emulated_runs(program, arguments).unwrap();
    let Report { runs, calls, instructions, .. } = report;
    let differ = report.differences.len();
    eprintln!("{backend}, {group}: {calls} calls, {runs} runs, {instructions} instructions, {differ} differ");
    for Difference { call, run, position, first, this } in report.differences.iter().filter(|d| d.run == 1) {
        eprintln!("{}, secret {run}: after {position} events {this} instead of {first}", list[*call]);
    }
    assert_eq!((calls, report.fewest_runs), (list.len(), SECRETS));
    report
}

/// Checks messages and packets, with the extent in `KASOKU_TEST_EXTENT` or otherwise a sample. For backends without AES
/// instructions, the sample is smaller, because they execute a hundred times as many instructions.
fn assert_constant(backend: Backend) {
    let has_aes = matches!(backend, Backend::AesPmull | Backend::AesEor3);
    let sample = if has_aes { Extent::Sample } else { Extent::Pinch };
    let extent = std::env::var("KASOKU_TEST_EXTENT").map_or(sample, |name| name.parse().unwrap());
    let mut seen = AesWidth::None;
    let mut note = |report: Report, group: &dyn Display| {
        assert!(report.differences.is_empty(), "{backend}, {group}: {} runs differ", report.differences.len());
        seen = seen.max(report.aes);
    };
    for group in [Group::Sealing, Group::Opening] {
        note(compare(backend, &group, extent, &group.calls(extent)), &group);
    }
    for group in [packets::Group::Protecting, packets::Group::Unmasking, packets::Group::Unprotecting] {
        note(compare(backend, &group, extent, &group.calls(extent)), &group);
    }
    assert_eq!(seen == AesWidth::Xmm, has_aes, "{backend}: AES instructions of {seen:?}");
}

#[test]
fn emulated_tests_cover_every_aarch64_backend() {
    let of_others = [Backend::Aesni, Backend::Vaes256, Backend::Vaes512];
    assert!(Backend::ALL.iter().all(|backend| BACKENDS.contains(backend) != of_others.contains(backend)));
}

#[test]
#[ignore = "it needs an emulator, and the program for it"]
fn portable_emulated_traces_do_not_depend_on_secrets() {
    assert_constant(Backend::Portable);
}

#[test]
#[ignore = "it needs an emulator, and the program for it"]
fn neon_emulated_traces_do_not_depend_on_secrets() {
    assert_constant(Backend::Neon);
}

#[test]
#[ignore = "it needs an emulator, and the program for it"]
fn aes_pmull_emulated_traces_do_not_depend_on_secrets() {
    assert_constant(Backend::AesPmull);
}

#[test]
#[ignore = "it needs an emulator, and the program for it"]
fn aes_eor3_emulated_traces_do_not_depend_on_secrets() {
    assert_constant(Backend::AesEor3);
}

#[test]
#[ignore = "it needs an emulator, and the program for it"]
fn emulated_traces_detect_planted_leaks() {
    for backend in BACKENDS {
        for (leak, is_seen_at_an_address) in [(Leak::Lookup, true), (Leak::Branch, false)] {
            let group = Group::Leaking(leak);
            let report = compare(backend, &group, Extent::Few, &group.calls(Extent::Few));
            let seen = |difference: &Difference| difference.this.contains("touches") == is_seen_at_an_address;
            assert!(report.differences.iter().any(seen), "{backend}, {leak:?}: {report:?}");
        }
    }
}
