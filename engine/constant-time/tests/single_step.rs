//! Checks by single-stepping that every backend executes the same instructions and addresses for all secrets.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used)]

use std::fmt::Display;
use std::process::Command;

use kasoku_constant_time::call::{Extent, Group, packets};
use kasoku_constant_time::planted::Leak;
use kasoku_constant_time::secret;
use kasoku_constant_time::trace::{AesWidth, Difference, Pace, Report, compare_runs};
use kasoku_engine::cpu::{Feature, FeatureSet, Found};
use kasoku_engine::{Backend, CodePath, Schedule};

/// Compares the traces of all calls. Returns `None` if this CPU cannot run the backend.
fn compare(path: impl Into<CodePath>, group: Group, extent: Extent, pace: Pace) -> Option<Report> {
    compare_calls(path.into(), &group, &extent_here(extent), &group.calls(extent_here(extent)), pace)
}

fn compare_packets(path: impl Into<CodePath>, group: packets::Group, extent: Extent) -> Option<Report> {
    compare_calls(path.into(), &group, &extent_here(extent), &group.calls(extent_here(extent)), Pace::StraightLines)
}

/// Returns `extent`, or a sample in debug builds, since these execute many times more instructions.
fn extent_here(extent: Extent) -> Extent {
    if cfg!(debug_assertions) { Extent::Sample } else { extent }
}

fn compare_calls(
    path: CodePath,
    group: &impl Display,
    extent: &Extent,
    list: &[impl Display],
    pace: Pace,
) -> Option<Report> {
    if !path.backend.runs_on(Found::here().features()) {
        eprintln!("{path} left out: this CPU cannot run it");
        return None;
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_stepped"));
    program.args([&path.to_string(), &group.to_string(), &extent.to_string()]).env_clear();
    let report = compare_runs(&mut program, pace).unwrap();
    let Report { runs, calls, instructions, stops, .. } = report;
    let differ = report.differences.len();
    eprintln!(
        "{path}, {group}: {calls} calls, {runs} runs, {instructions} instructions in {stops} stops, {differ} differ"
    );
    for difference in report.differences.iter().filter(|d| d.run == 1) {
        let Difference { call, run, position, first, this } = difference;
        eprintln!("{}, secret {run}: after {position} events {this} instead of {first}", list[*call]);
    }
    assert_eq!((calls, report.fewest_runs), (list.len(), secret::COUNT));
    Some(report)
}

fn assert_constant(path: impl Into<CodePath>, extent: Extent, aes: AesWidth) {
    let path = path.into();
    for group in [Group::Sealing, Group::Opening] {
        let Some(report) = compare(path, group, extent, Pace::StraightLines) else { return };
        assert!(report.differences.is_empty(), "{path}, {group}: {} runs differ", report.differences.len());
        assert_eq!(report.aes, aes, "the instructions of {path} were not seen");
        // A masked access to an unmapped page is slow even if its mask is zero.
        assert_eq!(report.unmapped, 0, "{path}, {group}: the address of something empty is used");
    }
}

fn assert_packets_constant(path: impl Into<CodePath>, extent: Extent, aes: AesWidth) {
    let path = path.into();
    for group in [packets::Group::Protecting, packets::Group::Unmasking, packets::Group::Unprotecting] {
        let Some(report) = compare_packets(path, group, extent) else { return };
        assert!(report.differences.is_empty(), "{path}, {group}: {} runs differ", report.differences.len());
        assert!(report.aes == aes || group == packets::Group::Unmasking, "the instructions of {path} were not seen");
    }
}

fn vaes512(schedule: Schedule) -> CodePath {
    CodePath { backend: Backend::Vaes512, schedule }
}

#[test]
fn single_step_tests_cover_every_x86_64_code_path() {
    let every: FeatureSet = Feature::ALL.into_iter().collect();
    let paths = CodePath::all().filter(|path| path.backend.runs_on(every));
    let paths: Vec<String> = paths.map(|path| path.to_string()).collect();
    assert_eq!(paths, ["portable", "aesni", "vaes256", "vaes512/karatsuba", "vaes512/schoolbook"]);
}

// These tests single-step backends that memcheck does not support, for every length. The portable backend has the most
// instructions.

#[test]
fn vaes256_message_traces_do_not_depend_on_secrets() {
    assert_constant(Backend::Vaes256, Extent::Most, AesWidth::Ymm);
}

#[test]
fn vaes512_karatsuba_message_traces_do_not_depend_on_secrets() {
    assert_constant(vaes512(Schedule::Karatsuba), Extent::Most, AesWidth::Zmm);
}

#[test]
fn vaes512_schoolbook_message_traces_do_not_depend_on_secrets() {
    assert_constant(vaes512(Schedule::Schoolbook), Extent::Most, AesWidth::Zmm);
}

#[test]
fn portable_message_traces_do_not_depend_on_secrets() {
    assert_constant(Backend::Portable, Extent::Sample, AesWidth::None);
}

#[test]
fn aesni_message_traces_do_not_depend_on_secrets() {
    assert_constant(Backend::Aesni, Extent::Few, AesWidth::Xmm);
}

#[test]
fn vaes256_packet_traces_do_not_depend_on_secrets() {
    assert_packets_constant(Backend::Vaes256, Extent::Few, AesWidth::Ymm);
}

#[test]
fn vaes512_karatsuba_packet_traces_do_not_depend_on_secrets() {
    assert_packets_constant(vaes512(Schedule::Karatsuba), Extent::Few, AesWidth::Zmm);
}

#[test]
fn vaes512_schoolbook_packet_traces_do_not_depend_on_secrets() {
    assert_packets_constant(vaes512(Schedule::Schoolbook), Extent::Few, AesWidth::Zmm);
}

#[test]
fn portable_packet_traces_do_not_depend_on_secrets() {
    assert_packets_constant(Backend::Portable, Extent::Sample, AesWidth::None);
}

#[test]
fn aesni_packet_traces_do_not_depend_on_secrets() {
    assert_packets_constant(Backend::Aesni, Extent::Sample, AesWidth::Xmm);
}

#[test]
fn straight_line_code_gives_same_trace_as_single_steps() {
    let features = Found::here().features();
    let backend = if Backend::Vaes512.runs_on(features) { Backend::Vaes512 } else { Backend::Aesni };
    let Some(report) = compare(backend, Group::Sealing, Extent::Sample, Pace::Alternating) else { return };
    assert!(report.differences.is_empty(), "{:#?}", report.differences);
    assert!(report.stops > report.instructions / 2, "the single steps were not taken");
}

#[test]
fn single_stepping_detects_planted_leaks() {
    for backend in Backend::ALL {
        for (leak, is_seen_at_an_address) in [(Leak::Lookup, true), (Leak::Branch, false)] {
            let group = Group::Leaking(leak);
            let Some(report) = compare(backend, group, Extent::Few, Pace::StraightLines) else { continue };
            let seen = |difference: &Difference| difference.this.contains("touches") == is_seen_at_an_address;
            assert!(report.differences.iter().any(seen), "{backend}, {leak:?}: {report:?}");
        }
    }
}
