//! Text from documents, made harmless: nothing in it can steer a terminal or hide from the reader.

use super::width::columns_of;
pub(crate) use kasoku_model::printable::{escaped as visible, is_hidden};

/// [`visible`], and no wider than `most` columns, of which a Japanese character takes two.
pub(crate) fn short(text: &str, most: usize) -> String {
    let shown = visible(text);
    if columns_of(&shown) <= most {
        return shown;
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += columns_of(character.encode_utf8(&mut [0; 4]));
        used <= most
    };
    shown.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_has_nothing_to_obey() {
        assert_eq!(visible("a\u{1b}[31mb\r\n\u{9b}2J\u{202e}c"), "a\\u{1b}[31mb\\u{d}\\u{a}\\u{9b}2J\\u{202e}c");
        assert_eq!(visible("加速 ±µ"), "加速 ±µ");
    }

    #[test]
    fn a_long_name_is_cut_and_says_so() {
        assert_eq!(short("abcdef", 6), "abcdef");
        assert_eq!(short("abcdefg", 6), "abcde…");
        assert_eq!(short("\u{1b}", 4), "\\u{…");
        assert_eq!(
            [short("加速装置", 8), short("加速装置", 7), short("加速装置", 6)],
            ["加速装置", "加速装…", "加速…"]
        );
    }
}
