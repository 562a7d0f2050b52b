//! Output files that get their name only when they are complete.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::file_system;
#[cfg(unix)]
use crate::permissions;

/// Mode of usual new files: everybody may read and write, restricted by the umask.
const USUAL: u32 = 0o666;

/// Mode of private files: only the owner may read and write.
const OWNER: u32 = 0o600;

/// Output file that gets its name only when it is complete.
///
/// On Linux the file has no name until then (`O_TMPFILE`), so that nothing is left even if the process is killed. If
/// the file system does not support that, or without `/proc`, the file has a temporary name beside its destination that
/// begins with a dot, and is removed when dropped.
///
/// Until the file is complete, only its owner may read and write it. A file that replaces another file gets the old
/// file's owner, group, permissions and access control list. If one of these cannot be set, permissions are reduced, so
/// that users who could not read the old file gain no access. (On Windows, access depends on the folder alone.)
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    may_replace: bool,
    file: File,
    /// The file's temporary name, if it has one.
    temporary: Option<PathBuf>,
    /// Permissions for a file that replaces none; `None` leaves access to the owner only.
    if_new: Option<Permissions>,
}

/// Error while creating an output file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DestinationError {
    /// The file exists, and may not be replaced.
    #[error("{}: file exists", path.display())]
    Exists {
        /// The requested path.
        path: PathBuf,
    },
    /// The path cannot be used for a file.
    #[error("{}: {why}", path.display())]
    Unusable {
        /// The requested path.
        path: PathBuf,
        /// Description of the problem.
        why: &'static str,
    },
    /// The operating system returned an error.
    #[error("{}: {error}", path.display())]
    System {
        /// The requested path.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
}

impl Destination {
    /// Begins a file that will be at `path`. [`keep`](Self::keep) replaces an existing file only if `may_replace` is
    /// true. If no file is replaced, the new file gets the usual permissions (umask(2)).
    ///
    /// # Errors
    /// See [`DestinationError`].
    pub fn new(path: &Path, may_replace: bool) -> Result<Self, DestinationError> {
        let mut destination = Self::private(path, may_replace)?;
        let usual = usual_permissions(path);
        destination.if_new = usual.map_err(|error| DestinationError::System { path: path.into(), error })?;
        Ok(destination)
    }

    /// Begins a file for secrets, such as plaintext. Like [`new`](Self::new), but if no file is replaced, only the
    /// owner may read and write the new one.
    ///
    /// # Errors
    /// See [`DestinationError`].
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

    /// Returns the open file, to write to it.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the temporary name that the file has until [`keep`](Self::keep), if any. If the process is killed, the
    /// file remains under this name.
    pub fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    /// Gives the file its name. With `sync`, the data is synced to the storage device before the file gets its name,
    /// and the name is synced before this function returns.
    ///
    /// If the file replaces another file, the data is always synced first: after a power cut there is either the old or
    /// the complete new file.
    ///
    /// # Errors
    /// [`DestinationError::Exists`] if another program has created a file at the path since [`new`](Self::new);
    /// otherwise [`DestinationError::System`]. After an error there is no new file, unless only syncing its name
    /// failed.
    pub fn keep(mut self, sync: bool) -> Result<(), DestinationError> {
        let path = self.path.clone();
        let system = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => DestinationError::Exists { path: path.clone() },
            _ => DestinationError::System { path: path.clone(), error },
        };
        self.give_permissions().map_err(system)?;
        // Opened before the file gets its name, because opening may fail.
        let folder = if sync { open_folder(folder_of(&self.path)).map_err(system)? } else { None };
        if sync {
            self.file.sync_all().map_err(system)?;
        } else if self.replaces() || file_system::may_fail_on_close(&self.file) {
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
            // Since `new`, something other than a file has appeared at the path. Its permissions must not be copied.
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
            // Only a rename replaces a file atomically, and a rename needs a file with a name.
            let name = spare_name(&self.path);
            link(&self.file, &name)?;
            self.temporary = Some(name);
        }
        let Some(name) = &self.temporary else { return Ok(()) };
        if self.may_replace || !is_linked(name, &self.path, |name, path| fs::hard_link(name, path))? {
            fs::rename(name, &self.path)?;
            self.temporary = None;
        }
        Ok(()) // dropping removes the temporary name
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
            let _ = fs::remove_file(name); // an error cannot be handled here
        }
    }
}

#[cfg(unix)]
fn open_folder(folder: &Path) -> io::Result<Option<File>> {
    File::open(folder).map(Some)
}

/// Returns `None`, so that the folder is not synced, because Windows cannot open a folder like a file.
#[cfg(not(unix))]
fn open_folder(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Syncs a folder, so that the names in it survive a power cut. Ignores the errors of file systems that have nothing to
/// sync for folders.
fn sync_folder(folder: &File) -> io::Result<()> {
    match folder.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synchronised => synchronised,
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file for `path`. Returns the file and its temporary name, if the file needs one.
fn begin(path: &Path, mode: u32, nameless: Nameless) -> io::Result<(File, Option<PathBuf>)> {
    match nameless(folder_of(path), mode) {
        Some(file) => Ok((file, None)),
        None => named(path, mode).map(|(file, name)| (file, Some(name))),
    }
}

/// Returns the permissions of a new file at `path` by creating a file. Reading the umask directly would change it for
/// all threads.
fn usual_permissions(path: &Path) -> io::Result<Option<Permissions>> {
    let (file, name) = begin(path, USUAL, nameless)?;
    if let Some(name) = name {
        fs::remove_file(name)?;
    }
    Ok(Some(file.metadata()?.permissions()))
}

type Nameless = fn(&Path, u32) -> Option<File>;

/// Creates a file without a name in `folder`, if possible. If the folder does not exist, the later attempt with a name
/// reports that.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    use std::os::unix::fs::MetadataExt;
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
    // Without /proc, the file could never get a name.
    let (own, seen) = (file.metadata().ok()?, fs::metadata(own_path(&file)).ok()?);
    ((own.dev(), own.ino()) == (seen.dev(), seen.ino())).then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_folder: &Path, _mode: u32) -> Option<File> {
    None
}

/// Returns the path in `/proc` of an open file of this process.
#[cfg(target_os = "linux")]
fn own_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives a name to a file without a name, as described in open(2) for O_TMPFILE.
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

/// Links the file at `name` to `path` without replacing a file. Returns false if the file system has no links; the
/// earlier check for an existing file must then suffice.
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
    let _ = mode; // on other systems, the folder determines the permissions
    let file = options.open(&name)?;
    Ok((file, name))
}

/// Returns an unused name beside `path`. The name is not longer than the file system allows.
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

    /// Creates a destination with a temporary name, as on a file system without nameless files or without /proc.
    fn with_a_name(path: &Path, may_replace: bool) -> Destination {
        let (file, temporary) = begin(path, OWNER, |_, _| None).unwrap();
        assert!(temporary.is_some());
        let if_new = usual_permissions(path).unwrap();
        Destination { path: path.into(), may_replace, file, temporary, if_new }
    }

    #[test]
    fn destination_gets_its_name_only_when_kept() {
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

    /// A process that ends before the file is complete must leave nothing.
    #[test]
    #[cfg(target_os = "linux")]
    fn unfinished_destination_has_no_name_on_linux() {
        // tmpfs supports files without names.
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = folder.path().join("out");
        let mut destination = Destination::new(&path, false).unwrap();
        destination.write_all(b"text").unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
        destination.keep(false).unwrap();
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["out".to_owned()], b"text".to_vec()));
    }

    #[test]
    fn destination_replaces_a_file_only_if_allowed() {
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

    /// The temporary name must not be longer than the system allows.
    #[test]
    fn destination_accepts_names_of_maximum_length() {
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
    fn existing_file_is_reported_even_if_hard_links_are_unsupported() {
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
    fn destination_reports_unusable_paths() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| Destination::new(path, true).unwrap_err().to_string();
        assert!(error(folder.path()).contains("is a folder"));
        assert!(error(&folder.path().join("new/")).contains("is not a file name"));
        // The system's messages for ENOENT and ERROR_PATH_NOT_FOUND.
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

        /// Writes `text` to `path` and checks the permissions before the file is complete.
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
        fn replacement_is_not_more_readable_than_the_old_file() {
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
                // Only root can test this.
                if chown(&path, Some(1234), Some(2345)).is_ok() {
                    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
                    written(make, &path, b"new");
                    let metadata = fs::metadata(&path).unwrap();
                    assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o777), (1234, 2345, 0o640));
                }
            }
        }

        #[test]
        fn new_destination_gets_usual_or_private_permissions() {
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

        /// A symbolic link that appears at the path before the call of `keep` is replaced. The link's permissions give
        /// everybody access, so the new file must not get them.
        #[test]
        fn permissions_are_copied_only_from_regular_files() {
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
        fn replacement_copies_the_access_control_list() {
            use rustix::fs::{XattrFlags, lgetxattr, setxattr};
            const ACCESS: &str = "system.posix_acl_access";
            /// `user::rw-, user:1234:r--, group::---, mask::r--, other::---`, in the format of linux/posix_acl_xattr.h.
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
                // The mode is 640, but the group may not read the file.
                assert_eq!(mode(&path), 0o640);
                written(make, &path, b"new");
                assert_eq!(list_of(&path).as_deref(), Some(&list[..]));
                assert_eq!(mode(&path), 0o640);

                // User 1234 may read new files in this folder, but not the existing file.
                fs::remove_file(&path).unwrap();
                fs::write(&path, b"old").unwrap();
                fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
                setxattr(folder.path(), "system.posix_acl_default", &list, XattrFlags::empty()).unwrap();
                written(make, &path, b"new");
                assert_eq!((list_of(&path), mode(&path)), (None, 0o640));
                // A new file gets the folder's default access control list.
                let (new, other) = (folder.path().join("new"), folder.path().join("other"));
                written(make, &new, b"new");
                fs::write(&other, b"").unwrap();
                assert_eq!((list_of(&new), mode(&new)), (list_of(&other), mode(&other)));
                assert!(list_of(&new).is_some());
            }
        }
    }
}
