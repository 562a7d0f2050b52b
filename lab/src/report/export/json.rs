//! JSON: the run document itself.

use std::fmt::Write;

use serde::Serialize;

use crate::document::Document;
use crate::report::visible::is_hidden;

/// The document, indented. What a terminal would obey is written as `\u` escapes, so that reading it gives the same
/// document and printing it does no harm.
pub fn json(document: &Document) -> String {
    text(document)
}

/// The same for any value.
pub(crate) fn text<T: Serialize>(value: &T) -> String {
    // Writing to a string fails only for maps whose keys are not strings; nothing here has one.
    let plain = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(plain.len() + 1);
    for character in plain.chars() {
        // serde_json escapes the control characters below a space; the line breaks left are its own.
        if is_hidden(character) && character != '\n' {
            for unit in character.encode_utf16(&mut [0; 2]) {
                _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out.push('\n');
    out
}
