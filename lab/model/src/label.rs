//! Labels: what somebody calls a run beside the name that it has, as `before` and `after`.

use serde::{Deserialize, Deserializer};

/// The most characters of one.
const MAX: usize = 60;
/// What may stand between its letters and digits.
const BETWEEN: [char; 4] = ['-', '_', '.', '+'];

/// `text` as a label.
///
/// # Errors
/// Why it can be none.
pub fn label(text: &str) -> Result<String, String> {
    let is_allowed = |character: char| character.is_alphanumeric() || BETWEEN.contains(&character);
    let has_ends = text.starts_with(char::is_alphanumeric) && text.ends_with(char::is_alphanumeric);
    if !has_ends || !text.chars().all(is_allowed) {
        return Err("a label must be letters and digits, with hyphens, dots, + or _ in between".to_owned());
    }
    if text.chars().count() > MAX {
        return Err(format!("a label has at most {MAX} characters"));
    }
    if is_place(text) {
        return Err(format!("{text} is what the newest runs go by already"));
    }
    Ok(text.to_owned())
}

/// Whether it is `last`, or `last-N`, which name a run by its place.
pub fn is_place(text: &str) -> bool {
    text == "last" || text.strip_prefix("last-").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The label in a document; what can be none is left out.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| label(text).is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_what_can_be_typed_and_shown() {
        for good in ["before", "OpenSSL-3.5.4+patch", "a", "更新前", "2026-11-23", "lasting", "last-one"] {
            assert_eq!(label(good).as_deref(), Ok(good));
        }
        let long = "x".repeat(MAX + 1);
        for bad in ["", " ", "-x", "x-", "a b", "a\nb", "a\u{1b}[31mb", "a/b", "last", "last-3", "last-", long.as_str()]
        {
            assert!(label(bad).is_err(), "{bad:?}");
        }
    }
}
