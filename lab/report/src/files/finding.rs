//! What a run shows of files, in numbers.

use crate::language::Messages;
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::Document;
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::workload::Operation;

use super::selection::{FileContender, FileSelection, IN_MEMORY, USUAL, mean};

/// Something a run shows of files.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // fields are called what they are
pub enum FileFinding {
    /// Files take less time with acceleration: every repetition without took longer than every one with.
    Saved {
        algorithm: &'static str,
        library: String,
        /// Per cent of the time, mean over all sizes: encryption, decryption.
        percent: [f64; 2],
    },
    /// How much of the time of an encryption a copy takes.
    Copied {
        algorithm: &'static str,
        library: String,
        /// Whether that is told apart from the same with several threads.
        with_one_thread: bool,
        bytes: usize,
        /// Milliseconds of the encryption.
        whole: f64,
        /// Milliseconds of a copy of the same file.
        copy: f64,
        /// Milliseconds of the encryption in memory, if that is faster: then it tells the cipher from the disk.
        in_memory: Option<f64>,
    },
}

impl FileFinding {
    /// Whether it belongs at the top of the page, and not only beside its figures.
    pub(crate) fn leads(&self) -> bool {
        matches!(self, FileFinding::Saved { .. })
    }
}

/// What `document` shows of files.
pub(crate) fn findings(document: &Document, messages: &'static Messages) -> Vec<FileFinding> {
    if !document.run.complete || document.run.origin.is_some() {
        return Vec::new();
    }
    let lines = FileSelection::new(document, messages);
    let primaries: Vec<&FileContender<'_>> =
        [16, 32].into_iter().filter_map(|key_bytes| lines.primary(key_bytes)).collect();
    let mut findings: Vec<FileFinding> = primaries.iter().filter_map(|line| saved(line)).collect();
    // Those with AES-256 only: one sentence for each library.
    let is_told = |line: &&FileContender<'_>| {
        line.files == USUAL && line.algorithm.name() == "aes-256-gcm" && [KASOKU, OPENSSL].contains(&line.library)
    };
    let mut told: Vec<&str> = Vec::new();
    for line in lines.all.iter().filter(is_told) {
        if told.contains(&line.library) {
            continue;
        }
        if let Some(finding) = copied(&lines, line) {
            told.push(line.library);
            findings.push(finding);
        }
    }
    findings
}

fn saved(line: &FileContender<'_>) -> Option<FileFinding> {
    let sizes = line.compared_sizes();
    let saved = |operation| {
        mean(sizes.iter().filter_map(|bytes| line.improvement(*bytes, operation, None)))
            .filter(|_| line.is_clear(operation))
    };
    let percent = [saved(Operation::Encrypt)?, saved(Operation::Decrypt)?];
    Some(FileFinding::Saved { algorithm: line.algorithm.title(), library: short(line.library, 40), percent })
}

fn copied(lines: &FileSelection<'_>, line: &FileContender<'_>) -> Option<FileFinding> {
    let time = |line: &FileContender<'_>, bytes| line.figure(bytes, Operation::Encrypt, Acceleration::On);
    let (bytes, copy) = line.sizes().into_iter().rev().find_map(|bytes| Some((bytes, lines.copy(USUAL, bytes)?)))?;
    let whole = time(line, bytes)?;
    let in_memory = lines.beside(line, IN_MEMORY).and_then(|line| time(line, bytes)).filter(|seconds| *seconds < whole);
    Some(FileFinding::Copied {
        algorithm: line.algorithm.title(),
        library: short(line.library, 40),
        with_one_thread: line.threads == 1 && lines.has_several_threads(line, bytes),
        bytes,
        whole: whole * 1e3,
        copy: copy * 1e3,
        in_memory: in_memory.map(|seconds| seconds * 1e3),
    })
}
