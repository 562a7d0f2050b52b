//! Parses the figures that openssl prints into the nearest floating-point number of the exact decimal.

/// Highest plausible throughput; a higher figure is damaged.
pub(super) const MAX_BYTES_PER_SECOND: f64 = 1e15;
const MAX_OPERATIONS_PER_SECOND: f64 = 1e12;
/// Throughput below which openssl prints bytes, without `k`, instead of thousands of bytes per second.
const MIN_WITH_K: f64 = 10_000.0;

/// Fault of a figure, in words that follow "the figure … ".
pub(super) type Bad = &'static str;

/// Parses bytes per second like `20369.30k`, or like `983.12` if they are below [`MIN_WITH_K`].
pub(super) fn bulk(text: &str) -> Result<f64, Bad> {
    match text.strip_suffix('k') {
        // An exponent in the text is exact; multiplying the parsed number by 1000 would round twice.
        Some(thousands) => exact(thousands, 2, "e3", MAX_BYTES_PER_SECOND),
        // A figure just below the limit may round up to it.
        None => exact(text, 2, "", f64::INFINITY)
            .and_then(|figure| if figure > MIN_WITH_K { Err("has lost its \"k\"") } else { Ok(figure) }),
    }
}

pub(super) fn rate(text: &str) -> Result<f64, Bad> {
    exact(text, 1, "", MAX_OPERATIONS_PER_SECOND)
}

/// Parses seconds per operation: `0.0033s` or `0.000080s`.
pub(super) fn seconds(text: &str) -> Result<f64, Bad> {
    let digits = text.strip_suffix('s').ok_or("is not a time in seconds")?;
    exact(digits, 4, "", f64::INFINITY).or_else(|_| exact(digits, 6, "", f64::INFINITY))
}

/// Whether a word begins like a figure, valid or not.
pub(super) fn is_attempt(word: &str) -> bool {
    let word = word.strip_prefix(['+', '-']).unwrap_or(word);
    let begins = word.as_bytes().first().is_some_and(|first| first.is_ascii_digit() || *first == b'.');
    begins || is_not_a_number(word)
}

/// Whether a word is certainly a figure of openssl, even in a sentence: `20369.30k`, `0.0033s`.
pub(super) fn is_unmistakable(word: &str) -> bool {
    let word = word.trim_matches(['|', ',', ';', '*', '`', '(', ')']);
    match word.strip_suffix('k') {
        Some(digits) => exact(digits, 2, "", f64::INFINITY).is_ok(),
        None => seconds(word).is_ok(),
    }
}

/// Whether a word is a figure with a decimal comma or commas between thousands: `20369,30k`, `20,369.30k`, `0,0033s`.
pub(super) fn has_decimal_comma(word: &str) -> bool {
    let Some((whole, part)) = word.rsplit_once([',', '.']) else { return false };
    word.contains(',') && is_unmistakable(&format!("{}.{part}", whole.replace([',', '.', '\''], "")))
}

/// Whether a word has the form of a throughput, or is one of [`NOT_NUMBERS`].
pub(super) fn is_bulk_form(word: &str) -> bool {
    let bare = word.strip_suffix('k').unwrap_or(word);
    let bare = bare.strip_prefix(['+', '-']).unwrap_or(bare);
    exact(bare, 2, "", f64::INFINITY).is_ok() || is_not_a_number(word.strip_prefix(['+', '-']).unwrap_or(word))
}

/// Infinity and not-a-number as C libraries print them.
const NOT_NUMBERS: [&str; 5] = ["nan", "inf", "infinity", "1.#inf", "1.#ind"];

fn is_not_a_number(word: &str) -> bool {
    let word = word.strip_suffix(['k', 's']).unwrap_or(word);
    NOT_NUMBERS.iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// Parses a decimal with exactly `places` digits behind the point, followed by `exponent`, and checks that it is at
/// most `most`.
fn exact(text: &str, places: usize, exponent: &str, most: f64) -> Result<f64, Bad> {
    if is_not_a_number(text.strip_prefix(['+', '-']).unwrap_or(text)) {
        return Err("is not a number");
    }
    if text.starts_with('-') {
        return Err("is negative");
    }
    let (whole, part) = text.split_once('.').ok_or("is truncated, or not a figure")?;
    let are_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(part) || part.len() != places {
        return Err("is truncated, or not a figure");
    }
    if whole.len() > 30 {
        return Err("is implausibly high");
    }
    let figure = format!("{text}{exponent}").parse().map_err(|_| "is truncated, or not a figure")?;
    if figure > most { Err("is implausibly high") } else { Ok(figure) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_parse_to_the_printed_decimal() {
        assert_eq!(bulk("20369.30k"), Ok(20_369_300.0));
        assert_eq!(bulk("2537825.10k"), Ok(2_537_825_100.0));
        assert_eq!(bulk("4079893.16k"), Ok(4_079_893_160.0));
        assert_eq!(bulk("983.12"), Ok(983.12));
        assert_eq!(rate("301.4"), Ok(301.4));
    }

    #[test]
    fn figures_reject_malformed_and_implausible_values() {
        for text in
            ["", "k", "1", "1k", "1.2k", "1.234k", "1.23K", "-1.23k", "+1.23k", "nank", "inf", "NaN", "1e5", "١.23k"]
        {
            assert!(bulk(text).is_err(), "{text}");
        }
        for text in ["23571.11", "1000000000000.01k", "99999999999999999999999999999999999999.99k"] {
            assert!(bulk(text).is_err(), "{text}");
        }
        for text in ["1", "1.", "1.23", "9999999999999.0", "-1.0", ".5"] {
            assert!(rate(text).is_err(), "{text}");
        }
        assert!(seconds("0.0033s").is_ok() && seconds("0.000080s").is_ok());
        assert!(seconds("0.003s").is_err() && seconds("0.0033").is_err());
    }

    #[test]
    fn figures_in_prose_need_the_exact_form_of_openssl() {
        for word in ["6.4倍", "1KB", "2.3GHz", "3.00", "16", "256Bytes", "4.9倍くらいになっています。"] {
            assert!(!is_unmistakable(word), "{word}");
        }
        for word in ["101111,11k", "101.111,11k", "101,111.11k", "0,0033s"] {
            assert!(has_decimal_comma(word) && !is_unmistakable(word), "{word}");
        }
        for word in ["20369.30k", "1,2", "a,b.00k", "6,4倍", "k", ",k"] {
            assert!(!has_decimal_comma(word), "{word}");
        }
        for word in ["12225.40k", "|5258.12k|", "0.0033s"] {
            assert!(is_unmistakable(word), "{word}");
        }
    }
}
