//! Which backends are tested: all that run here, each in all of its schedules, and never fewer than the CPU can run.

#![allow(dead_code, reason = "each test uses its part")]

use std::collections::HashSet;
use std::sync::OnceLock;

use kasoku_engine::cpu::Found;
use kasoku_engine::{AesGcm, Backend, CodePath};

/// What the operating system must say of the CPU for a backend to be expected: asked of another witness than the
/// engine.
const EXPECTED: [(Backend, &[&str]); 3] = [
    (Backend::Aesni, &["aes", "pclmulqdq", "ssse3", "sse4_1"]),
    (Backend::Vaes256, &["vaes", "vpclmulqdq", "avx2", "bmi2"]),
    (Backend::Vaes512, &["vaes", "vpclmulqdq", "avx512bw"]),
];

/// Every backend that runs here.
pub(crate) fn available() -> &'static [Backend] {
    static AVAILABLE: OnceLock<Vec<Backend>> = OnceLock::new();
    AVAILABLE.get_or_init(look)
}

/// Each of them in each of its schedules: whichever this CPU would choose, it can execute all.
pub(crate) fn paths() -> &'static [CodePath] {
    static PATHS: OnceLock<Vec<CodePath>> = OnceLock::new();
    PATHS.get_or_init(|| CodePath::all().filter(|path| available().contains(&path.backend)).collect())
}

/// `key` expanded for every one of these.
pub(crate) fn keys(key: &[u8]) -> Vec<AesGcm> {
    let expand = |&path| {
        let expanded = AesGcm::with_backend(key, path).unwrap();
        assert_eq!(expanded.code_path(), path);
        expanded
    };
    paths().iter().map(expand).collect()
}

fn look() -> Vec<Backend> {
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

/// The CPU's flags as Linux names them; none elsewhere.
fn cpu_flags() -> HashSet<String> {
    let Ok(text) = std::fs::read_to_string("/proc/cpuinfo") else { return HashSet::new() };
    let line = text.lines().find_map(|line| line.strip_prefix("flags")).unwrap_or_default();
    line.split_whitespace().map(str::to_owned).collect()
}
