//! One measuring run per machine: an advisory lock, so that two runs do not spoil each other's figures.
//!
//! Runs of other users count too, so the file is in a place that is the same for all of them and can be opened by all.
//! The system releases the lock when the process ends, however it ends.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// While this lives, no other run measures on this machine.
#[derive(Debug)]
pub struct MeasuringLock {
    file: File,
    /// Whether the file says who holds it.
    is_signed: bool,
}

/// The lock was not had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another run has it.
    #[error(
        "another run{} is measuring on this machine, and two at once would distort each other's results: wait until it \
         has finished",
        holder.as_ref().map(|holder| format!(" ({holder})")).unwrap_or_default()
    )]
    Busy {
        /// Who, if that could be read.
        holder: Option<Holder>,
    },
    /// The file cannot be used.
    #[error(
        "cannot use the lock file {}, which keeps two runs from measuring at once: {why}; remove it, or name \
         another with KASOKU_LOCK",
        path.display()
    )]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

/// Who holds the lock, as it wrote itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The process.
    pub process: u32,
    /// Since when.
    pub since: OffsetDateTime,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.since.format(&Rfc3339).map_err(|_| fmt::Error)?;
        write!(f, "process {}, since {since}", self.process)
    }
}

impl MeasuringLock {
    /// Takes the lock of this machine; if another run has it, waits for its end or says [`LockError::Busy`].
    ///
    /// # Errors
    /// [`LockError`].
    pub fn acquire(wait: bool) -> Result<MeasuringLock, LockError> {
        MeasuringLock::acquire_at(&place(), wait)
    }

    /// Takes the lock that is the file `path`.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn acquire_at(path: &Path, wait: bool) -> Result<MeasuringLock, LockError> {
        let unusable = |why: String| LockError::Unusable { path: path.to_path_buf(), why };
        loop {
            let lock = MeasuringLock::acquire_once(path, wait)?;
            // Somebody who removed the file while it was waited for has made room for a second lock.
            if is_named(&lock.file, path).map_err(|error| unusable(error.to_string()))? {
                return Ok(lock);
            }
        }
    }

    fn acquire_once(path: &Path, wait: bool) -> Result<MeasuringLock, LockError> {
        let unusable = |why: String| LockError::Unusable { path: path.to_path_buf(), why };
        let (mut file, may_write) = open(path).map_err(|error| unusable(error.to_string()))?;
        let metadata = file.metadata().map_err(|error| unusable(error.to_string()))?;
        if !metadata.is_file() {
            return Err(unusable("it is not a regular file".into()));
        }
        if wait {
            file.lock().map_err(|error| unusable(error.to_string()))?;
        } else {
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LockError::Busy { holder: read_holder(&mut file) }),
                Err(TryLockError::Error(error)) => return Err(unusable(error.to_string())),
            }
        }
        // A file with a second name may be anything that somebody linked there: it is locked, not written.
        let is_signed = may_write && has_one_name(&metadata) && sign(&mut file).is_ok();
        Ok(MeasuringLock { file, is_signed })
    }
}

impl Drop for MeasuringLock {
    fn drop(&mut self) {
        if self.is_signed {
            let _ = self.file.set_len(0); // a stale name is recognised by its process being gone
        }
        let _ = self.file.unlock(); // and closing the file would do it
    }
}

/// Where the lock is: `$KASOKU_LOCK`, else a place that does not depend on the user. `$TMPDIR` does.
fn place() -> PathBuf {
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

/// The file, and whether it may be written. It is made if it is not there, so that everybody may open it.
///
/// A file that is there is opened without the options to create it: Linux refuses that in `/tmp` if the file is another
/// user's (`fs.protected_regular`). Symbolic links are not followed, nor is a pipe waited for.
fn open(path: &Path) -> io::Result<(File, bool)> {
    for _ in 0..10 {
        match options(true).create_new(true).open(path) {
            Ok(file) => {
                open_to_all(&file)?;
                return Ok((file, true));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        match options(true).open(path) {
            Ok(file) => return Ok((file, true)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue, // removed in between
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            Err(error) => return Err(error),
        }
        match options(false).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened.map(|file| (file, false)),
        }
    }
    Err(io::Error::other("it keeps appearing and disappearing"))
}

#[cfg(unix)]
fn options(write: bool) -> std::fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = File::options();
    options.read(true).write(write).mode(0o666).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY);
    options
}

#[cfg(not(unix))]
fn options(write: bool) -> std::fs::OpenOptions {
    let mut options = File::options();
    options.read(true).write(write);
    options
}

/// Gives a file that this process has just made to everybody, whatever the umask says.
#[cfg(unix)]
fn open_to_all(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn open_to_all(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Whether `path` is the name of this file.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let held = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_named(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true) // an open file cannot be removed
}

#[cfg(unix)]
fn has_one_name(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) == 1
}

#[cfg(not(unix))]
fn has_one_name(_metadata: &std::fs::Metadata) -> bool {
    true
}

fn sign(file: &mut File) -> io::Result<()> {
    let since = OffsetDateTime::now_utc().replace_nanosecond(0).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let since = since.format(&Rfc3339).map_err(io::Error::other)?;
    file.set_len(0)?;
    file.write_all(format!("{} {since}\n", std::process::id()).as_bytes())
}

/// What the holder wrote. Nothing of it is believed but a number and a time; nor that, if there is no such process (a
/// holder that was killed, and now one that may not write).
fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(100).read_to_string(&mut text).ok()?;
    let (process, since) = text.trim_end().split_once(' ')?;
    let holder = Holder { process: process.parse().ok()?, since: OffsetDateTime::parse(since, &Rfc3339).ok()? };
    is_alive(holder.process).then_some(holder)
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    // "Not permitted" is said of a process that is there.
    pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH)))
}

#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(error: LockError) -> Option<Holder> {
        match error {
            LockError::Busy { holder } => holder,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_second_is_told_who_has_it_and_gets_it_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = MeasuringLock::acquire_at(&path, false).unwrap();
        let error = MeasuringLock::acquire_at(&path, false).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(&format!("process {}, since 20", std::process::id())), "{message}");
        assert_eq!(holder(error).unwrap().process, std::process::id());
        drop(first);
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        MeasuringLock::acquire_at(&path, false).unwrap();
    }

    #[test]
    fn one_that_waits_gets_it_when_it_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
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
    fn nothing_but_a_process_and_a_time_is_believed_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        for content in ["", "\u{1b}[2J now", "4194305 2026-11-21T09:00:00Z", "0 2026-11-21T09:00:00Z", "1 tomorrow"] {
            std::fs::write(&path, content).unwrap();
            let file = File::open(&path).unwrap();
            file.lock().unwrap();
            let error = MeasuringLock::acquire_at(&path, false).unwrap_err();
            assert!(error.to_string().starts_with("another run is measuring"), "{error}");
            assert_eq!(holder(error), None, "{content:?}");
        }
    }

    #[test]
    fn a_file_removed_in_between_does_not_make_two_locks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = MeasuringLock::acquire_at(&path, false).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| MeasuringLock::acquire_at(&path, true).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(50));
            std::fs::remove_file(&path).unwrap();
            drop(first);
            let second = waiting.join().unwrap();
            assert!(matches!(MeasuringLock::acquire_at(&path, false), Err(LockError::Busy { .. })));
            drop(second);
        });
    }

    #[cfg(target_os = "linux")] // mknod makes the pipe
    mod unix {
        use std::os::unix::fs::{PermissionsExt, symlink};

        use super::*;

        #[test]
        fn everybody_may_open_it() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("lock");
            let _lock = MeasuringLock::acquire_at(&path, false).unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
        }

        #[test]
        fn what_somebody_laid_in_its_place_is_neither_followed_nor_written() {
            let folder = tempfile::tempdir().unwrap();
            let (precious, path) = (folder.path().join("precious"), folder.path().join("lock"));
            std::fs::write(&precious, "precious").unwrap();
            std::fs::set_permissions(&precious, std::fs::Permissions::from_mode(0o600)).unwrap();

            symlink(&precious, &path).unwrap();
            let error = MeasuringLock::acquire_at(&path, false).unwrap_err();
            assert!(error.to_string().contains("KASOKU_LOCK"), "{error}");
            std::fs::remove_file(&path).unwrap();

            std::fs::hard_link(&precious, &path).unwrap();
            drop(MeasuringLock::acquire_at(&path, false).unwrap());
            assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
            assert_eq!(std::fs::metadata(&precious).unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::remove_file(&path).unwrap();

            std::fs::create_dir(&path).unwrap();
            assert!(matches!(MeasuringLock::acquire_at(&path, true), Err(LockError::Unusable { .. })));
            std::fs::remove_dir(&path).unwrap();

            rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o666.into(), 0).unwrap();
            assert!(matches!(MeasuringLock::acquire_at(&path, true), Err(LockError::Unusable { .. })));
        }
    }

    /// A thread of Linux has a user of its own, so a test that runs as root can be two users at once.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_run_of_another_user_counts() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        // Sticky and open to all, as /tmp is.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o1777)).unwrap();
        for mode in [0o666, 0o444] {
            let path = folder.path().join(format!("lock-{mode:o}"));
            let first = MeasuringLock::acquire_at(&path, false).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let as_another = |held: bool| {
                std::thread::scope(|scope| {
                    let other = scope.spawn(|| {
                        if !crate::tests::become_nobody() {
                            return;
                        }
                        let lock = MeasuringLock::acquire_at(&path, false);
                        assert_eq!(matches!(lock, Err(LockError::Busy { .. })), held, "{mode:o} {lock:?}");
                        assert_eq!(lock.is_ok(), !held, "{mode:o} {lock:?}");
                    });
                    other.join().unwrap();
                });
            };
            as_another(true);
            drop(first);
            as_another(false);
        }
    }
}
