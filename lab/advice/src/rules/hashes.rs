//! Hash functions.

use crate::facts::Facts;
use crate::figure::{Figure, FigureComparison};
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight, rule};
use crate::words::hashes as words;
use kasoku_model::algorithm::Algorithm;

pub(super) const RULES: &[Rule] = &[
    rule(&words::HASH_FASTEST, Topic::Hashes, Weight::Choose, |facts| {
        let (comparison, others) = ranking(facts)?;
        let found = comparison.is_first_faster().then(|| RuleFinding::new().with_comparison(comparison))?;
        Some(found.behind_all(others.into_iter().map(Evidence::Figure)))
    }),
    rule(&words::HASH_EITHER, Topic::Hashes, Weight::Choose, |facts| {
        let (comparison, others) = ranking(facts)?;
        if comparison.is_shown {
            return None;
        }
        let pair = [comparison.first.algorithm, comparison.second.algorithm];
        // The one that every program has, then the standard one, comes first.
        let preferred = HASHES.into_iter().find(|hash| pair.contains(hash))?;
        let comparison = if pair[0] == preferred { comparison } else { comparison.turned() };
        let found = RuleFinding::new()
            .with("preferred", Value::Algorithm(preferred))
            .with("other", Value::Algorithm(comparison.second.algorithm))
            .behind(Evidence::Comparison(comparison));
        Some(found.behind_all(others.into_iter().map(Evidence::Figure)))
    }),
    rule(&words::SHA_512_OVER_256, Topic::Hashes, Weight::Know, |facts| {
        let comparison = facts.comparison(Algorithm::Sha512, Algorithm::Sha256)?;
        comparison.is_first_faster().then(|| RuleFinding::new().with_comparison(comparison))
    }),
    rule(&words::SHA_256_OVER_512, Topic::Hashes, Weight::Know, |facts| {
        let comparison = facts.comparison(Algorithm::Sha256, Algorithm::Sha512)?;
        comparison.is_first_faster().then(|| RuleFinding::new().with_comparison(comparison))
    }),
    rule(&words::SHA_1_LEGACY, Topic::Hashes, Weight::Know, |facts| {
        Some(RuleFinding::new().behind(Evidence::Figure(facts.figure(Algorithm::Sha1)?)))
    }),
];

/// The hashes that are fit for use, the most widely available first.
const HASHES: [Algorithm; 5] =
    [Algorithm::Sha256, Algorithm::Sha512, Algorithm::Blake2b512, Algorithm::Blake2s256, Algorithm::Sha3_256];

/// The fastest against the next, and the others, fastest first.
fn ranking(facts: &Facts<'_>) -> Option<(FigureComparison, Vec<Figure>)> {
    let mut figures: Vec<Figure> = HASHES.into_iter().filter_map(|hash| facts.figure(hash)).collect();
    figures.sort_by(|a, b| b.value.total_cmp(&a.value));
    let (first, second) = (figures.first()?.algorithm, figures.get(1)?.algorithm);
    let comparison = facts.comparison(first, second)?.by_speed();
    Some((comparison, figures.into_iter().skip(2).collect()))
}
