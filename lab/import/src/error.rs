//! Reasons to reject a file. The message says what is wrong and what to do; the caller adds the line.

use kasoku_model::document::SCHEMA;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The file exceeds `limit`, which includes the unit; `what` is its kind.
    #[error("it is larger than {limit}, the limit for {what}; import only the part with the figures")]
    TooLarge { what: &'static str, limit: String },
    #[error("contains a NUL byte, so it is not text; import openssl speed output, or a run document")]
    Binary { line: usize },
    #[error("it is empty; import the output of openssl speed, or a run document")]
    Empty,
    #[error(
        "it is a run document of schema {schema}, and this version of Kasoku reads schema {SCHEMA}; import it with the \
         version that wrote it, or with a newer one"
    )]
    OtherSchema { schema: u32 },
    /// A line has an impossible value.
    #[error("{what}; {remedy}")]
    Malformed { line: usize, what: String, remedy: &'static str },
}

impl ImportError {
    pub(super) fn transcript(line: usize, what: impl Into<String>) -> ImportError {
        let remedy = "import the file as the program wrote it, or remove this line";
        ImportError::Malformed { line, what: what.into(), remedy }
    }

    pub(super) fn document(line: usize, what: impl Into<String>) -> ImportError {
        let remedy = "export the run again with `kasoku export`, or import it with the version that wrote it";
        ImportError::Malformed { line, what: what.into(), remedy }
    }

    /// Returns the line, from 1; `None` if the error is about the whole file.
    pub fn line(&self) -> Option<usize> {
        match self {
            ImportError::Binary { line } | ImportError::Malformed { line, .. } => Some(*line),
            _ => None,
        }
    }
}
