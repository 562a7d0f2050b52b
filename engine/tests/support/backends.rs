//! Chooses the backends to test, and the number of cases. By default, tests run on all backends that this CPU supports,
//! each with all of its instruction schedules; they fail if the engine does not find a backend that the CPU supports.
//! The environment variable `KASOKU_TEST_BACKENDS` lists the backends to test instead; `KASOKU_TEST_BRIEFLY` asks for
//! fewer cases. (Under an emulator, all cases on all backends would take hours.)

#![allow(dead_code, reason = "each test uses its part")]

use std::collections::HashSet;
use std::sync::OnceLock;

use kasoku_engine::cpu::Found;
use kasoku_engine::{AesGcm, Backend, CodePath};

/// CPU flags from which the tests derive the expected backends. The operating system reports these flags, independently
/// of the engine's own detection.
const EXPECTED: [(Backend, &[&str]); Backend::ALL.len() - 1] = [
    (Backend::Aesni, &["aes", "pclmulqdq", "ssse3", "sse4_1"]),
    (Backend::Vaes256, &["vaes", "vpclmulqdq", "avx2", "bmi2"]),
    (Backend::Vaes512, &["vaes", "vpclmulqdq", "avx512bw"]),
    (Backend::Neon, &["neon"]),
    (Backend::AesPmull, &["aes", "pmull"]),
    (Backend::AesEor3, &["aes", "pmull", "sha3"]),
];

/// Returns every backend that runs on this CPU.
pub(crate) fn available() -> &'static [Backend] {
    static AVAILABLE: OnceLock<Vec<Backend>> = OnceLock::new();
    AVAILABLE.get_or_init(available_backends)
}

/// Returns the requested backends, each with all of its instruction schedules.
pub(crate) fn paths() -> &'static [CodePath] {
    static PATHS: OnceLock<Vec<CodePath>> = OnceLock::new();
    PATHS.get_or_init(|| {
        let mut backends = available().to_vec();
        if let Ok(names) = std::env::var("KASOKU_TEST_BACKENDS") {
            backends = names.split(',').map(|name| name.parse().unwrap()).collect();
            assert!(backends.iter().all(|backend| available().contains(backend)), "not all of {names} run here");
        }
        CodePath::all().filter(|path| backends.contains(&path.backend)).collect()
    })
}

/// Whether to test fewer cases: in unoptimised builds, and under an emulator.
pub(crate) fn is_brief() -> bool {
    cfg!(debug_assertions) || std::env::var_os("KASOKU_TEST_BRIEFLY").is_some()
}

/// Whether only backends in `some` are tested.
pub(crate) fn are_limited_to(some: &[Backend]) -> bool {
    paths().iter().all(|path| some.contains(&path.backend))
}

/// Expands `key` for every code path to test.
pub(crate) fn keys(key: &[u8]) -> Vec<AesGcm> {
    let expand = |&path| {
        let expanded = AesGcm::with_backend(key, path).unwrap();
        assert_eq!(expanded.code_path(), path);
        expanded
    };
    paths().iter().map(expand).collect()
}

fn available_backends() -> Vec<Backend> {
    let found = Found::here().features();
    let available: Vec<Backend> = Backend::ALL.into_iter().filter(|backend| backend.runs_on(found)).collect();
    assert!(available.contains(&Backend::Portable));
    let flags = cpu_flags();
    for (backend, needed) in EXPECTED {
        let is_expected = needed.iter().all(|&flag| flags.contains(flag));
        assert!(
            available.contains(&backend) || !is_expected,
            "{backend} is left out, but the CPU has {needed:?}: it would go untested"
        );
    }
    available
}

/// Returns the CPU's flags by Linux's names; none on other systems. (An emulator shows the flags of its host in
/// /proc/cpuinfo, so the standard library is asked.)
#[cfg(target_arch = "aarch64")]
fn cpu_flags() -> HashSet<String> {
    use std::arch::is_aarch64_feature_detected;

    let flags = [
        ("neon", is_aarch64_feature_detected!("neon")),
        ("aes", is_aarch64_feature_detected!("aes")),
        ("pmull", is_aarch64_feature_detected!("pmull")),
        ("sha3", is_aarch64_feature_detected!("sha3")),
    ];
    flags.into_iter().filter(|(_, is_there)| *is_there).map(|(flag, _)| flag.to_owned()).collect()
}

/// Returns the CPU's flags by Linux's names; none on other systems.
#[cfg(not(target_arch = "aarch64"))]
fn cpu_flags() -> HashSet<String> {
    let Ok(text) = std::fs::read_to_string("/proc/cpuinfo") else { return HashSet::new() };
    let line = text.lines().find_map(|line| line.strip_prefix("flags")).unwrap_or_default();
    line.split_whitespace().map(str::to_owned).collect()
}
