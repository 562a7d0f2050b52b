//! Claims about encrypted files.

use crate::claim::{Claim, Figure, Subject};
use crate::quantity::digits;
use crate::text::{Text, say};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::workload::Operation;

use super::selection::{FileContender, FileSelection, IN_MEMORY, KEY_BYTES, USUAL, mean};

/// Returns what `document` shows of files; nothing of runs that were interrupted or made elsewhere.
pub(crate) fn claims(document: &Document) -> Vec<Claim> {
    if !document.run.complete || document.run.origin.is_some() {
        return Vec::new();
    }
    let files = FileSelection::new(document);
    // Only those of AES-256-GCM, and the first of each library.
    let copied = [OPENSSL, KASOKU].into_iter().filter_map(|library| {
        let is_meant = |line: &&FileContender<'_>| {
            line.files == USUAL && line.algorithm == Algorithm::Aes256Gcm && line.library == library
        };
        files.all.iter().filter(is_meant).find_map(|line| copied(&files, line))
    });
    KEY_BYTES.into_iter().filter_map(|key_bytes| saved(files.primary(key_bytes)?)).chain(copied).collect()
}

/// Returns how much less time files take with acceleration, in per cent as the mean over all sizes; `None` unless every
/// repetition without it took longer than every one with it.
fn saved(line: &FileContender<'_>) -> Option<Claim> {
    let sizes = line.compared_sizes();
    let saved = |operation| {
        mean(sizes.iter().filter_map(|bytes| line.improvement(*bytes, operation, None)))
            .filter(|_| line.is_clear(operation))
    };
    let [encrypt, decrypt] = [saved(Operation::Encrypt)?, saved(Operation::Decrypt)?].map(Figure::Points);
    let library = Text::name(line.library, 40);
    let subject = Subject { algorithm: Some(line.algorithm), library, ..Subject::default() };
    Some(Claim::new("files-saved", subject).with_figure("encrypt", encrypt).with_figure("decrypt", decrypt).leading())
}

/// Returns how much of the time of an encryption a copy of the same file takes, at the largest size that was copied; and
/// the time in memory, if that is less: it tells the cipher from the disk.
fn copied(files: &FileSelection<'_>, line: &FileContender<'_>) -> Option<Claim> {
    let milliseconds = |line: &FileContender<'_>, bytes| {
        line.figure(bytes, Operation::Encrypt, Acceleration::On).map(|seconds| seconds * 1e3)
    };
    let (bytes, copy) = line.sizes().into_iter().rev().find_map(|bytes| Some((bytes, files.copy(USUAL, bytes)?)))?;
    let (whole, copy) = (milliseconds(line, bytes)?, copy * 1e3);
    let in_memory = files.beside(line, IN_MEMORY).and_then(|line| milliseconds(line, bytes)).filter(|one| *one < whole);
    let in_memory = in_memory.map(|time| say!("claim-files-in-memory", time = digits(time)));
    let mut library = Text::name(line.library, 40);
    if line.threads == 1 && files.has_several_threads(line, bytes) {
        library = say!("claim-files-one-thread", library = library);
    }
    let kind = if copy < whole { "files-copied" } else { "files-copied-whole" };
    let claim = Claim::new(kind, Subject::new(line.algorithm, library, bytes))
        .with_figure("whole", Figure::Number(whole))
        .with_figure("copy", Figure::Number(copy))
        .with_figure("share", Figure::Percent(100.0 * copy / whole));
    Some(claim.with_figure("in_memory", Figure::Text(in_memory.into())))
}

/// Returns the headline of a run of files only.
pub(crate) fn headline(claims: &[&Claim]) -> Text {
    let lead = claims.iter().find(|claim| claim.leads);
    lead.or(claims.last()).map(|lead| lead.sentence()).into()
}
