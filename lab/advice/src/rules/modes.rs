//! Modes of block ciphers, and ciphers to leave.

use crate::facts::Facts;
use crate::figure::{Figure, FigureComparison};
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Value, Weight, rule};
use crate::words::modes as words;
use kasoku_model::algorithm::{Algorithm, Quoted};

pub(super) const RULES: &[Rule] = &[
    rule(&words::NEVER_64_BIT_BLOCKS, Topic::Modes, Weight::Know, |facts| {
        let old: Vec<Figure> = SMALL_BLOCKS.into_iter().filter_map(|cipher| facts.figure(cipher)).collect();
        let fastest = old.iter().max_by(|a, b| a.value.total_cmp(&b.value))?.algorithm;
        let aes = [Algorithm::Aes256Cbc, Algorithm::Aes128Cbc].into_iter();
        let comparison = aes.filter_map(|aes| facts.comparison(aes, fastest)).next();
        let is_held = comparison.is_some();
        let others = old.into_iter().filter(move |figure| !is_held || figure.algorithm != fastest);
        let found = RuleFinding::new().with("cipher", Value::Algorithm(fastest));
        Some(found.behind_all(comparison.map(Evidence::Comparison)).behind_all(others.map(Evidence::Figure)))
    }),
    rule(&words::GCM_OVER_CBC, Topic::Modes, Weight::Choose, |facts| {
        Some(RuleFinding::new().with_comparison(modes(facts).filter(FigureComparison::is_first_faster)?))
    }),
    rule(&words::CBC_IS_HALF_THE_WORK, Topic::Modes, Weight::Choose, |facts| {
        let comparison = modes(facts).filter(|comparison| !comparison.is_first_faster())?;
        Some(RuleFinding::new().behind(Evidence::Comparison(comparison.turned())))
    }),
];

const SMALL_BLOCKS: [Algorithm; 7] = [
    Algorithm::DesEde3Cbc,
    Algorithm::BlowfishCbc,
    Algorithm::Quoted(Quoted::DesCbc),
    Algorithm::Quoted(Quoted::IdeaCbc),
    Algorithm::Quoted(Quoted::Cast5Cbc),
    Algorithm::Quoted(Quoted::Rc2Cbc),
    Algorithm::Quoted(Quoted::Rc5Cbc),
];

/// GCM against CBC.
fn modes(facts: &Facts<'_>) -> Option<FigureComparison> {
    let pairs = [(Algorithm::Aes128Gcm, Algorithm::Aes128Cbc), (Algorithm::Aes256Gcm, Algorithm::Aes256Cbc)];
    // Ciphers encrypt and AEADs seal: each in what it is for.
    pairs.into_iter().find_map(|(gcm, cbc)| facts.comparison(gcm, cbc))
}
