//! Who may change a counter: one thread of a process, and of all processes one.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;
use rustix::process::getpid;

/// The only thread of this process that is at a counter: locks of files do not keep threads apart.
pub(super) struct Turn;

/// The number of the process that a thread of is at a counter, or zero.
static WRITER: AtomicU32 = AtomicU32::new(0);

impl Turn {
    /// `None` if another thread has it.
    pub(super) fn take() -> Option<Self> {
        let own = getpid().as_raw_nonzero().get().unsigned_abs();
        let writer = WRITER.load(Ordering::Relaxed);
        // A process that was forked in the middle of a write finds the number of its parent, whose thread it does not
        // have.
        let is_free = writer != own;
        let is_taken = is_free && WRITER.compare_exchange(writer, own, Ordering::Acquire, Ordering::Relaxed).is_ok();
        // Not `then_some`: a turn that was not taken must not be made, since it would be given back.
        is_taken.then(|| Self)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        WRITER.store(0, Ordering::Release);
    }
}

/// The file, locked against other processes: by a POSIX lock, since the others are shared with forked processes.
pub(super) struct Lock<'a>(&'a OwnedFd);

impl<'a> Lock<'a> {
    /// `None` if another process has it.
    pub(super) fn take(file: &'a OwnedFd) -> rustix::io::Result<Option<Self>> {
        match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self(file))),
            Err(Errno::ACCESS | Errno::AGAIN) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _ = fcntl_lock(self.0, FlockOperation::Unlock);
    }
}
