//! A synthetic run on a machine with AES, carry-less multiply and SHA instructions, which tests can change.

#![allow(dead_code)] // each test binary uses its part

pub(crate) mod files;
pub(crate) mod jvm;
pub(crate) mod packets;
pub(crate) mod quoted;
pub(crate) mod tls;
pub(crate) mod transfer;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::algorithm::{AlgorithmKind, Instructions};
use kasoku_model::document::{Document, Machine, Method, Omission, Outcome, Run, SCHEMA, Sample, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::{Operation, Workload};

/// Message sizes of the default run, in bytes.
pub(crate) const SIZES: [usize; 7] = [16, 64, 256, 1024, 1350, 8192, 16_384];

/// A name that tries to escape from a page, a table, a terminal and a spreadsheet.
pub(crate) const HOSTILE: &str =
    "=cmd()|</script><img src=https://evil.example/x onerror=alert(1)>\u{1b}[31m\u{9b}2J\u{202e}$x$`";

const PROCESSES: u32 = 3;
const ROUNDS: u32 = 30;

pub(crate) fn document() -> Document {
    let mut series = Vec::new();
    for &algorithm in Algorithm::ALL {
        for &operation in Operation::of(algorithm.kind()) {
            if algorithm.kind() == AlgorithmKind::Aead && operation == Operation::Open {
                continue;
            }
            for (library, factor, states, has) in LIBRARIES {
                if !has(algorithm) || (operation == Operation::Decrypt && *library != "openssl") {
                    continue;
                }
                for &state in *states {
                    let sizes: &[usize] = if algorithm.kind().is_bulk() { &SIZES } else { &[0] };
                    for &bytes in sizes {
                        let rate = rate(algorithm, operation, state, bytes) * factor(algorithm);
                        series.push(one(library, state, Workload::new(operation, algorithm, bytes), rate));
                    }
                }
            }
        }
    }
    let mut document = Document { schema: SCHEMA, run: run(), machine: machine(), series };
    for series in &mut document.series {
        if series.library == "unchecked" {
            series.outcome = Outcome::Unverified;
            series.note = Some("nobody checked its output".to_owned());
        }
        if series.library == "ring" && series.algorithm == Algorithm::Aes256Gcm && series.bytes == 8192 {
            fail(series, "the worker ended with signal 4 (SIGILL)");
        }
    }
    document
}

/// Returns a run of `command` with `series`, without notes and omissions.
fn of(command: &str, series: Vec<Series>) -> Document {
    let run = Run { command: command.to_owned(), notes: Vec::new(), omissions: Vec::new(), ..run() };
    Document { schema: SCHEMA, run, machine: machine(), series }
}

/// Returns a run of each level, an interrupted run, and runs of other programs.
pub(crate) fn documents() -> Vec<(&'static str, Document)> {
    let mut interrupted = document();
    interrupted.run.complete = false;
    vec![
        ("primitives", document()),
        ("interrupted", interrupted),
        ("packets", packets::document()),
        ("transfers", transfer::document()),
        ("files", files::document()),
        ("jvm", jvm::document(0.5)),
        ("tls", tls::document()),
        ("openssls", tls::openssls()),
        ("published", quoted::published()),
        ("transcript", quoted::transcript()),
    ]
}

/// Returns [`document`] with hostile text in every name, and with a hostile library that is the fastest.
pub(crate) fn hostile() -> Document {
    let mut document = document();
    for bytes in SIZES {
        let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, bytes);
        let mut series = one("openssl", Acceleration::On, workload, 2e10);
        for name in [&mut series.library, &mut series.library_version, &mut series.code_path] {
            HOSTILE.clone_into(name);
        }
        series.note = Some(HOSTILE.to_owned());
        document.series.push(series);
    }
    let mut failed = one(HOSTILE, Acceleration::Off, Workload::new(Operation::Hash, Algorithm::Sha256, 16), 1e9);
    fail(&mut failed, HOSTILE);
    document.series.push(failed);
    let Document { machine, run, .. } = &mut document;
    for name in [&mut machine.cpu, &mut machine.kernel, &mut run.id, &mut run.started, &mut run.command] {
        HOSTILE.clone_into(name);
    }
    let method = &mut run.method;
    for name in [&mut machine.hypervisor, &mut machine.os, &mut method.core_clock, &mut method.noise_floor_library] {
        *name = Some(HOSTILE.to_owned());
    }
    document.machine.features.push(HOSTILE.to_owned());
    document.machine.microarchitecture = Some(format!("x ({HOSTILE})"));
    document.run.notes.push(HOSTILE.to_owned());
    document.run.omissions.push(Omission {
        level: Level::Primitives,
        library: HOSTILE.to_owned(),
        algorithm: Some(HOSTILE.to_owned()),
        why: HOSTILE.to_owned(),
        install: Some(HOSTILE.to_owned()),
        ..Omission::default()
    });
    document
}

pub(crate) fn set(document: &mut Document, is_meant: impl Fn(&Series) -> bool, rate: f64) {
    for series in document.series.iter_mut().filter(|series| is_meant(series)) {
        let (outcome, note) = (series.outcome.clone(), series.note.clone());
        *series = one(&series.library.clone(), series.acceleration, series.workload(), rate);
        series.outcome = outcome;
        series.note = note;
    }
}

pub(crate) fn is_openssl(algorithm: Algorithm, state: Acceleration) -> impl Fn(&Series) -> bool {
    move |series| series.library == "openssl" && series.algorithm == algorithm && series.acceleration == state
}

pub(crate) fn fail(series: &mut Series, note: &str) {
    series.samples.clear();
    series.median = None;
    series.ci95 = None;
    series.cycles_per_byte = None;
    series.outcome = Outcome::Failed(note.to_owned());
    series.note = Some(note.to_owned());
}

type Library = (&'static str, fn(Algorithm) -> f64, &'static [Acceleration], fn(Algorithm) -> bool);

const BOTH: &[Acceleration] = &[Acceleration::On, Acceleration::Off];
const ON: &[Acceleration] = &[Acceleration::On];

const LIBRARIES: &[Library] = &[
    ("openssl", |_| 1.0, BOTH, |_| true),
    ("aws-lc", |a| if a == Aes128Gcm { 1.31 } else { 0.97 }, BOTH, is_in_aws_lc),
    (
        "ring",
        |_| 0.93,
        ON,
        |a| matches!(a, Aes128Gcm | Aes256Gcm | ChaCha20Poly1305 | Sha256 | Sha512 | Ed25519 | X25519),
    ),
    ("rustcrypto", |_| 0.41, ON, |a| !matches!(a, X448 | Ed448)),
    ("graviola", |_| 1.004, ON, |a| matches!(a, Aes128Gcm | Aes256Gcm | ChaCha20Poly1305 | Sha256)),
    ("unchecked", |_| 1.08, ON, |a| a.kind() == AlgorithmKind::Hash),
];

fn is_in_aws_lc(algorithm: Algorithm) -> bool {
    !matches!(algorithm.kind(), AlgorithmKind::Cipher | AlgorithmKind::Suite | AlgorithmKind::CipherSuite)
        && !matches!(algorithm, Aes128Ocb | X448 | Ed448 | Blake2s256)
}

fn place(algorithm: Algorithm) -> usize {
    Algorithm::ALL.iter().position(|other| *other == algorithm).unwrap_or(0)
}

fn rate(algorithm: Algorithm, operation: Operation, state: Acceleration, bytes: usize) -> f64 {
    if !algorithm.kind().is_bulk() {
        let verifying = if operation == Operation::Verify { 0.38 } else { 1.0 };
        return verifying * 4_000.0 * (3.0 + (place(algorithm) % 7) as f64 * 2.2);
    }
    let is_on = state == Acceleration::On;
    let long = match (algorithm, is_on) {
        (DesEde3Cbc, _) => 29e6,
        (BlowfishCbc, _) => 118e6,
        (Aes128Cbc, true) => 1.62e9,
        (Aes256Cbc, true) => 1.21e9,
        (Aes128Cbc, false) => 241e6,
        (Aes256Cbc, false) => 176e6,
        (Aes128Gcm, true) => 9.4e9,
        (Aes256Gcm, true) => 8.1e9,
        (Aes128Gcm, false) => 402e6,
        (Aes256Gcm, false) => 309e6,
        (ChaCha20Poly1305, _) => 2.61e9,
        // This CPU has no instructions for SHA-512.
        (Sha512, _) => 742e6,
        _ => match (algorithm.instructions(), is_on) {
            (Instructions::Aes, true) => 2.4e9,
            (Instructions::Aes, false) => 330e6,
            (Instructions::Sha, true) => 1.9e9,
            (Instructions::Sha, false) => 0.48e9,
            (Instructions::None, _) => 0.3e9 + 0.07e9 * (place(algorithm) % 9) as f64,
        },
    };
    let decrypting = if operation == Operation::Decrypt && is_on && algorithm.instructions() == Instructions::Aes {
        3.7
    } else {
        1.0
    };
    bytes as f64 / (90e-9 + bytes as f64 / (long * decrypting))
}

pub(crate) fn one(library: &str, state: Acceleration, workload: Workload, rate: f64) -> Series {
    let is_bulk = workload.algorithm.kind().is_bulk();
    let per_operation = if is_bulk { workload.bytes as f64 / rate } else { 1.0 / rate };
    // Slices of a round share a common drift, which pairing removes. The remaining noise is small.
    let sample = |round: u32| {
        let drift = 1.0 + 0.02 * wobble(u64::from(round));
        let own = 1.0 + 0.002 * wobble(hash(library, state, workload) ^ u64::from(round) << 20);
        let iterations = (20e6 / (per_operation * 1e9)).max(1.0) as u64;
        let ns = (iterations as f64 * per_operation * 1e9 * drift * own).round() as u64;
        Sample {
            process: round * PROCESSES / ROUNDS,
            round,
            iterations,
            ns,
            cpu_ns: ns,
            dropped: round == 17,
            ..Sample::default()
        }
    };
    let unit = if is_bulk { Unit::BytesPerSecond } else { Unit::OperationsPerSecond };
    let version = if library.starts_with("openssl") { "3.0.19" } else { "1.4.2" }.to_owned();
    Series {
        code_path: code_path(workload.algorithm, state).to_owned(),
        samples: (0..ROUNDS).map(sample).collect(),
        median: Some(rate),
        ci95: Some([rate * 0.996, rate * 1.003]),
        cycles_per_byte: Some(if is_bulk { 3.9e9 / rate } else { 3.9e9 * per_operation }),
        outcome: Outcome::Measured,
        role: Role::of(library),
        ..Series::empty(Level::Primitives, &workload, library, version, state, unit)
    }
}

fn code_path(algorithm: Algorithm, state: Acceleration) -> &'static str {
    match (algorithm.instructions(), state) {
        (Instructions::Aes, Acceleration::On) => "vaes512",
        (Instructions::Aes, _) => "vpaes",
        (Instructions::Sha, Acceleration::On) if algorithm != Algorithm::Sha512 => "sha-ni",
        (Instructions::Sha, _) => "avx2",
        _ => "unknown",
    }
}

fn hash(library: &str, state: Acceleration, workload: Workload) -> u64 {
    let text = format!("{library} {state} {workload} {}", workload.bytes);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn wobble(seed: u64) -> f64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn run() -> Run {
    let omission = |library: &str, algorithm: Option<&str>, why: &str, install: Option<&str>| Omission {
        level: Level::Primitives,
        library: library.to_owned(),
        algorithm: algorithm.map(str::to_owned),
        why: why.to_owned(),
        install: install.map(str::to_owned),
        ..Omission::default()
    };
    Run {
        id: "20261121-091409-5f2c".to_owned(),
        started: "2026-11-21T09:14:09Z".to_owned(),
        kasoku: "0.1.0".to_owned(),
        command: "kasoku run primitives --report kasoku-report.html".to_owned(),
        complete: true,
        seconds: Some(74.0),
        method: Method {
            processes: PROCESSES,
            rounds: ROUNDS,
            slice_ms: 20.0,
            core_clock: Some("a chain of dependent rotates".to_owned()),
            core_hz: Some(3.9e9),
            noise_floor: Some(0.006),
            noise_floor_library: Some("rustcrypto".to_owned()),
            loop_ns: Some(0.53),
            ..Method::default()
        },
        notes: vec!["steal was 1.4 % in rounds 12 to 14".to_owned()],
        omissions: vec![
            omission("ipsec-mb", None, "libIPSec_MB.so was not found", Some("apt-get install libipsec-mb-dev")),
            omission("ring", Some("aes-128-ccm"), "ring has no CCM", None),
            omission("graviola", Some("ed448"), "graviola has no Ed448", None),
        ],
        ..Run::default()
    }
}

fn machine() -> Machine {
    Machine {
        cpu: "Intel(R) Xeon(R) Platinum 8581C CPU @ 2.60GHz".to_owned(),
        arch: "x86_64".to_owned(),
        features: ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "avx2", "avx512f"].map(str::to_owned).into(),
        cores: 2,
        logical_cpus: Some(2),
        kernel: "Linux 6.1.0".to_owned(),
        hypervisor: Some("KVM".to_owned()),
        os: Some("Debian GNU/Linux 12 (bookworm)".to_owned()),
        memory: Some(8 << 30),
        microarchitecture: Some("family 6, model 207, stepping 2".to_owned()),
        ..Machine::default()
    }
}
