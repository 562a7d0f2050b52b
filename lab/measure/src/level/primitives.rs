//! The level `primitives`: ciphers, AEADs, hashes, key agreements and signatures, in memory.
//!
//! What is measured by default is a written matrix: docs/MATRIX.md, and `kasoku run --list`.

use std::time::Duration;

use super::candidates;
use super::wish::{Pace, Wish};
use crate::plan::{Item, Plan};
use crate::probe::ProbeName;
use kasoku_libraries::{self as stack, Entry};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Kind};
use kasoku_model::document::Omission;
use kasoku_model::workload::{NonceForm, Operation, Workload};

/// The level's name.
pub const NAME: &str = "primitives";

const SIZES: [usize; 7] = [16, 64, 256, 1024, 1350, 8192, 16384];
const QUICK_SIZES: [usize; 5] = [16, 256, 1350, 8192, 16384];
const PUBLISHED_SIZES: [usize; 6] = [16, 64, 256, 1024, 8192, 16384];

/// What the two published measurements have between them.
const PUBLISHED: [Algorithm; 17] = [
    Algorithm::DesEde3Cbc,
    Algorithm::BlowfishCbc,
    Algorithm::Camellia256Cbc,
    Algorithm::Aes128Cbc,
    Algorithm::Aes256Cbc,
    Algorithm::Aes128Gcm,
    Algorithm::Aes256Gcm,
    Algorithm::ChaCha20Poly1305,
    Algorithm::Sha1,
    Algorithm::Sha256,
    Algorithm::Sha512,
    Algorithm::Blake2s256,
    Algorithm::Blake2b512,
    Algorithm::X25519,
    Algorithm::X448,
    Algorithm::Ed25519,
    Algorithm::Ed448,
];

/// Where `openssl speed` checks our clock.
const CROSS_CHECKED: Workload = Workload {
    operation: Operation::Encrypt,
    algorithm: Algorithm::Aes256Cbc,
    bytes: 8192,
    nonces: NonceForm::Ahead,
    keys: 1,
    packets: None,
    files: None,
    served: None,
    transfer: None,
};
/// The size of the points on all cores.
const ALL_CORES_BYTES: usize = 16384;

/// The probes to try: every stack in every state that was asked for, and why some states are left out.
pub fn candidates(wish: &Wish) -> (Vec<ProbeName>, Vec<Omission>) {
    let is_in_matrix = |entry: &Entry| match wish.pace {
        Pace::AsPublished => entry.name.starts_with("openssl"),
        _ => !entry.is_test,
    };
    candidates::candidates(NAME, wish, is_in_matrix, |entry| states(wish, entry))
}

/// The states `entry` is asked for. Those of the engine are its backends, so by default it is measured in each of them.
fn states(wish: &Wish, entry: &Entry) -> Vec<Acceleration> {
    match &wish.acceleration {
        Some(states) => states.clone(),
        None if entry.name == stack::kasoku::ENTRY.name => stack::kasoku::backend_states(),
        None => vec![Acceleration::On, Acceleration::Off],
    }
}

/// The plan for `probes`, all of which are there.
pub fn plan(wish: &Wish, mut probes: Vec<ProbeName>) -> Plan {
    let own_clock: Vec<usize> = indices(&probes, |probe| probe.entry.name == "openssl-speed");
    let ours: Vec<usize> = indices(&probes, |probe| probe.entry.name != "openssl-speed");
    let mut items: Vec<Item> = Vec::new();
    for &algorithm in Algorithm::ALL {
        if wish.algorithms.as_ref().is_some_and(|wanted| !wanted.contains(&algorithm)) {
            continue;
        }
        let tried = |index: &usize| is_in_matrix(wish, &probes[*index], algorithm);
        let tried: Vec<usize> = ours.iter().copied().filter(tried).collect();
        for operation in operations(wish, algorithm) {
            for nonces in nonces(wish, algorithm.kind()) {
                for bytes in sizes(wish, algorithm.kind()) {
                    let workload = Workload::new(operation, algorithm, bytes).with_nonces(nonces);
                    items.push(Item { workload, threads: items_threads(wish), probes: tried.clone() });
                }
            }
        }
    }
    items.extend(on_all_cores(wish, &items));
    items.retain(|item| !item.probes.is_empty());
    items.dedup();
    let cross_checks = cross_checks(wish, own_clock, items.is_empty());
    let twin = add_twin(wish, &mut probes, &mut items);
    let (processes, rounds) = match (wish.rounds, wish.pace) {
        // A thousand series: with more rounds all levels together take over five minutes.
        (None, Pace::Default) => (8, 3),
        _ => wish.starts_and_rounds(),
    };
    Plan {
        level: NAME,
        probes,
        twin,
        items,
        cross_checks,
        cross_checked_processes: if wish.pace == Pace::Quick { 1 } else { 3 },
        processes,
        rounds,
        budget: match wish.pace {
            Pace::Quick => Duration::from_millis(16_500),
            Pace::Default | Pace::AsPublished => Duration::from_secs(58),
        },
        // Thirty slices of 0.1 s are the three seconds that `openssl speed` spends on a size.
        slice: wish.slice.or((wish.pace == Pace::AsPublished).then_some(Duration::from_millis(100))),
        files: None,
        tls: None,
        transfer: None,
    }
}

/// Whether the matrix has `algorithm` on this probe. What the user names is always tried.
fn is_in_matrix(wish: &Wish, probe: &ProbeName, algorithm: Algorithm) -> bool {
    if wish.algorithms.is_some() || probe.entry.is_test {
        return true;
    }
    let kind = algorithm.kind();
    match wish.pace {
        Pace::AsPublished => PUBLISHED.contains(&algorithm),
        Pace::Quick if probe.entry.name == "openssl" => PUBLISHED.contains(&algorithm),
        Pace::Quick => PUBLISHED.contains(&algorithm) && matches!(kind, Kind::Aead | Kind::Hash),
        // Public-key operations use no instruction that is switched; openssl shows it, the others need not again.
        Pace::Default => kind.is_bulk() || probe.acceleration == Acceleration::On || probe.entry.name == "openssl",
    }
}

fn operations(wish: &Wish, algorithm: Algorithm) -> Vec<Operation> {
    let all = Operation::of(algorithm.kind()).iter().copied();
    match &wish.operations {
        Some(wanted) => all.filter(|operation| wanted.contains(operation)).collect(),
        None => all
            .filter(|operation| match operation {
                Operation::Decrypt => {
                    wish.pace == Pace::Default && matches!(algorithm, Algorithm::Aes128Cbc | Algorithm::Aes256Cbc)
                }
                Operation::Open => false,
                _ => true,
            })
            .collect(),
    }
}

fn sizes(wish: &Wish, kind: Kind) -> Vec<usize> {
    if !kind.is_bulk() {
        return vec![0];
    }
    match (&wish.sizes, wish.pace) {
        (Some(sizes), _) => sizes.clone(),
        (None, Pace::Quick) => QUICK_SIZES.to_vec(),
        (None, Pace::Default) => SIZES.to_vec(),
        (None, Pace::AsPublished) => PUBLISHED_SIZES.to_vec(),
    }
}

fn nonces(wish: &Wish, kind: Kind) -> Vec<NonceForm> {
    match &wish.nonces {
        Some(forms) if kind == Kind::Aead => forms.clone(),
        _ => vec![NonceForm::Ahead],
    }
}

/// One point on all cores for each AEAD, in the default matrix.
fn on_all_cores(wish: &Wish, items: &[Item]) -> Vec<Item> {
    let is_default = wish.pace == Pace::Default && wish.threads.is_none() && wish.sizes.is_none() && wish.cores > 1;
    let is_point = |item: &&Item| {
        let Workload { operation, algorithm, bytes, .. } = item.workload;
        operation == Operation::Seal && algorithm.kind() == Kind::Aead && bytes == ALL_CORES_BYTES
    };
    if !is_default {
        return Vec::new();
    }
    items.iter().filter(is_point).map(|item| Item { threads: wish.cores, ..item.clone() }).collect()
}

fn cross_checks(wish: &Wish, probes: Vec<usize>, is_alone: bool) -> Vec<Item> {
    if probes.is_empty() || wish.threads.is_some() {
        return Vec::new();
    }
    let is_named = wish.stacks.as_ref().is_some_and(|names| names.iter().any(|name| name == "openssl-speed"));
    let algorithms: Vec<Algorithm> = match (&wish.algorithms, is_named || wish.pace == Pace::AsPublished) {
        (Some(algorithms), true) => algorithms.clone(),
        (Some(algorithms), false) if !algorithms.contains(&CROSS_CHECKED.algorithm) => return Vec::new(),
        (None, true) if is_alone || wish.pace == Pace::AsPublished => PUBLISHED.to_vec(),
        _ => vec![CROSS_CHECKED.algorithm],
    };
    let sizes = match (&wish.sizes, algorithms.as_slice()) {
        (Some(sizes), _) if is_named => sizes.clone(),
        (None, _) if wish.pace == Pace::AsPublished => PUBLISHED_SIZES.to_vec(),
        _ => vec![CROSS_CHECKED.bytes],
    };
    let mut items = Vec::new();
    for algorithm in algorithms.into_iter().filter(|algorithm| algorithm.kind().is_bulk()) {
        let Some(&operation) = Operation::of(algorithm.kind()).first() else { continue };
        items.extend(sizes.iter().map(|&bytes| Item {
            workload: Workload::new(operation, algorithm, bytes),
            threads: 1,
            probes: probes.clone(),
        }));
    }
    items
}

/// Lets the first probe be measured against itself: a second one like it does the largest size of each algorithm too,
/// and by default the smallest.
fn add_twin(wish: &Wish, probes: &mut Vec<ProbeName>, items: &mut [Item]) -> Option<(usize, usize)> {
    let original = items.iter().flat_map(|item| item.probes.iter().copied()).min()?;
    let twin = probes.len();
    probes.push(probes[original].clone());
    let mut having: Vec<&mut Item> = items
        .iter_mut()
        .filter(|item| item.threads == items_threads(wish) && item.probes.contains(&original))
        .collect();
    for start in 0..having.len() {
        let is_alike = |other: &Item, one: &Item| {
            let task = |item: &Item| (item.workload.algorithm, item.workload.operation, item.workload.nonces);
            task(other) == task(one)
        };
        let alike = having.iter().filter(|other| is_alike(other, having[start]));
        let sizes: Vec<usize> = alike.map(|item| item.workload.bytes).collect();
        let bytes = having[start].workload.bytes;
        let is_smallest = wish.pace == Pace::Default && sizes.iter().min() == Some(&bytes);
        if is_smallest || sizes.iter().max() == Some(&bytes) {
            having[start].probes.push(twin);
        }
    }
    Some((twin, original))
}

fn items_threads(wish: &Wish) -> usize {
    wish.threads.unwrap_or(1)
}

fn indices(probes: &[ProbeName], is_wanted: impl Fn(&ProbeName) -> bool) -> Vec<usize> {
    (0..probes.len()).filter(|&index| is_wanted(&probes[index])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything(pace: Pace) -> (Wish, Plan) {
        let wish = Wish { pace, cores: 2, ..Wish::default() };
        let (probes, _) = candidates(&wish);
        let plan = plan(&wish, probes);
        (wish, plan)
    }

    fn has(plan: &Plan, stack: &str, state: Acceleration, algorithm: Algorithm, bytes: usize) -> bool {
        plan.items.iter().filter(|item| item.workload.algorithm == algorithm && item.workload.bytes == bytes).any(
            |item| {
                item.probes
                    .iter()
                    .any(|&index| plan.probes[index].entry.name == stack && plan.probes[index].acceleration == state)
            },
        )
    }

    #[test]
    fn quick_holds_what_both_published_measurements_have() {
        let (_, plan) = everything(Pace::Quick);
        for algorithm in PUBLISHED {
            let sizes = if algorithm.kind().is_bulk() { QUICK_SIZES.to_vec() } else { vec![] };
            for bytes in sizes {
                for state in [Acceleration::On, Acceleration::Off] {
                    assert!(has(&plan, "openssl", state, algorithm, bytes), "{algorithm} {bytes} {state}");
                }
            }
        }
        for state in stack::kasoku::backend_states() {
            assert!(has(&plan, "kasoku", state, Algorithm::Aes128Gcm, 1350), "{state}");
        }
        for stack in ["aws-lc", "ring", "rustcrypto", "graviola", "ipsec-mb"] {
            assert!(has(&plan, stack, Acceleration::On, Algorithm::Aes256Gcm, 16384), "{stack}");
            assert!(has(&plan, stack, Acceleration::On, Algorithm::Sha256, 16), "{stack}");
        }
    }

    #[test]
    fn the_computed_times_are_within_what_a_level_may_take() {
        for (pace, limit) in [(Pace::Quick, 20.0), (Pace::Default, 75.0)] {
            let (_, plan) = everything(pace);
            // What the probes have of it, counted on a machine with all of them.
            let series = if pace == Pace::Quick { 381 } else { 1004 };
            assert!(series <= plan.most_series());
            let seconds = plan.duration(series).as_secs_f64();
            assert!(seconds <= limit, "{pace:?}: {seconds} s for {series} series");
        }
    }

    #[test]
    fn each_aead_has_one_point_on_all_cores_by_default() {
        let (_, plan) = everything(Pace::Default);
        for &algorithm in Algorithm::ALL.iter().filter(|algorithm| algorithm.kind() == Kind::Aead) {
            let points = plan.items.iter().filter(|item| item.threads == 2 && item.workload.algorithm == algorithm);
            assert_eq!(points.map(|item| item.workload.bytes).collect::<Vec<_>>(), [16384], "{algorithm}");
        }
    }

    #[test]
    fn what_the_user_names_is_what_is_tried() {
        let wish = Wish {
            algorithms: Some(vec![Algorithm::Aes128Gcm]),
            operations: Some(vec![Operation::Open]),
            sizes: Some(vec![100, 200]),
            stacks: Some(vec!["ring".to_owned()]),
            threads: Some(2),
            cores: 4,
            ..Wish::default()
        };
        let (probes, omissions) = candidates(&wish);
        let plan = plan(&wish, probes);
        let tried: Vec<_> = plan.items.iter().map(|item| (item.workload.bytes, item.threads)).collect();
        assert_eq!(tried, [(100, 2), (200, 2)]);
        assert!(plan.items.iter().all(|item| item.workload.operation == Operation::Open));
        assert!(omissions.iter().any(|one| one.stack == "ring" && one.acceleration == Some(Acceleration::Off)));
    }

    #[test]
    fn the_twin_repeats_the_first_probe_on_every_algorithm() {
        let (_, plan) = everything(Pace::Default);
        let (twin, original) = plan.twin.unwrap();
        assert_eq!(plan.probes[twin].label(), plan.probes[original].label());
        for &algorithm in Algorithm::ALL {
            let mut twins = plan.items.iter().filter(|item| item.probes.contains(&twin));
            assert!(twins.any(|item| item.workload.algorithm == algorithm), "{algorithm} has no floor of its own");
        }
    }
}
