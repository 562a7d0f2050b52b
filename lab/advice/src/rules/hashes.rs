//! Rules about hash functions.

use crate::facts::Facts;
use crate::figure::{Figure, FigureComparison};
use crate::rule::{Evidence, RuleFinding, Value, faster, rules};
use kasoku_model::algorithm::Algorithm::{self, *};

rules! {
    "hash-fastest": Hashes, Choose; if fastest;
    when "One of SHA-256, SHA-512, SHA3-256, BLAKE2s and BLAKE2b is shown to be faster than all others.";

    "hash-either": Hashes, Choose; if either;
    when "Between the two fastest of these hashes no difference is shown.";

    "sha-512-over-256": Hashes, Know; if |facts| faster(facts.comparison(Sha512, Sha256)?);
    when "SHA-512 is shown to be faster than SHA-256.";

    "sha-256-over-512": Hashes, Know; if |facts| faster(facts.comparison(Sha256, Sha512)?);
    when "SHA-256 is shown to be faster than SHA-512.";

    "sha-1-legacy": Hashes, Know; if |facts| Some(RuleFinding::of([Evidence::Figure(facts.figure(Sha1)?)]));
    when "There is a figure of SHA-1.";
}

/// Secure hashes, the most widely available first.
const HASHES: [Algorithm; 5] = [Sha256, Sha512, Blake2b512, Blake2s256, Sha3_256];

fn fastest(facts: &Facts<'_>) -> Option<RuleFinding> {
    let (comparison, others) = ranking(facts)?;
    Some(faster(comparison)?.behind(others.into_iter().map(Evidence::Figure)))
}

/// Prefers the more widely available of two equally fast hashes.
fn either(facts: &Facts<'_>) -> Option<RuleFinding> {
    let (comparison, others) = ranking(facts).filter(|(comparison, _)| !comparison.is_shown)?;
    let place = |figure: &Figure| HASHES.iter().position(|hash| *hash == figure.algorithm);
    let is_in_order = place(&comparison.first) < place(&comparison.second);
    let comparison = if is_in_order { comparison } else { comparison.turned() };
    let [preferred, other] = [&comparison.first, &comparison.second].map(|figure| Value::Algorithm(figure.algorithm));
    let found = RuleFinding::of([Evidence::Comparison(comparison)]).with("preferred", preferred).with("other", other);
    Some(found.behind(others.into_iter().map(Evidence::Figure)))
}

/// Compares the two fastest hashes, and returns the figures of the others, fastest first.
fn ranking(facts: &Facts<'_>) -> Option<(FigureComparison, Vec<Figure>)> {
    let mut figures: Vec<Figure> = HASHES.into_iter().filter_map(|hash| facts.figure(hash)).collect();
    figures.sort_by(|a, b| b.value.total_cmp(&a.value));
    let (first, second) = (figures.first()?.algorithm, figures.get(1)?.algorithm);
    let comparison = facts.comparison(first, second)?.by_speed();
    Some((comparison, figures.split_off(2)))
}
