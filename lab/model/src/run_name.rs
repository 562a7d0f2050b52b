//! Names of runs, which are unique and sort by time, and labels, which users give to runs.

use std::hash::{BuildHasher, Hasher};

use serde::{Deserialize, Deserializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Creates a run name like `20261121-093012-7f3a`: the time in UTC and a random suffix.
pub fn new() -> String {
    let digits: String = now().chars().filter(char::is_ascii_digit).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    let random = std::hash::RandomState::new().build_hasher().finish() & 0xffff;
    format!("{day}-{time}-{random:04x}")
}

/// Returns the current time to the second, RFC 3339 in UTC.
pub fn now() -> String {
    OffsetDateTime::now_utc().truncate_to_second().format(&Rfc3339).unwrap_or_default()
}

const MAX_LABEL: usize = 60;
/// Characters that a label may have between its letters and digits.
const BETWEEN: [char; 4] = ['-', '_', '.', '+'];

/// Checks that `text` is a valid label, and returns it. The error is a message for the user.
pub fn label(text: &str) -> Result<String, String> {
    let is_allowed = |character: char| character.is_alphanumeric() || BETWEEN.contains(&character);
    let has_ends = text.starts_with(char::is_alphanumeric) && text.ends_with(char::is_alphanumeric);
    if !has_ends || !text.chars().all(is_allowed) {
        return Err("a label must be letters and digits, with hyphens, dots, + or _ in between".to_owned());
    }
    if text.chars().count() > MAX_LABEL {
        return Err(format!("a label has at most {MAX_LABEL} characters"));
    }
    if is_place(text) {
        return Err(format!("{text} is what the newest runs go by already"));
    }
    Ok(text.to_owned())
}

/// Whether `text` is `last` or `last-N`, which select a run by its position instead of its name.
pub fn is_place(text: &str) -> bool {
    text == "last" || text.strip_prefix("last-").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Deserializes a label; an invalid one becomes `None`.
pub(crate) fn read_label<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.filter(|text| label(text).is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_names_sort_by_time_and_now_is_rfc_3339() {
        let (first, second) = (new(), new());
        assert_eq!(first.len(), "20261121-093012-7f3a".len());
        assert!(first[..15] <= second[..15]);
        let text = now();
        assert!(text.ends_with('Z') && OffsetDateTime::parse(&text, &Rfc3339).is_ok(), "{text}");
    }

    #[test]
    fn label_rejects_spaces_controls_and_reserved_names() {
        for good in ["before", "OpenSSL-3.5.4+patch", "a", "更新前", "2026-11-23", "lasting", "last-one"] {
            assert_eq!(label(good).as_deref(), Ok(good));
        }
        let long = "x".repeat(MAX_LABEL + 1);
        for bad in ["", " ", "-x", "x-", "a b", "a\nb", "a\u{1b}[31mb", "a/b", "last", "last-3", "last-", long.as_str()]
        {
            assert!(label(bad).is_err(), "{bad:?}");
        }
    }
}
