//! Errors of an import. Their text says what is wrong and what to do; the line is apart, for the caller to show.

use kasoku_model::document::SCHEMA;

/// Why a file cannot be imported. Nothing of it is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The file has more bytes or lines than are read.
    #[error("it is larger than {limit}, the limit for {what}; import only the part with the figures")]
    TooLarge {
        /// What the file seems to be.
        what: &'static str,
        /// The limit, with its unit.
        limit: String,
    },
    /// The file is no text.
    #[error("contains a NUL byte, so it is not text; import openssl speed output, or a run document")]
    Binary {
        /// The line, from 1.
        line: usize,
    },
    /// The file has no content.
    #[error("it is empty; import the output of openssl speed, or a run document")]
    Empty,
    /// The file is a JSON list, as `bssl speed -json` prints.
    #[error(
        "it is a JSON list and no run document; the output of `bssl speed -json` cannot be imported, only that of \
         `openssl speed`"
    )]
    List,
    /// The file is a run document of another schema.
    #[error(
        "it is a run document of schema {schema}, and this version of Kasoku reads schema {SCHEMA}; import it with the \
         version that wrote it, or with a newer one"
    )]
    OtherSchema {
        /// Its schema.
        schema: u32,
    },
    /// A line of the file cannot be right.
    #[error("{what}; {remedy}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
}

impl ImportError {
    /// Creates the error about a line of a transcript.
    pub(super) fn transcript(line: usize, what: impl Into<String>) -> ImportError {
        let remedy = "import the transcript as openssl printed it, or remove this line";
        ImportError::Malformed { line, what: what.into(), remedy }
    }

    /// Creates the error about a line of a run document.
    pub(super) fn document(line: usize, what: impl Into<String>) -> ImportError {
        ImportError::Malformed {
            line,
            what: what.into(),
            remedy: "export the run again with `kasoku export`, or import it with the version that wrote it",
        }
    }

    /// Returns the line, from 1; `None` if the error is about the whole file.
    pub fn line(&self) -> Option<usize> {
        match self {
            ImportError::Binary { line } | ImportError::Malformed { line, .. } => Some(*line),
            _ => None,
        }
    }
}
