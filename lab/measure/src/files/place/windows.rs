//! How much room Windows says there is.
// A call of C that fills what it is given.
#![allow(unsafe_code)]

use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::null_mut;

use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

/// Bytes that this user may still write in the file system of `dir`; `None` if it does not say.
pub(crate) fn free_on(dir: &Path) -> Option<u64> {
    let name: Vec<u16> = dir.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0;
    // SAFETY: the name ends with zero; one number is written, and the other two are not asked for.
    (unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &mut free, null_mut(), null_mut()) } != 0).then_some(free)
}
