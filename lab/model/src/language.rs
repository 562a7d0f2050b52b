//! The languages that results are told in.

use clap::ValueEnum;

/// A language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum Language {
    /// English.
    #[default]
    #[value(name = "en")]
    English,
    /// Japanese.
    #[value(name = "ja")]
    Japanese,
}

impl Language {
    /// Its tag in pages and on the command line (BCP 47).
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
        }
    }

    /// What its readers call it.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Japanese => "日本語",
        }
    }

    /// The one that the user's locale asks for, by the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that says anything;
    /// `variable` reads them. What is told is UTF-8, so a locale of another encoding asks in vain.
    pub fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Language {
        let said = |name: &&str| variable(name).filter(|locale| !locale.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(said).unwrap_or_default().to_lowercase();
        let locale = locale.split('@').next().unwrap_or_default();
        let (language, encoding) = locale.split_once('.').unwrap_or((locale, "utf-8"));
        match (language.split('_').next(), encoding) {
            (Some("ja"), "utf-8" | "utf8") => Language::Japanese,
            _ => Language::English,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_says_anything_decides() {
        let of = |variables: &[(&str, &str)]| {
            let value =
                |name: &str| variables.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned());
            Language::of_locale(value)
        };
        for japanese in ["ja", "ja_JP", "ja_JP.UTF-8", "ja_JP.utf8", "ja_JP.UTF-8@x"] {
            assert_eq!(of(&[("LANG", japanese)]), Language::Japanese, "{japanese}");
        }
        for english in ["", "C", "C.UTF-8", "en_US.UTF-8", "ja_JP.eucJP", "jam_JM.UTF-8"] {
            assert_eq!(of(&[("LANG", english)]), Language::English, "{english}");
        }
        assert_eq!(of(&[]), Language::English);
        assert_eq!(of(&[("LANG", "ja_JP.UTF-8"), ("LC_ALL", "C")]), Language::English);
        assert_eq!(of(&[("LANG", "en_US.UTF-8"), ("LC_MESSAGES", "ja_JP.UTF-8")]), Language::Japanese);
        assert_eq!(of(&[("LANG", "ja_JP.UTF-8"), ("LC_ALL", "")]), Language::Japanese);
    }
}
