//! Permissions of an output file: until it is complete, only its owner has access; then it has at most the permissions
//! of the file that it replaces.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

/// Copies owner, group, access control list and permissions of the file at `path`, whose metadata are `old`, to `file`.
///
/// Only root can change a file's owner. If the system refuses one of the changes, removes all permissions that could
/// give a user new access.
pub(crate) fn take_over(path: &Path, old: &Metadata, file: &File) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) && fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
        let _ = fchown(file, None, Some(old.gid())); // the next line checks the result
    }
    let has_group = file.metadata()?.gid() == old.gid();
    let allowed = match control_list::read(path) {
        // With an access control list, the group bits of the mode are the list's mask, not the group's permissions.
        Ok(Some(list)) if has_group && control_list::set(file, &list).is_ok() => 0o777,
        // Removes an access control list that was inherited from the folder.
        Ok(None) if control_list::remove(file).is_ok() => {
            if has_group {
                0o777
            } else {
                under_another_group(old.mode())
            }
        }
        _ => {
            let _ = control_list::remove(file); // mode 700 makes a remaining list ineffective
            0o700
        }
    };
    set(file, old.mode() & allowed)
}

/// Returns the permissions in `mode` that are safe if the group changes: those that both the group and others had.
fn under_another_group(mode: u32) -> u32 {
    let both = (mode >> 3) & mode & 0o7;
    (mode & 0o700) | (both << 3) | both
}

/// Sets the permissions. Ignores an error if the file already has at most the permissions in `mode`.
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

/// Copies access control lists (acl(5)), which Linux stores as an extended attribute, unchanged.
#[cfg(target_os = "linux")]
mod control_list {
    use super::{File, Path, io};
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr, lgetxattr};
    use rustix::io::Errno;

    const NAME: &str = "system.posix_acl_access";

    /// Maximum length of an attribute in bytes (`XATTR_SIZE_MAX`).
    const MAX: usize = 65_536;

    /// Returns the access control list of the file at `path`, if it has one.
    pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
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

/// Copies no access control lists, because other systems than Linux store them differently.
#[cfg(not(target_os = "linux"))]
mod control_list {
    use super::{File, Path, io};

    pub(super) fn read(_: &Path) -> io::Result<Option<Vec<u8>>> {
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
    fn file_with_another_group_gets_only_permissions_that_group_and_others_had() {
        for (mode, left) in
            [(0o664, 0o644), (0o640, 0o600), (0o604, 0o600), (0o666, 0o666), (0o765, 0o744), (0o460, 0o400)]
        {
            assert_eq!(under_another_group(mode), left, "{mode:o}");
        }
    }
}
