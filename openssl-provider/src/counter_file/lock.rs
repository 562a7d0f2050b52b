//! Locks that serialise writes to a counter: between threads of a process, and between processes.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;
use rustix::process::getpid;

/// Lock that excludes other threads of this process. A POSIX file lock excludes other processes only.
pub(super) struct ThreadLock;

/// Id of the process whose thread is writing, or 0.
static WRITER: AtomicU32 = AtomicU32::new(0);

impl ThreadLock {
    /// Takes the lock; `None` if another thread holds it.
    pub(super) fn take() -> Option<Self> {
        let own = getpid().as_raw_nonzero().get().unsigned_abs();
        let writer = WRITER.load(Ordering::Relaxed);
        // A process that was forked during a write finds its parent's id, but has no thread that would release it.
        let is_free = writer != own;
        let is_taken = is_free && WRITER.compare_exchange(writer, own, Ordering::Acquire, Ordering::Relaxed).is_ok();
        // Not `then_some`, which would always create a `ThreadLock` and release it when dropped.
        is_taken.then(|| Self)
    }
}

impl Drop for ThreadLock {
    fn drop(&mut self) {
        WRITER.store(0, Ordering::Release);
    }
}

/// POSIX lock of the file against other processes. Forked processes do not inherit it, unlike other kinds of locks.
pub(super) struct FileLock<'a>(&'a OwnedFd);

impl<'a> FileLock<'a> {
    /// Takes the lock; `None` if another process holds it.
    pub(super) fn take(file: &'a OwnedFd) -> rustix::io::Result<Option<Self>> {
        match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self(file))),
            Err(Errno::ACCESS | Errno::AGAIN) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for FileLock<'_> {
    fn drop(&mut self) {
        let _ = fcntl_lock(self.0, FlockOperation::Unlock);
    }
}
