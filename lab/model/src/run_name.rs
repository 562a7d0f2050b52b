//! Names of runs: unique, rising with time, short enough to type.

use std::hash::{BuildHasher, Hasher};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A new name, like `20261121-093012-7f3a`: the time in UTC and a random end.
pub fn new() -> String {
    let now = OffsetDateTime::now_utc();
    let random = std::hash::RandomState::new().build_hasher().finish() & 0xffff;
    format!(
        "{:04}{:02}{:02}-{:02}{:02}{:02}-{random:04x}",
        now.year(),
        u8::from(now.month()),
        now.day(),
        now.hour(),
        now.minute(),
        now.second()
    )
}

/// The time now, RFC 3339 in UTC, to the second.
pub fn now() -> String {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_time() {
        let (first, second) = (new(), new());
        assert_eq!(first.len(), "20261121-093012-7f3a".len());
        assert!(first[..15] <= second[..15]);
    }

    #[test]
    fn the_time_is_rfc_3339() {
        let text = now();
        assert!(text.ends_with('Z') && OffsetDateTime::parse(&text, &Rfc3339).is_ok(), "{text}");
    }
}
