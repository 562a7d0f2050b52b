//! Decodes a file's bytes (UTF-8, or UTF-16 as PowerShell writes it) and tells run documents from transcripts.

use std::borrow::Cow;

use super::{ImportError, ImportRemark, MAX_DOCUMENT_BYTES, MAX_TRANSCRIPT_BYTES};

/// Whether the content begins with a JSON object or a list of objects. Prompts and wiki markup begin with brackets,
/// too: `[root@server ~]#`, `{{{`.
pub(super) fn is_document(content: &[u8]) -> bool {
    let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    let mut signs = content.iter().filter(|byte| !byte.is_ascii_whitespace());
    match signs.next() {
        Some(b'{') => matches!(signs.next(), Some(b'"' | b'}') | None),
        Some(b'[') => matches!(signs.next(), Some(b'{' | b']') | None),
        _ => false,
    }
}

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

/// Returns the text without its byte-order mark, and a note if undecodable characters were replaced. Fails if the
/// content is empty or not text.
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
    let note = text.find('\u{fffd}').map(|at| ImportRemark::at(line_of(at), what));
    let notes = Vec::from_iter(note);
    Ok((text, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_reads_utf_8_and_utf_16_and_notes_broken_characters() {
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
    fn decode_rejects_nul_bytes_and_empty_files() {
        assert_eq!(decode(b"a\nb\0"), Err(ImportError::Binary { line: 2 }));
        for empty in [&b" \n\t"[..], b"", b"\xFF\xFE"] {
            assert_eq!(decode(empty), Err(ImportError::Empty), "{empty:?}");
        }
    }

    #[test]
    fn is_document_accepts_json_and_not_prompts_in_brackets() {
        for json in [" \n{", "\u{feff}{", "[", "[\n {\"a\": 1}]", "[]"] {
            assert!(is_document(json.as_bytes()), "{json}");
        }
        for other in
            ["OpenSSL {", "", "[root@server ~]# openssl", "[12:34] $ openssl", "[[email protected] ~]$ openssl"]
        {
            assert!(!is_document(other.as_bytes()), "{other}");
        }
    }
}
