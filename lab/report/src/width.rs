//! Wraps text by display width: a Japanese character takes two columns, and lines may break after it.

/// Wraps `text` into lines of at most `columns` columns, except for longer words. Breaks at spaces and beside wide
/// characters, but never before closing or after opening punctuation.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for piece in pieces(text) {
        let wide = columns_of(piece);
        if used > 0 && used + columns_of(piece.trim_end()) > columns {
            lines.push(line.trim_end().to_owned());
            (line, used) = (String::new(), 0);
        }
        line.push_str(piece);
        used += wide;
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// Returns the display width of `text` in columns.
pub fn columns_of(text: &str) -> usize {
    text.chars().map(|character| if is_wide(character) { 2 } else { 1 }).sum()
}

/// Splits `text` into unbreakable pieces: words with the space after them, and single wide characters with adjacent
/// punctuation.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (index, character) in text.char_indices() {
        if before.is_some_and(|before| may_break(before, character)) {
            pieces.push(&text[start..index]);
            start = index;
        }
        before = Some(character);
    }
    pieces.push(&text[start..]);
    pieces
}

fn may_break(before: char, after: char) -> bool {
    if after == ' ' || is_closing(after) || is_opening(before) {
        return false;
    }
    before == ' ' || is_wide(before) || is_wide(after)
}

fn is_closing(character: char) -> bool {
    "、。，．）」』】〉》・：；！？ー～,.)]}:;!?%".contains(character)
}

fn is_opening(character: char) -> bool {
    "（「『【〈《([{".contains(character)
}

/// Whether a character takes two columns: Unicode's East Asian Width W and F, as far as texts and machine names need
/// it.
pub(crate) fn is_wide(character: char) -> bool {
    matches!(u32::from(character),
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrap_keeps_words_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("overlong", 3), ["overlong"]);
        assert_eq!(wrap("", 3), [""]);
    }

    #[test]
    fn wrap_breaks_japanese_except_before_closing_punctuation() {
        let lines = wrap("暗号は、AES-GCM を（速さで）選びます。", 12);
        assert_eq!(lines.concat().replace(' ', ""), "暗号は、AES-GCMを（速さで）選びます。");
        for line in &lines {
            assert!(columns_of(line) <= 12, "{line}");
            assert!(!line.starts_with(is_closing) && !line.ends_with(is_opening), "{line}");
        }
    }
}
