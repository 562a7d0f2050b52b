//! Makes text of other origin (CPU names, files, documents) safe to print on a terminal.

/// Maximum number of characters of a text that are kept.
const MAX: usize = 200;

/// Puts `text` on one line that is safe on a terminal: white space becomes single spaces, control characters and
/// those that reorder or hide text become escapes, and long text is cut.
///
/// ```
/// use kasoku_model::printable::printable;
/// assert_eq!(printable("  Xeon(R)\t CPU \u{1b}[31m"), "Xeon(R) CPU \\u{1b}[31m");
/// ```
pub fn printable(text: &str) -> String {
    let words: Vec<&str> = text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()).collect();
    let line = escaped(&words.join(" "));
    match line.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Escapes the characters in `text` that a terminal would obey or would not show.
///
/// ```
/// use kasoku_model::printable::escaped;
/// assert_eq!(escaped("two  words\u{1b}[31m\n"), "two  words\\u{1b}[31m\\u{a}");
/// ```
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Whether a character must be escaped. This applies to control characters (C0, DEL, C1), line and paragraph
/// separators, directional embeddings, overrides and isolates, zero-width characters, the byte-order mark and tag
/// characters.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_escapes_terminal_controls() {
        let hostile = "a\u{1b}]0;title\u{7}\u{9b}2J\u{202e}b\u{0}\rc\u{7f}\u{2028}d";
        let text = printable(hostile);
        assert!(text.chars().all(|character| !is_hidden(character)), "{text}");
        assert!(text.contains("\\u{1b}") && text.contains("\\u{202e}"));
    }

    #[test]
    fn printable_keeps_ordinary_text_and_cuts_long_text() {
        assert_eq!(printable("AMD EPYC 9654 96-Core Processor  "), "AMD EPYC 9654 96-Core Processor");
        assert_eq!(printable("加速"), "加速");
        assert_eq!(printable(&"é".repeat(10_000)).chars().count(), MAX + 1);
        assert_eq!(printable(""), "");
    }
}
