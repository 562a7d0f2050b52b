//! Key agreement, hybrid key agreement and signatures.

use crate::facts::Facts;
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight, rule};
use crate::words::curves as words;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;

pub(super) const RULES: &[Rule] = &[
    rule(&words::AGREE_X25519, Topic::Curves, Weight::Choose, |facts| {
        let comparison = agreement(facts).filter(|comparison| !is_worth_a_round_trip(comparison))?;
        let found = RuleFinding::new().with("figure", Value::Speed(Box::new(comparison.first.clone())));
        Some(found.behind(Evidence::Comparison(comparison)).behind_all(with_x448(facts)))
    })
    .with_lines(lines::groups),
    rule(&words::AGREE_P256, Topic::Curves, Weight::Choose, |facts| {
        let comparison = agreement(facts).filter(is_worth_a_round_trip)?.turned();
        (comparison.first.algorithm == Algorithm::EcdhP256).then(|| RuleFinding::new().with_comparison(comparison))
    })
    .with_lines(lines::groups_p256),
    rule(&words::AGREE_HYBRID, Topic::Curves, Weight::Choose, |facts| {
        let kem = [Operation::Encapsulate, Operation::Decapsulate];
        let kem = kem.map(|operation| facts.figure_of(Algorithm::MlKem768, operation));
        let [Some(encapsulate), Some(decapsulate)] = kem else { return None };
        let x25519 = facts.figure(Algorithm::X25519)?;
        // What the server adds to one agreement: an encapsulation.
        let extra = x25519.value / encapsulate.value * 100.0;
        let found = RuleFinding::new().with("extra", Value::Percent(extra));
        Some(found.behind_all([encapsulate, decapsulate, x25519].map(Evidence::Figure)))
    })
    .with_lines(lines::hybrid_groups),
    rule(&words::SIGN_ED25519, Topic::Curves, Weight::Choose, |facts| {
        let comparison = signing(facts, Algorithm::Ed25519)?;
        Some(with_signing_figures(facts, RuleFinding::new().with_comparison(comparison)))
    })
    .with_lines(lines::signature_keys),
    rule(&words::SIGN_ECDSA_P256, Topic::Curves, Weight::Choose, |facts| {
        let comparison = signing(facts, Algorithm::EcdsaP256)?;
        Some(with_signing_figures(facts, RuleFinding::new().with_comparison(comparison)))
    })
    .with_lines(lines::signature_keys),
    rule(&words::RSA_SIGNS_SLOWLY, Topic::Curves, Weight::Know, |facts| {
        let rsa = [Algorithm::Rsa2048, Algorithm::Rsa4096].into_iter();
        let comparison = rsa
            .filter_map(|rsa| facts.comparison_of(Algorithm::EcdsaP256, rsa, Operation::Sign))
            .find(FigureComparison::is_first_faster)?;
        let verify = facts.comparison_of(comparison.second.algorithm, Algorithm::EcdsaP256, Operation::Verify);
        Some(RuleFinding::new().with_comparison(comparison).behind_all(verify.map(Evidence::Comparison)))
    }),
];

/// Whether the other is so much faster than X25519 that it may cost clients a round trip, which most of them then need.
fn is_worth_a_round_trip(comparison: &FigureComparison) -> bool {
    comparison.is_second_faster() && comparison.ratio <= 1.0 / 1.5
}

/// X25519 against P-256, or X448 where P-256 was not measured.
fn agreement(facts: &Facts<'_>) -> Option<FigureComparison> {
    [Algorithm::EcdhP256, Algorithm::X448].into_iter().find_map(|other| facts.comparison(Algorithm::X25519, other))
}

/// X25519 against X448, where [`agreement`] is about P-256.
fn with_x448(facts: &Facts<'_>) -> Option<Evidence> {
    facts.figure(Algorithm::EcdhP256)?;
    facts.comparison(Algorithm::X25519, Algorithm::X448).map(Evidence::Comparison)
}

const SCHEMES: [Algorithm; 5] =
    [Algorithm::Ed25519, Algorithm::EcdsaP256, Algorithm::Rsa2048, Algorithm::Rsa4096, Algorithm::Ed448];

/// `scheme` against the fastest other at signing, if it is shown to be faster.
fn signing(facts: &Facts<'_>, scheme: Algorithm) -> Option<FigureComparison> {
    let others = SCHEMES.into_iter().filter(|other| *other != scheme);
    let comparisons = others.filter_map(|other| facts.comparison_of(scheme, other, Operation::Sign));
    comparisons.min_by(|a, b| a.ratio.total_cmp(&b.ratio)).filter(FigureComparison::is_first_faster)
}

fn with_signing_figures(facts: &Facts<'_>, found: RuleFinding) -> RuleFinding {
    let verify = |algorithm| facts.figure_of(algorithm, Operation::Verify).map(Evidence::Figure);
    found.behind_all([Algorithm::Ed25519, Algorithm::EcdsaP256].into_iter().filter_map(verify))
}
