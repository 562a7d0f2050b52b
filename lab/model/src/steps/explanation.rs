//! Known causes of steps in the cost of an operation. The message `steps-cause-NAME` explains each; its statements are
//! from the library's source.

use serde::Serialize;

use super::Curve;
use crate::acceleration::Acceleration;
use crate::document::Machine;
use crate::library::{OPENSSL, version_in};

/// Known cause of a step in the cost of an operation. JSON contains its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Explanation {
    pub name: &'static str,
    /// Smallest and largest message size at which the library may switch to other code.
    #[serde(skip)]
    pub from: [usize; 2],
}

/// Decides whether a curve measures the code that an explanation describes.
type IsCode = fn(&Curve<'_>, &Machine) -> bool;

const COMPACT_TABLES: (Explanation, IsCode) =
    (Explanation { name: "compact-tables-below-512", from: [512, 512] }, |curve, machine| {
        let is_early = version_in(&curve.series.library_version).is_some_and(|version| version < (3, 0, 0));
        is_openssl(curve, machine, "x86_64", "cbc") && is_early && curve.series.acceleration == Acceleration::Off
    });

/// All known causes. If several apply to a step, the first is used.
const CAUSES: [(Explanation, IsCode); 5] = [
    COMPACT_TABLES,
    (Explanation { name: "bitsliced-from-128", from: [128, 128] }, |curve, machine| {
        let is_counter = ["ctr", "gcm"].into_iter().any(|mode| is_openssl(curve, machine, "x86_64", mode));
        is_counter && has_no_aes(curve, machine)
    }),
    (Explanation { name: "one-pass-from-288", from: [288, 288] }, |curve, machine| {
        is_openssl(curve, machine, "x86_64", "gcm") && !has_no_aes(curve, machine)
    }),
    (Explanation { name: "neon-from-192", from: [192, 192] }, |curve, machine| {
        is_openssl(curve, machine, "aarch64", "poly1305")
    }),
    (Explanation { name: "wider-vectors", from: [128, 2048] }, |curve, _| {
        curve.workload.algorithm.name() == "chacha20-poly1305"
    }),
];

/// Sets the cause of each step of `curve`, or the reason why there is no step.
pub(super) fn explain(curve: &mut Curve<'_>, machine: &Machine) {
    let known: Vec<Explanation> =
        CAUSES.iter().filter(|(_, is_code)| is_code(curve, machine)).map(|(explanation, _)| *explanation).collect();
    for step in &mut curve.steps {
        let is_here = |[first, last]: [usize; 2]| step.before_bytes < last && first <= step.at_bytes;
        step.cause = known.iter().find(|one| step.jump > 1.0 && is_here(one.from)).copied();
    }
    let compact = known.into_iter().find(|one| *one == COMPACT_TABLES.0);
    if let ([], [first, .., last]) = (curve.steps.as_slice(), curve.points.as_slice()) {
        curve.absence = compact.filter(|one| first.bytes < one.from[0] && one.from[0] <= last.bytes);
    }
}

/// Whether AES instructions are switched off, or missing in a CPU whose features are known.
fn has_no_aes(curve: &Curve<'_>, machine: &Machine) -> bool {
    let is_off = matches!(curve.series.acceleration, Acceleration::Off | Acceleration::NoAes);
    let features = &machine.features;
    is_off || !features.is_empty() && !features.iter().any(|feature| feature.starts_with("aes"))
}

/// Whether the curve measures OpenSSL's AES or ChaCha20 in `mode` on the architecture `arch`.
fn is_openssl(curve: &Curve<'_>, machine: &Machine, arch: &str, mode: &str) -> bool {
    let algorithm = curve.workload.algorithm.name();
    let is_algorithm = algorithm.starts_with("aes-") || algorithm.starts_with("chacha20-");
    curve.series.library == OPENSSL && machine.arch == arch && is_algorithm && algorithm.ends_with(mode)
}
