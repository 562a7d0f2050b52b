//! Every backend does the same instructions at the same addresses whatever the secrets, one instruction at a time.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used)]

use std::fmt::Display;
use std::process::Command;

use kasoku_constant_time::call::{Extent, Group, packets};
use kasoku_constant_time::planted::Leak;
use kasoku_constant_time::secret;
use kasoku_constant_time::trace::{AesWidth, Difference, Pace, Report, compare_runs};
use kasoku_engine::Backend;
use kasoku_engine::cpu::Found;

/// Nothing if this CPU cannot run the backend.
fn compare(backend: Backend, group: Group, extent: Extent, pace: Pace) -> Option<Report> {
    compare_calls(backend, &group, &extent_here(extent), &group.calls(extent_here(extent)), pace)
}

fn compare_packets(backend: Backend, group: packets::Group, extent: Extent) -> Option<Report> {
    compare_calls(backend, &group, &extent_here(extent), &group.calls(extent_here(extent)), Pace::Lines)
}

/// Without optimisation there are many times the instructions, and none that is shipped.
fn extent_here(extent: Extent) -> Extent {
    if cfg!(debug_assertions) { Extent::Sample } else { extent }
}

fn compare_calls(
    backend: Backend,
    group: &impl Display,
    extent: &Extent,
    list: &[impl Display],
    pace: Pace,
) -> Option<Report> {
    if !backend.runs_on(Found::here().features()) {
        eprintln!("{backend} left out: this CPU cannot run it");
        return None;
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_stepped"));
    program.args([backend.name(), &group.to_string(), &extent.to_string()]).env_clear();
    let report = compare_runs(&mut program, pace).unwrap();
    let Report { runs, calls, instructions, stops, .. } = report;
    let differ = report.differences.len();
    eprintln!(
        "{backend}, {group}: {calls} calls, {runs} runs, {instructions} instructions in {stops} stops, {differ} differ"
    );
    for difference in report.differences.iter().filter(|d| d.run == 1) {
        let Difference { call, run, position, first, this } = difference;
        eprintln!("{}, secret {run}: after {position} events {this} instead of {first}", list[*call]);
    }
    assert_eq!((calls, report.fewest_runs), (list.len(), secret::COUNT));
    Some(report)
}

fn assert_constant(backend: Backend, extent: Extent, aes: AesWidth) {
    for group in [Group::Sealing, Group::Opening] {
        let Some(report) = compare(backend, group, extent, Pace::Lines) else { return };
        assert!(report.differences.is_empty(), "{backend}, {group}: {} runs differ", report.differences.len());
        assert_eq!(report.aes, aes, "the instructions of {backend} were not seen");
        // A load or store of nothing there, under a mask that is zero, takes longer than sealing 16 bytes.
        assert_eq!(report.nowhere, 0, "{backend}, {group}: the address of something empty is used");
    }
}

fn assert_packets_constant(backend: Backend, extent: Extent, aes: AesWidth) {
    for group in [packets::Group::Protecting, packets::Group::Unmasking, packets::Group::Unprotecting] {
        let Some(report) = compare_packets(backend, group, extent) else { return };
        assert!(report.differences.is_empty(), "{backend}, {group}: {} runs differ", report.differences.len());
        assert!(report.aes == aes || group == packets::Group::Unmasking, "the instructions of {backend} were not seen");
    }
}

// The two that memcheck does not know are stepped over every length; the portable one takes the most instructions.

#[test]
fn vaes256() {
    assert_constant(Backend::Vaes256, Extent::Most, AesWidth::Ymm);
}

#[test]
fn vaes512() {
    assert_constant(Backend::Vaes512, Extent::Most, AesWidth::Zmm);
}

#[test]
fn portable() {
    assert_constant(Backend::Portable, Extent::Sample, AesWidth::None);
}

#[test]
fn aesni() {
    assert_constant(Backend::Aesni, Extent::Few, AesWidth::Xmm);
}

#[test]
fn vaes256_packets() {
    assert_packets_constant(Backend::Vaes256, Extent::Few, AesWidth::Ymm);
}

#[test]
fn vaes512_packets() {
    assert_packets_constant(Backend::Vaes512, Extent::Few, AesWidth::Zmm);
}

#[test]
fn portable_packets() {
    assert_packets_constant(Backend::Portable, Extent::Sample, AesWidth::None);
}

#[test]
fn aesni_packets() {
    assert_packets_constant(Backend::Aesni, Extent::Sample, AesWidth::Xmm);
}

/// What is executed in straight lines gives the same events as one instruction at a time.
#[test]
fn straight_lines_are_what_single_steps_are() {
    let features = Found::here().features();
    let backend = if Backend::Vaes512.runs_on(features) { Backend::Vaes512 } else { Backend::Aesni };
    let Some(report) = compare(backend, Group::Sealing, Extent::Sample, Pace::Alternating) else { return };
    assert!(report.differences.is_empty(), "{:#?}", report.differences);
    assert!(report.stops > report.instructions / 2, "the single steps were not taken");
}

#[test]
fn planted_leaks_are_caught() {
    for backend in Backend::ALL {
        for (leak, is_seen_at_an_address) in [(Leak::Lookup, true), (Leak::Branch, false)] {
            let group = Group::Leaking(leak);
            let Some(report) = compare(backend, group, Extent::Few, Pace::Lines) else { continue };
            let seen = |difference: &Difference| difference.this.contains("touches") == is_seen_at_an_address;
            assert!(report.differences.iter().any(seen), "{backend}, {leak:?}: {report:?}");
        }
    }
}
