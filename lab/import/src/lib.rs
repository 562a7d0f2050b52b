//! Reads runs from elsewhere: the output of `openssl speed`, in any version and as people publish it; files of the
//! collect scripts; run documents.
//!
//! Files are not trusted. They are bounded in size, lines and depth; what cannot be right refuses the whole file, what
//! is not understood is reported by line and left out, and nothing is guessed. Every figure that is kept equals the
//! decimal in the file.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod build_information;
mod collected;
mod command;
mod error;
mod figure;
mod machine;
mod machine_readable;
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

/// The most that is read of a transcript, in bytes: 4 MiB. `openssl speed` prints some ten thousand.
pub const MAX_TRANSCRIPT_BYTES: usize = 4 << 20;
/// The most that is read of a run document, in bytes: 64 MiB.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;
/// The most lines a transcript may have.
pub const MAX_LINES: usize = 100_000;

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The machines, in the order in which they appear.
    pub machines: Vec<ImportedMachine>,
    /// What was not taken over, in the order of the lines.
    pub left_out: Vec<ImportRemark>,
    /// What a reader may want to know; nothing is lost by it.
    pub notes: Vec<ImportRemark>,
}

/// A machine in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedMachine {
    /// Its run. A machine in a transcript has no name unless the file states one.
    pub document: Document,
    /// The first and the last line that say something of it, from 1.
    pub lines: (usize, usize),
}

/// Something about a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportRemark {
    /// The line, from 1; none if it is about the whole file.
    pub line: Option<usize>,
    /// What there is to say.
    pub text: String,
}

impl ImportRemark {
    fn at(line: usize, text: impl Into<String>) -> ImportRemark {
        ImportRemark { line: Some(line), text: text.into() }
    }

    fn whole(text: impl Into<String>) -> ImportRemark {
        ImportRemark { line: None, text: text.into() }
    }
}

/// Reads a file's content; `source` is what its runs say they come from.
///
/// # Errors
/// [`ImportError`] if it is no text, too large, or says something that cannot be right.
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
    let mut imported = if is_document { run_document::read(&text)? } else { transcript::read(source, &text)? };
    for ImportedMachine { document, lines } in &imported.machines {
        let wrong = if is_document { ImportError::document } else { ImportError::transcript };
        document.check_extent().map_err(|what| wrong(lines.0, what))?;
    }
    imported.notes.splice(0..0, notes);
    Ok(imported)
}
