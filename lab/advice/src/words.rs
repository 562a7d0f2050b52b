//! What rules say, a file for each subject. Both languages of a sentence stand side by side; a rule whose sentence
//! lacks one, and a sentence that no rule says, do not compile.

pub(crate) mod acceleration;
pub(crate) mod curves;
pub(crate) mod disk;
pub(crate) mod hashes;
pub(crate) mod java;
pub(crate) mod machine;
pub(crate) mod modes;
pub(crate) mod ssh;
pub(crate) mod tls;
pub(crate) mod vpn;
pub(crate) mod web_server;

use kasoku_model::language::Language;

/// A sentence, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// In English.
    pub english: &'static str,
    /// In Japanese.
    pub japanese: &'static str,
}

impl Sentence {
    /// In `language`.
    pub fn of(self, language: Language) -> &'static str {
        match language {
            Language::English => self.english,
            Language::Japanese => self.japanese,
        }
    }
}

/// What a rule says.
#[derive(Clone, Copy, Debug)]
pub struct RuleText {
    /// The rule's name, unique.
    pub id: &'static str,
    /// When it applies.
    pub when: Sentence,
    /// What to do; `{name}` is filled with the value of that name.
    pub says: Sentence,
    /// The reason for the advice.
    pub why: Sentence,
}

macro_rules! words {
    ($($name:ident, $id:literal:
        when $when:literal, $when_japanese:literal;
        says $says:literal, $says_japanese:literal;
        why $why:literal, $why_japanese:literal;
    )*) => {
        $(pub(crate) const $name: $crate::words::RuleText = $crate::words::RuleText {
            id: $id,
            when: $crate::words::Sentence { english: $when, japanese: $when_japanese },
            says: $crate::words::Sentence { english: $says, japanese: $says_japanese },
            why: $crate::words::Sentence { english: $why, japanese: $why_japanese },
        };)*
    };
}

/// What fills a gap of such a sentence.
macro_rules! phrases {
    ($($name:ident: $english:literal, $japanese:literal;)*) => {
        $(pub(crate) const $name: $crate::rule::Value =
            $crate::rule::Value::Words($crate::words::Sentence { english: $english, japanese: $japanese });)*
    };
}

use {phrases, words};
