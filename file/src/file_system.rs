//! Properties of file systems that need special treatment.

use std::fs::File;

/// Returns whether the file is on ext4, where reserving space is quick and makes writing faster.
#[cfg(target_os = "linux")]
pub(crate) fn is_ext4(file: &File) -> bool {
    /// `EXT4_SUPER_MAGIC` of linux/magic.h.
    const EXT4: u64 = 0xEF53;
    kind(file) == Some(EXT4)
}

/// Returns whether the file system may report a failed write only in close(2), whose errors Rust ignores.
#[cfg(target_os = "linux")]
pub(crate) fn may_fail_on_close(file: &File) -> bool {
    /// Magic numbers of network and user-space file systems: NFS, CIFS, SMB2, SMB, FUSE, Ceph, AFS, 9P and Coda
    /// (linux/magic.h), and Lustre.
    const FAILING_ON_CLOSE: [u64; 11] = [
        0x6969,
        0xFF53_4D42,
        0xFE53_4D42,
        0x517B,
        0x6573_5546,
        0x00C3_6400,
        0x5346_414F,
        0x6B41_4653,
        0x0102_1997,
        0x7375_7245,
        0x0BD0_0BD0,
    ];
    kind(file).is_some_and(|kind| FAILING_ON_CLOSE.contains(&kind))
}

/// Returns false, because file systems are distinguished on Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn may_fail_on_close(_: &File) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn kind(file: &File) -> Option<u64> {
    u64::try_from(rustix::fs::fstatfs(file).ok()?.f_type).ok()
}
