//! Bytes as text: encodings that terminals and editors leave behind, and what is none.

use std::borrow::Cow;

use super::{ImportError, ImportRemark, MAX_DOCUMENT_BYTES, MAX_TRANSCRIPT_BYTES};

/// Whether the content is JSON and no transcript: it begins with an object, or with a list of objects, which is
/// refused. Prompts and marks of wikis begin with brackets, too: `[root@server ~]#`, `{{{`.
pub(super) fn is_document(content: &[u8]) -> bool {
    let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    let mut signs = content.iter().filter(|byte| !byte.is_ascii_whitespace());
    match signs.next() {
        Some(b'{') => matches!(signs.next(), Some(b'"' | b'}') | None),
        Some(b'[') => matches!(signs.next(), Some(b'{' | b']') | None),
        _ => false,
    }
}

/// Checks that the content is no larger than what is read of its kind.
pub(super) fn check_size(content: &[u8]) -> Result<(), ImportError> {
    let (what, most) = match is_document(content) {
        true => ("a run document", MAX_DOCUMENT_BYTES),
        false => ("a transcript", MAX_TRANSCRIPT_BYTES),
    };
    if content.len() > most {
        return Err(ImportError::TooLarge { what, limit: format!("{} MiB", most >> 20) });
    }
    Ok(())
}

/// Returns the text, without a byte-order mark; fails if it is empty or no text. PowerShell writes what is redirected
/// in UTF-16; a few broken characters, as prose in another encoding has them, are replaced, with a note.
pub(super) fn decode(content: &[u8]) -> Result<(Cow<'_, str>, Vec<ImportRemark>), ImportError> {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    let text = match content {
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(content),
    };
    let line_of = |at: usize| text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
    if let Some(at) = text.find('\0') {
        return Err(ImportError::Binary { line: line_of(at) });
    }
    if text.trim().is_empty() {
        return Err(ImportError::Empty);
    }
    let what = "it is not in UTF-8; characters that could not be read were replaced";
    let notes = text.find('\u{fffd}').map(|at| ImportRemark::at(line_of(at), what));
    let notes = notes.into_iter().collect();
    Ok((text, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_that_terminals_leave_are_read() {
        let little: Vec<u8> = "\u{feff}aé\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "\u{feff}aé\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for content in [&little, &big, "\u{feff}aé\n".as_bytes(), "aé\n".as_bytes()] {
            let (text, notes) = decode(content).unwrap();
            assert_eq!((text.as_ref(), notes.len()), ("aé\n", 0));
        }
        let (text, notes) = decode(b"a\nb\x83\n").unwrap();
        assert_eq!((text.as_ref(), notes[0].line), ("a\nb\u{fffd}\n", Some(2)));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(decode(b"a\nb\0"), Err(ImportError::Binary { line: 2 }));
        assert_eq!(decode(b" \n\t"), Err(ImportError::Empty));
        assert_eq!(decode(b""), Err(ImportError::Empty));
        assert_eq!(decode(&[0xFF, 0xFE]), Err(ImportError::Empty));
    }

    #[test]
    fn documents_begin_with_a_brace() {
        assert!(is_document(b" \n{") && is_document(b"\xEF\xBB\xBF{") && is_document(b"["));
        assert!(is_document(b"[\n {\"a\": 1}]") && is_document(b"[]"));
        assert!(!is_document(b"OpenSSL {") && !is_document(b""));
        for prompt in
            ["[root@server ~]# openssl speed", "[12:34] $ openssl speed", "[[email protected] ~]$ openssl speed"]
        {
            assert!(!is_document(prompt.as_bytes()), "{prompt}");
        }
    }
}
