//! Inherited file descriptors, by number.

#![allow(unsafe_code)] // only the system knows whether a number is a descriptor

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd as _;

/// Duplicates descriptor `number`. Both descriptors share one file position. (Opening `/dev/fd/N` would start at the
/// beginning of the file.)
///
/// # Errors
/// If `number` is not an open descriptor.
pub(crate) fn duplicate(number: u32) -> io::Result<File> {
    let number = i32::try_from(number).map_err(|_| io::Error::from_raw_os_error(libc::EBADF))?;
    // SAFETY: fcntl(2) takes any number, and returns a new descriptor or an error.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system just created the descriptor, so nothing else owns it.
    Ok(unsafe { File::from_raw_fd(copy) })
}
