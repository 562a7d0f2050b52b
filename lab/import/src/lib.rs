//! Imports results that Kasoku did not measure here: output of `openssl speed` as people publish it, output of `bssl
//! speed`, files of the collect scripts, and run documents.
//!
//! Files are not trusted: size, lines and depth are bounded. An impossible value rejects the whole file. A line that is
//! not understood is reported and left out; nothing is guessed. Every imported figure equals the decimal in the file.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod bssl;
mod build_information;
mod collected;
mod command;
mod error;
mod figure;
mod machine;
mod mask;
mod names;
mod row;
mod run_document;
pub mod source;
mod text;
mod timing;
mod transcript;

pub use error::ImportError;

use kasoku_model::document::Document;

/// Maximum size of a transcript. `openssl speed` prints about ten thousand bytes.
const MAX_TRANSCRIPT_BYTES: usize = 4 << 20;
const MAX_DOCUMENT_BYTES: usize = 64 << 20;
const MAX_LINES: usize = 100_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Machines in the order in which they appear.
    pub machines: Vec<ImportedMachine>,
    /// Figures and commands that were not imported, in the order of their lines.
    pub left_out: Vec<ImportRemark>,
    /// Remarks about the import that concern no lost figure.
    pub notes: Vec<ImportRemark>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ImportedMachine {
    /// The run. Its machine has a name only if the file states one.
    pub document: Document,
    /// First and last line about the machine, from 1.
    pub lines: (usize, usize),
}

/// A message about a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportRemark {
    /// The line, from 1; `None` if the message is about the whole file.
    pub line: Option<usize>,
    pub text: String,
}

impl ImportRemark {
    fn at(line: usize, text: impl Into<String>) -> ImportRemark {
        ImportRemark { line: Some(line), text: text.into() }
    }
}

/// Imports `content`; the runs name `source` as their origin.
///
/// # Errors
/// If `content` is not text, is too large or has an impossible value.
///
/// ```
/// let transcript = "OpenSSL 1.0.1i 6 Aug 2014
/// type             16 bytes     64 bytes
/// aes-256-cbc     252170.02k   341556.71k
/// ";
/// let imported = kasoku_import::import("blog.txt", transcript.as_bytes())?;
/// assert_eq!(imported.machines[0].document.series[0].median, Some(252_170_020.0));
/// # Ok::<(), kasoku_import::ImportError>(())
/// ```
pub fn import(source: &str, content: &[u8]) -> Result<Imported, ImportError> {
    text::check_size(content)?;
    let (text, notes) = text::decode(content)?;
    let is_document = text::is_document(text.as_bytes());
    let mut imported = match () {
        () if is_document && text.trim_start().starts_with('[') => bssl::read_json(source, &text)?,
        () if is_document => run_document::read(&text)?,
        () if bssl::is_output(&text) => bssl::read_lines(source, &text)?,
        () => transcript::read(source, &text)?,
    };
    for ImportedMachine { document, lines } in &imported.machines {
        let wrong = if is_document { ImportError::document } else { ImportError::transcript };
        document.check_extent().map_err(|what| wrong(lines.0, what))?;
    }
    imported.notes.splice(0..0, notes);
    Ok(imported)
}
