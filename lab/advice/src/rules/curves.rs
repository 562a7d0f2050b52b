//! Rules about key agreement, hybrid key agreement and signatures.

use crate::facts::Facts;
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::workload::Operation;

rules! {
    "agree-x25519": Curves, Choose; if x25519; paste |facts| lines::groups(facts, &lines::X25519_FIRST);
    when "P-256 (or, where that was not measured, X448) is not 1.5 times as fast as X25519.";

    "agree-p256": Curves, Choose; if p256; paste |facts| lines::groups(facts, &lines::P256_FIRST);
    when "P-256 is shown to be 1.5 times as fast as X25519, or more.";

    "agree-hybrid": Curves, Choose; if hybrid; paste |_| &lines::X25519_FIRST[..2];
    when "ML-KEM-768 and X25519 were both measured.";

    "sign-ed25519": Curves, Choose; if |facts| fastest_signing(facts, Ed25519);
        paste |_| lines::SIGNATURE_KEYS;
    when "Ed25519 is shown to sign faster than every other scheme that was measured.";

    "sign-ecdsa-p256": Curves, Choose; if |facts| fastest_signing(facts, EcdsaP256);
        paste |_| lines::SIGNATURE_KEYS;
    when "ECDSA P-256 is shown to sign faster than every other scheme that was measured.";

    "rsa-signs-slowly": Curves, Know; if slow_rsa;
    when "ECDSA P-256 is shown to sign faster than RSA.";
}

fn x25519(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = agreement(facts).filter(|comparison| !is_worth_a_round_trip(comparison))?;
    let figure = Value::Speed(Box::new(comparison.first.clone()));
    let x448 = facts.comparison(X25519, X448);
    let x448 = x448.filter(|x448| x448.second != comparison.second);
    Some(RuleFinding::of([comparison].into_iter().chain(x448).map(Evidence::Comparison)).with("figure", figure))
}

fn p256(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = agreement(facts).filter(is_worth_a_round_trip)?.turned();
    let is_p256 = comparison.first.algorithm == EcdhP256;
    faster(comparison).filter(|_| is_p256)
}

fn hybrid(facts: &Facts<'_>) -> Option<RuleFinding> {
    let encapsulate = facts.figure_of(MlKem768, Operation::Encapsulate)?;
    let decapsulate = facts.figure_of(MlKem768, Operation::Decapsulate)?;
    let x25519 = facts.figure(X25519)?;
    // A server adds one encapsulation to each agreement.
    let extra = Value::Percent(x25519.value / encapsulate.value * 100.0);
    Some(RuleFinding::of([encapsulate, decapsulate, x25519].map(Evidence::Figure)).with("extra", extra))
}

fn fastest_signing(facts: &Facts<'_>, scheme: Algorithm) -> Option<RuleFinding> {
    const SCHEMES: [Algorithm; 5] = [Ed25519, EcdsaP256, Rsa2048, Rsa4096, Ed448];
    let others = SCHEMES.into_iter().filter(|other| *other != scheme);
    let comparisons = others.filter_map(|other| facts.comparison_of(scheme, other, Operation::Sign));
    let closest = comparisons.min_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
    let verify = |algorithm: &Algorithm| facts.figure_of(*algorithm, Operation::Verify).map(Evidence::Figure);
    Some(faster(closest)?.behind(SCHEMES[..2].iter().filter_map(verify)))
}

fn slow_rsa(facts: &Facts<'_>) -> Option<RuleFinding> {
    let rsa = [Rsa2048, Rsa4096].into_iter();
    let mut comparisons = rsa.filter_map(|rsa| facts.comparison_of(EcdsaP256, rsa, Operation::Sign));
    let comparison = comparisons.find(FigureComparison::is_first_faster)?;
    let verify = facts.comparison_of(comparison.second.algorithm, EcdsaP256, Operation::Verify);
    Some(faster(comparison)?.behind(verify.map(Evidence::Comparison)))
}

/// Whether the second algorithm is so much faster that servers should prefer it although most clients, which offer
/// X25519 first, then need another round trip.
fn is_worth_a_round_trip(comparison: &FigureComparison) -> bool {
    comparison.is_second_faster() && comparison.ratio <= 1.0 / 1.5
}

/// Compares X25519 with P-256, or with X448 if P-256 was not measured.
fn agreement(facts: &Facts<'_>) -> Option<FigureComparison> {
    [EcdhP256, X448].into_iter().find_map(|other| facts.comparison(X25519, other))
}
