//! Reads and writes at a given offset of a file, independently of other threads.

use std::fs::File;
use std::io::{self, Read};

use crate::Error;
#[cfg(target_os = "linux")]
use crate::file_system;
use crate::pool::fill;

/// Reads from `offset` until `buffer` is full or the file ends, and returns the number of bytes.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize, Error> {
    fill(&mut FileAt { file, offset }, buffer)
}

/// Reader with its own position in a file.
struct FileAt<'f> {
    file: &'f File,
    offset: u64,
}

impl Read for FileAt<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_some_at(self.file, buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

#[cfg(unix)]
fn read_some_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_some_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<(), Error> {
    use std::os::unix::fs::FileExt;
    file.write_all_at(bytes, offset).map_err(Error::Write)
}

#[cfg(windows)]
pub(crate) fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> Result<(), Error> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        let written = file.seek_write(bytes, offset).map_err(Error::Write)?;
        bytes = &bytes[written..];
        offset += written as u64;
    }
    Ok(())
}

/// Reserves space for `bytes` bytes of an empty file on file systems where that is faster.
///
/// On ext4 the kernel otherwise reserves block after block. Reserving all space at once almost halves the CPU time of
/// writing, and reports a full disk at the beginning. On tmpfs this would be slower: reserving clears all pages on one
/// core, although all are written afterwards. Other file systems were not measured.
///
/// The file's length does not change. Otherwise, after a power cut, the file could have its full length but zeros where
/// nothing had been written.
#[cfg(target_os = "linux")]
pub(crate) fn reserve(file: &File, bytes: u64) -> Result<(), Error> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    if bytes == 0 || !file_system::is_ext4(file) {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes) {
        Err(full @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(Error::Write(full.into())),
        // Without extents (as on ext2), space cannot be reserved, but writing works.
        _ => Ok(()),
    }
}

/// Does nothing: space is reserved on Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn reserve(_file: &File, _bytes: u64) -> Result<(), Error> {
    Ok(())
}
