//! Writes results to standard output, or to a file that readers never see half written.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {why}, or name another file", path.display())]
pub struct OutputError {
    pub path: PathBuf,
    pub why: String,
}

/// Bytes that a report needs, approximately.
const ROOM_NEEDED: usize = 1 << 20;

/// Checks before measuring that a result can be written to `path`, by creating and removing a file of one megabyte
/// beside it. Rejects `-`, because something else is printed to standard output.
pub fn check_writable(path: &Path) -> Result<(), OutputError> {
    if is_standard_output(path) {
        return Err(refused(path, "something else goes to standard output: name a file"));
    }
    let Some(target) = file_at(path)? else { return Ok(()) };
    let tried = beside(&target).and_then(|file| fill(&file, &vec![b' '; ROOM_NEEDED]));
    tried.map_err(|error| failed(path, &error))
}

/// Writes `content` to `path`, or to standard output if `path` is `-`. Readers of a file see either its old content or
/// all of `content`, and an error leaves the old content. Devices and pipes are written directly.
pub fn write(path: &Path, content: &[u8]) -> Result<(), OutputError> {
    let fail = |error: io::Error| failed(path, &error);
    if is_standard_output(path) {
        return print_bytes(content);
    }
    match file_at(path)? {
        Some(target) => replace(&target, content).map_err(fail),
        None => {
            let mut device = File::options().write(true).open(path).map_err(fail)?;
            unless_unwanted(device.write_all(content)).map_err(fail)
        }
    }
}

/// Writes `text` to standard output. A closed pipe (`kasoku runs | head -1`) is not an error.
pub fn print(text: &str) -> Result<(), OutputError> {
    print_bytes(text.as_bytes())
}

pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

fn print_bytes(bytes: &[u8]) -> Result<(), OutputError> {
    let mut output = io::stdout().lock();
    let printed = output.write_all(bytes).and_then(|()| output.flush());
    unless_unwanted(printed).map_err(|error| failed(Path::new("standard output"), &error))
}

fn unless_unwanted(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Returns the regular file at `path`, existing or not, with symbolic links resolved so that links stay. `None` for a
/// terminal, pipe or other device, which has no content to keep.
fn file_at(path: &Path) -> Result<Option<PathBuf>, OutputError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(refused(path, "it is a folder: name a file in it")),
        Ok(metadata) if !metadata.is_file() => Ok(None),
        Ok(_) => fs::canonicalize(path).map(Some).map_err(|error| failed(path, &error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                Err(refused(path, "it is a symbolic link to a missing file: remove it"))
            } else {
                Ok(Some(path.to_path_buf()))
            }
        }
        Err(error) => Err(failed(path, &error)),
    }
}

/// Creates a temporary file beside `target`, to which it can be renamed atomically. It is removed when dropped.
fn beside(target: &Path) -> io::Result<NamedTempFile> {
    let Some(file_name) = target.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    };
    let mut prefix = OsString::from(".");
    prefix.push(file_name);
    prefix.push(".");
    // The full error would name the temporary file.
    unfinished(folder_of(target), &prefix, ".new").map_err(|error| error.kind().into())
}

/// Creates a file that is removed unless it gets its final name.
pub fn unfinished(folder: &Path, prefix: &OsStr, suffix: &str) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(suffix);
    // Default mode of new files, which the umask restricts.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Writes `content` to the disk, so that a full disk is noticed.
fn fill(file: &NamedTempFile, content: &[u8]) -> io::Result<()> {
    file.as_file().write_all(content)?;
    file.as_file().sync_all()
}

fn replace(target: &Path, content: &[u8]) -> io::Result<()> {
    let file = beside(target)?;
    if let Ok(metadata) = fs::metadata(target) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    fill(&file, content)?;
    file.persist(target).map_err(|refused| refused.error)?;
    if let Ok(folder) = File::open(folder_of(target)) {
        let _ = folder.sync_all(); // some file systems cannot; the file exists even so
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn failed(path: &Path, error: &io::Error) -> OutputError {
    match error.kind() {
        io::ErrorKind::NotFound if folder_of(path).is_dir() => {
            refused(path, "files cannot be created in its folder: use another folder")
        }
        io::ErrorKind::NotFound => refused(path, "its folder does not exist: create it"),
        io::ErrorKind::NotADirectory => refused(path, "its folder is a file: use another folder"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            refused(path, &format!("{error}: free some space"))
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            refused(path, &format!("{error}: make its folder writable"))
        }
        _ => refused(path, &format!("{error}: try again")),
    }
}

fn refused(path: &Path, why: &str) -> OutputError {
    OutputError { path: path.to_path_buf(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn write_replaces_a_file_and_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        check_writable(&path).unwrap();
        assert!(names(folder.path()).is_empty());
        for content in ["first", "and a longer second", "3"] {
            check_writable(&path).unwrap();
            write(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(names(folder.path()), ["result.json"]);
    }

    #[test]
    fn check_writable_rejects_folders_and_missing_folders() {
        let folder = tempfile::tempdir().unwrap();
        let message = check_writable(folder.path()).unwrap_err().to_string();
        assert!(message.contains("it is a folder"), "{message}");
        let message = check_writable(&folder.path().join("none/result.json")).unwrap_err().to_string();
        assert!(message.contains("none/result.json") && message.contains("folder does not exist"), "{message}");
        check_writable(Path::new("")).unwrap_err();
    }

    #[test]
    fn readers_never_see_half_written_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        let contents = [vec![b'a'; 1 << 20], vec![b'b'; 2 << 20]];
        write(&path, &contents[0]).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (0..40).for_each(|round| write(&path, &contents[round % 2]).unwrap()));
            while !writer.is_finished() {
                let seen = fs::read(&path).unwrap();
                assert!(contents.contains(&seen), "a reader saw a partial file of {} bytes", seen.len());
            }
        });
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt, symlink};

        use super::*;

        #[test]
        fn write_keeps_symlinks_and_permissions() {
            let folder = tempfile::tempdir().unwrap();
            let (path, link) = (folder.path().join("result"), folder.path().join("link"));
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            symlink("result", &link).unwrap();
            write(&link, b"new").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
            fs::remove_file(&path).unwrap();
            assert!(write(&link, b"new").unwrap_err().to_string().contains("missing file"));
        }

        #[test]
        fn write_does_not_replace_devices() {
            check_writable(Path::new("/dev/null")).unwrap();
            write(Path::new("/dev/null"), b"gone").unwrap();
            assert!(!fs::metadata("/dev/null").unwrap().is_file());
        }
    }
}
