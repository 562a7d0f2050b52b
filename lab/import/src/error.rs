//! What can be wrong with a file that is imported, in words that say what, where, and what to do.

/// A file cannot be imported. Nothing of it is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is larger than what is read.
    #[error("it is larger than {limit}, the limit for {what}; import only the part with the figures")]
    TooLarge {
        /// What it seems to be.
        what: &'static str,
        /// The limit, with its unit.
        limit: String,
    },
    /// It has more lines than are read.
    #[error("it has more than {limit} lines, the limit; import only the part with the figures")]
    TooManyLines {
        /// The limit.
        limit: usize,
    },
    /// It is no text.
    #[error("line {line}: contains a NUL byte, so it is not text; import openssl speed output, or a run document")]
    Binary {
        /// The line, from 1.
        line: usize,
    },
    /// There is nothing in it.
    #[error("it is empty; import the output of openssl speed, or a run document")]
    Empty,
    /// It says something that cannot be right.
    #[error("line {line}: {what}; {remedy}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
}

/// What to do about a transcript that says something impossible.
const REMEDY_TRANSCRIPT: &str = "import the transcript as openssl printed it, or remove this line";
/// The same for a run document.
const REMEDY_DOCUMENT: &str = "export the run again with `kasoku export`";

impl ImportError {
    /// A line of a transcript that cannot be right.
    pub(super) fn transcript(line: usize, what: impl Into<String>) -> ImportError {
        ImportError::Malformed { line, what: what.into(), remedy: REMEDY_TRANSCRIPT }
    }

    /// A place in a run document that cannot be right.
    pub(super) fn document(line: usize, what: impl Into<String>) -> ImportError {
        ImportError::Malformed { line, what: what.into(), remedy: REMEDY_DOCUMENT }
    }

    /// The line it is in, from 1; none if it is the whole file.
    pub fn line(&self) -> Option<usize> {
        match self {
            ImportError::Binary { line } | ImportError::Malformed { line, .. } => Some(*line),
            _ => None,
        }
    }

    /// The same without the line, where that was said already.
    pub fn without_line(&self) -> String {
        let text = self.to_string();
        match self.line() {
            Some(line) => text.strip_prefix(&format!("line {line}: ")).unwrap_or(&text).to_owned(),
            None => text,
        }
    }
}
