//! A part of a plaintext: `FROM..TO`.

use std::str::FromStr;

/// Bytes from `from` to `to`, that one not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first byte.
    pub from: u64,
    /// The first that is not wanted; the end of the plaintext if it is not given.
    pub to: Option<u64>,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("invalid range \"{}\"; write FROM..TO, like 4096..8192, 1M..2M, ..100 or 1G..", short(text));
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let from = if from.is_empty() { 0 } else { bytes(from).ok_or_else(wrong)? };
        let to = if to.is_empty() { None } else { Some(bytes(to).ok_or_else(wrong)?) };
        if to.is_some_and(|to| to < from) {
            return Err(format!("the range \"{}\" ends before it begins", short(text)));
        }
        Ok(Range { from, to })
    }
}

/// A number of bytes, also in K, M, G and T (of 1,024 each).
fn bytes(text: &str) -> Option<u64> {
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

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_people_write_them() {
        let range = |from, to| Ok(Range { from, to });
        assert_eq!("0..16".parse(), range(0, Some(16)));
        assert_eq!("1M..2M".parse(), range(1 << 20, Some(2 << 20)));
        assert_eq!("..100".parse(), range(0, Some(100)));
        assert_eq!("10G..".parse(), range(10 << 30, None));
        assert_eq!("5..5".parse(), range(5, Some(5)));
        for wrong in ["", "5", "a..b", "5..4", "1.5..2", "+1..2", "99999999999999999999..", "20000000T..", "é..", "K.."]
        {
            assert!(wrong.parse::<Range>().is_err(), "{wrong}");
        }
    }
}
