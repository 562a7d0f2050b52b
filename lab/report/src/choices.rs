//! The recommendations that screens and pages show first, selected from all advice.

use crate::advice;
use crate::prelude::*;
use crate::quantity::times;
use kasoku_advice::figure::Figure;
use kasoku_advice::{Advice, Evidence, Topic, Weight};

/// Recommendations by name (message `screen-choice-NAME`), each with the ids of the rules that can make it.
const CHOICES: [(&str, &[&str]); 5] = [
    ("transport", &["tls-aes-gcm", "tls-chacha20", "tls-either"]),
    ("key-agreement", &["agree-x25519", "agree-p256"]),
    ("certificate", &["sign-ecdsa-p256", "sign-ed25519"]),
    ("hash", &["hash-fastest", "hash-either", "sha-512-over-256", "sha-256-over-512"]),
    ("java", &["java-newer-jdk", "java-kasoku-provider", "java-own-provider", "java-nss"]),
];

const WARNINGS: usize = 2;

pub(crate) fn blocks(advice: &[Advice]) -> Vec<Block> {
    let choices = choices(advice, &"!".into());
    let title = (!choices.is_empty()).then(|| Block::Heading(say!("screen-choices")));
    title.into_iter().chain(choices).collect()
}

pub(crate) fn section(advice: &[Advice]) -> Option<Section> {
    let mut blocks = choices(advice, &say!("around-advice-act"));
    if blocks.is_empty() {
        return None;
    }
    blocks.push(Block::Link { section: "advice", text: say!("around-advice-all") });
    Some(Section::open("choices", say!("around-choices"), blocks))
}

/// Lists the recommendations, then up to [`WARNINGS`] warnings about missing acceleration. `mark` precedes each
/// warning.
fn choices(advice: &[Advice], mark: &Text) -> Vec<Block> {
    let pairs = CHOICES.iter().filter_map(|(name, rules)| {
        let chosen = advice.iter().find(|one| rules.contains(&one.rule.id))?;
        Some((say!(format!("screen-choice-{name}")), choice(chosen)?))
    });
    let pairs: Vec<(Text, Text)> = pairs.collect();
    let is_warning = |one: &&Advice| one.rule.topic == Topic::Acceleration && one.rule.weight == Weight::Act;
    let warnings = advice.iter().filter(is_warning).take(WARNINGS).map(|one| advice::text(one).says);
    let warnings = warnings.map(|text| Block::Marked { mark: mark.clone(), is_warning: true, text });
    (!pairs.is_empty()).then_some(Block::Pairs(pairs)).into_iter().chain(warnings).collect()
}

/// Formats a recommendation with its ratio to the alternative: `AES-128-GCM, 1.70× ChaCha20-Poly1305`. The recommended
/// algorithm may be the slower of the two.
fn choice(advice: &Advice) -> Option<Text> {
    let comparison = advice.found.evidence.iter().find_map(|evidence| match evidence {
        Evidence::Comparison(comparison) => Some(comparison),
        _ => None,
    })?;
    // If both figures have the same algorithm, the choice is between libraries or versions.
    let is_same = comparison.first.algorithm == comparison.second.algorithm;
    let name = |figure: &Figure| match is_same {
        true => join(&figure.library, version(&figure.version)),
        false => figure.algorithm.title().to_owned(),
    };
    let [chosen, other] = [name(&comparison.first), name(&comparison.second)];
    let ratio = comparison.ratio;
    Some(if comparison.is_first_faster() {
        say!("screen-choice-faster", chosen = chosen, other = other, times = times(ratio))
    } else if comparison.is_second_faster() {
        say!("screen-choice-slower", chosen = chosen, other = other, times = times(1.0 / ratio))
    } else {
        say!("screen-choice-equal", chosen = chosen, other = other)
    })
}

/// Returns a version without its builder's suffix: `17.0.15` of `17.0.15+6-Debian-1deb12u1`.
fn version(version: &str) -> &str {
    version.split(['+', ' ']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_name_existing_rules() {
        for id in CHOICES.iter().flat_map(|(_, rules)| rules.iter()) {
            assert!(kasoku_advice::rules::all().any(|rule| rule.id == *id), "{id}");
        }
    }
}
