//! Acceleration that is missed, and what that costs.

use crate::facts::Facts;
use crate::figure::Figure;
use crate::instructions;
use crate::lines;
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight, rule};
use crate::words::acceleration as words;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::code_path::{uses_aes_instructions, uses_vaes_instructions};
use kasoku_model::cpu_model;

pub(super) const RULES: &[Rule] = &[
    rule(&words::MASK_SET, Topic::Acceleration, Weight::Act, |facts| {
        // Every figure of the run is under the mask: none shows what it would be without.
        let found = RuleFinding::new().behind(Evidence::Settings(instructions::mask(facts)?));
        Some(found.behind(Evidence::NoFigure))
    })
    .in_headline()
    .with_lines(lines::no_mask),
    rule(&words::LIBRARY_IGNORES_AES, Topic::Acceleration, Weight::Act, |facts| {
        let algorithms = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::Aes256Cbc, Algorithm::Aes128Cbc];
        let (algorithm, path) = algorithms.into_iter().find_map(|algorithm| {
            let paths = facts.code_paths(algorithm);
            let is_without = !paths.is_empty() && !paths.iter().any(|path| uses_aes_instructions(path));
            is_without.then(|| (algorithm, paths.into_iter().collect::<Vec<_>>().join(", ")))
        })?;
        if facts.has("aes") != Some(true) {
            return None;
        }
        let cost = costs(facts, algorithm, |figure| uses_aes_instructions(&figure.code_path));
        let found = RuleFinding::new().with("library", library(facts)).behind(Evidence::CodePath(algorithm, path));
        Some(found.behind_all(cost))
    })
    .in_headline()
    .with_lines(lines::newer_library),
    rule(&words::LIBRARY_TOO_OLD_FOR_VAES, Topic::Acceleration, Weight::Act, |facts| {
        let is_able = instructions::has_vector_aes(facts)? && instructions::has_avx512(facts)?;
        let is_old = facts.openssl_version()? < (3, 1, 0);
        let found = (is_able && is_old).then(|| RuleFinding::new().with("library", library(facts)))?;
        Some(missed_vaes(facts, found))
    })
    .in_headline()
    .with_lines(lines::newer_library),
    rule(&words::VAES_WITHOUT_AVX512, Topic::Acceleration, Weight::Know, |facts| {
        let is_half = instructions::has_vector_aes(facts)? && !instructions::has_avx512(facts)?;
        facts.openssl_version().filter(|_| is_half)?;
        let paths = facts.code_paths(Algorithm::Aes128Gcm);
        if paths.iter().any(|path| uses_vaes_instructions(path)) {
            return None;
        }
        Some(missed_vaes(facts, RuleFinding::new().with("library", library(facts))))
    }),
    rule(&words::INSTRUCTIONS_HIDDEN, Topic::Acceleration, Weight::Act, |facts| {
        let machine = facts.machine();
        if machine.features.is_empty() {
            return None;
        }
        let hidden = cpu_model::hidden(machine.microarchitecture.as_deref()?, &machine.features);
        let hidden: Vec<&str> = hidden.into_iter().filter(|name| FOR_CRYPTOGRAPHY.contains(name)).collect();
        let by = match &machine.hypervisor {
            Some(name) => Value::Name(name.clone()),
            None => words::THE_FIRMWARE,
        };
        let found = (!hidden.is_empty()).then(|| RuleFinding::new().with("hidden", Value::Name(hidden.join(", "))))?;
        let found = found.with("by", by).behind(Evidence::Features(machine.features.clone()));
        Some(found.behind(Evidence::NoFigure))
    })
    .in_headline()
    .with_lines(lines::host_cpu),
    rule(&words::OPENSSL_OUT_OF_SUPPORT, Topic::Acceleration, Weight::Act, |facts| {
        let version = facts.openssl_version().filter(|version| *version < (3, 0, 0))?;
        let ended = match version {
            (1, 1, 1) => words::SEPTEMBER_2023,
            (1, 1, _) => words::SEPTEMBER_2019,
            (1, 0, 2) => words::DECEMBER_2019,
            _ => words::UNTIL_2016,
        };
        Some(RuleFinding::new().with("library", library(facts)).with("ended", ended))
    }),
];

const FOR_CRYPTOGRAPHY: [&str; 5] = ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni"];

fn library(facts: &Facts<'_>) -> Value {
    let (library, version) = facts.library().unwrap_or_default();
    Value::Library(library.to_owned(), version.to_owned())
}

/// What vector AES would bring.
fn missed_vaes(facts: &Facts<'_>, found: RuleFinding) -> RuleFinding {
    let paths = facts.code_paths(Algorithm::Aes128Gcm).into_iter().collect::<Vec<_>>().join(", ");
    let seen = (!paths.is_empty()).then_some(Evidence::CodePath(Algorithm::Aes128Gcm, paths));
    let costs = costs(facts, Algorithm::Aes128Gcm, |figure| uses_vaes_instructions(&figure.code_path));
    found.behind_all(seen).behind_all(costs)
}

/// What the instructions bring that a library leaves: the others of the run that were seen using them, at most three.
fn costs(facts: &Facts<'_>, algorithm: Algorithm, uses_them: fn(&Figure) -> bool) -> Vec<Evidence> {
    let others = facts.elsewhere(algorithm).into_iter().filter(|comparison| uses_them(&comparison.first));
    let costs: Vec<Evidence> = others.take(3).map(Evidence::Comparison).collect();
    if costs.is_empty() { vec![Evidence::NoFigure] } else { costs }
}
