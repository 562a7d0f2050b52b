//! Who may read an output: while it is made its owner alone; in the end nobody who might not read what it replaces.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

/// Gives `file` the owner, group, access control list and permissions of the file at `path`, of which `old` is known.
///
/// What the system refuses (only root gives files away) is left out, and with it all that could let in somebody who was
/// kept out before.
pub(crate) fn take_over(path: &Path, old: &Metadata, file: &File) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) && fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
        let _ = fchown(file, None, Some(old.gid())); // it is looked at whether that worked
    }
    let has_group = file.metadata()?.gid() == old.gid();
    let allowed = match control_list::of(path) {
        // With a list the bits of the group are its mask and say nothing of the group itself.
        Ok(Some(list)) if has_group && control_list::set(file, &list).is_ok() => 0o777,
        // One of the folder may have been inherited.
        Ok(None) if control_list::remove(file).is_ok() => {
            if has_group {
                0o777
            } else {
                under_another_group(old.mode())
            }
        }
        _ => {
            let _ = control_list::remove(file); // without bits for the group it lets in nobody
            0o700
        }
    };
    set(file, old.mode() & allowed)
}

/// What is left of `mode` when the group is another: who was of the group is one of the others now, and some of the
/// others are of the group.
fn under_another_group(mode: u32) -> u32 {
    let both = (mode >> 3) & mode & 0o7;
    (mode & 0o700) | (both << 3) | both
}

/// Sets the permissions. If the system refuses, it is enough that there are no more than these.
pub(crate) fn set(file: &File, mode: u32) -> io::Result<()> {
    let is_now = file.metadata()?.mode() & 0o777;
    if is_now == mode {
        return Ok(());
    }
    match file.set_permissions(Permissions::from_mode(mode)) {
        Err(error) if is_now & !mode != 0 => Err(error),
        _ => Ok(()),
    }
}

/// Access control lists (acl(5)), which Linux keeps as an attribute; as it gives them they are set again.
#[cfg(target_os = "linux")]
mod control_list {
    use super::{File, Path, io};
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr, lgetxattr};
    use rustix::io::Errno;

    const NAME: &str = "system.posix_acl_access";

    /// No attribute is longer (`XATTR_SIZE_MAX`).
    const MAX: usize = 65_536;

    /// That of the file at `path`, if it has one.
    pub(super) fn of(path: &Path) -> io::Result<Option<Vec<u8>>> {
        let mut list = vec![0; MAX];
        match lgetxattr(path, NAME, &mut list[..]) {
            Ok(bytes) => {
                list.truncate(bytes);
                Ok(Some(list))
            }
            Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn set(file: &File, list: &[u8]) -> io::Result<()> {
        Ok(fsetxattr(file, NAME, list, XattrFlags::empty())?)
    }

    pub(super) fn remove(file: &File) -> io::Result<()> {
        match fremovexattr(file, NAME) {
            Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
            removed => Ok(removed?),
        }
    }
}

/// Other systems keep them elsewhere; they are not carried over.
#[cfg(not(target_os = "linux"))]
mod control_list {
    use super::{File, Path, io};

    pub(super) fn of(_: &Path) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    pub(super) fn set(_: &File, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn remove(_: &File) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_group_sees_only_what_both_saw() {
        for (mode, left) in
            [(0o664, 0o644), (0o640, 0o600), (0o604, 0o600), (0o666, 0o666), (0o765, 0o744), (0o460, 0o400)]
        {
            assert_eq!(under_another_group(mode), left, "{mode:o}");
        }
    }
}
