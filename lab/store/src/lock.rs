//! The measuring lock: one run measures at a time on a machine, so that two runs do not distort each other's figures.
//!
//! The lock is an advisory lock on a file that all users of the machine can open, because runs of other users count
//! too. The system releases the lock when the process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use kasoku_model::printable::printable;
use kasoku_model::run_name;

/// Guard: while it exists, no other run measures on this machine.
#[derive(Debug)]
pub struct MeasuringLock {
    /// The locked file. Closing it releases the lock.
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another run{} is measuring on this machine, and two at once would distort each other's results: wait \
        until it has finished", if holder.is_empty() { String::new() } else { format!(" ({holder})") })]
    Busy {
        /// Process that holds the lock and its start time; empty if unknown.
        holder: String,
    },
    #[error("cannot use the lock file {}, which keeps two runs from measuring at once: {why}; remove it, or name \
        another with KASOKU_LOCK", path.display())]
    Unusable { path: PathBuf, why: io::Error },
}

impl MeasuringLock {
    /// Takes the lock of this machine. If another run holds it, waits for its end or returns [`LockError::Busy`].
    pub fn acquire(wait: bool) -> Result<MeasuringLock, LockError> {
        MeasuringLock::acquire_at(&default_path(), wait)
    }

    pub fn acquire_at(path: &Path, wait: bool) -> Result<MeasuringLock, LockError> {
        let unusable = |why| LockError::Unusable { path: path.to_path_buf(), why };
        let mut file = open(path).map_err(unusable)?;
        let locked = if wait { file.lock().map_err(TryLockError::Error) } else { file.try_lock() };
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::Busy { holder: read_holder(&mut file) }),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let _ = write_holder(&mut file); // without it, other runs cannot name the holder
        Ok(MeasuringLock { _file: file })
    }
}

/// Returns `$KASOKU_LOCK`, else a file in a folder that all users share, unlike `$TMPDIR`.
fn default_path() -> PathBuf {
    if let Some(path) = std::env::var_os("KASOKU_LOCK").filter(|path| !path.is_empty()) {
        return PathBuf::from(path);
    }
    let folder = if cfg!(windows) {
        std::env::var_os("ProgramData").map_or_else(std::env::temp_dir, PathBuf::from)
    } else {
        PathBuf::from("/tmp")
    };
    folder.join("kasoku-measuring.lock")
}

/// Opens the file, or creates it so that everybody may open it.
///
/// An existing file is opened without `O_CREAT`, which Linux refuses in `/tmp` for files of other users
/// (`fs.protected_regular`). Symbolic links are not followed, because anybody may create one in `/tmp`.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match options.clone().create_new(true).open(path) {
        // Another process has just created the file.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => options.open(path),
        Ok(file) => {
            #[cfg(unix)] // regardless of the umask
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))?;
            Ok(file)
        }
        refused => refused,
    }
}

fn write_holder(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    write!(file, "process {}, since {}", std::process::id(), run_name::now())
}

/// Returns the holder's text, safe to print on a terminal.
fn read_holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.take(100).read_to_string(&mut text);
    printable(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock_file() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        (folder, path)
    }

    #[test]
    fn lock_waits_until_released() {
        let (_folder, path) = lock_file();
        let first = MeasuringLock::acquire_at(&path, false).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| MeasuringLock::acquire_at(&path, true).map(drop));
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!second.is_finished());
            drop(first);
            second.join().unwrap().unwrap();
        });
    }

    #[test]
    fn lock_rejects_unusable_paths_with_advice() {
        let folder = tempfile::tempdir().unwrap();
        let message = MeasuringLock::acquire_at(folder.path(), true).unwrap_err().to_string();
        assert!(message.contains("KASOKU_LOCK"), "{message}");
    }

    /// On Linux a thread can have another user than its process, so a test that runs as root can be two users.
    #[test]
    #[cfg(target_os = "linux")]
    fn lock_is_shared_between_users() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, path) = lock_file();
        // Sticky and open to all, like /tmp.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o1777)).unwrap();
        let is_busy_for_another = || {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    let lock = crate::tests::become_nobody().then(|| MeasuringLock::acquire_at(&path, false));
                    lock.map(|lock| matches!(lock, Err(LockError::Busy { .. })))
                });
                other.join().unwrap()
            })
        };
        let first = MeasuringLock::acquire_at(&path, false).unwrap();
        assert_ne!(is_busy_for_another(), Some(false));
        drop(first);
        assert_ne!(is_busy_for_another(), Some(true));
    }
}
