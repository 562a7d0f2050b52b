//! An output that is there only when it is whole.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::file_system;
#[cfg(unix)]
use crate::permissions;

/// Read and write for everybody, of which the system takes away what the umask says.
const USUAL: u32 = 0o666;

/// Read and write for the owner.
const OWNER: u32 = 0o600;

/// A file that gets its name when it is whole.
///
/// On Linux it has no name until then (`O_TMPFILE`), so that nothing of it is left even if the process is killed; where
/// that is not to be had (the file system has none, or there is no `/proc`, through which it would get its name) it is
/// written beside its place, under a name that begins with a dot, and removed when it is dropped.
///
/// Until then only its owner may read and write it. What replaces a file gets its owner, group, permissions and access
/// control list; what of these cannot be had is left out so that nobody may read the new file who might not read the
/// old one. (On Windows who may read a file is up to its folder, whatever it replaces.)
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    may_replace: bool,
    file: File,
    /// The name it has meanwhile, if it has one.
    temporary: Option<PathBuf>,
    /// What it may be used for if it replaces nothing; its owner's alone if none.
    if_new: Option<Permissions>,
}

/// Why there is no such output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DestinationError {
    /// There is a file already, and it may not be replaced.
    #[error("{}: file exists", path.display())]
    Exists {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The place is no place for a file.
    #[error("{}: {why}", path.display())]
    Unusable {
        /// The path that was asked for.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The system refused.
    #[error("{}: {error}", path.display())]
    System {
        /// The path that was asked for.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

impl Destination {
    /// Begins a file that will be at `path`. If there is one, it stays as it is until [`keep`](Self::keep), and is
    /// replaced then only if `may_replace`. If it replaces none, its permissions are those of any new file (umask(2)).
    ///
    /// # Errors
    /// [`DestinationError`].
    pub fn new(path: &Path, may_replace: bool) -> Result<Self, DestinationError> {
        let mut destination = Self::private(path, may_replace)?;
        let usual = usual_permissions(path);
        destination.if_new = usual.map_err(|error| DestinationError::System { path: path.into(), error })?;
        Ok(destination)
    }

    /// The same for secrets, such as plaintext: if it replaces no file, only its owner may read and write it.
    ///
    /// # Errors
    /// [`DestinationError`].
    pub fn private(path: &Path, may_replace: bool) -> Result<Self, DestinationError> {
        let unusable = |why| Err(DestinationError::Unusable { path: path.into(), why });
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => return unusable("is a folder; name a file"),
            Ok(metadata) if metadata.is_symlink() => return unusable("is a symbolic link; name the file it leads to"),
            Ok(metadata) if !metadata.is_file() => return unusable("is not a regular file"),
            Ok(_) if !may_replace => return Err(DestinationError::Exists { path: path.into() }),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(DestinationError::System { path: path.into(), error });
            }
            Ok(_) | Err(_) => {}
        }
        if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return unusable("is not a file name");
        }
        let begun = begin(path, OWNER, nameless);
        let (file, temporary) = begun.map_err(|error| DestinationError::System { path: path.into(), error })?;
        Ok(Destination { path: path.into(), may_replace, file, temporary, if_new: None })
    }

    /// The file, to write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The name it has until it is kept, where it must have one: what is left if the process is killed.
    pub fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    /// Gives it its name. With `sync` it is on the device before it has it, and so is the name when this returns.
    ///
    /// Where it replaces a file it is on the device first in any case: a power cut leaves the old one or the new one.
    ///
    /// # Errors
    /// [`DestinationError::Exists`] if somebody made a file there meanwhile; [`DestinationError::System`]. There is a
    /// new file only if the device did not take its name in the end.
    pub fn keep(mut self, sync: bool) -> Result<(), DestinationError> {
        let path = self.path.clone();
        let system = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => DestinationError::Exists { path: path.clone() },
            _ => DestinationError::System { path: path.clone(), error },
        };
        self.give_permissions().map_err(system)?;
        // Opened before anything is there: that may be refused.
        let folder = if sync { open_folder(folder_of(&self.path)).map_err(system)? } else { None };
        if sync {
            self.file.sync_all().map_err(system)?;
        } else if self.replaces() || file_system::says_late(&self.file) {
            self.file.sync_data().map_err(system)?;
        }
        self.give_name().map_err(system)?;
        folder.map_or(Ok(()), |folder| sync_folder(&folder)).map_err(system)
    }

    fn replaces(&self) -> bool {
        self.may_replace && fs::symlink_metadata(&self.path).is_ok()
    }

    #[cfg(unix)]
    fn give_permissions(&self) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        match fs::symlink_metadata(&self.path) {
            Ok(old) if self.may_replace && old.is_file() => permissions::take_over(&self.path, &old, &self.file),
            // It would take the place of something that came about meanwhile: nothing to go by.
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match &self.if_new {
                Some(usual) => permissions::set(&self.file, usual.mode() & 0o777),
                None => Ok(()),
            },
            Err(error) => Err(error),
        }
    }

    #[cfg(not(unix))]
    fn give_permissions(&self) -> io::Result<()> {
        self.if_new.iter().try_for_each(|usual| self.file.set_permissions(usual.clone()))
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
        if self.may_replace || !is_linked(name, &self.path, |name, path| fs::hard_link(name, path))? {
            fs::rename(name, &self.path)?;
            self.temporary = None;
        }
        Ok(()) // a name besides goes when this is dropped
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

#[cfg(unix)]
fn open_folder(folder: &Path) -> io::Result<Option<File>> {
    File::open(folder).map(Some)
}

/// A folder is no file here that could be opened.
#[cfg(not(unix))]
fn open_folder(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Brings the names in a folder to the device: what was synchronised but has lost its name is lost. A file system that
/// keeps no folders to synchronise says that the call is none.
fn sync_folder(folder: &File) -> io::Result<()> {
    match folder.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synchronised => synchronised,
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file for what will be at `path`, and the name it has until then, if it must have one.
fn begin(path: &Path, mode: u32, nameless: Nameless) -> io::Result<(File, Option<PathBuf>)> {
    match nameless(folder_of(path), mode) {
        Some(file) => Ok((file, None)),
        None => named(path, mode).map(|(file, name)| (file, Some(name))),
    }
}

/// The permissions that the system gives a new file at `path`: only by making one they are learned without a change of
/// the umask, which all threads share.
fn usual_permissions(path: &Path) -> io::Result<Option<Permissions>> {
    let (file, name) = begin(path, USUAL, nameless)?;
    if let Some(name) = name {
        fs::remove_file(name)?;
    }
    Ok(Some(file.metadata()?.permissions()))
}

type Nameless = fn(&Path, u32) -> Option<File>;

/// A file in `folder` without a name, if that can be had: if the folder is not there, making one with a name says why.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    use std::os::unix::fs::MetadataExt;
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
    // Before anything is done: without /proc it could never get a name.
    let (own, seen) = (file.metadata().ok()?, fs::metadata(own_path(&file)).ok()?);
    ((own.dev(), own.ino()) == (seen.dev(), seen.ino())).then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_folder: &Path, _mode: u32) -> Option<File> {
    None
}

/// Where the system shows this process an open file.
#[cfg(target_os = "linux")]
fn own_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives a file without a name one; open(2) shows this way for O_TMPFILE.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, own_path(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

type Link = fn(&Path, &Path) -> io::Result<()>;

/// Gives the file at `name` a second name, which replaces nothing. Where the file system has no links it does not: then
/// nothing better is left than to have looked first.
fn is_linked(name: &Path, path: &Path, link: Link) -> io::Result<bool> {
    match link(name, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => Ok(false),
    }
}

fn named(path: &Path, mode: u32) -> io::Result<(File, PathBuf)> {
    let name = spare_name(path);
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode; // what a new file may be used for, its folder says
    let file = options.open(&name)?;
    Ok((file, name))
}

/// A name beside `path` that nobody has, and that is not too long where `path` is not.
fn spare_name(path: &Path) -> PathBuf {
    use std::hash::{BuildHasher, Hasher, RandomState};
    path.with_file_name(format!(".kasoku-{:016x}.part", RandomState::new().build_hasher().finish()))
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

    /// As on a file system without nameless files, or without /proc.
    fn with_a_name(path: &Path, may_replace: bool) -> Destination {
        let (file, temporary) = begin(path, OWNER, |_, _| None).unwrap();
        assert!(temporary.is_some());
        let if_new = usual_permissions(path).unwrap();
        Destination { path: path.into(), may_replace, file, temporary, if_new }
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

    /// So that one that ends on the way, however it ends, leaves nothing.
    #[test]
    #[cfg(target_os = "linux")]
    fn it_has_no_name_on_the_way_where_that_can_be() {
        // Here it can: tmpfs has files without names.
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = folder.path().join("out");
        let mut destination = Destination::new(&path, false).unwrap();
        destination.write_all(b"text").unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
        destination.keep(false).unwrap();
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["out".to_owned()], b"text".to_vec()));
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

    /// The name it has meanwhile is no longer than its own may be.
    #[test]
    fn long_names_are_names() {
        let makers: [fn(&Path) -> Destination; 2] =
            [|path| Destination::new(path, true).unwrap(), |path| with_a_name(path, true)];
        for make in makers {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x".repeat(255));
            for text in [b"old", b"new"] {
                let mut destination = make(&path);
                destination.write_all(text).unwrap();
                destination.keep(false).unwrap();
                assert_eq!(fs::read(&path).unwrap(), text);
            }
        }
    }

    #[test]
    fn where_there_are_no_links_it_is_looked_first() {
        let folder = tempfile::tempdir().unwrap();
        let (name, path) = (folder.path().join("name"), folder.path().join("out"));
        fs::write(&name, b"new").unwrap();
        let none: Link = |_, _| Err(io::ErrorKind::Unsupported.into());
        let links: Link = |name, path| fs::hard_link(name, path);

        assert!(!is_linked(&name, &path, none).unwrap());
        assert_eq!(names(folder.path()), ["name"]);
        assert!(is_linked(&name, &path, links).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        for link in [none, links] {
            assert_eq!(is_linked(&name, &path, link).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
    }

    #[test]
    fn places_that_are_none_are_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| Destination::new(path, true).unwrap_err().to_string();
        assert!(error(folder.path()).contains("is a folder"));
        assert!(error(&folder.path().join("new/")).contains("is not a file name"));
        // In the system's own words: ENOENT, ERROR_PATH_NOT_FOUND.
        let nowhere = error(&folder.path().join("no/where"));
        assert!(nowhere.contains(if cfg!(windows) { "(os error 3)" } else { "(os error 2)" }), "{nowhere}");
        #[cfg(unix)]
        assert!(error(Path::new("/dev/null")).contains("not a regular file"));
    }

    #[cfg(unix)]
    mod permissions {
        use super::*;
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

        type Make = fn(&Path, bool) -> Destination;
        const MAKERS: [Make; 2] = [|path, may_replace| Destination::new(path, may_replace).unwrap(), with_a_name];

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().mode() & 0o7777
        }

        /// Writes `text` to `path` and looks at it on the way.
        fn written(make: Make, path: &Path, text: &[u8]) {
            let mut destination = make(path, true);
            let is_for = |destination: &Destination| destination.file().metadata().unwrap().mode() & 0o777;
            assert_eq!(is_for(&destination) & 0o077, 0, "before the first byte");
            destination.write_all(text).unwrap();
            assert_eq!(is_for(&destination) & 0o077, 0);
            destination.keep(false).unwrap();
            assert_eq!(fs::read(path).unwrap(), text);
        }

        #[test]
        fn what_replaces_a_file_is_no_more_readable() {
            for make in MAKERS {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("out");
                for permissions in [0o600, 0o644, 0o640, 0o604, 0o660, 0o666, 0o400, 0o4755] {
                    let _ = fs::remove_file(&path);
                    fs::write(&path, b"old").unwrap();
                    fs::set_permissions(&path, Permissions::from_mode(permissions)).unwrap();
                    written(make, &path, b"new");
                    assert_eq!(mode(&path), permissions & 0o777, "{permissions:o}");
                }
                // Only root may try it.
                if chown(&path, Some(1234), Some(2345)).is_ok() {
                    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
                    written(make, &path, b"new");
                    let metadata = fs::metadata(&path).unwrap();
                    assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o777), (1234, 2345, 0o640));
                }
            }
        }

        #[test]
        fn a_new_file_is_as_any_other_unless_it_is_private() {
            let folder = tempfile::tempdir().unwrap();
            let other = folder.path().join("other");
            fs::write(&other, b"").unwrap();
            for (number, make) in MAKERS.into_iter().enumerate() {
                let path = folder.path().join(number.to_string());
                written(make, &path, b"new");
                assert_eq!(mode(&path), mode(&other));
            }
            let private: Make = |path, may_replace| Destination::private(path, may_replace).unwrap();
            let path = folder.path().join("private");
            written(private, &path, b"new");
            assert_eq!(mode(&path) & 0o077, 0);
            written(private, &other, b"new");
            assert_eq!(names(folder.path()), ["0", "1", "other", "private"]);
        }

        /// A link that came about meanwhile is replaced, but its permissions are everybody's.
        #[test]
        fn only_from_a_file_are_they_taken_over() {
            for make in MAKERS {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("out");
                let destination = make(&path, true);
                std::os::unix::fs::symlink("nowhere", &path).unwrap();
                destination.keep(false).unwrap();
                assert!(fs::symlink_metadata(&path).unwrap().is_file());
                assert_eq!(mode(&path), 0o600);
            }
        }

        #[test]
        #[cfg(target_os = "linux")]
        fn a_control_list_is_carried_over_and_none_is_inherited() {
            use rustix::fs::{XattrFlags, lgetxattr, setxattr};
            const ACCESS: &str = "system.posix_acl_access";
            /// `user::rw-, user:1234:r--, group::---, mask::r--, other::---`, as linux/posix_acl_xattr.h has it.
            const LIST: [(u16, u16, u32); 5] =
                [(1, 6, u32::MAX), (2, 4, 1234), (4, 0, u32::MAX), (0x10, 4, u32::MAX), (0x20, 0, u32::MAX)];
            let mut list = 2_u32.to_le_bytes().to_vec();
            for (tag, permissions, id) in LIST {
                list.extend(tag.to_le_bytes().into_iter().chain(permissions.to_le_bytes()).chain(id.to_le_bytes()));
            }
            let list_of = |path: &Path| {
                let mut list = [0; 200];
                lgetxattr(path, ACCESS, &mut list[..]).ok().map(|bytes| list[..bytes].to_vec())
            };
            for make in MAKERS {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("out");
                fs::write(&path, b"old").unwrap();
                if setxattr(&path, ACCESS, &list, XattrFlags::empty()).is_err() {
                    println!("no control lists in {}: not tested", folder.path().display());
                    return;
                }
                // Its mode reads 640, but its group may not read it.
                assert_eq!(mode(&path), 0o640);
                written(make, &path, b"new");
                assert_eq!(list_of(&path).as_deref(), Some(&list[..]));
                assert_eq!(mode(&path), 0o640);

                // A folder that lets user 1234 read what is made in it, and a file there that user may not read.
                fs::remove_file(&path).unwrap();
                fs::write(&path, b"old").unwrap();
                fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
                setxattr(folder.path(), "system.posix_acl_default", &list, XattrFlags::empty()).unwrap();
                written(make, &path, b"new");
                assert_eq!((list_of(&path), mode(&path)), (None, 0o640));
                // A new one is as the folder wants it.
                let (new, other) = (folder.path().join("new"), folder.path().join("other"));
                written(make, &new, b"new");
                fs::write(&other, b"").unwrap();
                assert_eq!((list_of(&new), mode(&new)), (list_of(&other), mode(&other)));
                assert!(list_of(&new).is_some());
            }
        }
    }
}
