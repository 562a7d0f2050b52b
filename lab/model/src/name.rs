//! Parses names in any spelling, and suggests names for unknown ones.

use std::fmt;

/// Declares an enum with a name for each variant: `ALL`, `name`, `Display` and serde.
///
/// `any spelling of "WHAT"` adds a `FromStr` that accepts any spelling of a name. `exactly "ERROR"` adds a `FromStr`
/// that accepts only exact names and otherwise fails with the message ERROR.
macro_rules! named {
    (
        $(#[$of_type:meta])*
        pub enum $type:ident $(: any spelling of $what:literal)? $(: exactly $error:literal)? {
            $($(#[$of_variant:meta])* $variant:ident = $name:literal,)+
        }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        $(#[$of_type])*
        pub enum $type {
            $($(#[$of_variant])* #[serde(rename = $name)] $variant,)+
        }

        impl $type {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        $(impl std::str::FromStr for $type {
            type Err = $crate::name::UnknownName;

            fn from_str(typed: &str) -> Result<Self, Self::Err> {
                $crate::name::find($what, typed, Self::ALL.iter().map(|one| (one.name(), *one)))
            }
        })?

        $(impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(typed: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|one| one.name() == typed).ok_or_else(|| $error.to_owned())
            }
        })?
    };
}
pub(crate) use named;

/// Returns the letters and digits of a name in lower case. All spellings of a name have these in common.
pub fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Finds the value in `known` whose name equals `typed` but for case, spaces and punctuation.
pub fn find<T: Copy>(
    what: &'static str,
    typed: &str,
    known: impl Iterator<Item = (&'static str, T)> + Clone,
) -> Result<T, UnknownName> {
    // Most names come from documents, spelled exactly.
    if let Some((_, found)) = known.clone().find(|(name, _)| *name == typed) {
        return Ok(found);
    }
    let wanted = plain(cut(typed));
    match known.clone().find(|(name, _)| plain(name) == wanted) {
        Some((_, found)) => Ok(found),
        None => Err(UnknownName::new(what, typed, known.map(|(name, _)| name))),
    }
}

/// Maximum number of characters of an unknown name that are compared and shown.
const MAX_TYPED: usize = 40;
/// Minimum Jaro-Winkler similarity of a suggested name, from 0 to 1.
const MIN_LIKENESS: f64 = 0.85;
const MAX_SUGGESTED: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    typed: String,
    suggested: Vec<&'static str>,
    known: Vec<&'static str>,
}

impl UnknownName {
    pub fn new(what: &'static str, typed: &str, known: impl Iterator<Item = &'static str>) -> UnknownName {
        let known: Vec<&str> = known.collect();
        UnknownName { what, typed: cut(typed).to_owned(), suggested: suggestions(typed, &known), known }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} \"{}\"; ", self.what, crate::printable::printable(&self.typed))?;
        match self.suggested.split_last() {
            None => write!(f, "known are {}", self.known.join(", ")),
            Some((last, [])) => write!(f, "did you mean {last}?"),
            Some((last, others)) => write!(f, "did you mean {} or {last}?", others.join(", ")),
        }
    }
}

impl std::error::Error for UnknownName {}

/// Returns the names in `known` that contain `typed`. If there are none, returns the most similar names.
pub fn suggestions(typed: &str, known: &[&'static str]) -> Vec<&'static str> {
    let wanted = plain(cut(typed));
    let mut found: Vec<&str> = match wanted.len() {
        0..=2 => Vec::new(),
        _ => known.iter().copied().filter(|name| plain(name).contains(&wanted)).collect(),
    };
    if found.is_empty() {
        let likeness = |name: &str| strsim::jaro_winkler(&plain(name), &wanted);
        found = known.iter().copied().filter(|name| likeness(name) >= MIN_LIKENESS).collect();
        found.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
        found.truncate(3);
    }
    found.truncate(MAX_SUGGESTED);
    found
}

fn cut(typed: &str) -> &str {
    typed.char_indices().nth(MAX_TYPED).map_or(typed, |(end, _)| &typed[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["aes-128-gcm", "aes-256-gcm", "sha-256", "chacha20-poly1305"];

    fn found(typed: &str) -> Result<&'static str, String> {
        find("algorithm", typed, KNOWN.iter().map(|name| (*name, *name))).map_err(|error| error.to_string())
    }

    #[test]
    fn find_accepts_any_spelling_of_a_name() {
        for typed in ["aes-128-gcm", "AES-128-GCM", "aes128gcm", "aes 128 gcm", "AES_128_GCM"] {
            assert_eq!(found(typed), Ok("aes-128-gcm"), "{typed}");
        }
        assert_eq!(found("sha256"), Ok("sha-256"));
    }

    #[test]
    fn unknown_names_get_similar_suggestions() {
        for (typed, suggested) in [
            ("aes", "did you mean aes-128-gcm or aes-256-gcm?"),
            ("chacha20", "did you mean chacha20-poly1305?"),
            ("aes-129-gcm", "did you mean aes-128-gcm or aes-256-gcm?"),
            ("sha-265", "did you mean sha-256?"),
            ("rot13", "known are aes-128-gcm, aes-256-gcm, sha-256, chacha20-poly1305"),
            ("", "known are aes-128-gcm, aes-256-gcm, sha-256, chacha20-poly1305"),
        ] {
            let message = found(typed).unwrap_err();
            assert_eq!(message, format!("unknown algorithm \"{typed}\"; {suggested}"));
        }
    }

    #[test]
    fn unknown_name_error_cuts_and_escapes_hostile_text() {
        let message = found(&"\u{1b}[31m".repeat(100_000)).unwrap_err();
        assert!(message.len() < 400 && !message.contains('\u{1b}'), "{message}");
    }
}
