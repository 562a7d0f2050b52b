//! A private folder for what one run needs of files with names; and what dead runs left of theirs.
//!
//! The folder's name holds the process and when it started, and the living one keeps a file in it locked: what neither
//! runs nor holds its lock is left over.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// What the names of such folders begin with, one word for each level that has them.
pub const FILES: &str = "kasoku-files-";
/// The same of the level `tls`.
pub const TLS: &str = "kasoku-tls-";
/// Prefix of a run that `kasoku` on another host has started.
pub const HOST: &str = "kasoku-host-";
const PREFIXES: [&str; 3] = [FILES, TLS, HOST];
/// The file in it that is locked as long as the run lives.
const LOCK: &str = "lock";

/// A folder of this process. Dropped, it is removed with all that is in it.
#[derive(Debug)]
pub struct Folder {
    /// Let go of before the folder goes: Windows would keep an open file.
    _lock: File,
    folder: TempDir,
}

impl Folder {
    /// Makes one in `dir` that nobody else may enter.
    ///
    /// # Errors
    /// If that cannot be had.
    pub fn new(dir: &Path, prefix: &str) -> io::Result<Folder> {
        let id = std::process::id();
        let name = format!("{prefix}{id}-{}-", start_ticks(id).unwrap_or(0));
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.prefix(&name).tempdir_in(dir)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        lock.lock()?;
        Ok(Folder { _lock: lock, folder })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders in `dir` whose processes are gone; which those were.
pub fn remove_leftovers(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let folders = entries.filter_map(Result::ok).map(|entry| entry.path());
    folders.filter(|path| is_left_over(path)).filter(|path| fs::remove_dir_all(path).is_ok()).collect()
}

fn is_left_over(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let rest = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    let Some((id, start)) = rest.and_then(|rest| rest.split_once('-')) else { return false };
    // Behind that are letters that nobody can foresee, where the version is one that writes them.
    let start = start.split_once('-').map_or(start, |(start, _)| start);
    let (Ok(id), Ok(start)) = (id.parse::<u32>(), start.parse::<u64>()) else { return false };
    if !is_own_folder(path) {
        return false;
    }
    // A process of that number that started at another time is another one.
    if start_ticks(id).is_some_and(|other| other == start) {
        return false;
    }
    match File::open(path.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        // Its process is gone, and came no further than this.
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Whether it is really a folder, and this user's: in a folder that all may write to, anybody may have made it.
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

/// When the process of that number started, in the kernel's ticks; `None` if there is none, or it cannot be known.
fn start_ticks(id: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may hold anything; behind it the start is the 20th field (proc(5)).
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_dead_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("text"), b"text").unwrap();
            path
        };
        let living = Folder::new(dir.path(), FILES).unwrap();
        // No process has that number: it is above what any kernel gives.
        let dead = make("kasoku-files-4999999-17");
        let with_letters = make("kasoku-files-4999999-17-aB3xY9");
        // This process's number, of one that started at another time.
        let before = make(&format!("kasoku-files-{}-17", std::process::id()));
        let locked = make("kasoku-files-4999998-17");
        let lock = File::create(locked.join(LOCK)).unwrap();
        lock.lock().unwrap();
        let others = [make("kasoku-files-x-17"), make("kasoku-files-4999999"), make("mine")];
        fs::write(dir.path().join("kasoku-files-4999999-18"), b"no folder").unwrap();

        let mut removed = remove_leftovers(dir.path());
        removed.sort();
        let mut expected = [dead, with_letters, before];
        expected.sort();
        assert_eq!(removed, expected);
        assert!(living.path().exists() && locked.exists());
        assert!(others.iter().all(|path| path.exists()));
        // Not by closing it: a child that another test is just starting may still have it open.
        lock.unlock().unwrap();
        assert_eq!(remove_leftovers(dir.path()), [locked]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_somewhere_else_is_not_followed() {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("precious"), b"").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("kasoku-files-4999999-17")).unwrap();
        assert!(remove_leftovers(dir.path()).is_empty());
        assert!(elsewhere.path().join("precious").exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_enter_and_it_goes_when_it_is_dropped() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path(), FILES).unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        drop(folder);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
