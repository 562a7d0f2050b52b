//! Every document that can be comes back as it was stored.

use kasoku_model::document::{Details, Reason, Remark};
use kasoku_model::level::Level;
use proptest::prelude::*;

use super::*;

/// All sums of text, controls and NUL included.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), Just("a\0b".to_string()), Just("\u{1b}[2J\u{202e}".to_string()), Just(String::new())]
}

fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::POSITIVE | prop::num::f64::NEGATIVE | prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL,
        Just(0.0),
        Just(-0.0),
        Just(f64::MAX),
        Just(9_007_199_254_740_993.0),
        (any::<i32>()).prop_map(f64::from),
    ]
}

prop_compose! {
    fn any_sample()(
        process in any::<u32>(), round in any::<u32>(), iterations in any::<u64>(), ns in any::<u64>(),
        cpu_ns in any::<u64>(), [dropped, disturbed] in any::<[bool; 2]>(), core_hz in prop::option::of(figure()),
        sides in prop::option::of(any::<([u64; 9], bool)>()),
    ) -> Sample {
        let side = |[cpu_ns, kernel_ns, waited_ns]: [u64; 3]| Side { cpu_ns, kernel_ns, waited_ns };
        let sides = sides.map(|([a, b, c, d, e, f, packets, calls, lost], disturbed)| Sides {
            sender: side([a, b, c]), receiver: side([d, e, f]), packets, calls, lost, disturbed,
        });
        Sample { process, round, iterations, ns, cpu_ns, dropped, disturbed, core_hz, sides }
    }
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![Just(Outcome::Measured), Just(Outcome::Unverified), text().prop_map(Outcome::Failed)]
}

prop_compose! {
    fn any_series()(
        names in [text(), text(), text()],
        operation in prop::sample::select(Operation::ALL), algorithm in prop::sample::select(Algorithm::ALL),
        acceleration in prop::sample::select(Acceleration::ALL), bytes in any::<usize>(),
        unit in prop::sample::select(
            &[Unit::BytesPerSecond, Unit::OperationsPerSecond, Unit::OperationsPerMinute, Unit::Seconds][..]
        ),
        samples in prop::collection::vec(any_sample(), 0..5),
        median in prop::option::of(figure()), ci95 in prop::option::of([figure(), figure()]),
        cycles_per_byte in prop::option::of(figure()), outcome in any_outcome(),
        role in prop::sample::select(&[Role::Library, Role::OwnClock, Role::Bound, Role::TestDouble][..]),
        note in prop::option::of(text()),
        level in prop::sample::select(Level::ALL), threads in 1..10_u64, flags in prop::option::of(text()),
    ) -> Series {
        let [library, library_version, code_path] = names;
        let details = Details { threads, flags, ..Details::default() };
        Series {
            level, operation, algorithm, bytes, library, library_version, role, acceleration, code_path, unit, samples,
            median, ci95, cycles_per_byte, outcome, note, details,
        }
    }
}

prop_compose! {
    fn any_run()(
        names in [text(), text(), text()], id in text(), complete in any::<bool>(),
        seconds in prop::option::of(figure()),
        counts in any::<[u32; 2]>(), slice_ms in figure(), figures in [(); 3].map(|()| prop::option::of(figure())),
        clock in [prop::option::of(text()), prop::option::of(text())], notes in prop::collection::vec(text(), 0..3),
        level in prop::sample::select(Level::ALL), omission in [text(), text()], state in prop::option::of(prop::sample::select(Acceleration::ALL)),
        more in [prop::option::of(text()), prop::option::of(text())],
    ) -> Run {
        let [started, kasoku, command] = names;
        let [core_clock, noise_floor_library] = clock;
        let [core_hz, noise_floor, loop_ns] = figures;
        let [library, why] = omission;
        let [algorithm, install] = more;
        Run {
            id: format!("r{id}"), started, kasoku, command, complete, seconds,
            method: Method {
                processes: counts[0], rounds: counts[1], slice_ms, core_clock, core_hz, noise_floor,
                noise_floors: noise_floor.map(|floor| (level.to_string(), floor)).into_iter().collect(),
                noise_floor_library,
                loop_ns, limits: Vec::new(), remarks: notes.iter().map(|_| Remark::Steal { percent: 1.5 }).collect(),
            },
            notes,
            libraries: vec![FoundLibrary {
                library: library.clone(), version: why.clone(), acceleration: state, cpu_features: algorithm.clone(),
                loaded_from: install.clone(),
            }],
            origin: install.clone().map(|source| Origin {
                kind: if complete { OriginKind::Transcript } else { OriginKind::Published },
                source,
                address: algorithm.clone(),
                note: None,
            }),
            label: complete.then(|| "before".to_owned()),
            omissions: vec![Omission {
                level, library, acceleration: state, algorithm, why, install, reason: Some(Reason::NoTime)
            }],
        }
    }
}

prop_compose! {
    fn any_machine()(
        names in [text(), text(), text()], features in prop::collection::vec(text(), 0..3), cores in any::<usize>(),
        options in [(); 7].map(|()| prop::option::of(text())), memory in prop::option::of(any::<u64>()),
        boost in prop::option::of(any::<bool>()),
    ) -> Machine {
        let [cpu, arch, kernel] = names;
        let [name, hypervisor, os, governor, microarchitecture, emulated_on, wine] = options;
        Machine {
            name, cpu, arch, features, cores, logical_cpus: memory.map(|_| cores), kernel, hypervisor, os, memory,
            governor, boost, microarchitecture, emulated_on, wine,
        }
    }
}

prop_compose! {
    fn any_document()(
        run in any_run(), machine in any_machine(),
        series in prop::collection::vec(any_series(), 0..4),
    ) -> Document {
        Document { schema: SCHEMA, run, machine, series }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_document_comes_back_to_the_bit(document in any_document()) {
        let (_folder, mut store) = store();
        store.add_document(&document).unwrap();
        let back = store.load(&document.run.id).unwrap();
        prop_assert_eq!(&back, &document);
        // Equal figures may differ in the sign of zero; their shortest decimal forms do not lie.
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), serde_json::to_string(&document).unwrap());
    }
}
