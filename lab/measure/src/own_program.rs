//! Starts this program again in another role: as worker, client, endpoint or guard.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// Returns a command that starts this very build, even if its file has been replaced since the start. Otherwise the
/// results of two builds would count as those of one.
pub fn command() -> io::Result<Command> {
    let named = std::env::current_exe()?;
    Ok(Command::new(replaced_program(&named).unwrap_or(named)))
}

/// Returns the first eight bytes of the SHA-256 hash of this very build, in hexadecimal; `None` if it is unreadable.
pub(crate) fn hash() -> Option<&'static str> {
    static HASH: LazyLock<Option<String>> = LazyLock::new(|| {
        let mut file = File::open(command().ok()?.get_program()).ok()?;
        let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
        while let read @ 1.. = file.read(&mut piece).ok()? {
            hash.update(&piece[..read]);
        }
        Some(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
    });
    HASH.as_deref()
}

/// Returns the kernel's link to the running program (`/proc/self/exe`) if the file at the path `named` was replaced or
/// removed. Otherwise returns `None`: the path starts the same program, and `top` shows the path.
#[cfg(target_os = "linux")]
fn replaced_program(named: &std::path::Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    let held = PathBuf::from("/proc/self/exe");
    let of_held = held.metadata().ok()?;
    let is_same = named.metadata().is_ok_and(|file| (file.dev(), file.ino()) == (of_held.dev(), of_held.ino()));
    (!is_same).then_some(held)
}

#[cfg(not(target_os = "linux"))]
fn replaced_program(_: &std::path::Path) -> Option<PathBuf> {
    None
}
