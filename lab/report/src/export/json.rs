//! JSON: the run document itself.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;

use crate::visible::is_hidden;
use kasoku_model::document::Document;

/// The document, indented. What a terminal would obey is written as `\u` escapes, so that reading it gives the same
/// document and printing it does no harm.
pub fn json(document: &Document) -> String {
    text(document)
}

/// The same for any value.
pub fn text<T: Serialize>(value: &T) -> String {
    let mut out = Shown(String::new());
    // Writing to a string fails only for maps whose keys are not strings; nothing here has one.
    _ = serde_json::to_writer_pretty(&mut out, value);
    out.0.push('\n');
    out.0
}

/// The document on one line.
pub fn compact(document: &Document) -> String {
    let mut out = Shown(String::new());
    _ = serde_json::to_writer(&mut out, document);
    out.0.push('\n');
    out.0
}

/// What was written, fit to be shown. A document may take hundreds of megabytes, so that there is one copy of it.
struct Shown(String);

impl io::Write for Shown {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // serde_json writes whole strings, or parts between its own escapes.
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        if bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
            self.0.push_str(text);
            return Ok(bytes.len());
        }
        for character in text.chars() {
            // serde_json escapes the control characters below a space; the line breaks left are its own.
            if is_hidden(character) && character != '\n' {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    _ = write!(self.0, "\\u{unit:04x}");
                }
            } else {
                self.0.push(character);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
