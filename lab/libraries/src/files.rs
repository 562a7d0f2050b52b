//! Jobs on whole files for the level `files`, and the plain copy to compare them with.

pub mod reference;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

pub use crate::contract::{FileJob, FileWork};

use super::{
    JobError, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use crate::fixtures::Fixtures;
use kasoku_model::library::{self, Role};
use kasoku_model::workload::Workload;
use kasoku_model::workload::files::Form;

/// Copies files without encrypting. The cost of a cipher is the time that encrypting takes in addition to copying.
pub const COPY: LibraryEntry = LibraryEntry::new(
    library::COPY,
    "reading and writing a file, and nothing in between",
    |_: &Opening| -> Result<Box<dyn Library>, Unavailable> { Ok(Box::new(Copying)) },
    |_| Switch::None("a copy needs no instructions"),
)
.unlisted(Role::Bound);

pub(super) fn open_from(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| reading(&error))
}

pub(super) fn open_to(path: &Path) -> Result<File> {
    File::options().write(true).open(path).map_err(|error| writing(&error))
}

pub(super) fn reading(error: &std::io::Error) -> JobError {
    JobError::new(format!("reading the file: {error}"))
}

pub(super) fn writing(error: &std::io::Error) -> JobError {
    JobError::new(format!("writing the file: {error}"))
}

/// Reads `bytes` bytes of `from` in pieces that fit `input`, and writes the output of `work` for each piece. `work`
/// takes a piece and an output buffer, and returns the output's length.
pub(super) fn piece_by_piece(
    from: &mut File,
    to: &mut File,
    bytes: u64,
    (input, output): (&mut [u8], &mut [u8]),
    mut work: impl FnMut(&[u8], &mut [u8]) -> Result<usize>,
) -> Result<()> {
    let mut left = bytes;
    while left > 0 {
        let most = input.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = match from.read(&mut input[..most]) {
            Ok(0) => return Err(JobError::new("the file became shorter while it was read")),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(reading(&error)),
        };
        left -= read as u64;
        let made = work(&input[..read], output)?;
        to.write_all(&output[..made]).map_err(|error| writing(&error))?;
    }
    Ok(())
}

struct Copying;

impl Library for Copying {
    fn description(&self) -> LibraryDescription {
        LibraryDescription::new(env!("CARGO_PKG_VERSION"))
    }

    fn prepare_primitive(&self, _workload: &Workload, _fixtures: &Fixtures) -> PreparedJob {
        Err(Unsupported::new("it copies files, and does nothing else"))
    }

    fn prepare_file(&self, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
        if work.threads > 1 {
            return Err(Unsupported::new("a file is copied by one thread"));
        }
        Ok(Box::new(CopyJob { buffer: vec![0; work.buffer] }))
    }
}

struct CopyJob {
    buffer: Vec<u8>,
}

impl FileJob for CopyJob {
    fn form(&self) -> Form {
        Form::Copy
    }

    fn run(&mut self, from: &Path, to: &Path) -> Result<()> {
        let (mut from, mut to) = (open_from(from)?, open_to(to)?);
        loop {
            match from.read(&mut self.buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => to.write_all(&self.buffer[..read]).map_err(|error| writing(&error))?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(reading(&error)),
            }
        }
    }

    fn note(&self) -> Option<&'static str> {
        Some("a copy; nothing is encrypted")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LIBRARIES, find};
    use super::reference::{is_encrypted_form, same};
    use super::*;
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::Operation;

    fn jobs(operation: Operation, algorithm: Algorithm, threads: usize) -> Vec<(&'static str, Box<dyn FileJob>)> {
        let fixtures = fixtures(algorithm);
        let work = FileWork { operation, algorithm, threads, buffer: 100_000, fixtures: &fixtures };
        let named = |entry: &'static LibraryEntry| {
            let library = (entry.open)(&Opening::default()).ok()?;
            Some((entry.name, library.prepare_file(&work).ok()?))
        };
        LIBRARIES.iter().filter(|entry| entry.is_listed || entry.name == COPY.name).filter_map(named).collect()
    }

    fn fixtures(algorithm: Algorithm) -> Fixtures {
        let fixtures = Fixtures::of(&Workload::new(Operation::Encrypt, algorithm, 0));
        Fixtures { key: fixtures.key, nonce: fixtures.nonce, ..Fixtures::default() }
    }

    const ALGORITHMS: [Algorithm; 6] = [
        Algorithm::Aes128Gcm,
        Algorithm::Aes256Gcm,
        Algorithm::Aes128Cbc,
        Algorithm::Aes256Cbc,
        Algorithm::Aes128Ctr,
        Algorithm::Aes256Ctr,
    ];

    #[test]
    fn encrypted_files_pass_the_reference_and_bit_flips_fail() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut seen = std::collections::BTreeSet::new();
        for bytes in [0, 1, 16, 16_383, 16_384, 16_385, 262_144, 1_048_576, 3_000_001] {
            let text: Vec<u8> = (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            std::fs::write(path("text"), &text).unwrap();
            for (algorithm, threads) in ALGORITHMS.into_iter().flat_map(|one| [(one, 1), (one, 3)]) {
                for (name, mut job) in jobs(Operation::Encrypt, algorithm, threads) {
                    let what = format!("{name} {algorithm} {bytes} bytes {threads} threads");
                    seen.insert((name, algorithm));
                    std::fs::write(path("out"), b"").unwrap();
                    job.run(&path("text"), &path("out")).unwrap();
                    let right = |encrypted: &str| {
                        let open = |name: &str| File::open(path(name)).unwrap();
                        let (mut encrypted, mut text) = (open(encrypted), open("text"));
                        is_encrypted_form(&mut encrypted, &mut text, job.form(), algorithm, &fixtures(algorithm))
                    };
                    assert_eq!(right("out"), Ok(()), "{what}");
                    let made = std::fs::read(path("out")).unwrap();
                    for place in [0, made.len() / 2, made.len().saturating_sub(1)] {
                        let mut wrong = made.clone();
                        let Some(byte) = wrong.get_mut(place) else { continue };
                        *byte ^= 1;
                        std::fs::write(path("wrong"), wrong).unwrap();
                        assert!(right("wrong").is_err(), "{what}: a flipped bit in byte {place} was accepted");
                    }
                    std::fs::write(path("wrong"), &made[..made.len().saturating_sub(1)]).unwrap();
                    assert!(made.is_empty() || right("wrong").is_err(), "{what}: a truncated file was accepted");
                    if name == COPY.name {
                        continue;
                    }
                    let (_, mut back) = jobs(Operation::Decrypt, algorithm, threads)
                        .into_iter()
                        .find(|(other, _)| *other == name)
                        .unwrap();
                    std::fs::write(path("back"), b"").unwrap();
                    back.run(&path("out"), &path("back")).unwrap();
                    let open = |name: &str| File::open(path(name)).unwrap();
                    assert_eq!(same(&mut open("back"), &mut open("text")), Ok(()), "{what}");
                }
            }
        }
        assert!(seen.contains(&("kasoku", Algorithm::Aes256Gcm)));
        assert!(
            find("openssl").is_some() && (seen.len() >= 8 || std::env::var("CI").unwrap_or_default().is_empty()),
            "{seen:?}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn file_jobs_report_full_devices_and_missing_files() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        std::fs::write(&text, vec![7; 3_000_000]).unwrap();
        for (name, mut job) in jobs(Operation::Encrypt, Algorithm::Aes256Gcm, 1) {
            let full = job.run(&text, Path::new("/dev/full")).unwrap_err().what;
            assert!(full.contains("No space left on device"), "{name}: {full}");
            let missing = job.run(&folder.path().join("none"), Path::new("/dev/null")).unwrap_err().what;
            assert!(missing.contains("No such file"), "{name}: {missing}");
        }
    }
}
