//! Creates private folders for the files of one run, and removes folders of runs that were killed.
//!
//! The process keeps a file in its folder locked. A folder is a leftover if the lock is free.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub(crate) const JVM: &str = "kasoku-jvm-";
pub const FILES: &str = "kasoku-files-";
pub const TLS: &str = "kasoku-tls-";
/// Prefix of the folders of runs that another host started.
pub const HOST: &str = "kasoku-host-";
const PREFIXES: [&str; 4] = [JVM, FILES, TLS, HOST];
/// Name of the file that the process keeps locked while it runs.
const LOCK: &str = ".kasoku-lock";

/// A folder of this process. Dropping it removes the folder and its contents.
#[derive(Debug)]
pub struct Folder {
    /// Lock file. It is closed before the folder is removed, since Windows does not remove open files.
    _lock: File,
    folder: TempDir,
}

impl Folder {
    pub fn new(dir: &Path, prefix: &str) -> io::Result<Folder> {
        let folder = create(dir, prefix)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        lock.lock()?;
        Ok(Folder { _lock: lock, folder })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Creates a folder in `dir` that no other user may enter. The folder has no lock file, so [`remove_leftovers`] keeps
/// it.
pub(crate) fn create(dir: &Path, prefix: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.prefix(prefix).tempdir_in(dir)
}

/// Removes the folders in `dir` whose processes are gone, and returns their paths.
pub fn remove_leftovers(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let folders = entries.filter_map(Result::ok).map(|entry| entry.path());
    folders.filter(|path| is_left_over(path)).filter(|path| fs::remove_dir_all(path).is_ok()).collect()
}

fn is_left_over(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        && is_own_folder(path)
        && File::open(path.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

/// Whether `path` is a real directory of this user and not a link. This must be checked because anyone may create
/// entries in a shared folder.
#[cfg(unix)]
fn is_own_folder(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == own)
}

#[cfg(not(unix))]
fn is_own_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remove_leftovers_removes_only_folders_of_dead_processes() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str, lock: &str| {
            let path = dir.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("text"), b"text").unwrap();
            (File::create(path.join(lock)).unwrap(), path)
        };
        let living = Folder::new(dir.path(), FILES).unwrap();
        let (_, dead) = make("kasoku-files-aB3xY9", LOCK);
        let (lock, locked) = make("kasoku-tls-aB3xY9", LOCK);
        lock.lock().unwrap();
        let others = [make("kasoku-files-mine", "lock").1, make("mine", LOCK).1];
        fs::write(dir.path().join("kasoku-files-aB3xY8"), b"no folder").unwrap();

        assert_eq!(remove_leftovers(dir.path()), [dead]);
        assert!(living.path().exists() && locked.exists());
        assert!(others.iter().all(|path| path.exists()));
        // Unlock explicitly: a child that another test is starting may have inherited the open file.
        lock.unlock().unwrap();
        assert_eq!(remove_leftovers(dir.path()), [locked]);
    }

    #[cfg(unix)]
    #[test]
    fn remove_leftovers_does_not_follow_links() {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("precious"), b"").unwrap();
        fs::write(elsewhere.path().join(LOCK), b"").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("kasoku-files-aB3xY9")).unwrap();
        assert!(remove_leftovers(dir.path()).is_empty());
        assert!(elsewhere.path().join("precious").exists());
    }

    #[cfg(unix)]
    #[test]
    fn folder_is_private_and_removed_on_drop() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), FILES).unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        drop(folder);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
