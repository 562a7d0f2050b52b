//! Languages of output, one for each catalogue in `messages/`.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;

include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Language(usize);

impl Language {
    /// English, the language of documents and the fallback.
    pub const ENGLISH: Language = Language(0);

    /// Returns every language, English first.
    pub fn all() -> impl Iterator<Item = Language> {
        (0..CATALOGUES.len()).map(Language)
    }

    pub fn from_tag(tag: &str) -> Option<Language> {
        Language::all().find(|language| language.tag() == tag)
    }

    pub fn tag(self) -> &'static str {
        CATALOGUES[self.0].0
    }

    pub(crate) fn messages(self) -> &'static str {
        CATALOGUES[self.0].1
    }

    /// Returns the language of the user's locale: from the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not
    /// empty. `variable` reads them. Output is UTF-8, so locales with another encoding get English.
    pub fn from_locale(variable: impl Fn(&str) -> Option<String>) -> Language {
        let said = |name: &&str| variable(name).filter(|locale| !locale.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(said).unwrap_or_default().to_lowercase();
        let locale = locale.split('@').next().unwrap_or_default();
        let (language, encoding) = locale.split_once('.').unwrap_or((locale, "utf-8"));
        let tag = language.split('_').next().unwrap_or_default();
        let is_readable = matches!(encoding, "utf-8" | "utf8");
        Language::all().find(|language| is_readable && language.tag() == tag).unwrap_or_default()
    }
}

impl ValueEnum for Language {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Language>> = LazyLock::new(|| Language::all().collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let name = self.messages().lines().find_map(|line| line.strip_prefix("site-language = "));
        Some(PossibleValue::new(self.tag()).help(name.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_locale_reads_the_first_variable_that_is_not_empty() {
        let tag_for = |variables: &[(&str, &str)]| {
            let value =
                |name: &str| variables.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned());
            Language::from_locale(value).tag()
        };
        for japanese in ["ja", "ja_JP", "ja_JP.UTF-8", "ja_JP.utf8", "ja_JP.UTF-8@x"] {
            assert_eq!(tag_for(&[("LANG", japanese)]), "ja", "{japanese}");
        }
        for english in ["", "C", "C.UTF-8", "en_US.UTF-8", "ja_JP.eucJP", "jam_JM.UTF-8"] {
            assert_eq!(tag_for(&[("LANG", english)]), "en", "{english}");
        }
        assert_eq!(tag_for(&[]), "en");
        assert_eq!(tag_for(&[("LANG", "ja_JP.UTF-8"), ("LC_ALL", "C")]), "en");
        assert_eq!(tag_for(&[("LANG", "en_US.UTF-8"), ("LC_MESSAGES", "ja_JP.UTF-8")]), "ja");
        assert_eq!(tag_for(&[("LANG", "ja_JP.UTF-8"), ("LC_ALL", "")]), "ja");
    }
}
