//! A descriptor that the program was started with, by its number.

#![allow(unsafe_code)] // that a number is a descriptor only the system knows

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd as _;

/// A duplicate of descriptor `number`, which has its place in the file in common with it: what is read from one, the
/// other does not give again. `/dev/fd/N` would open a file anew, at its beginning.
///
/// # Errors
/// If it is none.
pub(super) fn duplicate(number: u32) -> io::Result<File> {
    let number = i32::try_from(number).map_err(|_| io::Error::from_raw_os_error(libc::EBADF))?;
    // SAFETY: numbers go in and a number comes out; what is no descriptor is an error.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system just made it, so nobody else has it.
    Ok(unsafe { File::from_raw_fd(copy) })
}
