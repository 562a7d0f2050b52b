//! Reads files and streams to import, without blocking on pipes and without reading more than the size limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::{ImportError, MAX_DOCUMENT_BYTES, MAX_TRANSCRIPT_BYTES, text};

#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("it is a folder; name the files in it, as in {}/*.txt", .0.trim_end_matches('/'))]
    Folder(String),
    #[error("it is a pipe or a device; to read standard input use `kasoku import -`")]
    NoFile,
    #[error("cannot read it: {0}")]
    Unreadable(#[from] io::Error),
    #[error(transparent)]
    TooLarge(#[from] ImportError),
}

pub fn read(path: &Path) -> Result<Vec<u8>, SourceError> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Without this flag, opening a pipe waits for a writer.
        options.custom_flags(libc::O_NONBLOCK);
    }
    let folder = || SourceError::Folder(path.display().to_string());
    let file =
        options.open(path).map_err(|error| if path.is_dir() { folder() } else { SourceError::Unreadable(error) })?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(folder());
    }
    if !metadata.is_file() {
        return Err(SourceError::NoFile);
    }
    bounded(file)
}

/// Reads a stream up to the size limit of a document if it begins like one, of a transcript otherwise.
pub fn bounded(mut stream: impl Read) -> Result<Vec<u8>, SourceError> {
    let mut content = Vec::new();
    let beyond = |limit: usize| (limit as u64).saturating_add(1);
    stream.by_ref().take(beyond(MAX_TRANSCRIPT_BYTES)).read_to_end(&mut content)?;
    if content.len() > MAX_TRANSCRIPT_BYTES && text::is_document(&content) {
        stream.take(beyond(MAX_DOCUMENT_BYTES - MAX_TRANSCRIPT_BYTES) - 1).read_to_end(&mut content)?;
    }
    text::check_size(&content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream without end that counts the bytes it gave.
    struct Endless {
        first: u8,
        given: usize,
    }

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(b' ');
            if self.given == 0 {
                buffer[0] = self.first;
            }
            self.given += buffer.len();
            Ok(buffer.len())
        }
    }

    #[test]
    fn source_stops_reading_an_endless_stream_at_the_limit() {
        for (first, limit) in [(b'a', MAX_TRANSCRIPT_BYTES), (b'{', MAX_DOCUMENT_BYTES)] {
            let mut stream = Endless { first, given: 0 };
            let error = bounded(&mut stream).unwrap_err().to_string();
            assert!(error.contains(&format!("{} MiB", limit >> 20)), "{error}");
            assert!(stream.given <= limit + 1, "{} bytes were read", stream.given);
        }
    }

    #[test]
    fn source_reads_files_and_rejects_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "text").unwrap();
        assert_eq!(read(&path).unwrap(), b"text");
        assert!(read(folder.path()).unwrap_err().to_string().contains("/*.txt"));
        assert!(matches!(read(&folder.path().join("none")), Err(SourceError::Unreadable(_))));
    }
}
