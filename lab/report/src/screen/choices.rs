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
    (("hash", "ハッシュ"), &["hash-fastest", "hash-either", "sha-512-over-256", "sha-256-over-512"]),
    (("Java", "Java"), &["java-newer-jdk", "java-kasoku-provider", "java-own-provider", "java-nss"]),
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

/// What is chosen and how fast it is beside the other: `AES-128-GCM, 1.70× ChaCha20-Poly1305`. A rule may choose the
/// slower.
fn choice(advice: &Advice, language: Language) -> Option<String> {
    let comparison = advice.found.evidence.iter().find_map(|evidence| match evidence {
        Evidence::Comparison(comparison) => Some(comparison),
        _ => None,
    })?;
    // Of one algorithm in two versions or libraries, these are the choice.
    let is_same = comparison.first.algorithm == comparison.second.algorithm;
    let name = |figure: &Figure| match is_same {
        true => join(&figure.library, version(&figure.version), ""),
        false => figure.algorithm.title().to_owned(),
    };
    let [chosen, other] = [name(&comparison.first), name(&comparison.second)];
    Some(if comparison.is_first_faster() {
        let times = times(comparison.ratio);
        say!(language, "{chosen}, {times}× {other}", "{chosen}（{other}の{times}倍）")
    } else if comparison.is_second_faster() {
        let times = times(1.0 / comparison.ratio);
        say!(language, "{chosen}, though {other} is {times}× as fast", "{chosen}（速さは{other}が{times}倍）")
    } else {
        say!(language, "{chosen}; no difference from {other} is shown", "{chosen}（{other}との差は認められない）")
    })
}

/// A version without what its builder added: `17.0.15+6-Debian-1deb12u1`.
fn version(version: &str) -> &str {
    version.split(['+', ' ']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::Task;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::algorithm::Algorithm::{self, *};
    use kasoku_model::document::{Machine, Origin, OriginKind, Run, SCHEMA, Series, Unit};
    use kasoku_model::level::Level;
    use kasoku_model::workload::Workload;

    /// Figures that somebody printed, of a CPU without AES instructions.
    fn printed(figures: [(Algorithm, f64); 2]) -> Document {
        let series = figures.map(|(algorithm, figure)| {
            let workload = Workload::new(Task::main(algorithm).operation, algorithm, 16_384);
            let (version, unit) = ("3.0.2".to_owned(), Unit::OperationsPerSecond);
            let one = Series::empty(Level::Primitives, &workload, "openssl", version, Acceleration::On, unit);
            Series { median: Some(figure), ..one }
        });
        let origin = Origin { kind: OriginKind::Published, source: String::new(), address: None, note: None };
        Document {
            schema: SCHEMA,
            run: Run { complete: true, origin: Some(origin), ..Run::default() },
            machine: Machine { features: vec!["ssse3".to_owned()], ..Machine::default() },
            series: series.into(),
        }
    }

    #[test]
    fn what_is_advised_is_chosen_and_not_what_is_fastest() {
        for (figures, what, choice) in [
            ([(X25519, 3.0e4), (EcdhP256, 5.0e4)], "key agreement", "ECDH P-256, 1.67× X25519"),
            ([(X25519, 3.0e4), (EcdhP256, 3.6e4)], "key agreement", "X25519, though ECDH P-256 is 1.20× as fast"),
            ([(X25519, 3.0e4), (EcdhP256, 3.1e4)], "key agreement", "X25519; no difference from ECDH P-256 is shown"),
            (
                [(Aes128Gcm, 3.0e9), (ChaCha20Poly1305, 2.9e9)],
                "TLS, SSH, VPN",
                "ChaCha20-Poly1305; no difference from AES-128-GCM is shown",
            ),
            ([(Sha256, 9.0e8), (Blake2b512, 9.2e8)], "hash", "SHA-256; no difference from BLAKE2b-512 is shown"),
        ] {
            assert_eq!(of(&printed(figures), Language::English).pairs, [(what, choice.to_owned())]);
        }
    }

    #[test]
    fn what_chooses_is_a_rule() {
        for id in CHOICES.iter().flat_map(|(_, rules)| rules.iter()) {
            assert!(kasoku_advice::rules::all().any(|rule| rule.id == *id), "{id}");
        }
    }
}
