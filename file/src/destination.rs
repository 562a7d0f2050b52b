//! An output that is there only when it is whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that gets its name when it is whole.
///
/// On Linux it has no name until then (`O_TMPFILE`), so that nothing of it is left even if the process is killed; where
/// that is not to be had it is written beside its place, under a name that begins with a dot, and removed when it is
/// dropped.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    may_replace: bool,
    file: File,
    /// The name it has meanwhile, if it has one.
    temporary: Option<PathBuf>,
}

/// Why there is no such output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DestinationError {
    /// There is a file already, and it may not be replaced.
    #[error("{}: there is a file of that name already", path.display())]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The place is no place for a file.
    #[error("{}: {why}", path.display())]
    Unusable {
        /// Where.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// The system refused.
    #[error("{}: {error}", path.display())]
    System {
        /// Where.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl Destination {
    /// Begins a file that will be at `path`. If there is one, it stays as it is until [`keep`](Self::keep), and is
    /// replaced then only if `may_replace`.
    ///
    /// # Errors
    /// [`DestinationError`].
    pub fn new(path: &Path, may_replace: bool) -> Result<Self, DestinationError> {
        let unusable = |why| Err(DestinationError::Unusable { path: path.into(), why });
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => return unusable("it is a folder; name a file"),
            Ok(metadata) if !metadata.is_file() => return unusable("it is not a regular file"),
            Ok(_) if !may_replace => return Err(DestinationError::Exists { path: path.into() }),
            _ => {}
        }
        if path.file_name().is_none() {
            return unusable("that is no name of a file");
        }
        let system = |error| DestinationError::System { path: path.into(), error };
        let (file, temporary) = match nameless(folder_of(path)) {
            Some(file) => (file, None),
            None => named(path).map(|(file, name)| (file, Some(name))).map_err(system)?,
        };
        Ok(Destination { path: path.into(), may_replace, file, temporary })
    }

    /// The file, to write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its name. With `sync` it is on the device before it has it, and so is the name when this returns.
    ///
    /// # Errors
    /// [`DestinationError::Exists`] if somebody made a file there meanwhile; [`DestinationError::System`].
    pub fn keep(mut self, sync: bool) -> Result<(), DestinationError> {
        let path = self.path.clone();
        let system = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => DestinationError::Exists { path: path.clone() },
            _ => DestinationError::System { path: path.clone(), error },
        };
        if !sync {
            return self.give_name().map_err(system);
        }
        self.file.sync_all().map_err(system)?;
        self.give_name().map_err(system)?;
        sync_folder(folder_of(&self.path)).map_err(system)
    }

    fn give_name(&mut self) -> io::Result<()> {
        if self.temporary.is_none() {
            if !self.may_replace {
                return link(&self.file, &self.path);
            }
            // Only a rename replaces in one step, and it needs a name to begin with.
            let name = spare_name(&self.path);
            link(&self.file, &name)?;
            self.temporary = Some(name);
        }
        let Some(name) = &self.temporary else { return Ok(()) };
        if self.may_replace {
            fs::rename(name, &self.path)?;
            self.temporary = None;
            return Ok(());
        }
        // A link does not replace; the temporary name goes when this is dropped.
        match fs::hard_link(name, &self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !self.path.exists() => {
                // A file system without links: nothing better is left than to look first.
                fs::rename(name, &self.path)?;
                self.temporary = None;
                Ok(())
            }
            linked => linked,
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if let Some(name) = &self.temporary {
            let _ = fs::remove_file(name); // nothing could be done about it
        }
    }
}

/// Brings the names in a folder to the device: what was synchronised but has lost its name is lost. A file system that
/// keeps no folders to synchronise says that the call is none.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synchronised => synchronised,
    }
}

/// A folder is no file here that could be opened.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file in `folder` without a name, if that can be had: if the folder is not there, making one with a name says why.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH; // less the umask
    rustix::fs::open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_folder: &Path) -> Option<File> {
    None
}

/// Gives a file without a name one; open(2) shows this way for O_TMPFILE.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn named(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = spare_name(path);
    let file = File::options().read(true).write(true).create_new(true).open(&name)?;
    Ok((file, name))
}

/// A name beside `path` that nobody has.
fn spare_name(path: &Path) -> PathBuf {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{:016x}.part", RandomState::new().build_hasher().finish()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// As on a file system without nameless files.
    fn with_a_name(path: &Path, may_replace: bool) -> Destination {
        let (file, name) = named(path).unwrap();
        Destination { path: path.into(), may_replace, file, temporary: Some(name) }
    }

    #[test]
    fn it_has_its_name_only_when_it_is_kept() {
        let makers: [fn(&Path) -> Destination; 2] =
            [|path| Destination::new(path, false).unwrap(), |path| with_a_name(path, false)];
        for make in makers {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            let mut destination = make(&path);
            destination.write_all(b"half").unwrap();
            assert!(!path.exists());
            drop(destination);
            assert_eq!(names(folder.path()), [""; 0]);

            let mut destination = make(&path);
            destination.write_all(b"whole").unwrap();
            destination.keep(true).unwrap();
            assert_eq!(names(folder.path()), ["out"]);
            assert_eq!(fs::read(&path).unwrap(), b"whole");
        }
    }

    #[test]
    fn a_file_that_is_there_is_replaced_only_if_it_may_be() {
        type Make = fn(&Path, bool) -> Result<Destination, DestinationError>;
        let makers: [Make; 2] = [Destination::new, |path, may_replace| Ok(with_a_name(path, may_replace))];
        for make in makers {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            let mut late = make(&path, false).unwrap();
            late.write_all(b"late").unwrap();
            fs::write(&path, b"old").unwrap();
            assert!(matches!(late.keep(false), Err(DestinationError::Exists { .. })));
            assert_eq!(fs::read(&path).unwrap(), b"old");

            let mut other = make(&path, true).unwrap();
            other.write_all(b"new").unwrap();
            other.keep(false).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(names(folder.path()), ["out"]);
        }
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("out"), b"old").unwrap();
        assert!(matches!(Destination::new(&folder.path().join("out"), false), Err(DestinationError::Exists { .. })));
    }

    #[test]
    fn places_that_are_none_are_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| Destination::new(path, true).unwrap_err().to_string();
        assert!(error(folder.path()).contains("it is a folder"));
        assert!(
            error(&folder.path().join("no/where")).contains("No such file"),
            "{}",
            error(&folder.path().join("no/where"))
        );
        assert!(error(Path::new("/dev/null")).contains("not a regular file"));
    }
}
