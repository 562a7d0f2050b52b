//! JSON that is safe to print on a terminal.

use std::io;

use serde::Serialize;

use crate::text::is_hidden;
use kasoku_model::document::Document;

/// Returns the JSON of `value`, indented. Writes characters that terminals act on as `\u` escapes, which parse to the
/// same value.
pub fn text<T: Serialize>(value: &T) -> String {
    let mut out = Escaping(Vec::new());
    // Writing to memory fails only for maps with keys that are not strings. There are none.
    _ = serde_json::to_writer_pretty(&mut out, value);
    out.0.push(b'\n');
    String::from_utf8(out.0).unwrap_or_default()
}

/// Writes a document on one line, without a copy in memory: it may have hundreds of megabytes.
pub fn write_compact(document: &Document, mut out: impl io::Write) -> io::Result<()> {
    serde_json::to_writer(Escaping(&mut out), document)?;
    out.write_all(b"\n")
}

struct Escaping<W>(W);

impl<W: io::Write> io::Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        // Each write is valid UTF-8: serde_json writes whole strings or the parts between its escapes.
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        for character in text.chars() {
            // serde_json has escaped line breaks in strings, so these are its own.
            if is_hidden(character) && character != '\n' {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(self.0, "\\u{unit:04x}")?;
                }
            } else {
                write!(self.0, "{character}")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
