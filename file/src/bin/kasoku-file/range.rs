//! Byte ranges of a plaintext: `FROM..TO`.

use std::str::FromStr;

/// Range of bytes from `from` (inclusive) to `to` (exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: u64,
    /// End of the range, exclusive; `None` stands for the end of the plaintext.
    pub(crate) to: Option<u64>,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shown: String = text.chars().take(40).collect();
        let wrong = || format!("invalid range \"{shown}\"; write FROM..TO, like 4096..8192, 1M..2M, ..100 or 1G..");
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let from = if from.is_empty() { 0 } else { parse_bytes(from).ok_or_else(wrong)? };
        let to = if to.is_empty() { None } else { Some(parse_bytes(to).ok_or_else(wrong)?) };
        if to.is_some_and(|to| to < from) {
            return Err(format!("the range \"{shown}\" ends before it begins"));
        }
        Ok(Range { from, to })
    }
}

/// Parses a number of bytes, optionally in K, M, G or T (powers of 1,024).
fn parse_bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.split_at_checked(text.len().saturating_sub(1))? {
        (digits, "K") => (digits, 10),
        (digits, "M") => (digits, 20),
        (digits, "G") => (digits, 30),
        (digits, "T") => (digits, 40),
        _ => (text, 0),
    };
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse::<u64>().ok().filter(|_| is_plain)?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_parses_units_and_open_ends() {
        let range = |from, to| Ok(Range { from, to });
        assert_eq!("0..16".parse(), range(0, Some(16)));
        assert_eq!("1M..2M".parse(), range(1 << 20, Some(2 << 20)));
        assert_eq!("..100".parse(), range(0, Some(100)));
        assert_eq!("10G..".parse(), range(10 << 30, None));
        assert_eq!("5..5".parse(), range(5, Some(5)));
    }

    #[test]
    fn range_rejects_malformed_text() {
        for wrong in ["", "5", "a..b", "5..4", "1.5..2", "+1..2", "99999999999999999999..", "20000000T..", "é..", "K.."]
        {
            assert!(wrong.parse::<Range>().is_err(), "{wrong}");
        }
    }
}
