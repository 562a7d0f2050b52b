//! What to choose, from the same advice that `kasoku advise` gives in full.

use crate::advice::{self, AdviceText};
use crate::language::{pick, say};
use crate::quantity::times;
use crate::selection::join;
use kasoku_advice::figure::Figure;
use kasoku_advice::{Advice, Evidence, Topic, Weight};
use kasoku_model::document::Document;
use kasoku_model::language::Language;

/// What is chosen, and the rules that choose it.
const CHOICES: [((&str, &str), &[&str]); 5] = [
    (("TLS, SSH, VPN", "TLS・SSH・VPN"), &["tls-aes-gcm", "tls-chacha20", "tls-either"]),
    (("key agreement", "鍵共有"), &["agree-x25519", "agree-p256"]),
    (("certificate", "証明書"), &["sign-ecdsa-p256", "sign-ed25519"]),
    (("hash", "ハッシュ"), &["hash-fastest", "sha-512-over-256", "sha-256-over-512"]),
    (("Java", "Java"), &["java-newer-jdk", "java-own-provider"]),
];

/// The most warnings.
const WARNINGS: usize = 2;

/// What to choose on a machine.
pub(crate) struct Choices {
    /// What is chosen, and what.
    pub(crate) pairs: Vec<(&'static str, String)>,
    /// What stands in the way, and what to do.
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn title(language: Language) -> &'static str {
    pick(language, "Choose here", "このマシンでの選択")
}

/// The choices that `document` supports.
pub(crate) fn of(document: &Document, language: Language) -> Choices {
    let advice = kasoku_advice::advice(document);
    let pairs = CHOICES.iter().filter_map(|((english, japanese), rules)| {
        let chosen = advice.iter().find(|one| rules.contains(&one.rule.id))?;
        Some((pick(language, english, japanese), choice(chosen, language)?))
    });
    let warns = |text: &AdviceText| text.topic == Topic::Acceleration && text.weight == Weight::Act;
    let warnings = advice::texts(document, &[], language).into_iter().filter(warns).map(|text| text.says);
    Choices { pairs: pairs.collect(), warnings: warnings.take(WARNINGS).collect() }
}

/// The winner and by how much it wins: `AES-128-GCM, 1.70× ChaCha20-Poly1305`.
fn choice(advice: &Advice, language: Language) -> Option<String> {
    let comparison = advice.found.evidence.iter().find_map(|evidence| match evidence {
        Evidence::Comparison(comparison) => Some(comparison.clone().by_speed()),
        _ => None,
    })?;
    // Of one algorithm in two versions or libraries, these are the choice.
    let is_same = comparison.first.algorithm == comparison.second.algorithm;
    let name = |figure: &Figure| match is_same {
        true => join(&figure.library, version(&figure.version), ""),
        false => figure.algorithm.title().to_owned(),
    };
    let [winner, loser] = [name(&comparison.first), name(&comparison.second)];
    if !comparison.is_shown {
        return Some(format!("{winner}{}{loser}", pick(language, " or ", "または")));
    }
    let times = times(comparison.ratio);
    Some(say!(language, "{winner}, {times}× {loser}", "{winner}（{loser}の{times}倍）"))
}

/// A version without what its builder added: `17.0.15+6-Debian-1deb12u1`.
fn version(version: &str) -> &str {
    version.split(['+', ' ']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chooses_is_a_rule() {
        for id in CHOICES.iter().flat_map(|(_, rules)| rules.iter()) {
            assert!(kasoku_advice::rules::all().any(|rule| rule.id == *id), "{id}");
        }
    }
}
