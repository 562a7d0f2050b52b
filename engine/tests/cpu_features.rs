//! Every subset of the CPU's features: supported backends are available, others are rejected, and the preferred backend
//! is predictable.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
}

use std::collections::BTreeMap;

use kasoku_engine::cpu::{self, Feature, FeatureSet, Found};
use kasoku_engine::{AesGcm, Backend, CodePath, Error, Schedule};
use support::backends;

/// Creates a key for each backend on every subset of the CPU's features.
#[test]
fn key_creation_succeeds_only_for_backends_that_the_cpu_supports() {
    for (found, backend) in subsets().flat_map(|found| Backend::ALL.map(|backend| (found, backend))) {
        let features = found.features();
        let is_there = backend.needs().iter().all(|&feature| features.has(feature));
        assert_eq!(backend.runs_on(features), is_there, "{backend} on {features:?}");
        let made = AesGcm::with_features(&[1; 16], backend, found).map(|key| key.backend());
        let expected = if is_there { Ok(backend) } else { Err(Error::BackendUnavailable(backend)) };
        assert_eq!(made, expected, "{features:?}");
    }
}

/// Keys of all three sizes; messages long enough for every loop.
#[test]
fn preferred_backends_seal_identically_on_every_cpu_feature_subset() {
    let mut chosen = BTreeMap::new();
    let sealed: BTreeMap<usize, _> =
        [16, 24, 32].into_iter().map(|bytes| (bytes, seal(&key(bytes, Backend::Portable, Found::here())))).collect();
    for found in subsets() {
        let choice = cpu::preferred(found.features());
        let wider = Backend::ALL.into_iter().filter(|backend| *backend > choice);
        assert!(!wider.into_iter().any(|backend| backend.runs_on(found.features())), "{choice} on {found:?}");
        let times = chosen.entry(choice).or_insert(0);
        // Seals only a few times per choice, because a backend runs the same code for every subset of features.
        if *times < 3 {
            for (&bytes, expected) in &sealed {
                assert_eq!(seal(&key(bytes, choice, found)), *expected, "{choice} on {found:?}");
            }
        }
        *times += 1;
    }
    assert_eq!(chosen.keys().copied().collect::<Vec<_>>(), backends::available(), "{chosen:?}");
}

/// Removes each feature alone. The next narrower backend is then preferred.
#[test]
fn backends_are_unavailable_if_any_needed_feature_is_missing() {
    for &backend in backends::available() {
        for &feature in backend.needs() {
            let found = Found::here().without(feature);
            let refused = AesGcm::with_features(&[1; 32], backend, found).map(|_| ());
            assert_eq!(refused, Err(Error::BackendUnavailable(backend)), "{feature:?}");
            assert!(cpu::preferred(found.features()) < backend);
        }
    }
}

#[test]
fn preferred_backend_of_this_cpu_is_the_widest() {
    let widest = backends::available().iter().max().copied().unwrap();
    assert_eq!(cpu::preferred(Found::here().features()), widest);
    assert_eq!(AesGcm::new(&[1; 16]).unwrap().backend(), widest);
    for &backend in backends::available() {
        assert_eq!(AesGcm::with_backend(&[1; 16], backend).unwrap().backend(), backend);
    }
    let all: FeatureSet = Feature::ALL.into_iter().collect();
    assert_eq!(cpu::preferred(FeatureSet::EMPTY), Backend::Portable);
    let widest_of_all = match std::env::consts::ARCH {
        "x86_64" => Backend::Vaes512,
        "aarch64" => Backend::AesEor3,
        _ => Backend::Portable,
    };
    assert_eq!(cpu::preferred(all), widest_of_all);
}

/// Creates a key for each backend in each instruction schedule (order in which AES and GHASH are interleaved).
#[test]
fn new_keys_reject_instruction_schedules_that_the_backend_lacks() {
    for &backend in backends::available() {
        assert!(backend.schedules().contains(&cpu::preferred_schedule(backend)));
        assert_eq!(CodePath::from(backend).schedule, cpu::preferred_schedule(backend));
        for schedule in Schedule::ALL {
            let path = CodePath { backend, schedule };
            let made = AesGcm::with_backend(&[1; 16], path).map(|key| key.code_path());
            let has = backend.schedules().contains(&schedule);
            assert_eq!(made, if has { Ok(path) } else { Err(Error::ScheduleUnavailable(path)) });
        }
    }
    assert_eq!(Backend::Vaes512.schedules(), Schedule::ALL);
    assert_eq!(CodePath::all().count(), Backend::ALL.len() + 1);
}

#[test]
fn names_of_backends_and_instruction_schedules_parse_as_written() {
    for schedule in Schedule::ALL {
        assert_eq!(schedule.name().parse(), Ok(schedule));
    }
    for name in ["", "Karatsuba", "schoolbook "] {
        assert!(name.parse::<Schedule>().is_err());
    }
    for backend in Backend::ALL {
        assert_eq!(backend.name().parse(), Ok(backend));
        assert_eq!(backend.to_string(), backend.name());
    }
    for name in ["", "AESNI", "vaes", "vaes512 "] {
        assert!(name.parse::<Backend>().is_err());
    }
}

/// Yields the features of this CPU, with every subset of these features removed.
fn subsets() -> impl Iterator<Item = Found> {
    let here = Found::here();
    (0..1_u32 << Feature::ALL.len()).filter_map(move |bits| {
        let missing = Feature::ALL.into_iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
        // Skips subsets that would remove a feature which this CPU does not have.
        let mut missing = missing.map(|(_, feature)| feature);
        missing.try_fold(here, |found, feature| here.features().has(feature).then(|| found.without(feature)))
    })
}

fn key(bytes: usize, backend: Backend, found: Found) -> AesGcm {
    AesGcm::with_features(&vec![7; bytes], backend, found).unwrap()
}

fn seal(key: &AesGcm) -> (Vec<u8>, [u8; 16]) {
    let mut text: Vec<u8> = (0..10_000_u32).map(|at| (at * at / 8) as u8).collect();
    let tag = key.seal(&[5; 12], b"twenty bytes of AAD.", &mut text).unwrap();
    (text, tag)
}
